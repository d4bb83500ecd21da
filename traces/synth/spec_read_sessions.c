/* spec_read_sessions.c - of a workload file: interactive sessions, with the defaults of
 * session_spec.h. */
#include "traces/synth/session_list.h"
#include "traces/synth/spec_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS_MOST 1000
#define WEEK_MOST_S 604800
#define KINDS_MOST  100

struct file_group {
    struct session_spec is;
    struct synth_class asks;
    const char *group, *queue, *recorded;
    int how, pool, preset;
    struct config_value wants[SESSION_WANTS];
    struct config_value gpus, daily, weekly, length, think, run, patience, kinds, culling, start_up, slo;
};
/* clang-format off */
#define GROUP(field) offsetof(struct file_group, field)
static const char *const cull_words[] = { [CULL_OFF] = "off", [CULL_RELEASE] = "release", [CULL_KILL] = "kill", NULL };
enum { POOL_COLD, POOL_WARM };
static const char *const pool_words[] = { [POOL_COLD] = "cold", [POOL_WARM] = "warm", NULL };

enum { PRESET_USUAL, PRESET_ADOBE };
static const char *const preset_words[] = { [PRESET_USUAL] = "usual", [PRESET_ADOBE] = "adobe", NULL };

#define WANTS_KEYS(from) \
    { .name = "gpu_types",          .type = CONFIG_MAPPING, .at = (from) + SESSION_GPU_TYPES * sizeof(struct config_value) }, \
    { .name = "mig",                .type = CONFIG_MAPPING, .at = (from) + SESSION_MIGS * sizeof(struct config_value) }, \
    { .name = "models",             .type = CONFIG_MAPPING, .at = (from) + SESSION_MODELS * sizeof(struct config_value) }
static const struct config_key group_keys[] = {
    { .name = "group",              .type = CONFIG_TEXT, .at = GROUP(group), .required = true },
    { .name = "preset",             .type = CONFIG_CHOICE, .at = GROUP(preset), .words = preset_words },
    { .name = "users",              .type = CONFIG_COUNT, .at = GROUP(is.users), .least = 1, .most = 1000000 },
    { .name = "recorded",           .type = CONFIG_TEXT, .at = GROUP(recorded) },
    { .name = "per_user_weekday",   REAL, .at = GROUP(is.per_user_weekday), .most = 1000, .above_least = true },
    { .name = "rate_per_h",         REAL, .at = GROUP(is.rate_per_h), .most = 1000000, .above_least = true },
    { .name = "daily",              .type = CONFIG_LIST, .at = GROUP(daily) },
    { .name = "weekly",             .type = CONFIG_LIST, .at = GROUP(weekly) },
    { .name = "gpus",               .type = CONFIG_MAPPING, .at = GROUP(gpus) },
    { .name = "node_gpus",          .type = CONFIG_COUNT, .at = GROUP(asks.node_gpus), .least = 1, .most = 1000000 },
    { .name = "cpus_per_gpu",       .type = CONFIG_PARTS, .at = GROUP(asks.cpu_milli), .scale = 1000, .most = 10000 },
    { .name = "memory_gib_per_gpu", .type = CONFIG_PARTS, .at = GROUP(asks.mem_mib), .scale = 1024, .most = 10000 },
    WANTS_KEYS(GROUP(wants)),
    { .name = "queue",              .type = CONFIG_TEXT, .at = GROUP(queue) },
    { .name = "priority",           .type = CONFIG_INTEGER, .at = GROUP(asks.priority), .least = INT32_MIN, .most = INT32_MAX },
    { .name = "preemptible",        .type = CONFIG_FLAG, .at = GROUP(asks.preemptible) },
    { .name = "length",             .type = CONFIG_MAPPING, .at = GROUP(length) },
    { .name = "think",              .type = CONFIG_MAPPING, .at = GROUP(think) },
    { .name = "run",                .type = CONFIG_MAPPING, .at = GROUP(run) },
    { .name = "patience",           .type = CONFIG_MAPPING, .at = GROUP(patience) },
    { .name = "kinds",              .type = CONFIG_LIST, .at = GROUP(kinds) },
    { .name = "forgotten",          REAL, .at = GROUP(is.forgotten), .most = 1 },
    { .name = "culling",            .type = CONFIG_MAPPING, .at = GROUP(culling) },
    { .name = "cap_s",              REAL, .at = GROUP(is.cap_s), .most = WEEK_MOST_S, .above_least = true },
    { .name = "start_up",           .type = CONFIG_MAPPING, .at = GROUP(start_up) },
    { .name = "slo",                .type = CONFIG_MAPPING, .at = GROUP(slo) },
    { .name = "duty",               REAL, .at = GROUP(is.duty), .most = 1 },
    { 0 },
};
#define PARTS_S .type = CONFIG_PARTS, .scale = NS_PER_S, .most = WEEK_MOST_S
static const struct config_key culling_keys[] = {
    { .name = "cull",      .type = CONFIG_CHOICE, .at = GROUP(how), .words = cull_words },
    { .name = "release_s", PARTS_S, .at = GROUP(is.culling.release_ns) },
    { .name = "delete_s",  PARTS_S, .at = GROUP(is.culling.delete_ns) },
    { .name = "period_s",  PARTS_S, .at = GROUP(is.culling.period_ns), .above_least = true },
    { 0 },
};
static const struct config_key start_keys[] = {
    { .name = "pool",    .type = CONFIG_CHOICE, .at = GROUP(pool), .words = pool_words },
    { .name = "least_s", REAL, .at = GROUP(is.start_least_s), .most = 86400 },
    { .name = "most_s",  REAL, .at = GROUP(is.start_most_s), .most = 86400 },
    { 0 },
};
static const struct config_key slo_keys[] = {
    { .name = "start_s", REAL, .at = GROUP(is.slo_s), .most = 86400 },
    { .name = "share",   REAL, .at = GROUP(is.slo_share), .most = 1 },
    { 0 },
};
struct file_kind { double share, forgotten; struct config_value length, think, run, wants[SESSION_WANTS]; };
#define KIND(field) offsetof(struct file_kind, field)
static const struct config_key kind_keys[] = {
    { .name = "share",     REAL, .at = KIND(share), .most = 1000000, .required = true },
    { .name = "length",    .type = CONFIG_MAPPING, .at = KIND(length) },
    { .name = "think",     .type = CONFIG_MAPPING, .at = KIND(think) },
    { .name = "run",       .type = CONFIG_MAPPING, .at = KIND(run) },
    { .name = "forgotten", REAL, .at = KIND(forgotten), .most = 1 },
    WANTS_KEYS(KIND(wants)),
    { 0 },
};
/* clang-format on */

/* ---- What they ask of GPUs ---- */

static int read_migs(struct spec_reader *r, struct config_value v, const struct synth_class *asks)
{
    struct config_walk w = { .of = v };
    for (struct config_value pair; config_next(&w, &pair);) {
        const char *name = NULL;
        if (config_key_text(pair, &name, r->err))
            return -1;
        if (strcmp(name, "none") != 0 && !mig_profile(name))
            return config_error(pair, r->err, "want " MIG_WANTED ", or none, got '%.60s'", name);
    }
    for (size_t i = 0; i < asks->n_sizes; i++)
        if (asks->size[i].gpu_milli % MILLI_ALL)
            return config_error(v, r->err, "want whole 'gpus' beside it: so many instances");
    return 0;
}

static int read_wants(struct spec_reader *r, const struct config_value *v,
                      const struct synth_class *asks, struct session_wants *to)
{
    for (int i = 0; i < SESSION_WANTS; i++)
        if (config_given(v[i]) && ((i == SESSION_MIGS && read_migs(r, v[i], asks)) ||
                                   spec_read_names(r, v[i], &to->of[i])))
            return -1;
    return 0;
}

/* ---- Laws ---- */

/* A lognormal law by mean and median has them before it is cut. */
static int read_law(struct spec_reader *r, struct config_value v, struct session_law *to)
{
    struct synth_durations d;
    if (!config_given(v))
        return 0;
    if (synth_law_read(v, r->file, r->to->memory, &d, r->err))
        return -1;
    if (d.p_per_log2_gpus != 0)
        return config_error(config_look(v, "p_per_log2_gpus"), r->err, "want a law of times alone");
    *to = (struct session_law){ d.law, d.least_s, d.most_s };
    return 0;
}

static int read_laws(struct spec_reader *r, const struct file_group *f, struct session_spec *to)
{
    return read_law(r, f->length, &to->length) || read_law(r, f->think, &to->think) ||
                   read_law(r, f->run, &to->run) || read_law(r, f->patience, &to->patience)
               ? -1
               : 0;
}

/* Absent laws are those of the group; without `think` nothing runs. */
static int read_kind(struct spec_reader *r, struct config_value v, const struct file_group *g,
                     struct session_kind *to, struct session_wants *wants)
{
    const struct session_spec *of = &g->is;
    struct file_kind f = { .forgotten = of->forgotten };
    if (config_fields(v, kind_keys, &f, r->err))
        return -1;
    *to = (struct session_kind){ f.share, config_given(f.think), of->length, of->think, of->run,
                                 f.forgotten };
    if (!to->thinks && config_given(f.run))
        return config_error(f.run, r->err, "want it with 'think' only: a kind without runs nothing");
    return read_law(r, f.length, &to->length) || read_law(r, f.think, &to->think) ||
                   read_law(r, f.run, &to->run) || read_wants(r, f.wants, &g->asks, wants)
               ? -1
               : 0;
}

/* wants: of each kind. */
static int read_kinds(struct spec_reader *r, struct file_group *f, struct session_wants **wants)
{
    struct config_value list = f->kinds;
    struct session_spec *to = &f->is;
    struct config_walk w = { .of = list };
    if (!config_given(list))
        return 0;
    if (config_count(list) < 1 || config_count(list) > KINDS_MOST)
        return config_error(list, r->err, "want from 1 to %d kinds, got %zu", KINDS_MOST,
                            config_count(list));
    to->kind = arena_alloc(r->to->memory, config_count(list) * sizeof *to->kind);
    *wants = arena_alloc(r->to->memory, config_count(list) * sizeof **wants);
    to->n_kinds = 0;
    for (struct config_value v; config_next(&w, &v); to->n_kinds++)
        if (read_kind(r, v, f, &to->kind[to->n_kinds], &(*wants)[to->n_kinds]))
            return -1;
    return 0;
}

/* ---- Recorded sessions ---- */

/* What the record has itself. */
static int check_recorded(struct spec_reader *r, struct config_value at)
{
    static const char *const drawn[] = {
        "preset", "users",     "per_user_weekday", "rate_per_h", "daily", "weekly", "gpus",     "length",
        "think",  "run",       "kinds",            "forgotten",  "mig",   "models", "gpu_types"
    };
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        if (config_given(config_look(at, drawn[i])))
            return config_error(config_look(at, drawn[i]), r->err,
                                "want it of drawn sessions only, not beside 'recorded'");
    return 0;
}

/* They end as they did: nothing else cuts them unless the file says so. */
static int read_recorded(struct spec_reader *r, struct config_value at, struct file_group *f,
                         struct synth_sessions *to)
{
    struct error why = { "" };
    if (check_recorded(r, at))
        return -1;
    char *path = synth_path_beside(r->file, f->recorded);
    struct input *in = input_open(path, &why);
    to->list = in ? session_list_read(in, r->to->memory, &why) : NULL;
    input_close(in);
    free(path);
    if (!to->list)
        return config_error(config_look(at, "recorded"), r->err, "%s", why.text);
    to->recorded = spec_kept(r, f->recorded);
    f->is.users = to->list->users;
    f->is.forgotten = 0;
    if (!config_given(f->culling))
        f->how = CULL_OFF;
    if (!config_given(config_look(at, "cap_s")))
        f->is.cap_s = seconds(to->list->longest_ns);
    return 0;
}

/* ---- A group ---- */

/* Its defaults are there before all other keys are read. */
static int read_preset(struct spec_reader *r, struct config_value at, struct file_group *f)
{
    static const char *const single[] = { "length", "think", "run", "forgotten" };
    struct config_value v = config_look(at, "preset");
    if (!config_given(v))
        return 0;
    if (config_scalar(v, &group_keys[1], &f->preset, r->err))
        return -1;
    if (f->preset != PRESET_ADOBE)
        return 0;
    session_spec_adobe(&f->is, r->to->memory);
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (config_given(config_look(at, single[i])) && !config_given(config_look(at, "kinds")))
            return config_error(config_look(at, single[i]), r->err,
                                "want it in 'kinds' instead: this preset has some");
    return 0;
}

/* The default start-up of a warm pool is shorter. */
static int read_start_up(struct spec_reader *r, struct file_group *f)
{
    struct config_value pool = config_look(f->start_up, "pool");
    if (!config_given(f->start_up))
        return 0;
    if (config_given(pool)) {
        if (config_scalar(pool, &start_keys[0], &f->pool, r->err))
            return -1;
        if (f->pool == POOL_WARM)
            f->is.start_least_s = f->is.start_most_s = session_warm_start_s;
    }
    return config_fields(f->start_up, start_keys, f, r->err);
}

static int read_sizes(struct spec_reader *r, struct file_group *f)
{
    struct session_size *size;
    if (!config_given(f->gpus)) {
        f->asks.size = arena_alloc(r->to->memory, f->is.n_sizes * sizeof *f->asks.size);
        for (; f->asks.n_sizes < f->is.n_sizes; f->asks.n_sizes++)
            f->asks.size[f->asks.n_sizes] =
                (struct synth_size){ f->is.size[f->asks.n_sizes].gpu_milli,
                                     f->is.size[f->asks.n_sizes].share };
        return 0;
    }
    if (spec_read_sizes(r, f->gpus, &f->asks))
        return -1;
    f->is.n_sizes = f->asks.n_sizes;
    f->is.size = size = arena_alloc(r->to->memory, f->is.n_sizes * sizeof *size);
    for (size_t i = 0; i < f->is.n_sizes; i++)
        size[i] = (struct session_size){ f->asks.size[i].gpu_milli, f->asks.size[i].share };
    return 0;
}

static int read_group(struct spec_reader *r, struct config_value at, struct synth_sessions *to)
{
    struct file_group f = { .is = session_spec_default(), .asks = synth_class_default };
    f.asks.by_node = true;
    struct error why = { "" };
    if (read_preset(r, at, &f))
        return -1;
    f.how = (int)f.is.culling.how;
    f.asks.class = CLASS_INTERACTIVE;
    if (config_fields(at, group_keys, &f, r->err))
        return -1;
    if (config_given(config_look(at, "per_user_weekday")) && f.is.rate_per_h > 0)
        return config_error(config_look(at, "per_user_weekday"), r->err,
                            "want either this or 'rate_per_h'");
    *to = (struct synth_sessions){ .list = NULL };
    if (f.recorded ? read_recorded(r, at, &f, to)
                   : f.is.users == 0 && config_error(at, r->err, "key 'users' is missing"))
        return -1;
    if (!f.recorded && f.is.users > r->to->users)
        return config_error(config_look(at, "users"), r->err,
                            "want at most the %u users that the workload has", r->to->users);
    if (spec_read_profile(f.daily, 24, f.is.daily, r->err) ||
        spec_read_profile(f.weekly, 7, f.is.weekly, r->err) || read_laws(r, &f, &f.is) ||
        read_sizes(r, &f) || read_kinds(r, &f, &to->kind) ||
        read_wants(r, f.wants, &f.asks, &to->wants) ||
        (config_given(f.culling) && config_fields(f.culling, culling_keys, &f, r->err)) ||
        read_start_up(r, &f) || (config_given(f.slo) && config_fields(f.slo, slo_keys, &f, r->err)))
        return -1;
    f.is.culling.how = (enum session_cull)f.how;
    f.is.name = spec_kept(r, f.group);
    to->is = f.is;
    to->asks = f.asks;
    to->queue = f.queue ? spec_kept(r, f.queue) : NULL;
    return session_spec_check(&to->is, &why) ? config_error(at, r->err, "%s", why.text) : 0;
}

int spec_read_sessions(struct spec_reader *r, struct config_value list)
{
    struct synth_spec *to = r->to;
    struct config_walk w = { .of = list };
    size_t n = config_count(list);
    if (!config_given(list))
        return 0;
    if (n < 1 || n > GROUPS_MOST)
        return config_error(list, r->err, "want from 1 to %d groups, got %zu", GROUPS_MOST, n);
    to->sessions = arena_alloc(to->memory, n * sizeof *to->sessions);
    for (struct config_value entry; config_next(&w, &entry); to->n_sessions++) {
        struct synth_sessions *one = &to->sessions[to->n_sessions];
        if (read_group(r, entry, one))
            return -1;
        for (size_t k = 0; k < to->n_sessions; k++)
            if (!strcmp(to->sessions[k].is.name, one->is.name))
                return config_error(config_look(entry, "group"), r->err, "'%s' is there twice",
                                    one->is.name);
    }
    return 0;
}
