/* explain_session_text.c - what the story of an interactive session says in plain words where that of a job speaks of work. */
#include "sim/cli/explain/explain.h"
#include "sim/cli/explain/explain_say.h"

#include <math.h>
#include <string.h>

enum { LABEL = 16 };

static bool is(const char *a, const char *b)
{
    return !strcmp(a, b);
}

void explain_session_start(const json_t *story)
{
    const json_t *x = json_object_get(story, "session"), *slo_met = json_object_get(x, "slo_met");
    struct paragraph p;
    char when[INSTANT_MAX];
    FILE *to = say_begin(&p);
    double after = story_number(x, "time_to_start_s");
    if (isnan(after)) {
        fputs("never", to);
    } else {
        fprintf(to, "at %s, ", instant_text(when, story_number(x, "usable_s")));
        say_duration(to, after);
        fputs(" after it was submitted", to);
    }
    if (json_is_boolean(slo_met))
        fputs(json_is_true(slo_met) ? ": in time for its objective" : ": its objective is missed", to);
    say_end(&p, "usable", LABEL);
}

/* ---- What it cost ---- */

static void say_held(const json_t *story, const json_t *x)
{
    struct paragraph p;
    char active[HOURS_MAX], idle[HOURS_MAX], starting[HOURS_MAX];
    FILE *to = say_begin(&p);
    double held_s = story_number(story, "run_s"), share = story_number(x, "active_share");
    if (held_s > 0) {
        fputs("its GPUs for ", to);
        say_duration(to, held_s);
        fprintf(to, ": %s active, %s idle, %s starting up", gpu_hours_text(active, story_number(x, "active_gpu_h")),
                gpu_hours_text(idle, story_number(x, "idle_gpu_h")), gpu_hours_text(starting, story_number(x, "starting_gpu_h")));
    }
    if (!isnan(share))
        fprintf(to, "; it was active for %.1f%% of that, start-ups aside", 100 * share);
    say_end(&p, "held", LABEL);
}

/* Why a stay ended, if others ended it; NULL: it did so itself. */
static const char *taken_for(const json_t *run)
{
    static const char *const own[] = { "released", "closed", "culled", "expired", "abandoned", "lost", "cutoff", "" };
    const char *why = story_text(run, "ended_as"), *cause = story_text(run, "cause");
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (is(why, own[i]))
            return NULL;
    return *cause ? cause : why;
}

static size_t times_taken_for(const json_t *runs, const char *cause, size_t from, size_t until)
{
    size_t n = 0;
    for (size_t i = from; i < until; i++) {
        const char *of = taken_for(json_array_get(runs, i));
        n += of && is(of, cause);
    }
    return n;
}

static void say_given_up(const json_t *story, const json_t *x)
{
    const json_t *runs = json_object_get(story, "runs");
    double releases = story_number(x, "releases"), taken = story_number(x, "preemptions"), delayed_s = story_number(x, "delayed_s");
    size_t n = json_array_size(runs);
    struct paragraph p;
    FILE *to = say_begin(&p);
    if (releases > 0)
        fprintf(to, "its GPUs %.0f time%s, for it was idle", releases, say_plural(releases));
    say_end(&p, "released", LABEL);
    to = say_begin(&p);
    if (taken > 0)
        fprintf(to, "its GPUs %.0f time%s", taken, say_plural(taken));
    for (size_t i = 0, told = 0; i < n && taken > 0; i++) {
        const char *cause = taken_for(json_array_get(runs, i));
        if (cause && !times_taken_for(runs, cause, 0, i))
            fprintf(to, "%s%zu %s", told++ ? ", " : ": ", times_taken_for(runs, cause, i, n), cause);
    }
    say_end(&p, "taken", LABEL);
    to = say_begin(&p);
    if (delayed_s > 0) {
        fputs("its user, who had used it before, waited ", to);
        say_duration(to, delayed_s);
        fputs(" to go on", to);
    }
    say_end(&p, "delayed", LABEL);
}

void explain_session_cost(const json_t *story)
{
    const json_t *x = json_object_get(story, "session");
    say_held(story, x);
    say_given_up(story, x);
}

/* ---- How it ended ---- */

static const char *lost_as(const char *state)
{
    return is(state, "rejected") ? "refused by the cluster" : is(state, "failed") ? "failed once too often" : "cancelled by the policy";
}

void explain_session_outcome(const json_t *story)
{
    static const struct { const char *outcome, *words; } all[] = {
        { "closed", "closed by its user" }, { "culled", "culled: deleted for being idle" }, { "expired", "expired: it came to its cap" },
        { "abandoned", "abandoned: given up by its user" }, { "open", "not over when the run ended" },
    };
    const json_t *x = json_object_get(story, "session");
    const char *outcome = story_text(x, "outcome");
    const char *words = is(outcome, "lost") ? lost_as(story_text(story, "state")) : outcome;
    struct paragraph p;
    char when[INSTANT_MAX];
    FILE *to = say_begin(&p);
    double end_s = story_number(x, "end_s");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        words = is(all[i].outcome, outcome) ? all[i].words : words;
    fputs(words, to);
    if (!isnan(end_s)) {
        fprintf(to, " at %s, ", instant_text(when, end_s));
        say_duration(to, end_s - story_number(story, "submit_s"));
        fputs(" after it was submitted", to);
    }
    if (is(outcome, "abandoned")) {
        fputs("; the patience to wait for GPUs was ", to);
        say_duration(to, story_number(x, "patience_s"));
    }
    if (json_is_true(json_object_get(x, "forgotten")))
        fputs("; its user had gone without closing it", to);
    say_end(&p, "outcome", LABEL);
}
