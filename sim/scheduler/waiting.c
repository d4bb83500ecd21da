/* waiting.c - why each job waits, split exactly, at O(1) per change of a reason.
 *
 * A group (a sub-line) has a clock of running totals per reason. A job that joins subtracts the totals, a job that
 * leaves adds them: what remains is its own time per reason. Nothing is done for jobs that just wait. A group without
 * a reason of its own goes by its line's clock. All are integers, so a job's parts add up to its wait. */
#include "sim/scheduler/waiting.h"
#include "sim/accounting/ledger.h"
#include "sim/base/stable.h"
#include "sim/engine/state.h"
#include "sim/scheduler/lines.h"
#include "sim/scheduler/stage.h"
#include "sim/scheduler/timeline.h"

#include <stdlib.h>
#include <string.h>

struct waits {
    job_id *fresh;                /* pending since the last pass of a periodic scheduler */
    size_t n_fresh, fresh_capacity;
    struct stable ns, why;        /* the parts of the waits of jobs that have gone, and their reasons: int64_t, uint8_t */
};

void waits_begin(struct sched *s)
{
    s->waits = arena_alloc(s->memory, sizeof *s->waits);
}

void waits_end(struct sched *s)
{
    free(s->waits->fresh);
    stable_free(&s->waits->ns);
    stable_free(&s->waits->why);
}

void waits_drop(const struct sched *s)
{
    stable_drop(&s->waits->ns, sizeof(int64_t));
    stable_drop(&s->waits->why, sizeof(uint8_t));
}

static void clock_run(struct wait_clock *c, int64_t now_ns)
{
    if (c->why != WAIT_GROUP && now_ns != c->since_ns) {
        c->total[c->why] += now_ns - c->since_ns;
        c->counted |= (uint16_t)(1u << c->why);
    }
    c->since_ns = now_ns;
}

void wait_clock_set(struct wait_clock *c, int64_t now_ns, enum wait_reason why)
{
    clock_run(c, now_ns);
    c->why = (uint8_t)why;
}

void sub_line_reason(struct sched *s, struct sub_line *sub, enum wait_reason why)
{
    struct wait_clock *line = &s->lines->line[sub->line]->clock;
    if (why == (enum wait_reason)sub->clock.why)
        return;
    clock_run(line, s->now_ns);
    if (sub->clock.why == WAIT_GROUP) {
        for (unsigned r = 0; r < WAIT_REASONS; r++)
            sub->clock.total[r] += line->total[r] - sub->line_at_handover[r];
        sub->clock.counted |= line->counted;
    }
    wait_clock_set(&sub->clock, s->now_ns, why);
    if (why == WAIT_GROUP)
        for (unsigned r = 0; r < WAIT_REASONS; r++)
            sub->line_at_handover[r] = line->total[r];
    sub_line_tell(s, sub);
}

/* Adds (sign 1) or subtracts (-1) what the group's clocks show now. */
static void group_totals(struct sched *s, struct live *l, uint32_t sub_number, int64_t sign)
{
    struct sub_line *sub = &s->lines->sub[sub_number];
    struct wait_clock *line = &s->lines->line[sub->line]->clock;
    clock_run(&sub->clock, s->now_ns);
    for (unsigned rest = sub->clock.counted; rest; rest &= rest - 1) {
        unsigned r = (unsigned)__builtin_ctz(rest);
        wait_add(l, r, sign * sub->clock.total[r]);
    }
    if (sub->clock.why == WAIT_GROUP) {
        clock_run(line, s->now_ns);
        for (unsigned rest = line->counted; rest; rest &= rest - 1) {
            unsigned r = (unsigned)__builtin_ctz(rest);
            wait_add(l, r, sign * (line->total[r] - sub->line_at_handover[r]));
        }
    }
}

static bool by_group(const struct live *l)
{
    return l->own_why == WAIT_GROUP && l->wait_sub != ID_NONE;
}

static void count_start(struct sched *s, struct live *l)
{
    if (by_group(l))
        group_totals(s, l, l->wait_sub, -1);
    else
        l->own_since_ns = s->now_ns;
}

static void count_stop(struct sched *s, struct live *l)
{
    if (by_group(l))
        group_totals(s, l, l->wait_sub, 1);
    else
        wait_add(l, l->own_why == WAIT_GROUP ? WAIT_ORDER : l->own_why, s->now_ns - l->own_since_ns);
}

static void own_set(struct sched *s, struct live *l, enum wait_reason why)
{
    l->own_why = (uint8_t)why;
    if (!s->timeline)
        return;
    line_entries_reserve(s, l);
    timeline_told(s, l);
}

void wait_begin(struct sched *s, struct live *l, enum wait_reason own)
{
    own_set(s, l, own);
    if (s->setup.observer.decision) {
        l->wait_before = l->wait_before ? l->wait_before : arena_alloc(s->memory, sizeof l->wait);
        for (unsigned r = 0; r < WAIT_REASONS; r++)
            l->wait_before[r] = wait_so_far(l, r);
    }
    l->counting = true;
    ledger_waiting(s, 1);
    count_start(s, l);
}

void wait_begin_pending(struct sched *s, struct live *l)
{
    wait_begin(s, l, s->force->period_ns ? WAIT_PASS : WAIT_GROUP);
    if (!s->force->period_ns)
        return;
    struct waits *w = s->waits;
    mem_grow(&w->fresh, &w->fresh_capacity, w->n_fresh, sizeof *w->fresh);
    w->fresh[w->n_fresh++] = l->job;
}

void wait_pass_begins(struct sched *s)
{
    struct waits *w = s->waits;
    for (size_t i = 0; i < w->n_fresh; i++) {
        struct live *l = live_of(s, w->fresh[i]);
        if (l && l->counting && l->own_why == WAIT_PASS)
            wait_own(s, l, WAIT_GROUP);
    }
    w->n_fresh = 0;
}

static __attribute__((cold)) void wait_log(const struct sched *s, const struct live *l)
{
    for (unsigned r = 0; r < WAIT_REASONS; r++) {
        char text[DECIMAL_MAX + 1];
        int64_t ns = wait_so_far(l, r) - l->wait_before[r];
        if (ns == 0)
            continue;
        text[decimal_format(text, ns, NS_PER_S)] = '\0';
        decision_log(s, l->job, "wait", wait_reason_name[r], text);
    }
}

void wait_end(struct sched *s, struct live *l)
{
    count_stop(s, l);
    l->counting = false;
    ledger_waiting(s, -1);
    if (s->setup.observer.decision && l->wait_before)
        wait_log(s, l);
}

/* From one reason of its own to another one. */
static bool both_own(const struct live *l, enum wait_reason why)
{
    return l->own_why != WAIT_GROUP && why != WAIT_GROUP;
}

static __attribute__((noinline)) void own_or_group(struct sched *s, struct live *l, enum wait_reason why)
{
    if (l->counting)
        count_stop(s, l);
    own_set(s, l, why);
    if (l->counting)
        count_start(s, l);
}

void wait_own(struct sched *s, struct live *l, enum wait_reason why)
{
    if (l->own_why == why)
        return;
    if (!l->counting || s->timeline || !both_own(l, why)) {
        own_or_group(s, l, why);
        return;
    }
    wait_add(l, l->own_why, s->now_ns - l->own_since_ns);
    l->own_why = (uint8_t)why;
    l->own_since_ns = s->now_ns;
}

static void regroup(struct sched *s, struct live *l, uint32_t sub)
{
    if (l->counting)
        count_stop(s, l);
    l->wait_sub = sub;
    if (l->counting)
        count_start(s, l);
}

void wait_joined(struct sched *s, struct live *l, uint32_t sub)
{
    regroup(s, l, sub);
}

/* Called when the entry is gone: the newest of the others, if any, counts from now on. */
void wait_left(struct sched *s, struct live *l, uint32_t sub)
{
    if (l->wait_sub == sub)
        regroup(s, l, l->entry == ID_NONE ? ID_NONE : s->lines->entry[l->entry].sub);
}

enum wait_reason wait_reason_now(const struct sched *s, const struct live *l)
{
    if (l->own_why != WAIT_GROUP)
        return l->own_why;
    if (l->wait_sub == ID_NONE)
        return WAIT_ORDER;
    const struct sub_line *sub = &s->lines->sub[l->wait_sub];
    return sub->clock.why != WAIT_GROUP ? sub->clock.why : s->lines->line[sub->line]->clock.why;
}

int64_t wait_store(struct sched *s, job_id j, const struct live *l)
{
    int64_t sum_ns = 0;
    struct waits *w = s->waits;
    struct job_run *run = &s->job[j];
    run->waits_at = (uint32_t)w->ns.n;
    for (unsigned rest = l->waited; rest; rest &= rest - 1) {
        unsigned r = (unsigned)__builtin_ctz(rest);
        if (l->wait[r] == 0)
            continue;
        MUST(s, l->wait[r] > 0);
        *(int64_t *)stable_add(&w->ns, sizeof(int64_t), workload_resident(s->workload, sizeof(int64_t))) = l->wait[r];
        *(uint8_t *)stable_add(&w->why, sizeof(uint8_t), workload_resident(s->workload, sizeof(uint8_t))) = (uint8_t)r;
        run->waits++;
        sum_ns += l->wait[r];
    }
    return sum_ns;
}

/* What only the world can know counts as another reason: that a dependency is unmet, or a cap where there is none. */
enum wait_reason wait_credible(const struct sched *s, enum wait_reason why)
{
    bool unknown = (why == WAIT_POWER && !s->idle->headroom) || (why == WAIT_RESERVATION && !s->reserved);
    return why == WAIT_DEPENDENCY || unknown ? WAIT_OTHER : why;
}

void line_blocked(struct sched *s, struct line *line, shape_id shape, enum wait_reason why)
{
    why = wait_credible(s, why);
    if (why == WAIT_REASONS || why > WAIT_GROUP)
        return;
    if (shape == ID_NONE) {
        if (why == WAIT_GROUP)
            why = WAIT_ORDER;
        if (line->clock.why == why)
            return;
        struct undo *u = undo_add(s, UNDO_LINE, ID_NONE);
        if (u) {
            u->number = line->number;
            u->why = line->clock.why;
        }
        wait_clock_set(&line->clock, s->now_ns, why);
        return;
    }
    uint32_t number = sub_line_of(line, shape);
    if (number != ID_NONE)
        sub_line_blocked(s, number, why);
}

void sub_line_blocked(struct sched *s, uint32_t number, enum wait_reason why)
{
    if (s->lines->sub[number].clock.why == why)
        return;
    struct undo *u = undo_add(s, UNDO_SUB, ID_NONE);
    if (u) {
        u->number = number;
        u->why = s->lines->sub[number].clock.why;
    }
    sub_line_reason(s, &s->lines->sub[number], why);
}

const char *const wait_reason_name[WAIT_REASONS] = {
    "order",    "limit", "quota",    "protected", "gpus", "fragmented", "topology",
    "type",     "gang",  "reserved", "releasing", "pass", "dependency", "other", "power",
    "reservation",
};

int64_t wait_parts(const struct sched *s, const struct job_run *run, int64_t wait[WAIT_REASONS])
{
    int64_t sum_ns = 0;
    for (uint32_t i = run->waits_at, end = i + run->waits; i < end; i++) {
        int64_t ns = *(const int64_t *)stable_at(&s->waits->ns, i, sizeof(int64_t));
        wait[*(const uint8_t *)stable_at(&s->waits->why, i, sizeof(uint8_t))] = ns;
        sum_ns += ns;
    }
    return sum_ns;
}
