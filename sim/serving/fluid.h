/* fluid.h - a service as a flow: closed forms in equilibrium, a fluid where more comes than can be served. models.md 4.3.
 *
 * Each stretch of constant rate and replicas is one of two things.
 *   Calm, rho < 1 and nobody left over: the wait law of M/M/c (Erlang C), stretched by (c_a^2 + c_s^2)/2 (Allen and Cunneen), and the
 *   response time is its convolution with the service law (spread.h).
 *   Overload: a queue first in first out of fluid. Whoever is served at t has waited for the age of its head; what gets older
 *   than the timeout is dropped.
 * Replicas of several speeds count as as many of their mean speed. Requests that are served when a replica goes are not lost: a
 * fluid has none. arrived = served + dropped + unfinished, to 1e-9 of arrived. */
#pragma once
#include "sim/serving/serving.h"

struct fluid;
struct fluid *fluid_new(const struct service *s, uint64_t seed);
void fluid_free(struct fluid *f);
void fluid_advance(struct fluid *f, int64_t to_ns);
void fluid_replica_ready(struct fluid *f, uint32_t id, double speed);
void fluid_replica_gone(struct fluid *f, uint32_t id);
struct serving_load fluid_load(const struct fluid *f);
int64_t fluid_next_request_ns(struct fluid *f);
struct serving_figures fluid_take_figures(struct fluid *f);
struct serving_figures fluid_total(const struct fluid *f);
uint64_t fluid_drawn(const struct fluid *f);
