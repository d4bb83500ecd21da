/* flavors.c - the search through the flavors of each group of resources. See flavors.h. */
#include "policies/kueue/flavors.h"
#include "sim/contract/util/minmax.h"

#include <string.h>

/* ---- Memory ---- */

size_t cohort_assignment_size(uint32_t sets, uint32_t resources, uint32_t cells)
{
    size_t each = sizeof(uint32_t) + sizeof(int32_t) + sizeof(uint8_t);
    return cells * (sizeof(int64_t) + sizeof(bool)) +
           (size_t)sets * (sizeof(uint32_t) + resources * each);
}

void cohort_assignment_lay(struct cohort_assignment *a, uint32_t sets, uint32_t resources,
                           uint32_t cells, void *memory)
{
    size_t all = (size_t)sets * resources;
    a->use = memory;
    a->count = (uint32_t *)(a->use + cells);
    a->flavor = a->count + sets;
    a->tried = (int32_t *)(a->flavor + all);
    a->cell_mode = (uint8_t *)(a->tried + all);
    a->contested = (bool *)(a->cell_mode + all);
}

/* ---- One cell ---- */

static bool may_search(const struct cohort_chooser *c, uint32_t queue, uint32_t cell,
                       int64_t amount, bool more_above)
{
    const struct cohort_rules *rules = &c->rules[queue];
    return amount <= c->books->quota[cohort_at(c->books, queue, cell)].nominal || more_above ||
           rules->borrow != BORROW_NEVER || (c->fair && rules->reclaim != RECLAIM_NEVER);
}

/* Fills worth, why and short_by of f. */
static void judge_cell(const struct cohort_chooser *c, const struct cohort_head *h, uint32_t cell,
                       struct cohort_finding *f)
{
    const struct cohort_books *b = c->books;
    uint32_t queue = h->as.queue;
    int64_t amount = f->earlier + f->asked;
    bool more_above;
    if (cell == ID_NONE ? amount > 0 : amount > b->potential[cohort_at(b, queue, cell)]) {
        f->worth = (struct cohort_worth){ MODE_NO_FIT, 0 };
        f->why = NO_FIT_NEVER;
        return;
    }
    if (cell == ID_NONE)
        return;
    int64_t available = cohort_available(b, queue, cell);
    f->worth.height = cohort_borrow_height(b, queue, cell, amount, &more_above);
    if (amount <= available)
        return;
    f->short_by = amount - available;
    if (!may_search(c, queue, cell, amount, more_above)) {
        f->worth.mode = MODE_NO_FIT;
        f->why = NO_FIT_WAITS;
        return;
    }
    f->worth.mode = MODE_PREEMPT;
    if (c->simulate)
        f->worth = c->simulate(c->self, h, cell, amount, f->worth.height);
}

bool cohort_worth_better(struct cohort_worth a, struct cohort_worth b, bool less_borrowing)
{
    if (a.mode == MODE_NO_FIT || b.mode == MODE_NO_FIT)
        return a.mode < b.mode;
    if ((a.mode == MODE_NO_VICTIMS) != (b.mode == MODE_NO_VICTIMS))
        return b.mode == MODE_NO_VICTIMS;
    if (a.mode != b.mode && (!less_borrowing || a.height == b.height))
        return a.mode < b.mode;
    return a.height < b.height;
}

/* ---- One flavor ---- */

struct look {                     /* at the sets of one group, for one head */
    const struct cohort_chooser *c;
    const struct cohort_head *h;
    const int32_t *tried;
    const struct cohort_assignment *stay;
    struct cohort_assignment *a;
    uint32_t first;               /* set of the group; others with the same group belong to it */
};

static bool in_group(const struct look *k, uint32_t set)
{
    return k->h->set[set].group == k->h->set[k->first].group;
}

/* Of all sets of the group; below 0: none asks. */
static int64_t asked(const struct look *k, uint32_t resource)
{
    int64_t sum = -1;
    for (uint32_t i = k->first; i < k->h->n_sets; i++)
        if (in_group(k, i) && k->h->set[i].each[resource] >= 0)
            sum = max_i64(sum, 0) + k->a->count[i] * k->h->set[i].each[resource];
    return sum;
}

static uint32_t cell_of(const struct look *k, uint32_t flavor, uint32_t resource)
{
    return k->c->cell[(size_t)flavor * k->c->books->resources + resource];
}

static void report(const struct look *k, const struct cohort_finding *f)
{
    enum cohort_no_fit *why = f->flavor == ID_NONE ? NULL : &k->c->why_of[f->flavor];
    if (why && f->why > *why)
        *why = f->why;
    if (k->c->found)
        k->c->found(k->c->reporter, f);
}

static bool is_allowed(const struct look *k, uint32_t flavor)
{
    for (uint32_t i = k->first; i < k->h->n_sets; i++)
        if (in_group(k, i) && k->h->set[i].allowed && !k->h->set[i].allowed[flavor])
            return false;
    return true;
}

/* A set of the group has it for this resource already. */
static bool stays(const struct look *k, uint32_t flavor, uint32_t resource)
{
    bool is = !k->stay;
    for (uint32_t i = k->first; i < k->h->n_sets && !is; i++)
        is = in_group(k, i) &&
             k->stay->flavor[(size_t)i * k->c->books->resources + resource] == flavor;
    return is;
}

/* The worst of its resources. sums, mode [resources]: what is asked, and how it is found. */
static struct cohort_worth look_at(const struct look *k, const struct cohort_group *group,
                                   uint32_t flavor, const int64_t *sums, uint8_t *mode,
                                   uint32_t *height)
{
    bool less = k->c->flavors[k->h->as.queue].fungibility.less_borrowing;
    struct cohort_worth worst = { MODE_FIT, 0 };
    struct cohort_finding f = {
        .set = k->first, .flavor = flavor, .resource = ID_NONE, .group = group
    };
    if (!is_allowed(k, flavor)) {
        f.worth.mode = MODE_NO_FIT;
        f.why = NO_FIT_NO_MATCH;
        report(k, &f);
        return f.worth;
    }
    for (uint32_t r = 0; r < k->c->books->resources; r++) {
        uint32_t cell = cell_of(k, flavor, r);
        if (sums[r] < 0)
            continue;
        f = (struct cohort_finding){
            .set = k->first, .flavor = flavor, .resource = r, .group = group
        };
        f.earlier = cell == ID_NONE ? 0 : k->a->use[cell];
        f.asked = sums[r];
        judge_cell(k->c, k->h, cell, &f);
        report(k, &f);
        if (cohort_worth_better(worst, f.worth, less))
            worst = f.worth;
        mode[r] = (uint8_t)f.worth.mode;
        height[r] = f.worth.height;
    }
    return worst;
}

static bool ends_search(const struct cohort_fungibility *f, struct cohort_worth w)
{
    if (w.mode >= MODE_NO_VICTIMS || (w.mode != MODE_FIT && f->next_if_preempts))
        return false;
    return w.height == 0 || !f->next_if_borrows;
}

/* ---- One group of resources ---- */

struct choice { uint32_t flavor; int32_t tried; };

static uint32_t begin_at(const struct look *k, uint32_t resource)
{
    size_t at = (size_t)k->first * k->c->books->resources + resource;
    return k->tried ? (uint32_t)(k->tried[at] + 1) : 0;
}

/* chosen, mode, height [resources]: of those that the group covers. false: no flavor. */
static bool choose(const struct look *k, const struct cohort_group *group, uint32_t resource,
                   struct choice *chosen, uint8_t *mode, uint32_t *height)
{
    const struct cohort_fungibility *rules = &k->c->flavors[k->h->as.queue].fungibility;
    uint32_t resources = k->c->books->resources, best = ID_NONE, i = begin_at(k, resource);
    struct cohort_worth worth = { MODE_NO_FIT, 0 };
    uint8_t now_mode[COHORT_RESOURCES];
    uint32_t now_height[COHORT_RESOURCES];
    int64_t sums[COHORT_RESOURCES];
    int32_t last = -1;
    for (uint32_t r = 0; r < resources; r++)
        sums[r] = group->covers[r] ? asked(k, r) : -1;
    for (bool ends = false; i < group->n && !ends; i++) {
        last = (int32_t)i;
        if (!stays(k, group->flavor[i], resource))
            continue;
        struct cohort_worth w = look_at(k, group, group->flavor[i], sums, now_mode, now_height);
        ends = ends_search(rules, w);
        if (!ends && !cohort_worth_better(w, worth, rules->less_borrowing))
            continue;
        best = group->flavor[i];
        worth = w;
        for (uint32_t r = 0; r < resources; r++)
            if (group->covers[r]) {
                mode[r] = now_mode[r];
                height[r] = now_height[r];
            }
    }
    for (uint32_t r = 0; r < resources && best != ID_NONE; r++)
        if (group->covers[r])
            chosen[r] = (struct choice){ best, last + 1 == (int32_t)group->n ? -1 : last };
    return best != ID_NONE;
}

static const struct cohort_group *group_of(const struct look *k, uint32_t resource)
{
    const struct cohort_flavors *f = &k->c->flavors[k->h->as.queue];
    for (uint32_t i = 0; i < f->n_groups; i++)
        if (f->group[i].covers[resource])
            return &f->group[i];
    return NULL;
}

/* ---- The sets of a group ---- */

static void take(const struct look *k, uint32_t set, const struct choice *chosen,
                 const uint8_t *mode, const uint32_t *height)
{
    struct cohort_assignment *a = k->a;
    uint32_t resources = k->c->books->resources;
    for (uint32_t r = 0; r < resources; r++) {
        size_t at = (size_t)set * resources + r;
        int64_t each = k->h->set[set].each[r];
        if (each < 0 || chosen[r].flavor == ID_NONE)
            continue;
        uint32_t cell = cell_of(k, chosen[r].flavor, r);
        a->flavor[at] = chosen[r].flavor;
        a->tried[at] = chosen[r].tried;
        a->cell_mode[at] = mode[r];
        a->height = max_u32(a->height, height[r]);
        if (mode[r] != MODE_FIT)
            a->mode = MODE_PREEMPT;
        if (cell == ID_NONE)
            continue;
        a->use[cell] += a->count[set] * each;
        a->contested[cell] |= mode[r] != MODE_FIT;
    }
}

/* Over the groups of the queue, each by its flavors that were looked at and do not fit. */
static enum cohort_no_fit gravest(const struct look *k)
{
    const struct cohort_flavors *f = &k->c->flavors[k->h->as.queue];
    enum cohort_no_fit all = NO_FIT_NONE;
    for (uint32_t i = 0; i < f->n_groups; i++) {
        enum cohort_no_fit one = NO_FIT_NONE;
        for (uint32_t n = 0; n < f->group[i].n; n++) {
            enum cohort_no_fit why = k->c->why_of[f->group[i].flavor[n]];
            if (why != NO_FIT_NONE && (one == NO_FIT_NONE || why < one))
                one = why;
        }
        all = one > all ? one : all;
    }
    return all == NO_FIT_NONE ? NO_FIT_NO_MATCH : all;
}

/* Why some resource gets no flavor. */
static enum cohort_no_fit choose_all(const struct look *k, struct choice *chosen, uint8_t *mode,
                                     uint32_t *height)
{
    for (uint32_t r = 0; r < k->c->books->resources; r++) {
        int64_t sum = asked(k, r);
        const struct cohort_group *group = group_of(k, r);
        if (sum < 0 || chosen[r].flavor != ID_NONE || (!group && sum == 0))
            continue;
        if (group && choose(k, group, r, chosen, mode, height))
            continue;
        if (group)
            return gravest(k);
        report(k, &(struct cohort_finding){ .set = k->first,
                                            .flavor = ID_NONE,
                                            .resource = r,
                                            .worth = { MODE_NO_FIT, 0 },
                                            .why = NO_FIT_NO_MATCH });
        return NO_FIT_NO_MATCH;
    }
    return NO_FIT_NONE;
}

static bool assign_group(const struct look *k)
{
    struct choice chosen[COHORT_RESOURCES];
    uint32_t height[COHORT_RESOURCES];
    uint8_t mode[COHORT_RESOURCES];
    for (uint32_t r = 0; r < k->c->books->resources; r++)
        chosen[r] = (struct choice){ ID_NONE, -1 };
    memset(k->c->why_of, 0, k->c->n_flavors * sizeof *k->c->why_of);
    k->a->why = choose_all(k, chosen, mode, height);
    bool found = k->a->why == NO_FIT_NONE;
    for (uint32_t i = k->first; i < k->h->n_sets; i++) {
        if (!in_group(k, i))
            continue;
        k->a->n_sets++;
        if (found)
            take(k, i, chosen, mode, height);
    }
    return found;
}

void cohort_assign(const struct cohort_chooser *c, const struct cohort_head *h,
                   const uint32_t *count, const int32_t *tried,
                   const struct cohort_assignment *stay, struct cohort_assignment *a)
{
    struct look k = { .c = c, .h = h, .tried = tried, .stay = stay, .a = a };
    size_t all = (size_t)h->n_sets * c->books->resources;
    if (c->found)
        c->found(c->reporter, NULL);
    a->mode = MODE_FIT;
    a->height = a->n_sets = 0;
    a->why = NO_FIT_NONE;
    memset(a->use, 0, c->books->cells * sizeof *a->use);
    memset(a->contested, 0, c->books->cells * sizeof *a->contested);
    for (size_t i = 0; i < all; i++) {
        a->flavor[i] = ID_NONE;
        a->tried[i] = -1;
        a->cell_mode[i] = MODE_FIT;
    }
    for (uint32_t i = 0; i < h->n_sets; i++)
        a->count[i] = count[i];
    for (; k.first < h->n_sets; k.first++) {
        uint32_t earlier = 0;
        while (earlier < k.first && !in_group(&k, earlier))
            earlier++;
        if (earlier < k.first || assign_group(&k))
            continue;
        a->mode = MODE_NO_FIT;
        return;
    }
}

bool cohort_has_more(const struct cohort_chooser *c, const struct cohort_assignment *a)
{
    for (size_t i = 0; i < (size_t)a->n_sets * c->books->resources; i++)
        if (a->tried[i] >= 0)
            return true;
    return false;
}
