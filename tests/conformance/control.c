/* control.c - the negative control: one demand of a case made wrong. A check that passes it does
 * not look. */
#include "tests/conformance/conformance.h"

#include <string.h>

static void put_string(json_t *o, const char *key, const char *text) { json_object_set_new(o, key, json_string(text)); }

/* The first job or task: another state. */
static bool other_state(json_t *list)
{
    json_t *first = json_object_iter_value(json_object_iter(list));
    const char *state = text_of(first, "state");
    if (state)
        put_string(first, "state", !strcmp(state, "Pending") ? "Running" : "Pending");
    return state != NULL;
}

/* The first number, however deep. */
static bool another_number(json_t *o)
{
    const char *key;
    json_t *value;
    json_object_foreach(o, key, value) {
        if (json_is_number(value))
            return json_object_set_new(o, key, json_real(json_number_value(value) + 1)) == 0;
        if (another_number(value))
            return true;
    }
    return false;
}

/* The first two of a list change places. */
static bool other_order(json_t *list)
{
    json_t *first = json_array_get(list, 0);
    if (json_array_size(list) < 2 || json_equal(first, json_array_get(list, 1)))
        return false;
    json_array_append(list, first);
    json_array_remove(list, 0);
    return true;
}

/* The first yes or no, however deep. */
static bool another_flag(json_t *o)
{
    const char *key;
    json_t *value;
    json_object_foreach(o, key, value) {
        if (json_is_boolean(value))
            return json_object_set_new(o, key, json_boolean(!json_is_true(value))) == 0;
        if (another_flag(value))
            return true;
    }
    return false;
}

/* The first text, however deep. */
static bool another_text(json_t *o)
{
    const char *key;
    json_t *value;
    json_object_foreach(o, key, value) {
        if (json_is_string(value)) {
            put_string(o, key, "another");
            return true;
        }
        if (another_text(value))
            return true;
    }
    return false;
}

/* The first that waits is wanted admitted. */
static bool another_admitted(json_t *expect)
{
    json_t *admitted = json_object_get(expect, "admitted"), *waiting = json_object_get(expect, "waiting");
    return json_is_array(admitted) && json_array_size(waiting) &&
           json_array_append(admitted, json_array_get(waiting, 0)) == 0 && json_array_remove(waiting, 0) == 0;
}

bool contradict(json_t *c)
{
    static const char *const yes_no[] = { "may_attempt_reclaim", "reclaimable", "scenario_valid",
                                         "first_goes_first", "a_preferred" };
    json_t *expect = json_object_get(c, "expect"), *preempted = json_object_get(expect, "preempted");
    for (size_t i = 0; i < sizeof yes_no / sizeof *yes_no; i++) {
        json_t *now = json_object_get(expect, yes_no[i]);
        if (now)
            return json_object_set_new(expect, yes_no[i], json_boolean(!json_is_true(now))) == 0;
    }
    if (json_object_get(expect, "first")) {
        put_string(expect, "first", !strcmp(text_of(expect, "first"), "left") ? "right" : "left");
        return true;
    }
    if (json_array_size(preempted))
        return json_array_remove(preempted, 0) == 0;
    if (preempted)
        return json_array_append_new(preempted, json_pack("{s:s}", "workload", "no-such-workload")) == 0;
    return another_admitted(expect) || other_state(json_object_get(expect, "tasks")) ||
           other_state(json_object_get(expect, "jobs")) ||
           other_order(json_object_get(expect, "order")) || another_number(json_object_get(expect, "fair_share")) ||
           another_number(expect) || another_flag(expect) || another_text(expect);
}
