/* reservations.h - advance reservations of a Slurm site, from `scontrol show reservation -o`.
 *
 * Times are seconds of the epoch (SLURM_TIME_FORMAT=%s), or local times, which are `zone_s` ahead
 * of UTC. DAILY, WEEKLY and HOURLY come again; IGNORE_JOBS keeps what runs as it begins. What is
 * not read is a remark of the site. Keys: SchedMD/slurm:src/api/reservation_info.c,
 * slurm_sprint_reservation_info, of 22.05. */
#pragma once
#include "sim/slurm/site.h"

struct slurm_reservation {
    const char *name, *users, *accounts;         /* lists with commas; "": none */
    int64_t start_s, end_s;
    int64_t every_s;              /* 0: once */
    bool keeps;                   /* jobs that run when it begins are ignored */
    uint32_t *node; size_t n_nodes, capacity;    /* of the site, in the order of the list */
};
struct slurm_reservations {
    struct slurm_reservation *at; size_t n, capacity;
    bool local_times;             /* some are */
    struct arena *memory;
};
/* How local times are read: "2026-01-05 10:00:00" as ns of the epoch, were it UTC. */
struct slurm_clock { bool (*parse)(const char *text, size_t length, int64_t *ns); int64_t zone_s; };
/* 0, or -1 with err; slurm_reservations_free() in every case. */
int  slurm_reservations_read(struct slurm_reservations *to, struct slurm_site *site,
                             struct slurm_clock clock, const char *path, struct error *err);
void slurm_reservations_free(struct slurm_reservations *r);
