/* weights.c - see weights.h. */
#include "sim/serving/llm/weights.h"

#include "sim/base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct weight_store weight_store_of(const struct weight_places *p)
{
    struct weight_store s = { 0 };
    if (p->n == 0)
        return s;
    s.running = mem_new(p->n + 1, sizeof *s.running);
    s.wanted = mem_new(p->n + 1, sizeof *s.wanted);
    s.recent = mem_new(p->host, sizeof *s.recent);
    s.now = mem_new(p->slots, sizeof *s.now);
    while (p->there && s.n_recent < p->slots) {
        s.recent[s.n_recent] = s.n_recent + 1;
        s.n_recent++;
    }
    return s;
}

void weight_store_free(struct weight_store *s)
{
    free(s->running);
    free(s->wanted);
    free(s->recent);
    free(s->now);
    *s = (struct weight_store){ 0 };
}

/* ---- requests ---- */

bool weights_admit(const struct weight_store *s, const struct weight_places *p, uint32_t set)
{
    return set == 0 || s->running[set] > 0 || s->distinct < p->slots;
}

void weights_hold(struct weight_store *s, uint32_t set)
{
    if (set > 0 && s->running[set]++ == 0)
        s->distinct++;
}

void weights_release(struct weight_store *s, uint32_t set)
{
    if (set > 0 && --s->running[set] == 0)
        s->distinct--;
}

/* ---- where they are ---- */

/* Its place among the recent ones; n_recent: it is not there. */
static uint32_t place_of(const struct weight_store *s, uint32_t set)
{
    uint32_t i = 0;
    while (i < s->n_recent && s->recent[i] != set)
        i++;
    return i;
}

unsigned weights_near(const struct weight_store *s, const struct weight_places *p, uint32_t set)
{
    uint32_t at = place_of(s, set);
    return at == s->n_recent ? 0 : at < p->slots ? 2 : 1;
}

/* It was used last; of more than the host holds the last one goes. */
static void becomes_first(struct weight_store *s, const struct weight_places *p, uint32_t set,
                          uint32_t at)
{
    if (at == s->n_recent && s->n_recent < p->host)
        s->n_recent++;
    else if (at == s->n_recent)
        at--;
    memmove(s->recent + 1, s->recent, at * sizeof *s->recent);
    s->recent[0] = set;
}

/* ---- steps ---- */

void weights_begin(struct weight_store *s)
{
    s->step++;
    s->n_now = 0;
}

void weights_want(struct weight_store *s, uint32_t set)
{
    if (set == 0 || s->wanted[set] == s->step)
        return;
    s->wanted[set] = s->step;
    s->now[s->n_now++] = set;
}

struct weight_loads weights_load(struct weight_store *s, const struct weight_places *p)
{
    struct weight_loads loads = { 0 };
    uint32_t n_lacking = 0;
    assert(s->n_now <= p->slots);
    for (uint32_t i = 0; i < s->n_now; i++) {
        uint32_t at = place_of(s, s->now[i]);
        if (at < s->n_recent && at < p->slots)
            becomes_first(s, p, s->now[i], at);
        else
            s->now[n_lacking++] = s->now[i];
    }
    for (uint32_t i = 0; i < n_lacking; i++) {
        uint32_t at = place_of(s, s->now[i]);
        bool in_host = at < s->n_recent;
        becomes_first(s, p, s->now[i], at);
        loads.n++;
        loads.from_storage += !in_host;
        loads.time_s +=
            (in_host ? p->host_s : p->storage_s) * (p->size ? p->size[s->now[i] - 1] : 1);
    }
    return loads;
}

void weight_loads_add(struct weight_loads *to, const struct weight_loads *more)
{
    to->n += more->n;
    to->from_storage += more->from_storage;
    to->time_s += more->time_s;
}
