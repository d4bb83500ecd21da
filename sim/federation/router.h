/* router.h - the jobs of one trace over several clusters: each is sent to one member when it is submitted, and stays there.
 *
 * All members are played to just before that instant; of the instant itself only jobs routed before it are known, in the order of
 * the trace. No job is known before it is submitted, nor how long it will run.
 *
 *   queue       to the member of its queue (as the first member calls it)
 *   least-wait  to the member with the least expected wait; ties: the first
 *   spill       to the first with an expected wait of at most the limit; if there is none, to the last
 *
 * The latter two pass over members on which the job can never run (run_never()); if that is all of them, least-wait takes the
 * first and spill the last, and there it is rejected.
 *
 * The expected wait of a job at a member, in ns: 0, if no job waits there and it fits, i.e. own + coming <= free; else
 *   max(own, waiting + coming + own - free) x run / all, rounded down,
 * where, in GPUs (thousandths), `own` is the job's demand, `waiting` that of the jobs that wait there, `coming` that of jobs routed
 * there at the same instant, `all` what the member has, up or not (so a pool counts before it is provisioned), and `free` what no
 * job holds of it; `run` is the mean time with GPUs of the jobs that have ended there, before the first of them that of the jobs
 * that have ended anywhere, and before that first_run_s. A rule of thumb as a site would use: fragmentation, priorities and
 * quotas are not part of it. */
#pragma once
#include "sim/engine/run.h"
#include "sim/cluster/federation.h"

struct router;
/* f is borrowed. */
struct router *router_new(const struct federation *f, uint32_t n_jobs);
void router_free(struct router *r);                          /* NULL: does nothing */
struct run_part router_part(struct router *r, uint32_t member);    /* for run_setup.part */
/* member: [f->n] runs in their order, each made with its part and with a workload of its own, of the same jobs. A member goes on
 * until the jobs of all members have ended. 0, or as run_execute(). */
int router_execute(struct router *r, struct sched *const *member, struct error *err);
uint32_t router_member(const struct router *r, job_id j);    /* of one that a cut-off kept from arriving: the first */
/* As of now, with what was routed at this instant. */
int64_t router_expected_wait_ns(const struct router *r, const struct sched *member, uint32_t number, job_id j);
/* Can its jobs be routed? -1 with err: jobs on demand, jobs that depend on others or run already, or a queue without a member. */
int router_check(const struct federation *f, const struct cluster *first, const struct workload *w, struct error *err);
