/* queueing.h - closed forms of queues: models.md 4.3.
 *
 * c servers, offered load a = lambda E[S], rho = a/c.
 *   Erlang B  B_0 = 1, B_k = a B_{k-1}/(k + a B_{k-1})
 *   Erlang C  B_c/(1 - rho (1 - B_c)), the probability to wait in M/M/c
 * Wait of G/G/c (Allen and Cunneen): W = C/(c mu (1 - rho)) x (c_a^2 + c_s^2)/2, P(wait > t) = C e^(-C t/W): of M/M/c exact. */
#pragma once
#include <stdint.h>

double erlang_b(uint32_t servers, double offered);
double erlang_c(uint32_t servers, double offered);           /* offered >= servers: 1 */

struct wait_law { double waits, rate; };     /* P(wait > t) = waits x e^(-rate t); rate INFINITY: nobody waits */
/* offered < servers; service_s: E[S]; c2: (c_a^2 + c_s^2)/2. */
struct wait_law wait_in_queue(uint32_t servers, double offered, double service_s, double c2);
double wait_mean(const struct wait_law *w);
double wait_above(const struct wait_law *w, double t);
double wait_quantile(const struct wait_law *w, double p);    /* max(0, ln(C/(1 - p))/rate) */
