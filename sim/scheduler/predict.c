/* predict.c - see predict.h. Groups by (user, GPUs) in a hash table; of each the last two run times, or all of them in a
 * treap that counts. */
#include "sim/scheduler/predict.h"
#include "sim/base/memory.h"
#include "sim/base/ordered.h"
#include "sim/base/random.h"

#include <math.h>
#include <stdlib.h>

#define ALL_SIZES INT64_C(-1)
enum { LEVELS = 3 };

struct past { struct ordered_link link; uint32_t count; int64_t run_ns; };    /* count: of its subtree */
struct group {
    uint32_t user;                /* ID_NONE: all users */
    int64_t gpu_milli;            /* ALL_SIZES */
    uint64_t n;
    int64_t last_ns[PREDICT_LAST];
    struct ordered sorted;
};
struct predictor {
    struct estimates rule;
    struct group *group;
    size_t n_groups, capacity;
    uint32_t *slot;               /* open addressing, of group; ID_NONE: free */
    size_t n_slots;               /* a power of two */
    struct past *past;
    size_t n_past, past_capacity;
};

/* ---- Groups ---- */

static uint32_t *slot_of(const struct predictor *p, uint32_t user, int64_t gpu_milli)
{
    size_t i = hash_u64(hash_u64((uint64_t)gpu_milli) ^ user) & (p->n_slots - 1);
    for (; p->slot[i] != ID_NONE; i = (i + 1) & (p->n_slots - 1))
        if (p->group[p->slot[i]].user == user && p->group[p->slot[i]].gpu_milli == gpu_milli)
            break;
    return &p->slot[i];
}

static void make_slots(struct predictor *p, size_t n)
{
    free(p->slot);
    p->slot = mem_new(n, sizeof *p->slot);
    p->n_slots = n;
    for (size_t i = 0; i < n; i++)
        p->slot[i] = ID_NONE;
    for (size_t g = 0; g < p->n_groups; g++)
        *slot_of(p, p->group[g].user, p->group[g].gpu_milli) = (uint32_t)g;
}

static struct group *group_made(struct predictor *p, uint32_t user, int64_t gpu_milli)
{
    uint32_t *slot = slot_of(p, user, gpu_milli), g = *slot;
    if (g != ID_NONE)
        return &p->group[g];
    mem_grow(&p->group, &p->capacity, p->n_groups, sizeof *p->group);
    g = *slot = (uint32_t)p->n_groups++;
    p->group[g] = (struct group){ .user = user, .gpu_milli = gpu_milli, .sorted = ORDERED_EMPTY };
    if (2 * p->n_groups > p->n_slots)
        make_slots(p, 2 * p->n_slots);
    return &p->group[g];
}

/* The groups that a job belongs to, the narrowest first. Returns how many. */
static unsigned groups_of(uint32_t user, int64_t gpu_milli, struct group key[LEVELS])
{
    unsigned n = 0;
    if (user != ID_NONE) {
        key[n++] = (struct group){ .user = user, .gpu_milli = gpu_milli };
        key[n++] = (struct group){ .user = user, .gpu_milli = ALL_SIZES };
    }
    key[n++] = (struct group){ .user = ID_NONE, .gpu_milli = ALL_SIZES };
    return n;
}

/* ---- Sorted run times ---- */

static bool shorter(const void *context, uint32_t a, uint32_t b)
{
    const struct past *past = ((const struct predictor *)context)->past;
    return past[a].run_ns != past[b].run_ns ? past[a].run_ns < past[b].run_ns : a < b;
}

static uint32_t count_of(const struct predictor *p, uint32_t item)
{
    return item == ORDERED_NONE ? 0 : p->past[item].count;
}

static bool count_up(const void *context, uint32_t item)
{
    const struct predictor *p = context;
    struct past *x = &p->past[item];
    uint32_t was = x->count;
    x->count = 1 + count_of(p, x->link.left) + count_of(p, x->link.right);
    return x->count != was;
}

static void keep_sorted(struct predictor *p, struct group *g, int64_t run_ns)
{
    mem_grow(&p->past, &p->past_capacity, p->n_past, sizeof *p->past);
    struct ordered_space space = { p->past, sizeof *p->past, shorter, p, count_up };
    p->past[p->n_past] = (struct past){ .run_ns = run_ns };
    ordered_add(&g->sorted, &space, (uint32_t)p->n_past, p->n_past);
    p->n_past++;
}

static int64_t ranked(const struct predictor *p, const struct group *g, uint64_t rank)    /* from 0 */
{
    uint32_t i = g->sorted.root;
    for (;;) {
        uint64_t before = count_of(p, p->past[i].link.left);
        if (rank == before)
            return p->past[i].run_ns;
        if (rank < before) {
            i = p->past[i].link.left;
        } else {
            rank -= before + 1;
            i = p->past[i].link.right;
        }
    }
}

static int64_t quantile_of(const struct predictor *p, const struct group *g)
{
    double h = (double)(g->n - 1) * p->rule.value, below = floor(h);
    int64_t low = ranked(p, g, (uint64_t)below);
    if (h == below)
        return low;
    return low + (int64_t)floor((h - below) * (double)(ranked(p, g, (uint64_t)below + 1) - low) + .5);
}

/* ---- The way in ---- */

struct predictor *predictor_new(const struct estimates *e)
{
    if (!estimates_are_predicted(e))
        return NULL;
    struct predictor *p = mem_new(1, sizeof *p);
    p->rule = *e;
    make_slots(p, 64);
    return p;
}

void predictor_free(struct predictor *p)
{
    if (!p)
        return;
    free(p->group);
    free(p->slot);
    free(p->past);
    free(p);
}

void predictor_ended(struct predictor *p, uint32_t user, int64_t gpu_milli, int64_t run_ns)
{
    struct group key[LEVELS];
    unsigned n = groups_of(user, gpu_milli, key);
    for (unsigned i = 0; i < n; i++) {
        struct group *g = group_made(p, key[i].user, key[i].gpu_milli);
        g->last_ns[g->n++ % PREDICT_LAST] = run_ns;
        if (p->rule.kind == ESTIMATE_GROUP_QUANTILE)
            keep_sorted(p, g, run_ns);
    }
}

int64_t predictor_ask(const struct predictor *p, uint32_t user, int64_t gpu_milli)
{
    struct group key[LEVELS];
    bool last = p->rule.kind == ESTIMATE_USER_LAST2;
    unsigned n = groups_of(user, gpu_milli, key);
    for (unsigned i = 0; i < n; i++) {
        uint32_t at = *slot_of(p, key[i].user, key[i].gpu_milli);
        const struct group *g = at == ID_NONE ? NULL : &p->group[at];
        if (g && g->n >= (last ? PREDICT_LAST : PREDICT_LEAST))
            return last ? g->last_ns[0] + (g->last_ns[1] - g->last_ns[0]) / 2 : quantile_of(p, g);
    }
    return TIME_NEVER;
}
