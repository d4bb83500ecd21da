/* engine.h - the loop: the earliest event, arrival, wake-up or pass; what happens is applied and notices are given; then one pass.
 *
 *   t = earliest of: event, arrival, wake-up, pass due, switch of the policy
 *   settle the integrals up to t; apply every event at t in its order; then one pass
 *
 * A pass that makes events at its own instant (work of no length) is followed by another round at that instant. models.md 0.
 *
 * With `passes: event` in the cluster file the events of t come one by one, with a pass after each. Simulators that call their
 * scheduler from the handler of each event work so, and then the order at equal times matters. It is that of pyss
 * (dinesh121991/predictsim:simulation/pyss/src/base/prototype.py, EVENTS_ORDER; src/schedulers/common.py, CpuSnapshot):
 *
 *   1. all ends that estimates foretold, as one event: a plan counts their GPUs as free from that time on
 *   2. submissions of the trace by id: a job that ends early still holds its GPUs
 *   3. the other ends, in the order of the starts, then by id
 *   4. all else in the order of the queue (event_queue.h)
 *
 * Each step looks again from 1, so that what a pass adds to the instant has its place. Jobs that an event lets in (dependencies)
 * arrive with it; wake-ups, plans that fall due and a switch of the policy come with the last. With a period there is a pass after
 * each event only at the instants of its grid. An end is foretold if it comes at start + start-up + what was left of the estimate
 * at the start; a job without an estimate, or one that does not run at the rate of the trace, ends in step 3. Costs O(ends at t) for
 * each event. */
#pragma once
#include "sim/engine/state.h"

void loop_begin(struct sched *s);
