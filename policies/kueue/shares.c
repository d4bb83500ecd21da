/* shares.c - weighted shares of what a cohort lends out, and their order. See fair.h. */
#include "policies/kueue/fair.h"
#include "sim/contract/util/minmax.h"

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

/* borrowed: by resource, over all flavors. */
static struct cohort_share dominant(const struct cohort_books *b, uint32_t node, uint64_t weight,
                                    const int64_t *borrowed)
{
    struct cohort_share share = { 0, 1, weight, ID_NONE, false, 0 };
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

const struct cohort_share cohort_no_share = { 0, 1, 1, ID_NONE, false, 0 };

struct cohort_share cohort_share_of(const struct cohort_books *b, uint32_t node, uint64_t weight)
{
    if (b->parent[node] == ID_NONE)
        return cohort_no_share;
    return dominant(b, node, weight, &b->borrowed[(size_t)node * b->resources]);
}

struct cohort_share cohort_share_as_if(const struct cohort_books *b, uint32_t node, uint64_t weight)
{
    int64_t borrowed[COHORT_RESOURCES];
    if (b->parent[node] == ID_NONE)
        return cohort_no_share;
    for (uint32_t r = 0; r < b->resources; r++)
        borrowed[r] = b->borrowed[(size_t)node * b->resources + r];
    for (uint32_t k = 0; k < b->n_as_if; k++) {
        uint32_t cell = b->as_if[k].cell;
        size_t i = cohort_at(b, node, cell);
        borrowed[b->resource[cell]] += max_i64(0, b->usage[i] + b->as_if[k].by - b->subtree[i]) -
                                       max_i64(0, b->usage[i] - b->subtree[i]);
    }
    return dominant(b, node, weight, borrowed);
}

int cohort_share_compare_exactly(const struct cohort_share *a, const struct cohort_share *b)
{
    bool a_infinite = a->weight == 0 && a->borrows, b_infinite = b->weight == 0 && b->borrows;
    if (a_infinite != b_infinite)
        return a_infinite ? 1 : -1;
    wide a_weight = a_infinite || !a->weight ? 1 : a->weight,
         b_weight = b_infinite || !b->weight ? 1 : b->weight;
    return cohort_compare_ratios((wide)a->borrowed, (wide)a->lendable * a_weight,
                                 (wide)b->borrowed, (wide)b->lendable * b_weight);
}
