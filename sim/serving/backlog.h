/* backlog.h - a first-in first-out queue of fluid; fluid that has waited for the timeout leaves.
 * Times in seconds.
 *
 * Fluid served at t has waited for the age of the head, which grows by 1 - capacity/(arrival rate
 * of the head) per second. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct backlog_part { double begin_s, end_s, rate; };        /* arrival times, rate of arrival */
struct backlog {
    struct backlog_part *part;    /* [n] oldest first, in use from `first` on */
    size_t first, n, room;
    double now_s;
    double timeout_s;             /* INFINITY: none */
};
/* the served fluid has waited from .. to, uniformly */
struct backlog_step { double passed_s, served, dropped, from_wait_s, to_wait_s; };

struct backlog backlog_new(double timeout_s);
void   backlog_free(struct backlog *b);
double backlog_amount(const struct backlog *b);
/* One step of constant speed from now_s on, at most to until_s, with arrivals at that rate. Of an
 * empty backlog with rate <= capacity call backlog_skip(). */
struct backlog_step backlog_advance(struct backlog *b, double rate, double capacity,
                                    double until_s);
bool   backlog_is_empty(const struct backlog *b);
void   backlog_skip(struct backlog *b, double until_s);      /* empty until then */
