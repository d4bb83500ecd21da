/* copula.h - a Gaussian copula between the size of a job and its run time.
 *
 * Both come from standard normal numbers of correlation r. A size has many ties, so what is asked for is Spearman's rank
 * correlation as one measures it on jobs, ties having the mean of their ranks; without ties it is (6/pi) asin(r/2) (Kruskal,
 * JASA 53, 1958, 823). With sizes, r is found so that the measured one is met: for normal numbers z of the size,
 * E[Phi(z')|z] = Phi(r z / sqrt(2 - r^2)), which is integrated over each size's part of the line. */
#pragma once
#include "sim/models/draws/shares.h"

/* Spearman's correlation of sizes of these shares, in ascending order of size, with a run time without ties; 0 if there is
 * but one size. */
double copula_spearman(const struct shares *sizes, double r);
/* r for that Spearman, from -1 to 1; NAN if the sizes do not allow as much. */
double copula_r(const struct shares *sizes, double spearman);
/* The uniform number of the run time, from that of the size and one of its own. */
double copula_join(double r, double u_size, double u_own);
