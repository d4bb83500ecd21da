/* fault_trace.c - faults as they were recorded; see failures_file.h. */
#include "sim/base/intern.h"
#include "sim/io/json_file.h"
#include "sim/base/memory.h"
#include "sim/cluster/failures_file.h"

#include <stdlib.h>
#include <string.h>

#define DAYS_MOST 36500

struct trace {
    const char *file;
    struct error *err;
    struct intern *servers;
    struct given_fault *fault;
    struct { size_t fault; uint32_t deep; } *open; /* [servers] its fault that lasts; so many have begun and not ended */
    size_t n, capacity, open_capacity;
    int64_t last_ns;
    uint32_t n_nodes;
};

static enum fault_cause cause_of(const char *class)
{
    static const struct { const char *class; enum fault_cause cause; } classes[] = {
        { "GPU", FAULT_GPU }, { "Stress Test Failure", FAULT_STRESS }, { "Unknown Error", FAULT_UNKNOWN },
        { "Parameter Plane Cable", FAULT_CABLE }, { "Fan", FAULT_FAN }, { "NIC", FAULT_NIC },
        { "Power Supply", FAULT_POWER }, { "Training Task Troubleshooting", FAULT_TASK },
    };
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (strcmp(class, classes[i].class) == 0)
            return classes[i].cause;
    return FAULT_OTHER;
}

static int event_error(const struct trace *t, size_t event, const char *wanted)
{
    return error_set(t->err, "%s: event %zu: want %s", t->file, event + 1, wanted);
}

static int begins(struct trace *t, size_t event, uint32_t server, int64_t at_ns, const char *class)
{
    if (server >= t->n_nodes)
        return error_set(t->err, "%s: event %zu: more servers fail than the cluster's %u nodes", t->file, event + 1, t->n_nodes);
    if (t->open[server].deep++)
        return 0; /* out of service already */
    t->open[server].fault = t->n;
    mem_grow(&t->fault, &t->capacity, t->n, sizeof *t->fault);
    t->fault[t->n++] = (struct given_fault){ .node = server, .gpu = UINT32_MAX, .at_ns = at_ns, .cause = (uint8_t)cause_of(class) };
    return 0;
}

static int ends(struct trace *t, size_t event, uint32_t server, int64_t at_ns)
{
    if (!t->open[server].deep)
        return event_error(t, event, "the end of a fault that has begun");
    struct given_fault *g = &t->fault[t->open[server].fault];
    g->repair_ns = at_ns - g->at_ns;
    t->open[server].deep--;
    return 0;
}

static int take_event(struct trace *t, size_t event, const json_t *e)
{
    const char *server = json_string_value(json_object_get(e, "node_id"));
    const char *type = json_string_value(json_object_get(e, "event_type"));
    const char *class = json_string_value(json_object_get(json_object_get(e, "fault_type"), "Class"));
    const json_t *time = json_object_get(e, "event_time");
    double days = json_number_value(time);
    if (!server || !type || !class || !json_is_number(time))
        return event_error(t, event, "{ node_id, event_time, event_type, fault_type: { Class } }");
    bool start = strcmp(type, "fault_start") == 0;
    if (!start && strcmp(type, "fault_end") != 0)
        return event_error(t, event, "an event_type fault_start or fault_end");
    if (!(days >= 0 && days <= DAYS_MOST))
        return event_error(t, event, "an event_time from 0 to 36500 days");
    int64_t at_ns = ns_of_seconds(days * 86400);
    if (at_ns < t->last_ns)
        return event_error(t, event, "events in the order of time");
    t->last_ns = at_ns;
    uint32_t before = intern_count(t->servers), k = intern_add(t->servers, server, strlen(server));
    if (k == before) {
        mem_grow(&t->open, &t->open_capacity, k, sizeof *t->open);
        t->open[k].deep = 0;
    }
    return start ? begins(t, event, k, at_ns, class) : ends(t, event, k, at_ns);
}

static int take_all(struct trace *t, const json_t *whole)
{
    if (!json_is_array(whole))
        return error_set(t->err, "%s: want a list of events", t->file);
    for (size_t i = 0; i < json_array_size(whole); i++)
        if (take_event(t, i, json_array_get(whole, i)))
            return -1;
    for (uint32_t k = 0; k < intern_count(t->servers); k++)
        while (t->open[k].deep)
            ends(t, 0, k, t->last_ns);
    return 0;
}

static void append(const struct trace *t, struct cluster *c, struct failures *f)
{
    struct given_fault *all = arena_alloc(c->memory, (f->n_given + t->n + 1) * sizeof *all);
    memcpy(all, f->given, f->n_given * sizeof *all);
    for (size_t i = 0; i < t->n; i++) {
        if (t->fault[i].repair_ns <= 0)
            continue; /* over as it begins */
        all[f->n_given] = t->fault[i];
        all[f->n_given++].detection_ns = f->detection_ns;
    }
    f->given = all;
}

int fault_trace_read(const char *path, struct cluster *c, struct failures *f, struct error *err)
{
    json_t *whole = strcmp(path, "-") ? json_file_read(path, err) : NULL;
    if (!whole)
        return strcmp(path, "-") ? -1 : error_set(err, "-: want a file with recorded faults");
    struct trace t = { .file = path, .err = err, .servers = intern_new(), .n_nodes = c->n_nodes };
    int result = take_all(&t, whole);
    if (result == 0)
        append(&t, c, f);
    json_decref(whole);
    intern_free(t.servers);
    free(t.fault);
    free(t.open);
    return result;
}
