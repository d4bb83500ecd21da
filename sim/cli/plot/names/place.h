/* place.h - whether names fit beside what they name, so that a picture needs no legend.
 *
 * Pixels are those of a layout (figure.h), x to the right and y up. A character is CHARACTER_PX
 * wide and a line LINE_PX high, as gnuplot's are at text of 10 points. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define CHARACTER_PX 7.0
enum { LINE_PX = 14, MARK_PX = 8, BESIDE_PX = 10 };
struct spot {
    double x, y;
    size_t characters; /* of its name */
};
/* A name right of each mark, or left of it where it would not fit: side[i] 1 or -1. Names stay in a
 * frame that is `wide`, and meet neither each other nor a mark. false: they do not fit. */
bool names_beside(const struct spot *spot, size_t n, double wide, int *side);
/* Names of lines stand right of their ends, at these heights: none is as near to another as a line
 * of text is high. */
bool names_apart(const double *y, size_t n);
