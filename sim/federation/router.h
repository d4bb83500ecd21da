/* router.h - the jobs of one trace over several clusters: each goes, when it is submitted, to one member, and stays there.
 *
 * All members are played to just before that instant; nothing that happens at it is seen, but for jobs routed before it at the same
 * instant, in the order of the trace. No job is ever looked at before it is submitted, nor how long it will run.
 *
 *   queue       to the member of its queue (as the first member calls it)
 *   least-wait  to the member with the least expected wait; ties: the first
 *   spill       to the first whose expected wait is at most the limit; if there is none, to the last
 *
 * The latter two pass over members on which the job could never run (run_never()); if that is all of them, least-wait takes the
 * first and spill the last, and there it is rejected.
 *
 * The expected wait of a job at a member, in ns: 0, if nobody waits there and it fits, i.e. own + coming <= free; else
 *   max(own, waiting + coming + own - free) x run / all, rounded down,
 * where, in GPUs (thousandths), `own` is what it asks for, `waiting` what those who wait there ask for, `coming` what was routed there at the same
 * instant, `all` what the member has, whether it is up or not (so a pool counts before it is provisioned), and `free` of it is what
 * nobody holds; and `run` is the mean time with GPUs of the jobs that have ended there so far, as long as there is none that of
 * the jobs that have ended anywhere, and before that first_run_s. A rule of thumb as a site would use: fragmentation, priorities
 * and quotas are not part of it. */
#pragma once
#include "sim/engine/run.h"
#include "sim/cluster/federation.h"

struct router;
/* f is borrowed. */
struct router *router_new(const struct federation *f, uint32_t n_jobs);
void router_free(struct router *r);                          /* NULL: does nothing */
struct run_part router_part(struct router *r, uint32_t member);    /* for run_setup.part */
/* member: [f->n] runs in their order, each made with its part and with a workload of its own, of the same jobs. What is left
 * of a member when its own jobs have ended goes on until those of the others have. 0, or as run_execute(). */
int router_execute(struct router *r, struct sched *const *member, struct error *err);
uint32_t router_member(const struct router *r, job_id j);    /* of one that a cut-off kept from arriving: the first */
/* As of now, with what was routed at this instant. */
int64_t router_expected_wait_ns(const struct router *r, const struct sched *member, uint32_t number, job_id j);
/* Can its jobs be routed? -1 with err: jobs on demand, jobs that depend on others or run already, or a queue without a member. */
int router_check(const struct federation *f, const struct cluster *first, const struct workload *w, struct error *err);
