/* limits.c - the limits of QOS and associations on what runs, for policy `slurm`.
 *
 * They are asked in this order: the QOS of the partition, that of the job, the association, each
 * account above it (group limits alone). A limit that an earlier one sets hides the same limit of
 * later ones, though it be laxer; a QOS with a number of jobs for a user or an account hides that
 * of the association (SchedMD/slurm:src/slurmctld/acct_policy.c). Limits of queues hold besides, as
 * limits on GPUs that nothing hides. */
#include "policies/slurm/slurm.h"

#define NS_IN_S INT64_C(1000000000)

uint32_t slurm_qos(const struct sched *s, job_id j)
{
    return sched_site(s) ? job_site(s, j).qos : ID_NONE;
}

static bool queue_limits(const struct sched *s)
{
    for (queue_id q = 0; q < queue_count(s); q++) {
        const struct amount *limit = &queue_facts(s, q)->quota.limit;
        if (limit->gpu_milli != UNLIMITED || limit->cpu_milli != UNLIMITED || limit->mem_mib != UNLIMITED)
            return true;
    }
    return false;
}

bool slurm_limits_gpus(struct sched *s, const struct site *site)
{
    bool any = queue_limits(s);
    for (uint32_t i = 0; site && i < site->n_qos; i++) {
        const struct qos_facts *q = &site->qos[i];
        any |= q->group_gpus != UNLIMITED || q->max_gpus_per_user != UNLIMITED ||
               q->max_gpus_per_account != UNLIMITED || q->max_gpus_per_job != UNLIMITED || q->min_gpus > 0;
    }
    for (uint32_t i = 0; site && i < site->n_associations; i++)
        any |= site->association[i].max_gpus_per_job != UNLIMITED || site->association[i].group_gpus != UNLIMITED;
    return any;
}

static int64_t gpus_of(const struct sched *s, job_id j)
{
    return (job_size(s, j).gpu_milli + MILLI_ALL - 1) / MILLI_ALL;
}

static uint32_t account_of(const struct site *site, uint32_t association)
{
    return association != ID_NONE && site->association[association].user
               ? site->association[association].parent : association;
}

static bool is_below(const struct site *site, uint32_t association, uint32_t of)
{
    while (association != ID_NONE && association != of)
        association = site->association[association].parent;
    return association == of;
}

/* What runs, of a QOS (by user and account of j), or of an association and all below it. */
struct running_use { int64_t gpus, jobs, user_gpus, user_jobs, account_gpus, account_jobs; };

static void count_running(struct sched *s, const struct slurm *m, uint32_t qos, uint32_t association,
                          job_id j, struct running_use *use)
{
    uint32_t account = account_of(m->site, job_site(s, j).association);
    *use = (struct running_use){ 0 };
    for (size_t i = 0; i < running_count(m); i++) {
        job_id r = running_job(m, i);
        const struct slurm_job *own = job_own(s, r);
        struct job_site site = job_site(s, r);
        int64_t gpus = gpus_of(s, r);
        if (qos != ID_NONE && site.qos != qos && m->partition[own->partition].qos != qos)
            continue;
        if (association != ID_NONE && !is_below(m->site, site.association, association))
            continue;
        bool user = job_facts(s, r)->user == job_facts(s, j)->user,
             same = account_of(m->site, site.association) == account;
        use->gpus += gpus;
        use->jobs++;
        use->user_gpus += user ? gpus : 0;
        use->user_jobs += user;
        use->account_gpus += same ? gpus : 0;
        use->account_jobs += same;
    }
}

/* More than the limit would be held; sets *hides if there is a limit. */
static bool over(int64_t limit, int64_t held, bool *hides)
{
    *hides |= limit != UNLIMITED;
    return limit != UNLIMITED && held > limit;
}

/* The QOS that have a say, in their order. */
static uint32_t qos_of(const struct sched *s, const struct slurm *m, const struct entry *e, uint32_t list[2])
{
    uint32_t n = 0, job = slurm_qos(s, e->job), partition = m->partition[e->partition].qos;
    if (partition != ID_NONE)
        list[n++] = partition;
    if (job != ID_NONE && job != partition)
        list[n++] = job;
    return n;
}

/* Of each kind of limit: an earlier one has it. */
struct hidden { bool group, per_user, per_account, per_job, jobs, time; };

static bool time_over(int64_t limit_ns, int64_t limit_s, bool *hides)
{
    if (*hides || limit_ns == TIME_NEVER)
        return false;
    *hides = true;
    return limit_s > limit_ns / NS_IN_S;
}

bool slurm_limits_before(struct sched *s, const struct slurm *m, const struct entry *e)
{
    struct hidden hidden = { false };
    struct running_use use;
    uint32_t list[2], n, a;
    if (!m->site)
        return true;
    n = qos_of(s, m, e, list);
    int64_t limit_s = slurm_limit_s(s, m, e->job, e->partition);
    for (uint32_t i = 0; i < n; i++) {
        const struct qos_facts *q = &m->site->qos[list[i]];
        struct hidden here = hidden;
        count_running(s, m, list[i], ID_NONE, e->job, &use);
        if ((!hidden.group && over(q->group_jobs, use.jobs + 1, &here.group)) ||
            (!hidden.per_user && over(q->max_jobs_per_user, use.user_jobs + 1, &here.per_user)) ||
            (!hidden.per_account && over(q->max_jobs_per_account, use.account_jobs + 1, &here.per_account)) ||
            time_over(q->max_time_ns, limit_s, &here.time))
            return false;
        hidden = here;
    }
    a = job_site(s, e->job).association;
    if (a == ID_NONE)
        return true;
    const struct association_facts *f = &m->site->association[a];
    count_running(s, m, ID_NONE, a, e->job, &use);
    hidden.jobs = hidden.per_user || hidden.per_account;
    if ((!hidden.jobs && over(f->max_jobs, (f->user ? use.jobs : use.user_jobs) + 1, &hidden.jobs)) ||
        time_over(f->max_time_ns, limit_s, &hidden.time))
        return false;
    for (; a != ID_NONE && !hidden.group; a = m->site->association[a].parent) {
        bool ignored = false;
        count_running(s, m, ID_NONE, a, e->job, &use);
        if (over(m->site->association[a].group_jobs, use.jobs + 1, &ignored))
            return false;
    }
    return true;
}

bool slurm_limits_after(struct sched *s, const struct slurm *m, const struct entry *e)
{
    struct hidden hidden = { false };
    struct running_use use;
    uint32_t list[2], n, a;
    if (job_over_limit(s, e->job))
        return false;
    if (!m->site)
        return true;
    int64_t gpus = gpus_of(s, e->job);
    n = qos_of(s, m, e, list);
    for (uint32_t i = 0; i < n; i++) {
        const struct qos_facts *q = &m->site->qos[list[i]];
        struct hidden here = hidden;
        count_running(s, m, list[i], ID_NONE, e->job, &use);
        if ((!hidden.group && over(q->group_gpus, use.gpus + gpus, &here.group)) ||
            (!hidden.per_user && over(q->max_gpus_per_user, use.user_gpus + gpus, &here.per_user)) ||
            (!hidden.per_account && over(q->max_gpus_per_account, use.account_gpus + gpus, &here.per_account)) ||
            (!hidden.per_job && over(q->max_gpus_per_job, gpus, &here.per_job)) ||
            gpus < q->min_gpus)
            return false;
        hidden = here;
    }
    a = job_site(s, e->job).association;
    if (a != ID_NONE && !hidden.per_job && over(m->site->association[a].max_gpus_per_job, gpus, &hidden.per_job))
        return false;
    for (; a != ID_NONE && !hidden.group; a = m->site->association[a].parent) {
        bool ignored = false;
        count_running(s, m, ID_NONE, a, e->job, &use);
        if (over(m->site->association[a].group_gpus, use.gpus + gpus, &ignored))
            return false;
    }
    return true;
}
