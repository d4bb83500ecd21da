/* arrivals.h - arrival times: a Poisson process, an interrupted one, or gaps of higher variance.
 *
 *   POISSON   gaps of mean 1/rate, exponential
 *   HYPER     gaps of mean 1/rate and squared coefficient of variation c2 >= 1: exponential of rate
 *             2 p rate with probability p = (1 + sqrt((c2 - 1)/(c2 + 1)))/2, else of rate
 *             2 (1 - p) rate: balanced means
 *   MMPP      Poisson at one of two rates, `burst_ratio` apart, with exponential stays in either;
 *             `rate` is the mean
 *
 * A calendar modulates the rate. Candidates of a Poisson process (POISSON, MMPP) come at the max
 * rate and are kept with probability rate(t)/max: thinning (Lewis and Shedler, Naval Research
 * Logistics Quarterly 26, 1979). Thinning would change the law of HYPER gaps, so they are stretched
 * instead: the draw is the integral of the rate between two arrivals. Arrival k draws from a stream
 * of its own. */
#pragma once
#include "sim/models/draws/calendar.h"

enum arrival_kind { ARRIVE_POISSON, ARRIVE_HYPER, ARRIVE_MMPP };
struct arrival_law {
    enum arrival_kind kind;
    double c2;                    /* of HYPER */
    double burst_ratio, burst_s, calm_s;  /* of MMPP: the high rate over the low one; mean stays */
};
struct arrivals {
    const struct arrival_law *law;
    const struct calendar *calendar;
    double rate;                  /* per second, on the first day */
    uint64_t seed, n;             /* arrivals so far */
    const char *purpose;          /* of the streams */
    double time_s;                /* of the last one */
    bool bursting;                /* MMPP: since before time_s, until change_s */
    double change_s;
    uint64_t changes;
};
/* Both are borrowed. `purpose` names the streams. */
struct arrivals arrivals_from(const struct arrival_law *law, const struct calendar *calendar,
                              double rate, uint64_t seed, const char *purpose);
double arrivals_next(struct arrivals *a);     /* the time of the next; INFINITY: there is none
                                                 within a hundred years */
/* the next comes after that time; the stays of MMPP are unchanged */
void   arrivals_skip_to(struct arrivals *a, double time_s);
/* The rate from time_s until *until_s, a later time; of MMPP that of the state it is in. */
double arrivals_rate(const struct arrivals *a, double *until_s);

double hyper_probability(double c2);          /* p of above */
/* Rates of MMPP, in units of the mean: while calm; in a burst it is burst_ratio times that. */
double mmpp_calm_rate(const struct arrival_law *law);
