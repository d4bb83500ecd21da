/* flows.h - what running jobs carry over shared links, fluid and max-min fair (sim/models/network/maxmin.h, models.md 3.7).
 *
 * A model registers the links that it knows (storage) and opens flows over them. Shares are found anew at the end
 * of every round in which a flow came, went or changed, among those flows only that a changed link concerns: links that could
 * carry all that is asked of them do not tie flows together. Until then a new flow has no share. */
#pragma once
#include "sim/contract/placement.h"

struct sched;
struct run_model;
typedef uint32_t link_id, flow_id;
#define FLOW_NONE UINT32_MAX

struct flow_kind {                /* the model of the flow */
    void (*changed)(struct sched *s, job_id j, flow_id f, double share);    /* another share than before, bytes a second; may be
                                                                 NULL. Opens and closes none */
    void (*done)(struct sched *s, job_id j, flow_id f);       /* of finite flows: all its bytes are over, and it is closed */
};
struct flow_spec {
    const struct flow_kind *kind;
    job_id job;
    const link_id *link;          /* [n_links] in any order; a link twice counts once. Copied */
    size_t n_links;
    double demand;                /* maximum, bytes a second, > 0; INFINITY where there is a link */
    double bytes;                 /* finite: so many, then it is done; 0: until it is closed */
};

extern const struct run_model flows_model;
void    flows_begin(struct sched *s);
void    flows_end(struct sched *s);
link_id flows_link(struct sched *s, double capacity);         /* bytes a second, >= 0; numbered from 0 */

flow_id flow_open(struct sched *s, const struct flow_spec *spec);
void    flow_close(struct sched *s, flow_id f);               /* FLOW_NONE: does nothing */
double  flow_share(const struct sched *s, flow_id f);
double  flow_left(const struct sched *s, flow_id f);          /* bytes, as of now; of finite flows */
void    flows_balance(struct sched *s);                       /* at the end of a round */
void    flow_over(struct sched *s, flow_id f);                /* its EVENT_FLOW */
