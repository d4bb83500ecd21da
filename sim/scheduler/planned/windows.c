/* windows.c - what holds leave free over a time, summed up in free indices. See timeline.h. */
#include "sim/contract/util/minmax.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/closed/reserved.h"
#include "sim/scheduler/timeline.h"

/* ---- The orders of holds ---- */

static bool starts_before(const void *context, uint32_t a, uint32_t b)
{
    const struct timeline *t = context;
    return t->hold[a].start_ns != t->hold[b].start_ns ? t->hold[a].start_ns < t->hold[b].start_ns : a < b;
}

static bool ends_before(const void *context, uint32_t a, uint32_t b)
{
    const struct timeline *t = context;
    return t->hold[a].end_ns != t->hold[b].end_ns ? t->hold[a].end_ns < t->hold[b].end_ns : a < b;
}

struct ordered_space holds_by_start(const struct timeline *t)
{
    return (struct ordered_space){ t->hold, sizeof *t->hold, starts_before, t, NULL };
}

struct ordered_space holds_by_end(const struct timeline *t)
{
    return (struct ordered_space){ t->end, sizeof *t->end, ends_before, t, NULL };
}

bool hold_ends_by(const void *key, const void *context, uint32_t item)
{
    return ((const struct timeline *)context)->hold[item].end_ns <= *(const int64_t *)key;
}

/* ---- Windows ---- */

static bool window_has(const struct window *w, const struct hold *h)
{
    return h->start_ns < w->until_ns && h->end_ns > w->from_ns;
}

/* CPU and memory everywhere, GPUs only where they have names. */
void window_change(struct sched *s, struct window *w, const struct hold *h, bool take)
{
    const struct request *ask = ask_of(s, h->job);
    for (size_t i = 0; i < h->p->n; i++) {
        struct piece p = h->p->piece[i];
        const struct request *run = request_of_piece(ask, &p);
        int64_t cpu = piece_share(run, &p, run->cpu_milli), mem = piece_share(run, &p, run->mem_mib);
        if (s->timeline->taken[p.node])
            p.gpus = 0;
        (take ? free_index_take : free_index_give)(w->v, &p, cpu, mem);
    }
}

static bool starts_below(const void *key, const void *context, uint32_t item)
{
    return ((const struct timeline *)context)->hold[item].start_ns < *(const int64_t *)key;
}

/* Holds that start in [low, high) and end after `from`. */
static void each_start(struct sched *s, struct window *w, int64_t low, int64_t high, bool take)
{
    struct timeline *t = s->timeline;
    struct ordered_space starts = holds_by_start(t);
    uint32_t i = ordered_search(&t->by_start, &starts, starts_below, &low);
    for (; i != ORDERED_NONE && t->hold[i].start_ns < high; i = ordered_next(&starts, i))
        if (t->hold[i].shown && t->hold[i].end_ns > w->from_ns)
            window_change(s, w, &t->hold[i], take);
}

/* Holds that end in (low, high] and start before `until`. */
static void each_end(struct sched *s, struct window *w, int64_t low, int64_t high, bool take)
{
    struct timeline *t = s->timeline;
    struct ordered_space ends = holds_by_end(t);
    uint32_t i = ordered_search(&t->by_end[true], &ends, hold_ends_by, &low);
    for (; i != ORDERED_NONE && t->hold[i].end_ns <= high; i = ordered_next(&ends, i))
        if (t->hold[i].shown && t->hold[i].start_ns < w->until_ns)
            window_change(s, w, &t->hold[i], take);
}

static void window_move(struct sched *s, struct window *w, int64_t from_ns, int64_t until_ns)
{
    if (s->timeline->by_start.root == ORDERED_NONE) {             /* nothing to sum up */
        w->from_ns = from_ns;
        w->until_ns = until_ns;
        return;
    }
    if (until_ns > w->until_ns)
        each_start(s, w, w->until_ns, until_ns, true);
    else
        each_start(s, w, until_ns, w->until_ns, false);
    w->until_ns = until_ns;
    if (from_ns > w->from_ns)
        each_end(s, w, w->from_ns, from_ns, false);
    else
        each_end(s, w, from_ns, w->from_ns, true);
    w->from_ns = from_ns;
}

/* With nothing in them yet. */
static void windows_add(struct sched *s)
{
    struct timeline *t = s->timeline;
    while (t->n_windows < WINDOWS_MOST) {
        struct window *w = &t->window[t->n_windows++];
        *w = (struct window){ placing_view(s), TIME_NEVER, TIME_NEVER, 0, NULL, NULL };
        for (node_id n = 0; n < s->cluster->n_nodes; n++) {
            if (t->out[n].gpus)
                free_index_out_gpus(w->v, n, t->out[n].gpus, 1);
            if (t->out[n].whole)
                free_index_out_node(w->v, n, 0, 1);
        }
    }
}

/* Windows that begin later stay each in its part of the time up to the last start that was asked for, so that none moves far. */
struct window *window_for(struct sched *s, int64_t from_ns)
{
    struct timeline *t = s->timeline;
    if (from_ns <= s->now_ns)
        return &t->window[0];
    if (t->n_windows < WINDOWS_MOST && t->gaps && t->gaps_say_all && !t->by_gaps)
        windows_add(s);
    t->last_from_ns = max_i64(t->last_from_ns, from_ns);
    double part = (double)(from_ns - s->now_ns) / (double)(t->last_from_ns - s->now_ns);
    unsigned later = t->n_windows - 1, at = (unsigned)(part * later);
    return &t->window[1 + (at < later ? at : later - 1)];
}

const struct view *timeline_view(struct sched *s, int64_t from_ns, int64_t until_ns)
{
    struct timeline *t = s->timeline;
    if (!t)
        ENGINE_BUG(s, "the policy asks for the timeline without SEES_TIMELINE");
    struct window *w = window_for(s, from_ns);
    if (until_ns <= from_ns)
        until_ns = from_ns + 1;
    bool same = w->from_ns == from_ns && w->until_ns == until_ns && w->version == t->version;
    if (same)
        return w->v;
    (t->by_gaps ? window_show_gaps : window_move)(s, w, from_ns, until_ns);
    blocks_move(w->blocks, w->v, t->out, from_ns, until_ns);
    free_index_set_shapes(w->v, reserved_kinds(s, from_ns, until_ns));
    w->version = t->version;
    for (size_t i = 0; i < t->n_counted; i++) {
        node_id n = t->counted[i];
        int64_t free = blocks_has(w->blocks, n) ? 0 : timeline_counted_free(s, n, from_ns, until_ns);
        free_index_set_counted(w->v, n, (int32_t)free);
    }
    return w->v;
}

void windows_change(struct sched *s, const struct hold *h, bool take)
{
    struct timeline *t = s->timeline;
    for (unsigned w = 0; h->summed && w < t->n_windows; w++)
        if (window_has(&t->window[w], h))
            window_change(s, &t->window[w], h, take);
}

void windows_lengthen(struct sched *s, const struct hold *was, const struct hold *h)
{
    struct timeline *t = s->timeline;
    for (unsigned w = 0; h->summed && w < t->n_windows; w++) {
        bool had = window_has(&t->window[w], was), has = window_has(&t->window[w], h);
        if (had != has)
            window_change(s, &t->window[w], h, has);
    }
}

/* No window sums anything up from now on, and holds are only put in the order of their ends. */
void windows_by_gaps(struct sched *s)
{
    struct timeline *t = s->timeline;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->hold[i].p && t->hold[i].shown)
            windows_change(s, &t->hold[i], false);
    for (uint32_t i = 0; i < t->n; i++) {
        struct hold *h = &t->hold[i];
        if (!h->p || !h->summed)
            continue;
        h->summed = false;
        hold_end_waits(t, i);
        if (h->kind != HOLD_PLAN)
            ends_add(&t->ends, (struct end){ h->end_ns, i });
    }
    t->by_start = t->by_end[true] = ORDERED_EMPTY;
    t->by_gaps = true;
    for (unsigned w = 0; w < t->n_windows; w++)
        window_by_gaps(s, &t->window[w]);
}
