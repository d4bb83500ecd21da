/* power_rows.c - `cap_by: rows`: the power of rows of racks is looked at, and clocks are lowered where it
 * comes near the row's budget. models.md 9; after POLCA (Patel et al., ASPLOS 2024).
 *
 * At multiples of row_look_s each row is looked at:
 *
 *     power / budget   above all_at: all its GPUs run at row_clock at most
 *                      above low_at: those of groups of low priority do
 *                      what was lowered for a threshold goes on until power is `release` below it
 *
 * So power may pass the budget between two looks, and no job waits for it; how often and how long it was
 * above is told. An instant is looked at once its events and its pass are over. Where no power has changed
 * since the last look nothing is to be seen, and none is awaited. */
#include "sim/physics/clocks.h"
#include "sim/physics/energy.h"
#include "sim/physics/physics.h"

#include <math.h>
#include <stdio.h>

enum lowered { LOWERED_NONE, LOWERED_LOW, LOWERED_ALL };
struct row {
    enum lowered lowered;
    int64_t over_ns, over_now_ns, over_longest_ns;    /* above the budget: in all, without a break until now, at most */
    int64_t lowered_ns;           /* at lower clocks */
    int128_t peak_nw;
};
struct rows_run {
    struct row *row;              /* [power.h: row.n] */
    uint64_t seen;                /* energy.h: changes, at the last look */
    int64_t looked_ns;
    bool awaited, due;            /* a look: its event is pending, or has come */
};
extern const struct run_model power_rows_model;

static struct rows_run *rows_of(const struct sched *s)
{
    return model_state(s, &power_rows_model);
}

static const struct row_budget *budget_of(const struct sched *s)
{
    return &s->cluster->power->row;
}

static bool wanted(const struct sched *s)
{
    return s->cluster->power && s->cluster->power->cap_by == CAP_BY_ROWS;
}

static void begin(struct sched *s)
{
    struct rows_run *r = arena_alloc(s->memory, sizeof *r);
    model_state_set(s, &power_rows_model, r);
    r->row = arena_alloc(s->memory, budget_of(s)->n * sizeof *r->row);
    r->looked_ns = -1;
}

/* ---- A look ---- */

static bool is_above(const struct row_budget *b, int128_t nw, double part)
{
    return (double)nw > part * (double)b->nw;
}

static enum lowered lowered_at(const struct row_budget *b, int128_t nw, enum lowered now)
{
    if (is_above(b, nw, now == LOWERED_ALL ? b->all_at - b->release : b->all_at))
        return LOWERED_ALL;
    return is_above(b, nw, now == LOWERED_NONE ? b->low_at : b->low_at - b->release) ? LOWERED_LOW : LOWERED_NONE;
}

static void set_clocks(struct sched *s, const struct rows_run *r)
{
    const struct cluster *c = s->cluster;
    const struct row_budget *b = budget_of(s);
    double *clock = clocks_next(s);
    for (node_id n = 0; n < c->n_nodes; n++) {
        uint32_t g = c->group_of[n];
        enum lowered lowered = r->row[b->of_node[n]].lowered;
        bool lower = lowered == LOWERED_ALL || (lowered == LOWERED_LOW && b->low[g]);
        clock[n] = fmin(c->power->of_group[g].clock, lower ? b->clock : 1);
    }
    clocks_take_effect(s);
}

static void look(struct sched *s, struct rows_run *r)
{
    const struct row_budget *b = budget_of(s);
    bool changed = false;
    for (uint32_t i = 0; i < b->n; i++) {
        enum lowered lowered = lowered_at(b, energy_of(s)->row_nw[i], r->row[i].lowered);
        changed = changed || lowered != r->row[i].lowered;
        r->row[i].lowered = lowered;
    }
    r->looked_ns = s->now_ns;
    r->seen = energy_of(s)->changes;
    if (changed)
        set_clocks(s, r);
}

static void await_look(struct sched *s, struct rows_run *r)
{
    int64_t look_ns = budget_of(s)->look_ns;
    if (r->awaited)
        return;
    r->awaited = true;
    run_background(s, 1);
    event_queue_push(s->events, (struct event){ (s->now_ns / look_ns + 1) * look_ns, EVENT_ROWS, 0 });
}

static void look_is_due(struct sched *s, const struct event *e)
{
    struct rows_run *r = rows_of(s);
    (void)e;
    run_background(s, -1);
    r->awaited = false;
    r->due = true;
}

/* After a pass; an instant may have several rounds, and one look. */
static void settle_round(struct sched *s)
{
    struct rows_run *r = rows_of(s);
    bool on_time = s->now_ns % budget_of(s)->look_ns == 0 && r->looked_ns != s->now_ns;
    if (r->due || (on_time && r->seen != energy_of(s)->changes))
        look(s, r);
    r->due = false;
    if (r->seen != energy_of(s)->changes)
        await_look(s, r);
}

/* ---- What came of it ---- */

static void settle(struct sched *s, int64_t to_ns)
{
    struct rows_run *r = rows_of(s);
    const struct row_budget *b = budget_of(s);
    int64_t dt = to_ns - s->ledger.settled_ns;
    for (uint32_t i = 0; dt > 0 && i < b->n; i++) {
        struct row *row = &r->row[i];
        int128_t nw = energy_of(s)->row_nw[i];
        bool over = nw > b->nw;
        row->over_ns += over ? dt : 0;
        row->over_now_ns = over ? row->over_now_ns + dt : 0;
        row->over_longest_ns = row->over_now_ns > row->over_longest_ns ? row->over_now_ns : row->over_longest_ns;
        row->lowered_ns += row->lowered ? dt : 0;
        row->peak_nw = nw > row->peak_nw ? nw : row->peak_nw;
    }
}

/* The sum over rows, and the most of one row. */
static struct row all_rows(const struct sched *s)
{
    const struct rows_run *r = rows_of(s);
    struct row all = { 0 };
    for (uint32_t i = 0; i < budget_of(s)->n; i++) {
        const struct row *row = &r->row[i];
        all.over_ns += row->over_ns;
        all.lowered_ns += row->lowered_ns;
        all.over_longest_ns = row->over_longest_ns > all.over_longest_ns ? row->over_longest_ns : all.over_longest_ns;
        all.peak_nw = row->peak_nw > all.peak_nw ? row->peak_nw : all.peak_nw;
    }
    return all;
}

static bool remark(const struct sched *s, FILE *text)
{
    const struct row_budget *b = budget_of(s);
    struct row all = all_rows(s);
    if (all.over_longest_ns <= b->look_ns)
        return false;
    fprintf(text, "rows of racks drew more than their %g W for up to %.0f s, %.3g h in all: a clock of %g does not keep this budget",
            (double)b->nw / NW_PER_W, seconds(all.over_longest_ns), seconds(all.over_ns) / 3600, b->clock);
    return true;
}

enum { PEAK, OVER_H, OVER_LONGEST_S, LOWERED_H };
static const struct metric_kind metrics[] = {
    [PEAK] = { "row_power_peak", "", "the most that a row of racks drew, as a part of its budget", BETTER_LOWER },
    [OVER_H] = { "row_over_budget_h", "h", "in which rows of racks drew more than their budgets, of all rows", BETTER_LOWER },
    [OVER_LONGEST_S] = { "row_over_budget_longest_s", "s", "the longest time that a row did so without a break", BETTER_LOWER },
    [LOWERED_H] = { "row_lowered_h", "h", "in which clocks were lowered in rows of racks, of all rows", BETTER_LOWER },
    { 0 },
};

static void summarise(struct summary_builder *b)
{
    struct row all = all_rows(b->s);
    const double value[] = { (double)all.peak_nw / (double)budget_of(b->s)->nw, seconds(all.over_ns) / 3600,
                             seconds(all.over_longest_ns), seconds(all.lowered_ns) / 3600 };
    for (unsigned m = 0; m < sizeof value / sizeof value[0]; m++)
        summary_put_kind(b, &metrics[m], "all", value[m], true);
}

const struct run_model power_rows_model = {
    .place = PLACE_OF(power_rows_model),
    .name = "power of rows", .summary = "row_cap_w of the section power: clocks are lowered where a row of racks comes near it",
    .unsaved = "which rows of racks are at lower clocks: they begin at their own, until the next look",
    .wanted = wanted, .begin = begin, .round = settle_round, .settle = settle,
    .events = 1u << EVENT_ROWS, .happens = look_is_due,
    .remark_name = "rows-above-budget", .remark = remark,
    .metrics = metrics, .summarise = summarise,
};
