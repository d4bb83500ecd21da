/* router.c - see router.h. */
#include "sim/federation/router.h"

#include "sim/base/memory.h"
#include "sim/workload/requests.h"

#include <stdlib.h>

struct ended { uint64_t n; int128_t run_ns; };
struct part { struct router *router; uint32_t number; int64_t coming_milli; struct ended ended; };
struct router {
    const struct federation *of;
    uint8_t *owner;               /* [jobs] */
    struct ended ended;           /* anywhere */
    struct part part[FEDERATION_MEMBERS_MAX];
};
_Static_assert(FEDERATION_MEMBERS_MAX <= UINT8_MAX, "an owner is a byte");

struct router *router_new(const struct federation *f, uint32_t n_jobs)
{
    struct router *r = mem_new(1, sizeof *r);
    r->of = f;
    r->owner = mem_new(n_jobs, sizeof *r->owner);
    for (uint32_t i = 0; i < f->n; i++)
        r->part[i] = (struct part){ .router = r, .number = i };
    return r;
}

void router_free(struct router *r)
{
    if (!r)
        return;
    free(r->owner);
    free(r);
}

uint32_t router_member(const struct router *r, job_id j)
{
    return r->owner[j];
}

/* ---- Hooks of a member ---- */

static bool takes(void *self, job_id j)
{
    const struct part *p = self;
    return p->router->owner[j] == p->number;
}

static void has_ended(void *self, job_id j, int64_t run_ns)
{
    struct part *p = self;
    (void)j;
    struct ended *both[] = { &p->ended, &p->router->ended };
    for (size_t i = 0; i < 2; i++) {
        both[i]->n++;
        both[i]->run_ns += run_ns;
    }
}

struct run_part router_part(struct router *r, uint32_t member)
{
    return (struct run_part){ .self = &r->part[member], .takes = takes, .ended = has_ended };
}

/* ---- Deciding ---- */

static struct ended known(const struct router *r, const struct part *p)
{
    return p->ended.n ? p->ended : r->ended.n ? r->ended : (struct ended){ 1, r->of->first_run_ns };
}

static const struct request *ask_there(const struct sched *member, job_id j)
{
    return run_setup_of(member)->workload->facts[j].ask;
}

int64_t router_expected_wait_ns(const struct router *r, const struct sched *member, uint32_t number, job_id j)
{
    const struct part *p = &r->part[number];
    struct run_level now = run_level(member);
    int64_t all = run_setup_of(member)->cluster->gpus * MILLI_ALL, free_milli = all - now.gpus_milli;
    int64_t own = request_gpu_milli(ask_there(member, j)), over = now.waiting_milli + p->coming_milli + own - free_milli;
    if (now.waiting == 0 && over <= 0)
        return 0;
    struct ended of = known(r, p);
    int128_t ns = (over > own ? over : own) * of.run_ns / ((int128_t)of.n * (all ? all : 1));
    return ns < TIME_NEVER ? (int64_t)ns : TIME_NEVER - 1;
}

static uint32_t by_wait(const struct router *r, struct sched *const *member, job_id j)
{
    bool spill = r->of->route == ROUTE_SPILL;
    uint32_t to = ID_NONE, last = (uint32_t)r->of->n - 1;
    int64_t least_ns = TIME_NEVER;
    for (uint32_t i = 0; i < r->of->n; i++) {
        if (run_never(member[i], ask_there(member[i], j)->shape))
            continue;
        int64_t ns = router_expected_wait_ns(r, member[i], i, j);
        if (spill && ns <= r->of->limit_ns)
            return i;
        if (spill || ns < least_ns) {
            to = i;
            least_ns = ns;
        }
    }
    return to != ID_NONE ? to : spill ? last : 0;
}

static uint32_t decide(const struct router *r, struct sched *const *member, job_id j)
{
    const struct run_setup *first = run_setup_of(member[0]);
    if (r->of->route == ROUTE_QUEUE)
        return federation_member_of(r->of, first->cluster->queue[first->workload->facts[j].queue].name);
    return by_wait(r, member, j);
}

/* ---- Playing ---- */

static int all_until(struct router *r, struct sched *const *member, int64_t time_ns, struct error *err)
{
    int result = 0;
    for (size_t i = 0; i < r->of->n && result == 0; i++) {
        r->part[i].coming_milli = 0;
        result = run_until(member[i], time_ns, err);
    }
    return result;
}

static int end_together(const struct router *r, struct sched *const *member, struct error *err)
{
    int64_t end_ns = 0;
    int result = 0;
    for (size_t i = 0; i < r->of->n; i++) {
        int64_t now_ns = run_level(member[i]).now_ns;
        end_ns = now_ns > end_ns ? now_ns : end_ns;
    }
    for (size_t i = 0; i < r->of->n && result == 0; i++)
        result = run_end(member[i], end_ns, err);
    return result;
}

int router_execute(struct router *r, struct sched *const *member, struct error *err)
{
    const struct run_setup *first = run_setup_of(member[0]);
    const struct workload *w = first->workload;
    int64_t played_ns = -1;
    int result = 0;
    for (job_id j = 0; j < w->n_jobs && result == 0; j++) {
        int64_t at_ns = w->facts[j].submit_ns;
        if (first->until_ns && at_ns > first->until_ns)
            break;
        if (at_ns > played_ns)
            result = all_until(r, member, at_ns, err);
        played_ns = at_ns;
        if (result == 0) {
            uint32_t to = decide(r, member, j);
            r->owner[j] = (uint8_t)to;
            if (!run_never(member[to], ask_there(member[to], j)->shape))
                r->part[to].coming_milli += request_gpu_milli(ask_there(member[to], j));
        }
    }
    if (result == 0)
        result = all_until(r, member, TIME_NEVER, err);
    return result ? result : end_together(r, member, err);
}

int router_check(const struct federation *f, const struct cluster *first, const struct workload *w, struct error *err)
{
    if (w->n_on_demand || w->services || w->sessions)
        return error_set(err, "%s: a federation routes jobs that arrive by time, want no services or sessions in the trace", f->path);
    if (w->depends_first)
        return error_set(err, "%s: jobs of the trace depend on others, which may be routed elsewhere: want none that do", f->path);
    if (w->n_running)
        return error_set(err, "%s: jobs of the trace run already, where a member is not known: want none that do", f->path);
    for (job_id j = 0; j < w->n_jobs; j++)
        if (workload_extra(w, j)->promised)
            return error_set(err,
                             "%s: jobs of the trace have promised_on, where a member is not known: "
                             "want none that do",
                             f->path);
    for (job_id j = 0; f->route == ROUTE_QUEUE && j < w->n_jobs; j++) {
        const char *queue = first->queue[w->facts[j].queue].name;
        if (federation_member_of(f, queue) == ID_NONE)
            return error_set(err, "%s: queues: the trace has jobs in queue '%s': want it there, or others", f->path, queue);
    }
    return 0;
}
