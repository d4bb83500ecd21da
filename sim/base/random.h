/* random.h - named random streams: xoshiro256++ as a gsl_rng_type, keyed by 64 hashed bits.
 *
 * A stream is named by (seed, purpose, entity): the same three give the same draws, independent of
 * all other streams. GSL's own generators keep 32 bits of a seed; here the whole key is used.
 * xoshiro256++ 1.0 and splitmix64: Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", ACM TOMS 47(4), 2021. */
#pragma once
#include <gsl/gsl_rng.h>
#include <stdint.h>

extern const gsl_rng_type *const random_xoshiro256pp;   /* gsl_rng_set() takes what unsigned long
                                                           holds (64 bits) */

struct random { uint64_t s[4]; };          /* the bare generator, for hot paths */
void     random_init(struct random *r, uint64_t seed, const char *purpose, uint64_t entity);
uint64_t random_u64(struct random *r);
double   random_uniform(struct random *r); /* in (0, 1): never 0, never 1; 53 bits */
uint64_t random_below(struct random *r, uint64_t n);    /* 0 .. n-1 without bias; n > 0 */

/* A gsl_rng over the same stream, for GSL's distributions. Free with gsl_rng_free(). */
gsl_rng *random_gsl(uint64_t seed, const char *purpose, uint64_t entity);

uint64_t hash_u64(uint64_t x);  /* splitmix64's finaliser: a bijection */
uint64_t hash_bytes(const void *bytes, size_t length, uint64_t seed);
