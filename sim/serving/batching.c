/* batching.c - see batching.h. */
#include "sim/serving/service_time.h"

const struct batch_model batch_cnn_v100 = { .t0_s = .004, .t1_s = .001, .window_s = .005, .most = 32 };

double batch_s(const struct batch_model *b, double k)
{
    return b->t0_s + b->t1_s * k;
}

double batch_capacity(const struct batch_model *b)
{
    return b->most / batch_s(b, b->most);
}
