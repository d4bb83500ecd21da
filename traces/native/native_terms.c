/* native_terms.c - columns of a native trace: whose job it is and on what terms it came, and how it ended. */
#include "traces/native/native.h"
#include "traces/native/native_columns.h"

static bool has_user(const struct native_row *j)
{
    return j->facts->user != ID_NONE;
}
static void put_user(struct output *o, const struct native_row *j)
{
    out_csv(o, intern_text(j->w->users, j->facts->user));
}
static bool has_queue(const struct native_row *j)
{
    return *intern_text(j->w->queue_names, j->facts->queue);
}
static void put_queue(struct output *o, const struct native_row *j)
{
    out_csv(o, intern_text(j->w->queue_names, j->facts->queue));
}
static bool has_class(const struct native_row *j)
{
    return j->facts->class != CLASS_TRAINING;
}
static void put_class(struct output *o, const struct native_row *j)
{
    out_text(o, native_classes[j->facts->class]);
}
static bool has_priority(const struct native_row *j)
{
    return j->facts->priority != 0;
}
static void put_priority(struct output *o, const struct native_row *j)
{
    out_integer(o, j->facts->priority);
}
static bool is_fixed(const struct native_row *j)
{
    return !j->facts->preemptible;
}
static void put_fixed(struct output *o, const struct native_row *j)
{
    (void)j;
    out_text(o, "false");
}
static bool has_estimate(const struct native_row *j)
{
    return j->truth->estimate_ns != TIME_NEVER;
}
static void put_estimate(struct output *o, const struct native_row *j)
{
    out_seconds(o, j->truth->estimate_ns);
}
static bool has_deadline(const struct native_row *j)
{
    return j->facts->deadline_ns != TIME_NEVER;
}
static void put_deadline(struct output *o, const struct native_row *j)
{
    out_seconds(o, j->facts->deadline_ns);
}
static bool has_fate(const struct native_row *j)
{
    return j->truth->fate != FATE_COMPLETED;
}
static void put_fate(struct output *o, const struct native_row *j)
{
    out_text(o, native_fates[j->truth->fate]);
}

const struct native_column native_terms[NATIVE_LIST_MOST] = {
    { "user", has_user, put_user },             { "queue", has_queue, put_queue },
    { "class", has_class, put_class },          { "priority", has_priority, put_priority },
    { "preemptible", is_fixed, put_fixed },     { "estimate_s", has_estimate, put_estimate },
    { "deadline_s", has_deadline, put_deadline }, { "status", has_fate, put_fate },
};
