/* shares.c - weighted shares of what a cohort lends out, and their order. See fair.h. */
#include "policies/kueue/fair.h"

typedef unsigned __int128 wide;

/* By products; where one would overflow, by continued fractions. */
int cohort_compare_ratios(wide a, wide b, wide c, wide d)
{
    wide left, right;
    if (!__builtin_mul_overflow(a, d, &left) && !__builtin_mul_overflow(c, b, &right))
        return (left > right) - (left < right);
    for (int sign = 1;; sign = -sign) {
        wide x = a / b, y = c / d;
        if (x != y)
            return x < y ? -sign : sign;
        a %= b;
        c %= d;
        if (!a || !c)
            return sign * ((a != 0) - (c != 0));
        wide t = a;
        a = b;
        b = t;
        t = c;
        c = d;
        d = t;
    }
}

/* By resource, over all flavors. */
static void borrowed_of(const struct cohort_books *b, uint32_t node, int64_t *borrowed)
{
    size_t at = cohort_at(b, node, 0);
    const int64_t *usage = &b->usage[at], *own = &b->subtree[at];
    for (uint32_t r = 0; r < b->resources; r++)
        borrowed[r] = 0;
    for (uint32_t cell = 0; cell < b->cells; cell++)
        if (usage[cell] > own[cell])
            borrowed[b->resource[cell]] += usage[cell] - own[cell];
}

struct cohort_share cohort_share_of(const struct cohort_books *b, uint32_t node, uint64_t weight)
{
    struct cohort_share share = { 0, 1, weight, ID_NONE, false, 0 };
    int64_t borrowed[COHORT_RESOURCES];
    if (b->parent[node] == ID_NONE)
        return share;
    borrowed_of(b, node, borrowed);
    for (uint32_t r = 0; r < b->resources; r++) {
        int64_t lendable = b->lendable[(size_t)b->parent[node] * b->resources + r];
        share.borrows |= borrowed[r] > 0;
        if (borrowed[r] > 0 && lendable > 0 &&
            (!share.borrowed ||
             cohort_compare_ratios((wide)borrowed[r], (wide)lendable, (wide)share.borrowed,
                                   (wide)share.lendable) > 0)) {
            share.borrowed = borrowed[r];
            share.lendable = lendable;
            share.resource = r;
        }
    }
    if (weight)
        share.about = (double)share.borrowed / ((double)share.lendable * (double)weight);
    return share;
}

bool cohort_share_is_zero(struct cohort_share a)
{
    return a.borrowed == 0;
}

/* Shares that are further apart, in parts of the larger one, differ as their doubles do: these are
 * rounded four times. */
#define CLOSE 1e-12

int cohort_share_compare(struct cohort_share a, struct cohort_share b)
{
    bool a_infinite = a.weight == 0 && a.borrows, b_infinite = b.weight == 0 && b.borrows;
    if (a_infinite != b_infinite)
        return a_infinite ? 1 : -1;
    double apart = a.about - b.about, most = a.about > b.about ? a.about : b.about;
    if (apart > CLOSE * most || -apart > CLOSE * most)
        return apart > 0 ? 1 : -1;
    wide a_weight = a_infinite || !a.weight ? 1 : a.weight,
         b_weight = b_infinite || !b.weight ? 1 : b.weight;
    return cohort_compare_ratios((wide)a.borrowed, (wide)a.lendable * a_weight, (wide)b.borrowed,
                                 (wide)b.lendable * b_weight);
}
