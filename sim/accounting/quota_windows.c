/* quota_windows.c - see quota_windows.h. */
#include "sim/accounting/quota_windows.h"
#include "sim/contract/util/minmax.h"
#include "sim/models/closure.h"

#include <string.h>

static struct closure times_of(const struct quota_window *w)
{
    return (struct closure){ .from_ns = w->from_ns, .until_ns = w->until_ns, .every_ns = w->every_ns };
}

static bool is_on(const struct quota_window *w, int64_t now_ns)
{
    struct closure when = times_of(w);
    return now_ns >= w->from_ns + closure_later_ns(&when, now_ns) && now_ns < closure_end_ns(&when, now_ns);
}

static void take_said(struct amount *to, const struct amount *said)
{
    to->gpu_milli = said->gpu_milli == QUOTA_UNSAID ? to->gpu_milli : said->gpu_milli;
    to->cpu_milli = said->cpu_milli == QUOTA_UNSAID ? to->cpu_milli : said->cpu_milli;
    to->mem_mib = said->mem_mib == QUOTA_UNSAID ? to->mem_mib : said->mem_mib;
}

/* Of itself, without a look at the queues below it. */
static void turn_one(struct queue_facts *now, const struct queue_facts *own, int64_t now_ns)
{
    now->quota = own->quota;
    now->sums = own->sums;
    for (uint32_t i = 0; i < own->n_windows; i++) {
        if (!is_on(&own->window[i], now_ns))
            continue;
        take_said(&now->quota.deserved, &own->window[i].quota.deserved);
        take_said(&now->quota.limit, &own->window[i].quota.limit);
        now->sums = own->sums && own->window[i].quota.deserved.gpu_milli == QUOTA_UNSAID;
        return;
    }
}

static int64_t deserved_below(const struct sched *s, queue_id q)
{
    int64_t sum = 0, limit = s->queue[q].quota.limit.gpu_milli;
    for (queue_id c = s->queue[q].first_child; c != ID_NONE; c = s->queue[c].next_sibling) {
        int64_t deserved = s->queue[c].quota.deserved.gpu_milli;
        sum = sum == UNLIMITED || deserved == UNLIMITED ? UNLIMITED : sum + deserved;
    }
    return limit != UNLIMITED && (sum == UNLIMITED || sum > limit) ? limit : sum;
}

void quota_windows_turn(struct sched *s)
{
    struct queue_facts *queue = s->queue_changes;
    for (queue_id q = s->cluster->n_queues; q-- > 0;) {          /* children have higher numbers */
        turn_one(&queue[q], &s->cluster->queue[q], s->now_ns);
        if (queue[q].sums)
            queue[q].quota.deserved.gpu_milli = deserved_below(s, q);
    }
    s->quota_version++;
}

void quota_windows_begin(struct sched *s)
{
    uint32_t n = s->cluster->n_queues, windows = 0;
    s->queue = s->cluster->queue;
    for (queue_id q = 0; q < n; q++)
        windows += s->cluster->queue[q].n_windows;
    if (!windows)
        return;
    s->queue_changes = arena_alloc(s->memory, n * sizeof *s->queue_changes);
    memcpy(s->queue_changes, s->cluster->queue, n * sizeof *s->queue_changes);
    s->queue = s->queue_changes;
    quota_windows_turn(s);
}

int64_t quota_windows_next_ns(const struct sched *s)
{
    int64_t next_ns = TIME_NEVER;
    for (queue_id q = 0; q < s->cluster->n_queues; q++)
        for (uint32_t i = 0; i < s->cluster->queue[q].n_windows; i++) {
            struct closure when = times_of(&s->cluster->queue[q].window[i]);
            int64_t from_ns = when.from_ns + closure_later_ns(&when, s->now_ns), end_ns = closure_end_ns(&when, s->now_ns);
            if (from_ns > s->now_ns)
                next_ns = min_i64(next_ns, from_ns);
            else if (end_ns > s->now_ns)
                next_ns = min_i64(next_ns, end_ns);
        }
    return next_ns;
}
