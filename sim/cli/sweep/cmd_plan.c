/* cmd_plan.c - gpuyard plan: the smallest cluster, or the largest load, that meets a target. */
#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/interrupt.h"
#include "sim/cli/sweep/sizing_say.h"
#include "sim/cli/sweep/sweep.h"
#include "sim/base/memory.h"
#include "sim/study/runset.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_LONG = 4096, WORKERS_MOST = 4096, TARGETS_MOST = 16, NAME_LONG = 1024 };

struct plan_options {
    struct option_texts targets;
    const char *vary, *directory;
    double confidence;
    int64_t workers;
    int find, format;
    bool curve, over_traces, quiet;
};
static const struct plan_options defaults = { .confidence = .95, .find = -1 };
enum { FIND_SMALLEST, FIND_LARGEST };
static const char *const finds[] = { [FIND_SMALLEST] = "smallest", [FIND_LARGEST] = "largest", NULL };
static const char *const formats[] = { "text", "csv", "json", NULL };
static plan_writer *const writers[] = { plan_text, plan_csv, plan_json };

#define AT(field) .at = offsetof(struct plan_options, field)
static const struct option options[] = {
    { .name = "target", .letter = 't', .argument = "EXPR", .kind = OPTION_TEXTS, AT(targets), .required = true,
      .help = "METRIC or METRIC@SCOPE, then <, <=, >= or >, then a number, like wait_p90_s<600; may be given again: all must hold" },
    { .name = "vary", .argument = "AXIS", .kind = OPTION_TEXT, AT(vary),
      .help = "what to find a value for: a parameter of the experiment, or cluster, whose values go from small to large; by default "
              "the parameter that has several" },
    { .name = "find", .argument = "WHICH", .kind = OPTION_WORD, AT(find), .words = finds,
      .help = "the smallest value that meets the target, or the largest: by default that of load" },
    { .name = "confidence", .argument = "P", .kind = OPTION_RATIO, AT(confidence), .min = 0, .max = 1,
      .help = "with which the mean over seeds is to meet it, 0.95 by default" },
    { .name = "over-traces", .kind = OPTION_FLAG, AT(over_traces), .help = "runs of all traces count together, as those of all seeds do" },
    { .name = "curve", .kind = OPTION_FLAG, AT(curve), .help = "try all values, not only those that a bisection needs" },
    { .name = "jobs", .letter = 'j', .argument = "N", .kind = OPTION_INTEGER, AT(workers), .min = 1, .max = WORKERS_MOST,
      .help = "runs at a time; by default one for each processor" },
    { .name = "output", .letter = 'o', .argument = "DIR", .kind = OPTION_TEXT, AT(directory), .values = VALUES_DIRECTORY,
      .help = "where results of runs are kept, by default results/NAME-plan; what is there already is not run again" },
    { .name = "format", .argument = "FORMAT", .kind = OPTION_WORD, AT(format), .words = formats, .help = "text, the default, csv or json" },
    { .name = "quiet", .letter = 'q', .kind = OPTION_FLAG, AT(quiet), .help = "no progress" },
    { 0 },
};

struct planning {
    struct sweep sweep;
    struct sizing *sizing;
    const struct plan_options *o;
    struct target target[TARGETS_MOST];
    struct plan_report report;
    bool lacks[TARGETS_MOST];     /* some run has no value of it */
    struct arena *memory;
};

/* ---- One value that was run ---- */

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
        struct runset *run = runset_of_point(s->directory, s->grid->point[point].name, s->key[point], err);
        if (!run)
            return -1;
        x[OF_GPUS * v->n + i] = gpus_of(run->run);
        x[OF_USE * v->n + i] = metric_of(run->run, "util_alloc", "all");
        x[OF_COST * v->n + i] = metric_of(run->run, "cost_per_useful_gpu_h_usd", "all");
        for (size_t t = 0; t < p->report.n_targets; t++)
            x[(OF_TARGETS + t) * v->n + i] = metric_of(run->run, p->target[t].kind->name, p->target[t].scope);
        runset_free(run);
    }
    return 0;
}

static int take_value(struct planning *p, const struct sizing_value *v, struct tried_value *to, struct error *err)
{
    size_t n = p->report.n_targets;
    double *x = mem_new((OF_TARGETS + n) * v->n, sizeof *x);
    int result = take_runs(p, v, x, err);
    if (result == 0) {
        *to = (struct tried_value){ .label = p->sweep.experiment->axis[p->sizing->axis].value[v->value].label, .runs = v->n, .met = true,
                                    .gpus = mean_of(x + OF_GPUS * v->n, v->n), .utilisation = mean_of(x + OF_USE * v->n, v->n),
                                    .cost = mean_of(x + OF_COST * v->n, v->n), .of = arena_alloc(p->memory, n * sizeof *to->of) };
        for (size_t t = 0; t < n; t++) {
            to->of[t] = target_reached(&p->target[t], x + (OF_TARGETS + t) * v->n, v->n, p->o->confidence);
            to->met = to->met && to->of[t].met;
            p->lacks[t] = p->lacks[t] || isnan(to->of[t].mean);
        }
    }
    free(x);
    return result;
}

/* ---- The search: of all cases at once, so that the processors have something to do ---- */

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

static int try_round(struct planning *p, struct tried_value **tried, size_t *n_points, struct error *err)
{
    const struct sizing *z = p->sizing;
    size_t *point = mem_new(p->sweep.grid->n, sizeof *point), *next = mem_new(p->sweep.experiment->axis[z->axis].n + 2, sizeof *next), ran;
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

/* ---- What was found ---- */

static const char *name_of_case(struct planning *p, const struct sizing_case *c)
{
    const struct experiment *e = p->sweep.experiment;
    const struct point *first = &p->sweep.grid->point[c->of[0].point[0]];
    char text[NAME_LONG];
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < e->n_axes && n < sizeof text; i++) {
        bool sample = e->axis[i].kind == AXIS_SEED || (p->o->over_traces && e->axis[i].kind == AXIS_TRACE);
        if (i != p->sizing->axis && !sample && (e->axis[i].n > 1 || e->axis[i].kind == AXIS_POLICY) && first->value[i] != VALUE_IDLE)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%s%s", n ? ", " : "", e->axis[i].key ? e->axis[i].name : "",
                                  e->axis[i].key ? "=" : "", point_label(e, first, i));
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

static void report_case(struct planning *p, const struct sizing_case *c, const struct tried_value *tried, struct planned_case *to)
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
            warn("there are runs without a %s in %s: they do not meet the target", p->target[t].kind->name, p->target[t].scope);
    writers[p->o->format](stdout, &p->report);
    return EXIT_OK;
}

/* ---- All ---- */

static int take_targets(struct planning *p, struct error *err)
{
    struct error why = { "" };
    if (p->o->targets.n > TARGETS_MOST) {
        error_set(err, "plan: --target: want at most %d", TARGETS_MOST);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < p->o->targets.n; i++)
        if (target_parse(p->o->targets.text[i], &p->target[i], &why)) {
            error_set(err, "plan: --target: %s", why.text);
            return EXIT_USAGE;
        }
    if (p->o->confidence < .5 || p->o->confidence >= 1) {
        error_set(err, "plan: --confidence: want from 0.5 to less than 1, got '%g'", p->o->confidence);
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

static int prepare(struct planning *p, const char *path, char directory[PATH_LONG], struct error *err)
{
    struct error why = { "" };
    size_t axis = 0;
    int status = take_targets(p, err);
    if (status == EXIT_OK)
        status = sweep_read(&p->sweep, path, err);
    if (status != EXIT_OK)
        return status;
    const struct experiment *e = p->sweep.experiment;
    if (sizing_axis(e, p->o->vary, &axis, &why)) {
        error_set(err, "plan: %s: %s", path, why.text);
        return EXIT_USAGE;
    }
    bool largest = p->o->find < 0 ? !strcmp(e->axis[axis].name, "load") : p->o->find == FIND_LARGEST;
    p->sizing = sizing_new(e, p->sweep.grid, axis, p->o->over_traces, largest);
    p->report = (struct plan_report){ .experiment = e->name, .axis = e->axis[axis].name, .largest = largest, .confidence = p->o->confidence,
                                      .n_targets = p->o->targets.n, .target = p->target, .target_text = p->o->targets.text };
    snprintf(directory, PATH_LONG, "results/%s-plan", e->name);
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
    .details = "EXPERIMENT is as for 'gpuyard sweep'. One of its parameters has the values that come into question, in ascending order, "
               "like cluster.nodes.a100.count: 8..64, cluster.queues.vision.deserved_gpus: 0..64:8 or load: [0.6, 0.8, 1.0]; a value is "
               "found for each combination of everything else, from both ends by halving. Every value meets the same jobs and the "
               "same seeds.\n"
               "\n"
               "With several seeds the target is met if the mean over them meets it with the stated confidence (Student). The one run "
               "of a trace counts as it is.",
    .set = { .name = "plan", .options = options, .operands = "EXPERIMENT", .min_operands = 1, .max_operands = 1 },
    .operand_values = VALUES_FILE,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = plan_run,
};
