/* metrics.c - see metrics.h. */
#include "sim/cli/plot/compare/metrics.h"

#include "sim/cli/frame/time_tics.h"
#include "sim/cli/plot/words.h"

#include <string.h>

static bool is_share(const char *metric)
{
    static const char *const whole[] = { "goodput", "quota_satisfaction", "waited_share" };
    bool share = !strncmp(metric, "util_", 5) || !strncmp(metric, "slo_", 4);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        share = share || !strcmp(metric, whole[i]);
    return share;
}

struct shown_metric shown_metric(struct arena *memory, const char *name)
{
    static const struct { const char *name, *title;
    } usual[] = {
        { "util_alloc", "GPU time allocated" },
        { "wait_mean_s", "mean time in the queue" },
        { "jct_mean_s", "mean job completion time" },
        { "bounded_slowdown_mean", "mean bounded slowdown" },
        { "finish_time_fairness_p95", "finish-time fairness, P95" },
    };
    size_t n = strcspn(name, "@");
    struct shown_metric m = { .metric = arena_text(memory, name, n),
                              .scope = name[n] ? name + n + 1 : "all",
                              .title = name };
    m.share = is_share(m.metric);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        m.title = !strcmp(name, usual[i].name) ? usual[i].title : m.title;
    return m;
}

struct metric_axis metric_axis(const struct shown_metric *m, const char *unit, double most)
{
    if (m->share)
        return (struct metric_axis){ "%", 0.01 };
    if (!strcmp(unit, "s"))
        return (struct metric_axis){ bar_unit(most), unit_seconds(bar_unit(most)) };
    return (struct metric_axis){ unit, 1 };
}

const char *metric_text(struct arena *memory, const struct shown_metric *m, const char *unit,
                        double mean, double half)
{
    bool plus = half > 0;
    if (m->share)
        return plus ? words(memory, "%.1f ± %.1f %%", mean * 100, half * 100)
                    : words(memory, "%.1f %%", mean * 100);
    if (!strcmp(unit, "s") && !plus)
        return human(memory, mean);
    double scale = 1;
    if (!strcmp(unit, "s")) {
        unit = axis_unit(mean / 2);
        scale = unit_seconds(unit);
    }
    bool time = scale != 1 || !strcmp(unit, "s");
    const char *text = digits(memory, mean / scale, time ? 3 : 4);
    if (plus)
        text = words(memory, "%s ± %s", text, digits(memory, half / scale, 2));
    return *unit ? words(memory, "%s %s", text, unit) : text;
}
