/* checkpoint_laws.c - see checkpoint_laws.h. */
#include "sim/models/checkpoint_laws.h"

#include <math.h>

double young_interval_s(double write_s, double mtbf_s)
{
    return sqrt(2 * write_s * mtbf_s);
}

double daly_interval_s(double write_s, double mtbf_s)
{
    if (write_s >= 2 * mtbf_s)
        return mtbf_s;
    double x = write_s / (2 * mtbf_s);
    return young_interval_s(write_s, mtbf_s) * (1 + sqrt(x) / 3 + x / 9) - write_s;
}

double auto_interval_s(double law_s)
{
    return fmin(fmax(law_s, CHECKPOINT_INTERVAL_LEAST_S), CHECKPOINT_INTERVAL_MOST_S);
}

double expected_wall_s(double work_s, double interval_s, double write_s, double restart_s,
                       double mtbf_s)
{
    return mtbf_s * exp(restart_s / mtbf_s) * expm1((interval_s + write_s) / mtbf_s) * work_s /
           interval_s;
}

double init_s(double fixed_s, double per_doubling_s, double gpus)
{
    return fixed_s + (gpus > 1 ? per_doubling_s * log2(gpus) : 0);
}
