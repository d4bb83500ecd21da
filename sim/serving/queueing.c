/* queueing.c - see queueing.h. */
#include "sim/serving/queueing.h"

#include <assert.h>
#include <math.h>

double erlang_b(uint32_t servers, double offered)
{
    double b = 1;
    for (uint32_t k = 1; k <= servers; k++)
        b = offered * b / (k + offered * b);
    return b;
}

double erlang_c(uint32_t servers, double offered)
{
    if (offered >= servers)
        return 1;
    double b = erlang_b(servers, offered);
    return b / (1 - offered / servers * (1 - b));
}

struct wait_law wait_law_of(double waits, double rate, double serves, double timeout_s)
{
    struct wait_law w = { waits, rate, timeout_s, 0 };
    if (isinf(timeout_s) || isinf(rate) || !(waits > 0 && waits < 1))
        return w;
    double from_zero = rate * waits / (1 - waits), stays = -expm1(-rate * timeout_s);
    double waiting = from_zero / rate * stays, leaving = from_zero * (1 - stays) / serves;
    w.leaves = leaving / (1 + waiting + leaving);
    w.waits = waiting / (1 + waiting);
    return w;
}

struct wait_law wait_in_queue(uint32_t servers, double offered, double service_s, double c2,
                              double timeout_s)
{
    assert(offered < servers);
    double waits = erlang_c(servers, offered), stretched_s = service_s * c2;
    if (!(waits > 0 && stretched_s > 0))
        return (struct wait_law){ waits, INFINITY, timeout_s, 0 };
    return wait_law_of(waits, (servers - offered) / stretched_s, servers / stretched_s, timeout_s);
}

/* P(wait > timeout) of the law without a timeout, of the requests that wait. */
static double beyond(const struct wait_law *w)
{
    return exp(-w->rate * w->timeout);
}

double wait_mean(const struct wait_law *w)
{
    if (isinf(w->rate))
        return 0;
    double left = beyond(w);
    return w->waits * (1 / w->rate - (left > 0 ? w->timeout * left / (1 - left) : 0));
}

double wait_above(const struct wait_law *w, double t)
{
    if (t < 0 || t >= w->timeout || isinf(w->rate))
        return t < 0;
    double left = beyond(w);
    return w->waits * (exp(-w->rate * t) - left) / (1 - left);
}

double wait_quantile(const struct wait_law *w, double p)
{
    if (isinf(w->rate) || 1 - p >= w->waits)
        return 0;
    double left = beyond(w);
    return -log((1 - p) / w->waits * (1 - left) + left) / w->rate;
}
