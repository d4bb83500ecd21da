/* usage.c - past use of the queues, with a half-life: decayed integrals of the GPUs that they hold and of those that the
 * cluster has, settled whenever either changes, so that they are exact at any time.
 *
 *   use(t) = integral of a(x) 2^(-(t - x) / h) dx;  from t to t + dt at a level a:  use 2^(-dt / h) + a (h / ln 2) (1 - 2^(-dt / h))
 *
 * NVIDIA/KAI-Scheduler:pkg/scheduler/cache/usagedb/prometheus/prometheus.go sums samples of allocation and of capacity, both
 * decayed so, and divides. */
#include "sim/accounting/books.h"

#include <math.h>

static double decayed(const struct sched *s, double use, int64_t milli, int64_t dt_ns)
{
    double half_life_s = (double)s->books->half_life_ns / NS_PER_S, kept = exp2(-(double)dt_ns / NS_PER_S / half_life_s);
    return use * kept + (double)milli * half_life_s / M_LN2 * (1 - kept);
}

void usage_settle(const struct sched *s, struct queue_books *b)
{
    if (s->books->half_life_ns)
        b->used_milli_s = decayed(s, b->used_milli_s, b->occupied_milli, s->now_ns - b->since_ns);
}

void books_capacity(struct sched *s, node_id n, int64_t more_milli)
{
    struct books *b = s->books;
    if (!b || !b->half_life_ns)
        return;
    for (uint32_t f = 0; f <= s->cluster->n_flavors; f++) {
        struct books_capacity *of = &b->capacity[f];
        if (f && !cluster_node_has_flavor(s->cluster, n, f - 1))
            continue;
        of->had_milli_s = decayed(s, of->had_milli_s, of->has_milli, s->now_ns - of->has_since_ns);
        of->has_since_ns = s->now_ns;
        of->has_milli += more_milli;
    }
}

void books_usage_decays(struct sched *s, int64_t half_life_ns, const int64_t *has_milli)
{
    struct books *b = s->books;
    for (queue_id q = 0; q < b->n; q++) {
        quota_settle(s, q);
        b->queue[q].used_milli_s = 0;
    }
    b->half_life_ns = half_life_ns;
    for (uint32_t f = 0; f <= s->cluster->n_flavors; f++)
        b->capacity[f] = (struct books_capacity){ 0, has_milli[f], s->now_ns };
}

double books_usage(const struct sched *s, queue_id q, int64_t time_ns)
{
    const struct books *b = s->books;
    const struct queue_books *of = &b->queue[q];
    if (!b->half_life_ns)
        return 0;
    const struct books_capacity *in = &b->capacity[q / s->cluster->n_queues];
    double had = decayed(s, in->had_milli_s, in->has_milli, time_ns - in->has_since_ns);
    return had > 0 ? decayed(s, of->used_milli_s, of->occupied_milli, time_ns - of->since_ns) / had : 0;
}
