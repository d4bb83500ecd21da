/* rules.c - cases of the gate, the reasons and the scenarios of reclaim, and of the order of queues. GPUs in thousandths. */
#include "policies/kai/queues/rules.h"
#include "tests/conformance/conformance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUES_MOST = 64 };
static const char *const resource_name[Q_RESOURCES] = { "gpu", "cpu", "memory" };
static const char *const request_name[Q_RESOURCES] = { "gpu", "cpu_milli", "memory_bytes" };
static const double scale[Q_RESOURCES] = { MILLI_ALL, 1, 1 };

static int64_t amount_of(const json_t *o, const char *key, int r)
{
    double x = number_of(o, key);
    return x < 0 ? UNLIMITED : (int64_t)llround(x * scale[r]);
}

static struct quota_amount amounts_of(const json_t *o, const char *const *name)
{
    struct quota_amount a;
    for (int r = 0; r < Q_RESOURCES; r++)
        a.of[r] = amount_of(o, name[r], r);
    return a;
}

static struct quota_share share_of(const json_t *s, int r)
{
    return (struct quota_share){
        .deserved = amount_of(s, "deserved", r), .limit = amount_of(s, "limit", r), .allocated = amount_of(s, "allocated", r),
        .firm = amount_of(s, "allocated_non_preemptible", r), .request = amount_of(s, "request", r),
        .fair = amount_of(s, "fair_share", r), .weight = number_of(s, "over_quota_weight"),
    };
}

static struct quota_queue queue_of(const json_t *o)
{
    struct quota_queue q = { .priority = (int32_t)number_of(o, "priority"), .parent = ID_NONE };
    for (int r = 0; r < Q_RESOURCES; r++)
        q.of[r] = share_of(json_object_get(json_object_get(o, "resources"), resource_name[r]), r);
    return q;
}

static bool is_true(const json_t *o, const char *key) { return json_is_true(json_object_get(o, key)); }

static int same(const json_t *c, const char *key, bool got, struct why why)
{
    bool want = is_true(json_object_get(c, "expect"), key);
    return want == got ? CASE_PASSED
                       : because(CASE_FAILED, why, "%s: want %s, got %s", key, want ? "true" : "false", got ? "true" : "false");
}

int gate_case(const json_t *c, struct why why)
{
    const json_t *job = json_object_get(c, "job");
    struct quota_queue q = queue_of(json_object_get(c, "queue"));
    struct quota_amount ask = amounts_of(json_object_get(job, "required"), request_name);
    return same(c, "may_attempt_reclaim", quota_may_reclaim(&q, &ask, !is_true(job, "preemptible")), why);
}

int reason_case(const json_t *c, struct why why)
{
    const json_t *extra = json_object_get(c, "extra"), *left = json_object_get(extra, "remainingResourceShare");
    const char *strategy = text_of(c, "strategy");
    struct quota_queue taker = queue_of(json_object_get(c, "reclaimer")), victim = queue_of(json_object_get(c, "reclaimee"));
    struct quota_amount ask = amounts_of(json_object_get(extra, "reclaimerResources"), request_name), has;
    for (int r = 0; r < Q_RESOURCES; r++)
        has.of[r] = left ? amount_of(left, resource_name[r], r) : victim.of[r].allocated;
    if (!strcmp(strategy, "maintain_fair_share"))
        return same(c, "reclaimable", quota_maintain_fair_share(&victim, &has), why);
    if (!strcmp(strategy, "guarantee_deserved_quota"))
        return same(c, "reclaimable", quota_guarantee_deserved(&taker, &ask, &victim, &has), why);
    return because(CASE_SKIPPED, why, "no such strategy here: %s", strategy);
}

int order_case(const json_t *c, struct why why)
{
    static const struct quota_amount total;
    const char *want = text_of(json_object_get(c, "expect"), "first");
    struct quota_queue q[2] = { queue_of(json_object_get(c, "left")), queue_of(json_object_get(c, "right")) };
    if (strncmp(text_of(c, "jobs"), "empty", 5) != 0)
        return because(CASE_SKIPPED, why, "jobs that are not empty");
    struct quota_standing left = quota_standing(&q[0], NULL, NULL, &total), right = quota_standing(&q[1], NULL, NULL, &total);
    const char *got = quota_goes_before(&left, &right) ? "left" : "right";
    return !strcmp(want, got) ? CASE_PASSED : because(CASE_FAILED, why, "first: want %s, got %s", want, got);
}

/* ---- A tree of queues, a taker and a list of victims ---- */

static queue_id named(const json_t *queues, const char *name)
{
    for (size_t i = 0; name && i < json_array_size(queues); i++)
        if (!strcmp(text_of(json_array_get(queues, i), "name"), name))
            return (queue_id)i;
    return ID_NONE;
}

int scenario_case(const json_t *c, struct why why)
{
    const json_t *queues = json_object_get(c, "queues"), *taker = json_object_get(c, "reclaimer"), *victim;
    struct quota_queue q[QUEUES_MOST];
    struct quota_loss loss[QUEUES_MOST] = { 0 };
    size_t i, n = json_array_size(queues);
    if (n > QUEUES_MOST)
        return because(CASE_SKIPPED, why, "more than %d queues", QUEUES_MOST);
    for (i = 0; i < n; i++) {
        const json_t *o = json_array_get(queues, i);
        q[i] = (struct quota_queue){ .parent = named(queues, text_of(o, "parent")) };
        for (int r = 0; r < Q_RESOURCES; r++)
            q[i].of[r] = share_of(json_object_get(o, resource_name[r]), r);
    }
    struct quota_amount ask = amounts_of(json_object_get(taker, "required"), request_name);
    struct quota_scenario s;
    quota_scenario_begin(&s, q, loss, named(queues, text_of(taker, "queue")), &ask, !is_true(taker, "preemptible"),
                         number_of(c, "saturation_multiplier"));
    bool valid = true;
    json_array_foreach(json_object_get(c, "victims"), i, victim) {
        struct quota_amount unit = amounts_of(victim, request_name);
        valid = valid && quota_scenario_take(&s, named(queues, text_of(victim, "queue")), &unit);
    }
    return same(c, "scenario_valid", valid && quota_scenario_valid(&s), why);
}
