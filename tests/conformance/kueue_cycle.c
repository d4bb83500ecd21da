/* kueue_cycle.c - one cycle of Kueue's over queues and cohorts, classical or by shares, put to
 * policies/kueue/cycle.h; which workload is the head of its queue, and what stays in it, is here. */
#include "tests/conformance/kueue_places.h"

#include <stdlib.h>
#include <string.h>

struct cycle {
    const json_t *json, *workload[2 * WORKLOADS_MOST];
    uint32_t n_workloads, n_entries;
    struct desk *d;
    struct places *places;        /* NULL: quota alone decides */
    struct cohort_entry *entry[WORKLOADS_MOST];
    json_t *got;                  /* as `expect` would say it */
};

static const json_t *queue_named(const json_t *c, const char *name)
{
    size_t i;
    const json_t *q;
    json_array_foreach(json_object_get(c, "queues"), i, q)
        if (name && !strcmp(text_of(q, "name"), name)) return q;
    return NULL;
}

/* ---- Heads: of each queue the highest priority, then the oldest, then by name ---- */

static bool goes_before(const json_t *a, const json_t *b)
{
    double x = number_of(a, "priority"), y = number_of(b, "priority");
    if (x != y)
        return x > y;
    x = world_number(a, "created_at_s", -1e9);
    y = world_number(b, "created_at_s", -1e9);
    return x != y ? x < y : strcmp(text_of(a, "name"), text_of(b, "name")) < 0;
}

static bool is_head(const json_t *c, const json_t *w)
{
    size_t i;
    const json_t *other;
    json_array_foreach(json_object_get(c, "pending"), i, other)
        if (other != w && text_of(other, "queue") && !strcmp(text_of(other, "queue"), text_of(w, "queue")) && goes_before(other, w))
            return false;
    return true;
}

/* ---- What comes of it ---- */

static json_t *part(struct cycle *y, const char *key)
{
    if (!json_object_get(y->got, key))
        json_object_set_new(y->got, key, json_object());
    return json_object_get(y->got, key);
}

/* Into the list of its queue. */
static void put_back(struct cycle *y, const char *list, const json_t *w)
{
    json_t *of = part(y, list), *queue = json_object_get(of, text_of(w, "queue"));
    if (!queue) {
        queue = json_array();
        json_object_set_new(of, text_of(w, "queue"), queue);
    }
    json_array_append_new(queue, json_string(text_of(w, "name")));
}

static void requeue(struct cycle *y, const json_t *w, bool again, bool always_parked)
{
    const json_t *queue = queue_named(y->json, text_of(w, "queue"));
    bool strict = text_of(queue, "strategy") && !strcmp(text_of(queue, "strategy"), "StrictFIFO");
    put_back(y, (again || strict) && !always_parked ? "left_in_queue" : "parked", w);
}

static void turn_away(struct cycle *y, const json_t *w, const char *reason, bool parked)
{
    json_object_set_new(part(y, "waiting"), text_of(w, "name"), json_pack("{s:s}", "reason", reason));
    requeue(y, w, false, parked);
}

static void put_waiting(struct cycle *y, const struct head *h)
{
    const struct cohort_entry *e = &h->entry;
    json_t *w = json_object();
    const char *reason = "WaitingForQuota";
    if (e->outcome == OUTCOME_NO_FIT)
        reason = desk_reason(e->a.why);
    if (e->outcome == OUTCOME_PREEMPTS || e->outcome == OUTCOME_FITS_LATER)
        reason = "WaitingForPreemptedWorkloads";
    json_object_set_new(w, "reason", json_string(reason));
    if (e->outcome == OUTCOME_PREEMPTS)
        json_object_set_new(w, "victims", json_integer(e->n_victims));
    if (e->outcome == OUTCOME_FITS_LATER)
        json_object_set_new(w, "fits_after_others_preempt", json_true());
    if (e->outcome == OUTCOME_NO_ROOM)
        json_object_set_new(w, "no_longer_fits", json_true());
    if (e->outcome == OUTCOME_NO_ROOM && e->wanted_victims) {
        json_t *of = part(y, "preemptions_skipped");
        json_object_set_new(of, text_of(h->json, "queue"), json_integer(1));
    }
    json_object_set_new(part(y, "waiting"), text_of(h->json, "name"), w);
    requeue(y, h->json, cohort_tries_again(&y->d->desk, e), false);
}

static void put_victims(struct cycle *y, const struct head *h)
{
    static const char *const reasons[] = {
        [EVICT_IN_QUEUE] = "InClusterQueue", [EVICT_RECLAIM] = "InCohortReclamation",
        [EVICT_RECLAIM_WHILE_BORROWING] = "InCohortReclaimWhileBorrowing", [EVICT_FAIR_SHARE] = "InCohortFairSharing",
    };
    for (uint32_t i = 0; i < h->entry.n_victims; i++)
        json_array_append_new(json_object_get(y->got, "preempted"),
                              json_pack("{s:s,s:s,s:s}", "workload", y->d->name[h->entry.victim[i].workload->id], "reason",
                                        reasons[h->entry.victim[i].reason], "for", text_of(h->json, "name")));
}

static void put_outcome(struct cycle *y, const struct head *h)
{
    if (h->entry.outcome == OUTCOME_ADMITTED) {
        json_object_set_new(part(y, "admitted"), text_of(h->json, "name"), json_object());
        return;
    }
    if (h->entry.outcome == OUTCOME_PREEMPTS)
        put_victims(y, h);
    put_waiting(y, h);
}

/* ---- Comparison ---- */

static const struct head *head_named(const struct cycle *y, const char *name)
{
    for (uint32_t i = 0; i < y->d->n_heads; i++)
        if (!strcmp(text_of(y->d->head[i].json, "name"), name))
            return &y->d->head[i];
    return NULL;
}

static bool waits_for_checks(const json_t *w)
{
    const char *check;
    json_t *state;
    json_object_foreach(json_object_get(w, "checks"), check, state)
        if (!strcmp(json_string_value(state), "Pending")) return true;
    return false;
}

static int compare_admitted(const struct cycle *y, const json_t *expect, struct why why)
{
    const json_t *want = json_object_get(expect, "admitted"), *got = json_object_get(y->got, "admitted");
    const char *name;
    json_t *e;
    json_object_foreach((json_t *)(uintptr_t)want, name, e)
    {
        const struct head *h = json_object_get(got, name) ? head_named(y, name) : NULL;
        if (!h)
            return because(CASE_FAILED, why, "%s is not admitted", name);
        if (strcmp(text_of(e, "queue"), text_of(h->json, "queue")) != 0 ||
            json_is_true(json_object_get(e, "waits_for_checks")) != waits_for_checks(h->json))
            return because(CASE_FAILED, why, "%s: another queue, or it %s for checks", name, waits_for_checks(h->json) ? "waits" : "does not wait");
        int result = desk_compare_sets(y->d, h, json_object_get(e, "pod_sets"), why);
        if (result == CASE_PASSED && y->places)
            result = places_compare_domains(y->places->of_head[h - y->d->head], json_object_get(e, "pod_sets"), why);
        if (result != CASE_PASSED)
            return result;
    }
    json_object_foreach((json_t *)(uintptr_t)got, name, e)
        if (!json_object_get(want, name)) return because(CASE_FAILED, why, "%s is admitted", name);
    return y->places ? places_compare_moved(y->places, expect, why) : CASE_PASSED;
}

static int compare_preempted(const struct cycle *y, const json_t *expect, struct why why)
{
    const json_t *want = json_object_get(expect, "preempted"), *got = json_object_get(y->got, "preempted"), *e, *one;
    size_t i, k, matched = 0;
    json_array_foreach(want, i, e) json_array_foreach(got, k, one)
    {
        bool same = true;
        const char *key;
        json_t *value;
        json_object_foreach((json_t *)(uintptr_t)e, key, value) same &= json_equal(value, json_object_get(one, key));
        matched += same;
    }
    if (matched == json_array_size(want) && matched == json_array_size(got))
        return CASE_PASSED;
    char *text = json_dumps(got, 0);
    because(CASE_FAILED, why, "preempted: got %s", text);
    free(text);
    return CASE_FAILED;
}

static int compare_waiting(const struct cycle *y, const json_t *expect, struct why why)
{
    static const char *const keys[] = { "reason", "victims", "no_longer_fits", "fits_after_others_preempt", "overlapping_targets" };
    const json_t *want = json_object_get(expect, "waiting"), *got = json_object_get(y->got, "waiting");
    const char *name;
    json_t *e;
    json_object_foreach((json_t *)(uintptr_t)want, name, e)
    {
        const json_t *one = json_object_get(got, name), *whys = json_object_get(e, "why");
        if (!one)
            return because(CASE_FAILED, why, "%s does not wait", name);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            const json_t *a = json_object_get(e, keys[k]), *b = json_object_get(one, keys[k]);
            if (!a != !b || (a && !json_equal(a, b)))
                return because(CASE_FAILED, why, "%s: %s is not as wanted (reason %s)", name, keys[k], text_of(one, "reason"));
        }
        const struct head *h = head_named(y, name);
        int result = whys && h ? desk_compare_why(y->d, h, ID_NONE, whys, why) : CASE_PASSED;
        if (result == CASE_PASSED && h && json_object_get(e, "topology"))
            result = places_compare_why(y->places, (uint32_t)(h - y->d->head), json_object_get(e, "topology"), why);
        if (result != CASE_PASSED)
            return result;
    }
    /* with topologies a case names those of which the source says why */
    json_object_foreach((json_t *)(uintptr_t)got, name, e)
        if (!y->places && !json_object_get(want, name)) return because(CASE_FAILED, why, "%s waits: %s", name, text_of(e, "reason"));
    return CASE_PASSED;
}

/* Lists by queue, in any order; or numbers. */
static int compare_queues(const struct cycle *y, const json_t *expect, const char *key, struct why why)
{
    const json_t *want = json_object_get(expect, key), *got = json_object_get(y->got, key);
    const json_t *both[2][2] = { { want, got }, { got, want } };
    for (size_t side = 0; side < 2; side++) {
        const char *queue;
        json_t *list;
        json_object_foreach((json_t *)(uintptr_t)both[side][0], queue, list)
        {
            const json_t *other = json_object_get(both[side][1], queue), *e, *one;
            size_t i, k;
            bool equal = json_is_array(list) ? json_array_size(list) == json_array_size(other) : json_equal(list, other);
            json_array_foreach(list, i, e)
            {
                bool found = false;
                json_array_foreach(other, k, one) found |= json_equal(e, one);
                equal &= found;
            }
            if (!equal)
                return because(CASE_FAILED, why, "%s of %s is not as wanted", key, queue);
        }
    }
    return CASE_PASSED;
}

static int compare(const struct cycle *y, struct why why)
{
    static const char *const by_queue[] = { "left_in_queue", "parked", "preemptions_skipped" };
    const json_t *expect = json_object_get(y->json, "expect");
    int result = compare_admitted(y, expect, why);
    if (result == CASE_PASSED)
        result = compare_preempted(y, expect, why);
    if (result == CASE_PASSED)
        result = compare_waiting(y, expect, why);
    for (size_t i = 0; i < 3 && result == CASE_PASSED; i++)
        result = compare_queues(y, expect, by_queue[i], why);
    return result;
}

/* ---- The cycle ---- */

static void gather(struct cycle *y)
{
    static const char *const lists[] = { "admitted", "pending" };
    for (size_t k = 0; k < 2; k++) {
        size_t i;
        const json_t *w;
        json_array_foreach(json_object_get(y->json, lists[k]), i, w)
            if (y->n_workloads < 2 * WORKLOADS_MOST) y->workload[y->n_workloads++] = w;
    }
}

static bool add_heads(struct cycle *y, struct why why)
{
    size_t i;
    const json_t *w;
    json_array_foreach(json_object_get(y->json, "pending"), i, w)
    {
        const json_t *queue = queue_named(y->json, text_of(w, "queue"));
        if (!queue)
            continue;
        if (!is_head(y->json, w)) {
            put_back(y, "left_in_queue", w);
        } else if (desk_is_inactive(y->d, queue)) {
            turn_away(y, w, "Suspended", false);
        } else if (json_is_false(json_object_get(w, "namespace_allowed"))) {
            turn_away(y, w, "Misconfigured", true);
        } else if (!desk_add_head(y->d, w, why)) {
            return false;
        }
    }
    return true;
}

static int run(struct cycle *y, struct why why)
{
    if (!add_heads(y, why))
        return CASE_SKIPPED;
    for (uint32_t i = 0; i < y->d->n_heads; i++)
        y->entry[i] = &y->d->head[i].entry;
    if (json_object_get(y->json, "topologies")) {
        y->places = places_begin(y->d, y->workload, y->n_workloads, why);
        if (!y->places)
            return CASE_SKIPPED;
    }
    cohort_cycle(&y->d->desk, y->entry, y->d->n_heads);
    for (uint32_t i = 0; i < y->d->n_heads; i++)
        put_outcome(y, &y->d->head[i]);
    return compare(y, why);
}

int kueue_cycle_case(const json_t *c, struct why why)
{
    struct cycle y = { .json = c, .got = json_object() };
    json_object_set_new(y.got, "preempted", json_array());
    gather(&y);
    y.d = desk_read(c, y.workload, y.n_workloads, why);
    int result = y.d ? run(&y, why) : CASE_SKIPPED;
    if (y.places)
        places_end(y.places);
    if (y.d)
        desk_free(y.d);
    json_decref(y.got);
    return result;
}
