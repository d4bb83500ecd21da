/* identities.c - what must hold at the end of every run, release builds too. models.md 11.3. */
#include "sim/accounting/books.h"
#include "sim/accounting/ledger.h"
#include "sim/engine/interruption.h"
#include "sim/engine/models.h"
#include "sim/engine/on_demand.h"

#include <inttypes.h>

static int broken(struct error *err, const char *identity, int128_t a, int128_t b)
{
    return error_set(err, "an identity is broken, please report it: %s: %.17g is not %.17g", identity, (double)a,
                     (double)b);
}

/* Every stop has one cause, and so has the work that it cost. */
static int preemptions_check(const struct sched *s, struct error *err)
{
    int128_t n = 0, lost = 0;
    for (queue_id q = 0; q < s->cluster->n_queues; q++)
        for (unsigned i = 0; i < PREEMPTION_CAUSES; i++) {
            n += (int128_t)s->books->queue[q].preemptions[i].n;
            lost += s->books->queue[q].preemptions[i].lost;
        }
    if (n != (int128_t)s->totals.preemptions)
        return broken(err, "preemptions, in all and by cause", (int128_t)s->totals.preemptions, n);
    for (unsigned c = 0; c < INTERRUPTION_CAUSES; c++)
        lost += s->ledger.interruption_lost[c];
    return lost == s->totals.account[ACCOUNT_LOST]
               ? 0 : broken(err, "GPU-seconds lost, by account and by cause", s->totals.account[ACCOUNT_LOST], lost);
}

/* Each queue's books: held = deserved - unused + borrowed; and the queues together hold what is held. */
static int quotas_check(const struct sched *s, struct error *err)
{
    int128_t held = 0;
    for (queue_id q = 0; q < s->books->n; q++) {
        const struct run_quota *i = &s->books->queue[q].quota;
        const struct queue_books *b = &s->books->queue[q];
        int128_t deserved = b->deserved_before + (int128_t)i->deserved_milli * (s->now_ns - b->turned_ns);
        int128_t quota = deserved - i->unused + i->borrowed;
        if (i->held != quota)
            return broken(err, "GPU-seconds of a queue, held and by its quota", i->held, quota);
        held += q < s->cluster->n_queues && s->cluster->queue[q].first_child == ID_NONE ? i->held : 0;
    }
    return held == s->totals.held ? 0 : broken(err, "GPU-seconds held, over time and over queues", s->totals.held, held);
}

static int128_t up_and_down(const struct sched *s)
{
    return s->totals.capacity + s->totals.account[ACCOUNT_DOWN];
}

/* They could have come again. */
static void add_jobs_on_demand(struct sched *s)
{
    for (job_id j = s->workload->n_jobs; j < s->n_jobs; j++) {
        struct job_result r = run_job(s, j);
        if (r.state != JOB_ABSENT)
            ledger_add_job(s, j, r.wait_ns, on_demand_there_ns(s, j, r.end_ns >= 0 ? r.end_ns : s->now_ns), r.held);
    }
}

static int job_is_broken(const struct sched *s, job_id j, struct error *err)
{
    struct job_result r = run_job(s, j);
    return error_set(err, "an identity is broken, please report it: job %s waits %" PRId64 " ns and runs %" PRId64
                     " ns, and is there for %" PRId64 " ns", s->workload->truth[j].name, r.wait_ns, r.run_ns,
                     on_demand_there_ns(s, j, r.end_ns >= 0 ? r.end_ns : s->now_ns));
}

int identities_check(struct sched *s, struct error *err)
{
    const struct gone *sum = &s->ledger.gone;
    int128_t accounts = 0;
    add_jobs_on_demand(s);
    if (sum->broken != ID_NONE)
        return job_is_broken(s, sum->broken, err);
    for (unsigned a = 0; a < HELD_ACCOUNTS; a++)
        accounts += s->totals.account[a];
    if (sum->in_system != s->totals.in_system)
        return broken(err, "Little: jobs in the system, over time and over jobs", s->totals.in_system, sum->in_system);
    if (sum->waiting != s->totals.waiting)
        return broken(err, "Little: jobs in the queue, over time and over jobs", s->totals.waiting, sum->waiting);
    if (sum->held != s->totals.held)
        return broken(err, "GPU-seconds held, over time and over jobs", s->totals.held, sum->held);
    if (accounts != sum->held)
        return broken(err, "GPU-seconds held, by account and by job", accounts, sum->held);
    if (s->ledger.held_milli || s->ledger.busy_milli || s->ledger.running)
        return broken(err, "GPUs still held when all have left", s->ledger.held_milli, s->ledger.busy_milli);
    if (up_and_down(s) != s->totals.installed)
        return broken(err, "GPU-seconds installed, and up or down", s->totals.installed, up_and_down(s));
    return preemptions_check(s, err) || quotas_check(s, err) ? -1 : models_check(s, err);
}
