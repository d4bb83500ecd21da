/* check_storage.c - what `gpuyard check` says of checkpoints that take time and of a storage, where a cluster has them. */
#include "sim/cli/check/check.h"
#include "sim/models/overhead.h"

#include <stdio.h>
#include <string.h>

static json_t *bandwidth(int64_t bytes_per_s)
{
    return bytes_per_s == STORAGE_UNLIMITED ? json_string("unlimited") : json_real((double)bytes_per_s / 1e9);
}

static const char *checkpoint_interval(const struct overhead *p)
{
    return p->interval_ns != INTERVAL_AUTO ? "stated" : p->interval_law == LAW_YOUNG ? "young" : "daly";
}

static json_t *checkpoints(const struct cluster *c)
{
    const struct overhead *p = &c->overhead;
    bool of_model = p->checkpoint_bytes == CHECKPOINT_OF_MODEL;
    json_t *o = json_pack("{s:s, s:f, s:f}", "interval", checkpoint_interval(p), "blocking", p->blocking, "fixed_s", seconds(p->write_ns));
    json_object_set_new(o, "interval_s", p->interval_ns > 0 ? json_real(seconds(p->interval_ns)) : json_null());
    json_object_set_new(o, "gib", of_model ? json_string("model") : json_real((double)p->checkpoint_bytes / (1 << 30)));
    if (!of_model)
        json_object_set_new(o, "one_node_alone_s", json_real(seconds(p->write_ns + storage_write_ns(&c->storage, p->checkpoint_bytes, 1, 1))));
    return o;
}

static json_t *storage(const struct storage *s)
{
    json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:f, s:s}", "read_gbps", bandwidth(s->read_bps), "write_gbps", bandwidth(s->write_bps),
                          "node_read_gbps", bandwidth(s->node_read_bps), "node_write_gbps", bandwidth(s->node_write_bps), "cache_gib",
                          (double)s->cache_mib / 1024, "contention", s->contention == CONTENTION_MAXMIN ? "maxmin" : "none");
    if (s->contention == CONTENTION_MAXMIN)
        json_object_set_new(o, "gbps", bandwidth(s->all_bps));
    return o;
}

void check_put_storage(json_t *report, const struct cluster *c)
{
    bool writes = c->overhead.checkpoint != CHECKPOINT_NONE && overhead_writes(&c->overhead);
    if (writes)
        json_object_set_new(report, "checkpoints", checkpoints(c));
    if (c->storage.on || writes)
        json_object_set_new(report, "storage", storage(&c->storage));
}

/* ---- As text ---- */

static const char *gbps(char to[32], const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (json_is_number(v))
        snprintf(to, 32, "%.6g GB/s", json_number_value(v));
    else
        snprintf(to, 32, "unlimited");
    return to;
}

void check_checkpoints_text(const json_t *report, char *to, size_t size)
{
    const json_t *o = json_object_get(report, "checkpoints"), *gib = json_object_get(o, "gib");
    const json_t *interval = json_object_get(o, "interval_s"), *alone = json_object_get(o, "one_node_alone_s");
    size_t n = 0;
    if (json_is_number(interval))
        n += (size_t)snprintf(to + n, size - n, "every %.6g s of progress", json_number_value(interval));
    else if (strcmp(json_string_value(json_object_get(o, "interval")), "stated"))
        n += (size_t)snprintf(to + n, size - n, "at %s's interval", strcmp(json_string_value(json_object_get(o, "interval")), "daly") ? "Young" : "Daly");
    else
        n += (size_t)snprintf(to + n, size - n, "when a job is stopped");
    if (json_is_number(gib))
        n += (size_t)snprintf(to + n, size - n, ", %.6g GiB", json_number_value(gib));
    else
        n += (size_t)snprintf(to + n, size - n, ", 14 bytes for each parameter of the model");
    if (alone)
        n += (size_t)snprintf(to + n, size - n, ", %.6g s from one node alone", json_number_value(alone));
    snprintf(to + n, size - n, ", %.6g%% of it blocking", 100 * json_number_value(json_object_get(o, "blocking")));
}

void check_storage_text(const json_t *report, char *to, size_t size)
{
    const json_t *o = json_object_get(report, "storage");
    char read[32], write[32], node_read[32], node_write[32], all[32];
    double cache = json_number_value(json_object_get(o, "cache_gib"));
    int n = snprintf(to, size, "%s read, %s written; by a node %s and %s", gbps(read, o, "read_gbps"), gbps(write, o, "write_gbps"),
                     gbps(node_read, o, "node_read_gbps"), gbps(node_write, o, "node_write_gbps"));
    if (json_object_get(o, "gbps"))
        n += snprintf(to + n, size - (size_t)n, "; %s in all, shared max-min fairly", gbps(all, o, "gbps"));
    if (cache > 0)
        snprintf(to + n, size - (size_t)n, "; a node keeps %.6g GiB", cache);
}
