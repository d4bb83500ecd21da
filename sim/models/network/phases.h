/* phases.h - what jobs that compute and send in turns get of links that they share.
 *
 * models.md 2.4. A job puts `flows` node-flows on a link, one for each of its nodes that send over
 * it, all at one rate of at most `most` bytes a second (its NICs). It sends in a part c (`sends`)
 * of its time. What it gets while it sends is its rate in a progressive filling (maxmin.h) in which
 * its own node-flows weigh 1 each and those of any other job i weigh c_i each: a flow of weight x
 * at rate r takes x r of a link, so on the mean no link carries more than it can. How long it sends
 * follows from what it gets, so c and the rates are found together: every c is 1, then all rates,
 * then every c, again, until none moves by 1e-12, or PHASES_ROUNDS times. Phases of different jobs
 * count as independent. Alone a job gets min(most, capacity / flows), whatever its c.
 *
 * Until its first link is full a job does not change what others get in the filling in which it too
 * weighs c. So one filling gives the rate r_i of each, and that of job j, weighing 1, is the least
 * over its links of the level x that solves  sum over i != j of c_i flows_i min(r_i, x) + flows_j x
 * = capacity. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far apart the nodes are that have traffic over a link: NICs for all that leaves a node. */
enum reach { REACH_RACK, REACH_POD, REACH_CLUSTER, REACHES };

struct crossing {
    uint32_t link;
    uint32_t flows;               /* > 0 */
    enum reach reach;             /* of the traffic that crosses it: beyond a node, a rack, a pod */
};
struct phased_job {
    double most;                  /* finite, > 0 */
    const struct crossing *crossing;         /* [n_crossings], each link once */
    size_t n_crossings;
    double sends;                 /* the answer: c, in [0, 1] */
    double share[REACHES];        /* the answer, a node-flow's: between nodes of a rack, racks of a
                                     pod, and beyond, each by the links that such traffic crosses */
};
struct phases {
    struct phased_job **job;      /* [n] in an order that stays the same */
    size_t n;
    const double *capacity;       /* by link, >= 0; INFINITY: it does not bind */
    uint32_t n_links;             /* of all numbers */
    bool together;                /* all send at once: every c is 1 */
    /* c of the i-th job with such shares; not called if together */
    double (*sends)(void *self, size_t i, const double share[REACHES]);
    void *self;
};
enum { PHASES_ROUNDS = 1000 };
unsigned phases_share(const struct phases *p);               /* the number of rounds */
