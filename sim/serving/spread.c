/* spread.c - see spread.h. */
#include "sim/serving/spread.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* points: to 7/8 in 128ths, to 2^-20 in eighths of powers of two, to 2^-40 in halves */
enum { BULK = 112, TAIL = 17 * 8, FAR = 20 * 2 };

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static struct spread room_for(size_t points)
{
    return (struct spread){ .capacity = points,
                            .x = mem_resize(NULL, points, sizeof(double)),
                            .p = mem_resize(NULL, points, sizeof(double)) };
}

static void add(struct spread *s, double x, double p)
{
    if (s->n >= 2 && x <= s->x[s->n - 2]) {       /* more of an atom */
        s->p[s->n - 1] = larger(p, s->p[s->n - 1]);
        return;
    }
    if (s->n == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 64;
        s->x = mem_resize(s->x, s->capacity, sizeof *s->x);
        s->p = mem_resize(s->p, s->capacity, sizeof *s->p);
    }
    s->x[s->n] = s->n ? larger(x, s->x[s->n - 1]) : x;
    s->p[s->n] = s->n ? larger(p, s->p[s->n - 1]) : p;
    s->n++;
}

/* Bins are uniform. */
static void take_moments(struct spread *s)
{
    s->mean = s->x[0] * s->p[0];
    s->square = s->x[0] * s->x[0] * s->p[0];
    for (size_t i = 1; i < s->n; i++) {
        double a = s->x[i - 1], b = s->x[i], mass = s->p[i] - s->p[i - 1];
        s->mean += mass * (a + b) / 2;
        s->square += mass * (a * a + a * b + b * b) / 3;
    }
}

struct spread spread_of_law(const struct cut_law *l)
{
    struct spread s = { 0 };
    add(&s, cut_law_quantile(l, 0x1p-40), 0);
    for (int i = 1; i <= BULK; i++)
        add(&s, cut_law_quantile(l, i / 128.0), i / 128.0);
    for (int i = 1; i <= TAIL + FAR; i++) {
        double left = i <= TAIL ? exp2(-3 - i / 8.0) : exp2(-20 - (i - TAIL) / 2.0);
        add(&s, cut_law_quantile(l, 1 - left), 1 - left);
    }
    s.p[s.n - 1] = 1;
    take_moments(&s);
    s.square *= pow(l->mean / s.mean, 2);
    s.mean = l->mean;
    return s;
}

struct spread spread_uniform(double least, double most)
{
    enum { BINS = 32 };
    struct spread s = { 0 };
    for (int i = 0; i <= BINS; i++)
        add(&s, least + (most - least) * i / BINS, (double)i / BINS);
    take_moments(&s);
    s.uniform = true;
    return s;
}

struct spread spread_last_of(double least, double most, double k)
{
    struct spread s = { 0 };
    add(&s, least, 0);
    add(&s, most, 1 - 1 / k);
    add(&s, most, 1);
    take_moments(&s);
    return s;
}

struct spread spread_of_atoms(const double *at, const double *mass, size_t n)
{
    struct spread s = { 0 };
    double up_to = 0;
    for (size_t i = 0; i < n; i++) {
        if (mass[i] < 1e-15 && i + 1 < n)
            continue;
        add(&s, at[i], up_to);
        add(&s, at[i], up_to += mass[i]);
    }
    s.p[s.n - 1] = 1;
    take_moments(&s);
    return s;
}

struct spread spread_scaled(const struct spread *s, double by)
{
    struct spread to = room_for(s->n);
    to.uniform = s->uniform;
    to.mean = s->mean * by;
    to.square = s->square * by * by;
    for (size_t i = 0; i < s->n; i++)
        add(&to, s->x[i] * by, s->p[i]);
    return to;
}

void spread_move(struct spread *s, double by)
{
    s->square += 2 * by * s->mean + by * by;
    s->mean += by;
    s->uniform = s->uniform && s->x[0] + by >= 0;
    for (size_t i = 0; i < s->n; i++)
        s->x[i] = larger(0, s->x[i] + by);
}

void spread_free(struct spread *s)
{
    free(s->x);
    free(s->p);
    *s = (struct spread){ 0 };
}

static double between(const struct spread *s, size_t beyond, double x)
{
    if (beyond == 0 || beyond == s->n)
        return beyond ? 1 : 0;
    double a = s->x[beyond - 1], b = s->x[beyond];
    return s->p[beyond - 1] + (s->p[beyond] - s->p[beyond - 1]) * (x - a) / (b - a);
}

double spread_below(const struct spread *s, double x)
{
    return between(s, values_up_to(s->x, s->n, x), x);
}

/* upper: the first point that p is not above, or the last */
static double quantile_before(const struct spread *s, size_t upper, double p)
{
    if (upper == 0 || s->p[upper] == s->p[upper - 1])
        return s->x[upper];
    double part = (p - s->p[upper - 1]) / (s->p[upper] - s->p[upper - 1]);
    return s->x[upper - 1] + smaller(part, 1) * (s->x[upper] - s->x[upper - 1]);
}

double spread_quantile(const struct spread *s, double p)
{
    size_t from = 0, to = s->n - 1;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (s->p[middle] < p)
            from = middle + 1;
        else
            to = middle;
    }
    return quantile_before(s, from, p);
}

double spread_c2(const struct spread *s)
{
    return fmax(0, s->square / (s->mean * s->mean) - 1);
}

/* ---- sums ---- */

/* A polygon from a point to the next: P(X <= t) = low + rise (t - begin)/width. */
struct piece { double begin, end, low, rise, width; };

/* [n + 1]; the first is before the polygon, the last after it. */
static struct piece *pieces_of(const struct spread *x)
{
    struct piece *all = mem_resize(NULL, x->n + 1, sizeof *all);
    all[0] = (struct piece){ .end = x->x[0], .width = 1 };
    for (size_t i = 1; i < x->n; i++)
        all[i] = (struct piece){ x->x[i - 1], x->x[i], x->p[i - 1], x->p[i] - x->p[i - 1],
                                 x->x[i] - x->x[i - 1] };
    all[x->n] = (struct piece){ .end = INFINITY, .low = 1, .width = 1 };
    return all;
}

static const struct piece *piece_at(const struct piece *from, double t)
{
    while (from->end <= t)
        from++;
    return from;
}

/* Processors divide two numbers in the time of one. */
typedef double pair __attribute__((vector_size(2 * sizeof(double))));

/* The parts of two bins of the other, from the point `from` on: as one after the other. */
static void add_two(struct spread *s, size_t from, const struct piece *x, const double *at,
                    const double *mass)
{
    const double at_a = at[0], at_b = at[1], mass_a = mass[0], mass_b = mass[1], *sum = s->x;
    const struct piece *a = x, *b = x;
    double *p = s->p;
    for (size_t i = from, n = s->n; i < n; i++) {
        double t = sum[i] - at_a, u = sum[i] - at_b;
        a = piece_at(a, t);
        b = piece_at(b, u);
        pair beyond = { a->rise * (t - a->begin), b->rise * (u - b->begin) };
        beyond /= (pair){ a->width, b->width };
        p[i] = p[i] + mass_a * (a->low + beyond[0]) + mass_b * (b->low + beyond[1]);
    }
}

/* The points of the sum: both at the same quantile, which covers its whole range. */
static struct spread points_of_sum(const struct spread *x, const struct spread *y)
{
    const struct spread *finer = x->n > y->n ? x : y, *coarser = x->n > y->n ? y : x;
    struct spread s = room_for(finer->n + 1);
    for (size_t i = 0, upper = 0; i < finer->n; i++) {
        while (upper + 1 < coarser->n && coarser->p[upper] < finer->p[i])
            upper++;
        add(&s, finer->x[i] + quantile_before(coarser, upper, finer->p[i]), 0);
    }
    add(&s, y->x[y->n - 1] + x->x[x->n - 1], 0);
    return s;
}

static void add_in_bins(struct spread *s, const struct spread *x, const struct spread *y)
{
    enum { MANY = 100 };
    const size_t bin = y->n > MANY ? 2 : 1;
    struct piece *pieces = pieces_of(x);
    double *at = mem_resize(NULL, 2 * (y->n + 1), sizeof *at), *mass = at + y->n + 1;
    size_t n = 0;
    for (size_t j = 0, next; j + 1 < y->n; j = next) {
        next = j + bin < y->n ? j + bin : y->n - 1;
        at[n] = (y->x[j] + y->x[next]) / 2;
        mass[n] = y->p[next] - y->p[j];
        n += mass[n] > 0;
    }
    at[n] = n ? at[n - 1] : 0;                   /* beside the last of an odd number */
    mass[n] = 0;
    for (size_t j = 0, from = 0; j < n; j += 2) {
        while (from < s->n && s->x[from] - at[j] < x->x[0])
            from++;
        add_two(s, from, pieces, at + j, mass + j);
    }
    free(at);
    free(pieces);
}

/* The integral of a polygon P from the first point to each, and of 1 - P from each to the last: one
 * of them has no rounding that its tail would feel. rise: of P to a point, per width. */
struct areas { const struct spread *x; double *below, *above, *rise; };

static struct areas areas_of(const struct spread *x)
{
    double *room = mem_resize(NULL, 3 * x->n, sizeof *room);
    struct areas a = { x, room, room + x->n, room + 2 * x->n };
    a.below[0] = a.above[x->n - 1] = a.rise[0] = 0;
    for (size_t i = 1; i < x->n; i++) {
        size_t k = x->n - 1 - i;
        double width = x->x[i] - x->x[i - 1];
        a.rise[i] = width > 0 ? (x->p[i] - x->p[i - 1]) / width : 0;
        a.below[i] = a.below[i - 1] + width * (x->p[i - 1] + x->p[i]) / 2;
        a.above[k] =
            a.above[k + 1] + (x->x[k + 1] - x->x[k]) * (2 - x->p[k] - x->p[k + 1]) / 2;
    }
    return a;
}

/* To t, of which `beyond` is the first point above. */
static double area_below(const struct areas *a, size_t beyond, double t)
{
    const struct spread *x = a->x;
    if (beyond == 0)
        return 0;
    double past = t - x->x[beyond - 1], rise = beyond < x->n ? a->rise[beyond] : 0;
    return a->below[beyond - 1] + past * (x->p[beyond - 1] + rise * past / 2);
}

static double area_above(const struct areas *a, size_t beyond, double t)
{
    const struct spread *x = a->x;
    if (beyond == x->n)
        return 0;
    double to_come = x->x[beyond] - t, p = beyond ? x->p[beyond] : 0;
    return a->above[beyond] + to_come * (1 - p + a->rise[beyond] * to_come / 2);
}

/* Y uniform over least .. most: P(X + Y <= t) is the mean of P(X <= .) over t - most .. t - least. */
static void add_uniform(struct spread *s, const struct spread *x, double least, double most)
{
    struct areas a = areas_of(x);
    const double density = 1 / (most - least);
    for (size_t i = 0, low = 0, high = 0; i < s->n; i++) {
        double from = s->x[i] - most, to = s->x[i] - least, p;
        while (low < x->n && x->x[low] <= from)
            low++;
        while (high < x->n && x->x[high] <= to)
            high++;
        if (high < x->n && x->p[high] < .5)
            p = (area_below(&a, high, to) - area_below(&a, low, from)) * density;
        else
            p = 1 - (area_above(&a, low, from) - area_above(&a, high, to)) * density;
        s->p[i] = smaller(1, larger(i ? s->p[i - 1] : 0, p));
    }
    free(a.below);
}

/* Over a narrower range than that of X, or of times as such, in these parts, differences of areas are all rounding. */
#define NARROW 1e-6
#define NARROW_OF_TIME 1e-9

struct spread spread_sum(const struct spread *x, const struct spread *y)
{
    struct spread s = points_of_sum(x, y);
    double least = y->x[0], most = y->x[y->n - 1];
    if (y->uniform && most - least > NARROW * (x->x[x->n - 1] - x->x[0]) &&
        most - least > NARROW_OF_TIME * fabs(s.x[s.n - 1]))
        add_uniform(&s, x, least, most);
    else
        add_in_bins(&s, x, y);
    s.p[s.n - 1] = 1;
    s.mean = x->mean + y->mean;
    s.square = x->square + 2 * x->mean * y->mean + y->square;
    return s;
}

/* ---- behind a wait ---- */

/* E[e^(-rate (t - X)); X <= t] at the points, from one to the next: exact for uniform bins. */
struct decayed { const struct spread *x; double rate, *at; };

static double decay(double before, double mass, double exponent)
{
    double left = exp(-exponent);
    return before * left + (exponent > 1e-8 ? mass * -expm1(-exponent) / exponent : mass);
}

static double decayed_at(const struct decayed *d, double t)
{
    size_t beyond = values_up_to(d->x->x, d->x->n, t);
    if (beyond == 0)
        return 0;
    double from = d->x->x[beyond - 1], mass = between(d->x, beyond, t) - d->x->p[beyond - 1];
    return decay(d->at[beyond - 1], mass, d->rate * (t - from));
}

/* P(W + X <= t): of W, an atom at 0 and an exponential that ends at the timeout. */
static double after_wait(const struct decayed *d, const struct wait_law *w, double t)
{
    double below = spread_below(d->x, t), waited = below - decayed_at(d, t),
           left = exp(-w->rate * w->timeout);
    if (left > 0)
        waited =
            (waited - left * (spread_below(d->x, t - w->timeout) - decayed_at(d, t - w->timeout))) /
            (1 - left);
    return (1 - w->waits) * below + w->waits * waited;
}

/* Between two points of X the sum is not linear while many requests wait: there, points at
 * fractions of the mean wait. */
static void add_between(struct spread *s, const struct decayed *d, const struct wait_law *w,
                        size_t i, double to)
{
    const double from = d->x->x[i], still = w->waits * d->at[i],
                 fine = fmax(.002 * (1 - d->x->p[i]), 1e-12);
    const double near = 1 / (16 * w->rate), far = 4 * near, far_from = from + 10 / w->rate;
    for (double t = from + near; t < to && still * exp(-w->rate * (t - from)) > fine;
         t += t < far_from ? near : far)
        add(s, t, after_wait(d, w, t));
}

struct spread spread_after_wait(const struct spread *x, const struct wait_law *w)
{
    if (isinf(w->rate) || w->waits == 0)
        return spread_scaled(x, 1);
    const double end = x->x[x->n - 1] + fmin(w->timeout, 28 / w->rate);      /* e^-28 is 1e-12 */
    struct spread s = { 0 };
    struct decayed d = { x, w->rate, mem_new(x->n, sizeof(double)) };
    d.at[0] = x->p[0];
    for (size_t i = 1; i < x->n; i++)
        d.at[i] = decay(d.at[i - 1], x->p[i] - x->p[i - 1], w->rate * (x->x[i] - x->x[i - 1]));
    for (size_t i = 0; i < x->n; i++) {
        double from = x->x[i], to = i + 1 < x->n ? x->x[i + 1] : end,
               below = after_wait(&d, w, from);
        /* the begin of an atom: without its part that does not wait */
        bool atom = to == from && i + 1 < x->n;
        add(&s, from, atom ? below - (1 - w->waits) * (spread_below(x, from) - x->p[i]) : below);
        if (!atom)
            add_between(&s, &d, w, i, to);
    }
    add(&s, end, 1);
    s.p[s.n - 1] = 1;
    s.mean = x->mean + wait_mean(w);
    free(d.at);
    return s;
}

/* ---- amounts in classes ---- */

enum {
    SUB_BITS = 8,
    POWERS = 63,
    CLASSES = 1 + (POWERS << SUB_BITS),
    MANTISSA_BITS = 52,
    BIAS = 1023
};
#define CLASS_0_S 1e-9              /* class 0 is below */

/* The exponent and the first bits of the mantissa are the upper bits of a double. */
static uint32_t class_of(double s)
{
    double x = s / CLASS_0_S;
    uint64_t bits;
    if (!(x >= 1))
        return 0;
    memcpy(&bits, &x, sizeof bits);
    uint64_t class = 1 + (bits >> (MANTISSA_BITS - SUB_BITS)) - ((uint64_t)BIAS << SUB_BITS);
    return class < CLASSES ? (uint32_t)class : CLASSES - 1;
}

/* The lower border of a class. */
static double border_s(uint32_t class)
{
    if (class == 0)
        return 0;
    uint64_t bits = (class - 1 + ((uint64_t)BIAS << SUB_BITS)) << (MANTISSA_BITS - SUB_BITS);
    double x;
    memcpy(&x, &bits, sizeof x);
    return CLASS_0_S * x;
}

static void reach(struct flow_counts *c, uint32_t first, uint32_t last)
{
    if (!c->amount)
        c->amount = mem_new(CLASSES, sizeof *c->amount);
    c->first = c->n == 0 || first < c->first ? first : c->first;
    c->last = c->n == 0 || last > c->last ? last : c->last;
}

/* Of classes of a power of two, which are equally wide, those from `class` on that are below
 * `last`. */
static uint32_t equal_classes(uint32_t class, uint32_t last)
{
    uint32_t next_power = ((((class - 1) >> SUB_BITS) + 1) << SUB_BITS) + 1;
    return (next_power < last ? next_power : last) - class;
}

/* One bin of the polygon, from the class `first` to the class `last`, uniform over them. */
static void add_bin(struct flow_counts *c, double from, double to, uint32_t first, uint32_t last,
                    double amount)
{
    if (first == last || !(to > from)) {
        c->amount[first] += amount;
        return;
    }
    double density = amount / (to - from), end = border_s(first + 1);
    c->amount[first] += density * (end - from);
    for (uint32_t class = first + 1, n; class < last; class += n) {
        n = equal_classes(class, last);
        double begin = end, each = density * (border_s(class + 1) - begin);
        end = border_s(class + n);
        for (uint32_t k = class; k < class + n; k++)
            c->amount[k] += each;
    }
    c->amount[last] += density * larger(0, to - end);
}

void flow_counts_add(struct flow_counts *c, const struct spread *s, double amount)
{
    if (!(amount > 0))
        return;
    uint32_t class = class_of(s->x[0]);
    reach(c, class, class_of(s->x[s->n - 1]));
    if (s->p[0] > 0)
        c->amount[class] += amount * s->p[0];
    for (size_t i = 1; i < s->n; i++) {
        uint32_t next = class_of(s->x[i]);
        add_bin(c, s->x[i - 1], s->x[i], class, next, amount * (s->p[i] - s->p[i - 1]));
        class = next;
    }
    c->n += amount;
    c->sum_s += amount * s->mean;
}

/* In fours, which compilers turn into instructions on several numbers. */
static void add_all(double *restrict to, const double *restrict more, size_t n)
{
    enum { FOUR = 4 };
    size_t i = 0;
    for (; i + FOUR <= n; i += FOUR)
        for (size_t k = 0; k < FOUR; k++)
            to[i + k] += more[i + k];
    for (; i < n; i++)
        to[i] += more[i];
}

void flow_counts_merge(struct flow_counts *to, const struct flow_counts *more)
{
    if (!(more->n > 0))
        return;
    reach(to, more->first, more->last);
    add_all(to->amount + more->first, more->amount + more->first, more->last - more->first + 1);
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

enum { BLOCK = 8 };                 /* classes that are passed at once */

/* How far the classes are passed, in blocks from the lowest one. */
struct passed { uint32_t class; double amount; };

static double block_amount(const double *amount)
{
    enum { FOUR = 4 };
    double sum[FOUR];
    for (int k = 0; k < FOUR; k++)
        sum[k] = amount[k] + amount[k + FOUR];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

static double quantile_further_on(const struct flow_counts *c, double p, struct passed *at)
{
    if (!(c->n > 0))
        return NAN;
    double wanted = p * c->n, here;
    for (; at->class + BLOCK <= c->last; at->class += BLOCK, at->amount += here)
        if (at->amount + (here = block_amount(c->amount + at->class)) >= wanted)
            break;
    struct passed in = *at;
    while (in.class < c->last && in.amount + c->amount[in.class] < wanted)
        in.amount += c->amount[in.class++];
    double from = border_s(in.class), of_class = c->amount[in.class],
           part = of_class > 0 ? fmax(0, wanted - in.amount) / of_class : 0;
    return from + fmin(part, 1) * (border_s(in.class + 1) - from);
}

double flow_counts_quantile_s(const struct flow_counts *c, double p)
{
    return quantile_further_on(c, p, &(struct passed){ c->first, 0 });
}

struct delays flow_counts_delays(const struct flow_counts *c)
{
    struct passed at = { c->first, 0 };
    struct delays d = { .mean_s = c->n > 0 ? c->sum_s / c->n : NAN };
    d.p50_s = quantile_further_on(c, .5, &at);
    d.p90_s = quantile_further_on(c, .9, &at);
    d.p95_s = quantile_further_on(c, .95, &at);
    d.p99_s = quantile_further_on(c, .99, &at);
    return d;
}
