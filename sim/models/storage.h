/* storage.h - the storage that all nodes share: checkpoints are written to it, data sets, images
 * and checkpoints read from it.
 *
 * models.md 3.2, 3.3, 3.7; the section `storage` of a cluster file. Bandwidths are whole bytes a
 * second, one direction each; in the file gigabytes (1e9 bytes) a second, as everywhere. With them
 * a transfer takes a whole number of nanoseconds, rounded up. */
#pragma once
#include "sim/io/config.h"
#include "sim/base/units.h"

#define STORAGE_UNLIMITED INT64_MAX

struct storage {
    bool on;  /* the section is given; if not, jobs read no data and no images */
    /* maxmin: transfers share links fairly. none: only concurrent writers share, by the formula of
       3.3, at the beginning of a write */
    enum { CONTENTION_NONE, CONTENTION_MAXMIN } contention;
    int64_t all_bps;              /* maxmin: reads and writes together. 100 GB/s [A] */
    int64_t read_bps, write_bps;              /* in all. 100 GB/s each [A] */
    int64_t node_read_bps, node_write_bps;    /* of a node. 5 and 2 GB/s [A] */
    int64_t cache_mib;            /* of each node, for data sets. 0 */
    int64_t pull_ns;              /* image pull of a node without the image. 180 s [A] */
    int64_t pull_cached_ns;       /* image pull of a node with the image. 30 s [A] */
    int64_t image_mib;            /* size of an image: read at the node's bandwidth, after
                                     pull_cached_ns. 0: pull_ns instead */
    uint32_t images_per_node;     /* the least recently used are dropped. 0: no limit */
};

struct storage storage_default(void);
/* *to has the defaults */
int storage_read(struct config_value section, struct storage *to, struct error *err);

/* Times of a job on so many nodes, at min(nodes x b_node, b / writers); loads do not share. */
int64_t storage_write_ns(const struct storage *s, int64_t bytes, uint32_t nodes, uint32_t writers);
int64_t storage_load_ns(const struct storage *s, int64_t bytes, uint32_t nodes);
int64_t storage_pull_ns(const struct storage *s, bool cached);
