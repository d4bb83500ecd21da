/* show.c - the summary of a run, in as many columns as the terminal has. */
#include "sim/cli/run/show.h"

#include "sim/cli/frame/term.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LABEL = 15, WIDE = 66, CAUSES_MAX = 128 };
enum { ALIKE_S = 120 };            /* below that human_time() says seconds, too */

double show_value(const struct shown *x, const char *metric)
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

void show_line(size_t width, const char *label, const char *format, ...)
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
    snprintf(text, sizeof text, "%s with %s on %s (%" PRId64 " GPUs, %" PRIu32 " node%s): %" PRIu32 " job%s of %s",
             policies, p->placer_text,
             p->cluster->name,
             p->cluster->gpus, p->cluster->n_nodes, p->cluster->n_nodes == 1 ? "" : "s", p->workload->n_jobs,
             p->workload->n_jobs == 1 ? "" : "s", strcmp(p->trace.path, "-") ? p->trace.path : "standard input");
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
        { "jobs_failed", "failed" },     { "jobs_cancelled", "cancelled" }, { "jobs_rejected", "rejected" },
        { "jobs_running", "running" },   { "jobs_pending", "pending" },     { "jobs_never_started", "never started" },
    };
    char text[256];
    size_t n = (size_t)snprintf(text, sizeof text, "%.0f completed", show_value(x, "jobs_completed"));
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        double count = show_value(x, part[i].metric);
        if (count > 0)
            n += (size_t)snprintf(text + n, sizeof text - n, ", %.0f %s", count, part[i].word);
    }
    show_line(width, "jobs", "%s", text);
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
            human_time(text, show_value(x, metric[row][i]));
            printf("%*s", cell, wide ? text : tight(text));
        }
        putchar('\n');
        bool longer = false;
        for (unsigned i = 0; i < 4; i++)
            longer |= show_value(x, metric[row][i]) >= ALIKE_S;
        if (!wide || !longer)
            continue;
        printf("%*s", label_width, "");
        for (unsigned i = 0; i < 4; i++) {
            char text[SHOW_NUMBER];
            double s = show_value(x, metric[row][i]);
            if (!isnan(s))            /* only the last ones are: no p99 of a few jobs */
                printf("%*s", cell, seconds_text(text, s));
        }
        putchar('\n');
    }
    putchar('\n');
}

static void gpus(const struct shown *x, size_t width)
{
    char a[SHOW_NUMBER], b[SHOW_NUMBER], e[SHOW_NUMBER];
    show_line(width, "utilisation", "%s allocated, %s busy, %s effective", show_percent(a, show_value(x, "util_alloc")),
         show_percent(b, show_value(x, "util_busy")), show_percent(e, show_value(x, "util_effective")));
}

/* " (12 reclaim, 3 move)", if anything is known of them; " (all reclaim)". */
static const char *causes_text(char to[CAUSES_MAX], const struct shown *x)
{
    double count = show_value(x, "preemptions");
    size_t n = 0;
    to[0] = '\0';
    if (show_value(x, "preemptions_policy") == count)
        return to;
    for (unsigned i = 0; i < PREEMPTION_CAUSES; i++) {
        char metric[SHOW_NUMBER];
        snprintf(metric, sizeof metric, "preemptions_%s", preemption_cause_name[i]);
        double of = show_value(x, metric);
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
    char satisfied[SHOW_NUMBER], mean[HUMAN_MAX], longest[HUMAN_MAX], text[SHOW_NUMBER] = "";
    double reclaims = show_value(x, "reclaims"), open = show_value(x, "reclaims_open");
    if (isnan(reclaims))
        return;
    show_line(width, "quotas", "%s satisfied, %.1f GPU h borrowed", show_percent(satisfied, show_value(x, "quota_satisfaction")),
         show_value(x, "borrowed_gpu_h"));
    if (open > 0)
        snprintf(text, sizeof text, "; %.0f not over at the end", open);
    if (reclaims > 0)
        show_line(width, "", "short of its own %.0f time%s: mean %s, longest %s%s", reclaims, reclaims == 1 ? "" : "s",
             human_time(mean, show_value(x, "time_to_reclaim_mean_s")), human_time(longest, show_value(x, "time_to_reclaim_max_s")), text);
}

static void costs(const struct shown *x, size_t width)
{
    char text[CAUSES_MAX];
    double slowdown = show_value(x, "bounded_slowdown_mean");
    if (!isnan(slowdown))
        show_line(width, "slowdown", "%.*f (mean, bounded)", slowdown < 100 ? 2 : 0, slowdown);
    show_line(width, "preemptions", "%.0f%s, restarts %.0f", show_value(x, "preemptions"), causes_text(text, x), show_value(x, "restarts"));
    show_line(width, "GPU time", "%.1f h held, %.1f h lost, %.1f h overhead", show_value(x, "gpu_h_held"), show_value(x, "lost_gpu_h"),
         show_value(x, "overhead_gpu_h"));
}

void show_summary(const struct shown *x)
{
    size_t width = term_width(STDOUT_FILENO);
    char human[HUMAN_MAX], exact[SHOW_NUMBER];
    double makespan = show_value(x, "makespan_s");
    title(x, width);
    jobs(x, width);
    show_line(width, "makespan", makespan >= ALIKE_S ? "%s (%s)" : "%s", human_time(human, makespan), seconds_text(exact, makespan));
    gpus(x, width);
    times(x, width);
    costs(x, width);
    show_world(x, width);
    quotas(x, width);
    show_queues(x, width);
    printf("\nresults in %s\n", x->plan->directory);
}
