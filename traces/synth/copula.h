/* copula.h - a Gaussian copula between the size of a job and its run time.
 *
 * Both come from standard normal numbers of correlation r. Sizes have many ties, so the target is
 * Spearman's rank correlation as it is measured on jobs, where ties have the mean of their ranks;
 * without ties it is (6/pi) asin(r/2) (Kruskal, JASA 53, 1958, 823). With sizes r is solved for the
 * measured correlation: for the normal number z of a size E[Phi(z')|z] = Phi(r z / sqrt(2 - r^2)),
 * integrated over the part of the line of each size. */
#pragma once
#include "sim/models/draws/shares.h"

/* Spearman's correlation of sizes with these shares, in ascending order of size, and a run time
 * without ties; 0 of one size. */
double copula_spearman(const struct shares *sizes, double r);
/* r for that correlation, from -1 to 1; NAN: the sizes do not allow it. */
double copula_r(const struct shares *sizes, double spearman);
/* The uniform number of the run time, from that of the size and an independent one. */
double copula_join(double r, double u_size, double u_own);
