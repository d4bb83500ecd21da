/* write_past.c - see write_row.h. */
#include "traces/native/write_row.h"
#include "sim/workload/record.h"
#include "traces/native/running_on.h"

static const struct job_running *running(const struct row_of *j)
{
    return j->extra->running ? &j->w->running[j->extra->running - 1] : NULL;
}

bool past_is_running(const struct row_of *j)
{
    return running(j);
}

void past_put_running_on(struct output *o, const struct row_of *j)
{
    running_on_write(o, running(j)->on, running(j)->n);
}

bool past_has_started(const struct row_of *j)
{
    return running(j) && running(j)->ran_ns >= 0;
}

void past_put_started(struct output *o, const struct row_of *j)
{
    out_seconds(o, j->facts->submit_ns - running(j)->ran_ns);
}

bool past_is_leaving(const struct row_of *j)
{
    return running(j) && running(j)->leaving_ns >= 0;
}

void past_put_leaving(struct output *o, const struct row_of *j)
{
    out_seconds(o, running(j)->leaving_ns);
}

static job_id job_of(const struct row_of *j)
{
    return (job_id)(j->facts - j->w->facts);
}

bool past_has_wait(const struct row_of *j)
{
    return record_start_ns(j->w, job_of(j)) != TIME_NEVER;
}

void past_put_wait(struct output *o, const struct row_of *j)
{
    out_seconds(o, record_start_ns(j->w, job_of(j)) - j->facts->submit_ns);
}

bool past_has_place(const struct row_of *j)
{
    return record_place(j->w, job_of(j));
}

void past_put_place(struct output *o, const struct row_of *j)
{
    const struct record_place *p = record_place(j->w, job_of(j));
    running_on_write(o, p->on, p->n);
}

bool past_has_promise(const struct row_of *j)
{
    return promised_place(j->w, job_of(j));
}

void past_put_promise(struct output *o, const struct row_of *j)
{
    const struct record_place *p = promised_place(j->w, job_of(j));
    running_on_write(o, p->on, p->n);
}
