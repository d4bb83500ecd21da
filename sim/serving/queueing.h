/* queueing.h - closed forms of queues: models.md 4.3.
 *
 * c servers, offered load a = lambda E[S], rho = a/c. Erlang B  B_0 = 1, B_k = a B_{k-1}/(k + a
 *   B_{k-1}) Erlang C  B_c/(1 - rho (1 - B_c)), the probability to wait in M/M/c
 * Wait of G/G/c (Allen and Cunneen): W = C/(c mu (1 - rho)) x (c_a^2 + c_s^2)/2, P(wait > t) = C
 * e^(-C t/W): of M/M/c exact.
 *
 * With a timeout, after which a waiting request leaves (M/M/c+D): up to the timeout the density of
 * the wait of an arrival is P0 (c mu - lambda) C/(1 - C) e^(-(c mu - lambda) t), P0 the probability
 * not to wait; beyond it, where no arrival joins the queue, it is its value at the timeout x e^(-c
 * mu (t - timeout)), and those requests leave (level crossings, as in Boxma and de Waal, ITC 14,
 * 1994). Waits of G/G/c are scaled by (c_a^2 + c_s^2)/2, as above. */
#pragma once
#include <stdint.h>

double erlang_b(uint32_t servers, double offered);
double erlang_c(uint32_t servers, double offered);           /* offered >= servers: 1 */

/* The wait t of served requests: P(wait > t) = (waits/w) (e^(-rate t) - e^(-rate timeout)), w so
 * that it is `waits` at 0. */
struct wait_law {
    double waits, rate;           /* rate INFINITY: no request waits */
    double timeout;               /* INFINITY: no request leaves */
    double leaves;                /* share of all requests that leave */
};
/* P(wait > t) = waits x e^(-rate t) without the timeout; serves: requests per second while all
 * servers are busy, scaled as rate is. */
struct wait_law wait_law_of(double waits, double rate, double serves, double timeout_s);
/* offered < servers; service_s: E[S]; c2: (c_a^2 + c_s^2)/2. */
struct wait_law wait_in_queue(uint32_t servers, double offered, double service_s, double c2,
                              double timeout_s);
double wait_mean(const struct wait_law *w);
double wait_above(const struct wait_law *w, double t);
/* without a timeout max(0, ln(C/(1 - p))/rate) */
double wait_quantile(const struct wait_law *w, double p);
