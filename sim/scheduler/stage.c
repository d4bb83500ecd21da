/* stage.c - see stage.h. */
#include "sim/scheduler/stage.h"
#include "sim/accounting/books.h"
#include "sim/scheduler/placements.h"

#include <stdlib.h>

void stage_begin(struct sched *s)
{
    s->stage = arena_alloc(s->memory, sizeof *s->stage);
}

void stage_end(struct sched *s)
{
    free(s->stage->undo);
    free(s->stage->touched);
    free(s->stage->copy);
}

struct undo *undo_log(struct sched *s, enum undo_kind kind, job_id j)
{
    struct stage *g = s->stage;
    mem_grow(&g->undo, &g->undo_capacity, g->n_undo, sizeof *g->undo);
    struct undo *u = &g->undo[g->n_undo++];
    *u = (struct undo){ .kind = (uint8_t)kind, .job = j };
    return u;
}

void stage_touch(struct sched *s, struct live *l)
{
    if (l->touched)
        return;
    struct stage *g = s->stage;
    l->touched = true;
    l->was = stage_copy(s, l);
    mem_grow(&g->touched, &g->touched_capacity, g->n_touched, sizeof *g->touched);
    g->touched[g->n_touched++] = job_slot(s, l->job);
}

static void undo_piece(struct sched *s, enum undo_kind kind, struct view *v, job_id j, const struct placement *p)
{
    struct undo *u = undo_add(s, kind, j);
    if (u) {
        u->u.piece.view = v;
        u->u.piece.p = p;
    }
}

void stage_take(struct sched *s, struct view *v, job_id j, const struct placement *p)
{
    if (!v)
        return;
    undo_piece(s, UNDO_TAKE, v, j, p);
    placement_take(v, ask_of(s, j), p);
}

bool stage_take_if_free(struct sched *s, struct view *v, job_id j, const struct placement *p)
{
    if (!placement_take_if_free(v, ask_of(s, j), p))
        return false;
    undo_piece(s, UNDO_TAKE, v, j, p);
    return true;
}

void stage_give(struct sched *s, struct view *v, job_id j, const struct placement *p)
{
    if (!v)
        return;
    undo_piece(s, UNDO_GIVE, v, j, p);
    placement_give(v, ask_of(s, j), p);
}

static void undo_size(struct sched *s, enum undo_kind kind, job_id j, struct amount size, int sign)
{
    struct undo *u = undo_add(s, kind, j);
    if (u) {
        u->sign = (int8_t)sign;
        u->u.size = size;
    }
}

void stage_held(struct sched *s, job_id j, struct amount size, int sign)
{
    undo_size(s, UNDO_HELD, j, size, sign);
    books_held(s, j, size, sign);
}

void stage_pending(struct sched *s, job_id j, struct amount size, int sign)
{
    undo_size(s, UNDO_PENDING, j, size, sign);
    books_pending(s, j, size, sign);
}

void stage_served(struct sched *s, job_id j, struct amount waited_for, struct amount held)
{
    undo_size(s, UNDO_PENDING, j, waited_for, -1);
    undo_size(s, UNDO_HELD, j, held, 1);
    books_change(s, j, &(struct books_change){ held, { -waited_for.gpu_milli, -waited_for.cpu_milli, -waited_for.mem_mib }, 0 });
}

struct staged stage_copy(const struct sched *s, const struct live *l)
{
    struct staged copy = l->now;
    copy.state = s->job[l->job].state;
    return copy;
}

void stage_restore(struct sched *s, struct live *l, struct staged to)
{
    s->job[l->job].state = to.state;
    l->now = to;
}

void stage_state(struct sched *s, struct live *l, enum job_state state, struct placement *held, bool stopping)
{
    struct undo *u = undo_add(s, UNDO_JOB, l->job);
    if (u)
        u->u.staged = stage_copy(s, l);
    s->job[l->job].state = (uint8_t)state;
    l->now.held = held;
    l->now.stopping = stopping;
}

struct placement *placement_stage(struct sched *s, job_id j, struct placement *p)
{
    struct stage *g = s->stage;
    mem_grow(&g->copy, &g->copy_capacity, g->n_copies, sizeof *g->copy);
    g->copy[g->n_copies].p = p;
    g->copy[g->n_copies++].live = job_slot(s, j);
    return p;
}
