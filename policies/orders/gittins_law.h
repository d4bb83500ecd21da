/* gittins_law.h - the Gittins index of a job by the service it has had, from a sample of services.
 *
 *   G(a) = sup over D of P(S - a <= D | S > a) / E[min(S - a, D) | S > a]
 *
 * In the plane of X(a) = integral from 0 to a of (1 - F) and Y(a) = F(a), G(a) is the steepest
 * slope from the point of a to a later one. F is the empirical distribution, linear between the
 * sampled services: its steps would make the index endless just before each of them. The least
 * concave curve above all points falls into stages: at the start of a stage the index is its slope,
 * within it the index is that or more, and it falls for good only from one stage to the next
 * (Aalto, Ayesta and Righter, QUESTA 63, 2009). */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct gittins_law {
    size_t n;                     /* points; 0: nothing is known. The first is of service 0 */
    double *service, *x, *y;      /* ascending */
    double *index;                /* at the point: the slope to the next of it; 0 at the last */
    /* the point to which the slope is steepest; of the last: itself */
    uint32_t *next;
    /* the next point at which the index is lower; of the last: itself */
    uint32_t *lower;
    /* points at which the stages begin; the last point begins the last stage, of index 0 */
    uint32_t *stage;
    size_t n_stages, capacity;
};

/* Of n services above 0, ascending. The arrays of the law hold n + 1 already. */
void   gittins_learn(struct gittins_law *law, const double *service, size_t n);
/* Each of the following begins at *near, some point, which becomes the last one that is not beyond
 * the service: cheap for a job that is asked for again soon. */

/* Per unit of service. */
double gittins_index(const struct gittins_law *law, double service, uint32_t *near);
/* From this service up to the one returned the index is above `index`, rounding included: at the
 * latest to the last point, of index 0. Between two points the index never falls: the density there
 * is even, so that the rest is ever more likely to end soon. */
double gittins_falls_to(const struct gittins_law *law, double service, double index,
                        uint32_t *near);
/* From this service up to the one returned rounding does not change the index by as much as a
 * millionth; INFINITY: from here on. */
double gittins_blurs_at(const struct gittins_law *law, double service, uint32_t *near);

uint32_t gittins_stage(const struct gittins_law *law, double service);
/* At its start: its least. */
double gittins_stage_index(const struct gittins_law *law, uint32_t stage);
/* INFINITY: of the last. */
double gittins_stage_end(const struct gittins_law *law, uint32_t stage);
