/* entries.c - the queue of policy `slurm`: entries, priorities, their order, time limits. */
#include "policies/slurm/slurm.h"

#include <math.h>
#include <stdlib.h>

#define NS_IN_S       INT64_C(1000000000)
#define MINUTE_S      60
#define YEAR_S        (INT64_C(365) * 86400)
#define PRIORITY_MOST 4294967295.0
#define BASIC_FIRST   4294901760.0     /* src/plugins/priority/basic/priority_basic.c */

/* ---- Time limits ---- */

static int64_t whole_minutes_s(int64_t ns)
{
    int64_t minute_ns = MINUTE_S * NS_IN_S;
    return (ns / minute_ns + (ns % minute_ns > 0)) * MINUTE_S;
}

int64_t slurm_limit_s(const struct sched *s, const struct slurm *m, job_id j, uint32_t partition)
{
    const struct partition_facts *p = &m->partition[partition];
    struct job_site own = job_site(s, j);
    int64_t limit_ns = job_estimate_ns(s, j);
    if (limit_ns == TIME_NEVER)
        limit_ns = m->partition[own.n_partitions ? own.partition[0] : partition].default_time_ns;
    if (limit_ns == TIME_NEVER)
        limit_ns = p->max_time_ns;
    return limit_ns == TIME_NEVER ? YEAR_S : whole_minutes_s(limit_ns);
}

int64_t slurm_end_s(struct sched *s, job_id j)
{
    const struct slurm_job *own = job_own(s, j);
    return own->start_ns / NS_IN_S + own->limit_s;
}

bool slurm_reserves_nothing(struct sched *s, const struct slurm *m, const struct entry *e)
{
    const struct slurm_params *p = m->params;
    const struct slurm_job *own = job_own(s, e->job);
    return (p->bf_min_prio_reserve > 0 && e->priority < p->bf_min_prio_reserve) ||
           (p->bf_min_age_reserve > 0 &&
            (double)(sched_now(s) - own->eligible_ns) / (double)NS_IN_S < p->bf_min_age_reserve);
}

/* ---- Which partitions take it ---- */

/* The world refuses what could not be placed on the nodes of all its partitions together, however
 * many nodes it took. */
static void judge(struct sched *s, const struct slurm *m, job_id j)
{
    struct slurm_job *own = job_own(s, j);
    struct job_site site = job_site(s, j);
    for (uint32_t i = 0; i < site.n_partitions; i++) {
        uint32_t p = site.partition[i];
        /* of components the world looks at all orders, and Slurm at one */
        bool by_world = site.n_partitions == 1 && m->partition[p].max_nodes == UNLIMITED &&
                        !job_facts(s, j)->ask->next;
        if (by_world || slurm_could_hold(s, m, j, p))
            continue;
        if (!own->never)
            own->never = sched_alloc(s, (m->n_partitions / 64 + 1) * sizeof *own->never);
        set_add(own->never, p);
    }
    own->judged = true;
}

/* src/slurmctld/job_mgr.c, job_limits_check; what its nodes could not hold is never runnable there,
 * either (src/slurmctld/job_scheduler.c, _schedule: ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE). */
static bool partition_takes(struct sched *s, const struct slurm *m, job_id j, uint32_t partition)
{
    const struct partition_facts *p = &m->partition[partition];
    const struct slurm_job *own = job_own(s, j);
    return !p->down && !(own->never && set_has(own->never, partition)) &&
           (p->max_time_ns == TIME_NEVER ||
            slurm_limit_s(s, m, j, partition) <= whole_minutes_s(p->max_time_ns));
}

/* ---- Priorities ---- */

static double within_1(double x)
{
    return fmin(1, fmax(0, x));
}

/* The larger of nodes and CPUs first, or the smaller: S17 of the job size factor of
 * src/plugins/priority/multifactor/priority_multifactor.c, _get_size_prio. */
static double size_factor(struct sched *s, const struct slurm *m, job_id j)
{
    struct need need = slurm_need(s, j);
    double nodes = need.nodes / (double)m->n_nodes,
           cpus = (double)need.cpus * need.tasks / m->all_cpus,
           large = (within_1(nodes) + within_1(cpus)) / 2;
    return m->params->favor_small > 0 ? 1 - large : large;
}

double slurm_priority(struct sched *s, const struct batch *b, job_id j, const void *params)
{
    const struct slurm_params *p = params;
    const struct slurm *m = (const struct slurm *)b;
    const struct slurm_job *own = job_own(s, j);
    struct job_site site = job_site(s, j);
    uint32_t qos = slurm_qos(s, j);
    double age = within_1((b->at_s - (double)(own->eligible_ns - b->origin_ns) / (double)NS_IN_S) / p->max_age_s);
    if ((int)p->priority == PRIORITY_BASIC)
        return 0;
    return p->w_age * age + p->w_fairshare * batch_factor(b, s, j) +
           p->w_jobsize * size_factor(s, m, j) +
           (qos == ID_NONE || m->top_qos <= 0 ? 0 : p->w_qos * m->site->qos[qos].priority / m->top_qos) +
           (site.association == ID_NONE || m->top_association <= 0
                ? 0
                : p->w_assoc * m->site->association[site.association].priority / m->top_association) -
           (double)site.nice;
}

/* With the parts of the partition: its factor, and the GPUs asked for as a part of its own. */
static double priority_in(struct sched *s, const struct slurm *m, job_id j, uint32_t partition)
{
    const struct slurm_params *p = m->params;
    const struct slurm_job *own = job_own(s, j);
    if ((int)p->priority == PRIORITY_BASIC)
        return BASIC_FIRST - (double)j;          /* each has less than all before it */
    double factor = m->top_factor > 0 ? m->partition[partition].factor / m->top_factor : 0,
           gpus = m->partition_gpus[partition] > 0
                      ? (double)job_size(s, j).gpu_milli / MILLI_ALL / (double)m->partition_gpus[partition] : 0,
           sum = own->batch.priority + p->w_partition * factor + p->w_tres_gpu * gpus;
    return fmin(PRIORITY_MOST, fmax(1, floor(sum)));
}

/* ---- The order ---- */

struct ordered { struct entry entry; double tier; };

static int first_first(const void *left, const void *right)
{
    const struct ordered *a = left, *b = right;
    if (a->tier != b->tier)
        return a->tier > b->tier ? -1 : 1;
    if (a->entry.priority != b->entry.priority)
        return a->entry.priority > b->entry.priority ? -1 : 1;
    if (a->entry.submit_ns != b->entry.submit_ns)
        return a->entry.submit_ns < b->entry.submit_ns ? -1 : 1;
    if (a->entry.job != b->entry.job)
        return a->entry.job < b->entry.job ? -1 : 1;
    return a->entry.partition < b->entry.partition ? -1 : 1;
}

/* a's QOS may preempt b's: a goes before b, whatever else. */
static bool qos_before(struct sched *s, const struct slurm *m, job_id a, job_id b)
{
    uint32_t x = slurm_qos(s, a), y = slurm_qos(s, b);
    return x != ID_NONE && y != ID_NONE && m->site->qos[x].preempts[y / 64] >> y % 64 & 1;
}

/* By insertion: jobs that may preempt others by QOS go before them; the order of the rest stays. */
static void qos_first(struct sched *s, const struct slurm *m, struct ordered *all, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct ordered x = all[i];
        size_t to = i;
        for (size_t k = i; k-- > 0;)
            if (qos_before(s, m, x.entry.job, all[k].entry.job))
                to = k;
        for (size_t k = i; k > to; k--)
            all[k] = all[k - 1];
        all[to] = x;
    }
}

static size_t entries_of(struct sched *s, struct slurm *m, job_id j, struct ordered *to)
{
    struct slurm_job *own = job_own(s, j);
    struct job_site site = job_site(s, j);
    size_t n = 0;
    if (own->eligible_ns > sched_now(s)) {
        m->eligible_ns = own->eligible_ns < m->eligible_ns ? own->eligible_ns : m->eligible_ns;
        sched_blocked(s, j, WAIT_OTHER);
        return 0;
    }
    if (!own->judged)
        judge(s, m, j);
    for (uint32_t i = 0; i < (site.n_partitions ? site.n_partitions : 1); i++) {
        uint32_t p = site.n_partitions ? site.partition[i] : 0;
        if (partition_takes(s, m, j, p))
            to[n++] = (struct ordered){
                { j, p, priority_in(s, m, j, p), own->submit_ns }, m->partition[p].tier };
    }
    if (!n)
        sched_blocked(s, j, WAIT_LIMIT);
    return n;
}

/* Of components: Slurm plans one after the other, on nodes of its own, and does not go back. */
static bool some_partition_holds(struct sched *s, const struct slurm *m, job_id j)
{
    struct job_site site = job_site(s, j);
    uint32_t n = site.n_partitions ? site.n_partitions : 1, i = 0;
    while (i < n && !slurm_could_hold(s, m, j, site.n_partitions ? site.partition[i] : 0))
        i++;
    return i < n;
}

void slurm_entries(struct sched *s, struct slurm *m)
{
    struct line_walk walk = { .l = m->batch.queueing.queue[0].waiting };
    size_t n = 0, most = line_length(walk.l) * m->n_partitions;
    struct ordered *all = sched_scratch(s, (most + 1) * sizeof *all);
    m->eligible_ns = TIME_NEVER;
    for (job_id j; line_next(&walk, &j);) {
        if (job_state(s, j) != JOB_PENDING)
            continue;
        const struct slurm_job *own = job_own(s, j);
        bool judged = own->judged || !job_facts(s, j)->ask->next;
        if (!slurm_can_plan(m, job_facts(s, j)))
            sched_refuse(s, j, "slurm plans no shares of GPUs, MIG instances and required levels, and tasks of several kinds by "
                           "backfill alone");
        else if (!judged && !some_partition_holds(s, m, j))
            sched_refuse(s, j,
                         "its components, placed one after the other on nodes of their own, never fit");
        else
            n += entries_of(s, m, j, all + n);
    }
    qsort(all, n, sizeof *all, first_first);
    if ((int)m->params->preempt == PREEMPT_QOS && m->site)
        qos_first(s, m, all, n);
    m->entry = sched_scratch(s, (n + 1) * sizeof *m->entry);
    m->n_entries = n;
    for (size_t i = 0; i < n; i++)
        m->entry[i] = all[i].entry;
    if (m->eligible_ns != TIME_NEVER)
        sched_wake_at(s, m->eligible_ns);
}
