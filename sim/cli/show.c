/* show.c - the summary of a run, in as many columns as the terminal has. */
#include "sim/cli/show.h"

#include "sim/cli/term.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LABEL = 15, WIDE = 66, NUMBER_MAX = 40, CAUSES_MAX = 128 };
enum { ALIKE_S = 120 };            /* below that human_time() says seconds, too */

static double all(const struct shown *x, const char *metric)
{
    return summary_value(x->summary, metric, "all");
}

static const char *seconds_text(char to[NUMBER_MAX], double s)
{
    if (isnan(s))
        snprintf(to, NUMBER_MAX, "-");
    else if (s >= 100 || s == floor(s))
        snprintf(to, NUMBER_MAX, "%.0f s", s);
    else
        snprintf(to, NUMBER_MAX, "%.2f s", s);
    return to;
}

static const char *percent_text(char to[NUMBER_MAX], double share)
{
    if (isnan(share))
        snprintf(to, NUMBER_MAX, "-");
    else
        snprintf(to, NUMBER_MAX, "%.1f%%", 100 * share);
    return to;
}

/* "  label    text", the text wrapped. */
static void line(size_t width, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void line(size_t width, const char *label, const char *format, ...)
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
    char text[1024];
    snprintf(text, sizeof text, "%s%s with %s on %s (%" PRId64 " GPUs, %" PRIu32 " node%s): %" PRIu32 " job%s of %s",
             p->policy_text, p->policy.clairvoyant || estimates_know_truth(&p->estimates) ? " (clairvoyant)" : "", p->placer_text,
             p->cluster->name,
             p->cluster->gpus, p->cluster->n_nodes, p->cluster->n_nodes == 1 ? "" : "s", p->workload->n_jobs,
             p->workload->n_jobs == 1 ? "" : "s", strcmp(p->trace.path, "-") ? p->trace.path : "standard input");
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
        { "jobs_failed", "failed" },     { "jobs_cancelled", "cancelled" }, { "jobs_rejected", "rejected" },
        { "jobs_running", "running" },   { "jobs_pending", "pending" },     { "jobs_never_started", "never started" },
    };
    char text[256];
    size_t n = (size_t)snprintf(text, sizeof text, "%.0f completed", all(x, "jobs_completed"));
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        double count = all(x, part[i].metric);
        if (count > 0)
            n += (size_t)snprintf(text + n, sizeof text - n, ", %.0f %s", count, part[i].word);
    }
    line(width, "jobs", "%s", text);
}

/* "33.1 min" as "33.1m". */
static const char *tight(char *text)
{
    char *blank = strchr(text, ' ');
    if (blank && blank[1])
        memmove(blank, blank + 1, 2), blank[1] = '\0';
    return text;
}

/* Mean and quantiles: for people, and below that to the second if there is room for both. */
static void times(const struct shown *x, size_t width)
{
    static const char *const label[] = { "completion", "wait" };
    static const char *const metric[][4] = { { "jct_mean_s", "jct_p50_s", "jct_p90_s", "jct_p99_s" },
                                             { "wait_mean_s", "wait_p50_s", "wait_p90_s", "wait_p99_s" } };
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
            human_time(text, all(x, metric[row][i]));
            printf("%*s", cell, wide ? text : tight(text));
        }
        putchar('\n');
        bool longer = false;
        for (unsigned i = 0; i < 4; i++)
            longer |= all(x, metric[row][i]) >= ALIKE_S;
        if (!wide || !longer)
            continue;
        printf("%*s", label_width, "");
        for (unsigned i = 0; i < 4; i++) {
            char text[NUMBER_MAX];
            double s = all(x, metric[row][i]);
            if (!isnan(s))            /* only the last ones are: no p99 of a few jobs */
                printf("%*s", cell, seconds_text(text, s));
        }
        putchar('\n');
    }
    putchar('\n');
}

static void gpus(const struct shown *x, size_t width)
{
    char a[NUMBER_MAX], b[NUMBER_MAX], e[NUMBER_MAX];
    line(width, "utilisation", "%s allocated, %s busy, %s effective", percent_text(a, all(x, "util_alloc")),
         percent_text(b, all(x, "util_busy")), percent_text(e, all(x, "util_effective")));
}

/* " (12 reclaim, 3 move)", if anything is known of them; " (all reclaim)". */
static const char *causes_text(char to[CAUSES_MAX], const struct shown *x)
{
    double count = all(x, "preemptions");
    size_t n = 0;
    to[0] = '\0';
    if (all(x, "preemptions_policy") == count)
        return to;
    for (unsigned i = 0; i < PREEMPTION_CAUSES; i++) {
        char metric[NUMBER_MAX];
        snprintf(metric, sizeof metric, "preemptions_%s", preemption_cause_name[i]);
        double of = all(x, metric);
        if (of == count)
            n += (size_t)snprintf(to + n, CAUSES_MAX - n, " (all %s", preemption_cause_name[i]);
        else if (of > 0)
            n += (size_t)snprintf(to + n, CAUSES_MAX - n, "%s%.0f %s", n ? ", " : " (", of, preemption_cause_name[i]);
    }
    snprintf(to + n, CAUSES_MAX - n, ")");
    return to;
}

static void quotas(const struct shown *x, size_t width)
{
    char satisfied[NUMBER_MAX], mean[HUMAN_MAX], longest[HUMAN_MAX], text[NUMBER_MAX] = "";
    double reclaims = all(x, "reclaims"), open = all(x, "reclaims_open");
    if (isnan(reclaims))
        return;
    line(width, "quotas", "%s satisfied, %.1f GPU h borrowed", percent_text(satisfied, all(x, "quota_satisfaction")),
         all(x, "borrowed_gpu_h"));
    if (open > 0)
        snprintf(text, sizeof text, "; %.0f not over at the end", open);
    if (reclaims > 0)
        line(width, "", "short of its own %.0f time%s: mean %s, longest %s%s", reclaims, reclaims == 1 ? "" : "s",
             human_time(mean, all(x, "time_to_reclaim_mean_s")), human_time(longest, all(x, "time_to_reclaim_max_s")), text);
}

static void costs(const struct shown *x, size_t width)
{
    char text[CAUSES_MAX];
    double slowdown = all(x, "bounded_slowdown_mean");
    if (!isnan(slowdown))
        line(width, "slowdown", "%.*f (mean, bounded)", slowdown < 100 ? 2 : 0, slowdown);
    line(width, "preemptions", "%.0f%s, restarts %.0f", all(x, "preemptions"), causes_text(text, x), all(x, "restarts"));
    line(width, "GPU time", "%.1f h held, %.1f h lost, %.1f h overhead", all(x, "gpu_h_held"), all(x, "lost_gpu_h"),
         all(x, "overhead_gpu_h"));
}

/* What the section progress of the cluster file has asked for. */
static void locality(const struct shown *x, size_t width)
{
    double placement = all(x, "placement_slowdown");
    if (!isnan(placement))
        line(width, "locality", "%.3f times as long by placement, %.3f by sharing links, %.1f GPU h in all", placement,
             all(x, "link_slowdown"), all(x, "locality_gpu_h"));
}

/* Where the cluster file has a section failures. */
static void faults(const struct shown *x, size_t width)
{
    char up[NUMBER_MAX];
    double nodes = all(x, "node_failures"), jobs_stopped = all(x, "job_failures");
    if (isnan(nodes))
        return;
    line(width, "failures", "%.0f of nodes; %.0f times a job was stopped; %s of GPU time up", nodes, jobs_stopped,
         percent_text(up, all(x, "availability")));
    line(width, "", "%.1f GPU h lost by failures, %.1f h held until found, %.0f job%s given up", all(x, "lost_by_failures_gpu_h"),
         all(x, "detection_gpu_h"), all(x, "jobs_given_up"), all(x, "jobs_given_up") == 1 ? "" : "s");
}

/* What the sections power and prices of the cluster file have asked for. */
static void bills(const struct shown *x, size_t width)
{
    char jobs_part[NUMBER_MAX];
    double kwh = all(x, "energy_kwh"), usd = all(x, "cost_usd"), useful_usd = all(x, "cost_per_useful_gpu_h_usd");
    if (!isnan(kwh))
        line(width, "energy", "%.1f kWh (%s for jobs), %.1f kW mean, %.1f kW peak, %.1f kg CO2", kwh,
             percent_text(jobs_part, all(x, "energy_jobs_kwh") / kwh), all(x, "power_mean_w") / 1000, all(x, "power_peak_w") / 1000,
             all(x, "carbon_kg"));
    if (isnan(usd))
        return;
    if (isnan(useful_usd))
        line(width, "cost", "%.2f USD", usd);
    else
        line(width, "cost", "%.2f USD, %.2f USD per useful GPU h", usd, useful_usd);
}

/* What checkpoints, images and data have taken. */
static void transfers(const struct shown *x, size_t width)
{
    char part[NUMBER_MAX];
    double written = all(x, "checkpoints"), pulls = all(x, "image_pulls"), read = all(x, "read_gib");
    if (!isnan(written))
        line(width, "checkpoints", "%.0f written (%.1f GiB), %.0f cut short, %.1f h stalled", written, all(x, "written_gib"),
             all(x, "checkpoints_cut_short"), all(x, "checkpoint_gpu_h"));
    if (!isnan(pulls))
        line(width, "images", "%.0f pulled, %.1f h waited for", pulls, all(x, "pull_gpu_h"));
    if (!isnan(read))
        line(width, "data", "%.1f GiB read, %s from nodes that had kept it", read, percent_text(part, all(x, "cache_hit_share")));
}

/* GPUs with several tenants, or cut into instances as jobs ask. */
static void shared_gpus(const struct shown *x, size_t width)
{
    double jobs = all(x, "sharing_jobs"), speed = all(x, "sharing_speed_mean"), made = all(x, "mig_reconfigurations");
    if (!isnan(jobs))
        line(width, "sharing", "%.0f jobs shared GPUs, mean speed %.3f, %.0f out of memory", jobs, isnan(speed) ? 1 : speed,
             all(x, "sharing_out_of_memory"));
    if (!isnan(made))
        line(width, "MIG", "%.0f instances made, %.1f GPU h waiting for that", made, all(x, "mig_reconfigure_gpu_hours"));
}

void show_summary(const struct shown *x)
{
    size_t width = term_width(STDOUT_FILENO);
    char human[HUMAN_MAX], exact[NUMBER_MAX];
    double makespan = all(x, "makespan_s");
    title(x, width);
    jobs(x, width);
    line(width, "makespan", makespan >= ALIKE_S ? "%s (%s)" : "%s", human_time(human, makespan), seconds_text(exact, makespan));
    gpus(x, width);
    times(x, width);
    costs(x, width);
    locality(x, width);
    transfers(x, width);
    shared_gpus(x, width);
    faults(x, width);
    bills(x, width);
    quotas(x, width);
    show_queues(x, width);
    printf("\nresults in %s\n", x->plan->directory);
}
