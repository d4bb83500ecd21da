/* kubernetes.h - a Kubernetes cluster as files of this program: the writers of the cluster file, of
 * the traces and of the report. Times of traces are seconds from the moment of the dump. */
#pragma once
#include "sim/cli/import/kube/jobs.h"
#include "sim/cluster/topology/levels.h"
#include "sim/io/output.h"

#include <stdio.h>

struct kube_how {        /* options of the command */
    int64_t at_ns;       /* the moment of the dump; NO_TIME: the latest time in it */
    int64_t run_time_ns; /* of a job that waits and has no deadline */
    int queues;          /* enum kube_queues; -1: as the objects are */
    bool cpu_jobs;
};
struct kube_import {
    struct kube_site *s;
    struct kube_jobs jobs;
    struct kube_how how;
    int64_t now_ns;
    uint32_t *order;  /* [n_present] nodes of the site by number in the cluster file */
    uint32_t *number; /* [nodes of the site] that number; NO_NODE: left out */
    uint32_t n_present;
    int64_t gpus;
    const struct kube_topology *topology; /* NULL: none */
    struct kube_levels *levels;           /* what levels.c has of it */
    size_t level[LEVELS_ABOVE_NODE];      /* [n_levels] of its levels, the k-th above the node */
    uint32_t n_levels;
    struct intern *labels;                /* keys that jobs and flavors ask for */
    struct intern *pod_keys;              /* keys of labels that terms between pods ask for */
    bool flavored;                        /* ClusterQueues have quotas of flavors */
    size_t ended, running, waiting;       /* jobs written */
};
/* Fills all but `ended`, `running` and `waiting`, from s and how. */
void kube_import_order(struct kube_import *im);
void kube_import_free(struct kube_import *im); /* what the former has made */

/* ---- Levels of the topology: levels.c ----
 *
 * That of the first flavor that has one, else the first that was read, of any number of levels. A
 * domain is all nodes with equal labels of its level and those above it; a node without one of them
 * is in no domain. Of more than two above the node, a level whose domains are single nodes is
 * `node`, one that has all nodes in one domain is `cluster`, one with the domains of the next finer
 * is that one. The others are levels of the cluster file, from fine to coarse: `rack`, `pod`, then
 * with names of their own. Of more than LEVELS_ABOVE_NODE those that jobs ask for are kept before
 * those that none asks for, and then the finer ones; what asks for another may use a whole domain
 * of the next coarser one, and a remark says so. */
void kube_levels_choose(struct kube_import *im); /* fills topology, levels, level and n_levels */
void kube_levels_free(struct kube_import *im);
/* Whether two nodes of the site are in one domain of the level. A node without: not with itself. */
bool kube_level_same(const struct kube_import *im, size_t level, uint32_t a, uint32_t b);
/* Nodes by the values of all levels, from the coarsest; one without a label is behind the others.
 */
int kube_level_order(const struct kube_import *im, uint32_t a, uint32_t b);
/* From coarse to fine; 0: the cluster, or NULL. */
int kube_level_rank(const struct kube_import *im, const char *level);
/* "node", "rack", "pod", a name or "cluster"; NULL: no level of the topology has this label */
const char *kube_level(const struct kube_import *im, const char *label);

void kube_put_cluster(struct kube_import *im, FILE *f);
void kube_put_flavors(struct kube_import *im, FILE *f); /* its sections `flavors` and `queues` */
void kube_put_queues(struct kube_import *im, FILE *f);
/* Texts with ';' between as a list, and labels as a mapping, behind ", key: [ " or ", key: { ";
 * none: nothing. */
void kube_put_texts(FILE *f, const char *key, const char *texts);
void kube_put_labels(FILE *f, const char *key, const char *labels);

/* The jobs that have ended, or those that run and wait. Jobs written. */
size_t kube_put_jobs(struct kube_import *im, struct output *o, bool ended);
/* The last columns of a row, from pod_labels on; `all`: of the pods that have GPUs. */
void kube_put_pod_terms(struct kube_import *im, struct output *o, const struct kube_unit *u,
                        const struct kube_ask *all);
/* NAME:PARAMETERS and, behind it, other options of the run; the caller frees it */
char *kube_closest(const struct kube_import *im);
/* The labels of a node that are written, "k=v;..."; the caller frees them. */
char *kube_node_labels(const struct kube_import *im, const struct kube_node *n);
/* NULL: none */
const char *kube_node_label(const struct kube_node *n, const char *key);
