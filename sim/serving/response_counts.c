/* response_counts.c - see response_counts.h. */
#include "sim/serving/tally.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_BITS = 10, SUB_BITS = 9, EXACT = 1 << EXACT_BITS, SUB = 1 << SUB_BITS, CLASSES = EXACT + (63 - EXACT_BITS) * SUB };

static uint32_t class_of(int64_t ns)
{
    if (ns < EXACT)
        return (uint32_t)ns;
    int power = 63 - __builtin_clzll((unsigned long long)ns);
    return EXACT + (uint32_t)(power - EXACT_BITS) * SUB + ((uint32_t)(ns >> (power - SUB_BITS)) & (SUB - 1));
}

static double middle_s(uint32_t class)
{
    if (class < EXACT)
        return (double)class / NS_PER_S;
    int power = EXACT_BITS + (int)(class - EXACT) / SUB;
    return (SUB + (class - EXACT) % SUB + 0.5) * ldexp(1, power - SUB_BITS) / NS_PER_S;
}

void response_counts_add(struct response_counts *c, int64_t ns)
{
    uint32_t class = class_of(ns);
    if (!c->count)
        c->count = mem_new(CLASSES, sizeof *c->count);
    if (c->n == 0 || class < c->first)
        c->first = class;
    if (c->n == 0 || class > c->last)
        c->last = class;
    c->count[class]++;
    c->n++;
    c->sum_ns += ns;
}

void response_counts_merge(struct response_counts *to, const struct response_counts *more)
{
    if (more->n == 0)
        return;
    if (!to->count)
        to->count = mem_new(CLASSES, sizeof *to->count);
    to->first = to->n == 0 || more->first < to->first ? more->first : to->first;
    to->last = to->n == 0 || more->last > to->last ? more->last : to->last;
    for (uint32_t class = more->first; class <= more->last; class++)
        to->count[class] += more->count[class];
    to->n += more->n;
    to->sum_ns += more->sum_ns;
}

void response_counts_clear(struct response_counts *c)
{
    if (c->n)
        memset(c->count + c->first, 0, (c->last - c->first + 1) * sizeof *c->count);
    c->n = 0;
    c->sum_ns = 0;
}

void response_counts_free(struct response_counts *c)
{
    free(c->count);
    *c = (struct response_counts){ 0 };
}

double response_counts_quantile_s(const struct response_counts *c, double p)
{
    if (c->n == 0)
        return NAN;
    uint64_t rank = (uint64_t)ceil(p * (double)c->n), up_to = 0;
    rank = rank < 1 ? 1 : rank > c->n ? c->n : rank;
    uint32_t class = c->first;
    while ((up_to += c->count[class]) < rank)
        class++;
    return middle_s(class);
}

struct delays response_counts_delays(const struct response_counts *c)
{
    return (struct delays){ c->n ? (double)c->sum_ns / NS_PER_S / (double)c->n : NAN, response_counts_quantile_s(c, .5),
                            response_counts_quantile_s(c, .95), response_counts_quantile_s(c, .99) };
}
