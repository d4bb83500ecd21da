/* summary_federated.c - the numbers of several runs that have shared the jobs of one trace. See summary.h. */
#include "sim/base/intern.h"
#include "sim/base/memory.h"
#include "sim/physics/physics.h"
#include "sim/results/quantiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of what summary_put_scope() looks at. They have begun and ended at the same times. */
static struct run_totals totals_of(const struct parts *p)
{
    struct run_totals sum = *run_totals(p->of[0]);
    for (size_t i = 1; i < p->n; i++) {
        const struct run_totals *t = run_totals(p->of[i]);
        sum.never_started += t->never_started;
        sum.deadlocked += t->deadlocked;
        sum.capacity += t->capacity;
        sum.free_while_waiting += t->free_while_waiting;
        sum.waiting += t->waiting;
        sum.gpus_waiting += t->gpus_waiting;
        for (unsigned a = 0; a < ACCOUNTS; a++)
            sum.account[a] += t->account[a];
    }
    return sum;
}

static bool adds_up(const struct metric_kind *kind)
{
    return !strcmp(kind->unit, "USD") || !strcmp(kind->unit, "kWh") || !strcmp(kind->unit, "kg");
}

/* Money, energy and carbon of all members that have any. */
static void put_sums(struct summary_builder *b, const struct federated *f)
{
    const struct metric_kind *per_useful = metric_find("cost_per_useful_gpu_h_usd");
    double useful = gpu_hours(b->totals->account[ACCOUNT_USEFUL]), cost = 0;
    bool costs = false;
    for (const struct run_model *const *of = physics_models; *of; of++)
        for (const struct metric_kind *m = (*of)->metrics; m && m->name; m++) {
            double sum = 0;
            uint64_t n = 0;
            for (size_t i = 0; i < f->n && adds_up(m); i++) {
                double value = summary_value(f->summary[i], m->name, "all");
                sum += isnan(value) ? 0 : value;
                n += isnan(value) ? 0 : 1;
            }
            if (n)
                summary_put_kind(b, m, "all", sum, n);
            if (n && !strcmp(m->name, "cost_usd")) {
                cost = sum;
                costs = true;
            }
            if (m == per_useful && costs)
                summary_put_kind(b, m, "all", cost / useful, useful > 0);
        }
}

static bool of_a_model(const struct metric_kind *kind)
{
    return !(kind >= metric_kinds && kind < metric_kinds + METRICS) && !quantile_is(kind);
}

static void put_member(struct summary_builder *b, struct tally *t, const struct sched *s, const char *name, const struct summary *own)
{
    t->scope = summary_scope(b, "member", name);
    b->totals = run_totals(s);
    summary_put(b, JOBS_ROUTED, t->scope, (double)t->jobs, 1);
    summary_put_scope(b, t, true);
    for (size_t i = 0; i < own->n; i++)
        if (!strcmp(own->metric[i].scope, "all") && of_a_model(own->metric[i].kind))
            summary_put_kind(b, own->metric[i].kind, t->scope, own->metric[i].value, own->metric[i].n);
}

/* Queues that members call the same are one. */
static uint32_t **queues_by_name(const struct federated *f, struct intern *names)
{
    uint32_t **queue = mem_new(f->n, sizeof *queue);
    for (size_t i = 0; i < f->n; i++) {
        const struct cluster *c = run_setup_of(f->run[i])->cluster;
        queue[i] = mem_new(c->n_queues, sizeof **queue);
        for (queue_id q = 0; q < c->n_queues; q++)
            queue[i][q] = intern_add(names, c->queue[q].name, strlen(c->queue[q].name));
    }
    return queue;
}

struct summary *summary_make_federated(const struct federated *f)
{
    struct intern *names = intern_new();
    uint32_t **queue = queues_by_name(f, names);
    const struct parts p = { f->n, f->run, queue };
    const struct run_totals totals = totals_of(&p);
    struct summary_builder b = { .summary = mem_new(1, sizeof *b.summary), .s = f->run[0], .totals = &totals, .parts = &p };
    struct tally_walk *walk = tally_walk_of_parts(&p, intern_count(names));
    struct tallies *t = tally_walk_end(walk);
    b.summary->memory = arena_new();
    summary_put_scope(&b, &t->all, true);
    put_sums(&b, f);
    summary_put_classes(&b, t->class);
    for (uint32_t q = 0; q < t->n_queues; q++)
        if (t->queue[q].jobs) {
            t->queue[q].scope = summary_scope(&b, "queue", intern_text(names, q));
            summary_put_scope(&b, &t->queue[q], false);
        }
    for (size_t i = 0; i < f->n; i++)
        put_member(&b, &t->run[i], f->run[i], f->name[i], f->summary[i]);
    for (size_t i = 0; i < f->n; i++)
        free(queue[i]);
    free(queue);
    intern_free(names);
    tally_walk_free(walk);
    return b.summary;
}
