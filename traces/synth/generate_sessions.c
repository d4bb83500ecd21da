/* generate_sessions.c - interactive sessions of a workload: drawn, and as jobs on demand. See synth.h. */
#include "sim/base/random.h"
#include "sim/sessions/draw_sessions.h"
#include "traces/synth/synth.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SESSIONS_MOST 10000000

struct session_naming { char *job; size_t room; char user[32]; };

/* Session 3 of group "lab" is "lab-3". What a policy is told of its run time is how long its user means to stay; its limit is the cap.
 * It has nothing to lose, so being stopped takes no time. */
static struct job_row row_of(const struct synth_sessions *g, const struct session *x, size_t k, int64_t cap_ns, const char *queue,
                             struct session_naming *n)
{
    struct job_row row = job_row_default;
    row.job_id = n->job;
    row.job_id_length = (size_t)snprintf(n->job, n->room, "%s-%zu", g->is.name, k + 1);
    row.user = n->user;
    row.user_length = (size_t)snprintf(n->user, sizeof n->user, "user%" PRIu32, x->user + 1);
    row.queue = queue;
    row.queue_length = strlen(queue);
    synth_row_size(&row, &g->asks, g->asks.size[x->size].gpu_milli);
    row.submit_ns = x->submit_ns;
    row.duration_ns = x->length_ns < cap_ns ? x->length_ns : cap_ns;
    row.estimate_ns = cap_ns;
    row.class = CLASS_INTERACTIVE;
    row.priority = g->asks.priority;
    row.preemptible = g->asks.preemptible;
    row.on_demand = true;
    row.duty = (struct duty){ (uint32_t)lround(g->is.duty * DUTY_ALL), DUTY_UNSAID };
    row.overhead = synth_on_demand_overhead;
    return row;
}

static int add_rows(const struct synth_sessions *g, const struct sessions *drawn, const struct synth_spec *s, const uint32_t *project_of,
                    const char *file, struct workload *w, struct error *err)
{
    struct session_naming n = { .room = strlen(g->is.name) + 32 };
    int result = 0;
    n.job = mem_new(n.room, 1);
    for (size_t k = 0; k < drawn->n && result == 0; k++) {
        const struct session *x = &drawn->session[k];
        struct job_row row = row_of(g, x, k, drawn->cap_ns, g->queue ? g->queue : s->projects.name[project_of[x->user]], &n);
        result = workload_add(w, &row, file, k + 1, err);
    }
    free(n.job);
    return result;
}

int synth_sessions_generate(const struct synth_spec *s, uint64_t seed, double until_s, const char *file, struct workload *w, struct error *err)
{
    struct session_groups *all = arena_alloc(w->memory, sizeof *all);
    uint32_t *project_of = synth_project_of(s);
    int result = until_s > 0 ? 0 : error_set(err, "%s: sessions: want 'span_s', in which they come", file);
    if (w->origin_ns == TIME_NEVER)                  /* else the trace's own dates count */
        w->origin_ns = s->start_ns;
    all->n = s->n_sessions;
    all->group = arena_alloc(w->memory, all->n * sizeof *all->group);
    w->sessions = all;
    for (size_t i = 0; i < s->n_sessions && result == 0; i++) {
        struct sessions *drawn = &all->group[i];
        if (!sessions_draw(drawn, &s->sessions[i].is, seed, w->origin_ns, until_s, SESSIONS_MOST, w->memory))
            result = error_set(err, "%s: sessions: %s: want at most %d", file, s->sessions[i].is.name, SESSIONS_MOST);
        else
            result = add_rows(&s->sessions[i], drawn, s, project_of, file, w, err);
        all->drawn = hash_u64(all->drawn + drawn->drawn) + drawn->n;
    }
    free(project_of);
    return result;
}
