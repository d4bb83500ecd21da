/* faults.h - the model of failures (models.md 8) in a run: what fails when, and what came of it. */
#pragma once
#include "sim/contract/policy.h"
#include "sim/base/units.h"

struct fault_run;
struct live;
extern const char *const strike_cause_name[];                             /* by cause of struck.h */
bool faults_give_up(const struct sched *s, struct live *l);               /* one more failure of it: too many? */
void faults_stopped(struct sched *s, const struct live *l, unsigned cause);    /* counted; it still counts as running */
void faults_lost(struct sched *s, unsigned cause, int128_t lost);         /* useful milli-GPU ns that are to be done again */
int128_t faults_lost_in_all(const struct sched *s);                       /* milli-GPU ns; 0 without the model */
