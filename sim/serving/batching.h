/* batching.h - a replica that serves several requests at once and ends them together: models.md 4.2.
 *
 * A batch of k takes t0 + t1 k seconds. It begins when the replica is free and as many wait as a batch may have, or the
 * oldest has waited for `window_s`. */
#pragma once
#include <stdint.h>

struct batch_model { double t0_s, t1_s, window_s; uint32_t most; };
extern const struct batch_model batch_cnn_v100;              /* 4 ms + 1 ms k, at most 32, 5 ms */

double batch_s(const struct batch_model *b, double k);
double batch_capacity(const struct batch_model *b);          /* requests per second of one replica: most / s(most) */
