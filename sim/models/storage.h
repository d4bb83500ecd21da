/* storage.h - the storage that all nodes share: checkpoints are written to it, data sets, images and checkpoints read from it.
 *
 * models.md 3.2, 3.3, 3.7; the section `storage` of a cluster file. Bandwidths are whole bytes a second, one direction each;
 * in the file gigabytes (1e9 bytes) a second, as everywhere. With them a transfer takes a whole number of nanoseconds,
 * rounded up. */
#pragma once
#include "sim/io/config.h"
#include "sim/base/units.h"

#define STORAGE_UNLIMITED INT64_MAX

struct storage {
    bool on;                      /* the file has the section. If not, nobody reads data or images */
    enum { CONTENTION_NONE, CONTENTION_MAXMIN } contention;   /* maxmin: transfers share what they go through, fairly. none:
                                     only those who write at once share, by the formula of 3.3 as of the beginning of a write */
    int64_t all_bps;              /* maxmin: reading and writing together. 100 GB/s [A] */
    int64_t read_bps, write_bps;              /* in all. 100 GB/s each [A] */
    int64_t node_read_bps, node_write_bps;    /* of a node. 5 and 2 GB/s [A] */
    int64_t cache_mib;            /* of each node, for data sets. 0 */
    int64_t pull_ns;              /* until a node that has not got the image has it. 180 s [A] */
    int64_t pull_cached_ns;       /* and one that has. 30 s [A] */
    int64_t image_mib;            /* instead of pull_ns: read at the node's bandwidth, after pull_cached_ns. 0: pull_ns it is */
    uint32_t images_per_node;     /* the least recently used are dropped. 0: all stay */
};

struct storage storage_default(void);
int storage_read(struct config_value section, struct storage *to, struct error *err);    /* over what *to holds already */

/* How long it takes a job on so many nodes, at min(nodes x b_node, b / writers); who loads is taken to be alone. */
int64_t storage_write_ns(const struct storage *s, int64_t bytes, uint32_t nodes, uint32_t writers);
int64_t storage_load_ns(const struct storage *s, int64_t bytes, uint32_t nodes);
int64_t storage_pull_ns(const struct storage *s, bool cached);
