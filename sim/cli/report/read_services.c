/* read_services.c - services.csv: what each inference service did in each of its intervals. A percentile of a step is the mean over its
 * time of those of the intervals in it; where no request was served the last one goes on. */
#include "sim/cli/report/run_view.h"
#include "sim/cli/frame/result_file.h"
#include "sim/base/memory.h"

#include <math.h>

struct services { struct run_view *view; const struct steps *steps; size_t capacity; };

static struct service_view *service_of(struct services *s, const struct cell *name)
{
    struct run_view *v = s->view;
    uint32_t known = intern_count(v->service_names), number = intern_add(v->service_names, name->text, name->length);
    if (number == known) {
        mem_grow(&v->service, &s->capacity, number, sizeof *v->service);
        v->service[number] = (struct service_view){ 0 };
    }
    return &v->service[number];
}

/* A row is of the interval that ends at its time: what it says holds from where the row before ended. */
static int on_row(void *self, const struct row *row, const size_t *at, struct error *err)
{
    struct services *s = self;
    struct service_view *x = service_of(s, &row->cell[at[1]]);
    double at_s, value;
    if (result_number(row, at[0], &at_s, err))
        return -1;
    for (size_t i = 0; i < SERVICE_LEVELS; i++) {
        if (result_number(row, at[2 + i], &value, err))
            return -1;
        if (!isnan(value))
            series_set(&x->level[i], s->steps, x->last_s, i == SERVICE_KEPT ? 100 * value : value);
    }
    x->last_s = at_s - s->view->start_s;
    return 0;
}

int read_services(struct run_view *v, const struct steps *steps, struct error *err)
{
    static const char *const columns[] = { "time_s", "service", "rate_per_s", "latency_p50_s", "latency_p99_s", "slo_attainment", "replicas_ready", NULL };
    static const struct result_file file = { "services.csv", columns, on_row, NULL };
    struct services s = { .view = v, .steps = steps };
    v->service_names = intern_new();
    if (!(v->end_s > v->start_s))
        return 0;
    int result = result_file_read(v->path, &file, &s, err);
    for (uint32_t k = 0; k < intern_count(v->service_names); k++)
        for (size_t i = 0; i < SERVICE_LEVELS; i++)
            series_end(&v->service[k].level[i], steps, fmin(v->service[k].last_s, v->end_s - v->start_s));
    return result < 0 ? -1 : 0;
}
