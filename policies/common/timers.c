/* timers.c - see timers.h. */
#include "policies/common/timers.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/heap.h"

enum {
    AHEAD = 3,                    /* kept in the heap while there are more */
    FEW = 16,                     /* so many are all in the heap */
    SAMPLE = 15,
    IN_A_BUCKET = 2               /* on average */
};

static inline bool is_above(const struct timers *t, const struct timer *a, const struct timer *b)
{
    (void)t;
    return timer_before(a, b);
}

static inline void note_place(struct timers *t, const struct timer *x, size_t at)
{
    t->row[x->entry].at = (uint32_t)at;
}

HEAP_DEFINE(timer_heap, struct timer, struct timers, is_above, note_place);

void timers_begin(struct timers *t)
{
    *t = (struct timers){ .armed_ns = -1 };
    for (size_t i = 0; i <= TIMER_BUCKETS; i++)
        t->list[i] = ID_NONE;
}

/* ---- Where they lie ---- */

static void link_in(struct timers *t, uint32_t e, uint32_t in)
{
    struct timer_row *r = &t->row[e];
    r->in = in;
    r->previous = ID_NONE;
    r->next = t->list[in];
    if (r->next != ID_NONE)
        t->row[r->next].previous = e;
    t->list[in] = e;
}

static void unlink_from(struct timers *t, const struct timer_row *r)
{
    if (r->previous == ID_NONE)
        t->list[r->in] = r->next;
    else
        t->row[r->previous].next = r->next;
    if (r->next != ID_NONE)
        t->row[r->next].previous = r->previous;
}

static void put(struct sched *s, struct timers *t, uint32_t e)
{
    struct timer_row *r = &t->row[e];
    if (r->timer.time_ns >= t->ends_ns) {
        link_in(t, e, TIMERS_BEYOND);
    } else if (r->timer.time_ns >= t->near_ns) {
        link_in(t, e, (uint32_t)((r->timer.time_ns - t->begins_ns) >> t->shift));
    } else {
        r->in = TIMERS_NEAR;
        t->heap = array_grown(sched_alloc, s, t->heap, &t->capacity, t->n_near, sizeof *t->heap);
        timer_heap_push(t, t->heap, t->n_near++, r->timer);
    }
}

static void take_out(struct timers *t, uint32_t e)
{
    struct timer_row *r = &t->row[e];
    if (r->in != TIMERS_NEAR) {
        unlink_from(t, r);
    } else if (r->at < --t->n_near) {
        timer_heap_put(t, t->heap, r->at, t->heap[t->n_near]);
        timer_heap_fix(t, t->heap, t->n_near, r->at);
    }
    r->in = NO_TIMER;
}

/* All of this list find their places anew. */
static void put_list(struct sched *s, struct timers *t, uint32_t in)
{
    uint32_t e = t->list[in];
    t->list[in] = ID_NONE;
    for (uint32_t next; e != ID_NONE; e = next) {
        next = t->row[e].next;
        put(s, t, e);
    }
}

/* ---- Nearer ---- */

/* The least of those beyond, and about the one in the middle, of a sample; the last if they are few. */
static void look_beyond(const struct timers *t, int64_t *least_ns, int64_t *middle_ns)
{
    int64_t sample[SAMPLE], most_ns = INT64_MIN;
    size_t n = 0, seen = 0, step = t->jobs.n / SAMPLE + 1;
    *least_ns = INT64_MAX;
    for (uint32_t e = t->list[TIMERS_BEYOND]; e != ID_NONE; e = t->row[e].next, seen++) {
        int64_t ns = t->row[e].timer.time_ns;
        *least_ns = ns < *least_ns ? ns : *least_ns;
        most_ns = ns > most_ns ? ns : most_ns;
        if (seen % step)
            continue;
        size_t at = n++;
        for (; at > 0 && sample[at - 1] > ns; at--)
            sample[at] = sample[at - 1];
        sample[at] = ns;
    }
    *middle_ns = t->jobs.n <= FEW ? most_ns : sample[n / 2];
}

/* Where so many buckets end. */
static int64_t edge_ns(const struct timers *t, uint32_t buckets)
{
    uint64_t room = (uint64_t)INT64_MAX - (uint64_t)t->begins_ns;
    return buckets > room >> t->shift ? INT64_MAX : t->begins_ns + ((int64_t)buckets << t->shift);
}

/* Some are beyond, none elsewhere. */
static void spread(struct sched *s, struct timers *t)
{
    int64_t middle_ns;
    look_beyond(t, &t->begins_ns, &middle_ns);
    size_t most = t->jobs.n / IN_A_BUCKET < TIMER_BUCKETS ? t->jobs.n / IN_A_BUCKET : TIMER_BUCKETS - 1;
    uint64_t span_ns = (uint64_t)middle_ns - (uint64_t)t->begins_ns;
    t->shift = 0;
    while (span_ns >> t->shift > most)
        t->shift++;
    t->n_buckets = (uint32_t)(span_ns >> t->shift) + 1;
    t->next_bucket = 0;
    t->near_ns = t->begins_ns;
    t->ends_ns = edge_ns(t, t->n_buckets);
    put_list(s, t, TIMERS_BEYOND);
}

static void open_bucket(struct sched *s, struct timers *t)
{
    uint32_t in = t->next_bucket++;
    t->near_ns = edge_ns(t, t->next_bucket);
    put_list(s, t, in);
}

/* The first is on top of the heap. false: there are none. */
static inline bool has_first(struct sched *s, struct timers *t)
{
    while (t->n_near < AHEAD && t->n_near < t->jobs.n) {
        if (t->next_bucket < t->n_buckets)
            open_bucket(s, t);
        else if (t->n_near)
            break;
        else
            spread(s, t);
    }
    return t->n_near > 0;
}

/* ---- Changes ---- */

/* Most that are set were the first just now. */
static uint32_t entry_of(struct sched *s, struct timers *t, job_id j, bool *is_new)
{
    *is_new = false;
    return t->n_near && t->heap[0].job == j ? t->heap[0].entry : entries_join(s, &t->jobs, j, is_new);
}

void timer_set(struct sched *s, struct timers *t, job_id j, int64_t time_ns)
{
    bool is_new;
    uint32_t e = entry_of(s, t, j, &is_new);
    if (is_new)
        t->row = array_covering(sched_alloc, s, t->row, &t->n_rows, e, sizeof *t->row);
    else
        take_out(t, e);
    t->row[e].timer = (struct timer){ time_ns, j, e };
    put(s, t, e);
}

void timer_drop(struct sched *s, struct timers *t, job_id j)
{
    uint32_t e = entries_leave(s, &t->jobs, j);
    if (e != ID_NONE)
        take_out(t, e);
}

bool timer_due(struct sched *s, struct timers *t, job_id *j, int64_t *time_ns)
{
    for (; has_first(s, t) && t->heap[0].time_ns <= sched_now(s); timer_drop(s, t, t->heap[0].job)) {
        if (timer_is_void(s, t->heap[0].job))
            continue;
        *j = t->heap[0].job;
        *time_ns = t->heap[0].time_ns;
        return true;
    }
    return false;
}

void timers_arm(struct sched *s, struct timers *t)
{
    while (has_first(s, t) && timer_is_void(s, t->heap[0].job))
        timer_drop(s, t, t->heap[0].job);
    if (!t->n_near || t->heap[0].time_ns <= sched_now(s) || t->heap[0].time_ns == t->armed_ns)
        return;
    t->armed_ns = t->heap[0].time_ns;
    sched_wake_at(s, t->armed_ns);
}
