/* checkpoint_laws.h - how large a checkpoint is, and how often to write one: models.md 3.2 to 3.4.
 *
 * Laws in seconds, for settings, reports and tests: M is the mean time between failures of the job,
 * which come as a Poisson process; an interval is the computing between the end of one checkpoint
 * and the beginning of the next. */
#pragma once
#include <stdint.h>

#define CHECKPOINT_BYTES_PER_PARAMETER                                                             \
    14 /* weights 2, master weights and Adam's two moments 12 [models.md 3.3] */
#define CHECKPOINT_INTERVAL_LEAST_S    300.0       /* bounds of INTERVAL_AUTO [models.md 3.4] */
#define CHECKPOINT_INTERVAL_MOST_S     14400.0

double young_interval_s(double write_s, double mtbf_s);      /* sqrt(2 d M) [P: Young 1974] */
/* its higher-order estimate; M if d >= 2 M [P: Daly 2006] */
double daly_interval_s(double write_s, double mtbf_s);
double auto_interval_s(double law_s);                        /* within the bounds above */
/* Of work_s seconds of work; failures strike during restarts and checkpoints, too:
 * M e^(R/M) (e^((tau+d)/M) - 1) W/tau [P: Daly 2006, eq. 13]. */
double expected_wall_s(double work_s, double interval_s, double write_s, double restart_s,
                       double mtbf_s);
double init_s(double fixed_s, double per_doubling_s, double gpus);          /* a + b log2(n) */
