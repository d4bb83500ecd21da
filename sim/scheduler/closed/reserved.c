/* reserved.c - see reserved.h. */
#include "sim/scheduler/closed/reserved.h"
#include "sim/capacity/placement_form.h"
#include "sim/cluster/reservations/node_set.h"
#include "sim/cluster/reservations/reservations.h"
#include "sim/contract/util/minmax.h"
#include "sim/scheduler/placing.h"

#include <stdlib.h>
#include <string.h>

/* Of each set of reservations that has been in the way so far: what it leaves each shape. */
struct reserved {
    size_t words;                 /* of a set of reservations */
    uint64_t *of_kind;            /* [kinds x words] those that its nodes are in */
    uint64_t *asked;              /* [words] */
    struct left { uint64_t *by; struct shape_kinds *kinds; } *left;
    size_t n_left, capacity;
};

void reserved_begin(struct sched *s)
{
    const struct reservations *all = s->cluster->reservations;
    if (!all)
        return;
    struct reserved *r = s->reserved = arena_alloc(s->memory, sizeof *r);
    r->words = all->n / 64 + 1;
    r->of_kind = arena_alloc(s->memory, s->cluster->n_kinds * r->words * sizeof *r->of_kind);
    r->asked = arena_alloc(s->memory, r->words * sizeof *r->asked);
    for (uint32_t k = 0; k < s->cluster->n_kinds; k++)
        for (uint32_t i = 0; i < all->n; i++)
            if (node_set_has(all->at[i].nodes, s->cluster->kind[k].node[0]))
                r->of_kind[k * r->words + i / 64] |= UINT64_C(1) << i % 64;
}

void reserved_end(struct sched *s)
{
    if (s->reserved)
        free(s->reserved->left);
}

/* ---- By shape ---- */

static bool kind_is_left(const struct reserved *r, const uint64_t *by, const struct shape *shape, uint32_t kind)
{
    for (size_t w = 0; w < r->words; w++)
        if (r->of_kind[kind * r->words + w] & by[w] & ~(shape->admits ? shape->admits[w] : 0))
            return false;
    return true;
}

static struct shape_kinds kinds_left(struct sched *s, const uint64_t *by, const struct shape *shape,
                                     const struct shape_kinds *all)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < all->n; i++)
        n += kind_is_left(s->reserved, by, shape, all->kind[i]);
    if (n == all->n)
        return *all;
    uint16_t *kind = arena_alloc(s->memory, (n + 1) * sizeof *kind);
    struct node_affinity *affinity = arena_alloc(s->memory, (n + 1) * sizeof *affinity);
    n = 0;
    for (uint32_t i = 0; i < all->n; i++)
        if (kind_is_left(s->reserved, by, shape, all->kind[i])) {
            kind[n] = all->kind[i];
            affinity[n++] = all->affinity[i];
        }
    return (struct shape_kinds){ n, kind, affinity, all->n_bare, all->bare };
}

static const struct shape_kinds *left_by(struct sched *s, const uint64_t *by)
{
    struct reserved *r = s->reserved;
    uint32_t n = s->workload->n_shapes;
    size_t lists = (size_t)n * (1 + s->cluster->n_flavors);
    for (size_t i = 0; i < r->n_left; i++)
        if (!memcmp(r->left[i].by, by, r->words * sizeof *by))
            return r->left[i].kinds;
    struct left made = { arena_alloc(s->memory, r->words * sizeof *by), arena_alloc(s->memory, (lists + 1) * sizeof *made.kinds) };
    memcpy(made.by, by, r->words * sizeof *by);
    for (size_t i = 0; i < lists; i++)
        made.kinds[i] = kinds_left(s, by, &s->workload->shape[i % n], &s->placing->kinds[i]);
    mem_grow(&r->left, &r->capacity, r->n_left, sizeof *r->left);
    r->left[r->n_left++] = made;
    return made.kinds;
}

const struct shape_kinds *reserved_kinds(struct sched *s, int64_t from_ns, int64_t until_ns)
{
    const struct reservations *all = s->cluster->reservations;
    bool any = false;
    if (!s->reserved)
        return s->placing->kinds;
    memset(s->reserved->asked, 0, s->reserved->words * sizeof *s->reserved->asked);
    for (uint32_t i = 0; i < all->n; i++)
        if (closure_denies(&all->at[i].when, from_ns, until_ns)) {
            s->reserved->asked[i / 64] |= UINT64_C(1) << i % 64;
            any = true;
        }
    return any ? left_by(s, s->reserved->asked) : s->placing->kinds;
}

void reserved_show(struct sched *s)
{
    const struct shape_kinds *kinds = reserved_kinds(s, s->now_ns, s->now_ns + 1);
    free_index_set_shapes(s->idle, kinds);
    if (s->releasing)
        free_index_set_shapes(s->releasing, kinds);
}

bool reserved_withholds(const struct sched *s, const struct view *v, const struct request *r)
{
    for (; s->reserved && v->shape != s->placing->kinds && r; r = r->next)
        if (v->shape[view_shape(v, r)].n < s->placing->kinds[view_shape(v, r)].n)
            return true;
    return false;
}

/* ---- By job ---- */

bool reserved_is_for(const struct sched *s, job_id j, uint32_t reservation)
{
    const uint64_t *admits = s->workload->shape[ask_of(s, j)->shape].admits;
    return admits && admits[reservation / 64] >> reservation % 64 & 1;
}

static bool denies(const struct sched *s, job_id j, const struct placement *p, const struct placement *held, int64_t from_ns,
                   int64_t until_ns)
{
    const struct reservations *all = s->cluster->reservations;
    for (uint32_t k = 0; all && k < all->n; k++) {
        if (reserved_is_for(s, j, k) || !closure_denies(&all->at[k].when, from_ns, until_ns))
            continue;
        for (size_t i = 0; i < p->n; i++)
            if (node_set_has(all->at[k].nodes, p->piece[i].node) && !(held && placement_on(held, p->piece[i].node)))
                return true;
    }
    return false;
}

bool reserved_denies(const struct sched *s, job_id j, const struct placement *p, int64_t from_ns, int64_t until_ns)
{
    return denies(s, j, p, NULL, from_ns, until_ns);
}

bool reserved_denies_more(const struct sched *s, job_id j, const struct placement *p, const struct placement *held)
{
    return denies(s, j, p, held, s->now_ns, s->now_ns + 1);
}

int64_t reserved_take(const struct sched *s, job_id j, int64_t from_ns, int64_t until_ns, uint64_t *nodes)
{
    const struct reservations *all = s->cluster->reservations;
    int64_t first_ns = TIME_NEVER;
    for (uint32_t k = 0; all && k < all->n; k++) {
        uint64_t taken = 0;
        if (reserved_is_for(s, j, k) || !closure_denies(&all->at[k].when, from_ns, until_ns))
            continue;
        for (size_t w = 0; w < (s->cluster->n_nodes + (size_t)63) / 64; w++) {
            taken |= nodes[w] & all->at[k].nodes[w];
            nodes[w] &= ~all->at[k].nodes[w];
        }
        if (taken)
            first_ns = min_i64(first_ns, closure_end_ns(&all->at[k].when, from_ns));
    }
    return first_ns;
}

int64_t reserved_next_end_ns(const struct cluster *c, int64_t now_ns, int64_t after_ns)
{
    int64_t next_ns = TIME_NEVER;
    for (uint32_t k = 0; c->reservations && k < c->reservations->n; k++) {
        int64_t end_ns = closure_end_ns(&c->reservations->at[k].when, now_ns);
        if (end_ns > after_ns)
            next_ns = min_i64(next_ns, end_ns);
    }
    return next_ns;
}
