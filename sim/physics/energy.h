/* energy.h - what nodes and jobs have drawn, exactly: see energy.c. */
#pragma once
#include "sim/engine/state.h"
#include "sim/results/statistics.h"
#include "sim/results/summary.h"
#include "sim/models/power.h"

/* Of a job: its GPUs; its CPUs and its GPUs' share of what its nodes draw anyway. */
struct job_energy {
    int128_t gpus_aj, node_aj;    /* until since_ns */
    int64_t gpus_nw, node_nw;     /* since then */
    int64_t since_ns;
    double duty;                  /* of the GPUs it makes progress on; below 0: it makes none */
};
enum dark { DARK_OFF, DARK_DOWN, DARK_ABSENT };    /* why a node draws nothing of its own; powered off alone: off_w */
struct node_energy {
    struct meter meter;
    uint32_t pieces;              /* that hold some of it, or stand suspended there: those light it all the same */
    uint8_t dark;                 /* 1 << enum dark */
    int64_t dark_since_ns, dark_ns;    /* dark in all, until then */
    int128_t dark_aj;             /* drawn in that time */
};

struct energy {
    const struct power *power;
    struct node_energy *node;     /* [n_nodes] */
    struct job_energy *job;       /* [n_jobs] */
    struct meter all;             /* all nodes */
    int128_t peak_nw;             /* over any time at all */
    struct exact_sum carbon_g;    /* of the facility */
    int128_t jobs_aj, idle_aj, nodes_aj;    /* at the end: parts of all.aj */
};
/* From now on the node is dark for that reason, or not. */
void energy_dark(struct sched *s, node_id n, enum dark why, bool on);
void energy_stands(struct sched *s, const struct placement *p, int sign);    /* a suspended job keeps its memory there (1), or no more (-1) */

/* energy_results.c */
struct output;
struct summary_builder;
extern const char *const energy_job_columns[], *const energy_node_columns[], *const energy_series_columns[];
extern const struct metric_kind energy_metrics[];
double energy_facility_kwh(const struct energy *e);
void energy_job_row(struct output *o, const struct sched *s, job_id j);
void energy_node_row(struct output *o, const struct sched *s, node_id n);
void energy_series_row(struct output *o, const struct sched *s);
void energy_summarise(struct summary_builder *k);
