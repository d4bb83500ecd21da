/* victims.c - preemption of policy `slurm`, by the tiers of partitions or by QOS.
 *
 * Candidates are running jobs on nodes of the partition, by the tier of their partition, or the
 * priority of their QOS, then by their number of nodes, the least first, then by age of submission
 * (preempt_youngest_first: the latest start first). They are taken away one by one until the job
 * fits. Up to preempt_reorder_count + 1 times the order is changed and the removal begun anew: the
 * last needed first, the others by how many of the chosen nodes they hold (preempt_strict_order:
 * the rest as it was). Those of them on chosen nodes are told to stop; GPUs play no part in it
 * (SchedMD/slurm:src/slurmctld/preempt.c, src/plugins/select/cons_common/job_test.c, _run_now).
 * The job itself starts in a later pass, when the nodes are free.
 *
 * Jobs of mode suspend would keep their GPUs and memory, and give only their CPUs, to a job that
 * starts beside them. So nothing that lacks GPUs can start at their cost, and as a plan does not
 * expect them to end, nothing is planned where they are. That a job that lacks nothing but CPUs
 * starts there is not played: it waits. */
#include "policies/slurm/slurm.h"

#include <stdlib.h>
#include <string.h>

#define NS_IN_S           INT64_C(1000000000)
#define MESSAGE_TIMEOUT_S 10      /* slurm.conf, MessageTimeout */
#define NODES_MOST        65535

struct victim { job_id job; bool stays; double first; int64_t start_ns; uint32_t nodes; size_t place; };

static bool by_partition(const struct slurm *m, const struct entry *e, const struct slurm_job *victim)
{
    const struct partition_facts *of = &m->partition[victim->partition];
    return of->tier < m->partition[e->partition].tier && of->preempt != SITE_PREEMPT_OFF;
}

static bool by_qos(struct sched *s, const struct slurm *m, const struct entry *e, job_id victim)
{
    uint32_t x = slurm_qos(s, e->job), y = slurm_qos(s, victim);
    return x != ID_NONE && y != ID_NONE && m->site->qos[x].preempts[y / 64] >> y % 64 & 1;
}

static int mode_of(struct sched *s, const struct slurm *m, job_id j, int64_t *grace_ns)
{
    const struct slurm_job *own = job_own(s, j);
    uint32_t qos = slurm_qos(s, j);
    bool tiers = (int)m->params->preempt == PREEMPT_PARTITION;
    int said = tiers ? m->partition[own->partition].preempt : m->site->qos[qos].preempt;
    *grace_ns = tiers ? m->partition[own->partition].grace_ns : m->site->qos[qos].grace_ns;
    if (said == SITE_PREEMPT_CLUSTER)
        return (int)m->params->preempt_mode;
    static const int modes[] = { [SITE_PREEMPT_OFF] = MODE_OFF,
                                 [SITE_PREEMPT_REQUEUE] = MODE_REQUEUE,
                                 [SITE_PREEMPT_CANCEL] = MODE_CANCEL,
                                 [SITE_PREEMPT_SUSPEND] = MODE_SUSPEND };
    return modes[said];
}

static bool may_stop(struct sched *s, const struct slurm *m, const struct entry *e, job_id victim)
{
    const struct slurm_job *own = job_own(s, victim);
    if (job_state(s, victim) != JOB_RUNNING || !job_facts(s, victim)->preemptible || own->killed_ns)
        return false;
    if (own->start_ns + (int64_t)(m->params->exempt_s * 1e9) > sched_now(s))
        return false;
    if (!slurm_on(s, victim, m->partition[e->partition].nodes))
        return false;
    return (int)m->params->preempt == PREEMPT_PARTITION ? by_partition(m, e, own) : by_qos(s, m, e, victim);
}

static int in_order(const void *left, const void *right)
{
    const struct victim *a = left, *b = right;
    if (a->stays != b->stays)
        return a->stays ? 1 : -1;
    if (a->start_ns != b->start_ns)
        return a->start_ns > b->start_ns ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    if (a->nodes != b->nodes)
        return a->nodes < b->nodes ? -1 : 1;
    return a->job < b->job ? -1 : a->job > b->job;
}

static uint32_t nodes_in(struct sched *s, const struct slurm *m, job_id j, const uint64_t *of)
{
    const struct placement *p = job_placement(s, j);
    uint64_t *set = slurm_set(s, m, NULL);
    for (size_t i = 0; p && i < p->n; i++)
        if (!of || set_has(of, p->piece[i].node))
            set_add(set, p->piece[i].node);
    uint32_t n = slurm_set_count(m, set);
    return n < NODES_MOST ? n : NODES_MOST;
}

size_t slurm_candidates(struct sched *s, struct slurm *m, const struct entry *e, job_id **to,
                        size_t *n_removed)
{
    int64_t ignored;
    bool youngest = m->params->preempt_youngest_first > 0,
         tiers = (int)m->params->preempt == PREEMPT_PARTITION;
    size_t n = 0;
    *to = NULL;
    *n_removed = 0;
    if ((int)m->params->preempt == PREEMPT_NONE || (int)m->params->preempt_mode == MODE_OFF)
        return 0;
    *to = sched_scratch(s, (running_count(m) + 1) * sizeof **to);
    struct victim *all = sched_scratch(s, (running_count(m) + 1) * sizeof *all);
    for (size_t i = 0; i < running_count(m); i++) {
        job_id r = running_job(m, i);
        if (!may_stop(s, m, e, r))
            continue;
        const struct slurm_job *own = job_own(s, r);
        all[n++] = (struct victim){
            .job = r,
            .stays = mode_of(s, m, r, &ignored) == MODE_SUSPEND,
            .first = youngest ? 0 : tiers ? m->partition[own->partition].tier : m->site->qos[slurm_qos(s, r)].priority,
            .start_ns = youngest ? own->start_ns : 0,
            .nodes = youngest ? 0 : nodes_in(s, m, r, NULL),
        };
    }
    qsort(all, n, sizeof *all, in_order);
    for (size_t i = 0; i < n; i++) {
        (*to)[i] = all[i].job;
        *n_removed += !all[i].stays;
    }
    return n;
}

/* ---- Which of them ---- */

/* Takes them away in order until the entry fits. 0: it never does; else how many. */
static size_t take_away(struct sched *s, struct slurm *m, const struct need *need, const uint64_t *among,
                        const job_id *victim, size_t n, struct seats *where)
{
    size_t gone = 0;
    bool fits = false;
    while (!fits && gone < n) {
        slurm_room_give(s, &m->room, victim[gone++], 1);
        fits = slurm_select(s, m, need, among, &m->room, where);
    }
    for (size_t i = 0; i < gone; i++)
        slurm_room_give(s, &m->room, victim[i], -1);
    return fits ? gone : 0;
}

static int most_useful_first(const void *left, const void *right)
{
    const struct victim *a = left, *b = right;
    if (a->nodes != b->nodes)
        return a->nodes > b->nodes ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static void reorder(struct sched *s, const struct slurm *m, job_id *victim, size_t n,
                    const struct seats *where)
{
    job_id last = victim[n - 1];
    memmove(victim + 1, victim, (n - 1) * sizeof *victim);
    victim[0] = last;
    if (m->params->preempt_strict_order > 0)
        return;
    struct victim *all = sched_scratch(s, n * sizeof *all);
    const uint64_t *chosen = slurm_set_of(s, m, where);
    for (size_t i = 0; i < n; i++)
        all[i] = (struct victim){ .job = victim[i], .place = i,
                                  .nodes = i ? nodes_in(s, m, victim[i], chosen) : NODES_MOST };
    qsort(all, n, sizeof *all, most_useful_first);
    for (size_t i = 0; i < n; i++)
        victim[i] = all[i].job;
}

/* ---- The order to stop ---- */

static void kill_job(struct sched *s, struct slurm *m, job_id j)
{
    int64_t ignored;
    const struct placement *p = job_placement(s, j);
    for (size_t i = 0; p && i < p->n; i++)
        set_add(m->completing, p->piece[i].node);
    m->completing_s = m->now_s;
    slurm_room_stopped(s, m, j);
    sched_wake_at(s, (m->now_s + 1) * NS_IN_S);
    sched_stop(s, j, mode_of(s, m, j, &ignored) == MODE_CANCEL ? STOP_CANCEL : STOP_SAVE);
}

static void tell(struct sched *s, struct slurm *m, job_id victim, job_id cause)
{
    struct slurm_job *own = job_own(s, victim);
    int64_t grace_ns;
    mode_of(s, m, victim, &grace_ns);
    sched_note(s, victim, cause);
    if (!grace_ns) {
        kill_job(s, m, victim);
        return;
    }
    own->killed_ns = sched_now(s) + grace_ns;
    sched_wake_at(s, own->killed_ns);
}

bool slurm_preempts_elsewhere(struct sched *s, const struct slurm *m, const struct entry *e)
{
    if ((int)m->params->preempt == PREEMPT_NONE)
        return false;
    const struct slurm_job *own = job_own(s, e->job);
    return own->spare_s > m->now_s && own->told_s == m->now_s && own->told_in != e->partition;
}

void slurm_kill(struct sched *s, struct slurm *m)
{
    for (size_t i = 0; i < running_count(m); i++) {
        struct slurm_job *own = job_own(s, running_job(m, i));
        if (own->killed_ns && own->killed_ns <= sched_now(s) && job_state(s, running_job(m, i)) == JOB_RUNNING)
            kill_job(s, m, running_job(m, i));
    }
}

bool slurm_preempt(struct sched *s, struct slurm *m, const struct entry *e, const uint64_t *among)
{
    struct slurm_job *own = job_own(s, e->job);
    struct need need = slurm_need_in(s, m, e->job, e->partition);
    struct seats where;
    job_id *victim;
    if (own->spare_s > m->now_s)
        return false;
    size_t n;
    (void)slurm_candidates(s, m, e, &victim, &n);
    size_t used = take_away(s, m, &need, among, victim, n, &where);
    if (!used)
        return false;
    for (double pass = 0; used > 1 && pass <= m->params->preempt_reorder_count && pass < (double)n; pass++) {
        reorder(s, m, victim, used, &where);
        used = take_away(s, m, &need, among, victim, used, &where);
    }
    const uint64_t *chosen = slurm_set_of(s, m, &where);
    for (size_t i = 0; i < used; i++)
        if (slurm_on(s, victim[i], chosen))
            tell(s, m, victim[i], e->job);
    own->told_s = m->now_s;
    own->told_in = e->partition;
    own->spare_s = m->now_s + (int64_t)m->params->kill_wait_s + MESSAGE_TIMEOUT_S;
    return true;
}
