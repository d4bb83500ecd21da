/* ledger.h - GPU-seconds and the identities of models.md 11.3. */
#pragma once
#include "sim/engine/state.h"

void ledger_begin(struct sched *s);                                       /* all nodes are up, nothing is held */
void ledger_end(struct sched *s);
/* Levels, as of now. Observers see the instant of every change of those that timeseries.csv has. */
static inline void ledger_busy(struct sched *s, int64_t gpu_milli) { s->ledger.busy_milli += gpu_milli; run_shown(s); }
static inline void ledger_up(struct sched *s, int64_t gpu_milli) { s->ledger.up_milli += gpu_milli; run_shown(s); }
static inline void ledger_running(struct sched *s, int jobs) { s->ledger.running += (uint32_t)jobs; run_shown(s); }
static inline void ledger_waiting(struct sched *s, int jobs) { s->ledger.waiting += (uint32_t)jobs; run_shown(s); }
static inline void ledger_in_system(struct sched *s, int jobs) { s->ledger.in_system += (uint32_t)jobs; }
void ledger_down(struct sched *s, node_id n, int128_t gpu_milli_ns);      /* GPUs of n were down for that */
void ledger_settle(struct sched *s, int64_t to_ns);
void ledger_interval(struct sched *s, const struct placement *p, const int64_t split[ACCOUNTS]);

/* A job of the trace has gone, and waited so long in all. One on demand may come again: ledger_add_job() at the end of the run. */
void ledger_gone(struct sched *s, job_id j, int64_t wait_ns);
void ledger_add_job(struct sched *s, job_id j, int64_t wait_ns, int64_t there_ns, int128_t held);

int identities_check(struct sched *s, struct error *err);                 /* identities.c, at the end of the run; -1 with err: one is broken */
