/* spec_write_sessions.c - groups of interactive sessions as part of a workload file that reads back as the same. */
#include "traces/synth/spec_writer.h"

static void put_law(struct output *o, const char *name, const struct session_law *l)
{
    out_text(o, name);
    synth_law_write(o, &(struct synth_durations){ .law = l->law, .least_s = l->least_s, .most_s = l->most_s });
}

static void put_time(struct output *o, const char *before, int64_t ns)
{
    out_text(o, before);
    out_seconds(o, ns);
}

static void put_people(struct output *o, const struct session_spec *s)
{
    out_text(o, "  - group: ");
    put_name(o, s->name);
    out_text(o, "\n    users: ");
    out_integer(o, s->users);
    if (s->rate_per_h > 0)
        put(o, "\n    rate_per_h: ", s->rate_per_h);
    else
        put(o, "\n    per_user_weekday: ", s->per_user_weekday);
    put_list(o, "\n    daily: ", s->daily, 24);
    put_list(o, "\n    weekly: ", s->weekly, 7);
    out_char(o, '\n');
}

static void put_asks(struct output *o, const struct synth_sessions *g)
{
    put_sizes(o, &g->asks);
    out_text(o, "    node_gpus: ");
    out_integer(o, g->asks.node_gpus);
    out_text(o, "\n    cpus_per_gpu: ");
    out_decimal(o, g->asks.cpu_milli, 1000);
    put(o, "\n    memory_gib_per_gpu: ", (double)g->asks.mem_mib / 1024);
    if (g->queue) {
        out_text(o, "\n    queue: ");
        put_name(o, g->queue);
    }
    out_text(o, "\n    priority: ");
    out_integer(o, g->asks.priority);
    out_text(o, g->asks.preemptible ? "\n    preemptible: true\n" : "\n    preemptible: false\n");
}

static void put_ways(struct output *o, const struct session_spec *s)
{
    static const char *const cull[] = { [CULL_OFF] = "off", [CULL_RELEASE] = "release", [CULL_KILL] = "kill" };
    put_law(o, "    length: ", &s->length);
    put_law(o, "    think: ", &s->think);
    put_law(o, "    run: ", &s->run);
    put_law(o, "    patience: ", &s->patience);
    put(o, "    forgotten: ", s->forgotten);
    out_text(o, "\n    culling: { cull: ");
    out_text(o, cull[s->culling.how]);
    put_time(o, ", release_s: ", s->culling.release_ns);
    put_time(o, ", delete_s: ", s->culling.delete_ns);
    put_time(o, ", period_s: ", s->culling.period_ns);
    put(o, " }\n    cap_s: ", s->cap_s);
    put(o, "\n    start_up: { least_s: ", s->start_least_s);
    put(o, ", most_s: ", s->start_most_s);
    put(o, " }\n    slo: { start_s: ", s->slo_s);
    put(o, ", share: ", s->slo_share);
    put(o, " }\n    duty: ", s->duty);
    out_char(o, '\n');
}

void synth_sessions_write(struct output *o, const struct synth_spec *s)
{
    if (s->n_sessions)
        out_text(o, "sessions:\n");
    for (size_t i = 0; i < s->n_sessions; i++) {
        put_people(o, &s->sessions[i].is);
        put_asks(o, &s->sessions[i]);
        put_ways(o, &s->sessions[i].is);
    }
}
