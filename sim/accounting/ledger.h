/* ledger.h - GPU-seconds and the identities of models.md 11.3. */
#pragma once
#include "sim/engine/host.h"

void ledger_settle(struct sched *s, int64_t to_ns);
void ledger_interval(struct sched *s, const struct placement *p, const int64_t split[ACCOUNTS]);
int  ledger_check(struct sched *s, struct error *err);
