/* ledger.c - GPU-seconds and the identities of models.md 11.3, checked at the end of every run, release builds too. */
#include "sim/accounting/ledger.h"
#include "sim/engine/interruption.h"
#include "sim/engine/models.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/state.h"

#include <stdlib.h>

void ledger_settle(struct sched *s, int64_t to_ns)
{
    int128_t dt = to_ns - s->ledger.settled_ns;
    struct run_totals *t = &s->totals;
    t->in_system += dt * s->ledger.in_system;
    t->waiting += dt * s->ledger.waiting;
    t->contending += dt * s->ledger.contending;
    t->gpus_waiting += dt * s->ledger.waiting_milli;
    t->held += dt * s->ledger.held_milli;
    t->capacity += dt * s->ledger.up_milli;
    if (s->ledger.waiting > 0)
        t->free_while_waiting += dt * (s->ledger.up_milli - s->ledger.held_milli);
    models_settle(s, to_ns);
    s->ledger.settled_ns = to_ns;
}

void ledger_interval(struct sched *s, const struct placement *p, const int64_t split[ACCOUNTS])
{
    for (unsigned a = 0; a < HELD_ACCOUNTS; a++) {
        if (!split[a])
            continue;
        int64_t all_milli = 0;
        for (size_t i = 0; i < p->n; i++) {
            int64_t milli = (int64_t)p->piece[i].gpus * p->piece[i].milli;
            s->ledger.node_account[a][p->piece[i].node] += (int128_t)split[a] * milli;
            all_milli += milli;
        }
        s->totals.account[a] += (int128_t)split[a] * all_milli;
    }
}

void ledger_add_job(struct sched *s, job_id j, int64_t wait_ns, int64_t there_ns, int128_t held)
{
    struct gone *sum = &s->ledger.gone;
    int64_t run_ns = s->job[j].run_ns;
    sum->in_system += wait_ns + run_ns;
    sum->waiting += wait_ns;
    sum->held += held;
    if (wait_ns + run_ns != there_ns && j < sum->broken)
        sum->broken = j;
}

void ledger_gone(struct sched *s, job_id j, int64_t wait_ns)
{
    const struct job_run *run = &s->job[j];
    int64_t end_ns = run->end_ns >= 0 ? run->end_ns : s->now_ns;
    int128_t held = s->gpu_time ? s->gpu_time[j].held : (int128_t)run->run_ns * request_gpu_milli(ask_of(s, j));
    if (!on_demand(s, j))
        ledger_add_job(s, j, wait_ns, end_ns - s->workload->facts[j].submit_ns, held);
}

void ledger_begin(struct sched *s)
{
    s->ledger.interruption_lost = arena_alloc(s->memory, INTERRUPTION_CAUSES * sizeof *s->ledger.interruption_lost);
    int128_t *all = mem_new((size_t)s->cluster->n_nodes * ACCOUNTS, sizeof *all);
    for (unsigned a = 0; a < ACCOUNTS; a++)
        s->ledger.node_account[a] = all + (size_t)a * s->cluster->n_nodes;
    s->ledger.settled_ns = s->now_ns;
    s->ledger.gone.broken = ID_NONE;
    s->ledger.up_milli = s->cluster->gpus * MILLI_ALL;
}

void ledger_end(struct sched *s)
{
    free(s->ledger.node_account[0]);
}

void ledger_down(struct sched *s, node_id n, int128_t gpu_milli_ns)
{
    s->ledger.node_account[ACCOUNT_DOWN][n] += gpu_milli_ns;
    s->totals.account[ACCOUNT_DOWN] += gpu_milli_ns;
}
