/* entries.c - the queue of policy `slurm`: entries, priorities, their order, time limits. */
#include "policies/slurm/slurm.h"
#include "sim/contract/util/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
static void judge(struct sched *s, struct slurm *m, job_id j)
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

static int first_first(const void *left, const void *right)
{
    const struct entry *a = *(struct entry *const *)left, *b = *(struct entry *const *)right;
    if (a->tier != b->tier)
        return a->tier > b->tier ? -1 : 1;
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    if (a->submit_ns != b->submit_ns)
        return a->submit_ns < b->submit_ns ? -1 : 1;
    if (a->job != b->job)
        return a->job < b->job ? -1 : 1;
    return a->partition < b->partition ? -1 : a->partition > b->partition;
}

/* a's QOS may preempt b's: a goes before b, whatever else. */
static bool qos_before(struct sched *s, const struct slurm *m, job_id a, job_id b)
{
    uint32_t x = slurm_qos(s, a), y = slurm_qos(s, b);
    return x != ID_NONE && y != ID_NONE && m->site->qos[x].preempts[y / 64] >> y % 64 & 1;
}

/* By insertion: jobs that may preempt others by QOS go before them; the order of the rest stays. */
static void qos_first(struct sched *s, const struct slurm *m, struct entry **all, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct entry *x = all[i];
        size_t to = i;
        for (size_t k = i; k-- > 0;)
            if (qos_before(s, m, x->job, all[k]->job))
                to = k;
        for (size_t k = i; k > to; k--)
            all[k] = all[k - 1];
        all[to] = x;
    }
}

/* ---- The queue ---- */

size_t slurm_place(const struct slurm *m, const struct entry *e)
{
    size_t from = 0, to = m->n_queue;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (first_first(&m->queue[middle], &e) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void odd_add(struct sched *s, struct slurm *m, struct entry *e)
{
    m->odd = array_grown(sched_alloc, s, m->odd, &m->odd_capacity, m->n_odd, sizeof(struct entry *));
    e->odd_at = m->n_odd;
    m->odd[m->n_odd++] = e;
}

static void odd_remove(struct slurm *m, const struct entry *e)
{
    struct entry *last = m->odd[e->odd_at] = m->odd[--m->n_odd];
    last->odd_at = e->odd_at;
}

static struct entry entry_of(struct sched *s, const struct slurm *m, job_id j, uint32_t partition)
{
    const struct slurm_job *own = job_own(s, j);
    return (struct entry){ .job = j, .partition = partition, .tier = m->partition[partition].tier,
                           .priority = priority_in(s, m, j, partition), .submit_ns = own->submit_ns,
                           .told = WAIT_REASONS };
}

void slurm_comes(struct sched *s, struct slurm *m, job_id j)
{
    m->came = array_grown(sched_alloc, s, m->came, &m->came_capacity, m->n_came, sizeof *m->came);
    m->came[m->n_came++] = j;
}

void slurm_goes(struct sched *s, struct slurm *m, job_id j)
{
    struct slurm_job *own = job_own(s, j);
    struct job_site site = job_site(s, j);
    for (size_t i = 0; !own->listed && i < m->n_came; i++)
        if (m->came[i] == j)
            array_close(m->came, m->n_came--, i, sizeof *m->came);
    for (uint32_t i = 0; own->listed && i < (site.n_partitions ? site.n_partitions : 1); i++) {
        struct entry e = entry_of(s, m, j, site.n_partitions ? site.partition[i] : 0);
        size_t at = slurm_place(m, &e);
        if (at == m->n_queue || m->queue[at]->job != j || m->queue[at]->partition != e.partition)
            continue;              /* the partition does not take it */
        slurm_kinds_go(m, at);
        m->waiting[e.partition]--;
        if (m->queue[at]->told != WAIT_ORDER)
            odd_remove(m, m->queue[at]);
        m->queue[at]->next_free = m->free_entry;
        m->free_entry = m->queue[at];
        array_close(m->queue, m->n_queue--, at, sizeof(struct entry *));
    }
    own->listed = false;
}

static void enqueue(struct sched *s, struct slurm *m, struct entry e)
{
    m->queue = array_grown(sched_alloc, s, m->queue, &m->queue_capacity, m->n_queue, sizeof(struct entry *));
    size_t at = slurm_place(m, &e);
    struct entry *x = m->free_entry ? m->free_entry : sched_alloc(s, sizeof *x);
    m->free_entry = x->next_free;
    *x = e;
    array_open(m->queue, m->n_queue++, at, sizeof(struct entry *));
    m->queue[at] = x;
    m->waiting[x->partition]++;
    odd_add(s, m, x);
    slurm_kinds_come(m, at);
}

/* Of components: Slurm plans one after the other, on nodes of its own, and does not go back. */
static bool some_partition_holds(struct sched *s, struct slurm *m, job_id j)
{
    struct job_site site = job_site(s, j);
    uint32_t n = site.n_partitions ? site.n_partitions : 1, i = 0;
    while (i < n && !slurm_could_hold(s, m, j, site.n_partitions ? site.partition[i] : 0))
        i++;
    return i < n;
}

static void list(struct sched *s, struct slurm *m, job_id j)
{
    struct slurm_job *own = job_own(s, j);
    struct job_site site = job_site(s, j);
    uint32_t n = 0, in = site.n_partitions ? site.n_partitions : 1;
    if (!own->judged)
        judge(s, m, j);
    for (uint32_t i = 0; i < in; i++)
        n += partition_takes(s, m, j, site.n_partitions ? site.partition[i] : 0);
    for (uint32_t i = 0; i < in; i++) {
        uint32_t p = site.n_partitions ? site.partition[i] : 0;
        if (!partition_takes(s, m, j, p))
            continue;
        struct entry e = entry_of(s, m, j, p);
        e.kind = slurm_kind(s, m, j, p);
        e.alone = n == 1;
        enqueue(s, m, e);
    }
    own->listed = n > 0;
    if (!n)
        sched_blocked(s, j, WAIT_LIMIT);
}

/* false: it comes again in the next pass. */
static bool settles(struct sched *s, struct slurm *m, job_id j)
{
    const struct slurm_job *own = job_own(s, j);
    bool judged = own->judged || !job_facts(s, j)->ask->next;
    if (job_state(s, j) != JOB_PENDING)
        return false;
    if (!slurm_can_plan(m, job_facts(s, j))) {
        sched_refuse(s, j, "slurm plans no shares of GPUs, MIG instances and required levels, and tasks of several kinds by "
                       "backfill alone");
    } else if (!judged && !some_partition_holds(s, m, j)) {
        sched_refuse(s, j,
                     "its components, placed one after the other on nodes of their own, never fit");
    } else if (own->eligible_ns > sched_now(s)) {
        m->eligible_ns = own->eligible_ns < m->eligible_ns ? own->eligible_ns : m->eligible_ns;
        sched_blocked(s, j, WAIT_OTHER);
        return false;
    } else {
        list(s, m, j);
    }
    return true;
}

struct coming { double priority; int64_t submit_ns; job_id job; };

static int line_first_first(const void *left, const void *right)
{
    const struct coming *a = left, *b = right;
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    if (a->submit_ns != b->submit_ns)
        return a->submit_ns < b->submit_ns ? -1 : 1;
    return a->job < b->job ? -1 : a->job > b->job;
}

/* Those that came get their entries, in their order in line. */
static void settle(struct sched *s, struct slurm *m)
{
    size_t n = m->n_came;
    struct coming *all = n ? sched_scratch(s, n * sizeof *all) : NULL;
    for (size_t i = 0; i < n; i++) {
        const struct slurm_job *own = job_own(s, m->came[i]);
        all[i] = (struct coming){ own->batch.priority, job_facts(s, m->came[i])->submit_ns, m->came[i] };
    }
    if (n > 1)
        qsort(all, n, sizeof *all, line_first_first);
    m->n_came = 0;
    for (size_t i = 0; i < n; i++)
        if (!settles(s, m, all[i].job))
            m->came[m->n_came++] = all[i].job;
}

/* By insertion, since all age alike and few change places; if many do, all at once. */
static void sort_again(struct entry **all, size_t n)
{
    size_t left = 8 * n;
    for (size_t i = 1; i < n && left; i++) {
        size_t to = i;
        while (to > 0 && left && first_first(&all[to - 1], &all[i]) > 0) {
            to--;
            left--;
        }
        if (to == i || !left)
            continue;
        struct entry *x = all[i];
        memmove(&all[to + 1], &all[to], (i - to) * sizeof(struct entry *));
        all[to] = x;
    }
    if (!left)
        qsort(all, n, sizeof(struct entry *), first_first);
}

static void prioritise_all(struct sched *s, struct slurm *m)
{
    for (size_t i = 0; i < m->n_came; i++)
        batch_prioritise(s, &m->batch, m->came[i]);
    for (size_t i = 0; i < m->n_queue; i++) {
        struct entry *e = m->queue[i];
        batch_prioritise(s, &m->batch, e->job);
        e->priority = priority_in(s, m, e->job, e->partition);
    }
    sort_again(m->queue, m->n_queue);
    slurm_kinds_count(m);
}

void slurm_entries(struct sched *s, struct slurm *m, bool anew)
{
    m->eligible_ns = TIME_NEVER;
    if (anew)
        prioritise_all(s, m);
    settle(s, m);
    m->entry = m->queue;
    m->n_entries = m->n_queue;
    if ((int)m->params->preempt == PREEMPT_QOS && m->site && m->n_queue) {
        m->entry = sched_scratch(s, m->n_queue * sizeof(struct entry *));
        memcpy(m->entry, m->queue, m->n_queue * sizeof(struct entry *));
        qos_first(s, m, m->entry, m->n_entries);
    }
    if (m->eligible_ns != TIME_NEVER)
        sched_wake_at(s, m->eligible_ns);
}

void slurm_tell(struct sched *s, struct slurm *m, struct entry *e, enum wait_reason why)
{
    sched_blocked(s, e->job, why);
    if (!e->alone || e->told == why)
        return;
    if (e->told == WAIT_ORDER)
        odd_add(s, m, e);
    if (why == WAIT_ORDER)
        odd_remove(m, e);
    e->told = (uint8_t)why;
}
