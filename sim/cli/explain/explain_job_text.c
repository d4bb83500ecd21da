/* explain_job_text.c - the story of one job or session as text. See explain.h. */
#include "sim/cli/explain/explain.h"

#include "sim/cli/explain/paragraph.h"

#include <math.h>
#include <string.h>

/* ==== What differs for a session ==== */

enum { LABEL = 16, STEP = 18, DATED_STEP = 23, STEPS_MAX = 30, PLACES_MAX = 4, STOPPED_MAX = 10 };

static bool is(const char *a, const char *b)
{
    return !strcmp(a, b);
}

static void explain_session_start(const json_t *story)
{
    const json_t *x = json_object_get(story, "session"), *slo_met = json_object_get(x, "slo_met");
    struct paragraph p;
    char when[INSTANT_MAX];
    FILE *to = paragraph_begin(&p);
    double after = story_number(x, "time_to_start_s");
    if (isnan(after)) {
        fputs("never", to);
    } else {
        fprintf(to, "at %s, ", instant_text(when, story, story_number(x, "usable_s")));
        write_duration(to, after);
        fputs(" after it was submitted", to);
    }
    if (json_is_boolean(slo_met))
        fputs(json_is_true(slo_met) ? ": in time for its objective" : ": its objective is missed",
              to);
    paragraph_end(&p, "usable", LABEL);
}

/* ---- Costs ---- */

static void print_held(const json_t *story, const json_t *x)
{
    struct paragraph p;
    char active[HOURS_MAX], idle[HOURS_MAX], starting[HOURS_MAX];
    FILE *to = paragraph_begin(&p);
    double held_s = story_number(story, "run_s"), share = story_number(x, "active_share");
    if (held_s > 0) {
        fputs("its GPUs for ", to);
        write_duration(to, held_s);
        fprintf(to, ": %s active, %s idle, %s starting up",
                gpu_hours_text(active, story_number(x, "active_gpu_h")),
                gpu_hours_text(idle, story_number(x, "idle_gpu_h")),
                gpu_hours_text(starting, story_number(x, "starting_gpu_h")));
    }
    if (!isnan(share))
        fprintf(to, "; it was active for %.1f%% of that, without start-ups", 100 * share);
    paragraph_end(&p, "held", LABEL);
}

/* Why others ended a stay; NULL: the session ended it. */
static const char *revoked_for(const json_t *run)
{
    static const char *const own[] = { "released",  "closed", "culled", "expired",
                                       "abandoned", "lost",   "cutoff", "" };
    const char *why = story_text(run, "ended_as"), *cause = story_text(run, "cause");
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (is(why, own[i]))
            return NULL;
    return *cause ? cause : why;
}

static size_t times_revoked_for(const json_t *runs, const char *cause, size_t from, size_t until)
{
    size_t n = 0;
    for (size_t i = from; i < until; i++) {
        const char *of = revoked_for(json_array_get(runs, i));
        n += of && is(of, cause);
    }
    return n;
}

static void print_given_up(const json_t *story, const json_t *x)
{
    const json_t *runs = json_object_get(story, "runs");
    double releases = story_number(x, "releases"), taken = story_number(x, "preemptions"),
           delayed_s = story_number(x, "delayed_s");
    size_t n = json_array_size(runs);
    struct paragraph p;
    FILE *to = paragraph_begin(&p);
    if (releases > 0)
        fprintf(to, "its GPUs %.0f time%s, as it was idle", releases, plural_ending(releases));
    paragraph_end(&p, "released", LABEL);
    to = paragraph_begin(&p);
    if (taken > 0)
        fprintf(to, "its GPUs %.0f time%s", taken, plural_ending(taken));
    for (size_t i = 0, listed = 0; i < n && taken > 0; i++) {
        const char *cause = revoked_for(json_array_get(runs, i));
        if (cause && !times_revoked_for(runs, cause, 0, i))
            fprintf(to, "%s%zu %s", listed++ ? ", " : ": ", times_revoked_for(runs, cause, i, n),
                    cause);
    }
    paragraph_end(&p, "taken", LABEL);
    to = paragraph_begin(&p);
    if (delayed_s > 0) {
        fputs("its user waited ", to);
        write_duration(to, delayed_s);
        fputs(" to continue", to);
    }
    paragraph_end(&p, "delayed", LABEL);
}

static void explain_session_cost(const json_t *story)
{
    const json_t *x = json_object_get(story, "session");
    print_held(story, x);
    print_given_up(story, x);
}

/* ---- Outcome ---- */

static const char *lost_as(const char *state)
{
    return is(state, "rejected") ? "refused by the cluster"
           : is(state, "failed") ? "failed once too often"
                                 : "cancelled by the policy";
}

static void explain_session_outcome(const json_t *story)
{
    static const struct { const char *outcome, *words; } all[] = {
        { "closed", "closed by its user" }, { "culled", "culled: deleted for being idle" },
        { "expired", "expired: it reached its time limit" },
        { "abandoned", "abandoned: given up by its user" }, { "open",
                                                              "not over when the run ended" },
    };
    const json_t *x = json_object_get(story, "session");
    const char *outcome = story_text(x, "outcome");
    const char *words = is(outcome, "lost") ? lost_as(story_text(story, "state")) : outcome;
    struct paragraph p;
    char when[INSTANT_MAX];
    FILE *to = paragraph_begin(&p);
    double end_s = story_number(x, "end_s");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        words = is(all[i].outcome, outcome) ? all[i].words : words;
    fputs(words, to);
    if (!isnan(end_s)) {
        fprintf(to, " at %s, ", instant_text(when, story, end_s));
        write_duration(to, end_s - story_number(story, "submit_s"));
        fputs(" after it was submitted", to);
    }
    if (is(outcome, "abandoned")) {
        fputs("; the patience to wait for GPUs was ", to);
        write_duration(to, story_number(x, "patience_s"));
    }
    if (json_is_true(json_object_get(x, "forgotten")))
        fputs("; its user had left without closing it", to);
    paragraph_end(&p, "outcome", LABEL);
}

/* ==== The job ==== */

static void print_ask(const json_t *story)
{
    struct paragraph p;
    FILE *to = paragraph_begin(&p);
    double tasks = story_number(story, "tasks"), least = story_number(story, "min_tasks");
    const json_t *session = json_object_get(story, "session");
    fputs(session ? "session " : "job ", to);
    write_name(to, story_text(story, "job"));
    fputs(" of queue ", to);
    write_name(to, story_text(story, "queue"));
    if (session) {
        fputs(", group ", to);
        write_name(to, story_text(session, "group"));
    }
    if (*story_text(story, "user")) {
        fputs(", user ", to);
        write_name(to, story_text(story, "user"));
    }
    fprintf(to, ", %s: ", story_text(story, "class"));
    write_gpus(to, story_number(story, "gpus"));
    if (tasks > 0)
        fprintf(to, " in %.0f task%s", tasks, plural_ending(tasks));
    if (least < tasks)
        fprintf(to, ", at least %.0f at a time", least);
    if (*story_text(story, "gpu_type")) {
        fputs(", of model ", to);
        write_name(to, story_text(story, "gpu_type"));
    }
    paragraph_end(&p, "", 2);
}

static void print_reservations(const json_t *story)
{
    const json_t *names = json_object_get(story, "reservations");
    struct paragraph p;
    FILE *to = paragraph_begin(&p);
    for (size_t i = 0; i < json_array_size(names); i++) {
        fputs(i ? ", " : "", to);
        write_name(to, json_string_value(json_array_get(names, i)));
    }
    paragraph_end(&p, "reservations", LABEL);
}

static void print_wait(const json_t *story)
{
    struct paragraph p;
    FILE *to = paragraph_begin(&p);
    double first = story_number(story, "start_s") - story_number(story, "submit_s"),
           all = story_number(story, "wait_s");
    if (all == 0 && !isnan(first))
        fputs("not at all", to);
    if (first != all && !isnan(first)) {
        write_duration(to, first);
        fputs(" until its first start, in all ", to);
    }
    if (all > 0)
        write_duration(to, all);
    if (isnan(first))
        fputs(all > 0 ? ", and never started" : "no time, and never started", to);
    paragraph_end(&p, "waited", LABEL);
    print_waits(story, LABEL + 2);
    print_reservations(story);
}

static void print_meanwhile(const json_t *story)
{
    struct paragraph p;
    FILE *to = paragraph_begin(&p);
    const json_t *m = json_object_get(story, "meanwhile"),
                 *names = json_object_get(m, "first_of_these");
    double started = story_number(m, "started"), others = story_number(m, "of_other_queues");
    double later = story_number(m, "submitted_later");
    if (started > 0) {
        fprintf(to, "%.0f job%s with ", started, plural_ending(started));
        write_gpus(to, story_number(m, "gpus"));
        fprintf(to, " started for the first time, %.0f of other queues", others);
        fprintf(to, "; %.0f of them %s submitted later%s", later, later == 1 ? "was" : "were",
                later > 0 ? ": " : "");
        for (size_t i = 0; i < json_array_size(names); i++) {
            fputs(i ? ", " : "", to);
            write_name(to, story_text(json_array_get(names, i), "job"));
        }
        fputs(later > (double)json_array_size(names) ? " ..." : "", to);
    }
    paragraph_end(&p, "meanwhile", LABEL);
}

/* ---- Step by step ---- */

static void write_places(FILE *to, const json_t *list)
{
    size_t n = json_array_size(list);
    for (size_t i = 0; i < n && i < PLACES_MAX; i++) {
        const json_t *place = json_array_get(list, i);
        double share = story_number(place, "share");
        fprintf(to, "%s node %s", i ? "," : " on", story_text(place, "node"));
        if (*story_text(place, "gpu_ids"))
            fprintf(to, " GPU %s", story_text(place, "gpu_ids"));
        else if (story_number(place, "gpus") > 0)
            fprintf(to, " (%.0f)", story_number(place, "gpus"));
        if (share > 0 && share < 1)
            fprintf(to, " (%.3g of it)", share);
    }
    if (n > PLACES_MAX)
        fprintf(to, " and %zu more", n - PLACES_MAX);
}

static void write_end_of(FILE *to, const json_t *run)
{
    static const struct { const char *why, *words; } ends[] = {
        { "done", "it completed" }, { "failed", "it failed" }, { "cancelled", "it was cancelled" },
        { "preempted", "it was preempted" }, { "moved", "it was moved" }, { "cutoff",
            "the run was cut off" },
        { "fault", "a failure stopped it" }, { "maintenance", "its nodes went into maintenance" },
        { "reclaimed", "one of its spot nodes was reclaimed" },
        { "reservation", "its nodes were reserved for others" },
        { "released", "it was idle and released them" }, { "closed", "its user closed it" },
        { "culled", "it was deleted for being idle" }, { "expired", "it reached its time limit" },
        { "withdrawn", "it was no longer needed" },
        { "resized", "it was resized" }, { "broken", "a task of its gang was stopped" },
    };
    const char *why = story_text(run, "ended_as"), *cause = story_text(run, "cause");
    const char *words = why;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        words = strcmp(ends[i].why, why) ? words : ends[i].words;
    fprintf(to, ", until %s", words);
    if (*story_text(run, "stopped_for")) {
        fputs(" for job ", to);
        write_name(to, story_text(run, "stopped_for"));
        fputs(" of queue ", to);
        write_name(to, story_text(run, "for_queue"));
    }
    if (*cause && strcmp(cause, "move") && strcmp(cause, "policy"))
        fprintf(to, " (%s)", cause);
}

static void write_run(FILE *to, const json_t *run, bool first)
{
    const char *why = story_text(run, "ended_as");
    if (!strcmp(why, "gang") || !strcmp(why, "saved"))
        fputs(!strcmp(why, "gang") ? "waits for the rest of its gang" : "saves the state of a task",
              to);
    else
        fputs(first ? "starts" : "runs again", to);
    write_places(to, json_object_get(run, "places"));
    fputs(", holds them for ", to);
    write_duration(to, story_number(run, "end_s") - story_number(run, "start_s"));
    if (strcmp(why, "gang") && strcmp(why, "saved"))
        write_end_of(to, run);
}

static void write_waited(FILE *to, const json_t *parts)
{
    double all = 0;
    for (size_t i = 0; i < json_array_size(parts); i++)
        all += story_number(json_array_get(parts, i), "s");
    fputs("has waited ", to);
    write_duration(to, all);
    for (size_t i = 0; i < json_array_size(parts); i++) {
        const json_t *part = json_array_get(parts, i);
        fputs(i ? ", " : json_array_size(parts) > 1 ? ": " : "", to);
        if (json_array_size(parts) > 1)
            write_duration(to, story_number(part, "s"));
        fprintf(to, " because %s", story_text(part, "because"));
    }
}

static void write_decision(FILE *to, const json_t *d)
{
    static const struct { const char *decision, *words; } all[] = {
        { "claim", "claims GPUs that other jobs are releasing" }, { "gather",
                                                                    "holds GPUs for its incomplete gang" },
        { "held", "is held until its dependencies have ended" }, { "promise",
                                                                   "gets a reservation:" },
                                                                   { "refuse", "is refused:" },
        { "cancelled", "is cancelled: it" },
        { "preempted", "is preempted" }, { "moved", "is moved" }, { "broken", "loses a task" },
        { "fault", "is interrupted by a failure:" }, { "maintenance", "is drained for" },
        { "reclaimed", "is evicted, as its spot node is reclaimed:" },
        { "reservation", "is stopped, as its nodes are reserved for others:" },
        { "met", "arrives: its dependencies are met" },
        { "again", "is used again, and requests GPUs" },
        { "unclaim", "loses its claim: the GPUs are out of service" },
    };
    const char *what = story_text(d, "decision"), *reason = story_text(d, "reason");
    if (!strcmp(what, "wait")) {
        write_waited(to, json_object_get(d, "waited"));
        return;
    }
    if (!strcmp(what, "blocked")) {
        fprintf(to, "waits from now on because %s", story_text(d, "because"));
        return;
    }
    const char *words = what;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        words = strcmp(all[i].decision, what) ? words : all[i].words;
    fputs(words, to);
    if (!strcmp(what, "preempted") || !strcmp(what, "broken"))
        fputs(*reason ? " for job" : "", to);
    if (*reason && strcmp(what, "held")) {
        putc(' ', to);
        write_name(to, reason);
    }
}

/* Runs and decisions merged by time. */
static void print_steps(const json_t *story)
{
    const json_t *runs = json_object_get(story, "runs"),
                 *decisions = json_object_get(story, "decisions");
    size_t r = 0, d = 0, n_runs = json_array_size(runs), n = n_runs + json_array_size(decisions),
           shown = 0;
    if (n)
        putchar('\n');
    while (r + d < n) {
        const json_t *run = json_array_get(runs, r), *decision = json_array_get(decisions, d);
        bool decided = decision &&
                       !(run && story_number(run, "start_s") < story_number(decision, "time_s"));
        const json_t *step = decided ? decision : run;
        bool first = r == 0;
        *(decided ? &d : &r) += 1;
        if (shown++ == STEPS_MAX / 2 && n > STEPS_MAX)
            printf("  ... %zu steps more ...\n", n - STEPS_MAX);
        if (n > STEPS_MAX && shown > STEPS_MAX / 2 && shown <= n - STEPS_MAX / 2)
            continue;
        struct paragraph p;
        char when[INSTANT_MAX];
        FILE *to = paragraph_begin(&p);
        if (decided)
            write_decision(to, step);
        else
            write_run(to, step, first);
        paragraph_end(&p, instant_text(when, story,
                                       story_number(step, decided ? "time_s" : "start_s")),
                      isnan(story_number(story, "origin_unix_s")) ? STEP : DATED_STEP);
    }
}

/* ---- Costs and outcome ---- */

/* Stops by failures and maintenance. */
static double times_interrupted(const json_t *story)
{
    const json_t *runs = json_object_get(story, "runs");
    double n = 0;
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const char *as = story_text(json_array_get(runs, i), "ended_as");
        n += !strcmp(as, "fault") || !strcmp(as, "maintenance");
    }
    return n;
}

static void print_cost(const json_t *story)
{
    struct paragraph p;
    FILE *to = paragraph_begin(&p);
    double stops = story_number(story, "preemptions") + times_interrupted(story);
    char lost[HOURS_MAX], overhead[HOURS_MAX];
    if (stops > 0)
        fprintf(to, "stopped %.0f time%s: %s of work lost, %s of starting and saving", stops,
                plural_ending(stops), gpu_hours_text(lost, story_number(story, "lost_gpu_h")),
                gpu_hours_text(overhead, story_number(story, "overhead_gpu_h")));
    paragraph_end(&p, "cost", LABEL);
}

/* Checkpoints, images and data, if the run has these columns and they are not zero. */
static void print_parts(const json_t *story)
{
    struct paragraph p;
    char hours[HOURS_MAX];
    double checkpoints = story_number(story, "checkpoints"), read = story_number(story, "read_gib"),
           cached = story_number(story, "cached_gib");
    FILE *to = paragraph_begin(&p);
    if (checkpoints > 0)
        fprintf(to, "%.0f written; it was stalled for %s meanwhile", checkpoints,
                gpu_hours_text(hours, story_number(story, "checkpoint_gpu_h")));
    paragraph_end(&p, "checkpoints", LABEL);
    to = paragraph_begin(&p);
    if (story_number(story, "pull_gpu_h") > 0)
        fprintf(to, "%s of waiting for its image",
                gpu_hours_text(hours, story_number(story, "pull_gpu_h")));
    paragraph_end(&p, "image", LABEL);
    to = paragraph_begin(&p);
    if (read + cached > 0)
        fprintf(to, "%.4g GiB from the storage, %.4g GiB from the caches of its nodes", read,
                cached);
    paragraph_end(&p, "data", LABEL);
}

static void print_stopped(const json_t *story)
{
    const json_t *list = json_object_get(story, "stopped");
    size_t n = json_array_size(list);
    for (size_t i = 0; i < n && i < STOPPED_MAX; i++) {
        const json_t *stop = json_array_get(list, i);
        struct paragraph p;
        FILE *to = paragraph_begin(&p);
        char when[INSTANT_MAX];
        fputs("job ", to);
        write_name(to, story_text(stop, "job"));
        fputs(" of queue ", to);
        write_name(to, story_text(stop, "queue"));
        fprintf(to, " was %s for it (%s), and its GPUs were free at %s",
                story_text(stop, "ended_as"), story_text(stop, "cause"),
                instant_text(when, story, story_number(stop, "end_s")));
        paragraph_end(&p, i ? "" : "others", LABEL);
    }
    if (n > STOPPED_MAX)
        printf("%*s... and %zu more\n", LABEL, "", n - STOPPED_MAX);
}

static void print_outcome(const json_t *story)
{
    struct paragraph p;
    FILE *to = paragraph_begin(&p);
    char when[INSTANT_MAX];
    double end_s = story_number(story, "end_s"), slow = story_number(story, "slowdown");
    double fair = story_number(story, "finish_time_fairness");
    fputs(story_text(story, "state"), to);
    if (isnan(end_s) && is(story_text(story, "state"), "cancelled"))
        fputs(" before it arrived: a dependency can never be met", to);
    if (!isnan(end_s)) {
        fprintf(to, " at %s, ", instant_text(when, story, end_s));
        write_duration(to, end_s - story_number(story, "submit_s"));
        fputs(" after it was submitted", to);
    }
    if (!isnan(slow))
        fprintf(to, ", %.2f times its service time", slow);
    paragraph_end(&p, "outcome", LABEL);
    to = paragraph_begin(&p);
    if (!isnan(fair))
        fprintf(
            to,
            "its completion time is %.2f times that on an equal share of the GPUs, one for each queue with jobs (fair: at most 1)",
            fair);
    paragraph_end(&p, "fairness", LABEL);
}

void explain_job_text(const json_t *story)
{
    struct paragraph p;
    char when[INSTANT_MAX];
    bool session = json_object_get(story, "session") != NULL;
    print_ask(story);
    putchar('\n');
    fprintf(paragraph_begin(&p), "at %s%s",
            instant_text(when, story, story_number(story, "submit_s")),
            isnan(story_number(story, "origin_unix_s")) ? "" : " UTC");
    paragraph_end(&p, "submitted", LABEL);
    print_wait(story);
    print_meanwhile(story);
    if (session)
        explain_session_start(story);
    print_steps(story);
    putchar('\n');
    if (session)
        explain_session_cost(story);
    else
        print_cost(story);
    print_parts(story);
    print_stopped(story);
    if (session)
        explain_session_outcome(story);
    else
        print_outcome(story);
    print_missing(story);
}
