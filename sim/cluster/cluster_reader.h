/* cluster_reader.h - what is read of a cluster file before the cluster is put together: its groups of nodes, its flavors and
 * its queues, with their places for messages. Internal to cluster_file.c, group_file.c, flavor_file.c and queue_file.c. */
#pragma once
#include "sim/cluster/catalogue.h"
#include "sim/cluster/cluster_file.h"
#include "sim/io/config.h"

struct cluster_reader {
    struct group_spec *group;
    struct config_value *group_at, *queue_at;    /* their places, for messages */
    struct queue_spec *queue;
    size_t n_groups, n_queues, queue_room, queue_at_room;
    struct intern *group_names;   /* number of each group */
    struct level_names levels;    /* of `levels` of groups; n 0: none has it */
    queue_id *pinned_by;          /* [groups] the last queue with it, plus 1: a duplicate key */
    const struct flavor *flavor;
    uint32_t n_flavors;
    struct catalogue *catalogue;
    const char *file;             /* other files are named beside it */
    struct arena *memory;
    struct error *err;
};

#define QUOTA_MOST INT64_C(1000000000000)
/* A mapping of labels, or a list of taints or tolerations, as a text of labels.h. */
enum texts { TEXT_LABELS, TEXT_TAINTS, TEXT_TOLERATIONS };
int texts_read(struct cluster_reader *r, struct config_value from, enum texts what, const char **to);

/* Each 0, or -1 with r->err. */
int nodes_read(struct cluster_reader *r, struct config_value list);          /* first: queues name groups */
int flavors_read(struct cluster_reader *r, struct config_value list);        /* then these, which queues name, too */
int flavor_quotas_read(struct cluster_reader *r, struct config_value list, struct queue_facts *q);
int fungibility_read(struct cluster_reader *r, struct config_value section, struct fungibility *to);
/* all: the name of one more queue above those of the list; NULL: none. */
int queues_read(struct cluster_reader *r, struct config_value list, const char *all);
