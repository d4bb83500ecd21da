/* traffic.h - the jobs that send over shared network links, and what each gets: models.md 2.4.
 *
 * A job enters when it makes progress on several nodes, and leaves when it stalls or stops. Shares
 * (sim/models/network/phases.h) are found anew when traffic_balance() is called, once a round,
 * among those jobs only that a link with a change concerns: links that could carry all that their
 * jobs may ask of them do not tie jobs together. In the order of job ids. */
#pragma once
#include "sim/capacity/placement_form.h"
#include "sim/contract/placement.h"
#include "sim/models/training/parallel_time.h"

struct traffic;
struct traffic_law;
struct sender {
    job_id job;
    struct placement_form form;   /* with shares in place of what it has alone */
    struct phased_job at;
    struct crossing *crossing;    /* own; so are those that form.groups points to, if it does */
    struct rank_groups *groups;
    bool seen;
    const struct traffic_law *law;    /* its own, borrowed; NULL: that of traffic_balance() */
};
struct traffic_law {
    /* part of its time that it sends, with the shares of x->form */
    double (*sends)(void *self, struct sender *x);
    /* x->form has other shares; enters and leaves none */
    void (*changed)(void *self, struct sender *x);
    void *self;
};

struct traffic *traffic_new(const struct cluster *c, const struct fabric *fabric);
void traffic_free(struct traffic *t);                        /* NULL: does nothing */
/* `most`: as of phases.h. NULL: it crosses no link, or none that binds. Owned by t. */
struct sender *traffic_enter(struct traffic *t, job_id j, const struct placement *on,
                             const struct placement_form *form, double most);
/* How much it sends may have changed: its shares are found anew. */
void traffic_touch(struct traffic *t, const struct sender *x);
void traffic_leave(struct traffic *t, struct sender *x);     /* NULL: does nothing */
void traffic_balance(struct traffic *t, const struct traffic_law *law);
