/* services.c - inference services over time, from services.csv: the four with the most requests, a
 * column each.
 *
 * Long runs are cut into equal steps. Of the requests in a step the rate and the share that kept
 * the SLO are exact; a percentile is the mean of those of its intervals, weighted by requests
 * served. */
#include "sim/base/intern.h"
#include "sim/cli/plot/kind.h"
#include "sim/cli/plot/rows.h"
#include "sim/cli/plot/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_MOST = 4, STEPS = 300, TERMINAL_MARGIN = 12 };
enum { RATE, P50, P99, KEPT, WANTED, READY, CURVES };
struct mean {
    double sum, weight;
};
struct one_service {
    double requests, kept, ended;
    struct mean (*step)[CURVES];
}; /* step NULL: not shown */
struct services {
    struct intern *names;
    struct one_service *one; /* [names]; owned */
    size_t capacity;
    double file_s;             /* the first time of the file; NaN before it is known */
    double interval_s;         /* 0 before it is known */
    double first_s, last_s;    /* that are shown; first: NaN before it is known */
    double width_s;
    size_t steps;
    const struct window *window;
    struct time_span span;
};

static struct one_service *service_of(struct services *s, const char *name)
{
    uint32_t known = intern_count(s->names), at = intern_add(s->names, name, strlen(name));
    if (at == known) {
        mem_grow(&s->one, &s->capacity, at, sizeof *s->one);
        s->one[at] = (struct one_service){ 0 };
    }
    return &s->one[at];
}

static double known(double x)
{
    return isnan(x) ? 0 : x;
}

/* Of an interval that ends then. */
static bool in_window(const struct services *s, double time_s)
{
    return (!s->window->has_from || time_s > s->window->from_s) &&
           (!s->window->has_to || time_s <= s->window->to_s);
}

static void on_survey(void *self, const struct fields *f)
{
    struct services *s = self;
    double time_s = f->number[0];
    if (isnan(s->file_s))
        s->file_s = time_s;
    else if (s->interval_s <= 0 && time_s > s->file_s)
        s->interval_s = time_s - s->file_s;
    if (!in_window(s, time_s))
        return;
    service_of(s, f->text[1])->requests += known(f->number[2]);
    if (isnan(s->first_s))
        s->first_s = time_s;
    s->last_s = time_s;
}

static void add(struct mean *m, double amount, double weight)
{
    if (isnan(amount) || !(weight > 0))
        return;
    m->sum += amount * weight;
    m->weight += weight;
}

enum {
    TIME_S,
    SERVICE,
    ARRIVED,
    SERVED,
    DROPPED,
    LATENCY_P50,
    LATENCY_P99,
    ATTAINMENT,
    REPLICAS_WANTED,
    REPLICAS_READY
};

static void on_interval(void *self, const struct fields *f)
{
    struct services *s = self;
    struct one_service *one = service_of(s, f->text[SERVICE]);
    const double *x = f->number;
    if (!one->step || !in_window(s, x[TIME_S]))
        return;
    double served = known(x[SERVED]), ended = served + known(x[DROPPED]);
    size_t at =
        (size_t)((x[TIME_S] - s->interval_s / 2 - (s->first_s - s->interval_s)) / s->width_s);
    struct mean *m = one->step[at < s->steps ? at : s->steps - 1];
    add(&m[RATE], known(x[ARRIVED]) / s->interval_s, 1);
    add(&m[P50], x[LATENCY_P50], served);
    add(&m[P99], x[LATENCY_P99], served);
    add(&m[KEPT], x[ATTAINMENT], ended);
    add(&m[WANTED], x[REPLICAS_WANTED], 1);
    add(&m[READY], x[REPLICAS_READY], 1);
    if (!isnan(x[ATTAINMENT])) {
        one->kept += x[ATTAINMENT] * ended;
        one->ended += ended;
    }
}

/* Those with most requests first; returns how many are shown. */
static size_t choose(struct services *s, uint32_t *order)
{
    size_t n = intern_count(s->names);
    for (uint32_t k = 0; k < n; k++) {
        size_t at = k;
        for (; at > 0 && s->one[order[at - 1]].requests < s->one[k].requests; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
    size_t shown = n > SHOWN_MOST ? SHOWN_MOST : n;
    for (size_t k = 0; k < shown; k++)
        s->one[order[k]].step = mem_new(s->steps, sizeof *s->one->step);
    return shown;
}

static int survey(struct services *s, const struct plot_request *r, struct error *err)
{
    static const char *const columns[] = { "time_s", "$service", "arrived", NULL };
    if (rows_read(r->run[0].path, "services.csv", columns, on_survey, s, err))
        return -1;
    if (isnan(s->first_s))
        return error_set(err, "%s/services.csv: no rows%s", r->run[0].path,
                         r->window.has_from || r->window.has_to ? " between --from and --to" : "");
    s->interval_s = s->interval_s > 0 ? s->interval_s : 60;
    double span = s->last_s - (s->first_s - s->interval_s);
    s->span = window_span(&r->window, s->first_s - s->interval_s, span);
    double wide = r->canvas.format == PLOT_TERM ? r->canvas.columns - TERMINAL_MARGIN : STEPS;
    s->width_s = span / s->interval_s > wide ? span / wide : s->interval_s;
    s->steps = (size_t)(span / s->width_s + .999999);
    return 0;
}

/* ---- Drawing ---- */

static const char *share_kept(struct arena *a, double share)
{
    return share > 0.99 && share < 0.99995 ? words(a, "%.2f %%", share * 100)
                                           : words(a, "%.1f %%", share * 100);
}

struct range {
    double least, most;
}; /* of latencies above 0; least infinite: there is none */

static void draw_service(const struct services *s, uint32_t number, size_t k, size_t shown,
                         struct figure *f, struct range *latency)
{
    struct arena *a = figure_memory(f);
    const struct one_service *one = &s->one[number];
    struct table *t = figure_table(f,
                                   "time_s,requests_per_s,latency_p50_s,latency_p99_s,slo_kept_"
                                   "percent,replicas_wanted,replicas_ready",
                                   "service%zu", k);
    double most_rate = 0, most_replicas = 0;
    table_label(t, "service", intern_text(s->names, number));
    for (size_t b = 0; b < s->steps; b++) {
        double x[CURVES];
        for (size_t c = 0; c < CURVES; c++)
            x[c] = one->step[b][c].weight > 0 ? one->step[b][c].sum / one->step[b][c].weight
                                              : (double)NAN;
        x[KEPT] *= 100;
        table_number(t, (double)b * s->width_s);
        table_numbers(t, CURVES, x);
        most_rate = fmax(most_rate, x[RATE]);
        most_replicas = fmax(most_replicas, fmax(x[WANTED], x[READY]));
        for (size_t c = P50; c <= P99; c++) {
            latency->most = fmax(latency->most, x[c]);
            latency->least = x[c] > 0 ? fmin(latency->least, x[c]) : latency->least;
        }
    }
    const char *text = words(a, "%s requests", commas(a, one->requests));
    if (one->ended > 0)
        text = words(a, "%s, %s kept the SLO", text, share_kept(a, one->kept / one->ended));
    fact(f, most_rate, "most_rate%zu", k);
    fact(f, most_replicas, "most_replicas%zu", k);
    const char *name = name_clean(a, intern_text(s->names, number), shown > 2 ? 22 : 34);
    fact_text(f, name, "name%zu", k);
    fact_text(f, text, "said%zu", k);
    figure_key(f, k, false, words(a, "%s: %s", name, text));
}

static void draw(const struct services *s, const struct plot_request *r, const uint32_t *order,
                 size_t shown, struct figure *f)
{
    struct arena *a = figure_memory(f);
    struct range latency = { INFINITY, 0 };
    size_t n = intern_count(s->names);
    const char *heading = r->run[0].label;
    for (size_t k = 0; k < shown; k++)
        draw_service(s, order[k], k + 1, shown, f, &latency);
    if (n > shown)
        heading = words(a, "%s; the %zu services with most requests, of %zu", heading, shown, n);
    fact(f, (double)shown, "n");
    span_facts(&s->span, &r->canvas, f);
    fact_text(f, human(a, s->width_s), "mean_over");
    fact_text(f, heading, "heading");
    figure_note(f, words(a, "%s; a picture has requests and replicas over time, too", heading));
    fact(f, latency.most, "most_latency");
    fact(f, isinf(latency.least) ? 0.001 : latency.least, "least_latency");
}

static int make(const struct kind *k, const struct plot_request *r, struct figure *f,
                struct error *err)
{
    static const char *const columns[] = { "time_s",
                                           "$service",
                                           "arrived",
                                           "served",
                                           "dropped",
                                           "latency_p50_s",
                                           "latency_p99_s",
                                           "slo_attainment",
                                           "replicas_wanted",
                                           "replicas_ready",
                                           NULL };
    struct services s = { .names = intern_new(),
                          .file_s = (double)NAN,
                          .first_s = (double)NAN,
                          .window = &r->window };
    uint32_t *order = NULL;
    (void)k;
    int result = survey(&s, r, err);
    if (result == 0) {
        order = mem_new(intern_count(s.names), sizeof *order);
        size_t shown = choose(&s, order);
        result = rows_read(r->run[0].path, "services.csv", columns, on_interval, &s, err);
        if (result == 0)
            draw(&s, r, order, shown, f);
    }
    for (uint32_t i = 0; i < intern_count(s.names); i++)
        free(s.one[i].step);
    free(s.one);
    free(order);
    intern_free(s.names);
    return result;
}

const struct kind services_kind = {
    .name = "services",
    .over_time = true,
    .paper_least = 600,
    .least = 1,
    .most = 1,
    .file = { "services.csv" },
    .columns = "service,time_s,requests_per_s,latency_p50_s,latency_p99_s,slo_kept_percent,"
               "replicas_wanted,replicas_ready",
    .script = "services.gp",
    .make = make,
};
