/* slow_faults.h - stragglers and gray failures: a unit that is slow without being broken, until it is
 * found. models.md 8.5; section `slow` of `failures`.
 *
 * A unit is a node, one of its GPUs, or its network link. From its onset until it is detected a slow
 * fault multiplies the pace of its unit by a factor of the law, in (0, 1). Of several faults on one
 * unit the least pace holds. Onsets come at a rate for each node of 8 GPUs (G GPUs: x G/8) while the
 * node is well; the time to detection is lognormal. Then the node is taken out, at the price of a
 * failure, for the time of a repair, or heals as it is.
 *
 * At the beginning a share of the nodes is slow already: what is left until their detection is the
 * stationary residual, U x L, L of the length-biased law, which is lognormal with mu + sigma^2.
 *
 * Each node has a stream of its own, "slow faults"; no draw depends on a policy, and every draw takes
 * the same count of numbers. */
#pragma once
#include "sim/base/random.h"
#include "sim/base/units.h"

#include <stdbool.h>

enum slow_scope { SLOW_NODE, SLOW_GPU, SLOW_LINK };
enum slow_then { SLOW_DRAIN, SLOW_HEALS };
enum { SLOW_PACES_MOST = 8 };

struct slow_fault {               /* one that is given, or drawn */
    uint32_t node, gpu;           /* gpu UINT32_MAX: all of it, or its link */
    uint8_t scope, then;
    double pace;
    int64_t at_ns, detect_ns;     /* onset; from it to the detection */
    int64_t repair_ns;            /* out of service after a drain; -1: by the law of repairs */
};
struct slow_law {                 /* the default of a section in brackets */
    double per_node_day;          /* [.005, A]; 0: none but those given */
    struct { double pace, share; } pace[SLOW_PACES_MOST];    /* [.9 .7, .75 .2, .5 .1, A] */
    uint32_t n_paces;
    int scope, then;              /* [gpu, drain] */
    int64_t detect_median_ns;     /* [52,404 s: a mean of a day, A] */
    double detect_sigma;          /* [1, A] */
    double share_at_start;        /* [.005, A] */
    struct slow_fault *given;     /* [n_given], of the file */
    uint32_t n_given;
    int64_t past_ns;              /* so much has passed on the clock of the given faults when the
                                     trace begins; 0: nothing */
    int64_t drawn_from_ns;        /* the draws began then on that clock; of a past alone */
};
extern const struct slow_law slow_law_usual;
bool slow_happens(const struct slow_law *f);

struct slow_stream { struct random random; double rate; };    /* onsets a second */
void slow_stream(const struct slow_law *f, uint64_t seed, uint32_t node, uint32_t gpus,
                 struct slow_stream *to);
struct slow_draw {
    int64_t after_ns;             /* until the onset; TIME_NEVER: never */
    int64_t detect_ns;
    double pace, gpu_u;           /* gpu_u: which of the GPUs, as a part of 1 */
};
struct slow_draw slow_next(const struct slow_law *f, struct slow_stream *from);
/* the first of a node: it may be slow already, at 0 */
struct slow_draw slow_first(const struct slow_law *f, struct slow_stream *from);
