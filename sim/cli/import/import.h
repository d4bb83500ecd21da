/* import.h - a Slurm site and its log as files of this program: what cmd_import.c has read, and the
 * writers of the cluster file, of the traces and of the report.
 *
 * plain: only what every policy reads. A partition is then a node label partition.NAME=yes, which
 * its jobs select; tiers, QOS and limits of accounts are left out. Otherwise the sections
 * partitions, qos, accounts and time_limits are written for policy slurm, and the trace has the
 * columns partition, qos and account. The log is of the past, and may name partitions, QOS and
 * accounts that the site has no more: such a name is left out, with a remark, and the job is of
 * what Slurm takes then, its default. */
#pragma once
#include "sim/io/output.h"
#include "sim/slurm/accounts.h"
#include "sim/slurm/reservations.h"
#include "traces/slurm/log.h"

struct import {
    struct slurm_site *site;
    struct slurm_accounts accounts;
    struct slurm_reservations reservations;
    struct slurm_log *log;        /* NULL: no log */
    struct input *in;             /* of the log */
    bool plain;
    bool memory_counts;           /* SelectTypeParameters has Memory */
    uint32_t *order;              /* [n_present] nodes of the site by number in the cluster file */
    uint32_t *number;             /* [nodes of the site] that number; SITE_NONE: left out */
    uint32_t n_present;
    uint64_t all_partitions;      /* bit p: partition p has every node */
    int64_t gpus;
    uint32_t jobs, now_jobs, now_reservations;   /* written */
    uint32_t now_left;            /* that run or wait, and are not taken */
};
void import_order(struct import *im);            /* fills order, number, gpus */
/* of the first 64; SITE_NONE: no such partition */
uint32_t import_partition(const struct import *im, const char *name, size_t length);
void import_cluster(struct import *im, struct output *o);
/* Its sections partitions, qos, accounts and time_limits. */
void import_batch_site(struct import *im, struct output *o);
bool import_has_qos(const struct import *im, const char *name);
/* The next name of a list with commas, kept by the site; NULL: there is none. */
const char *import_next_name(const struct import *im, const char **list);
/* The section `reservations` behind that, as from the end of the log; how many. */
uint32_t import_reservations(struct import *im, struct output *o);
/* The nodes from number i on that are one group of the cluster file, and its name. */
uint32_t import_group_end(const struct import *im, uint32_t i);
void import_group_name(const struct import *im, struct output *o, uint32_t from, uint32_t to);
bool import_has_account(const struct import *im, const char *name);      /* among the accounts */
/* Jobs of a queue of this name may be there. */
bool import_has_queue(const struct import *im, const char *name);
/* What has ended; or what runs and waits at the end of the log, at time 0. *jobs: written. 0, or -1
 * with err. */
int import_jobs(struct import *im, struct output *o, bool now, uint32_t *jobs, struct error *err);
char *import_policy(struct import *im);          /* NAME:PARAMETERS; the caller frees it */
void out_quoted(struct output *o, const char *text); /* as config_put_quoted() */
