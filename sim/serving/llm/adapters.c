/* adapters.c - see adapters.h. */
#include "sim/serving/llm/adapters.h"

#include "sim/base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct adapter_store adapter_store_of(const struct llm_adapters *a)
{
    struct adapter_store s = { 0 };
    if (a->n == 0)
        return s;
    s.running = mem_new(a->n + 1, sizeof *s.running);
    s.wanted = mem_new(a->n + 1, sizeof *s.wanted);
    s.recent = mem_new(a->host, sizeof *s.recent);
    s.now = mem_new(a->slots, sizeof *s.now);
    return s;
}

void adapter_store_free(struct adapter_store *s)
{
    free(s->running);
    free(s->wanted);
    free(s->recent);
    free(s->now);
    *s = (struct adapter_store){ 0 };
}

/* ---- requests ---- */

bool adapters_admit(const struct adapter_store *s, const struct llm_adapters *a, uint32_t adapter)
{
    return adapter == 0 || s->running[adapter] > 0 || s->distinct < a->slots;
}

void adapters_hold(struct adapter_store *s, uint32_t adapter)
{
    if (adapter > 0 && s->running[adapter]++ == 0)
        s->distinct++;
}

void adapters_release(struct adapter_store *s, uint32_t adapter)
{
    if (adapter > 0 && --s->running[adapter] == 0)
        s->distinct--;
}

/* ---- where they are ---- */

/* Its place among the recent ones; n_recent: it is not there. */
static uint32_t place_of(const struct adapter_store *s, uint32_t adapter)
{
    uint32_t i = 0;
    while (i < s->n_recent && s->recent[i] != adapter)
        i++;
    return i;
}

unsigned adapters_near(const struct adapter_store *s, const struct llm_adapters *a,
                       uint32_t adapter)
{
    uint32_t at = place_of(s, adapter);
    return at == s->n_recent ? 0 : at < a->slots ? 2 : 1;
}

/* It was used last; of more than the host holds the last one goes. */
static void becomes_first(struct adapter_store *s, const struct llm_adapters *a, uint32_t adapter,
                          uint32_t at)
{
    if (at == s->n_recent && s->n_recent < a->host)
        s->n_recent++;
    else if (at == s->n_recent)
        at--;
    memmove(s->recent + 1, s->recent, at * sizeof *s->recent);
    s->recent[0] = adapter;
}

/* ---- steps ---- */

void adapters_begin(struct adapter_store *s)
{
    s->step++;
    s->n_now = 0;
}

void adapters_want(struct adapter_store *s, uint32_t adapter)
{
    if (adapter == 0 || s->wanted[adapter] == s->step)
        return;
    s->wanted[adapter] = s->step;
    s->now[s->n_now++] = adapter;
}

struct adapter_loads adapters_load(struct adapter_store *s, const struct llm_adapters *a)
{
    struct adapter_loads loads = { 0 };
    uint32_t n_lacking = 0;
    assert(s->n_now <= a->slots);
    for (uint32_t i = 0; i < s->n_now; i++) {
        uint32_t at = place_of(s, s->now[i]);
        if (at < s->n_recent && at < a->slots)
            becomes_first(s, a, s->now[i], at);
        else
            s->now[n_lacking++] = s->now[i];
    }
    for (uint32_t i = 0; i < n_lacking; i++) {
        uint32_t at = place_of(s, s->now[i]);
        bool in_host = at < s->n_recent;
        becomes_first(s, a, s->now[i], at);
        loads.n++;
        loads.from_storage += !in_host;
        loads.time_s += a->host_s + (in_host ? 0 : a->storage_s);
    }
    return loads;
}
