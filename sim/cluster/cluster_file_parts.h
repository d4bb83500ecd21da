/* cluster_file_parts.h - between the files that read a cluster file; the rest of the program includes cluster_file.h alone. */
#pragma once
#include "sim/io/config.h"
#include "sim/base/intern.h"
#include "sim/cluster/cluster.h"

#define TIME_MOST_S INT64_C(3153600000)    /* 100 years of 365 days, as in workload.h */
#define SECONDS     .type = CONFIG_PARTS, .scale = NS_PER_S, .most = TIME_MOST_S

struct cluster_reader {
    struct group_spec *group;
    struct config_value *group_at, *queue_at;    /* where each stands */
    struct queue_spec *queue;
    size_t n_groups, n_queues, queue_room, queue_at_room;
    struct intern *group_names;   /* by number of the group */
    queue_id *pinned_by;          /* [groups] the last queue that named it, plus 1: to see a duplicate key */
    struct catalogue *catalogue;
    struct input *in;
    struct arena *memory;
    struct error *err;
};
int nodes_read(struct cluster_reader *r, struct config_value list);      /* nodes_file.c: the groups, once */
int queues_read(struct cluster_reader *r, struct config_value list, queue_id parent);    /* queues_file.c: after the nodes; parent
                                                                            ID_NONE: at the top. Both: 0, or -1 with r->err */
