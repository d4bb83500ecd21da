/* snapshot.c - see snapshot.h. */
#include "sim/run/snapshot.h"
#include "sim/engine/dependencies.h"
#include "sim/engine/models.h"
#include "sim/engine/overhead.h"
#include "sim/engine/state.h"
#include "sim/scheduler/sizes.h"
#include "sim/workload/record.h"

#include <stdlib.h>
#include <string.h>

struct taking {
    struct sched *s;
    struct snapshot *to;
    job_id *number;               /* [jobs of the run] its number there; ID_NONE: it is not in it */
    size_t n_dependencies, on_room, how_room;
    const job_id *before;         /* the job with the turn before: of those that run one at a time;
                                     NULL: none do */
};

/* ---- Where a job is ---- */

static const struct placement *occupied(const struct sched *s, const struct live *l)
{
    if (l->leaving)
        return l->leaving;
    return s->job[l->job].state == JOB_CLAIMED ? NULL : l->now.held;
}

/* Tasks alike are named anew, from the first on; of a chain of runs that cannot be. */
static int check_pieces(const struct sched *s, job_id j, const struct placement *p, struct error *err)
{
    const struct request *ask = ask_of(s, j);
    const char *name = s->workload->truth[j].name;
    uint32_t gpus = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        gpus += p->piece[i].gpus;
        if (ask->next && p->piece[i].task != i)
            return error_set(err, "snapshot: job '%.100s' holds some of its tasks but not the first of them, which a trace cannot say", name);
    }
    if (ask->tasks == SPLIT_ANY ? gpus != ask->gpus : p->n > request_tasks(ask))
        return error_set(err, "snapshot: job '%.100s' holds another number of GPUs than its usual one, which a trace cannot say", name);
    return 0;
}

static void say_where(struct workload *w, struct job_running *r, const struct placement *p)
{
    r->n = (uint32_t)p->n;
    r->on = arena_alloc(w->memory, p->n * sizeof *r->on);
    for (size_t i = 0; i < p->n; i++)
        r->on[i] = (struct held_at){ p->piece[i].node, p->piece[i].gpus, p->piece[i].gpu_mask };
}

/* ---- For how long it has run, so that running.c makes the same of it ---- */

static int64_t ran_ns(struct taking *t, const struct live *l)
{
    struct sched *s = t->s;
    int64_t start_ns = start_expected_ns(s, l->job, true), to_start_ns = l->progress.since_ns - s->now_ns;
    int64_t done_ns = job_done_ns(s, l), said_ns = start_ns - to_start_ns;
    double rate = tasks_rate(s, l);
    if (to_start_ns <= 0)
        said_ns = start_ns + (int64_t)((double)done_ns / rate + .5);
    bool alike = said_ns >= 0 && (to_start_ns > 0 || (int64_t)((double)(said_ns - start_ns) * rate) == done_ns);
    t->to->moved += !alike || said_ns != s->now_ns - l->last_start_ns;
    return said_ns > 0 ? said_ns : 0;
}

static int64_t leaves_ns(const struct live *l)
{
    int64_t time_ns = l->leaving_since_ns;
    for (unsigned a = 0; a < HELD_ACCOUNTS; a++)
        time_ns += l->split[a];
    return time_ns;
}

static int take_place(struct taking *t, const struct live *l, struct job_truth *truth,
                      uint32_t *running, struct error *err)
{
    struct sched *s = t->s;
    struct workload *w = &t->to->workload;
    const struct placement *p = occupied(s, l);
    if (!p)
        return 0;
    if (check_pieces(s, l->job, p, err))
        return -1;
    struct job_running *r = &w->running[w->n_running++];
    *r = (struct job_running){ .ran_ns = 0, .leaving_ns = -1, .file = "snapshot" };
    say_where(w, r, p);
    *running = w->n_running;
    if (l->leaving) {
        r->leaving_ns = leaves_ns(l) - s->now_ns;
        r->ran_ns = s->now_ns - l->last_start_ns;
        if (l->cancelled || l->given_up) {
            truth->duration_ns = 0;
            truth->fate = l->cancelled ? FATE_CANCELLED : FATE_FAILED;
        }
    } else if (s->job[l->job].state == JOB_RUNNING) {
        r->ran_ns = ran_ns(t, l);
    }
    return 0;
}

/* ---- A job ---- */

static int64_t later_by(int64_t time_ns, int64_t shift_ns)    /* what is past is now */
{
    return time_ns == TIME_NEVER ? TIME_NEVER : time_ns > shift_ns ? time_ns - shift_ns : 0;
}

static void count_untold(struct taking *t, const struct live *l)
{
    const struct overhead *p = job_overhead(t->s, l->job);
    bool waits = !occupied(t->s, l) || l->leaving;
    t->to->restarted += waits && has_started(t->s, l->job) && p->start_ns != p->restart_ns;
    t->to->suspended += l->suspended != NULL;
    t->to->parts += l->part != NULL;
}

/* It may be requeued as often as it still may here. */
static void take_requeues(struct taking *t, const struct live *l, struct job_extra *extra)
{
    const struct workload *w = &t->to->workload;
    struct own_overhead own = OWN_OVERHEAD_NONE;
    int64_t most_stops = job_overhead(t->s, l->job)->most_stops;
    if (!l->requeues || !most_stops)
        return;
    if (extra->overhead)
        own = workload_overhead(w, extra->overhead);
    own.most_stops = most_stops - l->requeues;
    extra->overhead = intern_add(w->overheads, (const char *)&own, sizeof own) + 1;
}

/* When the log says that it starts, if it has not started by then. */
static void take_record(struct taking *t, job_id j, const struct job_facts *facts,
                        struct job_extra *extra)
{
    int64_t start_ns = record_start_ns(t->s->workload, j);
    if (extra->running)
        extra->record = 0;
    if (extra->record)
        t->to->workload.record[extra->record - 1].wait_ns =
            later_by(start_ns, t->s->now_ns) - facts->submit_ns;
}

static int take_job(struct taking *t, job_id j, struct error *err)
{
    struct sched *s = t->s;
    struct workload *w = &t->to->workload;
    const struct live *l = live_of(s, j);
    struct job_facts *facts = &w->facts[w->n_jobs];
    struct job_truth *truth = &w->truth[w->n_jobs];
    *facts = s->workload->facts[j];
    *truth = s->workload->truth[j];
    facts->submit_ns = later_by(facts->submit_ns, s->now_ns);
    facts->deadline_ns = later_by(facts->deadline_ns, s->now_ns);
    struct job_extra extra = *workload_extra(s->workload, j);
    extra.running = 0;
    t->number[j] = w->n_jobs++;
    int result = 0;
    if (l) {
        extra.promised = 0;      /* what was promised before was decided again */
        truth->duration_ns = job_left_ns(s, l);
        truth->estimate_ns = job_estimate_ns(s, j);
        count_untold(t, l);
        take_requeues(t, l, &extra);
        result = take_place(t, l, truth, &extra.running, err);
    }
    take_record(t, j, facts, &extra);
    truth->extra = workload_extra_add(w, &extra);
    return result;
}

static void take_dependency(struct taking *t, job_id on, uint8_t how)
{
    struct workload *w = &t->to->workload;
    bool started = depends_how(how) == AFTER_START && has_started(t->s, on);
    if (t->number[on] == ID_NONE || started)
        return;
    mem_grow(&w->depends_on, &t->on_room, t->n_dependencies, sizeof *w->depends_on);
    mem_grow(&w->depends_how, &t->how_room, t->n_dependencies, sizeof *w->depends_how);
    w->depends_how[t->n_dependencies] = how;
    w->depends_on[t->n_dependencies++] = t->number[on];
}

/* On those that are still to end. A turn of one at a time comes after that of every job before it, as one of these may run, and a
 * running job has no dependencies but its place among several. */
static void take_dependencies(struct taking *t, job_id j)
{
    const struct workload *from = t->s->workload;
    t->to->workload.depends_first[t->number[j]] = (uint32_t)t->n_dependencies;
    if (from->turn)
        t->to->workload.turn[t->number[j]] = from->turn[j].most > 1 ? from->turn[j] : (struct own_turn){ ID_NONE, 0 };
    if (!dependencies_unmet(t->s, j))
        return;                   /* an alternative was met */
    for (uint32_t i = from->depends_first[j]; i < from->depends_first[j + 1]; i++)
        take_dependency(t, from->depends_on[i], from->depends_how[i]);
    for (job_id k = t->before ? t->before[j] : ID_NONE; k != ID_NONE; k = t->before[k])
        take_dependency(t, k, AFTER_ANY);
}

/* ---- All of it ---- */

static void make_room(struct snapshot *n, const struct sched *s)
{
    const struct workload *from = s->workload;
    struct workload *w = &n->workload;
    *w = *from;
    w->memory = arena_new();
    w->n_jobs = w->n_running = 0;
    w->facts = bulk_resize(NULL, from->n_jobs, sizeof *w->facts, workload_resident(from, sizeof *w->facts));
    w->truth = bulk_resize(NULL, from->n_jobs, sizeof *w->truth, workload_resident(from, sizeof *w->truth));
    workload_extras_begin(w);
    w->running = mem_new(s->n_live + 1, sizeof *w->running);
    w->record = mem_new(from->n_records + (size_t)1, sizeof *w->record);
    if (from->n_records)
        memcpy(w->record, from->record, from->n_records * sizeof *w->record);
    w->queue_names = intern_new();
    for (queue_id q = 0; q < s->cluster->n_queues; q++)      /* facts.queue is a queue of the cluster */
        intern_add(w->queue_names, s->cluster->queue[q].name, strlen(s->cluster->queue[q].name));
    w->overheads = intern_new();
    for (uint32_t i = 0; i < intern_count(from->overheads); i++)
        intern_add(w->overheads, intern_text(from->overheads, i), sizeof(struct own_overhead));
    if (!from->depends_first)
        return;
    w->depends_first = mem_new(from->n_jobs + (size_t)1, sizeof *w->depends_first);
    w->depends_on = NULL;
    w->depends_how = NULL;
    if (from->turn)
        w->turn = mem_new(from->n_jobs, sizeof *w->turn);
}

static int take_all(struct taking *t, struct error *err)
{
    const struct sched *s = t->s;
    struct workload *w = &t->to->workload;
    for (job_id j = 0; j < s->workload->n_jobs; j++) {
        t->number[j] = ID_NONE;
        if (s->job[j].state != JOB_GONE && !dependencies_never(s, j) && take_job(t, j, err))
            return -1;
    }
    for (job_id j = 0; w->depends_first && j < s->workload->n_jobs; j++)
        if (t->number[j] != ID_NONE)
            take_dependencies(t, j);
    if (w->depends_first)
        w->depends_first[w->n_jobs] = (uint32_t)t->n_dependencies;
    if (!w->n_jobs)
        return error_set(err, "snapshot: no job is left at %.15g s", seconds(s->now_ns));
    return 0;
}

struct snapshot *snapshot_make(struct sched *s, int64_t time_ns, struct error *err)
{
    struct snapshot *n = mem_new(1, sizeof *n);
    job_id *before = workload_before(s->workload);
    struct taking t = { .s = s, .to = n, .number = mem_new(s->workload->n_jobs, sizeof *t.number), .before = before };
    int64_t now_ns = s->now_ns;
    size_t unsaved = 0, length;
    if (s->workload->n_on_demand) {
        error_set(err, "snapshot: replicas of services and sessions come and go in the run, which a trace cannot say");
        free(t.number);
        free(before);
        free(n);
        return NULL;
    }
    make_room(n, s);
    for (hook_walk i = HOOKED(s, unsaved); i; hook_next(&i))
        n->unsaved[unsaved++] = hooked(s, i)->unsaved;
    for (hook_walk i = HOOKED(s, unsaved_of); i; hook_next(&i)) {
        n->unsaved[unsaved] = hooked(s, i)->unsaved_of(s);
        unsaved += n->unsaved[unsaved] != NULL;
    }
    FILE *options = mem_stream(&n->options, &length);
    s->now_ns = time_ns;          /* what is asked for is asked as of then; nothing is settled */
    int result = take_all(&t, err);
    for (hook_walk i = HOOKED(s, saved); i; hook_next(&i))
        hooked(s, i)->saved(s, options);
    mem_stream_end(options, &n->options);
    s->now_ns = now_ns;
    free(t.number);
    free(before);
    if (result == 0)
        return n;
    snapshot_free(n);
    return NULL;
}

void snapshot_free(struct snapshot *n)
{
    if (!n)
        return;
    struct workload *w = &n->workload;
    arena_free(w->memory);
    intern_free(w->queue_names);
    bulk_free(w->facts);
    bulk_free(w->truth);
    free(w->extra);
    free(w->running);
    free(w->record);
    free(w->depends_first);
    free(w->depends_on);
    free(w->depends_how);
    free(w->turn);
    intern_free(w->overheads);
    free(n->options);
    free(n);
}
