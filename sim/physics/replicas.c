/* replicas.c - as many replicas as a service wants: who is submitted, and who is withdrawn first. See services.h. */
#include "sim/engine/on_demand.h"
#include "sim/physics/services.h"

uint32_t replicas_there(const struct sched *s, const struct service_run *r)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < r->of->scaler.most; k++)
        n += on_demand_is_there(s, r->first + k);
    return n;
}

static void submit(struct sched *s, struct service_run *r, uint32_t n)
{
    for (uint32_t k = 0; k < r->of->scaler.most && n > 0 && !r->refused; k++) {
        job_id j = r->first + k;
        if (live_of(s, j))
            continue;
        on_demand_submit(s, j);
        r->refused = s->job[j].state == JOB_GONE;
        n--;
    }
}

/* Who is withdrawn first: the order of ranks, then the newest. */
static unsigned rank(const struct sched *s, const struct service_run *r, job_id j)
{
    enum job_state state = s->job[j].state;
    return r->replica[j - r->first].ready_ns >= 0 ? 2 : state == JOB_RUNNING || state == JOB_GATHERING ? 1 : 0;
}

static int64_t since_ns(const struct sched *s, const struct service_run *r, job_id j)
{
    int64_t ready_ns = r->replica[j - r->first].ready_ns;
    return ready_ns >= 0 ? ready_ns : s->workload->facts[j].submit_ns;
}

void replicas_withdraw(struct sched *s, struct service_run *r, uint32_t n)
{
    for (; n > 0; n--) {
        job_id first = ID_NONE;
        for (uint32_t k = 0; k < r->of->scaler.most; k++) {
            job_id j = r->first + k;
            if (!on_demand_is_there(s, j))
                continue;
            unsigned mine = rank(s, r, j), best = first == ID_NONE ? UINT8_MAX : rank(s, r, first);
            if (mine < best || (mine == best && since_ns(s, r, j) >= since_ns(s, r, first)))
                first = j;
        }
        on_demand_withdraw(s, first, FATE_COMPLETED, "withdrawn");
    }
}

void replicas_reconcile(struct sched *s, struct service_run *r)
{
    uint32_t there = replicas_there(s, r), wanted = scaler_wants(r->scaler);
    if (there < wanted)
        submit(s, r, wanted - there);
    else if (there > wanted)
        replicas_withdraw(s, r, there - wanted);
}
