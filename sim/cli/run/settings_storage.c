/* settings_storage.c - the part of the effective configuration that says what checkpoints, starts and the storage cost: only where
 * they cost anything. See settings.h. */
#include "sim/cli/run/settings.h"
#include "sim/models/overhead.h"

static void put_seconds(FILE *f, const char *key, int64_t ns)
{
    char text[DECIMAL_MAX];
    fprintf(f, "    %s: %.*s\n", key, (int)decimal_format(text, ns, NS_PER_S), text);
}

static void put_gib(FILE *f, const char *key, int64_t bytes)
{
    fprintf(f, "    %s: %.15g\n", key, (double)bytes / (1 << 30));
}

static void put_writes(FILE *f, const struct overhead *p)
{
    if (p->checkpoint_bytes == CHECKPOINT_OF_MODEL)
        fputs("    checkpoint_gib: model\n", f);
    else
        put_gib(f, "checkpoint_gib", p->checkpoint_bytes);
    put_seconds(f, "checkpoint_s", p->write_ns);
    fprintf(f, "    blocking: %.15g\n", p->blocking);
}

static void put_bandwidth(FILE *f, const char *key, int64_t bytes_per_s)
{
    if (bytes_per_s == STORAGE_UNLIMITED)
        fprintf(f, "    %s: unlimited\n", key);
    else
        fprintf(f, "    %s: %.15g\n", key, (double)bytes_per_s / 1e9);
}

static void put_storage(FILE *f, const struct storage *s)
{
    fprintf(f, "  storage:\n    contention: %s\n", s->contention == CONTENTION_MAXMIN ? "maxmin" : "none");
    put_bandwidth(f, "gbps", s->all_bps);
    put_bandwidth(f, "read_gbps", s->read_bps);
    put_bandwidth(f, "write_gbps", s->write_bps);
    put_bandwidth(f, "node_read_gbps", s->node_read_bps);
    put_bandwidth(f, "node_write_gbps", s->node_write_bps);
    put_gib(f, "cache_gib", s->cache_mib << 20);
    put_seconds(f, "pull_s", s->pull_ns);
    put_seconds(f, "pull_cached_s", s->pull_cached_ns);
    put_gib(f, "image_gib", s->image_mib << 20);
    fprintf(f, "    images_per_node: %u\n", s->images_per_node);
}

void settings_put_storage(FILE *f, const struct cluster *c)
{
    const struct overhead *p = &c->overhead;
    bool parts = p->start_ns == START_BY_PARTS || p->restart_ns == START_BY_PARTS;
    if (overhead_writes(p))
        put_writes(f, p);
    if (p->interval_ns == INTERVAL_AUTO) {
        fprintf(f, "    interval_law: %s\n", p->interval_law == LAW_YOUNG ? "young" : "daly");
        if (p->node_mtbf_ns)
            put_seconds(f, "node_mtbf_s", p->node_mtbf_ns);
    }
    if (parts) {
        put_seconds(f, "init_s", p->init_ns);
        put_seconds(f, "init_doubling_s", p->init_doubling_ns);
    }
    if (c->storage.on || overhead_writes(p) || parts)
        put_storage(f, &c->storage);
}
