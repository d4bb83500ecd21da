/* hpa.c - see hpa.h. */
#include "sim/serving/hpa.h"
#include "sim/base/memory.h"
#include "sim/base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 1e-9

struct recommendation { int64_t time_ns; uint32_t replicas; };
struct change { int64_t time_ns; int64_t replicas; }; /* change of the target; below 0: down */
struct hpa {
    const struct hpa_config *config;
    struct recommendation *past;
    size_t n_past, past_capacity;
    struct change *change;
    size_t n_changes, change_capacity;
};

const struct hpa_config hpa_defaults = {
    .least = 1,
    .most = 10,
    .period_ns = 15 * NS_PER_S,
    .behaviour = true,
    .up = { .tolerance = 0.1,
            .n = 2,
            .policy = { { false, 4, 15 * NS_PER_S }, { true, 100, 15 * NS_PER_S } } },
    .down = { .tolerance = 0.1,
              .window_ns = 300 * NS_PER_S,
              .n = 1,
              .policy = { { true, 100, 15 * NS_PER_S } } },
};

static uint32_t ceil_count(double x)
{
    double up = ceil(x - GUARD * fmax(1, x));
    return up <= 0 ? 0 : up >= HPA_REPLICAS_MOST ? HPA_REPLICAS_MOST : (uint32_t)up;
}

static double least_of(double a, double b) { return a < b ? a : b; }
static double most_of(double a, double b) { return a > b ? a : b; }

/* ---- one metric ---- */

static bool tolerable(const struct hpa_config *c, double ratio)
{
    return ratio >= 1 - c->down.tolerance - GUARD && ratio <= 1 + c->up.tolerance + GUARD;
}

static uint32_t wanted_by_object(const struct hpa_config *c, const struct hpa_metric *m,
                                 const struct hpa_pods *pods, double value)
{
    double ratio = value / m->target;
    if (m->kind == HPA_OBJECT_AVERAGE)
        return pods->replicas && tolerable(c, ratio / pods->replicas) ? pods->replicas
                                                                      : ceil_count(ratio);
    if (pods->replicas == 0)
        return ceil_count(ratio);
    return tolerable(c, ratio) ? pods->replicas : ceil_count(ratio * pods->ready);
}

static uint32_t wanted_by_pods(const struct hpa_config *c, const struct hpa_metric *m,
                               const struct hpa_pods *pods, double sum)
{
    double ratio = sum / (pods->ready * m->target);
    bool up = ratio > 1, with_unready = up && pods->unready > 0;
    if (!with_unready && !pods->missing)
        return tolerable(c, ratio) ? pods->replicas : ceil_count(ratio * pods->ready);

    double counted = pods->ready;
    if (pods->missing && ratio < 1)
        sum += pods->missing * (m->kind == HPA_RESOURCE ? fmax(1, m->target) : m->target);
    if (pods->missing && (ratio != 1 || m->kind == HPA_PODS))
        counted += pods->missing;
    if (with_unready)
        counted += pods->unready;
    double again = sum / (counted * m->target);
    if (tolerable(c, again) || (ratio < 1 && again > 1) || (up && again < 1))
        return pods->replicas;
    uint32_t wanted = ceil_count(again * counted);
    bool against = again < 1 ? wanted > pods->replicas : wanted < pods->replicas;
    return against ? pods->replicas : wanted;
}

bool hpa_wanted(const struct hpa_config *config, size_t metric, const struct hpa_pods *pods,
                const struct hpa_reading *reading, uint32_t *wanted)
{
    const struct hpa_metric *m = &config->metric[metric];
    bool object = m->kind == HPA_OBJECT || m->kind == HPA_OBJECT_AVERAGE;
    if (reading->failed || (!object && pods->ready == 0))
        return false;
    *wanted = (object ? wanted_by_object : wanted_by_pods)(config, m, pods, reading->value);
    return true;
}

/* The maximum. false: all failed, or one failed and the others would scale down. */
static bool wanted_by_all(const struct hpa_config *c, const struct hpa_pods *pods,
                          const struct hpa_reading *reading, uint32_t *wanted)
{
    size_t failed = 0;
    *wanted = 0;
    for (size_t i = 0; i < c->n_metrics; i++) {
        uint32_t one;
        if (!hpa_wanted(c, i, pods, &reading[i], &one))
            failed++;
        else if (one > *wanted)
            *wanted = one;
    }
    return failed < c->n_metrics && !(failed && *wanted < pods->replicas);
}

/* ---- stabilised ---- */

static void remember(struct hpa *h, int64_t now_ns, uint32_t wanted)
{
    int64_t longest_ns = h->config->up.window_ns > h->config->down.window_ns
                             ? h->config->up.window_ns
                             : h->config->down.window_ns;
    size_t old = 0;
    while (old < h->n_past && h->past[old].time_ns < now_ns - longest_ns)
        old++;
    if (old) {
        h->n_past -= old;
        memmove(h->past, h->past + old, h->n_past * sizeof *h->past);
    }
    mem_grow(&h->past, &h->past_capacity, h->n_past, sizeof *h->past);
    h->past[h->n_past++] = (struct recommendation){ now_ns, wanted };
}

static uint32_t stabilised(const struct hpa *h, int64_t now_ns, uint32_t replicas, uint32_t wanted)
{
    const struct hpa_config *c = h->config;
    uint32_t up = wanted, down = wanted;
    for (size_t i = 0; i < h->n_past; i++) {
        const struct recommendation *r = &h->past[i];
        if (r->time_ns > now_ns - c->up.window_ns && r->replicas < up)
            up = r->replicas;
        if (r->time_ns > now_ns - c->down.window_ns && r->replicas > down)
            down = r->replicas;
    }
    replicas = replicas < up ? up : replicas;
    return replicas > down ? down : replicas;
}

/* The older path: a recommendation as old as the window is inside. */
static uint32_t max_of_window(const struct hpa *h, int64_t now_ns, uint32_t wanted)
{
    for (size_t i = 0; i < h->n_past; i++)
        if (h->past[i].time_ns >= now_ns - h->config->down.window_ns &&
            h->past[i].replicas > wanted)
            wanted = h->past[i].replicas;
    return wanted;
}

/* ---- limited ---- */

static double at_start_of_period(const struct hpa *h, int64_t now_ns, uint32_t replicas,
                                 int64_t period_ns)
{
    int64_t start = replicas;
    for (size_t i = 0; i < h->n_changes; i++)
        if (h->change[i].time_ns > now_ns - period_ns)
            start -= h->change[i].replicas;
    return (double)start;
}

/* The bound of the change in that direction. */
static uint32_t limit(const struct hpa *h, int64_t now_ns, uint32_t replicas, bool up)
{
    const struct hpa_rules *rules = up ? &h->config->up : &h->config->down;
    bool far = rules->select == HPA_SELECT_MAX;
    double best = up == far ? -1 : HPA_REPLICAS_MOST;
    if (rules->select == HPA_SELECT_DISABLED)
        return replicas;
    for (size_t i = 0; i < rules->n; i++) {
        const struct hpa_policy *p = &rules->policy[i];
        double start = at_start_of_period(h, now_ns, replicas, p->period_ns);
        double to = !p->percent ? start + (up ? p->value : -p->value)
                    : up        ? ceil_count(start * (100 + p->value) / 100)
                                : trunc(start * (100 - p->value) / 100 + GUARD * fmax(1, start));
        best = (up == far ? most_of : least_of)(best, to);
    }
    if (up ? best < replicas : best > replicas)      /* past changes exceed what is allowed */
        return replicas;
    return best <= 0 ? 0 : best >= HPA_REPLICAS_MOST ? HPA_REPLICAS_MOST : (uint32_t)best;
}

static void changed(struct hpa *h, int64_t now_ns, uint32_t from, uint32_t to)
{
    int64_t longest_ns = 0;
    size_t kept = 0;
    for (int up = 0; up < 2; up++) {
        const struct hpa_rules *rules = up ? &h->config->up : &h->config->down;
        for (size_t i = 0; i < rules->n; i++)
            if (rules->policy[i].period_ns > longest_ns)
                longest_ns = rules->policy[i].period_ns;
    }
    for (size_t i = 0; i < h->n_changes; i++)
        if (h->change[i].time_ns > now_ns - longest_ns)
            h->change[kept++] = h->change[i];
    h->n_changes = kept;
    mem_grow(&h->change, &h->change_capacity, h->n_changes, sizeof *h->change);
    h->change[h->n_changes++] = (struct change){ now_ns, (int64_t)to - from };
}

/* ---- one decision ---- */

static uint32_t clamped(const struct hpa_config *c, uint32_t x)
{
    return x < c->least ? c->least : x > c->most ? c->most : x;
}

static uint32_t by_behaviour(struct hpa *h, int64_t now_ns, uint32_t replicas, uint32_t wanted)
{
    uint32_t to = stabilised(h, now_ns, replicas, wanted);
    remember(h, now_ns, wanted);
    uint32_t edge = to == replicas ? replicas : limit(h, now_ns, replicas, to > replicas);
    if (to > replicas ? to > edge : to < edge)
        to = edge;
    return clamped(h->config, to);
}

static uint32_t by_older_path(struct hpa *h, int64_t now_ns, uint32_t replicas, uint32_t wanted)
{
    uint32_t to = max_of_window(h, now_ns, wanted), edge = replicas > 2 ? 2 * replicas : 4;
    remember(h, now_ns, wanted);
    return clamped(h->config, to > edge ? edge : to);
}

uint32_t hpa_look(struct hpa *h, int64_t now_ns, const struct hpa_pods *pods,
                  const struct hpa_reading *reading)
{
    uint32_t to, now = pods->replicas, wanted;
    if (now < h->config->least || now > h->config->most)
        to = clamped(h->config, now);
    else if (!wanted_by_all(h->config, pods, reading, &wanted))
        return now;
    else
        to = (h->config->behaviour ? by_behaviour : by_older_path)(h, now_ns, now, wanted);
    if (to != now)
        changed(h, now_ns, now, to);
    return to;
}

struct hpa *hpa_new(const struct hpa_config *config, uint32_t replicas, int64_t now_ns)
{
    struct hpa *h = mem_new(1, sizeof *h);
    h->config = config;
    remember(h, now_ns, replicas);
    return h;
}

void hpa_free(struct hpa *h)
{
    if (h) {
        free(h->past);
        free(h->change);
        free(h);
    }
}
