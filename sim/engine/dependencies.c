/* dependencies.c - see dependencies.h. */
#include "sim/engine/dependencies.h"
#include "sim/accounting/ledger.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/state.h"
#include "sim/scheduler/waiting.h"

#include <stdio.h>
#include <stdlib.h>

struct dependencies {
    uint32_t *unmet;              /* [of all jobs] dependencies, and a turn, that are still open */
    const char **never;           /* [of all jobs] why they can never be met; NULL: they may */
    uint32_t *first;              /* jobs that wait for j: waits[first[j] .. first[j + 1]) */
    struct waits { job_id job; uint8_t how; } *waits;
    job_id *due;                  /* [n_due] jobs in the order in which their waits ended; the first
                                     n_gone have been told */
    uint32_t n_due, n_gone;
    struct turn *turn;            /* [n_turns] line after line; NULL: no turns */
    uint32_t n_turns, *at;        /* [n_jobs] its own of these; ID_NONE: none */
    struct line_of_turns { uint32_t next, end, there; } *line;     /* [n_turns], of a line at its first turn */
    uint32_t *first_of;           /* [n_turns] the first turn of its line */
    bool *over;                   /* [n_turns] its job has ended */
};

static void make_waits(struct dependencies *d, const struct workload *w)
{
    uint32_t all = workload_all(w), n = w->depends_first[all];
    d->waits = mem_new(n, sizeof *d->waits);
    for (uint32_t i = 0; i < n; i++)
        d->first[w->depends_on[i] + 2]++;
    for (job_id j = 0; j < w->n_jobs; j++)
        d->first[j + 2] += d->first[j + 1];
    for (job_id j = 0; j < all; j++) {
        d->unmet[j] = w->depends_first[j + 1] - w->depends_first[j];
        for (uint32_t i = w->depends_first[j]; i < w->depends_first[j + 1]; i++)
            d->waits[d->first[w->depends_on[i] + 1]++] = (struct waits){ j, w->depends_how[i] };
    }
}

/* The job with the next turn in a line in which there is room; ID_NONE: none. */
static job_id next_turn(struct dependencies *d, struct line_of_turns *l)
{
    if (l->next == l->end || l->there >= d->turn[l->next].most)
        return ID_NONE;
    l->there += !d->over[l->next];
    return d->turn[l->next++].job;
}

static void make_turns(struct dependencies *d, const struct workload *w)
{
    d->turn = workload_turns(w, &d->n_turns);
    if (!d->turn)
        return;
    d->at = mem_new(w->n_jobs, sizeof *d->at);
    d->line = mem_new(d->n_turns, sizeof *d->line);
    d->first_of = mem_new(d->n_turns, sizeof *d->first_of);
    d->over = mem_new(d->n_turns, sizeof *d->over);
    for (job_id j = 0; j < w->n_jobs; j++)
        d->at[j] = ID_NONE;
    for (uint32_t i = 0, first = 0; i < d->n_turns; i++) {
        first = i && turn_same_line(&d->turn[i], &d->turn[i - 1]) ? first : i;
        d->first_of[i] = first;
        d->line[first].next = first;
        d->line[first].end = i + 1;
        d->at[d->turn[i].job] = i;
        d->unmet[d->turn[i].job]++;
    }
    for (uint32_t i = 0; i < d->n_turns; i = d->line[i].end)
        for (job_id j; (j = next_turn(d, &d->line[i])) != ID_NONE;)
            d->unmet[j]--;
}

struct dependencies *dependencies_new(const struct workload *w)
{
    if (!w->depends_first)
        return NULL;
    struct dependencies *d = mem_new(1, sizeof *d);
    uint32_t all = workload_all(w);
    d->unmet = mem_new(all, sizeof *d->unmet);
    d->never = mem_new(all, sizeof *d->never);
    d->first = mem_new((size_t)w->n_jobs + 2, sizeof *d->first);
    d->due = mem_new(all, sizeof *d->due);
    make_waits(d, w);
    make_turns(d, w);
    return d;
}

void dependencies_free(struct dependencies *d)
{
    if (!d)
        return;
    free(d->unmet);
    free(d->never);
    free(d->first);
    free(d->waits);
    free(d->due);
    free(d->turn);
    free(d->at);
    free(d->line);
    free(d->first_of);
    free(d->over);
    free(d);
}

static bool is_due(const struct sched *s, job_id j)
{
    const struct dependencies *d = s->dependencies;
    return d->never[j] ? !s->cluster->unmet_waits : !d->unmet[j];
}

bool dependencies_hold(struct sched *s, job_id j)
{
    struct dependencies *d = s->dependencies;
    if (!dependencies_unmet(s, j))
        return false;
    ledger_in_system(s, 1);
    ledger_waiting(s, 1);
    decision_log(s, j, "decision", "held", wait_reason_name[WAIT_DEPENDENCY]);
    if (is_due(s, j))
        d->due[d->n_due++] = j;
    return true;
}

static const char *why_never(const struct sched *s, job_id on, uint8_t how)
{
    char text[256];
    const char *name = s->workload->truth[on].name, *came_of_it = life_outcome_name(s->job[on].outcome);
    int n = snprintf(text, sizeof text, "depends on %s%s:%.100s, which %s%s",
                     how & DEPENDS_OR ? "alternatives, the last to be decided " : "", depends_how_name[depends_how(how)], name,
                     s->job[on].outcome > OUTCOME_FAILED ? "was " : "", came_of_it);
    return arena_text(s->memory, text, (size_t)n);
}

/* One of the dependencies of j is decided. */
static void decided(struct sched *s, const struct waits *wait, bool met, job_id on)
{
    struct dependencies *d = s->dependencies;
    job_id j = wait->job;
    bool or = wait->how & DEPENDS_OR;
    if (!d->unmet[j] || d->never[j])
        return;
    d->unmet[j] = met && or ? 0 : d->unmet[j] - (met || or);
    if (!met && !(or && d->unmet[j]))
        d->never[j] = why_never(s, on, wait->how);
    bool waits =
        on_demand(s, j) || (j < s->next_arrival && !workload_extra(s->workload, j)->running);
    if ((d->never[j] || !d->unmet[j]) && is_due(s, j) && waits)
        d->due[d->n_due++] = j;
}

/* j has ended: its place goes to the next. */
static void turn_passes(struct sched *s, job_id j)
{
    struct dependencies *d = s->dependencies;
    uint32_t at = d->at[j];
    if (at == ID_NONE)
        return;
    struct line_of_turns *l = &d->line[d->first_of[at]];
    d->over[at] = true;
    l->there -= at < l->next;
    for (job_id next; (next = next_turn(d, l)) != ID_NONE;)
        decided(s, &(struct waits){ next, AFTER_ANY }, true, j);
}

void dependencies_started(struct sched *s, job_id j)
{
    const struct dependencies *d = s->dependencies;
    if (!d || j >= s->workload->n_jobs)
        return;
    for (uint32_t i = d->first[j]; i < d->first[j + 1]; i++)
        if (depends_how(d->waits[i].how) == AFTER_START)
            decided(s, &d->waits[i], true, j);
}

void dependencies_ended(struct sched *s, job_id j)
{
    const struct dependencies *d = s->dependencies;
    if (!d || j >= s->workload->n_jobs)
        return;
    bool ok = s->job[j].outcome == OUTCOME_COMPLETED, started = has_started(s, j);
    const bool met[DEPENDS_HOWS] = { [AFTER_ANY] = true, [AFTER_OK] = ok, [AFTER_NOT_OK] = !ok,
                                     [AFTER_START] = true };
    for (uint32_t i = d->first[j]; i < d->first[j + 1]; i++)
        if (!started || depends_how(d->waits[i].how) != AFTER_START)
            decided(s, &d->waits[i], met[depends_how(d->waits[i].how)], j);
    if (d->turn)
        turn_passes(s, j);
}

bool dependencies_unmet(const struct sched *s, job_id j)
{
    return s->dependencies && (s->dependencies->unmet[j] || s->dependencies->never[j]);
}

const char *dependencies_never(const struct sched *s, job_id j)
{
    return s->dependencies ? s->dependencies->never[j] : NULL;
}

void dependencies_let_in(struct sched *s)
{
    ledger_in_system(s, -1);
    ledger_waiting(s, -1);
}

job_id dependencies_next(struct sched *s)
{
    struct dependencies *d = s->dependencies;
    return d && d->n_gone < d->n_due ? d->due[d->n_gone++] : ID_NONE;
}
