/* stage.c - see stage.h. */
#include "sim/scheduler/stage.h"
#include "sim/accounting/books.h"

struct undo *undo_add(struct sched *s, enum undo_kind kind, job_id j)
{
    if (!s->marked)
        return NULL;
    mem_grow(&s->undo, &s->undo_capacity, s->n_undo, sizeof *s->undo);
    struct undo *u = &s->undo[s->n_undo++];
    *u = (struct undo){ .kind = (uint8_t)kind, .job = j };
    return u;
}

void stage_touch(struct sched *s, struct live *l)
{
    if (l->touched)
        return;
    l->touched = true;
    l->was.state = s->job[l->job].state;
    l->was.held = l->held;
    mem_grow(&s->touched, &s->touched_capacity, s->n_touched, sizeof *s->touched);
    s->touched[s->n_touched++] = s->job[l->job].live;
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

void stage_held(struct sched *s, job_id j, struct amount size, int sign)
{
    struct undo *u = undo_add(s, UNDO_HELD, j);
    if (u) {
        u->sign = (int8_t)sign;
        u->u.size = size;
    }
    books_held(s, j, size, sign);
}

void stage_pending(struct sched *s, job_id j, struct amount size, int sign)
{
    struct undo *u = undo_add(s, UNDO_PENDING, j);
    if (u) {
        u->sign = (int8_t)sign;
        u->u.size = size;
    }
    books_pending(s, j, size, sign);
}

void stage_state(struct sched *s, struct live *l, enum job_state state, struct placement *held, bool stopping)
{
    struct undo *u = undo_add(s, UNDO_JOB, l->job);
    if (u) {
        u->state = s->job[l->job].state;
        u->mode = l->stop_mode;
        u->stopping = l->stopping;
        u->broken = l->broken;
        u->dropped = l->dropped;
        u->anew = l->anew;
        u->u.job.held = l->held;
        u->u.job.late = l->late;
        u->u.job.stopped_for = l->stopped_for;
    }
    s->job[l->job].state = (uint8_t)state;
    l->held = held;
    l->stopping = stopping;
}
