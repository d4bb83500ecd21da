/* random.c - see random.h. */
#include "sim/base/random.h"

#include "sim/base/memory.h"

#include <assert.h>
#include <gsl/gsl_errno.h>
#include <stddef.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128_t;

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15) /* 2^64 over the golden ratio, the step of splitmix64 */

uint64_t hash_u64(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Little end first on every machine: a hash must not depend on where it was computed. */
static uint64_t load(const unsigned char *b)
{
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
           (uint64_t)b[7] << 56;
}

uint64_t hash_bytes(const void *bytes, size_t length, uint64_t seed)
{
    const unsigned char *b = bytes;
    /* the length goes in first, so that zero bytes at the end count */
    uint64_t h = hash_u64(seed + GOLDEN) ^ ((uint64_t)length * GOLDEN);
    for (; length >= 8; b += 8, length -= 8)
        h = hash_u64((h ^ load(b)) + GOLDEN);
    unsigned char rest[8] = { 0 };
    for (size_t i = 0; i < length; i++)
        rest[i] = b[i];
    return hash_u64((h ^ load(rest)) + GOLDEN);
}

/* As the authors advise: a state from splitmix64 is never all zero, since its four numbers
 * differ. */
static void fill_state(struct random *r, uint64_t key)
{
    for (int i = 0; i < 4; i++)
        r->s[i] = hash_u64(key += GOLDEN);
}

void random_init(struct random *r, uint64_t seed, const char *purpose, uint64_t entity)
{
    uint64_t key = hash_bytes(purpose, strlen(purpose), seed);
    fill_state(r, hash_u64(key ^ hash_u64(entity + GOLDEN)));
}

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

uint64_t random_u64(struct random *r)
{
    uint64_t *s = r->s, result = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double random_uniform(struct random *r)
{
    uint64_t bits;
    do /* adding a half instead would round the largest up to 1 */
        bits = random_u64(r) >> 11;
    while (bits == 0);
    return (double)bits * 0x1p-53;
}

/* Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019. */
uint64_t random_below(struct random *r, uint64_t n)
{
    assert(n > 0);
    uint128_t product = (uint128_t)random_u64(r) * n;
    if ((uint64_t)product < n) {
        uint64_t unfair = -n % n; /* 2^64 mod n: so many of the lowest products come once too
                                     often */
        while ((uint64_t)product < unfair)
            product = (uint128_t)random_u64(r) * n;
    }
    return (uint64_t)(product >> 64);
}

/* ---- the same for GSL ---- */

static void gsl_set(void *state, unsigned long seed)
{
    fill_state(state, seed);
}

static unsigned long gsl_get(void *state)
{
    return random_u64(state);
}

static double gsl_get_double(void *state)
{
    return (double)(random_u64(state) >> 11) * 0x1p-53; /* in [0, 1), as GSL wants it */
}

static const gsl_rng_type xoshiro256pp = {
    .name = "xoshiro256++",
    .max = UINT64_MAX,
    .min = 0,
    .size = sizeof(struct random),
    .set = gsl_set,
    .get = gsl_get,
    .get_double = gsl_get_double,
};
const gsl_rng_type *const random_xoshiro256pp = &xoshiro256pp;

gsl_rng *random_gsl(uint64_t seed, const char *purpose, uint64_t entity)
{
    gsl_error_handler_t *usual = gsl_set_error_handler_off(); /* it aborts */
    gsl_rng *rng = gsl_rng_alloc(random_xoshiro256pp);
    gsl_set_error_handler(usual);
    if (!rng)
        mem_exhausted();
    random_init(rng->state, seed, purpose, entity);
    return rng;
}
