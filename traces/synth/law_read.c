/* law_read.c - a law of run times from its mapping in a workload file. */
#include "sim/io/config.h"
#include "sim/io/table_in.h"
#include "traces/synth/spec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIME_MOST_S 1000000000
#define VALUES_MOST 20000000

/* clang-format off */
enum law_word { FIXED, EXPONENTIAL, LOGNORMAL, WEIBULL, GAMMA, HYPER_GAMMA, LOG_UNIFORM, EMPIRICAL, MIX, GAVEL, PHILLY_MIX };
static const char *const law_words[] = {
    [FIXED] = "fixed", [EXPONENTIAL] = "exponential", [LOGNORMAL] = "lognormal", [WEIBULL] = "weibull", [GAMMA] = "gamma",
    [HYPER_GAMMA] = "hyper-gamma", [LOG_UNIFORM] = "log-uniform", [EMPIRICAL] = "empirical", [MIX] = "mix",
    [GAVEL] = "gavel", [PHILLY_MIX] = "philly-mix", NULL,
};
enum { OF_TIME, OF_LOG2 };
static const char *const of_words[] = { [OF_TIME] = "time", [OF_LOG2] = "log2", NULL };
/* clang-format on */

struct file_law {
    int law, of;
    double weight, value_s, mean_s, median_s, mu, sigma, shape, scale_s, from_s, to_s, p, shape_1,
        scale_1, shape_2, scale_2;
    double p_per_log2_gpus, least_s, most_s;
    const char *file, *column;
    struct config_value values, parts;
};

#define AT(field) .at = offsetof(struct file_law, field)
#define TIME(field) .name = #field, .type = CONFIG_REAL, AT(field), .above_least = true, .most = TIME_MOST_S
#define FACTOR(field, high) .name = #field, .type = CONFIG_REAL, AT(field), .above_least = true, .most = high
static const struct config_key keys[] = {
    { .name = "law", .type = CONFIG_CHOICE, AT(law), .words = law_words, .required = true },
    { TIME(value_s) },
    { TIME(mean_s) },
    { TIME(median_s) },
    { .name = "mu", .type = CONFIG_REAL, AT(mu), .least = -50, .most = 50 },
    { FACTOR(sigma, 20) },
    { FACTOR(shape, 1000) },
    { TIME(scale_s) },
    { TIME(from_s) },
    { TIME(to_s) },
    { .name = "p", .type = CONFIG_REAL, AT(p), .most = 1 },
    { FACTOR(shape_1, 1000) },
    { TIME(scale_1) },
    { FACTOR(shape_2, 1000) },
    { TIME(scale_2) },
    { .name = "of", .type = CONFIG_CHOICE, AT(of), .words = of_words },
    { .name = "p_per_log2_gpus", .type = CONFIG_REAL, AT(p_per_log2_gpus), .least = -1, .most = 1 },
    { .name = "file", .type = CONFIG_TEXT, AT(file) },
    { .name = "column", .type = CONFIG_TEXT, AT(column) },
    { .name = "values_s", .type = CONFIG_LIST, AT(values) },
    { .name = "parts", .type = CONFIG_LIST, AT(parts) },
    { .name = "weight", .type = CONFIG_REAL, AT(weight), .above_least = true, .most = 1000000 },
    { .name = "least_s", .type = CONFIG_REAL, AT(least_s), .most = TIME_MOST_S },
    { TIME(most_s) },
    { 0 },
};

/* The keys that a law needs, and those that it may have; no others. */
static const struct { const char *needs[5], *takes[4];
} needs[] = {
    [FIXED] = { { "value_s" }, { NULL } },
    [EXPONENTIAL] = { { "mean_s" }, { NULL } },
    [LOGNORMAL] = { { NULL }, { "mean_s", "median_s", "mu", "sigma" } },
    [WEIBULL] = { { "shape", "scale_s" }, { NULL } },
    [GAMMA] = { { "shape", "scale_s" }, { NULL } },
    [HYPER_GAMMA] = { { "p", "shape_1", "scale_1", "shape_2", "scale_2" },
                      { "of", "p_per_log2_gpus" } },
    [LOG_UNIFORM] = { { "from_s", "to_s" }, { NULL } },
    [EMPIRICAL] = { { NULL }, { "file", "column", "values_s" } },
    [MIX] = { { "parts" }, { NULL } },
    [GAVEL] = { { NULL }, { NULL } },
    [PHILLY_MIX] = { { NULL }, { NULL } },
};

struct reading {
    const char *beside;           /* the workload file */
    struct arena *memory;
    struct error *err;
};

static bool in_list(const char *const *list, size_t most, const char *name)
{
    for (size_t i = 0; i < most && list[i]; i++)
        if (!strcmp(list[i], name))
            return true;
    return false;
}

static int check_keys(struct config_value v, const struct file_law *f, bool is_part,
                      struct error *err)
{
    struct config_walk w = { .of = v };
    for (size_t i = 0; i < 5 && needs[f->law].needs[i]; i++)
        if (!config_given(config_look(v, needs[f->law].needs[i])))
            return config_error(v, err, "%s wants '%s'", law_words[f->law], needs[f->law].needs[i]);
    for (struct config_value pair; config_next(&w, &pair);) {
        const char *name = NULL;
        if (config_key_text(pair, &name, err))
            return -1;
        bool cut = !strcmp(name, "least_s") || !strcmp(name, "most_s"),
             weight = !strcmp(name, "weight");
        if (!strcmp(name, "law") || in_list(needs[f->law].needs, 5, name) ||
            in_list(needs[f->law].takes, 4, name) || (is_part ? weight : cut))
            continue;
        if (cut || weight)
            return config_error(pair, err,
                                cut ? "want it of the whole law, not of a part"
                                    : "want it of a part of a mix only");
        return config_error(pair, err, "a law '%s' has none", law_words[f->law]);
    }
    return 0;
}

/* ---- values ---- */

struct values { double *value; size_t n, room; const char *column; size_t at; };

static int on_header(void *self, const struct row *header, struct error *err)
{
    struct values *v = self;
    v->at = table_column(header, v->column);
    return v->at != TABLE_NO_COLUMN ? 0
                                    : error_set(err, "%s:%zu: want a column '%s'", header->file,
                                                header->line, v->column);
}

static int on_row(void *self, const struct row *row, struct error *err)
{
    struct values *v = self;
    int64_t ns = 0;
    if (cell_required(row, v->at, err) ||
        cell_decimal(row, v->at, NS_PER_S, 0, TIME_MOST_S * NS_PER_S, &ns, err))
        return -1;
    if (v->n == VALUES_MOST)
        return error_set(err, "%s:%zu: want at most %d values", row->file, row->line, VALUES_MOST);
    mem_grow(&v->value, &v->room, v->n, sizeof *v->value);
    v->value[v->n++] = seconds(ns);
    return 0;
}

static int read_file(const struct reading *r, const struct file_law *f, struct values *v)
{
    static const struct table_handler with_header = { .on_header = on_header, .on_row = on_row },
                                      bare = { .on_row = on_row };
    char *path = synth_path_beside(r->beside, f->file);
    struct input *in = input_open(path, r->err);
    v->column = f->column;
    int result = in ? table_read(in, (struct table_style){ .header = f->column },
                                 f->column ? &with_header : &bare, v, r->err)
                    : -1;
    if (result == 0 && v->n == 0)
        result = error_set(r->err, "%s: want at least one value", path);
    input_close(in);
    free(path);
    return result;
}

static int read_values(const struct reading *r, const struct file_law *f, struct values *v)
{
    static const struct config_key a_time = { .type = CONFIG_REAL, .most = TIME_MOST_S };
    struct config_walk w = { .of = f->values };
    for (struct config_value item; config_next(&w, &item);) {
        mem_grow(&v->value, &v->room, v->n, sizeof *v->value);
        if (config_scalar(item, &a_time, &v->value[v->n], r->err))
            return -1;
        v->n++;
    }
    return v->n ? 0 : config_error(f->values, r->err, "want at least one value");
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int read_empirical(const struct reading *r, struct config_value at, const struct file_law *f,
                          struct law_part *p)
{
    struct values v = { 0 };
    if (!f->file == !config_given(f->values))
        return config_error(at, r->err, "empirical wants either 'file' or 'values_s'");
    if ((f->file ? read_file(r, f, &v) : read_values(r, f, &v)) != 0) {
        free(v.value);
        return -1;
    }
    struct law_values *to = arena_alloc(r->memory, sizeof *to);
    *to = (struct law_values){ v.n, arena_alloc(r->memory, v.n * sizeof *to->value),
                               arena_alloc(r->memory, (v.n + 1) * sizeof *to->sum) };
    qsort(v.value, v.n, sizeof *v.value, ascending);
    memcpy(to->value, v.value, v.n * sizeof *to->value);
    for (size_t i = 0; i < v.n; i++)
        to->sum[i + 1] = to->sum[i] + to->value[i];
    free(v.value);
    p->kind = LAW_EMPIRICAL;
    p->values = to;
    return 0;
}

/* ---- laws ---- */

static struct law_part part(enum law_kind kind, double weight, double a, double b)
{
    return (struct law_part){ .kind = kind, .weight = weight, .scale = 1, .a = a, .b = b };
}

static int read_lognormal(struct config_value v, const struct file_law *f, struct law *to,
                          struct error *err)
{
    bool mean = config_given(config_look(v, "mean_s")),
         median = config_given(config_look(v, "median_s"));
    bool mu = config_given(config_look(v, "mu")), sigma = config_given(config_look(v, "sigma"));
    if (mean != median || mu != sigma || mean == mu)
        return config_error(v, err, "lognormal wants 'mean_s' and 'median_s', or 'mu' and 'sigma'");
    if (mean && !(f->mean_s > f->median_s))
        return config_error(v, err, "lognormal: want a mean above the median");
    *to = mean ? law_lognormal_of(f->mean_s, f->median_s) : law_lognormal(f->mu, f->sigma);
    return 0;
}

static int read_hyper_gamma(struct config_value v, const struct file_law *f, struct law *to,
                            struct error *err)
{
    enum law_kind kind = f->of == OF_LOG2 ? LAW_LOG2_GAMMA : LAW_GAMMA;
    if (f->of == OF_LOG2 && !(fmax(f->scale_1, f->scale_2) < 1 / M_LN2))
        return config_error(
            v, err,
            "hyper-gamma of log2: want scales below 1/ln 2 = 1.4427, or the law has no mean");
    *to = (struct law){ 2, { part(kind, f->p, f->shape_1, f->scale_1), part(kind, 1 - f->p, f->shape_2, f->scale_2) } };
    return 0;
}

static int read_any(const struct reading *r, struct config_value v, bool is_part,
                    struct file_law *f, struct law *to);

static int read_mix(const struct reading *r, const struct file_law *f, struct law *to)
{
    struct config_walk w = { .of = f->parts };
    double sum = 0;
    for (struct config_value item; config_next(&w, &item);) {
        struct file_law one;
        struct law law;
        if (read_any(r, item, true, &one, &law))
            return -1;
        if (!law_add(to, one.weight, &law))
            return config_error(item, r->err, "want at most %d simple parts in all",
                                LAW_PARTS_MOST);
        sum += one.weight;
    }
    if (to->n == 0)
        return config_error(f->parts, r->err, "want at least one part");
    for (size_t i = 0; i < to->n; i++)
        to->part[i].weight /= sum;
    return 0;
}

static int read_any(const struct reading *r, struct config_value v, bool is_part,
                    struct file_law *f, struct law *to)
{
    *f = (struct file_law){ .weight = 1, .most_s = SYNTH_MAX_S };
    *to = (struct law){ .n = 0 };
    if (config_fields(v, keys, f, r->err) || check_keys(v, f, is_part, r->err))
        return -1;
    struct law_part *p = &to->part[0];
    switch ((enum law_word)f->law) {
    case FIXED:
        *p = part(LAW_FIXED, 1, f->value_s, 0);
        break;
    case EXPONENTIAL:
        *p = part(LAW_EXPONENTIAL, 1, f->mean_s, 0);
        break;
    case WEIBULL:
        *p = part(LAW_WEIBULL, 1, f->shape, f->scale_s);
        break;
    case GAMMA:
        *p = part(LAW_GAMMA, 1, f->shape, f->scale_s);
        break;
    case LOG_UNIFORM:
        if (!(f->from_s < f->to_s))
            return config_error(v, r->err, "log-uniform: want from_s below to_s");
        *p = part(LAW_LOG_UNIFORM, 1, f->from_s, f->to_s);
        break;
    case EMPIRICAL:
        *p = part(LAW_EMPIRICAL, 1, 0, 0);
        to->n = 1;
        return read_empirical(r, v, f, p);
    case LOGNORMAL:
        return read_lognormal(v, f, to, r->err);
    case HYPER_GAMMA:
        return read_hyper_gamma(v, f, to, r->err);
    case MIX:
        return read_mix(r, f, to);
    /* minutes 10^U(1.5, 3), or 10^U(3, 4): stanford-futuredata/gavel:scheduler/utils.py */
    case GAVEL:
        *to = (struct law){ 2, { part(LAW_LOG_UNIFORM, .8, 60 * pow(10, 1.5), 60e3), part(LAW_LOG_UNIFORM, .2, 60e3, 60e4) } };
        return 0;
    /* models.md 6.3: fitted to alibaba/clusterdata:cluster-trace-
     * gpu-v2020/analysis/philly_runtime.csv */
    case PHILLY_MIX:
        *to = (struct law){ 3, { part(LAW_LOGNORMAL, .160, 4.17, .157), part(LAW_LOGNORMAL, .203, 7.60, .521),
                                 part(LAW_LOGNORMAL, .637, 7.279, 2.266) } };
        return 0;
    }
    to->n = 1;
    return 0;
}

int synth_law_read(struct config_value v, const char *beside, struct arena *memory,
                   struct synth_durations *to, struct error *err)
{
    const struct reading r = { beside, memory, err };
    struct file_law f;
    *to = (struct synth_durations){ .least_s = 0 };
    if (read_any(&r, v, false, &f, &to->law))
        return -1;
    if (!(f.least_s < f.most_s))
        return config_error(v, err, "want least_s below most_s");
    to->least_s = f.least_s;
    to->most_s = f.most_s;
    to->p_per_log2_gpus = f.p_per_log2_gpus;
    if (f.law == LOGNORMAL) {
        to->mean_s = f.mean_s;
        to->median_s = f.median_s;
    }
    return 0;
}
