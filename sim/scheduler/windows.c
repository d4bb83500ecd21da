/* windows.c - what is free at every instant of a stretch of time.
 *
 * A hold belongs to a window [from, until) if it starts before `until` and ends after `from`. A window is a free index
 * from which the pieces of those holds are taken; to move it, only the holds between the old bounds and the new are
 * looked at. Counted nodes are not summed up but asked for the most that is taken at any instant of the window; a hold
 * that takes nothing but counted GPUs is not looked at. */
#include "sim/engine/host.h"

bool window_has(const struct window *w, const struct hold *h)
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

const struct view *timeline_view(struct sched *s, int64_t from_ns, int64_t until_ns)
{
    struct timeline *t = s->timeline;
    if (!t)
        HOST_BUG(s, "the policy asks for the timeline without SEES_TIMELINE");
    struct window *w = &t->window[from_ns > s->now_ns];
    if (until_ns <= from_ns)
        until_ns = from_ns + 1;
    bool same = w->from_ns == from_ns && w->until_ns == until_ns && w->version == t->version;
    if (same)
        return w->v;
    window_move(s, w, from_ns, until_ns);
    w->version = t->version;
    for (size_t i = 0; i < t->n_counted; i++) {
        node_id n = t->counted[i];
        int64_t most = profile_max(t->taken[n], from_ns, until_ns);
        free_index_set_counted(w->v, n, (int32_t)((int64_t)cluster_node_gpus(s->cluster, n) - most / MILLI_ALL));
    }
    return w->v;
}

struct view *timeline_own_view(const struct sched *s, const struct view *v)
{
    for (unsigned w = 0; s->timeline && w < 2; w++)
        if (s->timeline->window[w].v == v)
            return s->timeline->window[w].v;
    return NULL;
}
