/* reservations.h - nodes that only some jobs may use for a time; section `reservations`.
 *
 * A reservation is a set of nodes, closed (closure.h) to all jobs but those of the queues (with all
 * queues below), users, accounts (likewise) and partitions that it names: a job of any of them may
 * use the nodes all the time. One that names none is closed to all jobs. Reservations may overlap:
 * a job runs on a node when no reservation of that node denies it. Nodes have a label
 * reservation.NAME for each of theirs, by which a job may ask for them.
 *
 * With a taint it is besides closed to no job that tolerates that. NoExecute stops what does not
 * tolerate it as it begins, and what tolerates it for some seconds when it has run beside it for so
 * long, unless the reservation has ended (kubernetes/kubernetes:pkg/controller/tainteviction/
 * taint_eviction.go); NoSchedule stops nothing.
 *
 * A rule of the world, under every policy: sim/scheduler/closed/reserved.h says where jobs may
 * start, sim/physics/site/reservations.c what begins and ends. */
#pragma once
#include "sim/cluster/cluster_spec.h"
#include "sim/io/config.h"
#include "sim/models/closure.h"

struct reserved_names { uint32_t n; const char *const *name; };
struct reservation {
    const char *name;
    const uint64_t *nodes;        /* bit n % 64 of word n / 64: node n belongs to it */
    struct closure when;
    const char *taint;            /* key[=value]:Effect; NULL: none */
    struct reserved_names queues, users, accounts, partitions;
};
struct reservations { uint32_t n; const struct reservation *at; };

/* NULL in *to: none are given. Names of partitions and accounts must be those of site (NULL: there
 * are none), names of queues among n_queues unless there are none. 0, or -1 with err. */
struct reservations_given {
    struct config_value list;
    const struct group_spec *group;
    size_t n_groups;
    const struct queue_spec *queue;
    size_t n_queues;
    const struct site *site;
};
int reservations_read(const struct reservations_given *given, struct arena *memory,
                      const struct reservations **to, struct error *err);
/* Labels reservation.NAME of node n, each with a ';' before it. NULL: nothing. */
void reservations_labels(const struct reservations *r, node_id n, FILE *f);
bool reservations_same(const struct reservations *r, node_id a, node_id b);
