/* mser.h - where a run has warmed up: how many observations at its beginning to leave out (MSER-5: White, Cobb and Spratt 2000).
 *
 * Observations are averaged in batches of five, Z_1 to Z_b. Of all d up to b / 2 the one that is left out is that for which
 * sum over i > d of (Z_i - their mean)^2, by (b - d)^2, is least: of several the smallest. Where it is b / 2 itself, the run has not
 * settled: it is too short, and no number of observations is right. */
#pragma once
#include <stddef.h>

enum { MSER_BATCH = 5 };
/* *deleted: observations to leave out, a multiple of five; those behind the last whole batch do not count. 0; -1: too short. */
int mser5(const double *observation, size_t n, size_t *deleted);
