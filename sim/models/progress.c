/* progress.c - see progress.h. */
#include "sim/models/progress.h"

#include <math.h>

void progress_begin(struct progress *p, int64_t since_ns, double rate)
{
    p->since_ns = since_ns;
    p->rate = rate;
}

int64_t progress_reaches_ns(const struct progress *p, int64_t left_ns)
{
    struct progress until = *p;
    until.left_ns -= left_ns;
    return until.left_ns < 0 ? p->since_ns : progress_end_ns(&until);
}

int64_t progress_end_ns(const struct progress *p)
{
    double exact = ((double)p->left_ns + p->left_part) / p->rate;
    int64_t wall = p->left_ns;
    if (p->rate != 1.0)
        wall = exact < 9.0e18 ? (int64_t)ceil(exact) : INT64_MAX;
    else if (p->left_part > 0.0)
        wall++;
    return wall > INT64_MAX - p->since_ns ? INT64_MAX : p->since_ns + wall;
}

void progress_settle(struct progress *p, int64_t now_ns)
{
    if (now_ns <= p->since_ns)
        return;
    int64_t wall = now_ns - p->since_ns;
    p->since_ns = now_ns;
    if (p->rate == 1.0) {
        p->left_ns -= wall;
    } else {
        double done = (double)wall * p->rate, whole = floor(done);
        p->left_ns -= (int64_t)whole;
        p->left_part -= done - whole;
        if (p->left_part < 0.0) {
            p->left_part += 1.0;
            p->left_ns--;
        }
    }
    if (p->left_ns < 0) {          /* the completion was rounded up to a whole nanosecond */
        p->left_ns = 0;
        p->left_part = 0.0;
    }
}

void progress_set_rate(struct progress *p, int64_t now_ns, double rate)
{
    progress_settle(p, now_ns);
    p->rate = rate;
}

void progress_roll_back(struct progress *p, int64_t lost_ns)
{
    p->left_ns += lost_ns;
}
