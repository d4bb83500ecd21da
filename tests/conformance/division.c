/* division.c - cases of the fair-share division. GPUs in thousandths; CPUs and memory in the units of the case. */
#include "policies/kai/queues/division.h"
#include "tests/conformance/conformance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUES_MOST = 64 };
static const char *const resource_name[Q_RESOURCES] = { "gpu", "cpu", "memory" };
static const double scale[Q_RESOURCES] = { MILLI_ALL, 1, 1 };

static int64_t amount_of(const json_t *o, const char *key, enum quota_resource r)
{
    double x = number_of(o, key);
    return x < 0 ? UNLIMITED : (int64_t)llround(x * scale[r]);
}

/* The older first, then by uid: that is how ids are given. */
static int by_age(const void *a, const void *b)
{
    const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
    double t = number_of(x, "created_seq") - number_of(y, "created_seq");
    return t != 0 ? (t > 0) - (t < 0) : strcmp(text_of(x, "uid"), text_of(y, "uid"));
}

static int compare(const json_t *want, const char *uid, const struct quota_queue *q, enum quota_resource r, struct why why)
{
    int64_t wanted = llround(json_number_value(want) * scale[r]);
    if (!want || wanted == q->of[r].fair)
        return CASE_PASSED;
    return because(CASE_FAILED, why, "queue %s: %s: want %g, got %g", uid, resource_name[r], json_number_value(want),
                   (double)q->of[r].fair / scale[r]);
}

int division_case(const json_t *c, struct why why)
{
    const json_t *queues = json_object_get(c, "queues"), *expect = json_object_get(c, "expect"), *queue[QUEUES_MOST];
    const char *phase = text_of(c, "phase"), *which = text_of(c, "resource");
    struct quota_queue q[QUEUES_MOST];
    struct quota_taker room[QUEUES_MOST];
    uint32_t n = (uint32_t)json_array_size(queues);
    if (n > QUEUES_MOST)
        return because(CASE_SKIPPED, why, "more than %d queues", QUEUES_MOST);
    for (uint32_t i = 0; i < n; i++)
        queue[i] = json_array_get(queues, i);
    qsort(queue, n, sizeof *queue, by_age);
    for (uint32_t i = 0; i < n; i++) {
        q[i] = (struct quota_queue){ .priority = (int32_t)number_of(queue[i], "priority"), .parent = ID_NONE };
        for (enum quota_resource r = 0; r < Q_RESOURCES; r++) {
            const json_t *s = json_object_get(json_object_get(queue[i], "resources"), resource_name[r]);
            q[i].of[r] = (struct quota_share){
                .deserved = amount_of(s, "deserved", r), .limit = amount_of(s, "limit", r), .request = amount_of(s, "request", r),
                .allocated = amount_of(s, "allocated", r), .fair = amount_of(s, "initial_fair_share", r),
                .weight = number_of(s, "over_quota_weight"), .usage = number_of(s, "usage"),
            };
        }
    }
    queue_id first = quota_arrange(q, n);
    double k = number_of(c, "k_value");
    for (enum quota_resource r = 0; r < Q_RESOURCES; r++) {
        bool all = !strcmp(which, "all");
        const json_t *total = json_object_get(c, "total"), *left = json_object_get(expect, "remaining");
        if (!all && strcmp(which, resource_name[r]) != 0)
            continue;
        int64_t amount = llround(json_number_value(all ? json_object_get(total, resource_name[r]) : total) * scale[r]);
        int64_t rest = (!strcmp(phase, "full") ? quota_divide : quota_divide_rest)(q, first, r, amount, k, room);
        if (left && rest != llround(json_number_value(left) * scale[r]))
            return because(CASE_FAILED, why, "remaining: want %g, got %g", json_number_value(left), (double)rest / scale[r]);
        for (uint32_t i = 0; i < n; i++) {
            const json_t *want = json_object_get(json_object_get(expect, "fair_share"), text_of(queue[i], "uid"));
            want = all ? json_object_get(want, resource_name[r]) : want;
            if (compare(want, text_of(queue[i], "uid"), &q[i], r, why) != CASE_PASSED)
                return CASE_FAILED;
        }
    }
    return CASE_PASSED;
}
