/* cohort_stops.h - stops of a run of cohorts, and those without use: at the very time of which no job starts. It need not
 * be the preemptor: others may go before it. */
#pragma once
#include "sim/engine/run.h"
#include "tests/unit/test_core.h"

#include <string.h>

enum { STOPS_MOST = 4096 };
struct stops_seen {
    struct { int64_t time_ns; bool start; } event[STOPS_MOST];
    size_t n;
};

/* One decision of the run's log. */
static void stops_note(struct stops_seen *x, int64_t now_ns, const char *kind, const char *decision)
{
    bool start = !strcmp(kind, "start"), stop = !strcmp(kind, "stop") && !strcmp(decision, "preempted");
    if (!start && !stop)
        return;
    assert_true(x->n < STOPS_MOST);
    x->event[x->n].time_ns = now_ns;
    x->event[x->n++].start = start;
}

static void stops_count(const struct stops_seen *x, unsigned *stops, unsigned *in_vain)
{
    for (size_t i = 0; i < x->n; i++) {
        bool gained = x->event[i].start;
        for (size_t k = 0; k < x->n && !gained; k++)
            gained = x->event[k].start && x->event[k].time_ns == x->event[i].time_ns;
        *stops += !x->event[i].start;
        *in_vain += !gained;
    }
}
