/* copula.c - see copula.h. */
#include "traces/synth/copula.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* Integral of phi(z) Phi(rz / sqrt(2 - r^2)) from .. to, by Gauss-Legendre quadrature in pieces. */
static double mean_rank_of(double from, double to, double r)
{
    enum { PIECES = 16, POINTS = 8 };
    static const double at[POINTS / 2] = { 0.1834346424956498, 0.5255324099163290,
                                           0.7966664774136267, 0.9602898564975363 };
    static const double weight[POINTS / 2] = { 0.3626837833783620, 0.3137066458778873,
                                               0.2223810344533745, 0.1012285362903763 };
    double slope = r / sqrt(2 - r * r), sum = 0;
    from = fmax(from, -9);        /* beyond 9 the density is below 1e-18 */
    to = fmin(to, 9);
    if (to <= from)
        return 0;
    for (int k = 0; k < PIECES; k++) {
        double half = (to - from) / PIECES / 2, middle = from + half * (2 * k + 1);
        for (int i = 0; i < POINTS; i++) {
            double z = middle + half * (i % 2 ? at[i / 2] : -at[i / 2]);
            sum += half * weight[i / 2] * exp(-z * z / 2) * gsl_cdf_ugaussian_P(slope * z);
        }
    }
    return sum / sqrt(2 * M_PI);
}

double copula_spearman(const struct shares *sizes, double r)
{
    double product = 0, square = 0, before = 0, z = -INFINITY;
    for (size_t i = 0; i < sizes->n; i++) {
        double p = sizes->up_to[i] - before, rank = before + p / 2;
        double next = sizes->up_to[i] < 1 ? gsl_cdf_ugaussian_Pinv(sizes->up_to[i]) : INFINITY;
        if (p > 0) {
            product += rank * mean_rank_of(z, next, r);
            square += p * rank * rank;
        }
        z = next;
        before = sizes->up_to[i];
    }
    double variance = square - 0.25;
    return variance > 1e-12 ? (product - 0.25) / sqrt(variance / 12) : 0;
}

double copula_r(const struct shares *sizes, double spearman)
{
    double low = -1, high = 1;
    if (spearman == 0)
        return 0;
    if (!(copula_spearman(sizes, low) <= spearman && copula_spearman(sizes, high) >= spearman))
        return NAN;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (copula_spearman(sizes, middle) < spearman)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

double copula_join(double r, double u_size, double u_own)
{
    if (r == 0)
        return u_own;
    double z = r * gsl_cdf_ugaussian_Pinv(u_size) + sqrt(1 - r * r) * gsl_cdf_ugaussian_Pinv(u_own);
    return fmin(fmax(gsl_cdf_ugaussian_P(z), 0x1p-53), 1 - 0x1p-53);
}
