/* sleep.h - idle nodes that are powered off, and wake for who starts on them: see sleep.c. */
#pragma once
#include "sim/contract/policy.h"

void sleep_there(struct sched *s, node_id n, bool there);    /* of a pool: it has come, and is up; or it is gone */
void sleep_use_changed(struct sched *s, node_id n);          /* a piece has come to it or left it */
