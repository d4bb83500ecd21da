/* sleep.c - a node on which nobody has held anything, or stood suspended, for off_after_s is powered off. models.md 9.
 *
 * It stays in every view: whoever starts on it wakes it, holds his GPUs and waits for wake_s (account "start"), and so does who
 * starts there before it is up. It draws off_w while it is off, and what any node does from the moment of waking. A node that
 * is out of service goes off like any other, draws nothing, and has to be woken when it is back. Power caps count it as lit. */
#include "sim/physics/sleep.h"

#include "sim/physics/energy.h"
#include "sim/physics/physics.h"
#include "sim/physics/pools.h"

struct sleeper {
    int64_t idle_since_ns;
    int64_t off_since_ns;         /* TIME_NEVER: it is on */
    int64_t up_ns;                /* from then on, after waking */
    int64_t off_ns;               /* in all, until it was last woken */
    uint32_t wakes;
    bool due;                     /* an event will look at it */
};
struct sleepers { struct sleeper *node; };    /* [n_nodes] */

static bool wanted(const struct sched *s)
{
    return s->cluster->power && s->cluster->power->off_after_ns != TIME_NEVER;
}

static void look_later(struct sched *s, node_id n)
{
    struct sleeper *x = &s->sleepers->node[n];
    int64_t after_ns = s->energy->power->off_after_ns;
    x->due = x->idle_since_ns <= TIME_NEVER - 1 - after_ns;
    if (!x->due)
        return;
    run_background(s, 1);       /* nobody's wait ends by it */
    event_queue_push(s->events, (struct event){ x->idle_since_ns + after_ns, EVENT_NODE, n });
}

static void begin(struct sched *s)
{
    s->sleepers = arena_alloc(s->memory, sizeof *s->sleepers);
    s->sleepers->node = arena_alloc(s->memory, s->cluster->n_nodes * sizeof *s->sleepers->node);
    for (node_id n = 0; n < s->cluster->n_nodes; n++) {
        s->sleepers->node[n] = (struct sleeper){ .idle_since_ns = s->now_ns, .off_since_ns = TIME_NEVER };
        look_later(s, n);
    }
}

static void wake(struct sched *s, node_id n)
{
    struct sleeper *x = &s->sleepers->node[n];
    x->off_ns += s->now_ns - x->off_since_ns;
    x->off_since_ns = TIME_NEVER;
    x->up_ns = s->now_ns + s->energy->power->wake_ns;
    x->wakes++;
    energy_dark(s, n, DARK_OFF, false);
}

void sleep_there(struct sched *s, node_id n, bool there)
{
    struct sleeper *x = s->sleepers ? &s->sleepers->node[n] : NULL;
    if (x && there)
        sleep_use_changed(s, n);
    if (!x || there || x->off_since_ns == TIME_NEVER)
        return;
    x->off_ns += s->now_ns - x->off_since_ns;
    x->off_since_ns = TIME_NEVER;
    energy_dark(s, n, DARK_OFF, false);
}

void sleep_use_changed(struct sched *s, node_id n)
{
    if (!s->sleepers)
        return;
    struct sleeper *x = &s->sleepers->node[n];
    if (s->energy->node[n].pieces) {
        if (x->off_since_ns != TIME_NEVER)
            wake(s, n);
        return;
    }
    x->idle_since_ns = s->now_ns;
    if (!x->due)
        look_later(s, n);
}

static void happens(struct sched *s, const struct event *e)
{
    struct sleeper *x = &s->sleepers->node[e->subject];
    run_background(s, -1);
    x->due = false;
    if (s->energy->node[e->subject].pieces || x->off_since_ns != TIME_NEVER || !pool_is_there(s, e->subject))
        return;
    if (x->idle_since_ns + s->energy->power->off_after_ns > s->now_ns) {
        look_later(s, e->subject);
        return;
    }
    x->off_since_ns = s->now_ns;
    energy_dark(s, e->subject, DARK_OFF, true);
}

static int64_t wake_ns(const struct sched *s, const struct placement *p)
{
    int64_t longest_ns = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct sleeper *x = &s->sleepers->node[p->piece[i].node];
        int64_t ns = x->off_since_ns != TIME_NEVER ? s->energy->power->wake_ns : x->up_ns - s->now_ns;
        longest_ns = ns > longest_ns ? ns : longest_ns;
    }
    return longest_ns;
}

/* ---- Files ---- */

static int64_t off_ns(const struct sched *s, node_id n)
{
    const struct sleeper *x = &s->sleepers->node[n];
    return x->off_ns + (x->off_since_ns != TIME_NEVER ? s->totals.last_ns - x->off_since_ns : 0);
}

static void node_row(struct output *o, const struct sched *s, node_id n)
{
    out_char(o, ',');
    out_seconds(o, off_ns(s, n));
    out_char(o, ',');
    out_integer(o, s->sleepers->node[n].wakes);
}

static const char *const node_columns[] = { "off_s", "wakes", NULL };
enum { OFF_H, WAKES };
static const struct metric_kind metrics[] = {
    [OFF_H] = { "node_off_h", "h", "hours of nodes that were powered off", BETTER_NEITHER },
    [WAKES] = { "node_wakes", "", "times that one was woken", BETTER_NEITHER },
    { 0 },
};

static void summarise(struct summary_builder *k)
{
    int128_t sum_ns = 0;
    uint64_t wakes = 0;
    for (node_id n = 0; n < k->s->cluster->n_nodes; n++) {
        sum_ns += off_ns(k->s, n);
        wakes += k->s->sleepers->node[n].wakes;
    }
    summary_put_kind(k, &metrics[OFF_H], "all", (double)sum_ns / (double)NS_PER_S / 3600, 1);
    summary_put_kind(k, &metrics[WAKES], "all", (double)wakes, 1);
}

const struct run_model sleep_model = {
    .unsaved = "which nodes are powered off",
    .name = "powering off", .summary = "idle nodes are powered off and woken: off_after_s of the section power",
    .wanted = wanted, .begin = begin, .wake_ns = wake_ns, .events = 1u << EVENT_NODE, .happens = happens,
    .node_columns = node_columns, .node_row = node_row, .metrics = metrics, .summarise = summarise,
};
