/* storage.c - see storage.h. */
#include "sim/models/storage.h"

#include <math.h>

#define GB_PER_S INT64_C(1000000000)
enum { MIB = 1 << 20 };

struct storage storage_default(void)
{
    return (struct storage){
        .all_bps = 100 * GB_PER_S,
        .read_bps = 100 * GB_PER_S,
        .write_bps = 100 * GB_PER_S,
        .node_read_bps = 5 * GB_PER_S,
        .node_write_bps = 2 * GB_PER_S,
        .pull_ns = 180 * NS_PER_S,
        .pull_cached_ns = 30 * NS_PER_S,
    };
}

/* clang-format off: a table */
#define AT(field)  .at = offsetof(struct storage, field)
#define BANDWIDTH                                                                                  \
    .type = CONFIG_PARTS, .scale = GB_PER_S, .above_least = true, .most = 1000000000,              \
    .word = "unlimited", .word_value = STORAGE_UNLIMITED
#define GIB        .type = CONFIG_PARTS, .scale = 1024, .most = 1000000000
#define SECONDS    .type = CONFIG_PARTS, .scale = NS_PER_S, .most = 1000000
static const char *const contentions[] = {
    [CONTENTION_NONE] = "none", [CONTENTION_MAXMIN] = "maxmin", NULL
};
static const struct config_key keys[] = {
    { .name = "gbps",            BANDWIDTH, AT(all_bps) },
    { .name = "read_gbps",       BANDWIDTH, AT(read_bps) },
    { .name = "write_gbps",      BANDWIDTH, AT(write_bps) },
    { .name = "node_read_gbps",  BANDWIDTH, AT(node_read_bps) },
    { .name = "node_write_gbps", BANDWIDTH, AT(node_write_bps) },
    { .name = "contention",      .type = CONFIG_CHOICE, AT(contention), .words = contentions },
    { .name = "cache_gib",       GIB, AT(cache_mib) },
    { .name = "pull_s",          SECONDS, AT(pull_ns) },
    { .name = "pull_cached_s",   SECONDS, AT(pull_cached_ns) },
    { .name = "image_gib",       GIB, AT(image_mib) },
    { .name = "images_per_node", .type = CONFIG_COUNT, .most = 1000000, AT(images_per_node) },
    { 0 },
};
/* clang-format on */

int storage_read(struct config_value section, struct storage *to, struct error *err)
{
    _Static_assert(sizeof to->contention == sizeof(int), "config.h stores a choice as an int");
    if (config_fields(section, keys, to, err))
        return -1;
    to->on = true;
    return 0;
}

/* ---- Transfers ---- */

/* ceil(bytes / rate) in ns, rate = a / by bytes a second. Saturates. */
static int64_t transfer_ns(int64_t bytes, int64_t bytes_per_s, uint32_t by)
{
    if (bytes_per_s == STORAGE_UNLIMITED)
        return 0;
    int128_t ns = ((int128_t)bytes * by * NS_PER_S + bytes_per_s - 1) / bytes_per_s;
    return ns < TIME_NEVER ? (int64_t)ns : TIME_NEVER;
}

static int64_t longer(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t many(int64_t bytes_per_s, uint32_t nodes)
{
    int64_t all;
    return __builtin_mul_overflow(bytes_per_s, (int64_t)nodes, &all) ? STORAGE_UNLIMITED : all;
}

int64_t storage_write_ns(const struct storage *s, int64_t bytes, uint32_t nodes, uint32_t writers)
{
    int64_t own_ns = longer(transfer_ns(bytes, many(s->node_write_bps, nodes), 1),
                            transfer_ns(bytes, s->write_bps, writers));
    return s->contention == CONTENTION_MAXMIN ? longer(own_ns, transfer_ns(bytes, s->all_bps, 1))
                                              : own_ns;
}

int64_t storage_load_ns(const struct storage *s, int64_t bytes, uint32_t nodes)
{
    return longer(transfer_ns(bytes, many(s->node_read_bps, nodes), 1),
                  transfer_ns(bytes, s->read_bps, 1));
}

int64_t storage_pull_ns(const struct storage *s, bool cached)
{
    if (cached)
        return s->pull_cached_ns;
    return s->image_mib ? s->pull_cached_ns + storage_load_ns(s, s->image_mib * MIB, 1)
                        : s->pull_ns;
}
