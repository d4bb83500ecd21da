/* ready.h - a class of jobs ready to be drawn from: shares summed up, laws solved and cut. */
#pragma once
#include "sim/models/draws/cut_law.h"
#include "traces/synth/copula.h"
#include "traces/synth/spec.h"

struct ready_class {
    const struct synth_class *of;
    struct shares sizes;          /* with the mean of the file */
    double r;                     /* of the copula */
    size_t n_laws;                /* 1, or one for each size */
    struct cut_law (*law)[SYNTH_FATES];    /* [n_laws] run times by fate */
    struct shares *fates;         /* [sizes] */
    struct shares gpu_types, models;       /* n 0: none */
};
/* Independent uniform numbers, from which a job of a class is made. */
struct luck { double size, duration, fate; };
struct drawn { size_t size; enum job_fate fate; double duration_s; };

/* 0, or -1 with err; ready_free() in any case */
int  ready_make(struct ready_class *to, const struct synth_class *c, struct error *err);
void ready_free(struct ready_class *r);
struct drawn ready_draw(const struct ready_class *r, const struct luck *u);

double size_gpus(const struct synth_size *s);
/* Mean number of attempts of a job of that size, the first included. */
double ready_attempts(const struct ready_class *r, size_t size,
                      const struct synth_retries *retries);
/* E[GPUs x seconds x slowdown] of all attempts of a job: exact without a correlation
 * (*relative_error 0), else by 2^20/`among` quasi-random draws in 16 lots; their scatter gives
 * *relative_error. */
double ready_gpu_s(const struct ready_class *r, const struct synth_retries *retries, uint32_t among,
                   double *relative_error);
