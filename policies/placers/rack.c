/* rack.c - as few racks as can be, and inside a rack best fit.
 *
 * What fits one rack goes to the tightest that holds it: the one with the fewest free GPUs. What
 * does not takes racks with the most room first, until the rest fits one, which then is the
 * tightest again. Without racks it is pack. */
#include "policies/placers/filling.h"
#include "policies/placers/tight.h"

static enum place_result rack_place(struct builder *b, const struct request *r, const void *params)
{
    struct tight_job j = tight_job(b, r);
    (void)params;
    if (!tight_any(builder_view(b), LEVEL_RACK))
        return fill(b, r, FULLEST_FIRST, EMPTIEST_FIRST);
    return tight_few(&j, LEVEL_RACK) ? PLACED : fill_failed(r);
}

const struct placer rack_placer = {
    .abi = PLACEMENT_ABI,
    .name = "rack",
    .summary = "as few racks as can be, the tightest that holds it; inside, best fit",
    .place = rack_place,
};
