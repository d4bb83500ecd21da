/* cmd_check.c - gpuyard check: validates traces, clusters, experiments and federations, and
 * compares demand with capacity. */
#include "sim/cli/check/check.h"
#include "sim/cli/convert/fit_report.h"
#include "sim/cli/plot/gnuplot.h"
#include "sim/cli/run/choose.h"
#include "sim/cli/sweep/sweep.h"
#include "sim/cli/frame/cli.h"
#include "sim/io/input.h"
#include "sim/base/memory.h"
#include "sim/cluster/cluster_file.h"
#include "sim/cluster/federation.h"
#include "sim/cluster/node_list.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check_options {
    struct option_texts clusters;
    const char *plot;
    int format;
    bool strict;
};
enum { FORMAT_TEXT, FORMAT_JSON };
static const char *const formats[] = { "text", "json", NULL };
static const struct check_options defaults = { .format = FORMAT_TEXT };

#define AT(field) .at = offsetof(struct check_options, field)
static const struct option options[] = {
    { .name = "cluster", .letter = 'c', .argument = "CLUSTER", .kind = OPTION_TEXTS, AT(clusters),
      .values = VALUES_FILE,
      .help = "compare what each trace asks for with this cluster, or with each member of a "
              "federation; may be given several times" },
    { .name = "format", .letter = 'f', .argument = "FORMAT", .kind = OPTION_WORD, AT(format),
      .words = formats,
      .help = "text, the default, or json" },
    { .name = "plot", .argument = "FILE", .kind = OPTION_TEXT, AT(plot), .values = VALUES_FILE,
      .help = "plot run times, sizes, gaps between arrivals and hours of the day of a trace; FILE "
              "ends in .png, .svg or .pdf" },
    { .name = "strict", .kind = OPTION_FLAG, AT(strict), .help = "a warning counts as an error" },
    { 0 },
};

/* gpus: that a load of laws refers to; -1: the GPUs of this cluster */
struct compared { char *path; int64_t gpus; };
struct checking {
    const struct check_options *options;
    json_t *files;
    int status;
    size_t warnings, n, capacity;
    struct compared *compared;    /* [n] */
};

static void take_error(struct checking *c, int status, const char *file, const struct error *err)
{
    json_t *o = json_object(), *name = json_string(file), *text = json_string(err->text);
    json_object_set_new(o, "file", name ? name : json_string("?"));
    json_object_set_new(o, "error", text ? text : json_string("?"));
    json_array_append_new(c->files, o);
    c->status = complain(c->status > status ? c->status : status, "%s", err->text);
}

/* ---- the kind of a file ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

enum file_kind { KIND_TRACE, KIND_CLUSTER, KIND_EXPERIMENT, KIND_FEDERATION };

/* By its first bytes, if it is a regular file. A file that is not recognised is a cluster if its
 * name ends like YAML, else a trace. */
static enum file_kind kind_of(const char *path)
{
    static const char *const endings[] = { ".yaml",     ".yml",     ".yaml.gz", ".yml.gz",
                                           ".yaml.zst", ".yml.zst", NULL };
    struct error ignored = { "" };
    struct input *in = input_look(path);
    size_t length = 0;
    const char *head = in ? input_peek(in, &length, &ignored) : NULL;
    enum file_kind kind = head && (node_list_recognise(head, length) ||
                                   node_topology_recognise(head, length))
                              ? KIND_CLUSTER
                              : KIND_TRACE;
    for (size_t i = 0; endings[i] && kind == KIND_TRACE; i++)
        if (ends_with(path, endings[i]) && !(head && trace_recognise(head, length)))
            kind = head && federation_recognise(head, length) ? KIND_FEDERATION
                   : head && experiment_recognise(head, length) ? KIND_EXPERIMENT : KIND_CLUSTER;
    input_close(in);
    return kind;
}

/* ---- checking ---- */

static void note(struct checking *c, const char *path, const char *kind, const char *format,
                 json_t *report)
{
    json_t *name = json_string(path), *demand, *entry = json_object();
    size_t i;
    json_object_set_new(entry, "file", name ? name : json_string("?"));
    json_object_set_new(entry, "kind", json_string(kind));
    if (format)
        json_object_set_new(entry, "format", json_string(format));
    json_object_update(entry, report);
    json_decref(report);
    json_array_append_new(c->files, entry);
    c->warnings += json_array_size(json_object_get(entry, "warnings"));
    json_array_foreach(json_object_get(entry, "demand"), i, demand) c->warnings +=
        json_array_size(json_object_get(demand, "warnings"));
}

static void check_cluster_file(struct checking *c, const char *path)
{
    struct error err = { "" };
    char sha256[65];
    struct cluster *cluster = cluster_read(path, NULL, sha256, &err);
    if (cluster)
        note(c, path, "cluster", NULL, check_cluster(cluster));
    else
        take_error(c, EXIT_INPUT, path, &err);
    cluster_free(cluster);
}

/* The file, then the cluster of each member. */
static void check_federation_file(struct checking *c, const char *path)
{
    struct error err = { "" };
    struct federation *f = federation_read(path, NULL, &err);
    if (!f) {
        take_error(c, EXIT_INPUT, path, &err);
        return;
    }
    json_t *members = json_array();
    for (size_t i = 0; i < f->n; i++)
        json_array_append_new(members,
                              json_pack("{s:s, s:s, s:s?}", "name", f->member[i].name, "cluster",
                                        f->member[i].cluster, "policy", f->member[i].policy));
    note(c, path, "federation", NULL,
         json_pack("{s:s, s:s, s:o}", "name", f->name, "route", route_name[f->route], "members",
                   members));
    for (size_t i = 0; i < f->n; i++) {
        struct chosen_policy policy = { .policy = NULL };
        int status = f->member[i].policy ? choose_policy(f->member[i].policy, &policy, &err)
                                         : EXIT_OK;
        if (status != EXIT_OK)
            take_error(c, EXIT_INPUT, path, &err);
        free(policy.params);
        check_cluster_file(c, f->member[i].cluster);
    }
    federation_free(f);
}

/* The trace is read again for each cluster, as a workload can be bound only once. */
static json_t *demand_of(struct checking *c, const struct chosen_trace *trace)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->n; i++) {
        const char *path = c->compared[i].path;
        struct error err = { "" };
        char sha256[65];
        const struct trace_format *used;
        struct cluster *cluster = cluster_read(path, NULL, sha256, &err);
        struct chosen_trace of = *trace;
        of.cluster_gpus = (double)(c->compared[i].gpus >= 0 ? c->compared[i].gpus
                                   : cluster                ? cluster->gpus
                                                            : 0);
        struct workload *w = cluster ? chosen_jobs_read(&of, &used, sha256, &err) : NULL;
        json_t *demand = w ? check_demand(cluster, w, &err) : NULL;
        if (demand)
            json_array_append_new(list, demand);
        else
            take_error(c, EXIT_INPUT, path, &err);
        workload_free(w);
        cluster_free(cluster);
    }
    return list;
}

/* 0: it cannot be read, which is reported elsewhere. */
static int64_t gpus_of(const char *path)
{
    struct error ignored = { "" };
    char sha256[65];
    struct cluster *cluster = cluster_read(path, NULL, sha256, &ignored);
    int64_t gpus = cluster ? cluster->gpus : 0;
    cluster_free(cluster);
    return gpus;
}

/* GPUs of the first cluster; 0: there is none, or it cannot be read. */
static double first_gpus(const struct checking *c)
{
    return c->n == 0 ? 0
                     : (double)(c->compared[0].gpus >= 0 ? c->compared[0].gpus
                                                         : gpus_of(c->compared[0].path));
}

static void add_one(struct checking *c, const char *path, int64_t gpus)
{
    mem_grow(&c->compared, &c->capacity, c->n, sizeof *c->compared);
    c->compared[c->n++] = (struct compared){ mem_text(path, strlen(path)), gpus };
}

/* Each member of a federation is compared with all jobs. */
static void add_compared(struct checking *c, const char *path)
{
    struct error err = { "" };
    int64_t gpus = 0;
    if (!federation_is(path)) {
        add_one(c, path, -1);
        return;
    }
    struct federation *f = federation_read(path, NULL, &err);
    if (!f)
        take_error(c, EXIT_INPUT, path, &err);
    for (size_t i = 0; f && i < f->n; i++)
        gpus += gpus_of(f->member[i].cluster);
    for (size_t i = 0; f && i < f->n; i++)
        add_one(c, f->member[i].cluster, gpus);
    federation_free(f);
}

static void compared_free(struct checking *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->compared[i].path);
    free(c->compared);
}

static void check_trace_file(struct checking *c, struct chosen_trace *trace)
{
    struct error err = { "" };
    char sha256[65];
    const struct trace_format *used = NULL;
    trace->cluster_gpus = first_gpus(c);
    struct workload *w = chosen_jobs_read(trace, &used, sha256, &err);
    if (!w) {
        take_error(c, EXIT_INPUT, trace->path, &err);
        return;
    }
    json_t *report = check_trace(w);
    int plotted = c->options->plot ? fit_plot(w, NULL, c->options->plot) : EXIT_OK;
    c->status = plotted > c->status ? plotted : c->status;
    workload_free(w);
    if (c->n)
        json_object_set_new(report, "demand", demand_of(c, trace));
    note(c, trace->path, "trace", used->name, report);
}

static json_t *experiment_report(const struct sweep *s)
{
    const struct experiment *e = s->experiment;
    json_t *axes = json_array();
    json_int_t all = 1;
    for (size_t i = 0; i < e->n_axes; i++) {
        const struct axis *a = &e->axis[i];
        json_t *values = json_array();
        for (size_t k = 0; k < a->n; k++)
            json_array_append_new(values, json_string(a->value[k].label));
        json_array_append_new(axes, json_pack("{s:s, s:o}", "name", a->name, "values", values));
        all *= (json_int_t)a->n;
    }
    json_t *report = json_pack("{s:s, s:I, s:I, s:o}", "name", e->name, "points",
                               (json_int_t)s->grid->n, "combinations", all, "axes", axes);
    if (e->limit_ns)
        json_object_set_new(report, "limit_s", json_real(seconds(e->limit_ns)));
    return report;
}

static json_t *check_experiment(const char *path, struct error *err)
{
    struct sweep s;
    json_t *report = sweep_read(&s, path, err) == EXIT_OK && sweep_read_inputs(&s, err) == EXIT_OK
                         ? experiment_report(&s)
                         : NULL;
    sweep_free(&s);
    return report;
}

static void check_experiment_file(struct checking *c, const char *path)
{
    struct error err = { "" };
    json_t *report = check_experiment(path, &err);
    if (report)
        note(c, path, "experiment", NULL, report);
    else
        take_error(c, EXIT_INPUT, path, &err);
}

static void check_file(struct checking *c, const char *text)
{
    struct error err = { "" };
    struct chosen_trace trace;
    int status = choose_trace("check", text, &trace, &err);
    enum file_kind kind = status == EXIT_OK && !trace.format ? kind_of(trace.path) : KIND_TRACE;
    if (status != EXIT_OK)
        take_error(c, status, text, &err);
    else if (c->options->plot && kind != KIND_TRACE)
        c->status = complain(EXIT_USAGE, "check: --plot: %s: want a trace", trace.path);
    else if (kind == KIND_CLUSTER)
        check_cluster_file(c, trace.path);
    else if (kind == KIND_FEDERATION)
        check_federation_file(c, trace.path);
    else if (kind == KIND_EXPERIMENT)
        check_experiment_file(c, trace.path);
    else if (c->n && !strcmp(trace.path, "-"))
        c->status = complain(
            EXIT_USAGE, "check: want a trace that is compared with a cluster from a file, not from "
                        "standard input");
    else
        check_trace_file(c, &trace);
    chosen_trace_free(&trace);
}

static void show(const struct checking *c)
{
    size_t i;
    bool first = true;
    json_t *file;
    if (c->options->format == FORMAT_JSON) {
        json_dumpf(c->files, stdout,
                   JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
        putchar('\n');
        return;
    }
    json_array_foreach(c->files, i, file)
    {
        if (json_object_get(file, "error"))
            continue;
        fputs(first ? "" : "\n", stdout);
        first = false;
        check_as_text(file);
    }
}

static int check_run(const struct invocation *in)
{
    struct checking c = { .options = in->options, .files = json_array() };
    const char *plot = c.options->plot;
    if (plot && (picture_format(plot) < 0 || in->operands.n != 1)) {
        json_decref(c.files);
        return complain(EXIT_USAGE,
                        "check: --plot: want one trace, and a file that ends in .png, .svg or "
                        ".pdf, got '%s'",
                        plot);
    }
    for (size_t i = 0; i < c.options->clusters.n; i++)
        add_compared(&c, c.options->clusters.text[i]);
    for (size_t i = 0; i < in->operands.n; i++)
        check_file(&c, in->operands.text[i]);
    if (c.options->strict && c.warnings && c.status == EXIT_OK)
        c.status = complain(EXIT_INPUT, "check: %zu warning%s", c.warnings,
                            c.warnings == 1 ? "" : "s");
    show(&c);
    json_decref(c.files);
    compared_free(&c);
    return c.status;
}

const struct command cmd_check = {
    .name = "check",
    .summary = "validate and summarise traces, clusters and experiments, and compare demand with "
               "capacity",
    .details = "All files are checked. Each error is one line on standard error, and the exit "
               "status is then 3. A file with FORMAT is a trace. Else its first bytes tell "
               "whether it is a trace, a list of nodes, an experiment (YAML with clusters and "
               "traces) or a federation; any other file whose name ends like YAML is a "
               "cluster.\n"
               "\n"
               "With --cluster, the demand of each trace is compared with the capacity: GPU "
               "time, the offered load (GPU time over GPUs and the span of arrivals), the "
               "largest job, and the jobs that can never run, with reasons.",
    .set = { .name = "check", .options = options, .operands = "FILE[:FORMAT]...", .min_operands = 1,
             .max_operands = SIZE_MAX },
    .operand_values = VALUES_FILE,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = check_run,
};
