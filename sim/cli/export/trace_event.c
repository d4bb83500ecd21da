/* trace_event.c - see trace_event.h. */
#include "sim/cli/export/trace_event.h"

#include "sim/base/units.h"

#include <jansson.h>

#define NS_PER_US 1000

static int put_bytes(const char *bytes, size_t length, void *o)
{
    out_bytes(o, bytes, length);
    return 0;
}

void trace_put_string(struct output *o, const char *text)
{
    json_t *s = json_string(text);
    if (!s)
        s = json_string("?");
    json_dump_callback(s, put_bytes, o, JSON_ENCODE_ANY);
    json_decref(s);
}

void trace_put_key(struct output *o, const char *key)
{
    out_char(o, ',');
    trace_put_string(o, key);
    out_char(o, ':');
}

void trace_put_pair(struct output *o, const char *key, int64_t number)
{
    trace_put_key(o, key);
    out_integer(o, number);
}

void trace_put_us(struct output *o, const char *key, int64_t ns)
{
    trace_put_key(o, key);
    out_decimal(o, ns, NS_PER_US);
}

void trace_put_text(struct output *o, const char *key, const char *text)
{
    if (!*text)
        return;
    trace_put_key(o, key);
    trace_put_string(o, text);
}

void trace_event_begins(struct trace_writer *t, const char *phase, const char *name, int64_t pid,
                        int64_t tid)
{
    struct output *o = t->o;
    out_text(o, t->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    t->any = true;
    out_text(o, phase);
    out_char(o, '"');
    trace_put_key(o, "name");
    trace_put_string(o, name);
    trace_put_pair(o, "pid", pid);
    trace_put_pair(o, "tid", tid);
}

void trace_event_ends(struct trace_writer *t)
{
    out_char(t->o, '}');
}

void trace_put_name(struct trace_writer *t, const char *what, int64_t pid, int64_t tid,
                    const char *name)
{
    trace_event_begins(t, "M", what, pid, tid);
    out_text(t->o, ",\"args\":{\"name\":");
    trace_put_string(t->o, name);
    out_char(t->o, '}');
    trace_event_ends(t);
}

void trace_put_order(struct trace_writer *t, const char *what, int64_t pid, int64_t tid,
                     int64_t place)
{
    trace_event_begins(t, "M", what, pid, tid);
    out_text(t->o, ",\"args\":{\"sort_index\":");
    out_integer(t->o, place);
    out_char(t->o, '}');
    trace_event_ends(t);
}
