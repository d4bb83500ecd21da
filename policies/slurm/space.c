#include "policies/slurm/space.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/minmax.h"

#include <string.h>

#define SLOTS 64

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
    x->at[0] = (struct space_part){ space_rounded(x, m->now_s), space_rounded(x, x->horizon_s), slurm_set(s, m, nodes),
                                  INT64_MAX, INT64_MAX, GROWS_UNKNOWN };
    x->n = 1;
    x->all = nodes;
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
        struct space_part *v = &x->at[i];
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

/* Of intervals [from .. to] those that have the same nodes as the one before. */
static void merge_equals(const struct slurm *m, struct space *x, size_t from, size_t to)
{
    size_t n = from + 1;
    for (size_t i = n; i < x->n; i++) {
        struct space_part *before = &x->at[n - 1], *v = &x->at[i];
        if (i > to && n == i)
            return;
        if (i > to || before->grows == GROWS || memcmp(before->nodes, v->nodes, m->words * sizeof(uint64_t))) {
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

static bool ends_by(const void *part, const void *t)
{
    return ((const struct space_part *)part)->end <= *(const int64_t *)t;
}

/* The first interval that ends later. */
static size_t first_after(const struct space *x, int64_t t)
{
    return lower_bound(x->at, x->n, sizeof *x->at, &t, ends_by);
}

static uint64_t *slot(const struct slurm *m, const struct space *x, int64_t i)
{
    return x->slot + (size_t)i * m->words;
}

static void reserve_slots(const struct slurm *m, struct space *x, int64_t begin, int64_t end, const struct seats *where)
{
    begin = max_i64(begin, x->begin);
    end = min_i64(end, x->end);
    for (int64_t i = (begin - x->begin) / x->slot_s; begin < end && x->begin + i * x->slot_s < end; i++)
        for (uint32_t k = 0; k < where->n; k++)
            set_remove(slot(m, x, i), where->at[k].node);
}

/* A node, out of these intervals. */
static void remove_node(struct slurm *m, struct space *x, size_t from, size_t to, node_id n, int64_t all)
{
    const struct leave *next = x->ends ? x->ends->leave + x->ends->first[n] : NULL,
                       *behind = x->ends ? x->ends->leave + x->ends->first[n + 1] : NULL;
    int64_t free = m->room.gpus[n];
    for (size_t i = from; i < to; i++) {
        struct space_part *v = &x->at[i];
        for (int64_t end = end_of(x, i); next != behind && next->end_s <= end; next++)
            free += next->gpus;
        if (!set_has(v->nodes, n))
            continue;
        set_remove(v->nodes, n);
        v->all_gpus -= all;
        v->gpus_by_end -= free;
    }
}

void space_reserve(struct sched *s, struct slurm *m, struct space *x, int64_t begin, int64_t end, const struct seats *where)
{
    x->soonest_s = min_i64(x->soonest_s, begin);
    if (!cut_at(s, m, x, begin) || !cut_at(s, m, x, end)) {
        x->full = true;
        return;
    }
    if (x->ends)
        reserve_slots(m, x, begin, end, where);
    size_t before = first_after(x, begin - 1), from = before, to;
    while (from < x->n && x->at[from].begin < begin)
        from++;
    for (to = from; to < x->n && x->at[to].end <= end; to++)
        x->at[to].grows = GROWS_UNKNOWN;
    if (before < from)
        x->at[before].grows = GROWS_UNKNOWN;
    for (uint32_t k = 0; k < where->n; k++)
        remove_node(m, x, from, to, where->at[k].node, x->ends ? slurm_empty_room(s, m)->gpus[where->at[k].node] : 0);
    merge_equals(m, x, before, to);
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

static bool has_more(const struct slurm *m, const uint64_t *nodes, const struct space_part *v)
{
    for (uint32_t w = 0; w < m->words; w++)
        if ((nodes ? nodes[w] : UINT64_MAX) & v[1].nodes[w] & ~v->nodes[w])
            return true;
    return false;
}

/* Of `nodes`, NULL: all, some are there in the interval behind that one that are not in it. */
static bool grows(const struct slurm *m, struct space *x, size_t i, const uint64_t *nodes)
{
    struct space_part *v = &x->at[i];
    if (i + 1 == x->n)
        return false;
    if (v->grows == GROWS_UNKNOWN)
        v->grows = has_more(m, NULL, v) ? GROWS : GROWS_NOT;
    return v->grows == GROWS && (!nodes || has_more(m, nodes, v));
}

static void keep_those_in(const struct slurm *m, uint64_t *nodes, const uint64_t *in)
{
    for (uint32_t w = 0; w < m->words; w++)
        nodes[w] &= in[w];
}

/* The same over [from .. to). */
static void keep_free(const struct slurm *m, const struct space *x, uint64_t *nodes, int64_t from, int64_t to)
{
    for (size_t i = first_after(x, from); i < x->n && x->at[i].begin < to; i++)
        keep_those_in(m, nodes, x->at[i].nodes);
}

uint64_t *space_free(struct sched *s, const struct slurm *m, const struct space *x, const uint64_t *nodes, int64_t start,
                     int64_t length)
{
    uint64_t *avail = slurm_set(s, m, nodes);
    int64_t to = start + length + 1;
    if (!x->ends) {
        keep_free(m, x, avail, start, to);
        return avail;
    }
    /* whole slots, and what is left before and behind them */
    int64_t first = max_i64(0, (start - x->begin + x->slot_s - 1) / x->slot_s),
            behind = min_i64(SLOTS, (to - x->begin) / x->slot_s);
    if (first >= behind) {
        keep_free(m, x, avail, start, to);
        return avail;
    }
    keep_free(m, x, avail, start, x->begin + first * x->slot_s);
    for (int64_t i = first; i < behind; i++)
        keep_those_in(m, avail, slot(m, x, i));
    keep_free(m, x, avail, x->begin + behind * x->slot_s, to);
    return avail;
}

uint64_t *space_free_over(struct sched *s, const struct slurm *m, struct space *x, job_id j, const uint64_t *nodes,
                          int64_t start, int64_t length, int64_t *later)
{
    uint64_t *avail = space_free(s, m, x, nodes, start, length);
    *later = 0;
    for (size_t i = first_after(x, start); i < x->n && !*later; i++) {
        if (grows(m, x, i, nodes))
            *later = x->at[i].end;
        if (x->at[i].begin > start + length)
            break;
    }
    int64_t over = slurm_outages(s, j, start, length, avail);
    if (over && (!*later || over < *later))
        *later = over;
    return avail;
}

/* ---- Bounds ---- */

void space_bound(struct sched *s, struct slurm *m, struct space *x, struct ends *ends)
{
    struct space_part *all = &x->at[0];
    ends_list(s, m, ends);
    ends_by_node(s, m, ends);
    ends_by_slot(s, m, ends);
    x->ends = ends;
    x->begin = all->begin;
    x->end = all->end;
    x->slot_s = max_i64(1, (all->end - all->begin + SLOTS - 1) / SLOTS);
    x->slot = sched_scratch(s, (size_t)SLOTS * m->words * sizeof *x->slot);
    for (int64_t i = 0; i < SLOTS; i++)
        memcpy(slot(m, x, i), all->nodes, m->words * sizeof *x->slot);
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
    if (!at->began)
        at->has_all = !memcmp(nodes, x->all, m->words * sizeof *nodes);
    at->began = true;
    nodes = at->has_all ? NULL : nodes;
    for (;;) {
        bool later = false;
        at->later = 0;
        while (at->first + 1 < x->n && x->at[at->first].end <= start)
            at->first++;
        if (x->at[at->first].end <= start)
            return start;
        at->growth = at->growth > at->first ? at->growth : at->first;
        while (at->growth < x->n && !(later = grows(m, x, at->growth, nodes)) && x->at[at->growth].begin <= start + length)
            at->growth++;
        size_t until = later ? at->growth : x->n - 1;
        at->later = later ? x->at[until].end : 0;
        look_for_bad(x, at, gpus, start + length);
        bool in_vain = (x->at[until].begin <= start + length && x->at[until].gpus_by_end < gpus) ||
                       (at->has_bad && at->bad >= at->first);
        if (!in_vain)
            return start;
        if (!later)
            return -1;
        start = at->later;
    }
}
