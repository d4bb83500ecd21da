/* power_file.c - see power_file.h. */
#include "sim/cluster/power_file.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WATTS_MOST   1000000             /* of a node or GPU */
#define CAP_MOST_W   INT64_C(9000000000)
#define CARBON_MOST  10000               /* g/kWh; coal is near 1000 */
#define CARBON_USUAL (400 * HOURLY_SCALE)
#define CARBON_UNSAID (-1)        /* with a file */
#define WAKE_USUAL_S 300
#define PUE_USUAL    1.58
#define FREE_USUAL_C 18
#define PER_C_USUAL  0.012
#define TARIFF_USUAL 0.10

struct file_group { /* NAN: not given */
    double node_idle_w, gpu_idle_w, gpu_tdp_w, gpu_usd_per_h, gpu_cap_w, clock;
    bool low_priority;
};
struct file_power {
    struct power power;
    struct file_group usual;
    int64_t carbon_milli;
    const char *carbon_file, *temperature_file;
    double free_cooling_c, pue_per_c, pue_fixed;
    struct config_value groups;
};
struct file_tariff {
    struct tariff tariff;
    struct file_group usual;
    struct config_value groups;
};

/* clang-format off */
#define OF(field)    offsetof(struct file_power, field)
#define TARIFF(field) offsetof(struct file_tariff, field)
#define GROUP(field) offsetof(struct file_group, field)
#define WATTS        .type = CONFIG_PARTS, .scale = NW_PER_W
#define REAL         .type = CONFIG_REAL

static const char *const cap_words[] = { [CAP_BY_STARTS] = "starts", [CAP_BY_CLOCKS] = "clocks", [CAP_BY_ROWS] = "rows", NULL };
/* Uptime Institute, Global Data Center Survey 2023: mean, new sites; hyperscale: K */
static const struct config_named pue_words[] = { { "average", PUE_USUAL }, { "new", 1.30 }, { "hyperscale", 1.10 }, { 0 } };
static const struct config_key power_keys[] = {
    { .name = "exponent",         REAL,    .at = OF(power.law.exponent), .most = 10, .above_least = true },
    { .name = "most_share",       REAL,    .at = OF(power.law.most_share), .most = 10, .above_least = true },
    { .name = "context_w",        REAL,    .at = OF(power.law.context_w), .most = WATTS_MOST },
    { .name = "cpu_w",            REAL,    .at = OF(power.law.cpu_w), .most = WATTS_MOST },
    { .name = "cpu_duty",         REAL,    .at = OF(power.law.cpu_duty), .most = 1 },
    { .name = "duty",             REAL,    .at = OF(power.duty), .most = 1 },
    { .name = "llm",              .type = CONFIG_FLAG, .at = OF(power.law.llm) },
    { .name = "pue",              REAL,    .at = OF(power.pue), .least = 1, .most = 100, .named = pue_words },
    { .name = "pue_fixed",        REAL,    .at = OF(pue_fixed), .most = 1 },
    { .name = "temperature_file", .type = CONFIG_TEXT, .at = OF(temperature_file) },
    { .name = "free_cooling_c",   REAL,    .at = OF(free_cooling_c), .least = -100, .most = 100 },
    { .name = "pue_per_c",        REAL,    .at = OF(pue_per_c), .most = 10 },
    { .name = "carbon_g_per_kwh", .type = CONFIG_PARTS, .at = OF(carbon_milli), .scale = HOURLY_SCALE, .most = CARBON_MOST },
    { .name = "carbon_file",      .type = CONFIG_TEXT, .at = OF(carbon_file) },
    { .name = "off_after_s",      CONFIG_SECONDS, .at = OF(power.off_after_ns), .word = "never", .word_value = TIME_NEVER },
    { .name = "wake_s",           CONFIG_SECONDS, .at = OF(power.wake_ns) },
    { .name = "off_w",            WATTS,   .at = OF(power.off_nw), .most = WATTS_MOST },
    { .name = "cap_w",            WATTS,   .at = OF(power.cap_nw), .most = CAP_MOST_W, .word = "unlimited", .word_value = INT64_MAX },
    { .name = "rack_cap_w",       WATTS,   .at = OF(power.rack_cap_nw), .most = CAP_MOST_W, .word = "unlimited", .word_value = INT64_MAX },
    { .name = "cap_by",           .type = CONFIG_CHOICE, .at = OF(power.cap_by), .words = cap_words },
    { .name = "row_cap_w",        WATTS,   .at = OF(power.row.nw), .most = CAP_MOST_W, .word = "unlimited", .word_value = INT64_MAX },
    { .name = "row_low_at",       REAL,    .at = OF(power.row.low_at), .most = 1, .above_least = true },
    { .name = "row_all_at",       REAL,    .at = OF(power.row.all_at), .most = 1, .above_least = true },
    { .name = "row_release",      REAL,    .at = OF(power.row.release), .most = 1 },
    { .name = "row_clock",        REAL,    .at = OF(power.row.clock), .most = 1, .above_least = true },
    { .name = "row_look_s",       CONFIG_SECONDS, .at = OF(power.row.look_ns), .above_least = true },
    { .name = "clock_exponent",   REAL,    .at = OF(power.law.clock_exponent), .most = 10, .above_least = true },
    { .name = "clock_least",      REAL,    .at = OF(power.law.clock_least), .most = 1, .above_least = true },
    { .name = "gpu_cap_w",        REAL,    .at = OF(usual.gpu_cap_w), .most = WATTS_MOST },
    { .name = "clock",            REAL,    .at = OF(usual.clock), .most = 1, .above_least = true },
    { .name = "node_idle_w",      REAL,    .at = OF(usual.node_idle_w), .most = WATTS_MOST },
    { .name = "gpu_idle_w",       REAL,    .at = OF(usual.gpu_idle_w), .most = WATTS_MOST },
    { .name = "gpu_tdp_w",        REAL,    .at = OF(usual.gpu_tdp_w), .most = WATTS_MOST },
    { .name = "groups",           .type = CONFIG_MAPPING, .at = OF(groups) },
    { 0 },
};
static const struct config_key power_group_keys[] = {
    { .name = "node_idle_w", REAL, .at = GROUP(node_idle_w), .most = WATTS_MOST },
    { .name = "gpu_idle_w",  REAL, .at = GROUP(gpu_idle_w), .most = WATTS_MOST },
    { .name = "gpu_tdp_w",   REAL, .at = GROUP(gpu_tdp_w), .most = WATTS_MOST },
    { .name = "gpu_cap_w",   REAL, .at = GROUP(gpu_cap_w), .most = WATTS_MOST },
    { .name = "clock",       REAL, .at = GROUP(clock), .most = 1, .above_least = true },
    { .name = "low_priority", .type = CONFIG_FLAG, .at = GROUP(low_priority) },
    { 0 },
};
static const char *const bill_words[] = { [BILL_ALLOCATED] = "allocated", [BILL_CAPACITY] = "capacity", NULL };
static const char *const idle_words[] = {
    [IDLE_APART] = "apart", [IDLE_BY_USE] = "by-use", [IDLE_BY_QUOTA] = "by-quota", NULL,
};
static const struct config_key tariff_keys[] = {
    { .name = "bill",               .type = CONFIG_CHOICE, .at = TARIFF(tariff.bill), .words = bill_words },
    { .name = "energy_usd_per_kwh", REAL, .at = TARIFF(tariff.energy_usd_per_kwh), .most = 1000 },
    { .name = "gpu_usd_per_h",      REAL, .at = TARIFF(usual.gpu_usd_per_h), .most = 1000000 },
    { .name = "idle",               .type = CONFIG_CHOICE, .at = TARIFF(tariff.idle), .words = idle_words },
    { .name = "groups",             .type = CONFIG_MAPPING, .at = TARIFF(groups) },
    { 0 },
};
static const struct config_key tariff_group_keys[] = {
    { .name = "gpu_usd_per_h", REAL, .at = GROUP(gpu_usd_per_h), .most = 1000000 },
    { 0 },
};
/* clang-format on */

static const struct file_group unsaid = { (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, false };

/* The entries of groups override the values of the section. */
static int read_groups(struct config_value groups, const struct config_key *keys,
                       const struct cluster *c, struct file_group *said, struct error *err)
{
    struct config_walk w = { .of = groups };
    for (struct config_value entry; config_next(&w, &entry);) {
        const char *name = NULL;
        uint32_t g = 0;
        if (config_key_text(entry, &name, err))
            return -1;
        while (g < c->n_groups && strcmp(c->group_name[g], name) != 0)
            g++;
        if (g == c->n_groups)
            return config_error(entry, err, "there is no group of this name");
        if (config_fields(entry, keys, &said[g], err))
            return -1;
    }
    return 0;
}

/* A given value, else that of the catalogue; below 0: unknown there. */
static int settle(struct config_value section, const struct cluster *c, uint32_t group,
                  double *said, double known, const char *key, struct error *err)
{
    if (isnan(*said))
        *said = known;
    if (*said >= 0)
        return 0;
    return config_error(section, err,
                        "group '%s': want a %s: it is of no model or type of the catalogue",
                        c->group_name[group], key);
}

static const struct gpu_model *model_of_group(const struct cluster *c, uint32_t group)
{
    node_id n = 0;
    while (c->group_of[n] != group)
        n++;
    uint32_t model = cluster_node_type(c, n)->gpu_model;
    return model == ID_NONE ? NULL : c->gpu_known[model];
}

static int64_t group_milli(const struct cluster *c, uint32_t group)
{
    node_id n = 0;
    while (c->group_of[n] != group)
        n++;
    return cluster_node_milli(c, n);
}

/* As it is said, or as the cap of a GPU wants it; and what a start is held against. */
static int group_clock(struct config_value section, const struct cluster *c, uint32_t g,
                       const struct file_group *said, struct power *p, struct error *err)
{
    struct node_power *n = &p->of_group[g];
    double most_w = fmax(p->law.most_share, p->law.llm ? 1 : 0) * said->gpu_tdp_w;
    if (!isnan(said->clock) && !isnan(said->gpu_cap_w))
        return config_error(section, err, "group '%s': want a gpu_cap_w or a clock, not both",
                            c->group_name[g]);
    if (!isnan(said->clock))
        n->clock = said->clock;
    if (!isnan(said->gpu_cap_w))
        n->clock = power_clock_for(&p->law, said->gpu_idle_w, most_w, said->gpu_cap_w);
    if (n->clock <= 0)
        return config_error(section, err,
                            "group '%s': want a gpu_cap_w that a clock of at least %g keeps",
                            c->group_name[g], p->law.clock_least);
    double lowest = p->cap_by == CAP_BY_CLOCKS ? fmin(n->clock, p->law.clock_least) : n->clock;
    n->start_nw = power_most_nw(&p->law, n, lowest);
    return 0;
}

static int group_power(struct config_value section, const struct cluster *c, uint32_t g,
                       struct file_group *said, struct power *p, struct error *err)
{
    const struct node_design *d = c->group_design[g];
    const struct gpu_model *m = model_of_group(c, g);
    bool none = c->group_gpus[g] == 0;    /* no GPUs, no watts */
    if (settle(section, c, g, &said->node_idle_w, d ? d->idle_w : -1, "node_idle_w", err) ||
        settle(section, c, g, &said->gpu_idle_w,
               none ? 0
               : m  ? m->idle_w
                    : -1,
               "gpu_idle_w", err) ||
        settle(section, c, g, &said->gpu_tdp_w,
               none ? 0
               : m  ? m->tdp_w
                    : -1,
               "gpu_tdp_w", err))
        return -1;
    if (p->law.most_share * said->gpu_tdp_w < said->gpu_idle_w)
        return config_error(
            section, err,
            "group '%s': want most_share x gpu_tdp_w (%g W) of at least gpu_idle_w (%g W)",
            c->group_name[g], p->law.most_share * said->gpu_tdp_w, said->gpu_idle_w);
    struct node_watts w = { said->node_idle_w, said->gpu_idle_w, said->gpu_tdp_w };
    p->of_group[g] = node_power_of(&p->law, &w, c->group_gpus[g], group_milli(c, g));
    return none ? 0 : group_clock(section, c, g, said, p, err);
}

static struct file_group *said_of_groups(struct cluster *c, struct file_group usual)
{
    struct file_group *said = arena_alloc(c->memory, c->n_groups * sizeof *said);
    for (uint32_t g = 0; g < c->n_groups; g++)
        said[g] = usual;
    return said;
}

/* A cap below the power of idle nodes would stop everything. */
static int check_caps(struct config_value section, const struct cluster *c, struct error *err)
{
    int128_t floor_nw = cluster_idle_nw(c, 0, c->n_nodes);
    if (floor_nw > c->power->cap_nw)
        return config_error(
            section, err, "want a cap_w of at least %.9g, which all nodes draw when they are idle",
            (double)floor_nw / NW_PER_W);
    for (domain_id d = 1; d < c->n_domains; d++) {
        floor_nw = cluster_idle_nw(c, c->domain[d].first, c->domain[d].end);
        if (c->domain[d].level == LEVEL_RACK && floor_nw > c->power->rack_cap_nw)
            return config_error(section, err,
                                "want a rack_cap_w of at least %.9g, which the %u nodes of a rack "
                                "draw when they are idle",
                                (double)floor_nw / NW_PER_W, c->domain[d].end - c->domain[d].first);
    }
    return 0;
}

/* Outside temperature, in thousandths of a degree, to PUE. */
static int64_t pue_of_milli_c(void *self, int64_t milli)
{
    const struct file_power *f = self;
    double c = (double)milli / HOURLY_SCALE;
    return llround(HOURLY_SCALE * power_pue_at(f->power.pue, f->free_cooling_c, f->pue_per_c, c));
}

static int read_hours(struct config_value section, struct file_power *f, struct error *err)
{
    struct power *p = &f->power;
    if (f->carbon_file && f->carbon_milli != CARBON_UNSAID)
        return config_error(section, err, "want a carbon_file or a carbon_g_per_kwh, not both");
    if (!f->carbon_file)
        p->carbon = hourly_constant(f->carbon_milli);
    else if (hourly_read(f->carbon_file, "carbon_g_per_kwh", CARBON_MOST, &p->carbon, err))
        return -1;
    if (!f->temperature_file)
        return 0;
    if (hourly_read_as(f->temperature_file, "temperature_c", -100, 100, pue_of_milli_c, f,
                       &p->pue_by_hour, err) ||
        hourly_product(&p->carbon, &p->pue_by_hour, &p->carbon_by_hour, err)) {
        hourly_free(&p->carbon);
        hourly_free(&p->pue_by_hour);
        return -1;
    }
    return 0;
}

static int check_cap_by(struct config_value section, const struct power *p, struct error *err)
{
    bool capped = p->cap_nw != INT64_MAX || p->rack_cap_nw != INT64_MAX;
    if (p->cap_by == CAP_BY_CLOCKS && !capped)
        return config_error(section, err, "'cap_by: clocks' wants a cap_w or a rack_cap_w");
    if (p->cap_by == CAP_BY_ROWS && (capped || p->row.nw == INT64_MAX))
        return config_error(section, err, "'cap_by: rows' wants a row_cap_w, and no other cap");
    if (p->cap_by != CAP_BY_ROWS && p->row.nw != INT64_MAX)
        return config_error(section, err, "a row_cap_w wants 'cap_by: rows'");
    if (p->row.low_at > p->row.all_at || p->row.release > p->row.low_at)
        return config_error(section, err, "want row_release <= row_low_at <= row_all_at, got %g, %g, %g",
                            p->row.release, p->row.low_at, p->row.all_at);
    return 0;
}

/* Rows are numbered by their first node. */
static void find_rows(const struct cluster *c, const struct file_group *said, struct row_budget *row)
{
    uint32_t *number = mem_new(c->n_domains, sizeof *number);
    row->low = arena_alloc(c->memory, c->n_groups * sizeof *row->low);
    row->of_node = arena_alloc(c->memory, c->n_nodes * sizeof *row->of_node);
    for (uint32_t g = 0; g < c->n_groups; g++)
        row->low[g] = said[g].low_priority;
    for (domain_id d = 0; d < c->n_domains; d++)
        number[d] = ID_NONE;
    for (node_id n = 0; n < c->n_nodes; n++) {
        domain_id d = cluster_has_domain(c, n, LEVEL_POD) ? cluster_domain_at(c, n, LEVEL_POD) : 0;
        if (number[d] == ID_NONE)
            number[d] = row->n++;
        row->of_node[n] = number[d];
    }
    free(number);
}

int power_read(struct config_value section, struct cluster *c, struct error *err)
{
    struct file_power f = {
        .power = { .law = power_law_usual,
                   .duty = 1,
                   .pue = PUE_USUAL,
                   .off_after_ns = TIME_NEVER,
                   .wake_ns = WAKE_USUAL_S * NS_PER_S,
                   .cap_nw = INT64_MAX,
                   .rack_cap_nw = INT64_MAX,
                   .row = { INT64_MAX, .low_at = .80, .all_at = .89, .release = .05, .clock = .79,
                            .look_ns = 10 * NS_PER_S } },
        .usual = unsaid,
        .free_cooling_c = FREE_USUAL_C,
        .pue_per_c = PER_C_USUAL,
        .carbon_milli =
            config_given(config_look(section, "carbon_file")) ? CARBON_UNSAID : CARBON_USUAL,
    };
    if (!config_given(section))
        return 0;
    if (config_fields(section, power_keys, &f, err))
        return -1;
    if (check_cap_by(section, &f.power, err))
        return -1;
    if (f.temperature_file && f.pue_fixed > 0)
        return config_error(section, err, "want a temperature_file or a pue_fixed, not both");
    struct file_group *said = said_of_groups(c, f.usual);
    if (read_groups(f.groups, power_group_keys, c, said, err))
        return -1;
    f.power.of_group = arena_alloc(c->memory, c->n_groups * sizeof *f.power.of_group);
    for (uint32_t g = 0; g < c->n_groups; g++)
        if (group_power(section, c, g, &said[g], &f.power, err))
            return -1;
    if (read_hours(section, &f, err))
        return -1;
    if (f.power.cap_by == CAP_BY_ROWS)
        find_rows(c, said, &f.power.row);
    c->power = arena_alloc(c->memory, sizeof *c->power);
    *c->power = f.power;
    c->power->pue = power_pue_of_load(f.power.pue, f.pue_fixed);
    c->power->fixed_nw = power_fixed_nw(f.power.pue, f.pue_fixed, cluster_full_nw(c));
    return check_caps(section, c, err);
}

int tariff_read(struct config_value section, struct cluster *c, struct error *err)
{
    struct file_tariff f = { .tariff = { .energy_usd_per_kwh = TARIFF_USUAL }, .usual = unsaid };
    if (!config_given(section))
        return 0;
    if (config_fields(section, tariff_keys, &f, err))
        return -1;
    struct file_group *said = said_of_groups(c, f.usual);
    if (read_groups(f.groups, tariff_group_keys, c, said, err))
        return -1;
    f.tariff.gpu_usd_per_h = arena_alloc(c->memory, c->n_groups * sizeof *f.tariff.gpu_usd_per_h);
    for (uint32_t g = 0; g < c->n_groups; g++) {
        const struct gpu_model *m = model_of_group(c, g);
        if (settle(section, c, g, &said[g].gpu_usd_per_h,
                   c->group_gpus[g] == 0 ? 0
                   : m                   ? m->price_usd_per_h
                                         : -1,
                   "gpu_usd_per_h", err))
            return -1;
        f.tariff.gpu_usd_per_h[g] = said[g].gpu_usd_per_h;
    }
    c->tariff = arena_alloc(c->memory, sizeof *c->tariff);
    *c->tariff = f.tariff;
    return 0;
}
