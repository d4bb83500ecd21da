/* mser.c - see mser.h. */
#include "sim/study/mser.h"

#include <math.h>

static double batch_mean(const double *first)
{
    double sum = 0;
    for (size_t i = 0; i < MSER_BATCH; i++)
        sum += first[i];
    return sum / MSER_BATCH;
}

/* From the last batch to the first: mean and squares of the batches after d are updated by one
 * (Welford). */
int mser5(const double *observation, size_t n, size_t *deleted)
{
    size_t batches = n / MSER_BATCH, best = 0;
    double min = (double)INFINITY, mean = 0, squares = 0;
    for (size_t d = batches; d-- > 0;) {
        double kept = (double)(batches - d), z = batch_mean(&observation[d * MSER_BATCH]),
               away = z - mean;
        mean += away / kept;
        squares += away * (z - mean);
        double error = squares / kept / kept;
        if (d <= batches / 2 && error <= min) {
            min = error;
            best = d;
        }
    }
    *deleted = best * MSER_BATCH;
    return best < batches / 2 ? 0 : -1;
}
