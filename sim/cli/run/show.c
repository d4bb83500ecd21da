/* show.c - see show.h. */
#include "sim/cli/run/show.h"

#include "sim/cli/frame/term.h"
#include "sim/results/notes.h"
#include "sim/run/snapshot.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== The summary, in as many columns as the terminal has ==== */

enum { LABEL = 15, WIDE = 66, CAUSES_MAX = 128 };
enum { ALIKE_S = 120 };            /* below this human_time() is in seconds as well */

static double value_of(const struct shown *x, const char *metric)
{
    return summary_value(x->summary, metric, "all");
}

static const char *seconds_text(char to[SHOW_NUMBER], double s)
{
    if (isnan(s))
        snprintf(to, SHOW_NUMBER, "-");
    else if (s >= 100 || s == floor(s))
        snprintf(to, SHOW_NUMBER, "%.0f s", s);
    else
        snprintf(to, SHOW_NUMBER, "%.2f s", s);
    return to;
}

const char *show_percent(char to[SHOW_NUMBER], double share)
{
    if (isnan(share))
        snprintf(to, SHOW_NUMBER, "-");
    else
        snprintf(to, SHOW_NUMBER, "%.1f%%", 100 * share);
    return to;
}

__attribute__((format(printf, 3, 4))) static void put_line(size_t width, const char *label,
                                                           const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_wrap(stdout, text, (size_t)printf("  %s", label), LABEL, width);
}

/* ---- Parts ---- */

static void title(const struct shown *x, size_t width)
{
    const struct plan *p = x->plan;
    bool bold = term_colour(STDOUT_FILENO);
    char text[1024], *policies = plan_policies_text(p);
    uint32_t n_jobs = p->workload->n_jobs;
    double submitted = value_of(x, "jobs_submitted");
    size_t n = (size_t)snprintf(
        text, sizeof text, "%s with %s on %s (%" PRId64 " GPU%s, %" PRIu32 " node%s): ", policies,
        p->placer_text, p->cluster->name, p->cluster->gpus,
        plural_ending((double)p->cluster->gpus), p->cluster->n_nodes,
        plural_ending(p->cluster->n_nodes));
    if (submitted < n_jobs && n < sizeof text)    /* the run was cut off */
        n += (size_t)snprintf(text + n, sizeof text - n, "%.0f of ", submitted);
    else if (submitted > n_jobs && n < sizeof text)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "%.0f jobs of services and sessions and ", submitted - n_jobs);
    if (n < sizeof text)
        snprintf(text + n, sizeof text - n, "%" PRIu32 " job%s of %s", n_jobs,
                 plural_ending(n_jobs),
                 strcmp(p->trace.path, "-") ? p->trace.path : "standard input");
    free(policies);
    for (char *c = text; *c; c++)    /* names come from files */
        if ((unsigned char)*c < ' ' || *c == 0x7F)
            *c = '?';
    fputs(bold ? "\033[1m" : "", stdout);
    text_wrap(stdout, text, 0, 0, width);
    fputs(bold ? "\033[0m\n" : "\n", stdout);
}

static void jobs(const struct shown *x, size_t width)
{
    static const struct { const char *metric, *word; } part[] = {
        { "jobs_failed", "failed" },     { "jobs_cancelled", "cancelled" }, { "jobs_rejected",
            "rejected" },
        { "jobs_running", "running" },   { "jobs_pending", "pending" },     { "jobs_never_started",
            "never started" },
    };
    char text[256];
    size_t n = (size_t)snprintf(text, sizeof text, "%.0f completed", value_of(x, "jobs_completed"));
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        double count = value_of(x, part[i].metric);
        if (count > 0)
            n += (size_t)snprintf(text + n, sizeof text - n, ", %.0f %s", count, part[i].word);
    }
    put_line(width, "jobs", "%s", text);
}

/* "33.1 min" as "33.1m". */
static const char *tight(char *text)
{
    char *blank = strchr(text, ' ');
    if (blank && blank[1])
        memmove(blank, blank + 1, 2), blank[1] = '\0';
    return text;
}

/* Jobs that no mean and no quantile of times includes. */
static void left_out(const struct shown *x, size_t width)
{
    static const struct { const char *metric, *word; } part[] = {
        { "jobs_pending", "waiting" },
        { "jobs_running", "running" },
        { "jobs_rejected", "rejected" },
    };
    char text[256] = "";
    size_t n = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        double count = value_of(x, part[i].metric);
        if (count > 0)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%.0f %s", n ? ", " : "", count,
                                  part[i].word);
    }
    double ended = value_of(x, "jobs_completed") + value_of(x, "jobs_failed") +
                   value_of(x, "jobs_cancelled");
    if (n)
        put_line(width, "", "of the %.0f job%s that ended; %s: in none of these", ended,
                 ended == 1 ? "" : "s", text);
}

/* Mean and quantiles for people, and in a second line in seconds if the terminal is wide. */
static void times(const struct shown *x, size_t width)
{
    static const char *const label[] = { "completion", "wait" };
    static const char *const metric[][4] = {
        { "jct_mean_s", "jct_p50_s", "jct_p90_s", "jct_p99_s" },
        { "wait_mean_s", "wait_p50_s", "wait_p90_s", "wait_p99_s" }
    };
    bool wide = width >= WIDE;
    int label_width = wide ? LABEL : 12, cell = wide ? 14 : (int)(width - 12) / 4;
    printf("\n%*s", label_width, "");
    for (unsigned i = 0; i < 4; i++)
        printf("%*s", cell, (const char *const[]){ "mean", "p50", "p90", "p99" }[i]);
    putchar('\n');
    for (unsigned row = 0; row < 2; row++) {
        printf("  %-*s", label_width - 2, label[row]);
        for (unsigned i = 0; i < 4; i++) {
            char text[HUMAN_MAX];
            human_time(text, value_of(x, metric[row][i]));
            printf("%*s", cell, wide ? text : tight(text));
        }
        putchar('\n');
        bool longer = false;
        for (unsigned i = 0; i < 4; i++)
            longer |= value_of(x, metric[row][i]) >= ALIKE_S;
        if (!wide || !longer)
            continue;
        printf("%*s", label_width, "");
        for (unsigned i = 0; i < 4; i++) {
            char text[SHOW_NUMBER];
            double s = value_of(x, metric[row][i]);
            if (!isnan(s))            /* only the last columns can be NaN: few jobs have no p99 */
                printf("%*s", cell, seconds_text(text, s));
        }
        putchar('\n');
    }
    left_out(x, width);
    putchar('\n');
}

static void gpus(const struct shown *x, size_t width)
{
    char a[SHOW_NUMBER], b[SHOW_NUMBER], e[SHOW_NUMBER];
    put_line(width, "utilisation", "%s allocated, %s busy, %s effective",
             show_percent(a, value_of(x, "util_alloc")), show_percent(b, value_of(x, "util_busy")),
             show_percent(e, value_of(x, "util_effective")));
}

/* " (12 reclaim, 3 move)" or " (all reclaim)"; "": the policy names no causes. */
static const char *causes_text(char to[CAUSES_MAX], const struct shown *x)
{
    double count = value_of(x, "preemptions");
    size_t n = 0;
    to[0] = '\0';
    if (value_of(x, "preemptions_policy") == count)
        return to;
    for (unsigned i = 0; i < PREEMPTION_CAUSES; i++) {
        char metric[SHOW_NUMBER];
        snprintf(metric, sizeof metric, "preemptions_%s", preemption_cause_name[i]);
        double of = value_of(x, metric);
        if (of == count)
            n += (size_t)snprintf(to + n, CAUSES_MAX - n, " (all %s", preemption_cause_name[i]);
        else if (of > 0)
            n += (size_t)snprintf(to + n, CAUSES_MAX - n, "%s%.0f %s", n ? ", " : " (", of,
                                  preemption_cause_name[i]);
    }
    snprintf(to + n, CAUSES_MAX - n, ")");
    return to;
}

static void quotas(const struct shown *x, size_t width)
{
    char satisfied[SHOW_NUMBER], mean[HUMAN_MAX], longest[HUMAN_MAX], text[SHOW_NUMBER] = "";
    double reclaims = value_of(x, "reclaims"), open = value_of(x, "reclaims_open");
    if (isnan(reclaims))
        return;
    put_line(width, "quotas", "%s satisfied, %.1f GPU h borrowed",
             show_percent(satisfied, value_of(x, "quota_satisfaction")),
             value_of(x, "borrowed_gpu_h"));
    if (open > 0)
        snprintf(text, sizeof text, "; %.0f still short at the end", open);
    if (reclaims > 0)
        put_line(width, "", "short of quota %.0f time%s: mean %s, longest %s%s", reclaims,
                 reclaims == 1 ? "" : "s", human_time(mean, value_of(x, "time_to_reclaim_mean_s")),
                 human_time(longest, value_of(x, "time_to_reclaim_max_s")), text);
}

static void costs(const struct shown *x, size_t width)
{
    char text[CAUSES_MAX];
    double slowdown = value_of(x, "bounded_slowdown_mean");
    if (!isnan(slowdown))
        put_line(width, "slowdown", "%.*f (mean, bounded)", slowdown < 100 ? 2 : 0, slowdown);
    put_line(width, "preemptions", "%.0f%s, restarts %.0f", value_of(x, "preemptions"),
             causes_text(text, x), value_of(x, "restarts"));
    put_line(width, "GPU time", "%.1f h held, %.1f h lost, %.1f h overhead",
             value_of(x, "gpu_h_held"), value_of(x, "lost_gpu_h"), value_of(x, "overhead_gpu_h"));
}

/* ==== Parts of the summary for the physical models that were on ==== */

/* With a section `progress` in the cluster file. */
static void locality(const struct shown *x, size_t width)
{
    double placement = value_of(x, "placement_slowdown");
    if (!isnan(placement))
        put_line(width, "locality",
                 "%.3f times as long by placement, %.3f by sharing links, %.1f GPU h in all",
                 placement, value_of(x, "link_slowdown"), value_of(x, "locality_gpu_h"));
}

/* With a section `failures`. */
static void faults(const struct shown *x, size_t width)
{
    char up[SHOW_NUMBER];
    double nodes = value_of(x, "node_failures"), jobs_stopped = value_of(x, "job_failures");
    if (isnan(nodes))
        return;
    put_line(width, "failures", "%.0f of nodes; %.0f interruptions of jobs; %s of GPU time up",
             nodes, jobs_stopped, show_percent(up, value_of(x, "availability")));
    put_line(width, "",
             "%.1f GPU h lost by failures, %.1f h held until detection, %.0f job%s given up",
             value_of(x, "lost_by_failures_gpu_h"), value_of(x, "detection_gpu_h"),
             value_of(x, "jobs_given_up"), value_of(x, "jobs_given_up") == 1 ? "" : "s");
}

/* With sections `power` and `prices`. */
static void bills(const struct shown *x, size_t width)
{
    char jobs_part[SHOW_NUMBER];
    double kwh = value_of(x, "energy_kwh"), usd = value_of(x, "cost_usd"),
           useful_usd = value_of(x, "cost_per_useful_gpu_h_usd");
    if (!isnan(kwh))
        put_line(width, "energy", "%.1f kWh (%s for jobs), %.1f kW mean, %.1f kW peak, %.1f kg CO2",
                 kwh, show_percent(jobs_part, value_of(x, "energy_jobs_kwh") / kwh),
                 value_of(x, "power_mean_w") / 1000, value_of(x, "power_peak_w") / 1000,
                 value_of(x, "carbon_kg"));
    if (isnan(usd))
        return;
    if (isnan(useful_usd))
        put_line(width, "cost", "%.2f USD", usd);
    else
        put_line(width, "cost", "%.2f USD, %.2f USD per useful GPU h", usd, useful_usd);
}

/* Checkpoints, images and data. */
static void transfers(const struct shown *x, size_t width)
{
    char part[SHOW_NUMBER];
    double written = value_of(x, "checkpoints"), pulls = value_of(x, "image_pulls"),
           read = value_of(x, "read_gib");
    if (!isnan(written))
        put_line(width, "checkpoints", "%.0f written (%.1f GiB), %.0f cut short, %.1f h stalled",
                 written, value_of(x, "written_gib"), value_of(x, "checkpoints_cut_short"),
                 value_of(x, "checkpoint_gpu_h"));
    if (!isnan(pulls))
        put_line(width, "images", "%.0f pulled, %.1f h waited for", pulls,
                 value_of(x, "pull_gpu_h"));
    if (!isnan(read))
        put_line(width, "data", "%.1f GiB read, %s from caches of nodes", read,
                 show_percent(part, value_of(x, "cache_hit_share")));
}

/* GPUs with several tenants, or cut into instances as jobs ask. */
static void shared_gpus(const struct shown *x, size_t width)
{
    double jobs = value_of(x, "sharing_jobs"), speed = value_of(x, "sharing_speed_mean"),
           made = value_of(x, "mig_reconfigurations");
    if (!isnan(jobs))
        put_line(width, "sharing", "%.0f job%s shared GPUs, mean speed %.3f, %.0f out of memory",
                 jobs, plural_ending(jobs), isnan(speed) ? 1 : speed,
                 value_of(x, "sharing_out_of_memory"));
    if (!isnan(made))
        put_line(width, "MIG", "%.0f instances made, %.1f GPU h waiting for that", made,
                 value_of(x, "mig_reconfigure_gpu_hours"));
}

/* Interactive sessions. */
static void sessions(const struct shown *x, size_t width)
{
    char met[SHOW_NUMBER], active[SHOW_NUMBER];
    double n = value_of(x, "sessions"), slo = value_of(x, "session_slo_attainment"),
           share = value_of(x, "session_active_share");
    if (isnan(n))
        return;
    put_line(width, "sessions",
             "%.0f, %s started in time; %.0f abandoned, %.0f culled, %.0f expired, %.0f lost", n,
             show_percent(met, isnan(slo) ? 1 : slo), value_of(x, "sessions_abandoned"),
             value_of(x, "sessions_culled"), value_of(x, "sessions_expired"),
             value_of(x, "sessions_lost"));
    put_line(width, "", "%.1f GPU h held; active for %s of the time in use",
             value_of(x, "session_gpu_h_held"), show_percent(active, isnan(share) ? 0 : share));
}

/* A metric over all services. */
static double of_services(const struct shown *x, const char *metric)
{
    return summary_value(x->summary, metric, "class=inference");
}

static void services(const struct shown *x, size_t width)
{
    char kept[SHOW_NUMBER], busy[SHOW_NUMBER];
    double arrived = of_services(x, "requests_arrived");
    if (isnan(arrived))
        return;
    put_line(width, "services", "%.0f requests: %s kept their SLO; %.0f dropped, %.0f unfinished",
             arrived, show_percent(kept, of_services(x, "slo_attainment")),
             of_services(x, "requests_dropped"), of_services(x, "requests_unfinished"));
    put_line(width, "", "replicas ready for %.1f h, serving for %s of it; %.0f cold starts",
             of_services(x, "replica_h"), show_percent(busy, of_services(x, "replica_duty")),
             of_services(x, "cold_starts"));
}

static void put_models(const struct shown *x, size_t width)
{
    locality(x, width);
    transfers(x, width);
    shared_gpus(x, width);
    faults(x, width);
    bills(x, width);
    services(x, width);
    sessions(x, width);
}

/* ==== The queues as a table ==== */

enum { QUEUES_MIN = 2, QUEUES_MAX = 20, NAME_MIN = 8 };

/* from_width: a narrower terminal leaves the column out. */
static const struct column {
    const char *head, *metric;
    int width;
    enum { A_COUNT, A_TIME, A_SHARE, SOME_HOURS } kind;
    size_t from_width;            /* of the terminal */
} columns[] = {
    { "jobs", "jobs_submitted", 9, A_COUNT, 48 },
    { "GPU h", "gpu_h_held", 11, SOME_HOURS, 60 },
    { "of all GPUs", "util_alloc", 13, A_SHARE, 72 },
    { "wait", "wait_mean_s", 11, A_TIME, 0 },
    { "completion", "jct_mean_s", 12, A_TIME, 0 },
    { "in quota", "quota_satisfaction", 10, A_SHARE, 80 },
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void put_value(const struct column *c, double value)
{
    char text[HUMAN_MAX];
    if (c->kind == A_TIME)
        printf("%*s", c->width, human_time(text, value));
    else if (isnan(value))
        printf("%*s", c->width, "-");
    else if (c->kind == A_SHARE)
        printf("%*.1f%%", c->width - 1, 100 * value);
    else
        printf("%*.*f", c->width, c->kind == SOME_HOURS, value);
}

/* Without quotas quota_satisfaction would be the share of the demand that was held. */
static bool has_room(const struct shown *x, const struct column *c, size_t width)
{
    return width >= c->from_width && !(!strcmp(c->metric, "quota_satisfaction") &&
                                       isnan(summary_value(x->summary, c->metric, "all")));
}

static size_t name_width(const struct shown *x, const char *const *name, size_t n, size_t width)
{
    size_t used = 2, longest = NAME_MIN;
    for (size_t i = 0; i < COLUMNS; i++)
        used += has_room(x, &columns[i], width) ? (size_t)columns[i].width : 0;
    for (size_t i = 0; i < n; i++)
        longest = text_width(name[i]) > longest ? text_width(name[i]) : longest;
    size_t room = width > used + NAME_MIN ? width - used : NAME_MIN;
    return longest < room ? longest : room;
}

static void put_queues(const struct shown *x, size_t width)
{
    const char *scope[QUEUES_MAX], *name[QUEUES_MAX];
    size_t n = 0;
    for (size_t i = 0; i < x->summary->n; i++) {
        const struct metric *m = &x->summary->metric[i];
        if (strcmp(m->kind->name, "jobs_submitted") || strncmp(m->scope, "queue=", 6))
            continue;
        if (n == QUEUES_MAX)
            return;
        scope[n] = m->scope;
        name[n++] = m->scope + strlen("queue=");
    }
    if (n < QUEUES_MIN)
        return;
    size_t names = name_width(x, name, n, width);
    printf("\n  ");
    text_pad(stdout, "queue", names);
    for (size_t c = 0; c < COLUMNS; c++)
        if (has_room(x, &columns[c], width))
            printf("%*s", columns[c].width, columns[c].head);
    for (size_t i = 0; i < n; i++) {
        printf("\n  ");
        text_pad(stdout, name[i], names);
        for (size_t c = 0; c < COLUMNS; c++)
            if (has_room(x, &columns[c], width))
                put_value(&columns[c], summary_value(x->summary, columns[c].metric, scope[i]));
    }
    putchar('\n');
}

/* ==== The whole summary ==== */

void show_summary(const struct shown *x)
{
    size_t width = term_width(STDOUT_FILENO);
    char human[HUMAN_MAX], exact[SHOW_NUMBER];
    double makespan = value_of(x, "makespan_s");
    title(x, width);
    jobs(x, width);
    put_line(width, "makespan", makespan >= ALIKE_S ? "%s (%s)" : "%s", human_time(human, makespan),
             seconds_text(exact, makespan));
    gpus(x, width);
    times(x, width);
    costs(x, width);
    put_models(x, width);
    quotas(x, width);
    put_queues(x, width);
    fputs("\nresults in ", stdout);
    text_put(stdout, x->plan->directory, SIZE_MAX);
    putchar('\n');
}

/* ==== Warnings ==== */


/* The number of jobs that were not served, and the reason of the first one. */
static void unserved(const struct shown *x, uint32_t n, enum job_outcome outcome, const char *how)
{
    const struct workload *w = x->plan->workload;
    for (job_id j = 0; n && j < w->n_jobs; j++) {
        struct job_result r = run_job(x->run, j);
        if (r.outcome != outcome)
            continue;
        warn("%" PRIu32 " job%s %s; %s '%s': %s", n, plural_ending(n), how,
             n == 1 ? "it is" : "the first is", w->truth[j].name,
             r.refusal ? r.refusal : "no reason given");
        return;
    }
}

static void not_switched(const struct shown *x, const struct run_totals *t)
{
    for (size_t i = 0; i < x->plan->n_switches; i++)
        if (x->plan->change[i].time_ns > t->last_ns)
            warn("policy %s never took over: the run ended at %.15g s", x->plan->change[i].text,
                 seconds(t->last_ns));
}

static void not_in_snapshot(const struct shown *x, const struct snapshot *n)
{
    const struct { uint32_t jobs; const char *which, *what;
    } lost[] = {
        { n->moved, "running jobs",
          "have another start time in it, so that stopping them costs the same" },
        { n->restarted, "waiting jobs that have run before",
          "pay start_s in a run of it, instead of restart_s" },
        { n->suspended, "suspended jobs", "wait in it, without lost work" },
        { n->parts, "jobs of which tasks are still saving", "are in it without these tasks" },
    };
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
        if (lost[i].jobs)
            warn("snapshot: %s (%" PRIu32 ") %s", lost[i].which, lost[i].jobs, lost[i].what);
    for (const char *const *what = n->unsaved; *what; what++)
        warn("snapshot: it does not record %s", *what);
    if (*n->options)
        warn("snapshot: a run of it goes on as this one with the options%s", n->options);
    if (x->plan->cluster->period_ns && x->plan->options->snapshot_ns % x->plan->cluster->period_ns)
        warn(
            "snapshot: passes are every %.15g s from time 0; this time lies between two, so a run of it has its passes at other times",
            seconds(x->plan->cluster->period_ns));
}

void show_notes(const struct notes *n, const char *member, bool quiet)
{
    for (size_t i = 0; i < n->n; i++)
        if (!quiet || !strncmp(n->note[i].name, "refused-", strlen("refused-")))
            warn("%s%s%s%s", member ? "member " : "", member ? member : "", member ? ": " : "",
                 n->note[i].text);
}

void show_warnings(const struct shown *x)
{
    const struct run_totals *t = run_totals(x->run);
    if (x->plan->workload->n_skipped)
        warn("%" PRIu32 " row%s of the trace skipped: no job that ran",
             x->plan->workload->n_skipped, plural_ending(x->plan->workload->n_skipped));
    unserved(x, t->rejected, OUTCOME_REJECTED, "rejected");
    unserved(x, t->unmet, OUTCOME_UNMET, "cancelled, as a dependency can never be met");
    if (t->deadlocked)
        warn("deadlock: %" PRIu32 " job%s hold%s part of a gang and wait for the rest, forever",
             t->deadlocked, plural_ending(t->deadlocked), t->deadlocked == 1 ? "s" : "");
    if (t->never_started)
        warn(
            "%" PRIu32
            " job%s never started: waiting for quota, limit, a dependency or behind a deadlock when all others were done; no mean includes %s",
            t->never_started, plural_ending(t->never_started), t->never_started == 1 ? "it" : "them");
    if (t->cut_off)
        warn("cut off: %" PRIu32 " job%s running, %" PRIu32 " waiting; no mean includes them",
             t->running, plural_ending(t->running), t->pending);
    not_switched(x, t);
    if (x->snapshot)
        not_in_snapshot(x, x->snapshot);
    show_notes(x->notes, NULL, false);
}
