/* cmd_plan.c - gpuyard plan: the smallest cluster, or the largest load, that meets a target. */
#include "sim/base/memory.h"
#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/interrupt.h"
#include "sim/cli/frame/term.h"
#include "sim/cli/sweep/sweep.h"
#include "sim/results/quantiles.h"
#include "sim/study/runset.h"
#include "sim/study/sizing.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tried_value {              /* one tried value of one case */
    const char *label;            /* of the value */
    double gpus;                  /* of the cluster; mean over the runs */
    struct reached *of;           /* [n_targets] */
    double utilisation, cost;     /* means; cost: USD per useful GPU-hour, NaN without prices */
    size_t runs;
    bool met;                     /* all targets are */
};
struct planned_case {
    const char *name;             /* the values of the other axes with several values */
    size_t n;
    struct tried_value *value;    /* in the order of the axis */
    const struct tried_value *found;    /* NULL: none */
    /* not monotone: a good value is followed by a bad one, or for `largest` the reverse */
    bool uneven;
};
struct plan_report {
    const char *experiment, *axis;
    bool largest;
    double confidence;
    size_t n_targets;
    const struct target *target;
    const char *const *target_text;
    size_t n;
    const struct planned_case *of;
};


/* ==== Writers ==== */

enum { NUMBER_MAX = 32, BAND_MAX = 128 };

static const char *number(char to[NUMBER_MAX], double x, const char *format)
{
    if (isnan(x))
        return "-";
    snprintf(to, NUMBER_MAX, format, x);
    return to;
}

/* ---- Text ---- */

static const char *value_and_band(char to[BAND_MAX], const struct reached *x)
{
    char mean[NUMBER_MAX], low[NUMBER_MAX], high[NUMBER_MAX];
    if (x->band.low < x->band.high)
        snprintf(to, BAND_MAX, "%s (%s to %s)", number(mean, x->mean, "%.4g"),
                 number(low, x->band.low, "%.4g"), number(high, x->band.high, "%.4g"));
    else
        snprintf(to, BAND_MAX, "%s", number(mean, x->mean, "%.4g"));
    return to;
}

static int width_of(const struct planned_case *c, const char *heading, size_t target)
{
    int width = (int)strlen(heading);
    for (size_t i = 0; i < c->n; i++) {
        char text[BAND_MAX];
        int own = (int)strlen(value_and_band(text, &c->value[i].of[target]));
        width = own > width ? own : width;
    }
    return width;
}

static const char *heading_of(char to[TARGET_NAME_MAX * 2], const struct target *t)
{
    snprintf(to, TARGET_NAME_MAX * 2, strcmp(t->scope, "all") ? "%s@%s" : "%s", t->kind->name,
             t->scope);
    return to;
}

static bool has_costs(const struct planned_case *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (!isnan(c->value[i].cost))
            return true;
    return false;
}

static void text_table(FILE *to, const struct plan_report *r, const struct planned_case *c)
{
    char heading[TARGET_NAME_MAX * 2], text[BAND_MAX];
    bool costs = has_costs(c);
    int first = (int)strlen(r->axis) > 8 ? (int)strlen(r->axis) : 8;
    fprintf(to, "  %-*s %8s", first, r->axis, "GPUs");
    for (size_t t = 0; t < r->n_targets; t++)
        fprintf(to, "  %-*s", width_of(c, heading_of(heading, &r->target[t]), t), heading);
    fprintf(to, "  met  GPUs used%s\n", costs ? "  USD/useful GPU h" : "");
    for (size_t i = 0; i < c->n; i++) {
        const struct tried_value *v = &c->value[i];
        fprintf(to, "%c %-*s %8.6g", v == c->found ? '>' : ' ', first, v->label, v->gpus);
        for (size_t t = 0; t < r->n_targets; t++)
            fprintf(to, "  %-*s", width_of(c, heading_of(heading, &r->target[t]), t),
                    value_and_band(text, &v->of[t]));
        fprintf(to, "  %-3s %9.1f%%", v->met ? "yes" : "no", 100 * v->utilisation);
        if (costs)
            fprintf(to, "  %16s", number(text, v->cost, "%.4f"));
        putc('\n', to);
    }
}

static void plan_text(FILE *to, const struct plan_report *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct planned_case *c = &r->of[i];
        if (i)
            putc('\n', to);
        fprintf(to, "%s%s%s %s with ", c->name, *c->name ? ": " : "",
                r->largest ? "the largest" : "the smallest", r->axis);
        for (size_t t = 0; t < r->n_targets; t++)
            fprintf(to, "%s%s", t ? " and " : "", r->target_text[t]);
        fprintf(to, ": %s\n\n", c->found ? c->found->label : "none of the values");
        text_table(to, r, c);
        if (c->uneven)
            fputs("\n  Not monotone: another value may be the answer. --curve tries all.\n", to);
    }
    if (r->n && r->of[0].n && r->of[0].value[0].runs > 1)
        fprintf(
            to,
            "\nOf %zu runs each: the mean and an interval; the expected value lies beyond either end with a probability of at most %.3g.\n",
            r->of[0].value[0].runs, 1 - r->confidence);
}

/* ---- CSV ---- */

static void csv_text(FILE *to, const char *text)
{
    bool quotes = strpbrk(text, ",\"\n") != NULL;
    fputs(quotes ? "\"" : "", to);
    for (; *text; text++)
        fprintf(to, *text == '"' ? "\"\"" : "%c", *text);
    fputs(quotes ? "\"" : "", to);
}

static void csv_number(FILE *to, double x)
{
    if (isnan(x))
        putc(',', to);
    else
        fprintf(to, ",%.17g", x);
}

static void plan_csv(FILE *to, const struct plan_report *r)
{
    fprintf(
        to,
        "case,axis,value,gpus,metric,scope,mean,low,high,runs,met,found,utilisation,cost_per_useful_gpu_h_usd\n");
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < r->of[i].n; k++)
            for (size_t t = 0; t < r->n_targets; t++) {
                const struct tried_value *v = &r->of[i].value[k];
                csv_text(to, r->of[i].name);
                putc(',', to);
                csv_text(to, r->axis);
                putc(',', to);
                csv_text(to, v->label);
                csv_number(to, v->gpus);
                fprintf(to, ",%s,", r->target[t].kind->name);
                csv_text(to, r->target[t].scope);
                csv_number(to, v->of[t].mean);
                csv_number(to, v->of[t].band.low);
                csv_number(to, v->of[t].band.high);
                fprintf(to, ",%zu,%d,%d", v->runs, v->met, v == r->of[i].found);
                csv_number(to, v->utilisation);
                csv_number(to, v->cost);
                putc('\n', to);
            }
}

/* ---- JSON ---- */

static json_t *json_or_null(double x)
{
    return isnan(x) ? json_null() : json_real(x);
}

static json_t *json_value(const struct plan_report *r, const struct tried_value *v)
{
    json_t *targets = json_array();
    for (size_t t = 0; t < r->n_targets; t++)
        json_array_append_new(
            targets,
            json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:b}", "target", r->target_text[t], "metric",
                      r->target[t].kind->name, "scope", r->target[t].scope, "mean",
                      json_or_null(v->of[t].mean), "low", json_or_null(v->of[t].band.low), "high",
                      json_or_null(v->of[t].band.high), "met", (int)v->of[t].met));
    return json_pack("{s:s, s:f, s:o, s:I, s:b, s:o, s:o}", "value", v->label, "gpus", v->gpus,
                     "targets", targets, "runs", (json_int_t)v->runs, "met", (int)v->met,
                     "utilisation", json_or_null(v->utilisation), "cost_per_useful_gpu_h_usd",
                     json_or_null(v->cost));
}

static void plan_json(FILE *to, const struct plan_report *r)
{
    json_t *cases = json_array();
    for (size_t i = 0; i < r->n; i++) {
        const struct planned_case *c = &r->of[i];
        json_t *values = json_array();
        for (size_t k = 0; k < c->n; k++)
            json_array_append_new(values, json_value(r, &c->value[k]));
        json_array_append_new(cases,
                              json_pack("{s:s, s:o, s:b, s:o}", "case", c->name, "found",
                                        c->found ? json_string(c->found->label) : json_null(),
                                        "monotone", (int)!c->uneven, "values", values));
    }
    json_t *all = json_pack("{s:s, s:s, s:s, s:f, s:o}", "experiment", r->experiment, "axis",
                            r->axis, "find", r->largest ? "largest" : "smallest", "confidence",
                            r->confidence, "cases", cases);
    json_dumpf(all, to, JSON_INDENT(2));
    putc('\n', to);
    json_decref(all);
}

/* ==== The search ==== */

enum { PATH_LONG = 4096, WORKERS_MAX = 4096, TARGETS_MAX = 16, NAME_LONG = 1024 };

struct plan_options {
    struct option_texts targets;
    const char *vary, *directory;
    double confidence;
    int64_t workers;
    int find, format;
    bool curve, over_traces, force, quiet;
};
static const struct plan_options defaults = { .confidence = .95, .find = -1 };
enum { FIND_SMALLEST, FIND_LARGEST };
static const char *const finds[] = {
    [FIND_SMALLEST] = "smallest", [FIND_LARGEST] = "largest", NULL
};
static const char *const formats[] = { "text", "csv", "json", NULL };
static void (*const writers[])(FILE *to, const struct plan_report *r) = { plan_text, plan_csv,
                                                                          plan_json };

#define AT(field) .at = offsetof(struct plan_options, field)
static const struct option options[] = {
    { .name = "target", .letter = 't', .argument = "EXPR", .kind = OPTION_TEXTS, AT(targets),
      .required = true,
      .help = "METRIC or METRIC@SCOPE, then <, <=, >= or >, then a number, like wait_p90_s<600; "
              "may be given several times: all must hold" },
    { .name = "vary", .argument = "AXIS", .kind = OPTION_TEXT, AT(vary),
      .help = "the axis to search: a parameter of the experiment, or cluster, with values from "
              "small to large; by default the parameter with several values" },
    { .name = "find", .argument = "WHICH", .kind = OPTION_WORD, AT(find), .words = finds,
      .help = "the smallest value that meets the target, or the largest: by default that of load" },
    { .name = "confidence", .argument = "P", .kind = OPTION_RATIO, AT(confidence), .min = 0,
      .max = 1,
      .help = "probability with which the mean over seeds meets the target, 0.95 by default" },
    { .name = "over-traces", .kind = OPTION_FLAG, AT(over_traces),
      .help = "runs of all traces count together, as those of all seeds do" },
    { .name = "curve", .kind = OPTION_FLAG, AT(curve),
      .help = "try all values, not only those that a bisection needs" },
    { .name = "jobs", .letter = 'j', .argument = "N", .kind = OPTION_INTEGER, AT(workers), .min = 1,
      .max = WORKERS_MAX,
      .help = "runs at a time; by default one for each processor" },
    { .name = "output", .letter = 'o', .argument = "DIR", .kind = OPTION_TEXT, AT(directory),
      .values = VALUES_DIRECTORY,
      .help = "directory of the results of runs, by default results/NAME-plan; existing results "
              "are not run again" },
    { .name = "format", .argument = "FORMAT", .kind = OPTION_WORD, AT(format), .words = formats,
      .help = "text, the default, csv or json" },
    { .name = "force", .kind = OPTION_FLAG, AT(force),
      .help = "replace files that gpuyard has not written; never an input" },
    { .name = "quiet", .letter = 'q', .kind = OPTION_FLAG, AT(quiet), .help = "no progress" },
    { 0 },
};

struct planning {
    struct sweep sweep;
    struct sizing *sizing;
    const struct plan_options *o;
    struct target target[TARGETS_MAX];
    struct plan_report report;
    bool lacks[TARGETS_MAX];     /* some run has no value of the metric */
    struct arena *memory;
};

/* ---- One tried value ---- */

static double metric_of(const struct run_record *r, const char *metric, const char *scope)
{
    const struct run_metric *m = run_metric_find(r, metric, scope);
    return m ? m->value : (double)NAN;
}

static double gpus_of(const struct run_record *r)
{
    const char *at = strstr(r->circumstances, "\n  gpus: ");
    return at ? strtod(at + strlen("\n  gpus: "), NULL) : (double)NAN;
}

static double mean_of(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

enum { OF_GPUS, OF_USE, OF_COST, OF_TARGETS };

static int take_runs(struct planning *p, const struct sizing_value *v, double *x, struct error *err)
{
    const struct sweep *s = &p->sweep;
    for (size_t i = 0; i < v->n; i++) {
        size_t point = v->point[i];
        struct runset *run = runset_of_point(s->directory, s->grid->point[point].name,
                                             s->key[point], err);
        if (!run)
            return -1;
        x[OF_GPUS * v->n + i] = gpus_of(run->run);
        x[OF_USE * v->n + i] = metric_of(run->run, "util_alloc", "all");
        x[OF_COST * v->n + i] = metric_of(run->run, "cost_per_useful_gpu_h_usd", "all");
        for (size_t t = 0; t < p->report.n_targets; t++)
            x[(OF_TARGETS + t) * v->n + i] = metric_of(run->run, p->target[t].kind->name,
                                                       p->target[t].scope);
        runset_free(run);
    }
    return 0;
}

static int take_value(struct planning *p, const struct sizing_value *v, struct tried_value *to,
                      struct error *err)
{
    size_t n = p->report.n_targets;
    double *x = mem_new((OF_TARGETS + n) * v->n, sizeof *x);
    int result = take_runs(p, v, x, err);
    if (result == 0) {
        *to = (struct tried_value){ .label = p->sweep.experiment->axis[p->sizing->axis].value[v->value].label, .runs = v->n, .met = true,
                                    .gpus = mean_of(x + OF_GPUS * v->n, v->n),
                                    .utilisation = mean_of(x + OF_USE * v->n, v->n),
                                    .cost = mean_of(x + OF_COST * v->n, v->n),
                                    .of = arena_alloc(p->memory, n * sizeof *to->of) };
        for (size_t t = 0; t < n; t++) {
            to->of[t] = target_reached(&p->target[t], x + (OF_TARGETS + t) * v->n, v->n,
                                       p->o->confidence);
            to->met = to->met && to->of[t].met;
            p->lacks[t] = p->lacks[t] || isnan(to->of[t].mean);
        }
    }
    free(x);
    return result;
}

/* ---- The search, in all cases at once to use all processors ---- */

static size_t wanted_of(const struct planning *p, const struct sizing_case *c, size_t *next)
{
    size_t n = 0;
    if (!p->o->curve)
        return bracket_next(&c->bracket, next);
    for (size_t v = 0; v < c->n; v++)
        if (c->bracket.at[v] == NOT_TRIED)
            next[n++] = v;
    return n;
}

static int try_round(struct planning *p, struct tried_value **tried, size_t *n_points,
                     struct error *err)
{
    const struct sizing *z = p->sizing;
    size_t *point = mem_new(p->sweep.grid->n, sizeof *point),
           *next = mem_new(p->sweep.experiment->axis[z->axis].n + 2, sizeof *next), ran;
    *n_points = 0;
    for (size_t i = 0; i < z->n; i++)
        for (size_t k = wanted_of(p, &z->of[i], next); k-- > 0;)
            for (size_t r = 0; r < z->of[i].of[next[k]].n; r++)
                point[(*n_points)++] = z->of[i].of[next[k]].point[r];
    const struct sweep_how how = { (unsigned)p->o->workers, p->o->quiet };
    int status = *n_points ? sweep_run(&p->sweep, point, *n_points, &how, &ran, err) : EXIT_OK;
    for (size_t i = 0; i < z->n && *n_points && status == EXIT_OK; i++)
        for (size_t k = wanted_of(p, &z->of[i], next); k-- > 0 && status == EXIT_OK;) {
            size_t v = next[k];
            if (take_value(p, &z->of[i].of[v], &tried[i][v], err))
                status = EXIT_FAILED;
            else
                z->of[i].bracket.at[v] = tried[i][v].met ? TRIED_GOOD : TRIED_BAD;
        }
    free(point);
    free(next);
    return status;
}

/* ---- The result ---- */

static const char *name_of_case(struct planning *p, const struct sizing_case *c)
{
    const struct experiment *e = p->sweep.experiment;
    const struct point *first = &p->sweep.grid->point[c->of[0].point[0]];
    char text[NAME_LONG];
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < e->n_axes && n < sizeof text; i++) {
        bool sample = e->axis[i].kind == AXIS_SEED ||
                      (p->o->over_traces && e->axis[i].kind == AXIS_TRACE);
        if (i != p->sizing->axis && !sample &&
            (e->axis[i].n > 1 || e->axis[i].kind == AXIS_POLICY) && first->value[i] != VALUE_IDLE)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%s%s", n ? ", " : "",
                                  e->axis[i].key ? e->axis[i].name : "", e->axis[i].key ? "=" : "",
                                  point_label(e, first, i));
    }
    return arena_text(p->memory, text, strlen(text));
}

static bool is_uneven(const struct sizing_case *c, bool largest)
{
    enum tried last = largest ? TRIED_GOOD : TRIED_BAD;
    for (size_t v = 0; v < c->n; v++) {
        if (c->bracket.at[v] == NOT_TRIED)
            continue;
        if (c->bracket.at[v] != last && last == (largest ? TRIED_BAD : TRIED_GOOD))
            return true;
        last = c->bracket.at[v];
    }
    return false;
}

static void report_case(struct planning *p, const struct sizing_case *c,
                        const struct tried_value *tried, struct planned_case *to)
{
    size_t found = bracket_found(&c->bracket);
    *to = (struct planned_case){ .name = name_of_case(p, c), .uneven = is_uneven(c, p->report.largest),
                                 .value = arena_alloc(p->memory, c->n * sizeof *to->value) };
    for (size_t v = 0; v < c->n; v++) {
        if (c->bracket.at[v] == NOT_TRIED)
            continue;
        if (v == found)
            to->found = &to->value[to->n];
        to->value[to->n++] = tried[v];
    }
}

static int search(struct planning *p, struct error *err)
{
    struct tried_value **tried = arena_alloc(p->memory, p->sizing->n * sizeof *tried);
    struct planned_case *of = arena_alloc(p->memory, p->sizing->n * sizeof *of);
    size_t n_points = 1;
    int status = EXIT_OK;
    for (size_t i = 0; i < p->sizing->n; i++)
        tried[i] = arena_alloc(p->memory, p->sizing->of[i].n * sizeof **tried);
    while (n_points && status == EXIT_OK)
        status = try_round(p, tried, &n_points, err);
    interrupt_end();
    if (status != EXIT_OK)
        return status;
    for (size_t i = 0; i < p->sizing->n; i++)
        report_case(p, &p->sizing->of[i], tried[i], &of[i]);
    p->report.of = of;
    p->report.n = p->sizing->n;
    for (size_t t = 0; t < p->report.n_targets; t++)
        if (p->lacks[t])
            warn("there are runs without a %s in %s: they do not meet the target",
                 p->target[t].kind->name, p->target[t].scope);
    writers[p->o->format](stdout, &p->report);
    return EXIT_OK;
}

/* ---- The command ---- */

static int take_targets(struct planning *p, struct error *err)
{
    struct error why = { "" };
    if (p->o->targets.n > TARGETS_MAX) {
        error_set(err, "plan: --target: want at most %d", TARGETS_MAX);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < p->o->targets.n; i++)
        if (target_parse(p->o->targets.text[i], &p->target[i], &why)) {
            error_set(err, "plan: --target: %s", why.text);
            return EXIT_USAGE;
        }
    if (p->o->confidence < .5 || p->o->confidence >= 1) {
        error_set(err, "plan: --confidence: want from 0.5 to less than 1, got '%g'",
                  p->o->confidence);
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

static int prepare(struct planning *p, const char *path, char directory[PATH_LONG],
                   struct error *err)
{
    struct error why = { "" };
    size_t axis = 0;
    int status = take_targets(p, err);
    if (status == EXIT_OK)
        status = sweep_read(&p->sweep, path, err);
    if (status != EXIT_OK)
        return status;
    for (size_t i = 0; i < p->o->targets.n; i++)
        if (quantile_is(p->target[i].kind) &&
            quantiles_want(&p->sweep.quantiles, p->target[i].kind->name, &why))
            abort();                  /* a name that is in their table */
    const struct experiment *e = p->sweep.experiment;
    if (sizing_axis(e, p->o->vary, &axis, &why)) {
        error_set(err, "plan: %s: %s", path, why.text);
        return EXIT_USAGE;
    }
    bool largest = p->o->find < 0 ? !strcmp(e->axis[axis].name, "load")
                                  : p->o->find == FIND_LARGEST;
    p->sizing = sizing_new(e, p->sweep.grid, axis, p->o->over_traces, largest);
    p->report = (struct plan_report){ .experiment = e->name, .axis = e->axis[axis].name,
                                      .largest = largest, .confidence = p->o->confidence,
                                      .n_targets = p->o->targets.n, .target = p->target,
                                      .target_text = p->o->targets.text };
    snprintf(directory, PATH_LONG, "results/%s-plan", e->name);
    p->sweep.force = p->o->force;
    p->sweep.directory = p->o->directory ? p->o->directory : directory;
    return sweep_open(&p->sweep, path, (struct shard){ 0, 1 }, true, err);
}

static int plan_run(const struct invocation *in)
{
    struct planning p = { .o = in->options, .sweep = { .lock = -1 }, .memory = arena_new() };
    struct error err = { "" };
    char directory[PATH_LONG];
    interrupt_begin();
    int status = prepare(&p, in->operands.text[0], directory, &err);
    if (status == EXIT_OK)
        status = search(&p, &err);
    sizing_free(p.sizing);
    sweep_free(&p.sweep);
    arena_free(p.memory);
    return err.text[0] ? complain(status, "%s", err.text) : status;
}

const struct command cmd_plan = {
    .name = "plan",
    .summary = "find the smallest cluster, or the largest load, that meets a target",
    .details = "EXPERIMENT is as for 'gpuyard sweep'. One of its parameters has the values to "
               "try, in ascending order, like cluster.nodes.a100.count: 8..64, "
               "cluster.queues.vision.deserved_gpus: 0..64:8 or load: [0.6, 0.8, 1.0]; a value "
               "is searched for each combination of all other axes, by bisection from both ends. "
               "All values run with the same jobs and seeds.\n"
               "\n"
               "With several seeds the target is met if the mean over them meets it with the "
               "stated confidence (Student). The one run of a trace counts as it is.",
    .set = { .name = "plan", .options = options, .operands = "EXPERIMENT", .min_operands = 1,
             .max_operands = 1 },
    .operand_values = VALUES_FILE,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = plan_run,
};
