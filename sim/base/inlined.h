/* inlined.h - functions on the way of every job that gcc would not inline: it counts branches that are
 * rarely taken, and a call costs as much as the rest. */
#pragma once
#define INLINED static inline __attribute__((always_inline))
