/* nodes.c - the order of nodes for one task, and the GPUs that it gets there. See places.h. */
#include "policies/kai/places/places.h"

/* ---- What is idle and not taken by the attempt ---- */

static struct places_taken taken_of(const struct attempt *a, node_id n)
{
    const struct places_taken *t = &a->how->taken[n];
    return a->n > 0 && t->attempt == a->how->attempt ? *t : (struct places_taken){ 0 };
}

static struct node_free idle_on(const struct attempt *a, const struct request *r, node_id n)
{
    return freed_without(a->how, n, r ? view_node_for(a->idle, r, n) : view_node(a->idle, n));
}

static uint32_t idle_milli(const struct attempt *a, node_id n, unsigned gpu)
{
    uint32_t idle = view_gpu_milli(a->idle, n, gpu), freed = freed_milli(a->how, n, gpu);
    return idle > freed ? idle - freed : 0;
}

static bool holds_now(const struct attempt *a, const struct request *r, node_id n)
{
    if (!r->cpu_milli && !r->mem_mib)
        return true;
    struct node_free f = idle_on(a, NULL, n);
    struct places_taken t = taken_of(a, n);
    return (!r->cpu_milli || f.cpu_milli - t.cpu_milli >= r->cpu_milli) &&
           (!r->mem_mib || f.mem_mib - t.mem_mib >= r->mem_mib);
}

static bool is_counted(const struct node_free *f)
{
    return f->whole > 0 && !f->whole_mask;
}

static uint32_t taken_of_gpu(const struct attempt *a, node_id n, unsigned gpu)
{
    uint32_t milli = 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->placed[i].now && a->placed[i].at.node == n && a->placed[i].at.gpu_mask >> gpu & 1)
            milli += a->placed[i].at.milli;
    return milli;
}

/* A GPU that only tentative tasks share is not there yet. */
static bool shared_now(const struct attempt *a, const struct request *r, node_id n, unsigned gpu)
{
    uint32_t mine = taken_of_gpu(a, n, gpu);
    bool is_there = mine || !(idle_on(a, NULL, n).whole_mask >> gpu & 1);
    return is_there && view_gpu_fits(a->idle, r, n, gpu) &&
           idle_milli(a, n, gpu) >= mine + r->gpu_milli;
}

static bool is_share(const struct request *r)
{
    return r->gpus > 0 && r->gpu_milli < MILLI_ALL;
}

static uint64_t shared_that_fit(const struct attempt *a, const struct request *r, node_id n)
{
    uint64_t fit = 0;
    for (uint64_t m = view_node(a->later, n).shared_mask; m; m &= m - 1)
        if (view_gpu_fits(a->later, r, n, (unsigned)__builtin_ctzll(m)))
            fit |= m & -m;
    return fit;
}

/* What is tentative counts against what others leave, even if that is not enough. */
static bool fits_now(const struct attempt *a, const struct request *r, node_id n)
{
    if (!holds_now(a, r, n))
        return false;
    uint32_t idle = idle_on(a, r, n).whole, taken = taken_of(a, n).gpus;
    uint32_t have = idle > taken ? idle - taken : 0;
    for (uint64_t m = is_share(r) ? shared_that_fit(a, r, n) : 0; m && have < r->gpus; m &= m - 1)
        have += shared_now(a, r, n, (unsigned)__builtin_ctzll(m));
    return have >= r->gpus;
}

/* ---- Devices of a share ---- */

struct device {
    uint64_t bit;
    bool whole, now;
    uint32_t used;
};

static struct device device_of(const struct attempt *a, const struct request *r, node_id n,
                               unsigned gpu)
{
    uint64_t bit = UINT64_C(1) << gpu;
    struct device d = { .bit = bit, .whole = view_node(a->later, n).whole_mask & bit };
    uint32_t now = idle_milli(a, n, gpu) - taken_of_gpu(a, n, gpu),
             later = view_gpu_milli(a->later, n, gpu);
    d.now = d.whole ? idle_on(a, NULL, n).whole_mask & bit : shared_now(a, r, n, gpu);
    d.used = d.whole ? 0 : MILLI_ALL - (now < later ? now : later);
    return d;
}

/* idle_first: of whole ones. */
static bool device_before(const struct attempt *a, struct device x, struct device y,
                          bool idle_first)
{
    if (x.whole != y.whole)
        return x.whole == a->how->apart;
    if (x.whole && x.now != y.now)
        return x.now == idle_first;
    if (x.used != y.used)
        return a->how->apart ? x.used < y.used : x.used > y.used;
    return x.bit < y.bit;
}

/* The GPUs for a share on n; 0: too few. Clears *now if one of them is not idle yet. */
static uint64_t pick_devices(const struct attempt *a, const struct request *r, node_id n, bool *now)
{
    uint64_t picked = 0, candidates = view_node(a->later, n).whole_mask | shared_that_fit(a, r, n);
    bool idle_first = *now;
    for (uint32_t k = 0; k < r->gpus; k++) {
        struct device best = { 0 };
        for (uint64_t m = candidates & ~picked; m; m &= m - 1) {
            struct device d = device_of(a, r, n, (unsigned)__builtin_ctzll(m));
            if (!best.bit || device_before(a, d, best, idle_first))
                best = d;
        }
        if (!best.bit)
            return 0;
        picked |= best.bit;
        *now = *now && best.now;
    }
    return picked;
}

/* ---- Taking a place ---- */

static uint64_t lowest_bits(uint64_t mask, uint32_t n)
{
    uint64_t rest = mask;
    while (n-- > 0)
        rest &= rest - 1;
    return mask & ~rest;
}

/* What others are leaving, filled up with as little as possible of what is idle. */
static uint64_t leaving_first(const struct request *r, uint64_t later, uint64_t idle)
{
    uint64_t leaving = later & ~idle;
    uint32_t have = (uint32_t)__builtin_popcountll(leaving);
    return have >= r->gpus ? leaving : leaving | lowest_bits(idle, r->gpus - have);
}

/* mask: of a share its GPUs, else 0. */
static bool add_piece(struct attempt *a, const struct request *r, uint32_t task, node_id n,
                      bool *now, uint64_t *mask)
{
    struct node_free later;
    *mask = 0;
    if (is_share(r)) {
        *mask = pick_devices(a, r, n, now);
        return *mask && builder_add(a->b, (struct piece){ .node = n,
                                                          .task = task,
                                                          .gpu_mask = *mask,
                                                          .gpus = r->gpus,
                                                          .milli = r->gpu_milli });
    }
    later = view_node_for(a->later, r, n);
    if (r->gpus == 0 || is_counted(&later))
        return builder_add_some(a->b, r, task, n, r->gpus);
    uint64_t idle = idle_on(a, r, n).whole_mask & later.whole_mask;
    *now = *now && (uint32_t)__builtin_popcountll(idle) >= r->gpus;
    uint64_t among = *now ? idle : leaving_first(r, later.whole_mask, idle);
    return builder_add_among(a->b, r, task, n, r->gpus, among) ||
           (!*now && builder_add_some(a->b, r, task, n, r->gpus));
}

/* Behind the only task nobody asks. */
static void count_taken(struct attempt *a, const struct placed_task *p, int sign)
{
    struct places_taken *t = &a->how->taken[p->at.node];
    if (!p->now || a->n_tasks == 1)
        return;
    if (t->attempt != a->how->attempt)
        *t = (struct places_taken){ .attempt = a->how->attempt };
    t->gpus += (uint32_t)sign * p->whole;
    t->cpu_milli += sign * p->run->cpu_milli;
    t->mem_mib += sign * p->run->mem_mib;
}

static bool take(struct attempt *a, const struct request *r, uint32_t task, node_id n, bool now)
{
    bool unseen = attempt_takes_unseen(r);
    uint32_t before = unseen ? r->gpus : view_gpus_for(a->later, r, n).whole;
    uint64_t mask;
    now = now && !a->tentative;
    if (!add_piece(a, r, task, n, &now, &mask))
        return false;
    a->placed[a->n] = (struct placed_task){
        r,
        { .node = n, .task = task, .gpu_mask = mask, .gpus = r->gpus, .milli = r->gpu_milli },
        before - (unseen ? 0 : view_gpus_for(a->later, r, n).whole),
        now
    };
    count_taken(a, &a->placed[a->n++], 1);
    return true;
}

void attempt_rollback(struct attempt *a, uint32_t n)
{
    while (a->n > n)
        count_taken(a, &a->placed[--a->n], -1);
    builder_rollback(a->b, n);
}

/* ---- The order of nodes ---- */

struct rank {
    int64_t beside;
    uint32_t points, shares, now, bare;
    double free;
    node_id node;
};

static double free_part(const struct attempt *a, const struct request *r, node_id n)
{
    struct node_free f = view_node_for(a->later, r, n);
    double free = r->gpus ? f.whole : (double)f.cpu_milli,
           all = r->gpus ? f.capacity : (double)view_node_size(a->later, n).cpu_milli;
    return !a->how->spread ? -free : all > 0 ? free / all : 0;
}

static struct rank rank_of(const struct attempt *a, const struct request *r, node_id n)
{
    return (struct rank){
        .beside = a->beside ? a->beside[n] : 0,
        .points = a->points ? a->points[n - a->points_first] : 0,
        .shares = a->how->gathers && is_share(r) && shared_that_fit(a, r, n),
        .now = fits_now(a, r, n),
        .bare = r->gpus == 0 && view_node(a->later, n).capacity == 0,
        .free = free_part(a, r, n),
        .node = n,
    };
}

static bool rank_before(const struct rank *x, const struct rank *y)
{
    if (x->beside != y->beside)
        return x->beside > y->beside;
    if (x->points != y->points)
        return x->points > y->points;
    if (x->shares != y->shares)
        return x->shares > y->shares;
    if (x->now != y->now)
        return x->now > y->now;
    if (x->bare != y->bare)
        return x->bare > y->bare;
    return x->free != y->free ? x->free > y->free : x->node < y->node;
}

/* By the index, where it knows which nodes have room: for whole GPUs, and those with a shared GPU
 * that has room; else node by node. */
struct candidates {
    node_id next, end;
    bool shared, walks;
    struct node_walk walk;
};

static struct candidates candidates_of(const struct attempt *a, const struct request *r,
                                       domain_id within, bool shared)
{
    struct candidates c = { .shared = shared, .walks = shared || (r->gpus && !is_share(r)) };
    c.walk = (struct node_walk){ .v = a->later, .r = r, .within = within, .shared_only = shared };
    c.walk.min_whole = shared ? 0 : r->gpus;
    view_domain_nodes(a->later, within, &c.next, &c.end);
    return c;
}

static bool suits(const struct attempt *a, const struct request *r, node_id n)
{
    return view_fits(a->later, r, n) && !(a->barred && a->barred[n]);
}

static bool next_candidate(const struct attempt *a, const struct request *r, struct candidates *c,
                           node_id *n)
{
    while (c->walks && node_walk_next(&c->walk, n))
        if (suits(a, r, *n) && (!c->shared || shared_that_fit(a, r, *n)))
            return true;
    while (!c->walks && c->next < c->end)
        if (suits(a, r, *n = c->next++))
            return true;
    return false;
}

/* All candidates by rank until one takes the task. */
static bool scan(struct attempt *a, const struct request *r, uint32_t task, domain_id within,
                 bool shared)
{
    struct rank last = { 0 };
    for (bool begun = false;; begun = true) {
        struct candidates c = candidates_of(a, r, within, shared);
        struct rank best = { 0 };
        bool found = false;
        for (node_id n; next_candidate(a, r, &c, &n);) {
            struct rank k = rank_of(a, r, n);
            if ((!begun || rank_before(&last, &k)) && (!found || rank_before(&k, &best))) {
                best = k;
                found = true;
            }
        }
        if (!found)
            return false;
        if (take(a, r, task, best.node, best.now))
            return true;
        last = best;
    }
}

static bool any_now(const struct attempt *a, const struct request *r, domain_id within)
{
    struct node_walk w = {
        .v = a->idle, .r = r, .within = within, .min_whole = r->gpus, .order = FULLEST_FIRST
    };
    node_id n;
    return node_walk_next(&w, &n);
}

/* The walk has seen to whole GPUs, CPUs and memory. */
static bool suits_walked(const struct attempt *a, const struct request *r, node_id n)
{
    return r->one_island || r->mig ? suits(a, r, n) : !(a->barred && a->barred[n]);
}

/* By the index, where the order is that of free GPUs. */
static struct node_walk walk_of(const struct attempt *a, const struct request *r, domain_id within)
{
    return (struct node_walk){ .v = a->later,
                               .r = r,
                               .within = within,
                               .min_whole = r->gpus,
                               .order = a->how->spread ? EMPTIEST_FIRST : FULLEST_FIRST };
}

static bool walk_not_now(struct attempt *a, const struct request *r, uint32_t task,
                         domain_id within)
{
    struct node_walk w = walk_of(a, r, within);
    for (node_id n; node_walk_next(&w, &n);)
        if (!fits_now(a, r, n) && suits_walked(a, r, n) && take(a, r, task, n, false))
            return true;
    return false;
}

/* Nodes on which the task is now, then the others: mostly the first will do. */
static bool walk(struct attempt *a, const struct request *r, uint32_t task, domain_id within)
{
    struct node_walk w = walk_of(a, r, within);
    node_id other = ID_NONE;
    for (node_id n; node_walk_next(&w, &n);) {
        bool now = fits_now(a, r, n);
        if ((!now && other != ID_NONE) || !suits_walked(a, r, n))
            continue;
        if (now && take(a, r, task, n, true))
            return true;
        if (!now)
            other = n;
        if (!now && !any_now(a, r, within))
            break;
    }
    return other != ID_NONE &&
           (take(a, r, task, other, false) || walk_not_now(a, r, task, within));
}

bool attempt_task(struct attempt *a, uint32_t task, domain_id within)
{
    const struct request *r = request_of_task(a->ask, task);
    attempt_filter(a, task);
    bool by_free = r->gpus > 0 && !a->points && !a->beside && (!a->how->spread || a->how->alike);
    if (by_free && !is_share(r))
        return walk(a, r, task, within);
    if (by_free && a->how->gathers && r->gpus == 1)
        return scan(a, r, task, within, true) || walk(a, r, task, within);
    return scan(a, r, task, within, false);
}

/* Shares stay on their GPUs; whole GPUs are chosen again on the same nodes. */
bool attempt_make_tentative(struct attempt *a)
{
    uint32_t n = a->n;
    attempt_rollback(a, 0);
    for (uint32_t i = 0; i < n; i++)
        if (is_share(a->placed[i].run) && !builder_add(a->b, a->placed[i].at))
            return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct placed_task *p = &a->placed[i];
        uint64_t mask;
        bool now = false;
        if (!is_share(p->run) && !add_piece(a, p->run, p->at.task, p->at.node, &now, &mask))
            return false;
    }
    return true;
}
