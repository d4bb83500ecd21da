/* accounts.h - accounts, users and QOS of Slurm's database: `sacctmgr dump CLUSTER file=F`,
 * `sacctmgr -P show assoc`, `sacctmgr -P show qos`.
 *
 * Associations form a tree: accounts below root or another account, users below an account. A dump
 * has its families in order ("Parent - 'phys'", then its members); the table of show assoc has a
 * header and, in a column ParentName, the tree. Shares of 2147483647, or "parent", mean that the
 * account takes its parent's place. Of TRES limits gres/gpu is read; -1 and empty: none. What is
 * not read is a remark of the site. Sources: SchedMD/slurm:doc/man/man1/sacctmgr.1 of 22.05. */
#pragma once
#include "sim/slurm/site.h"

#define SHARES_OF_PARENT 2147483647
struct slurm_assoc {
    const char *name, *default_qos;              /* of the account or user; "": none */
    uint32_t parent;              /* of an account or user; SITE_NONE: below root */
    bool is_user;
    int64_t shares;               /* or SHARES_OF_PARENT */
    int64_t group_gpus, group_jobs, max_gpus_per_job, max_jobs, max_time_s;   /* SITE_UNLIMITED */
    int64_t priority;
};
struct slurm_qos {
    const char *name, *preempts;  /* a list with ',' between; "": none */
    int64_t priority, grace_s;
    int64_t group_gpus, group_jobs, max_gpus_per_job, max_gpus_per_user, max_gpus_per_account,
        max_jobs_per_user, max_jobs_per_account, max_time_s, min_gpus;        /* SITE_UNLIMITED */
    enum site_preempt preempt;
    bool no_reserve;
};
struct slurm_accounts {
    struct slurm_assoc *assoc; size_t n_assocs, assocs_capacity;
    struct slurm_qos *qos; size_t n_qos, qos_capacity;
    struct intern *keys;          /* of assoc[], by the same numbers */
    struct arena *memory;
};
/* A dump or the table of show assoc, told by the first line. Each 0, or -1 with err. */
int  accounts_read(struct slurm_accounts *a, struct slurm_site *remarks, const char *path,
                   struct error *err);
int  qos_read(struct slurm_accounts *a, struct slurm_site *remarks, const char *path,
              struct error *err);
void accounts_free(struct slurm_accounts *a);
/* Index of an account; SITE_NONE: there is none. */
uint32_t account_find(const struct slurm_accounts *a, const char *name);
