/* backlog.c - see backlog.h. */
#include "sim/serving/backlog.h"

#include "sim/base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct backlog backlog_new(double timeout_s)
{
    return (struct backlog){ .timeout_s = timeout_s };
}

void backlog_free(struct backlog *b)
{
    free(b->part);
}

static double amount_of(const struct backlog_part *p)
{
    return p->rate * (p->end_s - p->begin_s);
}

double backlog_amount(const struct backlog *b)
{
    double sum = 0;
    for (size_t i = b->first; i < b->n; i++)
        sum += amount_of(&b->part[i]);
    return sum;
}

bool backlog_is_empty(const struct backlog *b)
{
    return b->first == b->n;
}

void backlog_skip(struct backlog *b, double until_s)
{
    assert(backlog_is_empty(b));
    b->now_s = until_s;
}

/* Arrivals extend the last part if its rate is the same, else begin a new part. */
static void join(struct backlog *b, double rate)
{
    if (!backlog_is_empty(b) && b->part[b->n - 1].end_s == b->now_s &&
        b->part[b->n - 1].rate == rate)
        return;
    if (b->first > b->n / 2) {
        memmove(b->part, b->part + b->first, (b->n - b->first) * sizeof *b->part);
        b->n -= b->first;
        b->first = 0;
    }
    mem_grow(&b->part, &b->room, b->n, sizeof *b->part);
    b->part[b->n++] = (struct backlog_part){ b->now_s, b->now_s, rate };
}

/* How fast the head passes through arrival times, and for how long: until its part is served, or is
 * as old as the timeout. */
struct head { double speed, gone_s, limit_s; bool leaves; };

static struct head head_of(const struct backlog *b, double capacity, bool grows)
{
    const struct backlog_part *p = &b->part[b->first];
    double age = b->now_s - p->begin_s;
    struct head h = { capacity / p->rate, INFINITY, INFINITY, false };
    h.leaves = h.speed < 1 && age >= b->timeout_s * (1 - 1e-12);
    if (h.leaves)
        h.speed = 1;
    else if (h.speed < 1)
        h.limit_s = (b->timeout_s - age) / (1 - h.speed);
    double closing = h.speed - (grows ? 1 : 0);
    if (closing > 0)
        h.gone_s = (p->end_s - p->begin_s) / closing;
    return h;
}

struct backlog_step backlog_advance(struct backlog *b, double rate, double capacity, double until_s)
{
    if (rate > 0)
        join(b, rate);
    struct backlog_part *p = &b->part[b->first];
    struct head h = head_of(b, capacity, rate > 0 && b->first == b->n - 1);
    double passed = fmin(fmin(h.gone_s, h.limit_s), until_s - b->now_s);
    bool to_the_end = passed == until_s - b->now_s, gone = passed == h.gone_s;
    struct backlog_step step = { .passed_s = passed,
                                 .served = capacity * passed,
                                 .from_wait_s = b->now_s - p->begin_s };
    if (h.leaves)
        step.dropped = (p->rate - capacity) * passed;
    b->now_s = to_the_end ? until_s : b->now_s + passed;
    if (rate > 0)
        b->part[b->n - 1].end_s = b->now_s;
    p->begin_s = gone                  ? p->end_s
                 : passed == h.limit_s ? b->now_s - b->timeout_s
                                       : p->begin_s + h.speed * passed;
    step.to_wait_s = fmax(0, b->now_s - p->begin_s);
    b->first += gone;
    return step;
}
