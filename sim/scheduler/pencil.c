/* pencil.c - what a pass only thinks of: pieces taken or given back for the rest of it, and as if it had not been after it.
 *
 * Views and books show it; no job changes its state. Takes and gives add up, so they are taken back in any order. */
#include "sim/accounting/books.h"
#include "sim/engine/host.h"
#include "sim/scheduler/transaction.h"

static struct view *room_of(struct sched *s)
{
    return room_seen(s) ? s->room : s->idle;
}

static void count_out(struct sched *s, job_id j, int by)
{
    s->pencilled_out += (size_t)by;
    live_of(s, j)->pencilled_out += (uint32_t)by;
}

/* Some of these tasks are out already. */
static bool overlaps(const struct sched *s, const struct live *l, const struct placement *p)
{
    for (size_t i = 0; l->pencilled_out && i < s->n_pencils; i++)
        for (size_t k = 0; s->pencil[i].job == l->job && s->pencil[i].sign < 0 && k < p->n; k++)
            if (placement_task(s->pencil[i].p, p->piece[k].task))
                return true;
    return false;
}

static void pencil_add(struct sched *s, job_id j, const struct placement *p, int sign)
{
    mem_grow(&s->pencil, &s->pencil_capacity, s->n_pencils, sizeof *s->pencil);
    s->pencil[s->n_pencils].job = j;
    s->pencil[s->n_pencils].p = p;
    s->pencil[s->n_pencils++].sign = (int8_t)sign;
    count_out(s, j, sign < 0);
    (void)undo_add(s, UNDO_PENCIL, j);
}

void pencil_undo(struct sched *s)
{
    s->n_pencils--;
    count_out(s, s->pencil[s->n_pencils].job, -(s->pencil[s->n_pencils].sign < 0));
}

enum sched_result sched_tentative_add(struct sched *s, job_id j, const struct placement *p)
{
    struct live *l = j < s->n_jobs && s->in_pass ? live_of(s, j) : NULL;
    if (!l || !p || !placement_matches(s, j, p, true))
        return verb_refused(s, l ? j : ID_NONE, "pencil", SCHED_MISMATCH);
    if (!stage_take_if_free(s, room_of(s), j, p))
        return SCHED_NO_ROOM;
    stage_pending(s, j, placement_amount(ask_of(s, j), p), -1);
    stage_held(s, j, placement_amount(ask_of(s, j), p), 1);
    pencil_add(s, j, p, 1);
    return SCHED_OK;
}

enum sched_result sched_tentative_remove(struct sched *s, job_id j, const struct placement *p)
{
    struct live *l = j < s->n_jobs && s->in_pass ? live_of(s, j) : NULL;
    bool holds = l && p && l->held && room_seen(s);
    for (size_t i = 0; holds && i < p->n; i++) {
        const struct piece *has = placement_task(l->held, p->piece[i].task);
        holds = has && piece_same(has, &p->piece[i]);
    }
    if (!holds || overlaps(s, l, p))
        return verb_refused(s, l ? j : ID_NONE, "pencil", SCHED_MISMATCH);
    stage_give(s, s->room, j, p);
    stage_held(s, j, placement_amount(ask_of(s, j), p), -1);
    stage_pending(s, j, placement_amount(ask_of(s, j), p), 1);
    pencil_add(s, j, p, -1);
    return SCHED_OK;
}

void pencils_erase(struct sched *s)
{
    for (size_t i = s->n_pencils; i-- > 0;) {
        job_id j = s->pencil[i].job;
        const struct placement *p = s->pencil[i].p;
        if (s->pencil[i].sign > 0) {
            if (s->setup.observer.pencilled)
                s->setup.observer.pencilled(s->setup.observer.self, j, p);
            placement_give(room_of(s), ask_of(s, j), p);
        } else {
            count_out(s, j, -1);
            placement_take(s->room, ask_of(s, j), p);
        }
        books_held(s, j, placement_amount(ask_of(s, j), p), -s->pencil[i].sign);
        books_pending(s, j, placement_amount(ask_of(s, j), p), s->pencil[i].sign);
    }
    s->n_pencils = 0;
}
