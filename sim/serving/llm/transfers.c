/* transfers.c - see transfers.h. */
#include "sim/serving/llm/transfers.h"

#include "sim/base/memory.h"
#include "sim/base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void transfers_free(struct transfers *t)
{
    free(t->at);
}

static double rate_of(const struct transfers *t, const struct transfer *x)
{
    double sent = 0, received = 0;
    for (size_t i = 0; i < t->n; i++) {
        sent += t->at[i].sends && t->at[i].from == x->from;
        received += t->at[i].sends && t->at[i].to == x->to;
    }
    return fmin(t->bytes_per_s, x->path) / fmax(sent, received);
}

/* After one began or ended to send. */
static void share(struct transfers *t, int64_t now_ns)
{
    for (size_t i = 0; i < t->n; i++) {
        struct transfer *x = &t->at[i];
        double rate = x->sends ? rate_of(t, x) : 0;
        if (rate == x->rate)
            continue;
        x->left_bytes = fmax(0, x->left_bytes - x->rate * seconds(now_ns - x->since_ns));
        x->since_ns = now_ns;
        x->rate = rate;
        x->next_ns = now_ns + ns_of_seconds(x->left_bytes / rate);
    }
}

static double path_of(const struct transfers *t, uint32_t from, uint32_t to)
{
    const struct transfer_paths *p = &t->paths;
    double bps = p->bytes_per_s ? p->bytes_per_s(p->self, from, to) : 0;
    return bps > 0 ? bps : INFINITY;
}

void transfers_look_again(struct transfers *t, int64_t now_ns)
{
    for (size_t i = 0; i < t->n; i++)
        t->at[i].path = path_of(t, t->at[i].from, t->at[i].to);
    share(t, now_ns);
}

void transfers_begin(struct transfers *t, uint32_t request, uint32_t from, uint32_t to,
                     double bytes, int64_t now_ns)
{
    mem_grow(&t->at, &t->room, t->n, sizeof *t->at);
    t->begun_bytes += bytes;
    t->at[t->n++] = (struct transfer){ .request = request,
                                       .from = from,
                                       .to = to,
                                       .path = path_of(t, from, to),
                                       .left_bytes = bytes,
                                       .since_ns = now_ns,
                                       .next_ns = now_ns + ns_of_seconds(t->setup_s) };
}

static size_t first_of(const struct transfers *t)
{
    size_t first = 0;
    for (size_t i = 1; i < t->n; i++)
        first = t->at[i].next_ns < t->at[first].next_ns ? i : first;
    return first;
}

int64_t transfers_next_ns(const struct transfers *t)
{
    return t->n ? t->at[first_of(t)].next_ns : TIME_NEVER;
}

static struct transfer take(struct transfers *t, size_t i, int64_t now_ns)
{
    struct transfer x = t->at[i];
    memmove(&t->at[i], &t->at[i + 1], (--t->n - i) * sizeof x);
    share(t, now_ns);
    return x;
}

bool transfers_step(struct transfers *t, int64_t now_ns, struct transfer *done)
{
    size_t first = first_of(t);
    if (t->at[first].sends) {
        *done = take(t, first, now_ns);
        return true;
    }
    t->at[first].sends = true;
    share(t, now_ns);
    return false;
}

bool transfers_take_away(struct transfers *t, uint32_t replica, int64_t now_ns,
                         struct transfer *lost)
{
    for (size_t i = 0; i < t->n; i++) {
        if (t->at[i].from != replica && t->at[i].to != replica)
            continue;
        *lost = take(t, i, now_ns);
        return true;
    }
    return false;
}
