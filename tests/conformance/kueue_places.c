/* kueue_places.c - see kueue_places.h. */
#include "tests/conformance/kueue_places.h"
#include "sim/contract/util/minmax.h"

#include <stdlib.h>
#include <string.h>

/* ---- What is used ---- */

static void use(struct places *p, uint32_t flavor, const json_t *domain, const json_t *requests,
                int64_t pods, int sign)
{
    for (uint32_t f = 0; f < p->d->n_flavors; f++)
        if (p->has[f] && (f == flavor || (p->topo[f].of_hosts && p->topo[flavor].of_hosts)))
            topo_use(&p->topo[f], domain, requests, pods, sign);
}

static const json_t *pod_set_named(const json_t *workload, const char *name)
{
    size_t i;
    const json_t *e;
    json_array_foreach(json_object_get(workload, "pod_sets"), i,
                       e) if (!strcmp(text_of(e, "name"), name)) return e;
    return NULL;
}

static void use_domains(struct places *p, uint32_t flavor, const json_t *domains,
                        const json_t *requests, int sign)
{
    size_t i;
    const json_t *e;
    json_array_foreach(domains, i, e) use(p, flavor, json_object_get(e, "domain"), requests,
                                          json_integer_value(json_object_get(e, "pods")), sign);
}

/* The flavor of a pod set that is held; ID_NONE: one without topology. */
static uint32_t flavor_held(const struct places *p, const json_t *held)
{
    const char *resource;
    json_t *name;
    json_object_foreach(json_object_get(held, "flavors"), resource, name)
    {
        uint32_t f = world_find(p->d->flavor, p->d->n_flavors, json_string_value(name));
        if (f != ID_NONE && p->has[f])
            return f;
    }
    return ID_NONE;
}

static void use_held(struct places *p, const json_t *workload, int sign)
{
    const char *set;
    json_t *held;
    json_object_foreach(json_object_get(workload, "holds"), set, held)
    {
        uint32_t f = flavor_held(p, held);
        if (f != ID_NONE)
            use_domains(p, f, json_object_get(held, "domains"),
                        json_object_get(pod_set_named(workload, set), "requests"), sign);
    }
}

/* ---- Of a head: {POD_SET: answer}, with its flavor in `flavor` ---- */

static void use_found(struct places *p, const json_t *found, const json_t *workload, int sign)
{
    const char *set;
    json_t *e;
    json_object_foreach((json_t *)(uintptr_t)found, set, e)
        use_domains(p, (uint32_t)number_of(e, "flavor"), json_object_get(e, "domains"),
                    json_object_get(pod_set_named(workload, set), "requests"), sign);
}

static uint32_t flavor_of_set(const struct places *p, const struct head *h, uint32_t set)
{
    for (uint32_t r = 0; r < p->d->w->resources; r++) {
        uint32_t f = h->entry.a.flavor[(size_t)set * p->d->w->resources + r];
        if (f != ID_NONE && p->has[f])
            return f;
    }
    return ID_NONE;
}

static struct topo_setting setting_of(const struct places *p, uint32_t flavor)
{
    const json_t *f = json_object_get(json_object_get(p->d->json, "flavors"), p->d->flavor[flavor]);
    return (struct topo_setting){ .tolerations = json_object_get(f, "tolerations") };
}

/* The head's pod sets with that flavor, as many tasks as it was nominated with. */
static json_t *sets_with(const struct places *p, const struct head *h, uint32_t flavor)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < h->entry.a.n_sets; i++) {
        if (flavor_of_set(p, h, i) != flavor)
            continue;
        json_t *set = json_deep_copy(json_array_get(json_object_get(h->json, "pod_sets"), i));
        json_object_set_new(set, "count", json_integer(h->entry.a.count[i]));
        json_array_append_new(list, set);
    }
    return list;
}

static struct head *now(const struct places *p)
{
    struct head *h = &p->d->head[0];
    while (&h->entry != p->d->desk.now)
        h++;
    return h;
}

/* false: some pod set has no place; all that was found is kept. */
static bool find(struct places *p, const struct head *h)
{
    json_t *all = json_object();
    bool fits = true;
    for (uint32_t f = 0; f < p->d->n_flavors && fits; f++) {
        const char *set;
        json_t *sets, *e;
        if (!p->has[f])
            continue;
        struct question q = { &p->topo[f], setting_of(p, f), json_object() };
        struct topo_leaf *before = malloc(max_size(1, p->topo[f].n * sizeof *before));
        memcpy(before, p->topo[f].leaf, p->topo[f].n * sizeof *before);
        sets = sets_with(p, h, f);
        fits = tas_ask_all(&q, sets);
        memcpy(p->topo[f].leaf, before, p->topo[f].n * sizeof *before);
        free(before);
        json_object_foreach(q.got, set, e) json_object_set_new(e, "flavor", json_integer(f));
        use_found(p, q.got, h->json, 1);
        json_object_update(all, q.got);
        json_decref(sets);
        json_decref(q.got);
    }
    use_found(p, all, h->json, -1);
    json_decref(p->of_head[h - p->d->head]);
    p->of_head[h - p->d->head] = all;
    return fits;
}

/* ---- For the desk ---- */

static bool room(void *self)
{
    return find(self, now(self));
}

static bool ever(void *self)
{
    struct places *p = self;
    struct topo_leaf *used[FLAVORS_MOST];
    for (uint32_t f = 0; f < p->d->n_flavors; f++) {
        used[f] = p->topo[f].leaf;
        if (p->has[f]) {
            p->topo[f].leaf = malloc(max_size(1, p->topo[f].n * sizeof *used[f]));
            memcpy(p->topo[f].leaf, p->empty[f], p->topo[f].n * sizeof *used[f]);
        }
    }
    bool fits = find(p, now(p));
    for (uint32_t f = 0; f < p->d->n_flavors; f++) {
        if (p->has[f])
            free(p->topo[f].leaf);
        p->topo[f].leaf = used[f];
    }
    return fits;
}

static bool lacks(void *self, uint32_t set)
{
    const struct places *p = self;
    const struct head *h = now(p);
    const json_t *answer = json_object_get(p->of_head[h - p->d->head], h->set_name[set]);
    return answer && !json_is_true(json_object_get(answer, "fits"));
}

/* Nothing that the head takes is used beyond what there is. */
static bool fits(void *self)
{
    struct places *p = self;
    const struct head *h = now(p);
    const json_t *found = p->of_head[h - p->d->head];
    const char *set;
    json_t *e;
    bool all = true;
    use_found(p, found, h->json, 1);
    json_object_foreach((json_t *)(uintptr_t)found, set, e)
    {
        const struct topo *t = &p->topo[(uint32_t)number_of(e, "flavor")];
        const json_t *requests = json_object_get(pod_set_named(h->json, set), "requests"), *one;
        size_t i;
        json_array_foreach(json_object_get(e, "domains"), i, one)
        {
            uint32_t d = topo_find(t, json_object_get(one, "domain"));
            for (uint32_t r = 0; r < t->resources && d != ID_NONE; r++)
                all &= t->leaf[d - tas_first_leaf(&t->tree)].free[r] >= 0 ||
                       (strcmp(t->resource[r], "pods") != 0 &&
                        number_of(requests, t->resource[r]) == 0);
        }
    }
    use_found(p, found, h->json, -1);
    return all;
}

static void take(void *self, int sign)
{
    struct places *p = self;
    use_found(p, p->of_head[now(p) - p->d->head], now(p)->json, sign);
}

static const json_t *workload_of(const struct places *p, const struct cohort_workload *w)
{
    for (uint32_t i = 0; i < p->n_workloads; i++)
        if (!strcmp(text_of(p->workload[i], "name"), p->d->name[w->id]))
            return p->workload[i];
    return NULL;
}

static void vacate(void *self, const struct cohort_workload *w)
{
    use_held(self, workload_of(self, w), -1);
}

static bool restore(void *self, const struct cohort_workload *w)
{
    use_held(self, workload_of(self, w), 1);
    return true;
}

static void ignore(void *self)
{
    (void)self;
}

/* ---- Failed nodes ---- */

/* Its pod sets on one flavor. false: one finds no new place. */
static bool move(struct places *p, const json_t *w, uint32_t flavor, json_t *moved)
{
    json_t *sets = json_array(), *as = json_deep_copy(w), *admitted = json_object();
    struct question q = { &p->topo[flavor], setting_of(p, flavor), json_object() };
    const char *set;
    json_t *held;
    json_object_foreach(json_object_get(w, "holds"), set, held)
    {
        if (flavor_held(p, held) != flavor)
            continue;
        json_array_append(sets, (json_t *)(uintptr_t)pod_set_named(w, set));
        json_object_set(admitted, set, held);
    }
    json_object_set_new(as, "admitted", admitted);
    bool fits = tas_replace_all(&q, as, sets);
    json_object_update(moved, q.got);
    json_decref(sets);
    json_decref(as);
    json_decref(q.got);
    return fits;
}

/* What it takes beside what it holds. */
static void use_more(struct places *p, const json_t *w, const json_t *moved)
{
    const char *set;
    json_t *e;
    json_object_foreach((json_t *)(uintptr_t)moved, set, e)
    {
        const json_t *held = json_object_get(json_object_get(w, "holds"), set), *one, *had;
        const json_t *requests = json_object_get(pod_set_named(w, set), "requests");
        uint32_t f = flavor_held(p, held);
        size_t i, k;
        json_array_foreach(json_object_get(e, "domains"), i, one)
        {
            int64_t more = json_integer_value(json_object_get(one, "pods"));
            json_array_foreach(
                json_object_get(held, "domains"), k,
                had) if (json_equal(json_object_get(had, "domain"), json_object_get(one, "domain")))
                more -= json_integer_value(json_object_get(had, "pods"));
            use(p, f, json_object_get(one, "domain"), requests, more, 1);
        }
    }
}

static bool same_domains(const json_t *w, const json_t *moved)
{
    const char *set;
    json_t *e;
    bool same = true;
    json_object_foreach((json_t *)(uintptr_t)moved, set, e) same &=
        json_equal(json_object_get(e, "domains"),
                   json_object_get(json_object_get(json_object_get(w, "holds"), set), "domains"));
    return same;
}

static void move_workload(struct places *p, const json_t *w)
{
    json_t *moved = json_object();
    bool fits = true;
    for (uint32_t f = 0; f < p->d->n_flavors && fits; f++)
        if (p->has[f])
            fits = move(p, w, f, moved);
    if (fits)
        use_more(p, w, moved);
    json_t *list = !fits ? p->evicted : same_domains(w, moved) ? p->kept : p->reassigned;
    json_object_set_new(list, text_of(w, "name"), moved);
}

/* ---- Making ---- */

static bool grow(struct places *p, uint32_t flavor, const json_t *all_sets)
{
    const json_t *c = p->d->json,
                 *f = json_object_get(json_object_get(c, "flavors"), p->d->flavor[flavor]);
    const char *name = text_of(f, "topology");
    struct topo *t = &p->topo[flavor];
    if (!name)
        return true;
    p->has[flavor] = topo_begin(t, json_object_get(json_object_get(c, "topologies"), name),
                                json_object_get(c, "nodes"), json_object_get(f, "node_labels"),
                                json_object_get(c, "other_pods"), all_sets);
    if (!p->has[flavor])
        return false;
    p->empty[flavor] = malloc(max_size(1, t->n * sizeof *t->leaf));
    memcpy(p->empty[flavor], t->leaf, t->n * sizeof *t->leaf);
    return true;
}

struct places *places_begin(struct desk *d, const json_t *const *workloads, uint32_t n,
                            struct why why)
{
    struct places *p = calloc(1, sizeof *p);
    json_t *sets = json_array();
    bool holds = true;
    p->d = d;
    p->n_workloads = n;
    p->reassigned = json_object();
    p->kept = json_object();
    p->evicted = json_object();
    for (uint32_t i = 0; i < n; i++) {
        p->workload[i] = workloads[i];
        json_array_extend(sets, json_object_get(workloads[i], "pod_sets"));
    }
    for (uint32_t f = 0; f < d->n_flavors; f++)
        holds = holds && grow(p, f, sets);
    json_decref(sets);
    if (!holds) {
        because(CASE_SKIPPED, why, "more levels or resources than this runner holds");
        places_end(p);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        use_held(p, workloads[i], 1);
    for (uint32_t i = 0; i < n; i++)
        if (json_array_size(json_object_get(workloads[i], "failed_nodes")))
            move_workload(p, workloads[i]);
    p->hooks = (struct cohort_places){ p, vacate, restore, room, ever, lacks, fits, take };
    d->desk.places = &p->hooks;
    d->desk.search_begins = d->desk.search_ends = ignore;
    return p;
}

void places_end(struct places *p)
{
    for (uint32_t f = 0; f < p->d->n_flavors; f++) {
        if (p->has[f])
            topo_end(&p->topo[f]);
        free(p->empty[f]);
    }
    for (uint32_t i = 0; i < WORKLOADS_MOST; i++)
        json_decref(p->of_head[i]);
    json_decref(p->reassigned);
    json_decref(p->kept);
    json_decref(p->evicted);
    free(p);
}

/* ---- Comparison ---- */

static int differs(const char *what, const json_t *want, const json_t *got, struct why why)
{
    char *wanted = json_dumps(want ? want : json_null(), JSON_COMPACT | JSON_ENCODE_ANY);
    char *given = json_dumps(got ? got : json_null(), JSON_COMPACT | JSON_ENCODE_ANY);
    because(CASE_FAILED, why, "%s: want %s, got %s", what, wanted, given);
    free(wanted);
    free(given);
    return CASE_FAILED;
}

int places_compare_domains(const json_t *got, const json_t *want, struct why why)
{
    const char *set;
    json_t *e;
    json_object_foreach((json_t *)(uintptr_t)want, set, e)
    {
        const json_t *domains = json_object_get(json_object_get(got, set), "domains");
        if (!json_equal(json_object_get(e, "domains"), domains) &&
            (json_object_get(e, "domains") || domains))
            return differs(set, json_object_get(e, "domains"), domains, why);
    }
    return CASE_PASSED;
}

/* A list of names, or an object by name. */
static bool names(const json_t *list, const char *name)
{
    size_t i;
    const json_t *e;
    json_array_foreach(list, i, e) if (json_is_string(e)
                                           ? !strcmp(json_string_value(e), name)
                                           : text_of(e, "workload") &&
                                                 !strcmp(text_of(e, "workload"), name)) return true;
    return json_object_get(list, name) != NULL;
}

static size_t length(const json_t *list)
{
    return json_is_array(list) ? json_array_size(list) : json_object_size(list);
}

int places_compare_moved(const struct places *p, const json_t *expect, struct why why)
{
    static const char *const keys[] = { "reassigned", "kept", "evicted" };
    const json_t *lists[] = { p->reassigned, p->kept, p->evicted };
    for (size_t i = 0; i < 3; i++) {
        const json_t *want = json_object_get(expect, keys[i]);
        const char *name;
        json_t *got;
        bool same = length(want) == json_object_size(lists[i]);
        json_object_foreach((json_t *)(uintptr_t)lists[i], name, got) same =
            same && names(want, name);
        if (!same)
            return differs(keys[i], want, lists[i], why);
        json_object_foreach((json_t *)(uintptr_t)lists[i], name, got)
        {
            int result = i < 2 && json_is_object(want)
                             ? places_compare_domains(got, json_object_get(want, name), why)
                             : CASE_PASSED;
            if (result != CASE_PASSED)
                return result;
        }
    }
    return CASE_PASSED;
}

int places_compare_why(const struct places *p, uint32_t head, const json_t *want, struct why why)
{
    const char *set, *key;
    json_t *e, *value;
    json_object_foreach(p->of_head[head], set, e)
    {
        bool same = !json_is_true(json_object_get(e, "fits"));
        json_object_foreach((json_t *)(uintptr_t)want, key, value) same =
            same && json_equal(json_object_get(e, key), value);
        if (same)
            return CASE_PASSED;
    }
    return differs("topology", want, p->of_head[head], why);
}
