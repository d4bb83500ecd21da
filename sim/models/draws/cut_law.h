/* cut_law.h - a law of law.h cut to [least, most], ready to be drawn from: one uniform number is
 * one value.
 *
 * Cutting gives the same as rejecting values outside: P(X <= x | least <= X <= most). Quantiles are
 * closed where the law has them, else found to 1e-12 in ln x from a table of 2048 places. */
#pragma once
#include "sim/models/draws/law.h"

struct cut_law {
    struct law law;
    double least, most;
    double below, mass;           /* P(X < least), P(least <= X <= most) */
    double mean;                  /* of the cut law */
    double *place, *share;        /* ln x and P(X <= x) there; NULL: quantiles are closed */
};
/* false: less than 1e-9 of the law lies between. Free it with cut_law_free(). */
bool   cut_law_make(struct cut_law *c, const struct law *l, double least, double most);
void   cut_law_free(struct cut_law *c);
double cut_law_quantile(const struct cut_law *c, double u);  /* 0 < u < 1 */
double cut_law_below(const struct cut_law *c, double x);

/* E[X | least <= X <= most]; a law wholly above gives `most`, wholly below `least`. */
double law_cut_mean(const struct law *l, double least, double most);
/* Multiplies the law so that, cut, it has this mean. false: it cannot be done. */
bool   law_scale_to_mean(struct law *l, double least, double most, double mean);
