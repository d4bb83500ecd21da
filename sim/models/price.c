/* price.c - see price.h. */
#include "sim/models/price.h"
#include "sim/models/checkpoint_laws.h"

struct price price_default(void)
{
    return (struct price){ .grace_ns = 30 * NS_PER_S, .blocking = 1, .init_ns = 10 * NS_PER_S, .init_doubling_ns = 2 * NS_PER_S };
}

bool price_writes(const struct price *p)
{
    return p->write_ns > 0 || p->checkpoint_bytes != 0;
}

static int64_t either(int64_t own, int64_t of_the_cluster)
{
    return own < 0 ? of_the_cluster : own;
}

struct price price_with(const struct price *of_the_cluster, const struct own_price *own)
{
    struct price p = *of_the_cluster;
    if (own->checkpoint >= 0)
        p.checkpoint = (unsigned)own->checkpoint;
    p.interval_ns = either(own->interval_ns, p.interval_ns);
    if (own->checkpoint_mib >= 0)
        p.checkpoint_bytes = own->checkpoint_mib << 20;
    p.save_ns = own->save_ns >= 0 ? own->save_ns : price_writes(&p) && !price_writes(of_the_cluster) ? -1 : p.save_ns;
    p.grace_ns = either(own->grace_ns, p.grace_ns);
    p.restart_ns = either(own->restart_ns, p.restart_ns);
    return p;
}

void price_settle(struct price *p)
{
    if (p->interval_ns == INTERVAL_AUTO && !price_writes(p))
        p->interval_ns = ns_of_seconds(auto_interval_s(0));
}

int64_t price_durable_ns(const struct price *p, int64_t done_ns)
{
    if (p->checkpoint == CHECKPOINT_PERIODIC)
        return done_ns - done_ns % p->interval_ns;
    return p->checkpoint == CHECKPOINT_PERFECT ? done_ns : 0;
}

struct leaving price_of_stop(const struct price *p, enum stop_mode mode, int64_t done_ns, int64_t durable_ns)
{
    if (mode == STOP_SUSPEND)
        return (struct leaving){ 0, 0 };
    if (mode == STOP_CANCEL)
        return (struct leaving){ price_of_stop(p, STOP_SAVE, done_ns, durable_ns).stay_ns, done_ns };
    if (p->checkpoint == CHECKPOINT_NONE)
        return (struct leaving){ 0, done_ns };
    if (p->checkpoint == CHECKPOINT_PERFECT)
        return (struct leaving){ mode == STOP_SAVE ? p->save_ns : 0, 0 };
    int64_t since_checkpoint = done_ns - durable_ns;
    if (mode == STOP_RESTART)
        return (struct leaving){ 0, since_checkpoint };
    if (p->save_ns <= p->grace_ns)
        return (struct leaving){ p->save_ns, 0 };
    return (struct leaving){ p->grace_ns, since_checkpoint };
}

int64_t price_of_start(const struct price *p, bool first)
{
    return first ? p->start_ns : p->restart_ns;
}
