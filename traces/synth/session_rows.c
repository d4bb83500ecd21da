/* session_rows.c - interactive sessions, drawn or recorded, become rows of a workload: see synth.h. */
#include "sim/base/random.h"
#include "sim/models/draws/shares.h"
#include "sim/sessions/draw_sessions.h"
#include "traces/synth/session_list.h"
#include "traces/synth/synth.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SESSIONS_MOST 10000000

/* What becomes rows. */
struct group_rows {
    const struct synth_sessions *of;
    const struct sessions *drawn;
    uint64_t seed;
    struct shares *wants;         /* [(1 + kinds) x SESSION_WANTS] of the group, then of each kind */
    uint64_t wanted;              /* hash of what was drawn by them; 0: nothing is */
};
struct naming { char *job, *user; size_t room; };

/* ---- What a session wants of its GPUs ---- */

static size_t kinds_of(const struct synth_sessions *g)
{
    return g->kind ? g->is.n_kinds : 0;
}

static const struct session_wants *wants_at(const struct synth_sessions *g, size_t i)
{
    return i ? &g->kind[i - 1] : &g->wants;
}

static void begin_wants(struct group_rows *r)
{
    size_t n = 1 + kinds_of(r->of);
    r->wants = mem_new(n * SESSION_WANTS, sizeof *r->wants);
    for (size_t i = 0; i < n * SESSION_WANTS; i++) {
        const struct session_wants *wants = wants_at(r->of, i / SESSION_WANTS);
        const struct synth_names *names = &wants->of[i % SESSION_WANTS];
        if (names->n)
            r->wants[i] = shares_of(names->weight, names->n);
    }
}

static void end_wants(struct group_rows *r)
{
    for (size_t i = 0; i < (1 + kinds_of(r->of)) * SESSION_WANTS; i++)
        shares_free(&r->wants[i]);
    free(r->wants);
}

/* That of its kind, else of the group; NULL: none. */
static const char *wanted(struct group_rows *r, size_t k, int what)
{
    static const char *const purpose[SESSION_WANTS] = {
        [SESSION_GPU_TYPES] = "session gpu type",
        [SESSION_MIGS] = "session mig",
        [SESSION_MODELS] = "session model",
    };
    size_t i = kinds_of(r->of) ? 1 + (size_t)r->drawn->session[k].kind : 0;
    if (!wants_at(r->of, i)->of[what].n)
        i = 0;
    const struct synth_names *names = &wants_at(r->of, i)->of[what];
    if (!names->n)
        return NULL;
    const struct shares *among = &r->wants[i * SESSION_WANTS + (size_t)what];
    size_t which = sessions_choose(&r->of->is, r->seed, purpose[what], k, among);
    const char *name = names->name[which];
    r->wanted = hash_bytes(name, strlen(name), hash_u64(r->wanted + which + 1));
    return synth_is_default_name(name) ? NULL : name;
}

static void set_text(const char *text, const char **to, size_t *length)
{
    if (!text)
        return;
    *to = text;
    *length = strlen(text);
}

static void set_gpus(struct job_row *row, struct group_rows *r, size_t k)
{
    const struct synth_sessions *g = r->of;
    const struct session_record *as = g->list ? &g->list->record[k] : NULL;
    const char *mig = as ? NULL : wanted(r, k, SESSION_MIGS);
    synth_row_size(row, &g->asks,
                   as ? as->gpu_milli : g->asks.size[r->drawn->session[k].size].gpu_milli);
    row->mig = as ? as->mig : mig ? mig_profile(mig) : 0;
    set_text(as ? as->gpu_type : wanted(r, k, SESSION_GPU_TYPES), &row->gpu_type,
             &row->gpu_type_length);
    set_text(as ? as->model : wanted(r, k, SESSION_MODELS), &row->model, &row->model_length);
}

/* ---- Rows ---- */

/* Session 3 of group "lab" is "lab-3", unless it was recorded by another name. */
static void set_names(struct job_row *row, const struct group_rows *r, size_t k, struct naming *n)
{
    const struct synth_sessions *g = r->of;
    const struct session_record *as = g->list ? &g->list->record[k] : NULL;
    uint32_t user = r->drawn->session[k].user + 1;
    snprintf(n->job, n->room, "%s-%zu", g->is.name, k + 1);
    if (g->list)
        snprintf(n->user, n->room, "%s-user%" PRIu32, g->is.name, user);
    else
        snprintf(n->user, n->room, "user%" PRIu32, user);
    set_text(as && as->name ? as->name : n->job, &row->job_id, &row->job_id_length);
    set_text(as && as->user ? as->user : n->user, &row->user, &row->user_length);
}

/* A policy sees its intended length as the run time; its limit is the cap. It has no progress to
 * lose, so a stop takes no time. */
static struct job_row session_row(struct group_rows *r, size_t k, const char *queue,
                                  struct naming *n)
{
    const struct synth_sessions *g = r->of;
    const struct session *x = &r->drawn->session[k];
    int64_t cap_ns = r->drawn->cap_ns;
    struct job_row row = job_row_default;
    set_names(&row, r, k, n);
    set_text(queue, &row.queue, &row.queue_length);
    set_gpus(&row, r, k);
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

static int add_rows(struct group_rows *r, const struct synth_spec *s, const uint32_t *project_of,
                    const char *file, struct workload *w, struct error *err)
{
    const struct synth_sessions *g = r->of;
    struct naming n = { .room = strlen(g->is.name) + 32 };
    int result = 0;
    n.job = mem_new(n.room, 1);
    n.user = mem_new(n.room, 1);
    begin_wants(r);
    for (size_t k = 0; k < r->drawn->n && result == 0; k++) {
        uint32_t user = r->drawn->session[k].user % s->users;
        const char *queue = g->queue ? g->queue : s->projects.name[project_of[user]];
        struct job_row row = session_row(r, k, queue, &n);
        result = g->list ? workload_add(w, &row, g->recorded, g->list->record[k].line, err)
                         : workload_add(w, &row, file, k + 1, err);
    }
    end_wants(r);
    free(n.job);
    free(n.user);
    return result;
}

/* Recorded ones as far as the span of the file goes, if it has one. */
static size_t recorded_within(const struct session_list *l, double span_s)
{
    size_t n = 0;
    while (n < l->n && (span_s <= 0 || seconds(l->session[n].submit_ns) < span_s))
        n++;
    return n;
}

static int draw_group(const struct synth_spec *s, size_t i, uint64_t seed, double until_s,
                      struct sessions *to, const char *file, struct workload *w, struct error *err)
{
    const struct synth_sessions *g = &s->sessions[i];
    if (g->list) {
        sessions_replay(to, &g->is, seed, g->list->session, recorded_within(g->list, s->span_s),
                        w->memory);
        return 0;
    }
    if (!(until_s > 0))
        return error_set(err, "%s: sessions: want 'span_s', in which they come", file);
    if (!sessions_draw(to, &g->is, seed, w->origin_ns, until_s, SESSIONS_MOST, w->memory))
        return error_set(err, "%s: sessions: %s: want at most %d", file, g->is.name, SESSIONS_MOST);
    return 0;
}

int synth_sessions_generate(const struct synth_spec *s, uint64_t seed, double until_s,
                            const char *file, struct workload *w, struct error *err)
{
    struct session_groups *all = arena_alloc(w->memory, sizeof *all);
    uint32_t *project_of = synth_project_of(s);
    int result = 0;
    if (w->origin_ns == TIME_NEVER)                  /* the trace has no dates of its own */
        w->origin_ns = s->start_ns;
    all->n = s->n_sessions;
    all->group = arena_alloc(w->memory, all->n * sizeof *all->group);
    w->sessions = all;
    for (size_t i = 0; i < s->n_sessions && result == 0; i++) {
        struct sessions *drawn = &all->group[i];
        struct group_rows r = { .of = &s->sessions[i], .drawn = drawn, .seed = seed };
        result = draw_group(s, i, seed, until_s, drawn, file, w, err) ||
                         add_rows(&r, s, project_of, file, w, err)
                     ? -1
                     : 0;
        all->drawn = hash_u64(all->drawn + drawn->drawn + r.wanted) + drawn->n;
    }
    free(project_of);
    return result;
}
