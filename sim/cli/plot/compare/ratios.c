/* ratios.c - see ratios.h. */
#include "sim/cli/plot/compare/ratios.h"

#include "sim/study/verdict.h"

#include <math.h>

struct ratio ratio_of_pairs(const double *base, const double *value, size_t n)
{
    const double level = 0.05;
    if (n == 0)
        return (struct ratio){ .n = 0 };
    struct paired_values pairs = { .n = n, .base = base, .new = value };
    struct comparison c = compare_pairs(&pairs, BETTER_NEITHER, NAN, level);
    if (c.base == 0)
        return (struct ratio){ .n = 0 };
    return (struct ratio){ n, 1 + c.change, 1 + c.interval.low, 1 + c.interval.high };
}
