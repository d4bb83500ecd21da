/* agreement.c - see agreement.h. */
#include "sim/study/agreement.h"
#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/study/sample.h"

#include <math.h>
#include <stdlib.h>

/* ---- Ranks ---- */

enum side { WAS, IS };

/* Mid-ranks less their mean: sums stay small. */
static double *ranks(const struct wait_pair *pair, size_t n, enum side side)
{
    double *value = mem_new(n, sizeof *value), middle = ((double)n + 1) / 2;
    uint64_t *twice = mem_new(n, sizeof *twice);
    for (size_t i = 0; i < n; i++)
        value[i] = side == WAS ? pair[i].was_s : pair[i].is_s;
    (void)sample_twice_ranks(value, n, twice);
    for (size_t i = 0; i < n; i++)
        value[i] = (double)twice[i] / 2 - middle;
    free(twice);
    return value;
}

/* ---- Sums, of a block or of several ---- */

struct sums {
    double n, was, is, error, near;
    double rank_was, rank_is, was_was, is_is, was_is;     /* of ranks and their products */
};

static void add(struct sums *to, const struct sums *s)
{
    to->n += s->n, to->was += s->was, to->is += s->is;
    to->error += s->error, to->near += s->near;
    to->rank_was += s->rank_was, to->rank_is += s->rank_is;
    to->was_was += s->was_was, to->is_is += s->is_is, to->was_is += s->was_is;
}

static struct sums of_pair(const struct wait_pair *p, double rank_was, double rank_is)
{
    double error = fabs(p->is_s - p->was_s);
    return (struct sums){
        .n = 1, .was = p->was_s, .is = p->is_s, .error = error,
        .near = error <= fmax(AGREEMENT_NEAR_S, AGREEMENT_NEAR_PART * p->was_s),
        .rank_was = rank_was, .rank_is = rank_is, .was_was = rank_was * rank_was,
        .is_is = rank_is * rank_is, .was_is = rank_was * rank_is,
    };
}

enum { CHANGE, RANK, ERROR, NEAR, FIGURES };

static void figures_of(const struct sums *s, double figure[FIGURES])
{
    double together = s->was_is - s->rank_was * s->rank_is / s->n,
           was = s->was_was - s->rank_was * s->rank_was / s->n,
           is = s->is_is - s->rank_is * s->rank_is / s->n;
    figure[CHANGE] = s->was > 0 ? s->is / s->was - 1 : NAN;
    figure[RANK] = was > 0 && is > 0 ? together / sqrt(was * is) : NAN;
    figure[ERROR] = s->was > 0 ? s->error / s->was : NAN;
    figure[NEAR] = s->near / s->n;
}

/* ---- Blocks ---- */

struct blocks { struct sums *sums; size_t n; double length_s; };

static struct blocks cut(const struct wait_pair *pair, size_t n, double block_s)
{
    double first = INFINITY, last = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        first = fmin(first, pair[i].submit_s);
        last = fmax(last, pair[i].submit_s);
    }
    double span = last - first, length = fmin(block_s, span / AGREEMENT_BLOCKS);
    struct blocks b = { .n = length > 0 ? (size_t)(span / length) + 1 : 1, .length_s = length };
    b.sums = mem_new(b.n, sizeof *b.sums);
    double *rank_was = ranks(pair, n, WAS), *rank_is = ranks(pair, n, IS);
    for (size_t i = 0; i < n; i++) {
        size_t k = length > 0 ? (size_t)((pair[i].submit_s - first) / length) : 0;
        struct sums one = of_pair(&pair[i], rank_was[i], rank_is[i]);
        add(&b.sums[k < b.n ? k : b.n - 1], &one);
    }
    free(rank_was);
    free(rank_is);
    return b;
}

/* ---- Distributions ---- */

static double distance_of(const struct wait_pair *pair, size_t n)
{
    struct sample was = { 0 }, is = { 0 };
    for (size_t i = 0; i < n; i++) {
        sample_add(&was, pair[i].was_s);
        sample_add(&is, pair[i].is_s);
    }
    sample_sort(&was);
    sample_sort(&is);
    double largest = 0;
    for (size_t i = 0, k = 0; i < n && k < n;) {
        double x = fmin(was.value[i], is.value[k]);
        while (i < n && was.value[i] == x)
            i++;
        while (k < n && is.value[k] == x)
            k++;
        largest = fmax(largest, fabs((double)i - (double)k) / (double)n);
    }
    sample_free(&was);
    sample_free(&is);
    return largest;
}

/* ---- All of it ---- */

/* A draw in which a figure cannot be told is left out. */
static struct bounds bounds_of(struct sample *drawn)
{
    if (!drawn->n)
        return (struct bounds){ NAN, NAN };
    sample_sort(drawn);
    return (struct bounds){ sample_quantile(drawn, 0.025), sample_quantile(drawn, 0.975) };
}

struct agreement agreement_of(const struct wait_pair *pair, size_t n, double block_s, uint64_t seed)
{
    struct blocks b = cut(pair, n, block_s);
    struct sums all = { 0 };
    double figure[FIGURES], drawn_figure[FIGURES];
    struct sample drawn[FIGURES] = { { 0 } };
    struct random draws;
    for (size_t k = 0; k < b.n; k++)
        add(&all, &b.sums[k]);
    figures_of(&all, figure);
    random_init(&draws, seed, "validate", 0);
    for (unsigned d = 0; d < AGREEMENT_DRAWS; d++) {
        struct sums some = { 0 };
        for (size_t k = 0; k < b.n; k++)
            add(&some, &b.sums[random_below(&draws, b.n)]);
        if (some.n == 0)
            continue;
        figures_of(&some, drawn_figure);
        for (unsigned f = 0; f < FIGURES; f++)
            if (!isnan(drawn_figure[f]))
                sample_add(&drawn[f], drawn_figure[f]);
    }
    struct with_bounds told[FIGURES];
    for (unsigned f = 0; f < FIGURES; f++) {
        told[f] = (struct with_bounds){ figure[f], bounds_of(&drawn[f]) };
        sample_free(&drawn[f]);
    }
    free(b.sums);
    return (struct agreement){
        .pairs = n, .blocks = b.n, .block_s = b.length_s,
        .was_mean_s = all.was / all.n, .is_mean_s = all.is / all.n,
        .change = told[CHANGE], .rank = told[RANK], .error = told[ERROR], .near = told[NEAR],
        .distance = distance_of(pair, n),
    };
}

enum trust agreement_trust(const struct agreement *a)
{
    bool waits = a->change.bounds.low >= -AGREEMENT_CHANGE &&
                 a->change.bounds.high <= AGREEMENT_CHANGE;
    if (waits && a->rank.bounds.low >= AGREEMENT_RANK)
        return TRUST_WAITS;
    return a->rank.bounds.low >= AGREEMENT_ORDER ? TRUST_ORDER : TRUST_NONE;
}
