/* closure.c - see closure.h. */
#include "sim/models/closure.h"

int64_t closure_later_ns(const struct closure *c, int64_t time_ns)
{
    if (!c->every_ns || c->until_ns > time_ns)
        return 0;
    return ((time_ns - c->until_ns) / c->every_ns + 1) * c->every_ns;
}

int64_t closure_end_ns(const struct closure *c, int64_t time_ns)
{
    return c->until_ns + closure_later_ns(c, time_ns);
}

bool closure_denies(const struct closure *c, int64_t from_ns, int64_t until_ns)
{
    int64_t later_ns = closure_later_ns(c, from_ns), begins_ns = c->from_ns + later_ns;
    int64_t between_ns = c->every_ns - (c->until_ns - c->from_ns) - c->drain_ns;
    if (from_ns >= c->until_ns + later_ns)
        return false;             /* the only one is over */
    if (from_ns >= begins_ns - c->drain_ns)
        return true;
    return !c->keeps && until_ns > begins_ns && until_ns != INT64_MAX &&
           !(c->every_ns && until_ns - from_ns > between_ns);
}
