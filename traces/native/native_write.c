/* native_write.c - see native.h: each job's rows, in the columns of native_columns.h that some job needs. */
#include "traces/formats/columns.h"
#include "traces/native/native.h"
#include "traces/native/native_columns.h"

static const struct native_column *const lists[] = { native_size, native_terms, native_place, native_work };
enum { LISTS = sizeof lists / sizeof *lists };

void native_put_gib(struct output *o, int64_t mib)
{
    enum { DIGITS = 10 }; /* 1/1024 has ten decimals */
    char text[DIGITS + 1] = ".";
    int64_t rest = mib % MIB_PER_GIB * 9765625;
    size_t n = 1 + DIGITS;
    out_integer(o, mib / MIB_PER_GIB);
    if (!rest)
        return;
    for (size_t i = DIGITS; i > 0; i--, rest /= 10)
        text[i] = (char)('0' + rest % 10);
    while (text[n - 1] == '0')
        n--;
    out_bytes(o, text, n);
}

static uint32_t times(const struct request *r)
{
    return r->tasks == SPLIT_ANY ? r->gpus : r->tasks;
}

static bool is_inner(const struct job_facts *f, uint32_t g)
{
    for (uint32_t i = g + 1; i < f->n_groups; i++)
        if (f->group[i].parent == g)
            return true;
    return false;
}

/* Calls `row` for each row of the job: one for each run, groups in their order; inner ones have a row if they have a level.
 * Stops when it returns -1. */
static int each_row(const struct workload *w, job_id j, int (*row)(void *self, const struct native_row *job), void *self)
{
    const struct job_facts *f = &w->facts[j];
    const struct request *r = f->ask;
    struct native_row job = { w, f, &w->truth[j], r, NULL, false };
    for (uint32_t g = 0; g < f->n_groups; g++) {
        job.group = &f->group[g];
        job.inner = is_inner(f, g);
        if (job.inner && native_has_level(&job) && row(self, &job) != 0)
            return -1;
        for (; !job.inner && r && r->group == g; r = r->next) {
            job.ask = r;
            if (row(self, &job) != 0)
                return -1;
        }
    }
    for (; !f->n_groups && r; r = r->next) {
        job.ask = r;
        if (row(self, &job) != 0)
            return -1;
    }
    return 0;
}

struct writing {
    struct output *o;
    struct error *err;
    const struct native_column *column[LISTS * NATIVE_LIST_MOST];    /* all; once every row was looked at, those that are used */
    bool used[LISTS * NATIVE_LIST_MOST];
    size_t n;
};

static void list_columns(struct writing *t)
{
    for (size_t l = 0; l < LISTS; l++)
        for (size_t k = 0; k < NATIVE_LIST_MOST && lists[l][k].name; k++)
            t->column[t->n++] = &lists[l][k];
}

static void keep_used(struct writing *t)
{
    size_t kept = 0;
    for (size_t k = 0; k < t->n; k++)
        if (t->used[k])
            t->column[kept++] = t->column[k];
    t->n = kept;
}

static int look_at_row(void *self, const struct native_row *j)
{
    struct writing *t = self;
    for (size_t k = 0; k < t->n; k++)
        t->used[k] = t->used[k] || t->column[k]->has(j);
    if (run_gpus(j->ask) <= GPUS_MAX && times(j->ask) <= TASKS_MAX)
        return 0;
    return error_set(t->err, "job '%.100s': want at most %d GPUs and %d tasks in a native trace", j->truth->name, GPUS_MAX,
                     TASKS_MAX);
}

static int put_row(void *self, const struct native_row *j)
{
    const struct writing *t = self;
    struct output *o = t->o;
    out_csv(o, j->truth->name);
    out_char(o, ',');
    out_seconds(o, j->facts->submit_ns);
    out_char(o, ',');
    out_seconds(o, j->truth->duration_ns);
    out_char(o, ',');
    out_integer(o, j->inner ? 0 : run_gpus(j->ask));
    for (size_t k = 0; k < t->n; k++) {
        out_char(o, ',');
        if (t->column[k]->has(j))
            t->column[k]->put(o, j);
    }
    out_char(o, '\n');
    return 0;
}

int native_write(struct output *o, const struct workload *w, struct error *err)
{
    struct writing t = { .o = o, .err = err };
    if (w->n_on_demand)
        return error_set(err, "a trace cannot tell what a run itself submits, such as sessions: want the workload file itself, with 'gpuyard run -t'");
    list_columns(&t);
    for (job_id j = 0; j < w->n_jobs; j++)
        if (each_row(w, j, look_at_row, &t) != 0)
            return -1;
    keep_used(&t);
    out_text(o, "job_id,submit_s,duration_s,gpus");
    for (size_t k = 0; k < t.n; k++) {
        out_char(o, ',');
        out_text(o, t.column[k]->name);
    }
    out_char(o, '\n');
    for (job_id j = 0; j < w->n_jobs; j++)
        each_row(w, j, put_row, &t);
    return 0;
}
