/* kueue_desk.c - see kueue_desk.h. */
#include "tests/conformance/kueue_desk.h"
#include "tests/conformance/kueue_labels.h"
#include "sim/cluster/labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Which flavors a pod set may use ---- */

enum allows { ALLOWED, IS_MISSING, IS_TAINTED, IS_ELSEWHERE, HAS_NO_TOPOLOGY };

static bool has_level(const json_t *levels, const char *level)
{
    size_t i;
    const json_t *e;
    json_array_foreach(levels, i, e) if (level && !strcmp(json_string_value(e), level)) return true;
    return false;
}

/* All flavors of the queue have a topology: then a pod set that asks for none is placed, too. */
static bool places_all(const struct desk *d, const json_t *queue)
{
    size_t i;
    const json_t *q;
    json_array_foreach(json_object_get(queue, "quotas"), i, q)
        if (!json_object_get(json_object_get(json_object_get(d->json, "flavors"), text_of(q, "flavor")), "topology"))
            return false;
    return true;
}

static bool suits_topology(const struct desk *d, const json_t *set, const json_t *flavor, const json_t *queue)
{
    const json_t *asked = json_object_get(set, "topology"), *e;
    const char *name = text_of(flavor, "topology");
    const json_t *levels = name ? json_object_get(json_object_get(d->json, "topologies"), name) : NULL;
    size_t i;
    if (!asked)
        return !name || places_all(d, queue);
    bool suits = name && (!json_object_get(asked, "level") || has_level(levels, text_of(asked, "level")));
    json_array_foreach(json_object_get(asked, "slices"), i, e) suits = suits && has_level(levels, text_of(e, "level"));
    return suits;
}

static enum allows allows(const struct desk *d, const json_t *set, uint32_t flavor, const json_t *queue)
{
    const json_t *f = json_object_get(json_object_get(d->json, "flavors"), d->flavor[flavor]);
    struct text labels = { 0 }, tainted = { 0 }, tolerated = { 0 }, selector = { 0 }, wants = { 0 };
    if (!f)
        return IS_MISSING;
    if (!suits_topology(d, set, f, queue))
        return HAS_NO_TOPOLOGY;
    say_pairs(&labels, json_object_get(f, "node_labels"));
    say_pairs(&selector, json_object_get(set, "node_selector"));
    say_taints(&tainted, json_object_get(f, "taints"));
    say_taints(&tolerated, json_object_get(set, "tolerations"));
    say_taints(&tolerated, json_object_get(f, "tolerations"));
    say_affinity(&wants, json_object_get(set, "node_affinity"), false);
    if (!taints_tolerated(tainted.of, tolerated.of))
        return IS_TAINTED;
    return flavor_selected(labels.of, selector.of, wants.of) ? ALLOWED : IS_ELSEWHERE;
}

/* ---- Queues ---- */

static uint32_t flavor_number(struct desk *d, const char *name)
{
    uint32_t f = world_find(d->flavor, d->n_flavors, name);
    if (f == ID_NONE)
        d->flavor[f = d->n_flavors++] = name;
    return f;
}

static void read_groups(struct desk *d, uint32_t v, const json_t *queue)
{
    size_t i;
    const json_t *q;
    json_array_foreach(json_object_get(queue, "quotas"), i, q)
    {
        uint32_t g = (uint32_t)number_of(q, "group");
        struct cohort_group *group = &d->of[v].group[g];
        const char *resource;
        json_t *ignored;
        d->flavors[v].n_groups = g + 1 > d->flavors[v].n_groups ? g + 1 : d->flavors[v].n_groups;
        group->flavor = d->of[v].flavor[g];
        group->covers = d->of[v].covers[g];
        d->of[v].flavor[g][group->n++] = flavor_number(d, text_of(q, "flavor"));
        json_object_foreach(json_object_get(q, "resources"), resource, ignored)
            d->of[v].covers[g][world_find(d->w->name_of, d->w->resources, resource)] = true;
    }
    const json_t *f = json_object_get(queue, "fungibility");
    const char *borrow = text_of(f, "when_can_borrow"), *preempt = text_of(f, "when_can_preempt"), *prefers = text_of(f, "preference");
    d->flavors[v].group = d->of[v].group;
    d->flavors[v].fungibility = (struct cohort_fungibility){
        .next_if_borrows = borrow && !strcmp(borrow, "TryNextFlavor"),
        .next_if_preempts = !preempt || !strcmp(preempt, "TryNextFlavor"),
        .less_borrowing = prefers && !strcmp(prefers, "PreemptionOverBorrowing"),
    };
}

bool desk_is_inactive(const struct desk *d, const json_t *queue)
{
    size_t i;
    const json_t *q;
    json_array_foreach(json_object_get(queue, "quotas"), i, q)
        if (!json_object_get(json_object_get(d->json, "flavors"), text_of(q, "flavor")))
            return true;
    return false;
}

/* ---- The desk ---- */

static void *grow(void *self, size_t bytes)
{
    struct desk *d = self;
    return d->grown[d->n_grown++] = calloc(1, bytes);
}

static void settle(struct desk *d)
{
    struct world *w = d->w;
    world_settle(w, d->json);
    for (uint32_t v = 0; v < w->n; v++)
        read_groups(d, v, world_entry(d->json, w->node[v]));
    for (uint32_t f = 0; f < d->n_flavors; f++)
        for (uint32_t r = 0; r < w->resources; r++)
            d->cell[f * w->resources + r] = ID_NONE;
    for (uint32_t i = 0; i < w->cells; i++)
        d->cell[flavor_number(d, w->flavour[i]) * w->resources + w->resource_of[i]] = i;
    bool fair = json_is_true(json_object_get(d->json, "fair_sharing"));
    d->desk = (struct cohort_desk){
        .chooser = { .books = &w->books, .n_flavors = d->n_flavors, .cell = d->cell, .flavors = d->flavors, .rules = w->rules,
                     .fair = fair, .why_of = d->why_of },
        .search = { .books = &w->books, .rules = w->rules, .members = w->members, .weight = w->weight, .victim = d->victim,
                    .candidate = d->candidate, .own = d->own, .range = d->range, .known = d->known, .source = d->source },
        .final_share = true, .initial_share = true, .grow = grow, .self = d, .one = d->one, .one_contested = d->one_contested,
        .full = d->full, .fewer = d->fewer, .seat = d->seat, .sends = d->sends,
    };
}

/* Who holds quota. */
static void held(struct world *w, const json_t *e, int64_t *need)
{
    const char *set, *resource;
    json_t *holds, *amount;
    json_object_foreach(json_object_get(e, "holds"), set, holds)
        json_object_foreach(json_object_get(holds, "usage"), resource, amount)
    {
        const char *flavor = text_of(json_object_get(holds, "flavors"), resource);
        if (flavor)
            need[world_cell(w, flavor, resource)] += world_thousandths(json_number_value(amount));
    }
}

static void read_admitted(struct desk *d)
{
    struct world *w = d->w;
    size_t i;
    const json_t *e;
    json_array_foreach(json_object_get(d->json, "admitted"), i, e)
    {
        uint32_t q = world_find(w->node, w->n, text_of(e, "queue"));
        struct cohort_workload *as = &w->workload[w->n_workloads];
        if (q == ID_NONE)
            continue;
        held(w, e, w->need[w->n_workloads]);
        *as = (struct cohort_workload){
            .id = world_find(d->name, d->n_names, text_of(e, "name")), .queue = q, .priority = (int32_t)number_of(e, "priority"),
            .queued_ns = llround(world_number(e, "created_at_s", -1e9) * 1e9),
            .admitted_ns = llround(number_of(e, "quota_reserved_at_s") * 1e9),
            .leaving = json_is_true(json_object_get(e, "evicted")), .need = w->need[w->n_workloads],
        };
        w->members[q].of = w->member[q];
        cohort_members_add(w->members, &w->books, as);
        cohort_use(&w->books, q, as->need, 1);
        w->n_workloads++;
    }
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* All resources and cells are known before the books are laid. */
static void learn(struct desk *d, const json_t *const *workloads, uint32_t n)
{
    int64_t ignored[CELLS_MOST];
    for (uint32_t i = 0; i < n; i++) {
        size_t k;
        const json_t *set;
        const char *resource;
        json_t *amount;
        d->name[d->n_names++] = text_of(workloads[i], "name") ? text_of(workloads[i], "name") : "";
        held(d->w, workloads[i], ignored);
        json_array_foreach(json_object_get(workloads[i], "pod_sets"), k, set)
            json_object_foreach(json_object_get(set, "requests"), resource, amount) world_resource(d->w, resource);
    }
    qsort(d->name, d->n_names, sizeof *d->name, by_name);
    world_use(d->w, json_object_get(d->json, "usage"));
}

struct desk *desk_read(const json_t *c, const json_t *const *workloads, uint32_t n_workloads, struct why why)
{
    struct desk *d = calloc(1, sizeof *d);
    d->json = c;
    d->w = calloc(1, sizeof *d->w);
    if (!world_holds(c) || n_workloads > 2 * WORKLOADS_MOST) {
        because(CASE_SKIPPED, why, "more queues or workloads than this runner holds");
        desk_free(d);
        return NULL;
    }
    world_read_tree(d->w, c);
    learn(d, workloads, n_workloads);
    settle(d);
    world_use(d->w, json_object_get(c, "usage"));
    read_admitted(d);
    return d;
}

void desk_free(struct desk *d)
{
    for (uint32_t i = 0; i < d->n_heads; i++)
        for (size_t k = 0; k < 2; k++)
            free(d->head[i].memory[k]);
    for (uint32_t i = 0; i < d->n_grown; i++)
        free(d->grown[i]);
    world_free(d->w);
    free(d);
}

/* ---- Heads ---- */

static void found(void *self, const struct cohort_finding *f)
{
    struct desk *d = self;
    struct head *h = &d->head[0];
    while (&h->entry != d->desk.now)
        h++;
    struct findings *why = &h->why;
    if (!f)
        why->n = 0;
    else if (why->n < FINDINGS_MOST)
        why->of[why->n++] = *f;
}

static uint32_t group_of(const json_t *sets, size_t set)
{
    const char *name = text_of(json_array_get(sets, set), "group"), *other;
    for (size_t i = 0; name && i < set; i++)
        if ((other = text_of(json_array_get(sets, i), "group")) && !strcmp(other, name))
            return (uint32_t)i;
    return (uint32_t)set;
}

static bool queue_covers(const struct desk *d, uint32_t queue, uint32_t resource)
{
    for (uint32_t g = 0; g < d->flavors[queue].n_groups; g++)
        if (d->of[queue].covers[g][resource])
            return true;
    return false;
}

static void read_set(const struct desk *d, struct head *h, const json_t *of, size_t i, uint32_t queue)
{
    const json_t *sets = json_object_get(of, "pod_sets"), *set = json_array_get(sets, i);
    const char *resource;
    json_t *amount;
    uint32_t count = (uint32_t)world_number(set, "count", 1), pods = world_find(d->w->name_of, d->w->resources, "pods");
    h->set_name[i] = text_of(set, "name");
    count -= (uint32_t)number_of(json_object_get(of, "reclaimable"), h->set_name[i]);
    for (uint32_t r = 0; r < d->w->resources; r++)
        h->each[i][r] = -1;
    json_object_foreach(json_object_get(set, "requests"), resource, amount)
        h->each[i][world_find(d->w->name_of, d->w->resources, resource)] = world_thousandths(json_number_value(amount));
    if (pods != ID_NONE && queue_covers(d, queue, pods))
        h->each[i][pods] = world_thousandths(1);
    for (uint32_t f = 0; f < d->n_flavors; f++)
        h->allowed[i][f] = allows(d, set, f, world_entry(d->json, d->w->node[queue])) == ALLOWED;
    h->set[i] = (struct cohort_set){ .count = count, .least = (uint32_t)world_number(set, "min_count", count),
                                     .group = group_of(sets, i), .each = h->each[i], .allowed = h->allowed[i] };
}

bool desk_add_head(struct desk *d, const json_t *of, struct why why)
{
    struct head *h = &d->head[d->n_heads];
    size_t sets = json_array_size(json_object_get(of, "pod_sets"));
    uint32_t queue = world_find(d->w->node, d->w->n, text_of(of, "queue") ? text_of(of, "queue") : text_of(d->json, "queue"));
    if (sets > SETS_MOST || d->n_heads == WORKLOADS_MOST || queue == ID_NONE) {
        because(CASE_SKIPPED, why, "more pod sets or heads than this runner holds, or no queue");
        return false;
    }
    h->json = of;
    for (size_t i = 0; i < sets; i++)
        read_set(d, h, of, i, queue);
    h->entry = (struct cohort_entry){
        .head = { .as = { .id = text_of(of, "name") ? world_find(d->name, d->n_names, text_of(of, "name")) : 0, .queue = queue, .priority = (int32_t)number_of(of, "priority"),
                          .queued_ns = llround(world_number(of, "created_at_s", -1e9) * 1e9) },
                  .n_sets = (uint32_t)sets, .set = h->set },
        .cells = h->cells,
    };
    size_t size = cohort_assignment_size((uint32_t)sets, d->w->resources, d->w->cells);
    struct cohort_assignment *both[] = { &h->entry.a, &h->entry.spare };
    for (size_t k = 0; k < 2; k++)
        cohort_assignment_lay(both[k], (uint32_t)sets, d->w->resources, d->w->cells, h->memory[k] = calloc(1, size));
    d->desk.chooser.found = found;
    d->desk.chooser.reporter = d;
    d->n_heads++;
    return true;
}

/* ---- What it got ---- */

static uint32_t set_of(const struct head *h, const char *name)
{
    return world_find(h->set_name, h->entry.head.n_sets, name);
}

static int compare_set(const struct desk *d, const struct head *h, uint32_t i, const json_t *want, struct why why)
{
    const struct cohort_assignment *a = &h->entry.a;
    const json_t *flavors = json_object_get(want, "flavors"), *usage = json_object_get(want, "usage");
    size_t given = 0;
    if (json_object_get(want, "count") && (uint32_t)number_of(want, "count") != a->count[i])
        return because(CASE_FAILED, why, "%s: want %g tasks, got %u", h->set_name[i], number_of(want, "count"), a->count[i]);
    for (uint32_t r = 0; r < d->w->resources; r++) {
        size_t at = (size_t)i * d->w->resources + r;
        const json_t *wanted = json_object_get(flavors, d->w->name_of[r]);
        const char *flavor = json_is_object(wanted) ? text_of(wanted, "flavor") : json_string_value(wanted);
        const char *got = a->flavor[at] == ID_NONE ? NULL : d->flavor[a->flavor[at]];
        const char *mode = json_is_object(wanted) ? text_of(wanted, "mode") : NULL;
        const json_t *tried = json_object_get(wanted, "last_tried");
        given += got != NULL;
        if (!flavor != !got || (flavor && strcmp(flavor, got) != 0))
            return because(CASE_FAILED, why, "%s: %s: want flavor %s, got %s", h->set_name[i], d->w->name_of[r],
                           flavor ? flavor : "none", got ? got : "none");
        if (mode && strcmp(mode, a->cell_mode[at] == MODE_FIT ? "fit" : "preempt") != 0)
            return because(CASE_FAILED, why, "%s: %s: want %s", h->set_name[i], d->w->name_of[r], mode);
        if (tried && json_number_value(tried) != a->tried[at])
            return because(CASE_FAILED, why, "%s: %s: want last tried %g, got %d", h->set_name[i], d->w->name_of[r],
                           json_number_value(tried), a->tried[at]);
        const json_t *amount = json_object_get(usage, d->w->name_of[r]);
        if (amount && world_thousandths(json_number_value(amount)) != h->each[i][r] * a->count[i])
            return because(CASE_FAILED, why, "%s: %s: want %g", h->set_name[i], d->w->name_of[r], json_number_value(amount));
    }
    return given == json_object_size(flavors) ? CASE_PASSED : because(CASE_FAILED, why, "%s: a resource without flavor", h->set_name[i]);
}

int desk_compare_sets(const struct desk *d, const struct head *h, const json_t *want, struct why why)
{
    const char *name;
    json_t *set;
    json_object_foreach((json_t *)(uintptr_t)want, name, set)
    {
        uint32_t i = set_of(h, name);
        if (i == ID_NONE)
            return because(CASE_FAILED, why, "no pod set %s", name);
        int result = compare_set(d, h, i, set, why);
        if (result != CASE_PASSED)
            return result;
    }
    return CASE_PASSED;
}

/* ---- Why not ---- */

const char *desk_reason(enum cohort_no_fit why)
{
    static const char *const reasons[] = { [NO_FIT_NONE] = "none", [NO_FIT_NO_PLACE] = "TopologyPlacementFailed",
                                           [NO_FIT_WAITS] = "WaitingForQuota", [NO_FIT_NEVER] = "ExceedsMaxQuota",
                                           [NO_FIT_NO_MATCH] = "NoMatchingFlavor" };
    return reasons[why];
}

static json_t *shown_no_match(const struct desk *d, const struct head *h, const struct cohort_finding *f)
{
    const json_t *sets = json_object_get(h->json, "pod_sets");
    if (f->flavor == ID_NONE)
        return json_pack("{s:s,s:b}", "resource", d->w->name_of[f->resource], "in_queue", 0);
    for (size_t i = f->set; i < h->entry.head.n_sets; i++) {
        if (h->set[i].group != h->set[f->set].group)
            continue;
        switch (allows(d, json_array_get(sets, i), f->flavor, world_entry(d->json, d->w->node[h->entry.head.as.queue]))) {
        case IS_MISSING:
            return json_pack("{s:s,s:b}", "flavor", d->flavor[f->flavor], "exists", 0);
        case IS_TAINTED:
            return json_pack("{s:s,s:b}", "flavor", d->flavor[f->flavor], "untolerated_taint", 1);
        case IS_ELSEWHERE:
            return json_pack("{s:s,s:b}", "flavor", d->flavor[f->flavor], "node_affinity", 0);
        default:
            break;
        }
    }
    return json_object();
}

static json_t *amount_of(int64_t thousandths) { return json_real((double)thousandths / 1000); }

/* As the case would say it; NULL: it fits. */
static json_t *shown(const struct desk *d, const struct head *h, const struct cohort_finding *f)
{
    if (f->why == NO_FIT_NO_MATCH)
        return shown_no_match(d, h, f);
    if (f->why != NO_FIT_NEVER && f->short_by == 0)
        return NULL;
    json_t *e = json_pack("{s:s,s:s}", "flavor", d->flavor[f->flavor], "resource", d->w->name_of[f->resource]);
    uint32_t cell = d->cell[f->flavor * d->w->resources + f->resource];
    if (f->why == NO_FIT_NEVER) {
        json_object_set_new(e, "earlier_pod_sets", amount_of(f->earlier));
        json_object_set_new(e, "asked", amount_of(f->asked));
        json_object_set_new(e, "capacity", amount_of(cell == ID_NONE ? 0 : d->w->books.potential[cohort_at(&d->w->books, h->entry.head.as.queue, cell)]));
    } else {
        json_object_set_new(e, "short_by", amount_of(f->short_by));
    }
    return e;
}

/* What was found in a group of resources counts unless the sets got a flavor there that fits; if
 * they got none in some group, only what was found there. */
static bool counts(const struct desk *d, const struct head *h, const struct cohort_finding *f)
{
    const struct cohort_assignment *a = &h->entry.a;
    const struct findings *all = &h->why;
    bool any = false, fits = true;
    for (uint32_t i = f->set; i < h->entry.head.n_sets; i++)
        for (uint32_t r = 0; r < d->w->resources; r++) {
            size_t at = (size_t)i * d->w->resources + r;
            if (h->set[i].group != h->set[f->set].group || a->flavor[at] == ID_NONE)
                continue;
            any = true;
            fits &= !(f->group && f->group->covers[r]) || a->cell_mode[at] == MODE_FIT;
        }
    return any ? !fits : f->group == all->of[all->n - 1].group;
}

/* Numbers of JSON are equal as numbers. */
static bool same(const json_t *a, const json_t *b)
{
    const char *key;
    json_t *value;
    if (json_object_size(a) != json_object_size(b))
        return false;
    json_object_foreach((json_t *)(uintptr_t)a, key, value)
    {
        const json_t *other = json_object_get(b, key);
        if (json_is_number(value) ? !json_is_number(other) || json_number_value(value) != json_number_value(other)
                                  : !json_equal(value, other))
            return false;
    }
    return true;
}

static bool contains(const json_t *list, const json_t *e)
{
    size_t i;
    const json_t *one;
    json_array_foreach(list, i, one) if (same(one, e)) return true;
    return false;
}

int desk_compare_why(const struct desk *d, const struct head *h, uint32_t set, const json_t *want, struct why why)
{
    json_t *got = json_array();
    int result = CASE_PASSED;
    size_t i;
    const json_t *e;
    for (uint32_t k = 0; k < h->why.n; k++) {
        const struct cohort_finding *f = &h->why.of[k];
        bool its = set == ID_NONE || h->set[f->set].group == h->set[set].group;
        json_t *one = its && counts(d, h, f) ? shown(d, h, f) : NULL;
        if (one && !contains(got, one))
            json_array_append(got, one);
        json_decref(one);
    }
    json_array_foreach(want, i, e) if (!contains(got, e)) result = CASE_FAILED;
    if (json_array_size(got) != json_array_size(want))
        result = CASE_FAILED;
    if (result != CASE_PASSED) {
        char *one = json_dumps(want ? want : json_null(), JSON_ENCODE_ANY), *other = json_dumps(got, 0);
        because(CASE_FAILED, why, "why: want %s, got %s", one, other);
        free(one);
        free(other);
    }
    json_decref(got);
    return result;
}
