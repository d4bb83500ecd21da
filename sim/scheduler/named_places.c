/* named_places.c - see named_places.h. */
#include "sim/scheduler/named_places.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/closed/reserved.h"
#include "sim/workload/record.h"

#include <inttypes.h>

static uint32_t gpus_at(const struct request *ask, uint32_t n, const struct held_at *at)
{
    return at->gpus || (ask->tasks == SPLIT_ANY && n > 1) ? at->gpus : ask->gpus;
}

/* The run of task i. */
static const struct request *run_of(const struct request *ask, uint32_t i)
{
    return ask->next ? request_of_task(ask, i) : ask;
}

/* ---- At the bind: checks that do not depend on what is free ---- */

/* A list of names, with its place in the trace. */
struct named {
    const char *column, *file;
    size_t line;
    const struct held_at *on;
    uint32_t n;
};

/* GPUs of a node that the request may use, if all are free. */
static uint32_t gpus_for(const struct cluster *c, const struct request *ask, node_id n)
{
    const struct node_kind *kind = &c->kind[c->kind_of[n]];
    uint32_t most = 0;
    for (uint32_t part = 0; part < kind->parts; part++)
        if (placing_has_slots(ask, &kind[part], cluster_node_type(c, n)) && kind[part].gpus > most)
            most = kind[part].gpus;
    return most;
}

static int check_part(const struct cluster *c, const struct request *ask, const struct named *r,
                      const struct held_at *at, struct error *err)
{
    uint32_t gpus = gpus_at(ask, r->n, at);
    if (at->node >= c->n_nodes)
        return error_set(err, "%s:%zu: %s: want nodes from 0 to %u, got %u", r->file, r->line,
                         r->column, c->n_nodes - 1, at->node);
    const struct node_type *t = cluster_node_type(c, at->node);
    if (gpus > gpus_for(c, ask, at->node) || (at->gpu_mask && !t->counted && t->gpus < 64 && at->gpu_mask >> t->gpus))
        return error_set(err, "%s:%zu: %s: want GPUs that node %u has for it, which has %u", r->file,
                         r->line, r->column, at->node, gpus_for(c, ask, at->node));
    if (at->gpu_mask && t->counted)
        return error_set(err,
                         "%s:%zu: %s: want no names of GPUs on node %u, which only counts them: xN",
                         r->file, r->line, r->column, at->node);
    if (ask->tasks != SPLIT_ANY && gpus != ask->gpus)
        return error_set(err, "%s:%zu: %s: want the %u GPUs of a task on node %u, got %u", r->file,
                         r->line, r->column, ask->gpus, at->node, gpus);
    return 0;
}

static int check_named(const struct cluster *c, const struct request *ask, const struct named *r,
                       struct error *err)
{
    uint64_t sum = 0;
    if (ask->tasks != SPLIT_ANY && r->n > request_tasks(ask))
        return error_set(err, "%s:%zu: %s: want at most its %u tasks, got %u", r->file, r->line,
                         r->column, request_tasks(ask), r->n);
    for (uint32_t i = 0; i < r->n; i++) {
        if (check_part(c, run_of(ask, i), r, &r->on[i], err))
            return -1;
        sum += gpus_at(run_of(ask, i), r->n, &r->on[i]);
    }
    if (ask->tasks == SPLIT_ANY && sum != ask->gpus)
        return error_set(err, "%s:%zu: %s: want its %u GPUs, got %" PRIu64, r->file, r->line,
                         r->column, ask->gpus, sum);
    return 0;
}

/* The log tells where a job ran, so of all that it needs: a part of its tasks is no place to start. */
static int check_whole(const struct job_facts *f, const struct record_place *was, struct error *err)
{
    uint32_t least = f->n_groups ? request_tasks(f->ask) : f->min_tasks;
    if (f->ask->tasks == SPLIT_ANY || was->n >= least)
        return 0;
    return error_set(err, "%s:%zu: recorded_on: want a place for at least %u of its %u tasks, got %u",
                     was->file, was->line, least, request_tasks(f->ask), was->n);
}

int named_places_check(const struct cluster *c, const struct workload *w, struct error *err)
{
    for (job_id j = 0; (w->n_running || w->n_record_places) && j < w->n_jobs; j++) {
        const struct request *ask = w->facts[j].ask;
        const struct record_place *was = record_place(w, j), *kept = promised_place(w, j);
        uint32_t running = workload_extra(w, j)->running;
        const struct job_running *is = running ? &w->running[running - 1] : NULL;
        struct named now = { .column = "running_on" }, then = { .column = "recorded_on" },
                     soon = { .column = "promised_on" };
        if (is)
            now = (struct named){ now.column, is->file, is->line, is->on, is->n };
        if (was)
            then = (struct named){ then.column, was->file, was->line, was->on, was->n };
        if (kept)
            soon = (struct named){ soon.column, kept->file, kept->line, kept->on, kept->n };
        if ((kept && check_named(c, ask, &soon, err) != 0) ||
            (is && check_named(c, ask, &now, err) != 0) ||
            (was && (check_named(c, ask, &then, err) != 0 || check_whole(&w->facts[j], was, err) != 0)))
            return -1;
    }
    return 0;
}

/* ---- In the run ---- */

const struct placement *named_place(struct sched *s, struct view *in, job_id j,
                                    const struct held_at *on, uint32_t n)
{
    struct request ask = job_request(s, j);
    struct builder *b = builder_begin(s, in, &ask);
    bool free = true;
    for (uint32_t i = 0; i < n && free; i++) {
        const struct request *run = run_of(&ask, i);
        uint32_t gpus = gpus_at(run, n, &on[i]);
        struct piece p = { .node = on[i].node,
                           .task = i,
                           .gpu_mask = on[i].gpu_mask,
                           .gpus = gpus,
                           .milli = gpus ? run->gpu_milli : 0 };
        free = on[i].gpu_mask ? builder_add(b, p)
                              : builder_add_some(b, run, i, on[i].node, gpus);
    }
    const struct placement *p = builder_take(b);
    return free ? p : NULL;
}

/* ---- Of policies ---- */

static bool sees_record(struct sched *s)
{
    bool sees = s->force->needs & SEES_RECORD;
    s->totals.sight_refused += !sees;
    return sees;
}

int64_t job_recorded_start_ns(struct sched *s, job_id j)
{
    return sees_record(s) ? record_start_ns(s->workload, j) : TIME_NEVER;
}

/* Not so on nodes of another queue, or that its labels do not suit. */
static bool may_be_on(struct sched *s, job_id j, const struct placement *where)
{
    struct request ask = job_request(s, j);
    bool may = true;
    for (size_t i = 0; i < where->n && may; i++)
        may = view_allows(s->idle, run_of(&ask, where->piece[i].task), where->piece[i].node);
    return may;
}

const struct placement *sched_place_recorded(struct sched *s, job_id j)
{
    const struct record_place *was = sees_record(s) ? record_place(s->workload, j) : NULL;
    const struct placement *where = was ? named_place(s, s->idle, j, was->on, was->n) : NULL;
    return where && may_be_on(s, j, where) &&
                   !reserved_denies(s, j, where, s->now_ns, s->now_ns + 1)
               ? where
               : NULL;
}

bool job_promised(const struct sched *s, job_id j)
{
    return promised_place(s->workload, j) && !has_started(s, j);
}

const struct placement *sched_place_promised(struct sched *s, job_id j)
{
    const struct record_place *kept = promised_place(s->workload, j);
    const struct placement *where = s->releasing && job_promised(s, j)
                                        ? named_place(s, s->releasing, j, kept->on, kept->n)
                                        : NULL;
    return where && may_be_on(s, j, where) ? where : NULL;
}
