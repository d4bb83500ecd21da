/* tentative.c - see tentative.h. */
#include "sim/scheduler/tentative.h"
#include "sim/accounting/books.h"
#include "sim/scheduler/checks.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/stage.h"

#include <stdlib.h>

struct tentative {
    struct { const struct placement *p; job_id job; int8_t sign; } *item;    /* sign -1: given back */
    size_t n, capacity;
    size_t out;                   /* items that are given back */
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

/* Some of these tasks are out already. */
static bool overlaps(const struct sched *s, const struct live *l, const struct placement *p)
{
    const struct tentative *t = s->tentative;
    for (size_t i = 0; l->tentative_out && i < t->n; i++)
        for (size_t k = 0; t->item[i].job == l->job && t->item[i].sign < 0 && k < p->n; k++)
            if (placement_task(t->item[i].p, p->piece[k].task))
                return true;
    return false;
}

static void tentative_add(struct sched *s, job_id j, const struct placement *p, int sign)
{
    struct tentative *t = s->tentative;
    mem_grow(&t->item, &t->capacity, t->n, sizeof *t->item);
    t->item[t->n].job = j;
    t->item[t->n].p = p;
    t->item[t->n++].sign = (int8_t)sign;
    count_out(s, j, sign < 0);
    (void)undo_add(s, UNDO_TENTATIVE, j);
}

void tentative_undo(struct sched *s)
{
    struct tentative *t = s->tentative;
    t->n--;
    count_out(s, t->item[t->n].job, -(t->item[t->n].sign < 0));
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
    tentative_add(s, j, p, 1);
    return SCHED_OK;
}

enum sched_result sched_tentative_remove(struct sched *s, job_id j, const struct placement *p)
{
    struct live *l = j < s->n_jobs && s->in_pass ? live_of(s, j) : NULL;
    bool holds = l && p && l->now.held && releasing_seen(s);
    for (size_t i = 0; holds && i < p->n; i++) {
        const struct piece *has = placement_task(l->now.held, p->piece[i].task);
        holds = has && piece_same(has, &p->piece[i]);
    }
    if (!holds || overlaps(s, l, p))
        return verb_refused(s, l ? j : ID_NONE, VERB_PENCIL, SCHED_MISMATCH);
    stage_give(s, s->releasing, j, p);
    stage_held(s, j, placement_amount(ask_of(s, j), p), -1);
    stage_pending(s, j, placement_amount(ask_of(s, j), p), 1);
    tentative_add(s, j, p, -1);
    return SCHED_OK;
}

void tentative_erase(struct sched *s)
{
    struct tentative *t = s->tentative;
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
