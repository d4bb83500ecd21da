/* elastic.h - progress rates of jobs of several sizes, at each size. Section `elastic`; models.md 3.6.
 *
 * Work is what training would do at its usual size on as few nodes of reference GPUs as that takes: so much per second. At another
 * size or placement the progress rate is goodput here / goodput there, both with the gradient noise of now; without a goodput
 * model it is in proportion to the size. The noise depends on the share of the work that is done, and is kept for a step of it
 * (sim/models/elastic.h). A job with goodput does without the rates of training models (rates.c): its exchange of gradients is in
 * the fit. On GPUs of several models it progresses at the rate of the slowest [A]. */
#pragma once
#include "sim/contract/policy.h"

bool elastic_learns(const struct sched *s, job_id j);        /* it has a goodput model */
