/* budgets.c - GPU-hours per queue and month: when months end, and whether a queue has spent what it may. */
#include "sim/accounting/books.h"
#include "sim/engine/host.h"

#include <time.h>

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

int64_t sched_month_end_ns(const struct sched *s)
{
    return month_end_ns(s, s->now_ns);
}

void budget_settle(struct sched *s, struct queue_books *b)
{
    while (b->month_end_ns <= s->now_ns) {
        b->held_before_month = b->quota.held + (int128_t)b->occupied_milli * (b->month_end_ns - b->since_ns);
        b->month_end_ns = month_end_ns(s, b->month_end_ns);
    }
}

bool queue_budget_spent(struct sched *s, queue_id q)
{
    int64_t budget = s->cluster->queue[q].budget_gpu_milli_s;
    if (budget <= 0)
        return false;
    quota_settle(s, q);
    return s->books[q].quota.held - s->books[q].held_before_month >= (int128_t)budget * NS_PER_S;
}
