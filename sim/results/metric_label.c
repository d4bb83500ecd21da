/* metric_label.c - see metric_label.h. */
#include "sim/results/metric_label.h"

#include <stdio.h>
#include <string.h>

static const struct { const char *name, *label; } wholes[] = {
    { "jobs_submitted", "jobs" },
    { "jobs_completed", "jobs completed" },
    { "jobs_rejected", "jobs rejected" },
    { "waited_share", "share of jobs that waited" },
    { "util_alloc", "GPU time allocated" },
    { "util_busy", "GPUs busy" },
    { "util_effective", "useful work" },
    { "goodput", "useful part of what was held" },
    { "makespan_s", "makespan" },
    { "preemptions", "preemptions" },
    { "lost_gpu_h", "lost work" },
    { "quota_satisfaction", "quota met" },
    { "jain_index", "Jain's index" },
    { "requests_served", "requests served" },
    { "slo_attainment", "SLO attainment of services" },
    { "session_slo_attainment", "sessions started in time" },
    { "energy_kwh", "energy" },
    { "carbon_kg", "carbon dioxide" },
    { "cost_usd", "cost" },
}, subjects[] = {
    { "jct", "completion time" },
    { "wait", "wait" },
    { "first_wait", "wait until the first start" },
    { "slowdown", "slowdown" },
    { "bounded_slowdown", "bounded slowdown" },
    { "queue_length", "queue length" },
    { "time_to_reclaim", "time to reclaim" },
    { "finish_time_fairness", "finish-time fairness" },
    { "session_start", "start of sessions" },
};

static const char *statistic_word(char to[METRIC_LABEL_MAX], const char *name)
{
    size_t n = strcspn(name, "_");
    if (n == 4 && !strncmp(name, "mean", n))
        return "mean";
    if (n == 3 && !strncmp(name, "max", n))
        return "largest";
    if (n == 3 && !strncmp(name, "p50", n))
        return "median";
    if (*name != 'p' || n < 2 || strspn(name + 1, "0123456789") != n - 1)
        return NULL;
    snprintf(to, METRIC_LABEL_MAX, "p%.*s", (int)n - 1, name + 1);
    return to;
}

const char *metric_label(char to[METRIC_LABEL_MAX], const char *name)
{
    char word[METRIC_LABEL_MAX];
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++)
        if (!strcmp(wholes[i].name, name))
            return wholes[i].label;
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        size_t n = strlen(subjects[i].name);
        if (strncmp(name, subjects[i].name, n) != 0 || name[n] != '_')
            continue;
        const char *statistic = statistic_word(word, name + n + 1),
                   *rest = name + n + 1 + strcspn(name + n + 1, "_");
        if (!statistic || (*rest && strcmp(rest, "_s") != 0))
            continue;
        snprintf(to, METRIC_LABEL_MAX, "%.20s %s", statistic, subjects[i].label);
        return to;
    }
    return name;
}
