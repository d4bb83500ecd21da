/* explain_session.c - what the story of a job has besides if it is that of an interactive session: from sessions.csv. */
#include "sim/cli/explain/explain.h"

#include <math.h>
#include <string.h>

static int take_session(void *self, const struct told_session *x, struct error *err)
{
    json_t *story = self;
    (void)err;
    if (strcmp(x->name, json_string_value(json_object_get(story, "job"))) != 0 || json_object_get(story, "session"))
        return 0;
    json_t *to = json_object();
    int64_t in_use_ns = x->active_gpu_ns + x->idle_gpu_ns;
    json_object_set_new(story, "session", to);
    put_text(to, "group", x->group);
    put_text(to, "outcome", x->outcome);
    put_seconds(to, "end_s", x->end_ns);
    put_seconds(to, "usable_s", x->usable_ns);
    put_seconds(to, "time_to_start_s", x->time_to_start_ns);
    json_object_set_new(to, "slo_met", *x->slo_met ? json_boolean(*x->slo_met == '1') : json_null());
    put_seconds(to, "patience_s", x->patience_ns);
    json_object_set_new(to, "forgotten", json_boolean(*x->forgotten == '1'));
    put_count(to, "releases", (uint64_t)x->releases);
    put_count(to, "preemptions", (uint64_t)x->taken);
    put_seconds(to, "delayed_s", x->delayed_ns);
    put_gpu_hours(to, "starting_gpu_h", (int128_t)x->starting_gpu_ns * 1000);
    put_gpu_hours(to, "active_gpu_h", (int128_t)x->active_gpu_ns * 1000);
    put_gpu_hours(to, "idle_gpu_h", (int128_t)x->idle_gpu_ns * 1000);
    put_number(to, "active_share", in_use_ns ? (double)x->active_gpu_ns / (double)in_use_ns : (double)NAN);
    return 0;
}

int explain_session(json_t *story, const char *directory, struct error *err)
{
    return explain_read(directory, &(struct listener){ .self = story, .session = take_session }, err) < 0 ? -1 : 0;
}
