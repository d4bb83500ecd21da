/* division.c - see division.h. */
#include "policies/kai/queues/division.h"
#include "sim/contract/util/heap.h"
#include "sim/contract/util/minmax.h"

#include <math.h>

const int64_t quota_unit[Q_RESOURCES] = { MILLI_ALL, 1, 1 };

struct quota_amount quota_amount(struct amount a)
{
    return (struct quota_amount){ { a.gpu_milli, a.cpu_milli, a.mem_mib } };
}

struct amount quota_as_amount(const struct quota_amount *a)
{
    return (struct amount){ a->of[Q_GPU], a->of[Q_CPU], a->of[Q_MEM] };
}

queue_id quota_arrange(struct quota_queue *q, uint32_t n)
{
    queue_id top = ID_NONE;
    for (uint32_t i = 0; i < n; i++)
        q[i].first_child = ID_NONE;
    for (uint32_t i = n; i-- > 0;) {
        queue_id *at = q[i].parent == ID_NONE ? &top : &q[q[i].parent].first_child;
        while (*at != ID_NONE && q[*at].priority > q[i].priority)
            at = &q[*at].next_sibling;
        q[i].next_sibling = *at;
        *at = i;
    }
    return top;
}

/* Those that want something, first. Returns how many. */
static size_t unsatisfied(struct quota_taker *t, size_t n)
{
    size_t left = 0;
    for (size_t i = 0; i < n; i++) {
        if (t[i].wants <= 0)
            continue;
        if (left < i) {
            t[left] = t[i];
            t[i].lost = 0;
        }
        left++;
    }
    return left;
}

/* Returns their sum. */
static double make_claims(struct quota_taker *t, size_t n, double k)
{
    double weights = 0, usage = 0, claims = 0;
    for (size_t i = 0; i < n; i++) {
        weights += t[i].weight;
        usage += t[i].usage;
        t[i].claim = t[i].weight;
    }
    if (!(usage > 0))
        return weights;
    for (size_t i = 0; i < n; i++) {
        double w = t[i].weight;
        t[i].claim = fmax(0, w + k * (w - t[i].usage * weights));
        claims += t[i].claim;
    }
    return claims;
}

/* Step 2 for one class of priority, t[0..n): all want something and have a weight. Returns the
 * rest. */
static int64_t take_by_weight(struct quota_taker *t, size_t n, int64_t rest, int64_t whole,
                              double k)
{
    for (bool again = true; again && rest > 0;) {
        again = false;
        n = unsatisfied(t, n);
        double claims = make_claims(t, n, k);
        if (!(claims > 0))
            break;
        double amount = (double)rest, unit_claims = claims * (double)whole;
        double claim = NAN, claimed = 0, units = 0, lost = 0;
        for (size_t i = 0; i < n && rest > 0; i++) {
            if (t[i].claim != claim) {           /* mostly all are the same */
                claim = t[i].claim;
                claimed = amount * claim;        /* the share is this / claims */
                units = floor(claimed / unit_claims);
                lost = (claimed - units * unit_claims) / claims;
            }
            double wants = (double)t[i].wants * claims;
            int64_t give = wants <= claimed ? t[i].wants : (int64_t)units * whole;
            again = again || wants < claimed;
            if (wants <= claimed)
                t[i].lost = 0;
            else if (lost > 0)
                t[i].lost = lost;
            if (give == 0)
                continue;
            t[i].share->fair += give;
            t[i].wants -= give;
            rest -= give;
        }
    }
    return rest;
}

/* On top of the heap: the largest fraction lost, then the older queue. */
static bool goes_before(const void *none, const struct quota_taker *a, const struct quota_taker *b)
{
    (void)none;
    return a->lost != b->lost ? a->lost > b->lost : a->share < b->share;
}

HEAP_DEFINE(takers, struct quota_taker, void, goes_before, HEAP_NOT_PLACED);

/* Step 3 for one class. Returns the rest. */
static int64_t take_fractions(struct quota_taker *t, size_t n, int64_t rest, int64_t whole)
{
    size_t heap = 0;
    for (size_t i = 0; i < n; i++)
        if (t[i].lost > 0)
            t[heap++] = t[i];
    bool enough = (int64_t)heap * whole <= rest;    /* for all, in whatever order */
    for (size_t i = 0; i < heap && enough; i++)
        t[i].share->fair += whole;
    if (enough)
        return rest - (int64_t)heap * whole;
    takers_make(NULL, t, heap);
    while (heap > 0 && rest > 0) {
        int64_t give = min_i64(whole, rest);
        takers_pop(NULL, t, heap--).share->fair += give;
        rest -= give;
    }
    return rest;
}

static size_t class_end(const struct quota_taker *t, size_t n, size_t from)
{
    size_t end = from;
    while (end < n && t[end].priority == t[from].priority)
        end++;
    return end;
}

/* Adds a queue that wants more than its fair share so far, and has a weight. */
static size_t add_taker(struct quota_taker *t, size_t n, struct quota_queue *q,
                        enum quota_resource r)
{
    struct quota_share *s = &q->of[r];
    int64_t wants = quota_requestable(s) - s->fair;
    if (wants > 0 && s->weight > 0)
        t[n++] = (struct quota_taker){ s, wants, q->priority, s->weight, s->usage, 0, 0 };
    return n;
}

/* Steps 2 and 3. */
static int64_t take(struct quota_taker *t, size_t n, enum quota_resource r, int64_t rest, double k)
{
    for (size_t from = 0, end; from < n && rest > 0; from = end) {
        end = class_end(t, n, from);
        rest = take_by_weight(&t[from], end - from, rest, quota_unit[r], k);
    }
    for (size_t from = 0, end; from < n && rest > 0; from = end) {
        end = class_end(t, n, from);
        rest = take_fractions(&t[from], end - from, rest, quota_unit[r]);
    }
    return rest;
}

int64_t quota_divide_rest(struct quota_queue *q, queue_id first, enum quota_resource r,
                          int64_t rest, double k, struct quota_taker *scratch)
{
    size_t n = 0;
    for (queue_id i = first; i != ID_NONE; i = q[i].next_sibling)
        n = add_taker(scratch, n, &q[i], r);
    return take(scratch, n, r, rest, k);
}

int64_t quota_divide(struct quota_queue *q, queue_id first, enum quota_resource r, int64_t total,
                     double k, struct quota_taker *scratch)
{
    int64_t rest = total;
    size_t n = 0;
    for (queue_id i = first; i != ID_NONE; i = q[i].next_sibling) {
        struct quota_share *s = &q[i].of[r];
        s->fair = min_i64(s->deserved == UNLIMITED ? total : s->deserved, quota_requestable(s));
        rest -= s->fair;
        n = add_taker(scratch, n, &q[i], r);
    }
    return rest > 0 ? take(scratch, n, r, rest, k) : 0;
}

void quota_divide_tree(struct quota_queue *q, queue_id first_top,
                       const struct quota_amount *capacity, double k, struct quota_taker *scratch)
{
    if (first_top == ID_NONE)
        return;
    for (enum quota_resource r = 0; r < Q_RESOURCES; r++)
        quota_divide(q, first_top, r, capacity->of[r], k, scratch);
    for (queue_id i = first_top; i != ID_NONE;) {
        if (q[i].first_child != ID_NONE) {
            for (enum quota_resource r = 0; r < Q_RESOURCES; r++)
                quota_divide(q, q[i].first_child, r, q[i].of[r].fair, k, scratch);
            i = q[i].first_child;
            continue;
        }
        while (q[i].next_sibling == ID_NONE && q[i].parent != ID_NONE)
            i = q[i].parent;
        i = q[i].next_sibling;
    }
}

/* Two units: one that step 3 may have given, or that rounding took; one so that the comparison in
 * step 2 is never close. */
bool quota_same_share(const struct quota_share *s, enum quota_resource r, int64_t requestable,
                      int64_t instead)
{
    int64_t enough = s->fair + 2 * quota_unit[r];
    return requestable == instead || (requestable >= enough && instead >= enough);
}
