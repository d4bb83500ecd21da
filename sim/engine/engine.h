/* engine.h - the loop: the earliest event, arrival, wake-up or pass; what happens is applied and notices are given; then one pass.
 *
 *   t = earliest of: event, arrival, wake-up, pass due, switch of the policy
 *   settle the integrals up to t; apply every event at t in its order; then one pass
 *
 * A pass that makes events at its own instant (work of no length) is followed by another round at that instant. models.md 0. */
#pragma once
#include "sim/engine/state.h"

void loop_begin(struct sched *s);
