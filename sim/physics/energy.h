/* energy.h - what nodes and jobs draw, integrated exactly. Section `power`; models.md 9; the laws: sim/models/power.h.
 *
 * A node draws its base, P_idle for each free GPU, and for each piece that a job holds there what the job draws. A job draws its
 * GPUs and its share of the node: its CPUs, and as many thousandths of the base as it holds of the node's GPUs. The rest is idle
 * GPUs and nodes. Both are integrated on their own, and at the end
 *     energy of the nodes = jobs + idle GPUs + shares of the nodes that no job has
 * must hold to the attojoule, the last two from the ledger's GPU time.
 *
 * Carbon follows the hour: each hour with other grams a kWh, or another PUE, is an instant of its own, so that power and carbon in timeseries.csv hold
 * from one row to the next and their integrals are energy and carbon of the run. No wait ends by it.
 *
 * Clocks below the full one (clocks.c) lower what duties draw: models.md 9.
 *
 * The duty of a GPU on which its job makes progress is the section's `duty` x T_compute / T_iteration, x its
 * own of the last minute if it is a replica (services.h). With `llm` a replica that runs step by step draws by its steps of that
 * minute instead.
 *
 * Power state of a node: on, or off for one of the reasons of enum power_off. A node that is off draws off_w if it was powered off
 * (sleep.h), and nothing if it is down. A node that holds pieces, or the memory of a suspended job, draws as a node that is on. */
#pragma once
#include "sim/engine/models.h"
#include "sim/engine/pace.h"
#include "sim/engine/state.h"
#include "sim/models/power.h"
#include "sim/results/statistics.h"

struct job_energy {               /* gpus: its GPUs; node: its CPUs and its share of the base of its nodes */
    int128_t gpus_aj, node_aj;    /* until since_ns */
    int64_t gpus_nw, node_nw;     /* since then */
    int64_t since_ns;
    struct pace_load load;        /* of the GPUs on which it makes progress; duty < 0: it makes none */
};
enum power_off { POWER_OFF, POWER_DOWN };    /* powered off by the model of idle nodes; out of service */
struct node_energy {
    struct meter meter;
    uint32_t pieces;              /* that jobs hold of it, and of suspended jobs */
    uint8_t off;                  /* 1 << enum power_off */
    double clock;                 /* of its GPUs, a part of the full one: clocks.c sets it */
    int128_t above_nw;            /* of meter.nw, what GPUs draw for their duties */
    int64_t off_since_ns, off_ns; /* off in all, until then */
    int128_t off_aj;              /* drawn in that time */
};
struct energy {
    const struct power *power;
    struct node_energy *node;     /* [n_nodes] */
    struct job_energy *job;       /* [n_jobs] */
    struct meter all;             /* all nodes */
    int128_t *row_nw;             /* [power.h: row.n] of the nodes of each row of racks; NULL: no budgets */
    uint64_t changes;             /* of the power of nodes, so far */
    int64_t begin_ns;             /* they are metered since then */
    int128_t above_nw;            /* of all.nw, likewise */
    struct exact_sum pue_kwh;     /* of the facility, where the PUE follows the hour */
    int128_t shown_nw;            /* all.nw, as observers saw it last */
    int128_t peak_nw;             /* of all nodes, over any time */
    struct exact_sum carbon_g;    /* of the facility */
    int128_t jobs_aj, idle_aj, nodes_aj;    /* at the end: parts of all.aj */
};

extern const struct run_model energy_model;
static inline struct energy *energy_of(const struct sched *s)    /* NULL: off */
{
    return model_state(s, &energy_model);
}
/* While the clocks of its nodes change, a job on l->on draws nothing for its duty: rests, then goes on. */
void   energy_rests(struct sched *s, struct live *l);
void   energy_goes_on(struct sched *s, struct live *l);
void   energy_node_off(struct sched *s, node_id n, enum power_off why, bool off);
double energy_facility_kwh(const struct energy *e);
double energy_pue(const struct sched *s);    /* of the hour; without what is drawn at any load */
