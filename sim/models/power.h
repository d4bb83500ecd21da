/* power.h - power of nodes, energy and carbon. models.md 9.
 *
 *   P_node = P_base + p_cpu (share of the CPUs that is held) dP_cpu + sum of P_gpu
 *   P_gpu  = P_idle + (P_most - P_idle) u^a, u the duty delivered
 *   P_gpu  = P_idle + context, held without progress
 *
 * At a clock phi, a part of the full one, what depends on the duty is less, and computing takes 1/phi
 * as long; memory, links and hosts stay as they are:
 *   P_gpu  = P_idle + (P_most - P_idle) u^a phi^b
 *
 * With `llm` a GPU of an LLM replica that runs step by step draws in each step what
 * llm_step_power() (sim/serving/llm/step_law.h) says of its TDP, and else what a GPU draws that is
 * held without progress; at a clock phi what is above idle times phi^b.
 *
 * Of a share m of a GPU, or an instance, m of that: time slices, each a GPU at its holder's duty.
 * u^a is concave, so this is at most 4 % of P_most - P_idle below the value at the mean duty, and
 * the power of a tenant does not depend on others.
 *
 * Power is whole nanowatts and time whole nanoseconds, so energy is whole attojoules (1e-18 J) in
 * 128 bits: sums are exact, in any order. The power of a GPU is rounded once, to nanowatts of each
 * thousandth. */
#pragma once
#include "sim/base/units.h"
#include "sim/models/hourly.h"

#include <stdbool.h>

#define NW_PER_W   INT64_C(1000000000)
#define AJ_PER_KWH 3.6e24         /* attojoules: 3.6e6 J */

/* Of a cluster. Defaults are [A]. */
struct power_law {
    double exponent;              /* a: 0.9 */
    double most_share;            /* P_most of a GPU / its TDP: 0.9 */
    double context_w;  /* above idle, of a whole GPU that is held and makes no progress: 15 */
    double cpu_w, cpu_duty;       /* dP_cpu of a node: 300; p_cpu: 1, all that is held works */
    double clock_exponent;        /* b: 2 */
    double clock_least;           /* the lowest clock that a cap may set: 0.4 */
    bool llm;                     /* LLM replicas draw by their steps: false */
};
extern const struct power_law power_law_usual;

/* Of the nodes of one group. */
struct node_watts {
    double base_w;  /* without GPUs, CPUs at rest; catalogue.h: idle_w of the node type */
    double gpu_idle_w, gpu_tdp_w; /* of one GPU, from the catalogue; P_most is no less than
                                     P_idle */
};
/* The same for sums, by milli-GPUs as in cluster_node_milli(). */
struct node_power {
    int64_t base_nw;
    int64_t cpu_nw;               /* all CPUs held: p_cpu dP_cpu */
    double idle_w, most_w;        /* of a thousandth */
    double held_w, tdp_w;         /* likewise: held without progress; the TDP */
    int64_t idle_nw, held_nw, most_nw;    /* of a thousandth: free; held without progress; at duty
                                             1, or if more in steps of an LLM that take the TDP */
    double clock;                 /* phi of the group [1] */
    int64_t start_nw;             /* of a thousandth at duty 1 and the lowest clock that caps may
                                     set: what a start is held against */
};
/* A node of `gpus` GPUs that counts `milli` thousandths. */
struct node_power node_power_of(const struct power_law *law, const struct node_watts *w,
                                uint32_t gpus, int64_t milli);
/* Of a thousandth that makes progress at that duty, from 0 to 1; never below held_nw: it has a
 * context, too. */
int64_t power_at_duty_nw(const struct power_law *law, const struct node_power *n, double duty);
int64_t power_at_clock_nw(const struct power_law *law, const struct node_power *n, double duty,
                          double clock);
/* Of a thousandth that is in steps of an LLM for that part of the time, with a power in them of tdp
 * (a part of the TDP, times `steps`), and between them is held without progress. */
int64_t power_of_steps_nw(const struct power_law *law, const struct node_power *n, double steps,
                          double tdp, double clock);
/* The most that a thousandth draws at that clock. */
int64_t power_most_nw(const struct power_law *law, const struct node_power *n, double clock);
/* The clock at which a GPU that draws idle_w and at most most_w draws no more than cap_w; 1 at most,
 * 0 if none is low enough. */
double power_clock_for(const struct power_law *law, double idle_w, double most_w, double cap_w);
/* Power of the held CPUs of a node; CPUs that are not modelled (INT64_MAX) draw none. */
int64_t power_of_cpus_nw(const struct node_power *n, int64_t held_milli, int64_t node_milli);

/* ---- sections `power` and `prices` of a cluster file, see power_file.h ---- */
/* `cap_by: rows`: a budget of each row of racks, as POLCA keeps it (Patel et al., ASPLOS 2024). A row
 * is a pod; nodes without one are one row together. */
struct row_budget {
    int64_t nw;                   /* of each row's nodes */
    double low_at, all_at;        /* parts of it above which GPUs of groups of low priority, and all,
                                     run at `clock` at most [.80, .89, K] */
    double release;               /* so much below they do no more [.05] */
    double clock;                 /* [.79, 1110 of 1410 MHz of an A100] */
    int64_t look_ns;              /* at multiples of it the power of the rows is looked at [10 s] */
    bool *low;                    /* [n_groups] */
    uint32_t *of_node, n;         /* [n_nodes] the row of each, from 0 to n */
};
struct power {                    /* the default in brackets */
    struct power_law law;
    double duty;                  /* of a GPU while its job computes [1, A] */
    double pue;                   /* energy of the facility / of the nodes [1.58, P: Uptime
                                     Institute 2023, mean; hyperscale 1.1]; with pue_fixed of what
                                     follows the load alone */
    int128_t fixed_nw;            /* that the facility draws besides, whatever the nodes do [0] */
    struct hourly carbon;         /* grams of CO2 a kWh [400, A] */
    int64_t off_after_ns;         /* a node idle for so long is powered off [TIME_NEVER: never] */
    int64_t wake_ns;  /* boot time of a node that is off, from a start on it [300 s, A] */
    int64_t off_nw;               /* power of a node that is off [0] */
    int64_t cap_nw, rack_cap_nw;  /* of all nodes; of each rack's [INT64_MAX: none] */
    int cap_by;                   /* enum cap_by [starts] */
    struct row_budget row;        /* with CAP_BY_ROWS */
    struct hourly pue_by_hour;    /* PUE by the outside temperature; n 0: `pue` at all times */
    struct hourly carbon_by_hour; /* carbon x PUE of the hour, with pue_by_hour */
    struct node_power *of_group;  /* [n_groups] */
};
/* A cap is kept by jobs that do not start, or by clocks; at the lowest clock, by starts again. Budgets
 * of rows are watched, and clocks lowered where power comes near them. */
enum cap_by { CAP_BY_STARTS, CAP_BY_CLOCKS, CAP_BY_ROWS };
/* What no job held is told apart, or is shared among queues and users. */
enum idle_share { IDLE_APART, IDLE_BY_USE, IDLE_BY_QUOTA };
struct tariff {
    int idle;                     /* enum idle_share [apart] */
    int bill;                     /* enum bill [allocated] */
    double energy_usd_per_kwh;    /* of the facility's energy [0.10, A] */
    double *gpu_usd_per_h;        /* [n_groups] of a GPU, uncut [catalogue] */
};
enum bill { BILL_ALLOCATED, BILL_CAPACITY };    /* GPU-hours held by jobs; all GPU-hours of the
                                                   cluster */

/* ---- Energy: P dt, piece by piece ---- */
struct meter {
    int64_t since_ns;
    int128_t nw;                  /* since then */
    int128_t aj;                  /* until then */
};
static inline void meter_run(struct meter *m, int64_t now_ns)
{
    m->aj += m->nw * (now_ns - m->since_ns);
    m->since_ns = now_ns;
}
/* adds nw from now on */
static inline void meter_add(struct meter *m, int64_t now_ns, int128_t nw)
{
    meter_run(m, now_ns);
    m->nw += nw;
}

/* Where a part `fixed` of what a facility draws beyond its nodes at their peak is there at any load,
 * and the rest follows it, PUE(P) = 1 + (pue - 1)(fixed + (1 - fixed) P/P_peak) P_peak/P, so that the
 * facility draws power_pue_of_load() P + power_fixed_nw(), and pue P at the peak. */
double power_pue_of_load(double pue, double fixed);
int128_t power_fixed_nw(double pue, double fixed, int128_t peak_nw);
/* PUE at an outside temperature: `pue` up to free_c, above that `per_c` more for each degree. */
double power_pue_at(double pue, double free_c, double per_c, double outside_c);

double power_kwh(int128_t aj);
/* Grams: power x a stretch of hourly_until() of a series of grams a kWh x PUE. */
double power_carbon_g(int128_t nw, int128_t milli_ns, double pue);
