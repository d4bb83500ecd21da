/* tight.c - see tight.h. */
#include "policies/placers/tight.h"
#include "policies/placers/filling.h"
#include "sim/contract/util/minmax.h"

/* All domains of a level, and the nodes that are in none. */
struct domains { bool any; size_t n; domain_id *at; };
struct levels { struct domains of[LEVEL_CLUSTER]; struct tight_nodes nodes; };

static domain_id domain_of(const struct view *v, node_id n, enum level level, bool *is)
{
    domain_id d = view_domain(v, n, level);
    *is = view_domain_level(v, d) == level;
    return *is ? d : view_domain(v, n, LEVEL_NODE);
}

static void find_domains(const struct view *v, enum level level, struct domains *to)
{
    node_id n, end;
    bool is;
    view_domain_nodes(v, 0, &n, &end);
    to->at = view_alloc(v, end * sizeof *to->at);
    while (n < end) {
        node_id first;
        domain_id d = to->at[to->n++] = domain_of(v, n, level, &is);
        view_domain_nodes(v, d, &first, &n);
        to->any |= is;
    }
}

static void add_speed(struct tight_nodes *t, double speed)
{
    unsigned i = t->n_speeds;
    for (unsigned k = 0; k < t->n_speeds; k++)
        if (t->speed[k] == speed)
            return;
    if (i == SPEEDS_MOST && t->speed[--i] > speed)
        return;
    t->n_speeds = i + 1;
    for (; i > 0 && t->speed[i - 1] < speed; i--)
        t->speed[i] = t->speed[i - 1];
    t->speed[i] = speed;
}

static void find_nodes(const struct view *v, struct tight_nodes *t)
{
    node_id n, end;
    view_domain_nodes(v, 0, &n, &end);
    for (; n < end; n++) {
        uint32_t gpus = view_node(v, n).capacity;
        t->gpus = max_u32(t->gpus, gpus);
        if (gpus)
            add_speed(t, view_gpu_speed(v, n));
    }
}

static const void *levels_begin(const struct view *v, const void *params)
{
    struct levels *all = view_alloc(v, sizeof *all);
    (void)params;
    for (enum level l = LEVEL_ISLAND; l < LEVEL_CLUSTER; l = tight_outwards(v, l))
        find_domains(v, l, &all->of[l]);
    find_nodes(v, &all->nodes);
    return all;
}

enum level tight_outwards(const struct view *v, enum level l)
{
    return view_level_outwards(v, l < LEVEL_NODE ? LEVEL_NODE : l);
}

static const struct levels *levels_of(const struct view *v)
{
    static const struct scoring prepared = { .begin = levels_begin };
    return view_scoring(v, &prepared, NULL);
}

static const struct domains *domains_of(const struct view *v, enum level level)
{
    return &levels_of(v)->of[level];
}

const struct tight_nodes *tight_nodes(const struct view *v)
{
    return &levels_of(v)->nodes;
}

bool tight_any(const struct view *v, enum level level)
{
    return domains_of(v, level)->any;
}

/* ---- The walk ---- */

static bool before(struct tight_place a, struct tight_place b)
{
    return a.key != b.key ? a.key < b.key : a.i < b.i;
}

static void keep(struct tight_walk *w, struct tight_place p)
{
    if (w->n == TIGHT_BATCH && before(w->next[TIGHT_BATCH - 1], p))
        return;
    size_t i = w->n < TIGHT_BATCH ? w->n++ : TIGHT_BATCH - 1;
    for (; i > 0 && before(p, w->next[i - 1]); i--)
        w->next[i] = w->next[i - 1];
    w->next[i] = p;
}

static void find_batch(struct tight_walk *w)
{
    const struct domains *all = domains_of(w->v, w->level);
    w->n = w->at = 0;
    for (size_t i = 0; i < all->n; i++) {
        uint32_t room = domain_fits(w->v, all->at[i], w->r);
        if (room < w->min_room)
            continue;
        struct tight_place p = { w->roomiest ? UINT32_MAX - room
                                             : domain_free_gpus(w->v, all->at[i], w->r),
                                 i };
        if (!w->begun || before(w->last, p))
            keep(w, p);
    }
    w->begun = true;
    if (w->n)
        w->last = w->next[w->n - 1];
}

bool tight_next(struct tight_walk *w, domain_id *d)
{
    if (w->at == w->n && (!w->begun || w->n == TIGHT_BATCH))
        find_batch(w);
    if (w->at == w->n)
        return false;
    *d = domains_of(w->v, w->level)->at[w->next[w->at++].i];
    return true;
}

/* ---- Placing ---- */

struct tight_job tight_job(struct builder *b, const struct request *r)
{
    return (struct tight_job){ .b = b, .r = r, .left = r->tasks == SPLIT_ANY ? r->gpus : r->tasks };
}

/* As much as can be of what is left, in that domain; how much. */
static uint32_t place_in(struct tight_job *j, domain_id d)
{
    if (j->r->tasks == SPLIT_ANY)
        return fill_total(j->b, j->r, d, &j->rank, j->left, FULLEST_FIRST, EMPTIEST_FIRST);
    uint32_t k = 0;
    while (k < j->left &&
           fill_one_node(j->b, j->r, d, request_task(j->r, j->done + k), j->r->gpus, FULLEST_FIRST))
        k++;
    return k;
}

bool tight_all_in_one(struct tight_job *j, enum level level)
{
    struct tight_walk w = {
        .v = builder_view(j->b), .r = j->r, .level = level, .min_room = j->left
    };
    size_t mark = builder_mark(j->b);
    uint32_t rank = j->rank;
    for (domain_id d; tight_next(&w, &d); j->rank = rank) {
        if (place_in(j, d) == j->left) {
            j->left = 0;
            return true;
        }
        builder_rollback(j->b, mark);
    }
    return false;
}

/* Some of it in the roomiest; how much. */
static uint32_t some_in_roomiest(struct tight_job *j, enum level level)
{
    struct tight_walk w = {
        .v = builder_view(j->b), .r = j->r, .level = level, .roomiest = true, .min_room = 1
    };
    uint32_t placed = 0;
    for (domain_id d; placed == 0 && tight_next(&w, &d);)
        placed = place_in(j, d);
    j->left -= placed;
    j->done += placed;
    return placed;
}

bool tight_few(struct tight_job *j, enum level level)
{
    while (!tight_all_in_one(j, level))
        if (!some_in_roomiest(j, level))
            return false;
    return true;
}
