/* preemption_order.c - see preemption_order.h. */
#include "policies/slurm/preemption_order.h"
#include "policies/common/running.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/minmax.h"

#include <stdlib.h>

enum { NODES_MOST = 65535 };

queue_id preemption_scope(const struct sched *s, job_id j)
{
    queue_id q = job_facts(s, j)->queue;
    return queue_facts(s, q)->pinned ? q : ID_NONE;
}

int64_t preemption_held_milli(const struct placement *p)
{
    int64_t gpus = 0;
    for (size_t i = 0; i < p->n; i++)
        gpus += p->piece[i].gpus;
    return gpus * MILLI_ALL;
}

/* ---- Nodes ---- */

static int by_number(const void *a, const void *b)
{
    node_id x = *(const node_id *)a, y = *(const node_id *)b;
    return x < y ? -1 : x > y;
}

node_id *preemption_nodes(struct sched *s, const struct placement *p, size_t *n)
{
    node_id *node = sched_scratch(s, p->n * sizeof *node);
    bool ascend = true;
    for (size_t i = 0; i < p->n; i++) {
        node[i] = p->piece[i].node;
        ascend &= i == 0 || node[i - 1] <= node[i];
    }
    if (!ascend)
        qsort(node, p->n, sizeof *node, by_number);
    *n = 0;
    for (size_t i = 0; i < p->n; i++)
        if (i == 0 || node[i] != node[*n - 1])
            node[(*n)++] = node[i];
    return node;
}

static struct line_key key_of(struct sched *s, job_id j, bool youngest)
{
    struct line_key k = { .time_ns = -job_last_start_ns(s, j) };
    if (youngest)
        return k;
    size_t n;
    preemption_nodes(s, job_placement(s, j), &n);
    k.major = job_facts(s, j)->priority;
    k.minor = n < NODES_MOST ? (double)n : NODES_MOST;
    return k;
}

/* ---- Classes ---- */

static bool class_before(const void *entry, const void *key)
{
    const struct preemption_class *a = entry, *b = key;
    return a->scope != b->scope ? a->scope < b->scope : a->priority < b->priority;
}

static size_t class_at(const struct preemption_classes *c, const struct preemption_class *like)
{
    return lower_bound(c->class, c->n, sizeof *c->class, like, class_before);
}

void preemption_classes_count(struct sched *s, struct preemption_classes *c, queue_id scope,
                              int32_t priority, int64_t milli, int by)
{
    struct preemption_class like = { .scope = scope, .priority = priority };
    size_t at = class_at(c, &like);
    if (at == c->n || class_before(&like, &c->class[at])) {
        c->class = array_grown(sched_alloc, s, c->class, &c->capacity, c->n, sizeof *c->class);
        array_open(c->class, c->n++, at, sizeof *c->class);
        c->class[at] = like;
    }
    c->class[at].jobs += (uint32_t)by;
    c->class[at].held_milli += by * milli;
    if (!c->class[at].jobs)
        array_close(c->class, c->n--, at, sizeof *c->class);
}

bool preemption_classes_hold(const struct preemption_classes *c, queue_id scope, int32_t priority,
                             int64_t milli)
{
    struct preemption_class lowest = { .scope = scope, .priority = INT32_MIN };
    for (size_t i = class_at(c, &lowest); milli > 0 && i < c->n; i++) {
        if (c->class[i].scope != scope || c->class[i].priority >= priority)
            break;
        milli -= c->class[i].held_milli;
    }
    return milli <= 0;
}

/* ---- Jobs ---- */

static void count(struct sched *s, struct preemption_order *o, job_id j, uint32_t e, int by)
{
    const struct job_facts *f = job_facts(s, j);
    if (f->preemptible)
        preemption_classes_count(s, &o->classes, preemption_scope(s, j), f->priority,
                                 o->held_milli[e], by);
}

void preemption_order_add(struct sched *s, struct preemption_order *o, job_id j, bool youngest)
{
    preemption_order_drop(s, o, j);
    uint32_t e = ranking_set(s, &o->jobs, j, key_of(s, j, youngest));
    const struct placement *p = job_placement(s, j);
    o->held_milli =
        array_covering(sched_alloc, s, o->held_milli, &o->n_held, e, sizeof *o->held_milli);
    o->held_milli[e] = max_i64(running_frees_milli(s, j), p ? preemption_held_milli(p) : 0);
    count(s, o, j, e, 1);
}

void preemption_order_drop(struct sched *s, struct preemption_order *o, job_id j)
{
    uint32_t e = ranking_find(&o->jobs, j);
    if (e == ID_NONE)
        return;
    count(s, o, j, e, -1);
    ranking_drop(s, &o->jobs, j);
}

bool preemption_order_holds(const struct sched *s, const struct preemption_order *o, job_id j,
                            int64_t milli)
{
    return preemption_classes_hold(&o->classes, preemption_scope(s, j), job_facts(s, j)->priority,
                                   milli);
}
