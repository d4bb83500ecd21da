/* read_jobs.c - jobs.csv: distributions over the jobs that ended, and what each queue's jobs waited for. */
#include "sim/cli/report/run_view.h"
#include "sim/cli/frame/result_file.h"
#include "sim/base/memory.h"

#include <math.h>
#include <string.h>

enum { C_QUEUE, C_STATE, C_VALUES, COLUMNS = C_VALUES + DISTRIBUTIONS };
static const char *const wanted[] = { "queue", "state", "jct_s", "wait_s", "bounded_slowdown", "finish_time_fairness", NULL };

struct jobs { struct run_view *view; size_t reason_column[WAIT_REASONS_MOST]; };

/* The columns "wait_REASON_s". */
static int on_header(void *self, const struct row *header, struct error *err)
{
    struct jobs *j = self;
    (void)err;
    for (size_t i = 0; i < header->n && j->view->reasons < WAIT_REASONS_MOST; i++) {
        const char *name = header->cell[i].text, *reason = name + strlen("wait_");
        size_t length = header->cell[i].length;
        if (length <= strlen("wait__s") || strncmp(name, "wait_", strlen("wait_")) != 0 || strcmp(name + length - 2, "_s") != 0)
            continue;
        j->reason_column[j->view->reasons] = i;
        j->view->reason[j->view->reasons++] = mem_text(reason, length - strlen("wait__s"));
    }
    return 0;
}

static void add(struct values *v, double value)
{
    if (isnan(value))
        return;
    mem_grow(&v->value, &v->capacity, v->n, sizeof *v->value);
    v->value[v->n++] = value;
}

static int on_row(void *self, const struct row *row, const size_t *column, struct error *err)
{
    struct jobs *j = self;
    const char *state = row->cell[column[C_STATE]].text;
    bool ended = !strcmp(state, "completed") || !strcmp(state, "failed") || !strcmp(state, "cancelled");
    struct queue_view *q = queue_of(j->view, row->cell[column[C_QUEUE]].text, row->cell[column[C_QUEUE]].length);
    q->jobs++;
    for (size_t i = 0; i < j->view->reasons; i++) {
        double waited;
        if (result_number(row, j->reason_column[i], &waited, err))
            return -1;
        q->wait_s[i] += isnan(waited) ? 0 : waited;
    }
    for (size_t d = 0; d < DISTRIBUTIONS && ended; d++) {
        double value;
        if (result_number(row, column[C_VALUES + d], &value, err))
            return -1;
        add(&j->view->sorted[d], value);
    }
    return 0;
}

int read_jobs(struct run_view *v, struct error *err)
{
    static const struct result_file file = { "jobs.csv", wanted, on_row, on_header };
    struct jobs jobs = { .view = v };
    int result = result_file_read(v->path, &file, &jobs, err);
    v->no_jobs = result == 1;
    return result < 0 ? -1 : 0;
}
