/* kueue_books.c - cases of the parts of Kueue's cycle that know no search: shares, the order of
 * heads, what a head reserves. Put to policies/kueue/{fair,order,books}. */
#include "tests/conformance/conformance.h"
#include "tests/conformance/kueue_world.h"
#include "policies/kueue/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- kueue/fair-shares ---- */

typedef unsigned __int128 wide;

/* In thousandths, rounded up. */
static double share_shown(struct cohort_share share)
{
    if (!share.weight)
        return share.borrows ? INFINITY : 0;
    wide above = (wide)share.borrowed * 1000 * COHORT_WEIGHT_ONE, below = (wide)share.lendable * share.weight;
    return (double)((above + below - 1) / below);
}

/* A demand that is not made holds. */
static bool same_share(const json_t *want, struct cohort_share share)
{
    const json_t *number = json_object_get(want, "share");
    double shown = share_shown(share);
    return !number || (json_is_string(number) ? isinf(shown) : json_number_value(number) == shown);
}

static bool same_dominant(const struct world *w, const json_t *want, struct cohort_share share)
{
    const json_t *dominant = json_object_get(want, "dominant");
    const char *got = NULL;
    for (uint32_t cell = 0; cell < w->cells; cell++)
        if (w->resource_of[cell] == share.resource)
            got = w->resource[cell];
    return !dominant || (json_is_null(dominant) ? !got : got && !strcmp(json_string_value(dominant), got));
}

static bool same_flag(const json_t *want, const char *key, bool got)
{
    return !json_object_get(want, key) || json_is_true(json_object_get(want, key)) == got;
}

/* A workload is added where the node has a quota: no other can be admitted there. */
static struct cohort_share share_with(struct world *w, uint32_t v, const int64_t *with)
{
    int64_t held[CELLS_MOST] = { 0 };
    for (uint32_t cell = 0; cell < w->cells; cell++)
        held[cell] = w->has[v][cell] ? with[cell] : 0;
    cohort_use(&w->books, v, held, 1);
    struct cohort_share share = cohort_share_of(&w->books, v, w->weight[v]);
    cohort_use(&w->books, v, held, -1);
    return share;
}

static int compare_shares(struct world *w, const json_t *c, const int64_t *with, const int64_t *asked, struct why why)
{
    const char *name;
    json_t *want;
    json_object_foreach(json_object_get(c, "expect"), name, want)
    {
        uint32_t v = world_find(w->node, w->n, name);
        if (v == ID_NONE)
            return because(CASE_FAILED, why, "%s is no queue or cohort", name);
        struct cohort_share share = share_with(w, v, with);
        cohort_as_if(&w->books, asked, asked);
        bool on_asked = cohort_as_if_borrows(&w->books, v);
        if (!same_share(want, share) || !same_dominant(w, want, share) || !same_flag(want, "borrowing", share.borrows) ||
            !same_flag(want, "borrowing_on_asked", on_asked))
            return because(CASE_FAILED, why, "%s: share %g, %s, %s what it asks", name, share_shown(share),
                           share.borrows ? "borrows" : "does not borrow", on_asked ? "borrows" : "does not borrow");
    }
    return CASE_PASSED;
}

int kueue_shares_case(const json_t *c, struct why why)
{
    int64_t with[CELLS_MOST] = { 0 }, asked[CELLS_MOST] = { 0 };
    if (!world_holds(c))
        return because(CASE_SKIPPED, why, "more queues than this runner holds");
    struct world *w = calloc(1, sizeof *w);
    world_read_tree(w, c);
    world_use(w, json_object_get(c, "usage"));
    world_amounts(w, json_object_get(json_object_get(c, "with"), "each"), with);
    world_amounts(w, json_object_get(c, "asked"), asked);
    world_settle(w, c);
    world_use(w, json_object_get(c, "usage"));
    int result = compare_shares(w, c, with, asked, why);
    world_free(w);
    return result;
}

/* ---- kueue/reserve ---- */

static int compare_reserved(const struct world *w, const int64_t *want, const int64_t *got, struct why why)
{
    for (uint32_t cell = 0; cell < w->cells; cell++)
        if (want[cell] != got[cell])
            return because(CASE_FAILED, why, "%s of %s: want %g, got %g", w->resource[cell], w->flavour[cell],
                           (double)want[cell] / 1000, (double)got[cell] / 1000);
    return CASE_PASSED;
}

int kueue_reserve_case(const json_t *c, struct why why)
{
    const json_t *queue = json_array_get(json_object_get(c, "queues"), 0);
    int64_t need[CELLS_MOST] = { 0 }, want[CELLS_MOST] = { 0 };
    struct world *w = calloc(1, sizeof *w);
    world_read_tree(w, c);
    world_use(w, json_object_get(c, "usage"));
    world_amounts(w, json_object_get(c, "asked"), need);
    world_amounts(w, json_object_get(json_object_get(c, "expect"), "reserved"), want);
    world_settle(w, c);
    world_use(w, json_object_get(c, "usage"));
    if (strcmp(text_of(c, "mode"), "fit") != 0)
        cohort_cut_to_reserve(&w->books, world_find(w->node, w->n, text_of(queue, "name")), number_of(c, "borrowing") > 0, need);
    int result = compare_reserved(w, want, need, why);
    world_free(w);
    return result;
}

/* ---- kueue/order ---- */

struct entries { const json_t *json[WORKLOADS_MOST]; struct cohort_workload as[WORKLOADS_MOST]; struct standing at[WORKLOADS_MOST]; size_t n; };

static bool asks_borrowed(const json_t *e)
{
    const json_t *a, *b;
    size_t i, k;
    json_array_foreach(json_object_get(e, "asks"), i, a)
        json_array_foreach(json_object_get(e, "borrows"), k, b) if (json_equal(a, b)) return true;
    return false;
}

/* Equal heads are a tie: all have one id. */
static void read_entries(struct entries *all, const json_t *c)
{
    bool by_eviction = text_of(c, "requeued_by") && !strcmp(text_of(c, "requeued_by"), "eviction");
    const json_t *e;
    size_t i;
    json_array_foreach(json_object_get(c, "entries"), i, e)
    {
        const json_t *evicted = json_object_get(e, "evicted");
        bool not_ready = text_of(evicted, "reason") && !strcmp(text_of(evicted, "reason"), "PodsReadyTimeout");
        double since = by_eviction && not_ready ? number_of(evicted, "at_s") : number_of(e, "created_at_s");
        all->json[i] = e;
        all->as[i] = (struct cohort_workload){ .priority = (int32_t)number_of(e, "priority"), .queued_ns = llround(since * 1e9) };
        all->at[i] = (struct standing){ .as = &all->as[i], .height = (uint32_t)number_of(e, "borrowing"), .borrows = asks_borrowed(e), .share = { 0, 1, COHORT_WEIGHT_ONE, ID_NONE, false } };
    }
    all->n = i;
}

static int classical(const void *a, const void *b) { return cohort_compare_classical(a, b); }

int kueue_order_case(const json_t *c, struct why why)
{
    const json_t *expect = json_object_get(c, "expect"), *order = json_object_get(expect, "order"), *first = json_object_get(expect, "first_goes_first");
    static struct entries all;
    if (json_array_size(json_object_get(c, "entries")) > WORKLOADS_MOST)
        return because(CASE_SKIPPED, why, "more entries than this runner holds");
    read_entries(&all, c);
    if (first)
        return json_is_true(first) == (cohort_compare_by_share(&all.at[0], &all.at[1]) < 0)
                   ? CASE_PASSED
                   : because(CASE_FAILED, why, "the %s goes first", json_is_true(first) ? "second" : "first");
    qsort(all.at, all.n, sizeof *all.at, classical);
    for (size_t i = 0; i < all.n; i++) {
        const char *got = text_of(all.json[all.at[i].as - all.as], "name"), *want = json_string_value(json_array_get(order, i));
        if (!want || strcmp(want, got) != 0)
            return because(CASE_FAILED, why, "place %zu: want %s, got %s", i + 1, want ? want : "none", got);
    }
    return CASE_PASSED;
}
