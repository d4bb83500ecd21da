/* import.h - a Slurm site and its log as files of this program: what cmd_import.c has read, and the
 * writers of the cluster file, of the traces and of the report.
 *
 * plain: only what every policy reads. A partition is then a node label partition.NAME=yes, which
 * its jobs select; tiers, QOS and limits of accounts are left out. Otherwise the sections
 * partitions, qos, accounts and time_limits are written for policy slurm, and the trace has the
 * columns partition, qos and account. */
#pragma once
#include "sim/io/output.h"
#include "sim/slurm/accounts.h"
#include "traces/slurm/log.h"

struct import {
    struct slurm_site *site;
    struct slurm_accounts accounts;
    struct slurm_log *log;        /* NULL: no log */
    struct input *in;             /* of the log */
    bool plain;
    bool memory_counts;           /* SelectTypeParameters has Memory */
    uint32_t *order;              /* [n_present] nodes of the site by number in the cluster file */
    uint32_t *number;             /* [nodes of the site] that number; SITE_NONE: left out */
    uint32_t n_present;
    uint64_t all_partitions;      /* bit p: partition p has every node */
    int64_t gpus;
    uint32_t jobs, now_jobs;      /* written */
    uint32_t now_left;            /* that run or wait, and are not taken */
};
void import_order(struct import *im);            /* fills order, number, gpus */
/* of the first 64; SITE_NONE: no such partition */
uint32_t import_partition(const struct import *im, const char *name, size_t length);
void import_cluster(struct import *im, struct output *o);
/* What has ended; or what runs and waits at the end of the log, at time 0. *jobs: written. 0, or -1
 * with err. */
int import_jobs(struct import *im, struct output *o, bool now, uint32_t *jobs, struct error *err);
char *import_policy(struct import *im);          /* NAME:PARAMETERS; the caller frees it */
void out_quoted(struct output *o, const char *text); /* in double quotes, as YAML and JSON */
