/* energy.h - what nodes and jobs have drawn, exactly: see energy.c. */
#pragma once
#include "sim/run/host.h"
#include "sim/run/statistics.h"
#include "sim/world/power.h"

/* Of a job: its GPUs; its CPUs and its GPUs' share of what its nodes draw anyway. */
struct job_energy {
    int128_t gpus_aj, node_aj;    /* until since_ns */
    int64_t gpus_nw, node_nw;     /* since then */
    int64_t since_ns;
    double duty;                  /* of the GPUs it makes progress on; below 0: it makes none */
};
struct node_energy {
    struct meter meter;
    int64_t dark_ns, dark_since_ns;    /* off, down or not there; until then. -1: it is lit */
    uint32_t pieces;              /* that hold some of it */
    uint8_t dark;                 /* 1 << enum dark; what is held lights it all the same */
};
enum dark { DARK_OFF, DARK_DOWN, DARK_ABSENT };

struct energy {
    const struct power *power;
    struct node_energy *node;     /* [n_nodes] */
    struct job_energy *job;       /* [n_jobs] */
    struct meter all;             /* all nodes */
    int128_t peak_nw;             /* over any time at all */
    struct exact_sum carbon_g;    /* of the facility */
    int128_t jobs_aj, idle_aj, nodes_aj;    /* at the end: parts of all.aj */
};
double energy_facility_kwh(const struct energy *e);
