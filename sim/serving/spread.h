/* spread.h - a distribution as a polygon: P(X <= x) at points, straight between them. What fluid mode convolves.
 *
 * Points lie as close as the law needs them, whether it is of microseconds or of minutes: at 1/128 of the probability each, and above
 * 7/8 at eighths of powers of two of what is left, so that a tail is within 0.1 % of itself. An atom is two points at one x. */
#pragma once
#include "sim/models/draws/cut_law.h"
#include "sim/serving/queueing.h"

struct spread {
    size_t n, room;
    double *x, *p;                /* [n] neither falls; p ends with 1 */
    double mean, square;          /* E[X], E[X^2] */
};
struct spread spread_of_law(const struct cut_law *l);
struct spread spread_uniform(double least, double most);     /* equal: an atom */
/* An atom of 1/k at most, else uniform over [least, most]: what those who wait for a batch of k do. */
struct spread spread_last_of(double least, double most, double k);
struct spread spread_of_atoms(const double *at, const double *mass, size_t n);     /* at rises; the masses sum up to 1; n > 0 */
struct spread spread_scaled(const struct spread *s, double by);
/* Of independent X + Y: one as bins, the other exact. */
struct spread spread_sum(const struct spread *x, const struct spread *y);
/* Of W + X, W by the wait law: exact but for the polygon. */
struct spread spread_after_wait(const struct spread *x, const struct wait_law *w);
void   spread_free(struct spread *s);

double spread_below(const struct spread *s, double x);       /* P(X <= x) */
double spread_quantile(const struct spread *s, double p);
double spread_c2(const struct spread *s);                    /* squared coefficient of variation */
