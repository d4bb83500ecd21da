/* test_meta_limits.c - limits of queues, under every policy and placer: no queue ever holds more than its limit, and the policy
 * asks for nothing that the world refuses for it; limits that cannot bind change nothing; and a queue at its limit holds no
 * other up: where there is room for all limits at once, each queue plays as if alone. */
#include "tests/metamorphic/meta_property.h"

/* ---- Nothing over a limit ---- */

/* p->v has the limits that are checked, p->w those that are played. Jobs that are stopped are gone at once, so that what the
 * intervals show is what the queues hold. */
static void make_limits(struct meta_pair *p, uint64_t seed)
{
    struct random r;
    random_init(&r, seed, "limits", 0);
    p->w = meta_random(seed);
    p->w.overhead.save_ns = p->w.overhead.grace_ns = 0;
    for (size_t q = 0; q < p->w.n_queues; q++) {
        struct quota *quota = &p->w.queue[q].facts.quota;
        if (meta_chance(&r, 80))
            quota->limit.gpu_milli = MILLI_ALL * meta_draw(&r, 0, 12);
        if (meta_chance(&r, 20))
            quota->limit.cpu_milli = 1000 * meta_draw(&r, 0, 40);
        if (quota->limit.gpu_milli != UNLIMITED && meta_chance(&r, 80))
            quota->deserved.gpu_milli = quota->limit.gpu_milli;
        else if (quota->limit.gpu_milli != UNLIMITED)
            quota->deserved.gpu_milli = 0;
    }
    p->v = p->w;
}

static void spoil_limits(struct meta_pair *p)
{
    const struct amount any = { UNLIMITED, UNLIMITED, UNLIMITED };
    for (size_t q = 0; q < p->w.n_queues; q++)
        p->w.queue[q].facts.quota = (struct quota){ any, any };    /* some policies have bounds of their own */
}

struct change { int64_t time_ns; int64_t gpu_milli, cpu_milli; uint32_t queue; size_t job; };

/* What is given back goes before what is taken. */
static int by_change(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return (x->gpu_milli + x->cpu_milli > y->gpu_milli + y->cpu_milli) - (x->gpu_milli + x->cpu_milli < y->gpu_milli + y->cpu_milli);
}

static struct change change_of(const struct meta_pair *p, const struct meta_run *run, const struct meta_hold *h, int sign)
{
    size_t j = run->place[h->job];
    const struct meta_job *job = &p->w.job[j];
    struct change c = { sign > 0 ? h->start_ns : h->end_ns, 0, 0, job->queue, j };
    for (size_t i = 0; i < h->pieces->n; i++) {
        const struct piece *piece = &h->pieces->piece[i];
        c.gpu_milli += sign * (int64_t)piece->gpus * piece->milli;
        /* of a job with tasks: for each; else of the job, which is rounded up to whole thousandths a GPU */
        c.cpu_milli += sign * (job->tasks ? job->cpu_milli : (job->cpu_milli + job->gpus - 1) / job->gpus * piece->gpus);
    }
    return c;
}

static bool above(int64_t held, int64_t limit)
{
    return limit != UNLIMITED && held > limit;
}

static size_t limit_broken(const struct meta_pair *p, const struct meta_run *a, const struct meta_run *b, int64_t *want_ns,
                           int64_t *got_ns)
{
    (void)b;
    int64_t gpu_milli[3] = { 0 }, cpu_milli[3] = { 0 };
    struct change *all = calloc(2 * a->n_holds + 1, sizeof *all);
    size_t n = 0, found = run_refused(&a->totals, SCHED_OVER_LIMIT) ? 0 : ID_NONE;
    for (size_t i = 0; i < a->n_holds; i++) {
        if (a->hold[i].start_ns == a->hold[i].end_ns)
            continue;
        all[n++] = change_of(p, a, &a->hold[i], 1);
        all[n++] = change_of(p, a, &a->hold[i], -1);
    }
    qsort(all, n, sizeof *all, by_change);
    for (size_t i = 0; i < n && found == ID_NONE; i++) {
        const struct amount *limit = &p->v.queue[all[i].queue].facts.quota.limit;
        gpu_milli[all[i].queue] += all[i].gpu_milli;
        cpu_milli[all[i].queue] += all[i].cpu_milli;
        if (!above(gpu_milli[all[i].queue], limit->gpu_milli) && !above(cpu_milli[all[i].queue], limit->cpu_milli))
            continue;
        *want_ns = limit->gpu_milli * (NS_PER_S / MILLI_ALL), *got_ns = gpu_milli[all[i].queue] * (NS_PER_S / MILLI_ALL);
        found = all[i].job;
    }
    free(all);
    return found;
}

/* ---- Limits that cannot bind ---- */

static void make_wide(struct meta_pair *p, uint64_t seed)
{
    p->w = meta_random(seed);
    p->v = p->w;
    for (size_t q = 0; q < p->v.n_queues; q++)
        if (p->v.queue[q].facts.quota.deserved.gpu_milli != UNLIMITED)
            p->v.queue[q].facts.quota.limit.gpu_milli = INT64_C(100000) * MILLI_ALL;
}

static void spoil_wide(struct meta_pair *p)
{
    for (size_t q = 0; q < p->v.n_queues; q++)
        p->v.queue[q].facts.quota = (struct quota){ { 0, UNLIMITED, UNLIMITED }, { 1, UNLIMITED, UNLIMITED } };
}

/* Of two shapes that as many jobs ask for these placers take the first for the more typical. */
static bool counts_no_shapes(const struct meta_combo *c)
{
    return !(c->placer->needs & SEES_TYPICAL);
}

/* ---- Side by side ---- */

/* One node that has what both queues may hold at once; what is stopped leaves at once, else more is taken than is held. */
static void make_apart(struct meta_pair *p, uint64_t seed)
{
    struct meta_world *w = &p->w;
    uint32_t each = 32 + (uint32_t)(seed % 5);
    *w = meta_uniform(seed, 1, 8);
    w->group[0] = meta_group("big", 1, 2 * each + 1);
    w->overhead.save_ns = w->overhead.grace_ns = 0;
    w->n_queues = 2;
    for (uint32_t q = 0; q < 2; q++) {
        w->queue[q] = meta_queue(q ? "b" : "a");
        w->queue[q].facts.quota = (struct quota){ { each * INT64_C(1000), UNLIMITED, UNLIMITED }, { each * INT64_C(1000), UNLIMITED, UNLIMITED } };
    }
    size_t half = w->n_jobs / 2;
    for (size_t i = 0; i < w->n_jobs; i++) {
        w->job[i].queue = (uint32_t)((i >= half) ^ (seed & 1));
        w->job[i].submit /= 4;          /* so that the limits bind */
    }
    p->v = *w;
    p->v.n_jobs = half;
}

static void spoil_apart(struct meta_pair *p)
{
    p->w.group[0].gpus = p->v.group[0].gpus = 65;
    for (size_t q = 0; q < 2; q++)
        p->w.queue[q].facts.quota.limit.gpu_milli = p->v.queue[q].facts.quota.limit.gpu_milli = UNLIMITED;
}

/* Not those that learn from all jobs, weigh one queue against the other, or try again whenever anything is released. */
/* slurm: a head without room blocks its partition for the jobs of all queues, and passes are shared. */
static bool queues_are_apart(const struct meta_combo *c)
{
    static const char *const not[] = { "gittins", "themis", "kube", "gang", "static", "quota", "cohort", "slurm" };
    for (size_t i = 0; i < sizeof not / sizeof *not; i++)
        if (meta_policy_is(c, not[i]))
            return false;
    return !meta_remembers(c) && strcmp(c->placer->name, "random");
}

int main(void)
{
    static const struct meta_row rows[] = {
        { "no queue holds more than its limit", 6, make_limits, meta_any, NULL, limit_broken, spoil_limits },
        { "limits that cannot bind change nothing", 4, make_wide, counts_no_shapes, NULL, meta_starts_differ, spoil_wide },
        { "a queue at its limit holds no other up", 4, make_apart, queues_are_apart, NULL, meta_starts_differ, spoil_apart },
    };
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, meta_holds, rows);
    ADD_ROWS(tests, n, meta_spoilt_is_noticed, rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
