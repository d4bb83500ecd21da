/* dependencies.c - see dependencies.h. */
#include "sim/engine/dependencies.h"
#include "sim/accounting/ledger.h"
#include "sim/engine/state.h"
#include "sim/scheduler/waiting.h"

#include <stdlib.h>

struct dependencies {
    uint32_t *unmet;              /* [n_jobs] */
    uint32_t *first;              /* jobs that wait for j: waits[first[j] .. first[j + 1]) */
    job_id *waits;
    job_id *met;                  /* [n_jobs] jobs with all dependencies met, in that order */
    uint32_t n_met, n_arrived;
};

struct dependencies *dependencies_new(const struct workload *w)
{
    if (!w->depends_first)
        return NULL;
    struct dependencies *d = mem_new(1, sizeof *d);
    uint32_t n = w->depends_first[w->n_jobs];
    d->unmet = mem_new(w->n_jobs, sizeof *d->unmet);
    d->first = mem_new((size_t)w->n_jobs + 2, sizeof *d->first);
    d->waits = mem_new(n, sizeof *d->waits);
    d->met = mem_new(w->n_jobs, sizeof *d->met);
    for (uint32_t i = 0; i < n; i++)
        d->first[w->depends_on[i] + 2]++;
    for (job_id j = 0; j < w->n_jobs; j++)
        d->first[j + 2] += d->first[j + 1];
    for (job_id j = 0; j < w->n_jobs; j++) {
        d->unmet[j] = w->depends_first[j + 1] - w->depends_first[j];
        for (uint32_t i = w->depends_first[j]; i < w->depends_first[j + 1]; i++)
            d->waits[d->first[w->depends_on[i] + 1]++] = j;
    }
    return d;
}

void dependencies_free(struct dependencies *d)
{
    if (!d)
        return;
    free(d->unmet);
    free(d->first);
    free(d->waits);
    free(d->met);
    free(d);
}

bool dependencies_hold(struct sched *s, job_id j)
{
    if (!s->dependencies || !s->dependencies->unmet[j])
        return false;
    ledger_in_system(s, 1);
    ledger_waiting(s, 1);
    decision_log(s, j, "decision", "held", wait_reason_name[WAIT_DEPENDENCY]);
    return true;
}

void dependencies_ended(struct sched *s, job_id j)
{
    struct dependencies *d = s->dependencies;
    for (uint32_t i = d && j < s->workload->n_jobs ? d->first[j] : 0; d && j < s->workload->n_jobs && i < d->first[j + 1]; i++)
        if (--d->unmet[d->waits[i]] == 0 && d->waits[i] < s->next_arrival)
            d->met[d->n_met++] = d->waits[i];
}

bool dependencies_unmet(const struct sched *s, job_id j)
{
    return s->dependencies && s->dependencies->unmet[j];
}

void dependencies_let_in(struct sched *s)
{
    ledger_in_system(s, -1);
    ledger_waiting(s, -1);
}

job_id dependencies_next(struct sched *s)
{
    struct dependencies *d = s->dependencies;
    return d && d->n_arrived < d->n_met ? d->met[d->n_arrived++] : ID_NONE;
}
