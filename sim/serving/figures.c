/* figures.c - see figures.h. */
#include "sim/serving/figures.h"

#include <math.h>

double figures_attainment(const struct serving_figures *f)
{
    double ended = f->served + f->dropped;
    return ended > 0 ? f->kept / ended : NAN;
}

double figures_duty(const struct serving_figures *f)
{
    return f->replica_s > 0 ? f->busy_s / f->replica_s : 0;
}
