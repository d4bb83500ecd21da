/* backlog.h - a queue of fluid, first in first out, whose oldest part leaves when it is older than the timeout. Times in seconds.
 *
 * What is served at t has waited for the age of the head. The age grows by 1 - capacity/(rate at which what is served arrived). */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct backlog_part { double begin_s, end_s, rate; };        /* when it arrived */
struct backlog {
    struct backlog_part *part;    /* [n] oldest first, from `first` on */
    size_t first, n, room;
    double now_s;
    double timeout_s;             /* INFINITY: none */
};
struct backlog_step { double passed_s, served, dropped, from_wait_s, to_wait_s; };     /* waits of what is served: from .. to, evenly */

struct backlog backlog_new(double timeout_s);
void   backlog_free(struct backlog *b);
double backlog_amount(const struct backlog *b);
/* One step of constant change from now_s on, at most until then; what arrives at that rate joins. Empty and rate <= capacity: call
 * backlog_skip() instead. */
struct backlog_step backlog_advance(struct backlog *b, double rate, double capacity, double until_s);
bool   backlog_is_empty(const struct backlog *b);
void   backlog_skip(struct backlog *b, double until_s);      /* nobody waits */
