/* setup.c - the queues of the cluster as books, rules and flavors of the policy `cohort`. See
 * cohort.h. */
#include "policies/kueue/cohort.h"

#include <math.h>

static int64_t part_of(const struct amount *a, uint32_t cell)
{
    return cell == 0 ? a->gpu_milli : cell == 1 ? a->cpu_milli : a->mem_mib;
}

static struct cohort_quota quota_of(const struct queue_facts *f, uint32_t cell, bool counted)
{
    bool above = f->sums && f->local_queues == LOCAL_QUEUES_NONE;
    int64_t nominal = above && cell == 0 ? 0 : part_of(&f->quota.deserved, cell),
            limit = part_of(&f->quota.limit, cell);
    struct cohort_quota q = { counted ? nominal : 0, part_of(&f->cohort.borrowing_limit, cell),
                              part_of(&f->cohort.lending_limit, cell) };
    if ((f->first_child == ID_NONE || f->local_queues != LOCAL_QUEUES_NONE) && limit != UNLIMITED && counted &&
        (q.borrowing == UNLIMITED || limit - nominal < q.borrowing))
        q.borrowing = limit - nominal;
    return q;
}

static int inherited(int own, const struct cohort_rules *up, int theirs)
{
    return own >= 0 ? own : up ? theirs : 0;
}

static struct cohort_rules rules_of(const struct cohort_rules *own, const struct cohort_rules *up)
{
    struct cohort_rules r = *own;
    r.queueing = inherited(own->queueing, up, up ? up->queueing : 0);
    r.within_queue = inherited(own->within_queue, up, up ? up->within_queue : 0);
    r.reclaim = inherited(own->reclaim, up, up ? up->reclaim : 0);
    r.borrow = inherited(own->borrow, up, up ? up->borrow : 0);
    if (own->borrow < 0 && own->borrow_priority_threshold == INT32_MAX && up)
        r.borrow_priority_threshold = up->borrow_priority_threshold;
    return r;
}

/* Without flavors: the queue's own quota, of one flavor. */
static void begin_quota(struct cohort *c, uint32_t v, const struct queue_facts *f)
{
    for (uint32_t r = 0; r < COHORT_PARTS; r++) {
        bool counted = part_of(&f->quota.deserved, r) != UNLIMITED && !(f->pinned && r == 0);
        c->counted[(size_t)v * COHORT_PARTS + r] = counted;
        c->books.quota[cohort_at(&c->books, v, r)] = quota_of(f, r, counted);
    }
}

static void begin_no_quota(struct cohort *c, uint32_t v)
{
    for (uint32_t cell = 0; cell < c->books.cells; cell++)
        c->books.quota[cohort_at(&c->books, v, cell)] =
            (struct cohort_quota){ 0, UNLIMITED, UNLIMITED };
}

static void begin_flavor_quotas(struct cohort *c, uint32_t v, const struct queue_facts *f)
{
    begin_no_quota(c, v);
    for (uint32_t i = 0; i < f->n_flavor_quotas; i++)
        for (uint32_t r = 0; r < COHORT_PARTS; r++) {
            const struct flavor_quota *q = &f->flavor_quota[i];
            int64_t nominal = part_of(&q->nominal, r);
            if (nominal == UNLIMITED)
                continue;
            c->counted[(size_t)v * COHORT_PARTS + r] = true;
            c->books.quota[cohort_at(&c->books, v, q->flavor * COHORT_PARTS + r)] =
                (struct cohort_quota){ nominal, part_of(&q->borrowing, r),
                                       part_of(&q->lending, r) };
        }
}

void cohort_begin_quotas(struct sched *s, struct cohort *c, uint32_t v)
{
    if (cohort_is_local(s, v))
        begin_no_quota(c, v);
    else if (c->flavored)
        begin_flavor_quotas(c, v, queue_facts(s, v));
    else
        begin_quota(c, v, queue_facts(s, v));
}

static void begin_queue(struct sched *s, struct cohort *c, uint32_t v, uint64_t *weight)
{
    const struct queue_facts *f = queue_facts(s, v);
    cohort_begin_quotas(s, c, v);
    c->rules[v] = rules_of(&f->cohort, f->parent == ID_NONE ? NULL : &c->rules[f->parent]);
    weight[v] = (uint64_t)llround(f->weight * (double)COHORT_WEIGHT_ONE);
    c->queue[v] = (struct cohort_queue){ .head = ID_NONE,
                                         .stuck = ID_NONE,
                                         .preemptor = ID_NONE,
                                         .tried = { UINT64_MAX, 0 },
                                         .nomination = { .job = ID_NONE } };
    cohort_begin_lanes(s, c, v);
}

/* All nodes are one flavor. */
static const struct cohort_group *only_group(void)
{
    static const uint32_t one = 0;
    static const bool all[COHORT_PARTS] = { true, true, true };
    static const struct cohort_group group = { 1, &one, all };
    return &group;
}

static const struct cohort_group *groups_of(struct sched *s, const struct queue_facts *f,
                                            uint32_t n_groups)
{
    struct cohort_group *group = sched_alloc(s, n_groups * sizeof *group);
    for (uint32_t g = 0; g < n_groups; g++) {
        uint32_t *flavor = sched_alloc(s, f->n_flavor_quotas * sizeof *flavor), n = 0;
        bool *covers = sched_alloc(s, COHORT_PARTS * sizeof *covers);
        for (uint32_t i = 0; i < f->n_flavor_quotas; i++) {
            const struct flavor_quota *q = &f->flavor_quota[i];
            if (q->group != g)
                continue;
            flavor[n++] = q->flavor;
            for (uint32_t r = 0; r < COHORT_PARTS; r++)
                covers[r] |= part_of(&q->nominal, r) != UNLIMITED;
        }
        group[g] = (struct cohort_group){ n, flavor, covers };
    }
    return group;
}

static struct cohort_flavors flavors_of(struct sched *s, const struct cohort *c,
                                        const struct queue_facts *f)
{
    struct cohort_flavors flavors = { .n_groups = 1 };
    if (!c->flavored) {
        flavors.group = only_group();
        return flavors;
    }
    for (uint32_t i = 0; i < f->n_flavor_quotas; i++)
        if (f->flavor_quota[i].group >= flavors.n_groups)
            flavors.n_groups = f->flavor_quota[i].group + 1;
    flavors.group = groups_of(s, f, flavors.n_groups);
    flavors.fungibility = (struct cohort_fungibility){
        .next_if_borrows = f->fungibility.when_can_borrow == BORROW_TRIES_NEXT,
        .next_if_preempts = f->fungibility.when_can_preempt == PREEMPT_TRIES_NEXT,
        .less_borrowing = f->fungibility.preference == PREEMPTION_OVER_BORROWING,
    };
    return flavors;
}

static void begin_flavors(struct sched *s, struct cohort *c)
{
    uint32_t n = c->books.n, n_flavors = c->books.cells / COHORT_PARTS;
    struct cohort_flavors *flavors = sched_alloc(s, n * sizeof *flavors);
    uint32_t *cells = sched_alloc(s, c->books.cells * sizeof *cells);
    for (uint32_t v = 0; v < n; v++)
        flavors[v] = flavors_of(s, c, queue_facts(s, v));
    for (uint32_t cell = 0; cell < c->books.cells; cell++)
        cells[cell] = cell;
    c->desk.chooser = (struct cohort_chooser){
        .books = &c->books,
        .n_flavors = n_flavors,
        .cell = cells,
        .flavors = flavors,
        .rules = c->rules,
        .fair = cohort_is_fair(c),
        .why_of = sched_alloc(s, n_flavors * sizeof(enum cohort_no_fit)),
    };
}

static void begin_books(struct sched *s, struct cohort *c)
{
    uint32_t n = queue_count(s), *parent = sched_alloc(s, n * sizeof *parent);
    for (uint32_t v = 0; v < n; v++) {
        parent[v] = cohort_is_local(s, v) ? ID_NONE : queue_facts(s, v)->parent;
        c->flavored |= queue_facts(s, v)->n_flavor_quotas > 0;
    }
    uint32_t cells = COHORT_PARTS * (c->flavored ? flavor_count(s) : 1);
    uint32_t *resource = sched_alloc(s, cells * sizeof *resource);
    for (uint32_t cell = 0; cell < cells; cell++)
        resource[cell] = cell % COHORT_PARTS;
    c->books = (struct cohort_books){ .n = n,
                                      .cells = cells,
                                      .resources = COHORT_PARTS,
                                      .parent = parent,
                                      .resource = resource };
    cohort_books_lay(&c->books, sched_alloc(s, cohort_books_size(n, cells, COHORT_PARTS)));
}

void cohort_begin(struct sched *s, const void *params, void *state)
{
    struct cohort *c = state;
    uint32_t n = queue_count(s);
    uint64_t *weight = sched_alloc(s, n * sizeof *weight);
    c->params = params;
    cohort_begin_homes(s, c);
    begin_books(s, c);
    c->counted = sched_alloc(s, (size_t)n * COHORT_PARTS * sizeof *c->counted);
    c->rules = sched_alloc(s, n * sizeof *c->rules);
    c->queue = sched_alloc(s, n * sizeof *c->queue);
    c->members = sched_alloc(s, n * sizeof *c->members);
    c->tree = sched_alloc(s, n * sizeof *c->tree);
    c->busy = sched_alloc(s, n * sizeof *c->busy);
    c->open = sched_alloc(s, n * sizeof *c->open);
    c->heads = sched_alloc(s, n * sizeof *c->heads);
    c->unplaced = line_new(s);
    for (uint32_t v = 0; v < n; v++)
        begin_queue(s, c, v, weight);
    cohort_books_settle(&c->books);
    begin_flavors(s, c);
    c->desk.search =
        (struct cohort_search){ .books = &c->books,
                                .rules = c->rules,
                                .members = c->members,
                                .weight = weight,
                                .own = sched_alloc(s, c->books.cells * sizeof(int64_t)),
                                .range = sched_alloc(s, n * sizeof(struct cohort_range)),
                                .known = sched_alloc(s, n * sizeof(struct cohort_known)),
                                .source = sched_alloc(s, n * sizeof(struct cohort_source)) };
    cohort_begin_desk(s, c);
    for (uint32_t v = 0; v < n; v++)
        cohort_begin_parked(s, c, v);
}
