/* overhead_file.c - the section `preemption` of a cluster file. */
#include "sim/io/config.h"
#include "sim/cluster/cluster_parts.h"
#include "sim/models/overhead.h"

/* clang-format off: a table */
#define PRICE(field) .at = offsetof(struct overhead, field)
#define SECONDS      .type = CONFIG_PARTS, .scale = NS_PER_S, .most = INT64_C(3153600000)   /* 100 years of 365 days, as in workload.h */
#define BY_PARTS     .word = "parts", .word_value = START_BY_PARTS
static const char *const checkpoint_words[] = {
    [CHECKPOINT_NONE] = "none", [CHECKPOINT_PERFECT] = "perfect", [CHECKPOINT_PERIODIC] = "periodic", NULL,
};
static const char *const law_words[] = { [LAW_DALY] = "daly", [LAW_YOUNG] = "young", NULL };
static const struct config_key keys[] = {
    { .name = "checkpoint",      .type = CONFIG_CHOICE, PRICE(checkpoint), .words = checkpoint_words },
    { .name = "interval_s",      SECONDS, PRICE(interval_ns), .above_least = true, .word = "auto", .word_value = INTERVAL_AUTO },
    { .name = "save_s",          SECONDS, PRICE(save_ns) },
    { .name = "grace_s",         SECONDS, PRICE(grace_ns) },
    { .name = "start_s",         SECONDS, PRICE(start_ns), BY_PARTS },
    { .name = "restart_s",       SECONDS, PRICE(restart_ns), BY_PARTS },
    { .name = "checkpoint_s",    SECONDS, PRICE(write_ns) },
    { .name = "checkpoint_gib",  .type = CONFIG_PARTS, .scale = INT64_C(1) << 30, .most = 1000000, PRICE(checkpoint_bytes),
      .word = "model", .word_value = CHECKPOINT_OF_MODEL },
    { .name = "blocking",        .type = CONFIG_REAL, PRICE(blocking), .most = 1 },
    { .name = "interval_law",    .type = CONFIG_CHOICE, PRICE(interval_law), .words = law_words },
    { .name = "node_mtbf_s",     SECONDS, PRICE(node_mtbf_ns), .above_least = true },
    { .name = "init_s",          SECONDS, PRICE(init_ns) },
    { .name = "init_doubling_s", SECONDS, PRICE(init_doubling_ns) },
    { 0 },
};
/* clang-format on */

int overhead_read(struct config_value section, struct overhead *to, struct error *err)
{
    _Static_assert(sizeof to->checkpoint == sizeof(int) && sizeof to->interval_law == sizeof(int), "a choice is an int");
    *to = overhead_default();
    to->save_ns = -1;
    if (config_given(section) && config_fields(section, keys, to, err))
        return -1;
    if (to->save_ns < 0 && !overhead_writes(to))
        to->save_ns = 0;
    if (to->checkpoint == CHECKPOINT_PERIODIC && to->interval_ns == 0)
        return config_error(section, err, "checkpoint 'periodic' wants an 'interval_s'");
    return 0;
}
