/* power.c - see power.h. */
#include "sim/models/power.h"

#include "sim/models/hourly.h"

#include <math.h>

const struct power_law power_law_usual = {
    .exponent = 0.9, .most_share = 0.9, .context_w = 15, .cpu_w = 300, .cpu_duty = 1,
    .clock_exponent = 2, .clock_least = 0.4
};

static int64_t nanowatts(double w)
{
    return (int64_t)llround(w * (double)NW_PER_W);
}

struct node_power node_power_of(const struct power_law *law, const struct node_watts *w,
                                uint32_t gpus, int64_t milli)
{
    double gpus_a_thousandth = milli ? (double)gpus / (double)milli : 0;
    struct node_power n = {
        .base_nw = nanowatts(w->base_w),
        .cpu_nw = nanowatts(law->cpu_duty * law->cpu_w),
        .idle_w = w->gpu_idle_w * gpus_a_thousandth,
        .most_w = law->most_share * w->gpu_tdp_w * gpus_a_thousandth,
        .tdp_w = w->gpu_tdp_w * gpus_a_thousandth,
    };
    n.held_w = n.idle_w + law->context_w * gpus_a_thousandth;
    n.idle_nw = nanowatts(n.idle_w);
    n.held_nw = nanowatts(n.held_w);
    n.most_nw = n.start_nw = power_most_nw(law, &n, 1);
    n.clock = 1;
    return n;
}

int64_t power_at_clock_nw(const struct power_law *law, const struct node_power *n, double duty,
                          double clock)
{
    double part = pow(duty, law->exponent) * (clock < 1 ? pow(clock, law->clock_exponent) : 1);
    int64_t nw = nanowatts(n->idle_w + (n->most_w - n->idle_w) * part);
    return nw > n->held_nw ? nw : n->held_nw;
}

int64_t power_at_duty_nw(const struct power_law *law, const struct node_power *n, double duty)
{
    return power_at_clock_nw(law, n, duty, 1);
}

int64_t power_of_steps_nw(const struct power_law *law, const struct node_power *n, double steps,
                          double tdp, double clock)
{
    double part = clock < 1 ? pow(clock, law->clock_exponent) : 1;
    double above_idle = (tdp * n->tdp_w - steps * n->idle_w) * part;
    int64_t nw = nanowatts(n->held_w + above_idle - steps * (n->held_w - n->idle_w));
    return nw > n->held_nw ? nw : n->held_nw;
}

int64_t power_most_nw(const struct power_law *law, const struct node_power *n, double clock)
{
    int64_t jobs = power_at_clock_nw(law, n, 1, clock);
    int64_t steps = law->llm ? power_of_steps_nw(law, n, 1, 1, clock) : 0;
    return jobs > steps ? jobs : steps;
}

double power_clock_for(const struct power_law *law, double idle_w, double most_w, double cap_w)
{
    if (cap_w >= most_w)
        return 1;
    double clock = cap_w > idle_w ? pow((cap_w - idle_w) / (most_w - idle_w), 1 / law->clock_exponent) : 0;
    return clock >= law->clock_least ? clock : 0;
}

double power_pue_of_load(double pue, double fixed)
{
    return fixed > 0 ? 1 + (pue - 1) * (1 - fixed) : pue;
}

int128_t power_fixed_nw(double pue, double fixed, int128_t peak_nw)
{
    return (int128_t)((pue - 1) * fixed * (double)peak_nw);
}

double power_pue_at(double pue, double free_c, double per_c, double outside_c)
{
    return pue + per_c * fmax(0, outside_c - free_c);
}

int64_t power_of_cpus_nw(const struct node_power *n, int64_t held_milli, int64_t node_milli)
{
    if (node_milli == INT64_MAX || node_milli <= 0)
        return 0;
    return (int64_t)((int128_t)n->cpu_nw * held_milli / node_milli);
}

double power_kwh(int128_t aj)
{
    return (double)aj / AJ_PER_KWH;
}

double power_carbon_g(int128_t nw, int128_t milli_ns, double pue)
{
    double j_per_kwh = 3.6e6, w = (double)nw / (double)NW_PER_W;
    return w * ((double)milli_ns / HOURLY_SCALE / (double)NS_PER_S) / j_per_kwh * pue;
}
