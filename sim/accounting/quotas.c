/* quotas.c - what each queue was owed and what it got: integrals over time, settled whenever its books change (models.md
 * 10.4). Exact integers; a state that lasted no time counts for nothing.
 *
 *   a  GPUs that its jobs hold: from their start until they have left, as in intervals.csv
 *   d  its demand: all that its jobs in the system ask for, running or waiting
 *   q  its deserved quota, as it is in force; without one: the whole cluster
 *   f  its fair share, below
 *
 *   owed min(q, d)   satisfied min(a, q, d)   fair min(f, d)   borrowed max(0, a - q)   unused max(0, q - a)
 *
 * A queue is short from the moment when a < min(q, d) until it is not: that long it took to reclaim its own. */
#include "sim/accounting/books.h"
#include "sim/accounting/quota_windows.h"
#include "sim/engine/state.h"
#include "sim/workload/early.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- Budgets: GPU-hours per month ---- */

enum { DAY_S = 86400, DAYS_WITHOUT_DATES = 30 };

static int days_of(const struct tm *t)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int year = t->tm_year + 1900;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[t->tm_mon] + (t->tm_mon == 1 && leap);
}

/* When the month ends that this time is in; the end itself is in the next. */
static int64_t month_end_ns(const struct sched *s, int64_t time_ns)
{
    int64_t origin_ns = s->workload->origin_ns;
    if (origin_ns == TIME_NEVER) {
        int64_t month_ns = (int64_t)DAYS_WITHOUT_DATES * DAY_S * NS_PER_S;
        return (time_ns / month_ns + 1) * month_ns;
    }
    int64_t date_ns = origin_ns + time_ns, date_s = date_ns / NS_PER_S - (date_ns % NS_PER_S < 0);
    struct tm t;
    gmtime_r(&(time_t){ date_s }, &t);
    int64_t since_s = (int64_t)(t.tm_mday - 1) * DAY_S + t.tm_hour * 3600 + t.tm_min * 60 + t.tm_sec;
    return (date_s - since_s + (int64_t)days_of(&t) * DAY_S) * NS_PER_S - origin_ns;
}

int64_t books_month_end_ns(const struct sched *s)
{
    return month_end_ns(s, s->now_ns);
}

static void budget_settle(struct sched *s, struct queue_books *b)
{
    while (b->month_end_ns <= s->now_ns) {
        b->held_before_month = b->quota.held + (int128_t)b->occupied_milli * (b->month_end_ns - b->since_ns);
        b->month_end_ns = month_end_ns(s, b->month_end_ns);
    }
}

bool books_budget_spent(struct sched *s, queue_id q)
{
    int64_t budget = s->cluster->queue[q].budget_gpu_milli_s;
    if (budget <= 0)
        return false;
    quota_settle(s, q);
    return s->books->queue[q].quota.held - s->books->queue[q].held_before_month >= (int128_t)budget * NS_PER_S;
}

/* ---- Being short ---- */

static void reclaim_add(struct queue_books *b, int64_t end_ns, bool open)
{
    mem_grow(&b->reclaim, &b->reclaim_capacity, b->n_reclaims, sizeof *b->reclaim);
    b->reclaim[b->n_reclaims++] = (struct run_reclaim){ b->short_since_ns, end_ns, open };
    b->short_since_ns = TIME_NEVER;
}

void quota_advance(struct sched *s, queue_id q)
{
    struct queue_books *b = &s->books->queue[q];
    struct run_quota *i = &b->quota;
    int64_t dt = s->now_ns - b->since_ns, a = b->occupied_milli, d = b->held.gpu_milli + b->pending.gpu_milli;
    if (s->books->budgets)
        budget_settle(s, b);
    if (dt == 0)
        return;
    usage_settle(s, b);
    int64_t owed = least(i->deserved_milli, d), got = least(a, owed), over = a - i->deserved_milli;
    i->held += (int128_t)a * dt;
    i->owed += (int128_t)owed * dt;
    i->satisfied += (int128_t)got * dt;
    i->fair += (int128_t)least(i->fair_milli, d) * dt;
    *(over > 0 ? &i->borrowed : &i->unused) += (int128_t)(over > 0 ? over : -over) * dt;
    if (i->deserves && got < owed && b->short_since_ns == TIME_NEVER)
        b->short_since_ns = b->since_ns;
    else if (got == owed && b->short_since_ns != TIME_NEVER)
        reclaim_add(b, b->since_ns, false);
    b->since_ns = s->now_ns;
}

void quotas_end(struct sched *s)
{
    for (queue_id q = 0; q < s->books->n; q++) {
        quota_settle(s, q);
        if (s->books->queue[q].short_since_ns != TIME_NEVER)
            reclaim_add(&s->books->queue[q], s->now_ns, true);
    }
}

/* ---- Fair shares ----
 * What a queue's parent has (above all: the cluster) goes to its children that have jobs in the trace: to each its deserved
 * quota, and of the rest a part by weight. Quotas that are more than there is are cut in proportion; without a quota a queue
 * lives of the rest. Rounded to a thousandth of a GPU. */

static void share_out(struct sched *s, struct queue_books *books, queue_id parent, double milli)
{
    const struct queue_facts *queue = s->cluster->queue;
    double deserved = 0, weight = 0;
    for (queue_id q = 0; q < s->cluster->n_queues; q++)
        if (queue[q].parent == parent && books[q].quota.used) {
            deserved += books[q].quota.deserves ? (double)books[q].quota.deserved_milli : 0;
            weight += queue[q].weight;
        }
    double cut = deserved > milli ? milli / deserved : 1, rest = fmax(0, milli - deserved);
    for (queue_id q = 0; q < s->cluster->n_queues; q++) {
        struct run_quota *i = &books[q].quota;
        if (queue[q].parent != parent || !i->used)
            continue;
        double own = (i->deserves ? (double)i->deserved_milli * cut : 0) + (weight > 0 ? queue[q].weight / weight * rest : 0);
        i->fair_milli = llround(own);
        if (queue[q].first_child != ID_NONE)
            share_out(s, books, q, own);
    }
}

static void begin_quota(struct sched *s, struct queue_books *b, int64_t deserved_milli, int64_t all_milli)
{
    b->quota.deserves = deserved_milli != UNLIMITED;
    b->quota.deserved_milli = b->quota.deserves ? deserved_milli : all_milli;
    b->quota.reported_milli = -1;
    b->month_end_ns = books_month_end_ns(s);
    b->since_ns = b->turned_ns = s->now_ns;
    b->short_since_ns = TIME_NEVER;
}

/* A queue takes part where it, or a queue below it, has a quota of the flavor. */
static void begin_flavor(struct sched *s, uint32_t flavor)
{
    struct queue_books *books = &s->books->queue[s->cluster->n_queues * (flavor + 1)];
    int64_t all = cluster_flavor_milli(s->cluster, flavor);
    for (queue_id q = 0; q < s->cluster->n_queues; q++) {
        struct quota quota;
        bool has = cluster_flavor_quota(s->cluster, q, flavor, &quota);
        begin_quota(s, &books[q], quota.deserved.gpu_milli, all);
        books[q].quota.used = has && s->books->queue[q].quota.used;
    }
    share_out(s, books, ID_NONE, (double)all);
}

/* The quotas in force have changed; what has been until now is settled. */
void quotas_changed(struct sched *s)
{
    int64_t all = s->cluster->gpus * MILLI_ALL;
    for (queue_id q = 0; q < s->cluster->n_queues; q++) {
        struct run_quota *i = &s->books->queue[q].quota;
        int64_t deserved_milli = s->queue[q].quota.deserved.gpu_milli;
        struct queue_books *b = &s->books->queue[q];
        quota_settle(s, q);
        b->deserved_before += (int128_t)i->deserved_milli * (s->now_ns - b->turned_ns);
        b->turned_ns = s->now_ns;
        i->deserves = deserved_milli != UNLIMITED;
        i->deserved_milli = i->deserves ? deserved_milli : all;
        books_shown(s, q);
    }
    share_out(s, s->books->queue, ID_NONE, (double)all);
}

void quotas_begin(struct sched *s)
{
    quota_windows_begin(s);
    const struct queue_facts *queue = s->queue;
    int64_t all = s->cluster->gpus * MILLI_ALL;
    for (queue_id q = 0; q < s->cluster->n_queues; q++) {
        begin_quota(s, &s->books->queue[q], queue[q].quota.deserved.gpu_milli, all);
        s->books->budgets = s->books->budgets || queue[q].budget_gpu_milli_s > 0;
    }
    for (queue_id q = 0; q < s->cluster->n_queues && s->quota_version; q++)
        books_shown(s, q);        /* queues.csv says what holds from the first instant on */
    uint32_t unused = s->cluster->n_queues;
    const job_id known = s->setup.early ? EARLY_FIRST : s->n_jobs;    /* these have each queue that a job has */
    for (job_id j = 0; j < known && unused; j++) {
        workload_pass(s->workload, j);
        for (queue_id q = s->workload->facts[j].queue; q != ID_NONE && !s->books->queue[q].quota.used; q = queue[q].parent) {
            s->books->queue[q].quota.used = true;
            unused--;
        }
    }
    share_out(s, s->books->queue, ID_NONE, (double)all);
    for (uint32_t f = 0; f < s->cluster->n_flavors; f++)
        begin_flavor(s, f);
}

/* ---- What came of it ---- */

const struct run_quota *run_queue_quota(const struct sched *s, queue_id q)
{
    return &s->books->queue[q].quota;
}

size_t run_queue_reclaims(const struct sched *s, queue_id q, const struct run_reclaim **list)
{
    *list = s->books->queue[q].reclaim;
    return s->books->queue[q].n_reclaims;
}
