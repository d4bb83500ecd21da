/* mser.h - MSER-5: the number of observations to delete at the beginning of a series (White,
 * Cobb and Spratt 2000; models.md 10.6).
 *
 * Observations are averaged in batches of five, Z_1 to Z_b. Of all d from 0 to b / 2 that one is
 * chosen that minimises sum over i > d of (Z_i - mean of these Z)^2 / (b - d)^2; of equal ones
 * the smallest. If it is b / 2, the series has not settled: it is too short, and no number of
 * observations is right. */
#pragma once
#include <stddef.h>

enum { MSER_BATCH = 5 };
/* *deleted: a multiple of five; observations after the last whole batch are ignored. 0; -1: too
 * short. */
int mser5(const double *observation, size_t n, size_t *deleted);
