/* flow_counts.c - see flow_counts.h. */
#include "sim/serving/spread.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUB_BITS = 8, POWERS = 63, CLASSES = 1 + (POWERS << SUB_BITS), MANTISSA_BITS = 52, BIAS = 1023 };
#define LEAST_S 1e-9              /* class 0 is what is below */

/* Power and the first bits behind the point are the upper bits of a double. */
static uint32_t class_of(double s)
{
    double x = s / LEAST_S;
    uint64_t bits;
    if (!(x >= 1))
        return 0;
    memcpy(&bits, &x, sizeof bits);
    uint64_t class = 1 + (bits >> (MANTISSA_BITS - SUB_BITS)) - ((uint64_t)BIAS << SUB_BITS);
    return class < CLASSES ? (uint32_t)class : CLASSES - 1;
}

/* Where a class begins. */
static double border_s(uint32_t class)
{
    if (class == 0)
        return 0;
    uint64_t bits = (class - 1 + ((uint64_t)BIAS << SUB_BITS)) << (MANTISSA_BITS - SUB_BITS);
    double x;
    memcpy(&x, &bits, sizeof x);
    return LEAST_S * x;
}

static void reach(struct flow_counts *c, uint32_t first, uint32_t last)
{
    if (!c->amount)
        c->amount = mem_new(CLASSES, sizeof *c->amount);
    c->first = c->n == 0 || first < c->first ? first : c->first;
    c->last = c->n == 0 || last > c->last ? last : c->last;
}

/* One bin of the polygon, uniform over its classes. */
static void add_bin(struct flow_counts *c, double from, double to, double amount)
{
    uint32_t first = class_of(from), last = class_of(to);
    if (first == last || !(to > from)) {
        c->amount[first] += amount;
        return;
    }
    double begin = from;
    for (uint32_t class = first; class < last; class++) {
        double end = border_s(class + 1);
        c->amount[class] += amount * (end - begin) / (to - from);
        begin = end;
    }
    c->amount[last] += amount * fmax(0, to - begin) / (to - from);
}

void flow_counts_add(struct flow_counts *c, const struct spread *s, double amount)
{
    if (!(amount > 0))
        return;
    reach(c, class_of(s->x[0]), class_of(s->x[s->n - 1]));
    if (s->p[0] > 0)
        add_bin(c, s->x[0], s->x[0], amount * s->p[0]);
    for (size_t i = 1; i < s->n; i++)
        add_bin(c, s->x[i - 1], s->x[i], amount * (s->p[i] - s->p[i - 1]));
    c->n += amount;
    c->sum_s += amount * s->mean;
}

void flow_counts_merge(struct flow_counts *to, const struct flow_counts *more)
{
    if (!(more->n > 0))
        return;
    reach(to, more->first, more->last);
    for (uint32_t class = more->first; class <= more->last; class++)
        to->amount[class] += more->amount[class];
    to->n += more->n;
    to->sum_s += more->sum_s;
}

void flow_counts_clear(struct flow_counts *c)
{
    if (c->n > 0)
        memset(c->amount + c->first, 0, (c->last - c->first + 1) * sizeof *c->amount);
    c->n = c->sum_s = 0;
}

void flow_counts_free(struct flow_counts *c)
{
    free(c->amount);
    *c = (struct flow_counts){ 0 };
}

double flow_counts_quantile_s(const struct flow_counts *c, double p)
{
    if (!(c->n > 0))
        return NAN;
    double wanted = p * c->n, up_to = 0;
    uint32_t class = c->first;
    while (class < c->last && up_to + c->amount[class] < wanted)
        up_to += c->amount[class++];
    double from = border_s(class), part = c->amount[class] > 0 ? (wanted - up_to) / c->amount[class] : 0;
    return from + fmin(part, 1) * (border_s(class + 1) - from);
}

struct delays flow_counts_delays(const struct flow_counts *c)
{
    return (struct delays){ c->n > 0 ? c->sum_s / c->n : NAN, flow_counts_quantile_s(c, .5), flow_counts_quantile_s(c, .95),
                            flow_counts_quantile_s(c, .99) };
}
