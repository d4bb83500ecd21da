/* sleep.c - see sleep.h. */
#include "sim/physics/sleep.h"
#include "sim/physics/energy.h"
#include "sim/physics/physics.h"

struct sleeper {
    int64_t idle_since_ns;
    int64_t off_since_ns;         /* TIME_NEVER: it is on */
    int64_t up_ns;                /* from then on, after waking */
    int64_t off_ns;               /* in all, until it was last woken */
    uint32_t wakes, pieces;       /* pieces: that jobs hold of it, and of suspended jobs */
    bool due;                     /* an event will look at it */
    bool absent;                  /* of a pool, and not there */
};
extern const struct run_model sleep_model;

static struct sleeper *sleeper_of(const struct sched *s, node_id n)
{
    struct sleeper *node = model_state(s, &sleep_model);     /* [n_nodes] */
    return &node[n];
}

static bool wanted(const struct sched *s)
{
    return s->cluster->power && s->cluster->power->off_after_ns != TIME_NEVER;
}

static void look_later(struct sched *s, node_id n)
{
    struct sleeper *x = sleeper_of(s, n);
    int64_t after_ns = s->cluster->power->off_after_ns;
    x->due = x->idle_since_ns <= TIME_NEVER - 1 - after_ns;
    if (!x->due)
        return;
    run_background(s, 1);       /* no wait ends by it */
    event_queue_push(s->events, (struct event){ x->idle_since_ns + after_ns, EVENT_NODE, n });
}

static void begin(struct sched *s)
{
    struct sleeper *node = arena_alloc(s->memory, s->cluster->n_nodes * sizeof *node);
    model_state_set(s, &sleep_model, node);
    for (node_id n = 0; n < s->cluster->n_nodes; n++) {
        node[n] = (struct sleeper){ .idle_since_ns = s->now_ns, .off_since_ns = TIME_NEVER };
        look_later(s, n);
    }
}

static void wake(struct sched *s, node_id n)
{
    struct sleeper *x = sleeper_of(s, n);
    x->off_ns += s->now_ns - x->off_since_ns;
    x->off_since_ns = TIME_NEVER;
    x->up_ns = s->now_ns + s->cluster->power->wake_ns;
    x->wakes++;
    energy_node_off(s, n, POWER_OFF, false);
}

static void use_changed(struct sched *s, struct sleeper *x, node_id n)
{
    if (x->pieces) {
        if (x->off_since_ns != TIME_NEVER)
            wake(s, n);
        return;
    }
    x->idle_since_ns = s->now_ns;
    if (!x->due)
        look_later(s, n);
}

static void suspended(struct sched *s, const struct placement *p, int sign)
{
    for (size_t i = 0; i < p->n; i++) {
        struct sleeper *x = sleeper_of(s, p->piece[i].node);
        x->pieces += (uint32_t)sign;
        use_changed(s, x, p->piece[i].node);
    }
}

static void held(struct sched *s, job_id j, const struct placement *p, int sign)
{
    (void)j;
    suspended(s, p, sign);
}

void sleep_there(struct sched *s, node_id n, bool there)
{
    if (!model_state(s, &sleep_model))
        return;
    struct sleeper *x = sleeper_of(s, n);
    x->absent = !there;
    if (there)
        use_changed(s, x, n);
    if (there || x->off_since_ns == TIME_NEVER)
        return;
    x->off_ns += s->now_ns - x->off_since_ns;
    x->off_since_ns = TIME_NEVER;
    energy_node_off(s, n, POWER_OFF, false);
}

static void happens(struct sched *s, const struct event *e)
{
    struct sleeper *x = sleeper_of(s, e->subject);
    run_background(s, -1);
    x->due = false;
    if (x->pieces || x->off_since_ns != TIME_NEVER || x->absent)
        return;
    if (x->idle_since_ns + s->cluster->power->off_after_ns > s->now_ns) {
        look_later(s, e->subject);
        return;
    }
    x->off_since_ns = s->now_ns;
    energy_node_off(s, e->subject, POWER_OFF, true);
}

static int64_t wake_ns(const struct sched *s, const struct placement *p)
{
    int64_t longest_ns = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct sleeper *x = sleeper_of(s, p->piece[i].node);
        int64_t ns = x->off_since_ns != TIME_NEVER ? s->cluster->power->wake_ns : x->up_ns - s->now_ns;
        longest_ns = ns > longest_ns ? ns : longest_ns;
    }
    return longest_ns;
}

/* ---- Files ---- */

static int64_t off_ns(const struct sched *s, node_id n)
{
    const struct sleeper *x = sleeper_of(s, n);
    return x->off_ns + (x->off_since_ns != TIME_NEVER ? s->totals.last_ns - x->off_since_ns : 0);
}

static void node_row(struct output *o, const struct sched *s, node_id n)
{
    out_char(o, ',');
    out_seconds(o, off_ns(s, n));
    out_char(o, ',');
    out_integer(o, sleeper_of(s, n)->wakes);
}

static const char *const node_columns[] = { "off_s", "wakes", NULL };
enum { OFF_H, WAKES };
static const struct metric_kind metrics[] = {
    [OFF_H] = { "node_off_h", "h", "hours of nodes that were powered off", BETTER_NEITHER },
    [WAKES] = { "node_wakes", "", "times that one was woken", BETTER_NEITHER },
    { 0 },
};

static void summarise(struct summary_builder *b)
{
    int128_t sum_ns = 0;
    uint64_t wakes = 0;
    for (node_id n = 0; n < b->s->cluster->n_nodes; n++) {
        sum_ns += off_ns(b->s, n);
        wakes += sleeper_of(b->s, n)->wakes;
    }
    summary_put_kind(b, &metrics[OFF_H], "all", (double)sum_ns / (double)NS_PER_S / 3600, 1);
    summary_put_kind(b, &metrics[WAKES], "all", (double)wakes, 1);
}

const struct run_model sleep_model = {
    .place = PLACE_OF(sleep_model),
    .unsaved = "which nodes are powered off",
    .name = "powering off", .summary = "idle nodes are powered off and woken: off_after_s of the section power",
    .wanted = wanted, .begin = begin, .held = held, .suspended = suspended, .wake_ns = wake_ns, .events = 1u << EVENT_NODE, .happens = happens,
    .node_columns = node_columns, .node_row = node_row, .metrics = metrics, .summarise = summarise,
};
