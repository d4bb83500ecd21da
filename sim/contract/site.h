/* site.h - what a batch site says of its machine: partitions, qualities of service (QOS), accounts.
 *
 * A partition is a set of nodes under a name; partitions may overlap. A job names one or more of
 * them, and runs on nodes of one: a rule of the world, as every node has a label partition.NAME for
 * each of its partitions. All else here is for policies that read it (policy.reads READS_SITE): the
 * terms and rules are those of Slurm (SchedMD/slurm:doc/man/man5/slurm.conf.5, sacctmgr.1).
 *
 * An association is an account or a user of one; an account without users is used by all. Limits
 * are of what runs; UNLIMITED: no bound. GPUs are whole. A group limit is of an account with all
 * below it, or of a QOS as a whole. All pointers live as long as the run. */
#pragma once
#include "queues.h"

/* suspend: the jobs stand still, and keep GPUs and memory */
enum site_preempt { SITE_PREEMPT_CLUSTER, SITE_PREEMPT_OFF, SITE_PREEMPT_REQUEUE, SITE_PREEMPT_CANCEL, SITE_PREEMPT_SUSPEND };
struct partition_facts {
    const char *name;
    const uint64_t *nodes;        /* bit n % 64 of word n / 64: node n belongs to it */
    bool usual;                   /* of jobs that name no partition */
    bool down;                    /* starts nothing */
    double tier, factor;          /* tier: before all jobs of lower tiers; factor: of priorities */
    int64_t max_time_ns;          /* TIME_NEVER: no bound; a longer job waits for ever */
    int64_t default_time_ns;      /* of a job without an estimate; TIME_NEVER: none */
    int64_t min_nodes, max_nodes; /* of a job */
    int preempt;                  /* enum site_preempt of its jobs */
    int64_t grace_ns;             /* between the order to stop and the stop */
    uint32_t qos;                 /* its own limits; ID_NONE: none */
};
struct qos_facts {
    const char *name;
    double priority;
    int64_t group_gpus, group_jobs, max_gpus_per_job, max_gpus_per_user, max_gpus_per_account;
    int64_t max_jobs_per_user, max_jobs_per_account, min_gpus;
    int64_t max_time_ns;          /* TIME_NEVER: no bound */
    const uint64_t *preempts;     /* bits: its jobs may stop jobs of these QOS */
    int preempt;                  /* enum site_preempt of its jobs */
    int64_t grace_ns;
    bool no_reserve;              /* its jobs are not planned ahead */
};
struct association_facts {
    const char *name;
    uint32_t parent;              /* an earlier one; ID_NONE: below the root */
    bool user;
    double shares, priority;
    int64_t group_gpus, group_jobs;
    int64_t max_gpus_per_job, max_jobs;          /* of each user below, or of this one */
    int64_t max_time_ns;          /* TIME_NEVER: no bound */
    uint32_t qos;                 /* of jobs that name none; ID_NONE: none */
};
struct site {
    uint32_t n_partitions, n_qos, n_associations;
    const struct partition_facts *partition;
    const struct qos_facts *qos;
    const struct association_facts *association;
    const uint32_t *weight;       /* [nodes] lower ones are taken first; 1 where nothing is said */
};
/* NULL: the cluster says nothing of the kind. */
const struct site *sched_site(const struct sched *s);

/* What a job says of itself. partition: its list, in its order; without one the usual partition, or
 * none at all. association: that of its user in its account (its queue, if it names none), the
 * account itself without such a user; ID_NONE: unknown. */
struct job_site {
    uint32_t n_partitions, qos, association;
    const uint32_t *partition;
    int64_t nice;                 /* taken off its priority */
};
struct job_site job_site(const struct sched *s, job_id j);
