/* spread.h - a distribution as a polygon: P(X <= x) at points, linear between them. Fluid mode
 * convolves these, and adds up many of them in classes.
 *
 * Points are as dense as the law needs, at any scale of time: at each 1/128 of the probability, and
 * above 7/8 at eighths of powers of two of the remaining probability, so that a tail is within 0.1
 * % of itself. An atom is two points at one x.
 *
 * flow_counts: amounts of requests by duration, added from polygons, in 256 classes for each power
 * of two of a nanosecond. A quantile is linear within its class, hence within 0.3 % where the
 * distribution jumps. */
#pragma once
#include "sim/models/draws/cut_law.h"
#include "sim/serving/figures.h"
#include "sim/serving/queueing.h"

struct spread {
    size_t n, capacity;
    double *x, *p;                /* [n] ascending, ties allowed; the last p is 1 */
    double mean, square;          /* E[X], E[X^2] */
    bool uniform;                 /* over all its range */
};
struct spread spread_of_law(const struct cut_law *l);
struct spread spread_uniform(double least, double most);     /* least = most: an atom */
/* An atom of 1/k at `most`, else uniform over [least, most]: the times of requests that wait for a
 * batch of k. */
struct spread spread_last_of(double least, double most, double k);
/* at: ascending; masses have the sum 1; n > 0 */
struct spread spread_of_atoms(const double *at, const double *mass, size_t n);
struct spread spread_scaled(const struct spread *s, double by);
void   spread_move(struct spread *s, double by);             /* X + by; at least 0 */
/* X + Y, independent: exact at its points if Y is uniform; if not, Y is taken in bins, each an atom
 * in its middle. */
struct spread spread_sum(const struct spread *x, const struct spread *y);
/* W + X, W of the wait law: exact but for the polygon. */
struct spread spread_after_wait(const struct spread *x, const struct wait_law *w);
void   spread_free(struct spread *s);

double spread_below(const struct spread *s, double x);       /* P(X <= x) */
double spread_quantile(const struct spread *s, double p);
double spread_c2(const struct spread *s);                    /* squared coefficient of variation */

struct flow_counts {
    double *amount;               /* [CLASSES]; NULL: empty */
    uint32_t first, last;         /* the lowest and the highest class in use */
    double n, sum_s;
};
void   flow_counts_add(struct flow_counts *c, const struct spread *s, double amount);
void   flow_counts_merge(struct flow_counts *to, const struct flow_counts *more);
void   flow_counts_clear(struct flow_counts *c);
void   flow_counts_free(struct flow_counts *c);
double flow_counts_quantile_s(const struct flow_counts *c, double p);  /* NAN: empty */
struct delays flow_counts_delays(const struct flow_counts *c);
