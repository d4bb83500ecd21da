/* fluid.h - a service as a flow: closed forms in equilibrium, a fluid where more comes than can be
 * served. models.md 4.3.
 *
 * An interval of constant rate and replicas is one of two: Calm  rho < 1 and no backlog: the wait
 *   law of M/M/c (Erlang C), scaled by (c_a^2 + c_s^2)/2 (Allen and Cunneen); the response
 *             time is its convolution with the service law (spread.h).
 *   Overload  a first-in first-out queue of fluid (backlog.h). Fluid served at t has waited for the
 *             age of the head; fluid older than the timeout is dropped.
 * Replicas of several speeds or clocks count as replicas of their mean speed and clock. No request is lost when a
 * replica stops: a fluid has none. arrived = served + dropped + unfinished, to 1e-9 of arrived. */
#pragma once
#include "sim/serving/serving.h"

struct fluid;
struct fluid *fluid_new(const struct service *s, uint64_t seed);
void fluid_free(struct fluid *f);
void fluid_advance(struct fluid *f, int64_t to_ns);
void fluid_replica_ready(struct fluid *f, uint32_t id, double speed);
void fluid_replica_gone(struct fluid *f, uint32_t id);
void fluid_replica_speed(struct fluid *f, uint32_t id, double speed);
void fluid_replica_clock(struct fluid *f, uint32_t id, double clock);
struct replica_work fluid_replica_work(const struct fluid *f);
struct serving_load fluid_load(const struct fluid *f);
struct serving_figures fluid_take_figures(struct fluid *f);
struct serving_figures fluid_total(const struct fluid *f);
uint64_t fluid_drawn(const struct fluid *f);
