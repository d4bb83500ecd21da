/* kueue_flavors.c - which flavors one workload gets, put to policies/kueue/flavors.h; the search for
 * victims answers what the case says that it would. And which of two outcomes is better. */
#include "tests/conformance/kueue_desk.h"

#include <stdlib.h>
#include <string.h>

static enum cohort_mode mode_named(const char *name)
{
    static const char *const names[] = { [MODE_FIT] = "fit", [MODE_RECLAIM] = "reclaim", [MODE_PREEMPT] = "preempt",
                                         [MODE_NO_VICTIMS] = "no_candidates", [MODE_NO_FIT] = "no_fit" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return (enum cohort_mode)i;
    return MODE_NO_FIT;
}

static struct cohort_worth worth_of(const json_t *e)
{
    return (struct cohort_worth){ mode_named(text_of(e, "mode")), (uint32_t)number_of(e, "borrowing") };
}

int kueue_preference_case(const json_t *c, struct why why)
{
    const char *preference = text_of(c, "preference");
    bool less = preference && !strcmp(preference, "PreemptionOverBorrowing");
    bool got = cohort_worth_better(worth_of(json_object_get(c, "a")), worth_of(json_object_get(c, "b")), less);
    return json_is_true(json_object_get(json_object_get(c, "expect"), "a_preferred")) == got
               ? CASE_PASSED : because(CASE_FAILED, why, "%s is preferred", got ? "a" : "b");
}

/* Without a word about the cell: victims in the own queue, and then nothing is borrowed. */
static struct cohort_worth simulate(void *self, const struct cohort_head *h, uint32_t cell, int64_t amount,
                                    uint32_t height)
{
    const struct desk *d = self;
    size_t i;
    const json_t *e;
    (void)h, (void)amount, (void)height;
    json_array_foreach(json_object_get(d->json, "preemption_search"), i, e)
        if (!strcmp(text_of(e, "flavor"), d->w->flavour[cell]) && !strcmp(text_of(e, "resource"), d->w->resource[cell]))
            return (struct cohort_worth){ mode_named(text_of(e, "finds")), (uint32_t)number_of(e, "borrowing_after") };
    return (struct cohort_worth){ MODE_PREEMPT, 0 };
}

static int compare_usage(const struct desk *d, const struct head *h, const json_t *want, struct why why)
{
    for (uint32_t cell = 0; want && cell < d->w->cells; cell++) {
        const json_t *wanted = json_object_get(json_object_get(want, d->w->flavour[cell]), d->w->resource[cell]);
        if (world_thousandths(json_number_value(wanted)) != h->entry.a.use[cell])
            return because(CASE_FAILED, why, "usage of %s of %s: want %g, got %g", d->w->resource[cell], d->w->flavour[cell],
                           json_number_value(wanted), (double)h->entry.a.use[cell] / 1000);
    }
    return CASE_PASSED;
}

/* ---- Attempts ---- */

struct attempt { enum cohort_mode mode; uint32_t height; enum cohort_no_fit why; bool made; };

/* At that flavor, for the group of pod sets of `set`. */
static struct attempt attempt_at(const struct head *h, uint32_t set, uint32_t flavor)
{
    struct attempt a = { MODE_FIT, 0, NO_FIT_NONE, false };
    for (uint32_t k = 0; k < h->why.n; k++) {
        const struct cohort_finding *f = &h->why.of[k];
        if (f->flavor != flavor || h->set[f->set].group != h->set[set].group)
            continue;
        a.made = true;
        a.mode = f->worth.mode > a.mode ? f->worth.mode : a.mode;
        a.height = f->worth.height > a.height ? f->worth.height : a.height;
        a.why = f->why > a.why ? f->why : a.why;
    }
    return a;
}

static bool same_attempt(const struct attempt *got, const json_t *want)
{
    static const char *const shown[] = { "fit", "preempt", "preempt", "preempt", "no_fit" };
    const char *preemption = text_of(want, "preemption"), *reason = text_of(want, "reason");
    return got->made && !strcmp(shown[got->mode], text_of(want, "mode")) && got->height == (uint32_t)number_of(want, "borrowing") &&
           (!preemption || mode_named(preemption) == got->mode) && (!reason || !strcmp(reason, desk_reason(got->why)));
}

/* If one of them fits, the list says what may have been tried; else what was. */
static int compare_attempts(const struct desk *d, const struct head *h, uint32_t set, const json_t *want, struct why why)
{
    size_t i;
    const json_t *e;
    bool fits = false, listed[FLAVORS_MOST] = { false };
    json_array_foreach(want, i, e)
    {
        uint32_t f = world_find(d->flavor, d->n_flavors, text_of(e, "flavor"));
        struct attempt got = attempt_at(h, set, f);
        bool this_fits = !strcmp(text_of(e, "mode"), "fit");
        fits |= this_fits;
        listed[f] = true;
        if (this_fits && got.made && !same_attempt(&got, e))
            return because(CASE_FAILED, why, "attempt at %s: got another", d->flavor[f]);
    }
    json_array_foreach(want, i, e)
    {
        struct attempt got = attempt_at(h, set, world_find(d->flavor, d->n_flavors, text_of(e, "flavor")));
        if (!fits && !same_attempt(&got, e))
            return because(CASE_FAILED, why, "attempt at %s: want %s, got another", text_of(e, "flavor"), text_of(e, "mode"));
    }
    for (uint32_t f = 0; fits && f < d->n_flavors; f++)
        if (!listed[f] && attempt_at(h, set, f).made)
            return because(CASE_FAILED, why, "looked at %s, too", d->flavor[f]);
    return CASE_PASSED;
}

static int compare_reasons(const struct desk *d, const struct head *h, const json_t *expect, struct why why)
{
    const json_t *reason = json_object_get(expect, "reason"), *by_flavor = json_object_get(expect, "reason_by_flavor");
    const char *name;
    json_t *want;
    if (json_is_string(reason) && strcmp(json_string_value(reason), desk_reason(h->entry.a.why)) != 0)
        return because(CASE_FAILED, why, "reason: want %s, got %s", json_string_value(reason), desk_reason(h->entry.a.why));
    if (json_is_null(reason) && h->entry.a.why != NO_FIT_NONE)
        return because(CASE_FAILED, why, "reason: want none, got %s", desk_reason(h->entry.a.why));
    json_object_foreach((json_t *)(uintptr_t)by_flavor, name, want)
    {
        struct attempt got = attempt_at(h, 0, world_find(d->flavor, d->n_flavors, name));
        if (strcmp(json_is_null(want) ? "none" : json_string_value(want), desk_reason(got.why)) != 0)
            return because(CASE_FAILED, why, "reason of %s: want %s, got %s", name, json_string_value(want), desk_reason(got.why));
    }
    return CASE_PASSED;
}

static int compare_details(const struct desk *d, const struct head *h, const json_t *sets, struct why why)
{
    const char *name;
    json_t *want;
    json_object_foreach((json_t *)(uintptr_t)sets, name, want)
    {
        uint32_t set = world_find(h->set_name, h->entry.head.n_sets, name);
        int result = desk_compare_why(d, h, set, json_object_get(want, "why"), why);
        if (result == CASE_PASSED)
            result = compare_attempts(d, h, set, json_object_get(want, "attempts"), why);
        if (result != CASE_PASSED)
            return result;
    }
    return CASE_PASSED;
}

/* A case without `usage` states some of the outcome only. */
static int compare(const struct desk *d, const struct head *h, const json_t *expect, struct why why)
{
    static const char *const shown[] = { [MODE_FIT] = "fit", [MODE_PREEMPT] = "preempt", [MODE_NO_FIT] = "no_fit" };
    const json_t *usage = json_object_get(expect, "usage"), *sets = json_object_get(expect, "pod_sets");
    const char *mode = text_of(expect, "mode"), *got = shown[h->entry.a.mode];
    if (mode && strcmp(mode, got) != 0)
        return because(CASE_FAILED, why, "want %s, got %s", mode, got);
    if (usage && (uint32_t)number_of(expect, "borrowing") != h->entry.a.height)
        return because(CASE_FAILED, why, "borrows at distance %u, want %g", h->entry.a.height, number_of(expect, "borrowing"));
    int result = desk_compare_sets(d, h, sets, why);
    if (result == CASE_PASSED)
        result = compare_usage(d, h, usage, why);
    if (result == CASE_PASSED && usage)
        result = compare_details(d, h, sets, why);
    return result == CASE_PASSED ? compare_reasons(d, h, expect, why) : result;
}

int kueue_flavors_case(const json_t *c, struct why why)
{
    const json_t *workload = json_object_get(c, "workload");
    struct desk *d = desk_read(c, &workload, 1, why);
    if (!d)
        return CASE_SKIPPED;
    if (!desk_add_head(d, workload, why)) {
        desk_free(d);
        return CASE_SKIPPED;
    }
    struct head *h = &d->head[0];
    uint32_t count[SETS_MOST];
    for (uint32_t i = 0; i < h->entry.head.n_sets; i++)
        count[i] = h->set[i].count;
    d->desk.now = &h->entry;
    d->desk.chooser.simulate = simulate;
    d->desk.chooser.self = d;
    cohort_assign(&d->desk.chooser, &h->entry.head, count, NULL, NULL, &h->entry.a);
    int result = compare(d, h, json_object_get(c, "expect"), why);
    desk_free(d);
    return result;
}
