#include "policies/slurm/space.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/minmax.h"

#include <string.h>

enum grows { GROWS_UNKNOWN, GROWS, GROWS_NOT };      /* the next interval has nodes that this one has not */

int64_t space_rounded(const struct space *x, int64_t t)
{
    return t - (t + x->clock) % x->res;
}

void space_begin(struct sched *s, const struct slurm *m, struct space *x, const uint64_t *nodes, double most)
{
    x->res = (int64_t)m->params->bf_resolution;
    x->clock = (int64_t)m->params->clock_s;
    x->horizon_s = m->now_s + (int64_t)m->params->bf_window * 60;
    x->most = (size_t)most + 2;
    x->at = array_grown(sched_scratch, s, NULL, &x->capacity, 0, sizeof *x->at);
    x->at[0] = (struct interval){ space_rounded(x, m->now_s), space_rounded(x, x->horizon_s), slurm_set(s, m, nodes),
                                  INT64_MAX, INT64_MAX, GROWS_UNKNOWN };
    x->n = 1;
}

/* ---- Reservations ---- */

/* The time of its gpus_by_end. */
static int64_t end_of(const struct space *x, size_t i)
{
    return i + 1 < x->n ? x->at[i].end : max_i64(x->horizon_s, x->at[i].end);
}

static bool cut_at(struct sched *s, const struct slurm *m, struct space *x, int64_t t)
{
    for (size_t i = 0; i < x->n; i++) {
        struct interval *v = &x->at[i];
        if (t <= v->begin || t >= v->end)
            continue;
        if (x->n == x->most)
            return false;
        int64_t end = end_of(x, i);
        x->at = array_grown(sched_scratch, s, x->at, &x->capacity, x->n, sizeof *x->at);
        array_open(x->at, x->n++, i + 1, sizeof *x->at);
        v = &x->at[i];
        v[1] = *v;
        v[1].begin = v->end = t;
        v[1].nodes = slurm_set(s, m, v->nodes);
        v->grows = GROWS_NOT;
        if (x->ends)
            v->gpus_by_end -= ends_gpus(x->ends, v->nodes, t, end);
        return true;
    }
    return true;
}

static void merge_equals(const struct slurm *m, struct space *x)
{
    size_t n = 1;
    for (size_t i = 1; i < x->n; i++) {
        struct interval *before = &x->at[n - 1], *v = &x->at[i];
        if (before->grows == GROWS || memcmp(before->nodes, v->nodes, m->words * sizeof(uint64_t))) {
            x->at[n++] = *v;
            continue;
        }
        before->end = v->end;
        before->gpus_by_end = v->gpus_by_end;
        before->all_gpus = min_i64(before->all_gpus, v->all_gpus);
        before->grows = v->grows;
    }
    x->n = n;
}

static void remove_seat(struct sched *s, struct slurm *m, struct space *x, size_t i, node_id n)
{
    struct interval *v = &x->at[i];
    if (!set_has(v->nodes, n))
        return;
    set_remove(v->nodes, n);
    if (!x->ends)
        return;
    v->all_gpus -= slurm_empty_room(s, m)->gpus[n];
    v->gpus_by_end -= m->room.gpus[n] + ends_node_gpus(x->ends, n, end_of(x, i));
}

void space_reserve(struct sched *s, struct slurm *m, struct space *x, int64_t begin, int64_t end, const struct seats *where)
{
    x->soonest_s = min_i64(x->soonest_s, begin);
    if (!cut_at(s, m, x, begin) || !cut_at(s, m, x, end)) {
        x->full = true;
        return;
    }
    for (size_t i = 0; i < x->n && x->at[i].begin <= end; i++) {
        struct interval *v = &x->at[i];
        if (v->end >= begin)
            v->grows = GROWS_UNKNOWN;
        for (uint32_t k = 0; v->begin >= begin && v->end <= end && k < where->n; k++)
            remove_seat(s, m, x, i, where->at[k].node);
    }
    merge_equals(m, x);
}

bool space_overlaps(const struct space *x, int64_t begin, int64_t end, const struct seats *where)
{
    for (size_t i = 0; i < x->n && x->at[i].begin < end; i++)
        for (uint32_t k = 0; x->at[i].end > begin && k < where->n; k++)
            if (!set_has(x->at[i].nodes, where->at[k].node))
                return true;
    return false;
}

/* ---- What is not reserved ---- */

static bool has_more(const struct slurm *m, const uint64_t *nodes, const struct interval *v)
{
    for (uint32_t w = 0; w < m->words; w++)
        if ((nodes ? nodes[w] : UINT64_MAX) & v[1].nodes[w] & ~v->nodes[w])
            return true;
    return false;
}

/* Of `nodes` some are there in the interval behind that one that are not in it. */
static bool grows(const struct slurm *m, struct space *x, size_t i, const uint64_t *nodes)
{
    struct interval *v = &x->at[i];
    if (i + 1 == x->n)
        return false;
    if (v->grows == GROWS_UNKNOWN)
        v->grows = has_more(m, NULL, v) ? GROWS : GROWS_NOT;
    return v->grows == GROWS && has_more(m, nodes, v);
}

uint64_t *space_free_over(struct sched *s, const struct slurm *m, struct space *x, job_id j, const uint64_t *nodes,
                          int64_t start, int64_t length, int64_t *later)
{
    uint64_t *avail = slurm_set(s, m, nodes);
    *later = 0;
    for (size_t i = 0; i < x->n; i++) {
        const struct interval *v = &x->at[i];
        if (v->end <= start)
            continue;
        if (!*later && grows(m, x, i, nodes))
            *later = v->end;
        if (v->begin > start + length)
            break;
        for (uint32_t w = 0; w < m->words; w++)
            avail[w] &= v->nodes[w];
    }
    int64_t over = slurm_outages(s, j, start, length, avail);
    if (over && (!*later || over < *later))
        *later = over;
    return avail;
}

/* ---- Bounds ---- */

void space_bound(struct sched *s, struct slurm *m, struct space *x, struct ends *ends)
{
    struct interval *all = &x->at[0];
    ends_list(s, m, ends);
    ends_by_node(s, m, ends);
    x->ends = ends;
    all->all_gpus = slurm_room_gpus(m, slurm_empty_room(s, m), all->nodes);
    all->gpus_by_end = slurm_room_gpus(m, &m->room, all->nodes) + ends_gpus(ends, all->nodes, INT64_MIN, end_of(x, 0));
}

/* The last interval over [start, start + length] with too few GPUs. */
static void look_for_bad(const struct space *x, struct space_look *at, int64_t gpus, int64_t last_s)
{
    for (; at->seen < x->n && x->at[at->seen].begin <= last_s; at->seen++)
        if (x->at[at->seen].all_gpus < gpus) {
            at->bad = at->seen;
            at->has_bad = true;
        }
}

int64_t space_hope(const struct slurm *m, struct space *x, struct space_look *at, const uint64_t *nodes, int64_t gpus,
                   int64_t start, int64_t length)
{
    for (;;) {
        while (at->first + 1 < x->n && x->at[at->first].end <= start)
            at->first++;
        if (x->at[at->first].end <= start)
            return start;
        at->growth = at->growth > at->first ? at->growth : at->first;
        while (at->growth < x->n && !grows(m, x, at->growth, nodes) && x->at[at->growth].begin <= start + length)
            at->growth++;
        bool later = at->growth < x->n && grows(m, x, at->growth, nodes);
        size_t until = later ? at->growth : x->n - 1;
        look_for_bad(x, at, gpus, start + length);
        bool in_vain = (x->at[until].begin <= start + length && x->at[until].gpus_by_end < gpus) ||
                       (at->has_bad && at->bad >= at->first);
        if (!in_vain)
            return start;
        if (!later)
            return -1;
        start = x->at[at->growth].end;
    }
}
