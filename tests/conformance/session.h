/* session.h - a case of KAI's sessions as the cluster, the workload and the names that they were
 * made of.
 *
 * Memory is in bytes where gpuyard says MiB, so that nothing is rounded. Nodes are numbered by
 * name (by domain, then by name, if the case has a topology), queues and jobs from the oldest
 * on. A job lasts 50 years. */
#pragma once
#include "sim/engine/run.h"
#include "tests/conformance/conformance.h"

enum { NODES_MOST = 64, QUEUES_MOST = 64, JOBS_MOST = 256, TASKS_MOST = 1024, LEVELS_MOST = 4 };
#define PERIOD_NS   NS_PER_S
#define LEAVING_NS  (PERIOD_NS / 2)           /* what is evicted in a round is gone before the next */
#define FOR_EVER_NS (INT64_C(50) * 365 * 86400 * NS_PER_S)

struct session_job {
    const json_t *json;
    const char *name;
    uint32_t first, n;            /* its tasks in the session's, in the order of ours: task k is task[first + k] */
    bool stays;                   /* stays releasing once it is evicted */
};
struct session {
    const json_t *json;
    struct cluster *cluster;
    struct workload *workload;
    const char *node[NODES_MOST];             /* by id */
    uint32_t n_nodes;
    const char *level_name[LEVELS_MOST];      /* of the topology, and what it is here */
    uint8_t level[LEVELS_MOST];
    uint32_t n_levels, n_above;               /* the coarse ones are above the node */
    struct session_job job[JOBS_MOST];        /* by id */
    uint32_t n_jobs;
    const json_t *task[TASKS_MOST];
    uint32_t n_tasks;
};
/* CASE_PASSED, or CASE_SKIPPED: what this program cannot say. session_end() in any case. */
int session_build(struct session *s, const json_t *c, struct why why);
void session_end(struct session *s);

node_id session_node(const struct session *s, const char *name);    /* ID_NONE: no such node */
/* Which device of its node a shared GPU is: devices are numbered as their labels are first seen
 * there. */
bool task_is(const json_t *task, const char *state);
double task_gpus(const json_t *job, const json_t *task);

/* session_nodes.c, session_jobs.c: parts of session_build() */
int session_nodes(struct session *s, struct group_spec *group, size_t *n_groups, struct why why);
int session_jobs(struct session *s, struct why why);
int only_known(const json_t *o, const char *what, const char *const *known, struct why why);    /* skipped, if there is another key */
