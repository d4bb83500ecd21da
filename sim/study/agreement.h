/* agreement.h - how far the waits of a simulated run agree with those that were recorded.
 *
 * Pairs (was, is): the wait of one job in seconds until its first start, recorded and simulated.
 * Neighbours in time share their fate, so intervals come from a block bootstrap: pairs of one block
 * of submit times stay together, as many blocks as there are are drawn with replacement, and the
 * bounds are the 2.5 and 97.5 percent quantiles of AGREEMENT_DRAWS draws of the stream (seed,
 * "validate") (Künsch, Annals of Statistics 17, 1989; here blocks do not overlap). A block is
 * `block_s` long, or less: there are at least AGREEMENT_BLOCKS of them. Of the rank correlation the
 * ranks stay those of the whole sample.
 *
 *   change        mean(is) / mean(was) - 1; NaN without a wait in the record
 *   rank          Spearman's correlation: Pearson's of the mid-ranks; NaN if one side is all equal
 *   error         mean of |is - was| / mean(was)
 *   near          share of the pairs with |is - was| at most the larger of NEAR_S and NEAR_PART was
 *   distance      Kolmogorov's: the largest difference between the two distribution functions
 */
#pragma once
#include "sim/study/paired.h"

enum { AGREEMENT_DRAWS = 1000, AGREEMENT_BLOCKS = 10 };
#define AGREEMENT_NEAR_S    60.0
#define AGREEMENT_NEAR_PART 0.1

struct wait_pair { double submit_s, was_s, is_s; };
struct with_bounds { double value; struct bounds bounds; };
struct agreement {
    size_t pairs, blocks;
    double block_s;               /* that was used */
    double was_mean_s, is_mean_s;
    struct with_bounds change, rank, error, near;
    double distance;
};
/* n > 0; `pair` is not reordered. */
struct agreement agreement_of(const struct wait_pair *pair, size_t n, double block_s, uint64_t seed);

/* What it may stand for, by the bounds: of its waits, if the mean is surely within
 * AGREEMENT_CHANGE and ranks surely agree by AGREEMENT_RANK; of an order of jobs, if these surely
 * agree by AGREEMENT_ORDER; or of neither. Surely: both bounds. */
#define AGREEMENT_CHANGE 0.1
#define AGREEMENT_RANK   0.9
#define AGREEMENT_ORDER  0.5
enum trust { TRUST_NONE, TRUST_ORDER, TRUST_WAITS };
enum trust agreement_trust(const struct agreement *a);
