/* law.c - see law.h. */
#include "sim/models/draws/law.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

static double phi(double z)
{
    return 0.5 * erfc(-z * M_SQRT1_2);
}

/* P(a, x); GSL's own handler would end the program where a tail is below what a double can hold. */
static double gamma_below(double a, double x)
{
    gsl_sf_result r = { 0 };
    if (x <= 0 || !isfinite(x))
        return x > 0;
    gsl_error_handler_t *usual = gsl_set_error_handler_off();
    gsl_sf_gamma_inc_P_e(a, x, &r);
    gsl_set_error_handler(usual);
    return r.val;
}

size_t values_up_to(const double *value, size_t n, double x)
{
    size_t from = 0, to = n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (value[middle] <= x)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* ---- each kind, with scale 1; x > 0 ---- */

static double part_below(const struct law_part *p, double x)
{
    switch (p->kind) {
    case LAW_FIXED:
        return x >= p->a;
    case LAW_EXPONENTIAL:
        return -expm1(-x / p->a);
    case LAW_LOGNORMAL:
        return phi((log(x) - p->a) / p->b);
    case LAW_WEIBULL:
        return -expm1(-pow(x / p->b, p->a));
    case LAW_GAMMA:
        return gamma_below(p->a, x / p->b);
    case LAW_LOG2_GAMMA:
        return x > 1 ? gamma_below(p->a, log2(x) / p->b) : 0;
    case LAW_LOG_UNIFORM:
        return x <= p->a ? 0 : x >= p->b ? 1 : log(x / p->a) / log(p->b / p->a);
    case LAW_EMPIRICAL:
        return (double)values_up_to(p->values->value, p->values->n, x) / (double)p->values->n;
    }
    return 0;
}

static double part_mean_below(const struct law_part *p, double x)
{
    switch (p->kind) {
    case LAW_FIXED:
        return x >= p->a ? p->a : 0;
    case LAW_EXPONENTIAL:
        return isfinite(x) ? p->a * -expm1(-x / p->a) - x * exp(-x / p->a) : p->a;
    case LAW_LOGNORMAL:
        return exp(p->a + p->b * p->b / 2) * phi((log(x) - p->a) / p->b - p->b);
    case LAW_WEIBULL:                         /* y = (x/b)^a is exponential, and x = b y^(1/a) */
        return p->b * tgamma(1 + 1 / p->a) * gamma_below(1 + 1 / p->a, pow(x / p->b, p->a));
    case LAW_GAMMA:
        return p->a * p->b * gamma_below(p->a + 1, x / p->b);
    case LAW_LOG2_GAMMA: {  /* e^(cy) y^(a-1) e^(-y/b): a gamma law again, of scale b/(1-cb) */
        double left = 1 - M_LN2 * p->b;
        return x > 1 ? pow(left, -p->a) * gamma_below(p->a, log2(x) / p->b * left) : 0;
    }
    case LAW_LOG_UNIFORM:
        return x <= p->a ? 0 : (fmin(x, p->b) - p->a) / log(p->b / p->a);
    case LAW_EMPIRICAL:
        return p->values->sum[values_up_to(p->values->value, p->values->n, x)] /
               (double)p->values->n;
    }
    return 0;
}

static double part_quantile(const struct law_part *p, double u)
{
    switch (p->kind) {
    case LAW_FIXED:
        return p->a;
    case LAW_EXPONENTIAL:
        return -p->a * log1p(-u);
    case LAW_LOGNORMAL:
        return exp(p->a + p->b * gsl_cdf_ugaussian_Pinv(u));
    case LAW_WEIBULL:
        return p->b * pow(-log1p(-u), 1 / p->a);
    case LAW_LOG_UNIFORM:
        return p->a * pow(p->b / p->a, u);
    case LAW_EMPIRICAL: {
        double rank = ceil(u * (double)p->values->n);
        return p->values->value[rank < 1 ? 0 : (size_t)fmin(rank, (double)p->values->n) - 1];
    }
    default:
        return NAN;
    }
}

/* ---- laws ---- */

double law_below(const struct law *l, double x)
{
    double sum = 0;
    for (size_t i = 0; i < l->n && x > 0; i++)
        sum += l->part[i].weight * part_below(&l->part[i], x / l->part[i].scale);
    return sum;
}

double law_mean_below(const struct law *l, double x)
{
    double sum = 0;
    for (size_t i = 0; i < l->n && x > 0; i++)
        sum += l->part[i].weight * l->part[i].scale *
               part_mean_below(&l->part[i], x / l->part[i].scale);
    return sum;
}

bool law_has_quantile(const struct law *l)
{
    return l->n == 1 && l->part[0].kind != LAW_GAMMA && l->part[0].kind != LAW_LOG2_GAMMA;
}

double law_quantile(const struct law *l, double p)
{
    assert(law_has_quantile(l));
    return l->part[0].scale * part_quantile(&l->part[0], p);
}

void law_scale(struct law *l, double by)
{
    for (size_t i = 0; i < l->n; i++)
        l->part[i].scale *= by;
}

bool law_add(struct law *l, double weight, const struct law *more)
{
    if (l->n + more->n > LAW_PARTS_MOST)
        return false;
    for (size_t i = 0; i < more->n; i++) {
        l->part[l->n] = more->part[i];
        l->part[l->n++].weight *= weight;
    }
    return true;
}

struct law law_lognormal(double mu, double sigma)
{
    return (struct law){
        1, { { .kind = LAW_LOGNORMAL, .weight = 1, .scale = 1, .a = mu, .b = sigma } }
    };
}

struct law law_lognormal_of(double mean, double median)
{
    return law_lognormal(log(median), sqrt(2 * log(mean / median)));
}
