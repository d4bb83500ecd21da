/* sleep.h - idle nodes are powered off. models.md 9; keys off_after_s, wake_s and off_w of the section `power`.
 *
 * A node is powered off when no job has held any of it, nor stood suspended there, for off_after_s. It stays in every view: a job
 * that starts on it wakes it, holds its GPUs and waits for wake_s (account "start"), and so does a job that starts there before
 * it is up. It draws off_w while it is off, and what any node draws from the moment of waking. A node that is out of service is
 * powered off like any other, draws nothing, and has to be woken when it is back. Power caps count it as on. */
#pragma once
#include "sim/contract/policy.h"

void sleep_there(struct sched *s, node_id n, bool there);    /* a node of a pool: it has come and is up, or is gone */
