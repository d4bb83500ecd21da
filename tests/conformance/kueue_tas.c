/* kueue_tas.c - cases of Kueue's topology-aware scheduling: which domains the pod sets of one
 * workload get, or why they get none. Put to policies/kueue/topology.h. */
#include "tests/conformance/conformance.h"
#include "tests/conformance/kueue_tas.h"

#include <stdlib.h>
#include <string.h>

/* How a case names a reason: with one of these words, whatever else it says. */
enum { WORDS = 3 };
static const char *const words[][WORDS] = {
    [TAS_NO_DOMAINS] = { "no domains" },
    [TAS_NO_LEVEL] = { "no such level" },
    [TAS_NO_SIZE] = { "size" },
    [TAS_LAYER_ABOVE] = { "above" },
    [TAS_LAYER_NOT_FINER] = { "finer", "below", "lower" },
    [TAS_LAYER_NOT_PART] = { "divide", "multiple", "size" },
    [TAS_LOST] = { "gone", "stale", "domain" },
};

static bool says(const char *why, enum tas_result result)
{
    bool any = false;
    for (size_t i = 0; i < WORDS && words[result][i]; i++)
        any = any || strstr(why, words[result][i]);
    return any;
}

/* ---- An answer, as the case would state it ---- */

static json_t *placed(const struct topo *t, const struct tas_share *share, uint32_t n)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack("{s:o, s:I}", "domain", topo_name(t, share[i].leaf),
                                              "pods", (json_int_t)share[i].pods));
    return json_pack("{s:b, s:o}", "fits", 1, "domains", list);
}

static json_t *not_placed(const struct topo *t, const struct tas_ask *ask,
                          const struct tas_answer *a, json_t *excluded)
{
    json_t *e = json_pack("{s:b}", "fits", 0), *layers = json_array();
    if (a->result != TAS_NO_FIT) {
        json_object_set_new(e, "result", json_integer(a->result));
        json_decref(layers);
        return e;
    }
    for (uint32_t i = 0; i < ask->layers; i++)
        json_array_append_new(layers,
                              json_pack("{s:s, s:I, s:I}", "level", t->level[ask->layer[i].level],
                                        "fit", (json_int_t)tas_layer_fit(&t->work, ask, i), "of",
                                        (json_int_t)(ask->pods / ask->layer[i].pods)));
    if (ask->layers > 1) {
        json_object_set(e, "slices_fit_by_level", layers);
    } else {
        json_object_set_new(e, "fit", json_integer(a->fit));
        json_object_set_new(e, "of", json_integer(a->of));
        json_object_set_new(e, "unit", json_string(a->slices ? "slices" : "pods"));
    }
    json_decref(layers);
    if (json_object_size(excluded)) {
        json_object_set_new(e, "nodes_considered", json_integer(t->n));
        json_object_set(e, "nodes_excluded", excluded);
    }
    return e;
}

static void take(struct topo *t, const json_t *pod_set, const json_t *answer)
{
    size_t i;
    const json_t *e;
    json_array_foreach(json_object_get(answer, "domains"), i, e)
        topo_use(t, json_object_get(e, "domain"), json_object_get(pod_set, "requests"),
                 json_integer_value(json_object_get(e, "pods")), 1);
}

/* ---- One group of pod sets ---- */

/* false: it does not fit. */
static bool ask_group(struct question *q, const json_t *workers, const json_t *leader)
{
    struct tas_layer layer[TOPO_LEVELS];
    struct tas_ask ask = topo_ask(q->t, workers, layer, q->set);
    json_t *excluded = topo_rooms(q->t, workers, leader, ID_NONE, q->set);
    ask.leader = leader != NULL;
    struct tas_answer a = tas_place(&q->t->work, &ask);
    bool fits = a.result == TAS_PLACED;
    json_t *answer = fits ? placed(q->t, a.share, a.n) : not_placed(q->t, &ask, &a, excluded);
    json_t *of_leader = json_incref(answer);
    if (fits && leader) {
        json_decref(of_leader);
        of_leader = placed(q->t, &(struct tas_share){ a.leader, 1 }, 1);
        take(q->t, leader, of_leader);
    }
    if (fits)
        take(q->t, workers, answer);
    json_object_set_new(q->got, text_of(workers, "name"), answer);
    if (leader)
        json_object_set(q->got, text_of(leader, "name"), of_leader);
    json_decref(of_leader);
    json_decref(excluded);
    return fits;
}

/* Sets of one group have the number of its first one, from 1. */
static void list_sets(const json_t *pod_sets, struct tas_set *set)
{
    size_t i, k;
    const json_t *e, *other;
    json_array_foreach(pod_sets, i, e)
    {
        const char *group = text_of(e, "group");
        set[i] = (struct tas_set){ 0, json_integer_value(json_object_get(e, "count")) };
        json_array_foreach(pod_sets, k, other) if (group && !set[i].group &&
                                                   text_of(other, "group") &&
                                                   !strcmp(text_of(other, "group"), group))
            set[i].group = (uint32_t)k + 1;
    }
}

bool tas_ask_all(struct question *q, const json_t *pod_sets)
{
    uint32_t n = (uint32_t)json_array_size(pod_sets), workers, leader;
    struct tas_set *set = calloc(n + 1, sizeof *set);
    bool fits = true;
    list_sets(pod_sets, set);
    for (uint32_t i = 0; i < n && fits; i++)
        if (tas_question(set, n, i, &workers, &leader))
            fits = ask_group(q, json_array_get(pod_sets, workers),
                             leader == ID_NONE ? NULL : json_array_get(pod_sets, leader));
    free(set);
    return fits;
}

/* ---- A failed node ---- */

static bool of_one_pod(const json_t *workload)
{
    const json_t *owners = json_object_get(workload, "owners");
    return json_array_size(owners) == 1 &&
           !strcmp(json_string_value(json_array_get(owners, 0)), "Pod") &&
           !json_is_true(json_object_get(workload, "pod_group"));
}

static bool replace(struct question *q, const json_t *pod_set, const json_t *domains,
                    const json_t *failed)
{
    struct tas_layer layer[TOPO_LEVELS];
    struct tas_ask ask = topo_ask(q->t, pod_set, layer, q->set);
    uint32_t n = (uint32_t)json_array_size(domains), at = n;
    struct tas_share *held = calloc(n + 1, sizeof *held);
    for (uint32_t i = 0; i < n; i++) {
        const json_t *e = json_array_get(domains, i), *where = json_object_get(e, "domain");
        held[i] = (struct tas_share){ topo_find(q->t, where),
                                      json_integer_value(json_object_get(e, "pods")) };
        if (json_equal(json_is_array(where) ? json_array_get(where, json_array_size(where) - 1)
                                            : where,
                       failed))
            at = i;
    }
    if (at == n) {
        json_object_set_new(q->got, text_of(pod_set, "name"), placed(q->t, held, n));
        free(held);
        return true;
    }
    uint32_t within;
    struct tas_answer a = { .leader = ID_NONE };
    ask = tas_lost(&q->t->tree, &ask, held, n, at, &within, &a.result);
    json_t *excluded = topo_rooms(q->t, pod_set, NULL, within, q->set);
    if (a.result == TAS_PLACED)
        a = tas_place(&q->t->work, &ask);
    if (a.result == TAS_PLACED)
        tas_rejoin(&a, held, n, at);
    json_t *answer =
        a.result == TAS_PLACED ? placed(q->t, a.share, a.n) : not_placed(q->t, &ask, &a, excluded);
    json_object_set_new(q->got, text_of(pod_set, "name"), answer);
    json_decref(excluded);
    free(held);
    return a.result == TAS_PLACED;
}

bool tas_replace_all(struct question *q, const json_t *workload, const json_t *pod_sets)
{
    size_t i;
    const json_t *e, *failed = json_array_get(json_object_get(workload, "failed_nodes"), 0);
    json_array_foreach(pod_sets, i, e)
    {
        const json_t *held = json_object_get(
            json_object_get(json_object_get(workload, "admitted"), text_of(e, "name")), "domains");
        if (!held)
            continue;
        if (of_one_pod(workload))
            json_object_set_new(q->got, text_of(e, "name"),
                                json_pack("{s:b, s:O}", "fits", 1, "domains", held));
        else if (!replace(q, e, held, failed))
            return false;
    }
    return true;
}

/* ---- The case ---- */

static bool same(const json_t *want, const json_t *got)
{
    const char *why = text_of(want, "why");
    const json_t *result = json_object_get(got, "result");
    if (!why || !result)
        return json_equal(want, got);
    return says(why, (enum tas_result)json_integer_value(result)) &&
           json_equal(json_object_get(want, "fits"), json_object_get(got, "fits"));
}

static int compare(const json_t *want, const json_t *got, struct why why)
{
    const char *name;
    json_t *e;
    json_object_foreach((json_t *)(uintptr_t)want, name,
                        e) if (!same(e, json_object_get(got, name)))
    {
        char *wanted = json_dumps(e, JSON_COMPACT),
             *given = json_dumps(json_object_get(got, name), JSON_COMPACT);
        because(CASE_FAILED, why, "%s: want %s, got %s", name, wanted, given ? given : "nothing");
        free(wanted);
        free(given);
        return CASE_FAILED;
    }
    if (json_object_size(want) != json_object_size(got))
        return because(CASE_FAILED, why, "want %zu pod sets, got %zu", json_object_size(want),
                       json_object_size(got));
    return CASE_PASSED;
}

int kueue_tas_case(const json_t *c, struct why why)
{
    struct topo t = { 0 };
    const json_t *pod_sets = json_object_get(c, "pod_sets"),
                 *workload = json_object_get(c, "workload"), *e;
    const char *placement = text_of(c, "placement");
    size_t i;
    if (!topo_begin(&t, json_object_get(c, "levels"), json_object_get(c, "nodes"),
                    json_object_get(c, "flavor_node_labels"), json_object_get(c, "other_pods"),
                    pod_sets))
        return because(CASE_SKIPPED, why, "more levels or resources than this runner holds");
    json_array_foreach(json_object_get(c, "used"), i,
                       e) if (t.of_hosts || !strcmp(text_of(e, "of"), "same flavor"))
        topo_use(&t, json_object_get(e, "domain"), json_object_get(e, "requests"),
                 json_integer_value(json_object_get(e, "pods")), 1);
    struct question q = { &t,
                          { .balanced = placement && !strcmp(placement, "balanced"),
                            .preferred_affinity =
                                placement && !strcmp(placement, "preferred affinity respected") },
                          json_object() };
    if (json_array_size(json_object_get(workload, "failed_nodes")))
        tas_replace_all(&q, workload, pod_sets);
    else
        tas_ask_all(&q, pod_sets);
    int result = compare(json_object_get(json_object_get(c, "expect"), "pod_sets"), q.got, why);
    json_decref(q.got);
    topo_end(&t);
    return result;
}
