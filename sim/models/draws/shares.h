/* shares.h - one of several by weight, from one uniform number. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct shares {
    size_t n;
    double *up_to;                /* [n] P(choice <= i); the last is 1 */
};
/* at least one above 0; they are divided by their sum */
struct shares shares_of(const double *weight, size_t n);
/* choice k, from 0, in proportion to (k + 1)^-exponent */
struct shares shares_zipf(size_t n, double exponent);
void   shares_free(struct shares *s);
size_t shares_choose(const struct shares *s, double u);      /* 0 < u < 1; never one of weight 0 */
double shares_of_one(const struct shares *s, size_t i);
