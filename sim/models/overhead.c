/* overhead.c - see overhead.h. */
#include "sim/models/overhead.h"

#include "sim/io/config.h"
#include "sim/models/checkpoint_laws.h"

struct overhead overhead_default(void)
{
    return (struct overhead){ .grace_ns = 30 * NS_PER_S,
                              .blocking = 1,
                              .init_ns = 10 * NS_PER_S,
                              .init_doubling_ns = 2 * NS_PER_S };
}

bool overhead_writes(const struct overhead *p)
{
    return p->write_ns > 0 || p->checkpoint_bytes != 0;
}

static int64_t either(int64_t own, int64_t of_the_cluster)
{
    return own < 0 ? of_the_cluster : own;
}

struct overhead overhead_with(const struct overhead *of_the_cluster, const struct own_overhead *own)
{
    struct overhead p = *of_the_cluster;
    if (own->checkpoint >= 0)
        p.checkpoint = (unsigned)own->checkpoint;
    p.interval_ns = either(own->interval_ns, p.interval_ns);
    if (own->checkpoint_mib >= 0)
        p.checkpoint_bytes = own->checkpoint_mib << 20;
    p.save_ns = own->save_ns >= 0                                         ? own->save_ns
                : overhead_writes(&p) && !overhead_writes(of_the_cluster) ? -1
                                                                          : p.save_ns;
    p.grace_ns = either(own->grace_ns, p.grace_ns);
    p.restart_ns = either(own->restart_ns, p.restart_ns);
    if (own->most_stops)
        p.most_stops = own->most_stops == REQUEUES_ALL ? 0 : own->most_stops;
    return p;
}

void overhead_settle(struct overhead *p)
{
    if (p->interval_ns == INTERVAL_AUTO && !overhead_writes(p))
        p->interval_ns = ns_of_seconds(auto_interval_s(0));
}

int64_t overhead_durable_ns(const struct overhead *p, int64_t done_ns)
{
    if (p->checkpoint == CHECKPOINT_PERIODIC)
        return done_ns - done_ns % p->interval_ns;
    return p->checkpoint == CHECKPOINT_PERFECT ? done_ns : 0;
}

struct stop_overhead overhead_of_stop(const struct overhead *p, enum stop_mode mode,
                                      int64_t done_ns, int64_t durable_ns)
{
    if (mode == STOP_SUSPEND)
        return (struct stop_overhead){ 0, 0 };
    if (mode == STOP_CANCEL)
        return (struct stop_overhead){ overhead_of_stop(p, STOP_SAVE, done_ns, durable_ns).stay_ns,
                                       done_ns };
    if (p->checkpoint == CHECKPOINT_NONE)
        return (struct stop_overhead){ 0, done_ns };
    if (p->checkpoint == CHECKPOINT_PERFECT)
        return (struct stop_overhead){ mode == STOP_SAVE ? p->save_ns : 0, 0 };
    int64_t since_checkpoint = done_ns - durable_ns;
    if (mode == STOP_RESTART)
        return (struct stop_overhead){ 0, since_checkpoint };
    if (p->save_ns <= p->grace_ns)
        return (struct stop_overhead){ p->save_ns, 0 };
    return (struct stop_overhead){ p->grace_ns, since_checkpoint };
}

int64_t overhead_of_start(const struct overhead *p, bool first)
{
    return first ? p->start_ns : p->restart_ns;
}

/* ---- section preemption ---- */

/* clang-format off: a table */
#define OVERHEAD(field) .at = offsetof(struct overhead, field)
#define BY_PARTS     .word = "parts", .word_value = START_BY_PARTS
static const char *const checkpoint_words[] = {
    [CHECKPOINT_NONE] = "none",
    [CHECKPOINT_PERFECT] = "perfect",
    [CHECKPOINT_PERIODIC] = "periodic",
    NULL,
};
static const char *const law_words[] = { [LAW_DALY] = "daly", [LAW_YOUNG] = "young", NULL };
static const struct config_key keys[] = {
    { .name = "checkpoint",
      .type = CONFIG_CHOICE,
      OVERHEAD(checkpoint),
      .words = checkpoint_words },
    { .name = "interval_s",
      CONFIG_SECONDS, OVERHEAD(interval_ns),
      .above_least = true,
      .word = "auto",
      .word_value = INTERVAL_AUTO },
    { .name = "save_s", CONFIG_SECONDS, OVERHEAD(save_ns) },
    { .name = "grace_s", CONFIG_SECONDS, OVERHEAD(grace_ns) },
    { .name = "start_s", CONFIG_SECONDS, OVERHEAD(start_ns), BY_PARTS },
    { .name = "restart_s", CONFIG_SECONDS, OVERHEAD(restart_ns), BY_PARTS },
    { .name = "checkpoint_s", CONFIG_SECONDS, OVERHEAD(write_ns) },
    { .name = "checkpoint_gib",
      .type = CONFIG_PARTS,
      .scale = INT64_C(1) << 30,
      .most = 1000000,
      OVERHEAD(checkpoint_bytes),
      .word = "model",
      .word_value = CHECKPOINT_OF_MODEL },
    { .name = "blocking", .type = CONFIG_REAL, OVERHEAD(blocking), .most = 1 },
    { .name = "interval_law", .type = CONFIG_CHOICE, OVERHEAD(interval_law), .words = law_words },
    { .name = "node_mtbf_s", CONFIG_SECONDS, OVERHEAD(node_mtbf_ns), .above_least = true },
    { .name = "max_requeues",
      .type = CONFIG_PARTS,
      .scale = 1,
      .most = REQUEUES_MOST,
      OVERHEAD(most_stops), /* as the key has it, until all are read */
      .word = "unlimited",
      .word_value = REQUEUES_UNLIMITED },
    { .name = "init_s", CONFIG_SECONDS, OVERHEAD(init_ns) },
    { .name = "init_doubling_s", CONFIG_SECONDS, OVERHEAD(init_doubling_ns) },
    { 0 },
};
/* clang-format on */

int overhead_read(struct config_value section, struct config_value whole, struct overhead *to,
                  struct error *err)
{
    _Static_assert(sizeof to->checkpoint == sizeof(int) && sizeof to->interval_law == sizeof(int),
                   "a choice is an int");
    *to = overhead_default();
    to->save_ns = -1;
    to->most_stops = REQUEUES_UNLIMITED;
    if (config_given(section) && config_fields(section, keys, to, err))
        return -1;
    if (to->save_ns < 0 && !overhead_writes(to))
        to->save_ns = 0;
    to->said = config_given(config_look(section, "checkpoint"));
    if (!config_given(section))
        config_absent(whole, "preemption", keys, to);
    to->most_stops = to->most_stops == REQUEUES_UNLIMITED ? 0 : to->most_stops + 1;
    if (to->checkpoint == CHECKPOINT_PERIODIC && to->interval_ns == 0)
        return config_error(section, err, "checkpoint 'periodic' wants an 'interval_s'");
    return 0;
}
