/* tentative.c - see tentative.h. */
#include "sim/scheduler/tentative.h"
#include "sim/accounting/books.h"
#include "sim/scheduler/checks.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/stage.h"

#include <stdlib.h>

struct tentative {
    /* sign -1: given back; back: what the job was given before in this pass */
    struct tentative_item { const struct placement *p; job_id job; int8_t sign; bool back; } *item;
    size_t n, capacity;
    size_t out;                   /* items that are given back, of what jobs hold */
};

void tentative_begin(struct sched *s)
{
    s->tentative = arena_alloc(s->memory, sizeof *s->tentative);
}

void tentative_end(struct sched *s)
{
    free(s->tentative->item);
}

bool tentative_any_out(const struct sched *s)
{
    return s->tentative->out > 0;
}

int64_t tentative_tasks_on(const struct sched *s, job_id j, node_id n)
{
    const struct tentative *t = s->tentative;
    int64_t on = 0;
    for (size_t i = 0; i < t->n; i++)
        for (size_t k = 0; t->item[i].job == j && k < t->item[i].p->n; k++)
            on += t->item[i].p->piece[k].node == n ? t->item[i].sign : 0;
    return on;
}

static struct view *room_of(struct sched *s)
{
    return releasing_seen(s) ? s->releasing : s->idle;
}

static void count_out(struct sched *s, job_id j, int by)
{
    s->tentative->out += (size_t)by;
    live_of(s, j)->tentative_out += (uint32_t)by;
}

static bool is_out(const struct tentative_item *item)
{
    return item->sign < 0 && !item->back;
}

/* Some of these tasks are out already. */
static bool overlaps(const struct sched *s, const struct live *l, const struct placement *p)
{
    const struct tentative *t = s->tentative;
    for (size_t i = 0; l->tentative_out && i < t->n; i++)
        for (size_t k = 0; t->item[i].job == l->job && is_out(&t->item[i]) && k < p->n; k++)
            if (placement_task(t->item[i].p, p->piece[k].task))
                return true;
    return false;
}

static void add_item(struct sched *s, struct tentative_item item)
{
    struct tentative *t = s->tentative;
    mem_grow(&t->item, &t->capacity, t->n, sizeof *t->item);
    t->item[t->n++] = item;
    count_out(s, item.job, is_out(&item));
    (void)undo_add(s, UNDO_TENTATIVE, item.job);
}

void tentative_undo(struct sched *s)
{
    struct tentative *t = s->tentative;
    t->n--;
    count_out(s, t->item[t->n].job, -is_out(&t->item[t->n]));
}

/* The job has that piece from this pass alone, and has not given it back. */
static bool is_promised(const struct sched *s, job_id j, const struct piece *piece)
{
    const struct tentative *t = s->tentative;
    for (size_t i = t->n; i-- > 0;) {
        const struct tentative_item *x = &t->item[i];
        const struct piece *has = x->job == j ? placement_task(x->p, piece->task) : NULL;
        if (has)
            return x->sign > 0 && piece_same(has, piece);
    }
    return false;
}

enum sched_result sched_tentative_add(struct sched *s, job_id j, const struct placement *p)
{
    struct live *l = j < s->n_jobs && s->in_pass ? live_of(s, j) : NULL;
    if (!l || !p || !placement_matches(s, j, p, true))
        return verb_refused(s, l ? j : ID_NONE, VERB_PENCIL, SCHED_MISMATCH);
    if (!stage_take_if_free(s, room_of(s), j, p))
        return SCHED_NO_ROOM;
    stage_pending(s, j, placement_amount(ask_of(s, j), p), -1);
    stage_held(s, j, placement_amount(ask_of(s, j), p), 1);
    add_item(s, (struct tentative_item){ p, j, 1, false });
    return SCHED_OK;
}

static bool all_held(const struct sched *s, const struct live *l, const struct placement *p)
{
    bool all = l->now.held != NULL;
    for (size_t i = 0; all && i < p->n; i++) {
        const struct piece *has = placement_task(l->now.held, p->piece[i].task);
        all = has && piece_same(has, &p->piece[i]);
    }
    return all && !overlaps(s, l, p);
}

static bool all_promised(const struct sched *s, job_id j, const struct placement *p)
{
    bool all = true;
    for (size_t i = 0; all && i < p->n; i++)
        all = is_promised(s, j, &p->piece[i]);
    return all;
}

enum sched_result sched_tentative_remove(struct sched *s, job_id j, const struct placement *p)
{
    struct live *l = j < s->n_jobs && s->in_pass ? live_of(s, j) : NULL;
    bool seen = l && p && releasing_seen(s), held = seen && all_held(s, l, p);
    if (!held && !(seen && all_promised(s, j, p)))
        return verb_refused(s, l ? j : ID_NONE, VERB_PENCIL, SCHED_MISMATCH);
    stage_give(s, s->releasing, j, p);
    stage_held(s, j, placement_amount(ask_of(s, j), p), -1);
    stage_pending(s, j, placement_amount(ask_of(s, j), p), 1);
    add_item(s, (struct tentative_item){ p, j, -1, !held });
    return SCHED_OK;
}

/* The pieces of item i that the job was not to give back later in the pass; NULL: none. Scratch. */
static const struct placement *what_is_left(struct sched *s, size_t i)
{
    const struct tentative *t = s->tentative;
    const struct placement *p = t->item[i].p;
    struct placement *left = sched_scratch(s, sizeof *left + p->n * sizeof left->piece[0]);
    for (size_t k = 0; k < p->n; k++) {
        bool back = false, again = false;
        for (size_t later = i + 1; later < t->n && !back && !again; later++) {
            const struct tentative_item *x = &t->item[later];
            if (x->job != t->item[i].job || !placement_task(x->p, p->piece[k].task))
                continue;
            back = x->back;
            again = !back;
        }
        if (!back)
            left->piece[left->n++] = p->piece[k];
    }
    return left->n ? left : NULL;
}

/* What was given back takes what was given with it. */
static void settle_backs(struct sched *s)
{
    struct tentative *t = s->tentative;
    bool any = false;
    for (size_t i = 0; i < t->n; i++)
        any = any || t->item[i].back;
    for (size_t i = 0; any && i < t->n; i++)
        if (t->item[i].sign > 0)
            t->item[i].p = what_is_left(s, i);
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        if (t->item[i].p && !t->item[i].back)
            t->item[n++] = t->item[i];
    t->n = n;
}

void tentative_erase(struct sched *s)
{
    struct tentative *t = s->tentative;
    settle_backs(s);
    for (size_t i = t->n; i-- > 0;) {
        job_id j = t->item[i].job;
        const struct placement *p = t->item[i].p;
        if (t->item[i].sign > 0) {
            if (s->setup.observer.tentative)
                s->setup.observer.tentative(s->setup.observer.self, j, p);
            placement_give(room_of(s), ask_of(s, j), p);
        } else {
            count_out(s, j, -1);
            placement_take(s->releasing, ask_of(s, j), p);
        }
        books_held(s, j, placement_amount(ask_of(s, j), p), -t->item[i].sign);
        books_pending(s, j, placement_amount(ask_of(s, j), p), t->item[i].sign);
    }
    t->n = 0;
}
