/* plan.c - see plan.h. */
#include "sim/cli/run/plan.h"

#include "sim/base/memory.h"
#include "sim/cli/run/dumped.h"
#include "sim/cli/run/settings.h"
#include "sim/cluster/cluster_file.h"
#include "sim/engine/run.h"
#include "sim/results/quantiles.h"
#include "traces/formats/reading.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== Switches of the policy ==== */

static int read_one(const char *text, struct plan_switch *to, struct error *err)
{
    const char *colon = strchr(text, ':');
    if (!colon || !colon[1] ||
        !decimal_parse(text, (size_t)(colon - text), NS_PER_S, &to->time_ns) || to->time_ns < 0) {
        error_set(
            err,
            "run: --switch-policy: want TIME:POLICY[:KEY=VALUE,...] with TIME in seconds, got '%s'",
            text);
        return EXIT_USAGE;
    }
    return choose_policy(colon + 1, &to->to, err);
}

/* Times ascend; a policy may occur several times. */
static int check_order(const struct plan *p, struct error *err)
{
    for (size_t i = 1; i < p->n_switches; i++)
        if (p->change[i].time_ns <= p->change[i - 1].time_ns)
            return error_set(err,
                             "run: --switch-policy: want ascending times, got %.15g after %.15g",
                             seconds(p->change[i].time_ns), seconds(p->change[i - 1].time_ns));
    return 0;
}

/* Whether the policies can be combined in one run. */
static int check_combination(const struct plan *p, struct error *err)
{
    struct policy_switch *list = plan_switch_list(p);
    struct error why = { "" };
    const struct run_setup setup = { .policy = p->policy.policy, .policy_params = p->policy.params,
                                     .switches = list,
                                     .n_switches = p->n_switches };
    int result = run_check_policies(&setup, &why);
    free(list);
    return result ? error_set(err, "run: --switch-policy: %s", why.text) : 0;
}

static int look_up_switches(struct plan *p, struct error *err)
{
    const struct option_texts *given = &p->options->switches;
    p->change = mem_new(given->n + 1, sizeof *p->change);
    for (size_t i = 0; i < given->n; i++) {
        p->n_switches++;
        int status = read_one(given->text[i], &p->change[i], err);
        if (status != EXIT_OK)
            return status;
        struct plan_switch *c = &p->change[i];
        c->text = chosen_text(c->to.policy->name, c->to.policy->params, c->to.params);
    }
    return check_order(p, err) || check_combination(p, err) ? EXIT_USAGE : EXIT_OK;
}

struct policy_switch *plan_switch_list(const struct plan *p)
{
    struct policy_switch *list = mem_new(p->n_switches + 1, sizeof *list);
    for (size_t i = 0; i < p->n_switches; i++) {
        const struct plan_switch *c = &p->change[i];
        bool given = p->cluster && p->cluster->period_said;
        list[i] = (struct policy_switch){ c->time_ns, c->to.policy, c->to.params,
                                          given ? p->cluster->period_ns : c->to.policy->period_ns };
    }
    return list;
}

char *plan_policies_text(const struct plan *p)
{
    char *text = NULL;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    fprintf(f, "%s%s", p->policy_text,
            p->policy.clairvoyant || estimates_know_truth(&p->estimates) ? " (clairvoyant)" : "");
    for (size_t i = 0; i < p->n_switches; i++)
        fprintf(f, ", from %.15g s on %s%s", seconds(p->change[i].time_ns), p->change[i].text,
                p->change[i].to.clairvoyant ? " (clairvoyant)" : "");
    mem_stream_end(f, &text);
    return text;
}

static void free_switches(struct plan *p)
{
    for (size_t i = 0; i < p->n_switches; i++) {
        free(p->change[i].to.params);
        free(p->change[i].text);
    }
    free(p->change);
}

/* ==== The plan ==== */

static int look_up_quantiles(struct plan *p, struct error *err)
{
    struct error why = { "" };
    if (p->options->also)
        p->quantiles = *p->options->also;
    if (!p->options->quantiles || quantiles_want(&p->quantiles, p->options->quantiles, &why) == 0)
        return EXIT_OK;
    error_set(err, "run: --quantiles: %s", why.text);
    return EXIT_USAGE;
}

int plan_look_up(struct plan *p, const struct run_options *o, struct error *err)
{
    *p = (struct plan){ .options = o, .until_ns = o->until_ns };
    int status = choose_policy(o->policy, &p->policy, err);
    if (status == EXIT_OK)
        status = choose_placer(o->placement, &p->placer, err);
    if (status == EXIT_OK)
        status = choose_trace("run: --trace", o->trace, &p->trace, err);
    p->outputs = OUTPUTS_DEFAULT;
    if (status == EXIT_OK && o->outputs)
        status = choose_outputs(o->outputs, &p->outputs, err);
    if (status == EXIT_OK && o->retime)
        status = choose_retiming(o->retime, &p->retime_batch, &p->retime_every_ns, err);
    if (status == EXIT_OK && o->estimates)
        status = choose_estimates(o->estimates, &p->estimates, err);
    if (status == EXIT_OK)
        status = look_up_quantiles(p, err);
    if (status == EXIT_OK)
        status = look_up_switches(p, err);
    if (status != EXIT_OK)
        return status;
    if (o->stream > 0 && (o->load != 1 || o->retime || o->estimates))
        error_set(err,
                  "run: --stream: times do not matter, so want no --load, --retime or --estimates");
    else if (o->until_ns && o->snapshot_ns > o->until_ns)
        error_set(err, "run: --snapshot: want a time that comes before --until");
    else if (!strcmp(o->cluster, "-") && !strcmp(p->trace.path, "-"))
        error_set(err, "run: want only one of --cluster and --trace from standard input");
    else if (o->directory && !strcmp(o->directory, "-"))
        error_set(err, "run: --output: want a directory, got '-'");
    return err->text[0] ? EXIT_USAGE : EXIT_OK;
}

/* The default end is the arrival of the last job. */
static int make_stream(struct plan *p, struct error *err)
{
    struct error why = { "" };
    double gpu_milli = (double)p->cluster->gpus * MILLI_ALL * p->options->stream / 100;
    if (workload_stream(p->workload, (int64_t)gpu_milli, (uint64_t)p->options->seed, &why)) {
        error_set(err, "%s: %s", p->trace.path, why.text);
        return EXIT_INPUT;
    }
    if (!p->until_ns)
        p->until_ns = p->workload->facts[p->workload->n_jobs - 1].submit_ns;
    return EXIT_OK;
}

/* The format of a file that is a trace with named columns; NULL: it is none, or no file that can be read again. */
static const struct trace_format *trace_format_at(const char *path)
{
    struct error ignored = { "" };
    size_t length = 0;
    struct input *in = strcmp(path, "-") ? input_open(path, &ignored) : NULL;
    const char *head = in ? input_peek(in, &length, &ignored) : NULL;
    const struct trace_format *found = head ? trace_recognise(head, length) : NULL;
    input_close(in);
    return found && found->columns ? found : NULL;
}

int plan_read_cluster(struct plan *p, struct error *err)
{
    const struct option_texts *set = &p->options->set;
    struct error why = { "" };
    const struct dumped *dumped = p->options->dumped;
    provenance_begin(&p->cluster_files);
    p->cluster = dumped ? dumped_cluster(dumped, p->cluster_sha256, &why)
                        : cluster_read(p->options->cluster,
                                       &(struct cluster_settings){ set->n, set->text },
                                       p->cluster_sha256, &why);
    provenance_end();
    if (p->cluster && (!dumped || dumped_check_files(dumped, &p->cluster_files, &why) == 0))
        return EXIT_OK;
    bool by_setting = !strncmp(why.text, "--set: ", strlen("--set: "));
    const struct trace_format *trace = by_setting ? NULL : trace_format_at(p->options->cluster);
    if (trace)
        error_set(err, "%s: it is a trace of format %s: want a cluster here, and the trace with "
                       "--trace",
                  p->options->cluster, trace->name);
    else
        error_set(err, "%s%s", by_setting ? "run: " : "", why.text);
    return by_setting ? EXIT_USAGE : EXIT_INPUT;
}

static void set_up_trace(struct plan *p)
{
    p->trace.seed = (uint64_t)p->options->seed;
    p->trace.cluster_gpus = (double)(p->options->load_gpus ? p->options->load_gpus
                                     : p->gpus             ? p->gpus
                                                           : p->cluster->gpus);
    p->trace.resident_bytes = (size_t)ceil(p->options->resident_mib * (1 << 20));
}

int plan_read_trace(struct plan *p, struct error *err)
{
    const struct trace_format *used = NULL;
    set_up_trace(p);
    provenance_begin(&p->trace_files);
    p->workload = chosen_trace_read(&p->trace, p->options->stream > 0, &used, p->trace_sha256, err);
    provenance_end();
    p->trace.format = used;
    const struct dumped *dumped = p->options->dumped;
    return p->workload && (!dumped || dumped_check_trace(dumped, p->trace_sha256, err) == 0)
               ? EXIT_OK
               : EXIT_INPUT;
}

int plan_shape(struct plan *p, struct error *err)
{
    const struct run_options *o = p->options;
    if (o->pods)
        workload_make_pods(p->workload, (uint32_t)o->pods);
    if (run_bind(p->cluster, p->workload, err))
        return EXIT_INPUT;
    if (o->load != 1)
        workload_scale_load(p->workload, o->load);
    if (p->retime_batch)
        workload_retime_batches(p->workload, p->retime_batch, p->retime_every_ns);
    workload_estimate(p->workload, &p->estimates, (uint64_t)o->seed);
    if (o->warmup && o->warmup >= p->workload->n_jobs) {
        error_set(err,
                  "%s: it has %" PRIu32 " jobs: with --warmup %" PRId64
                  " no job remains for the means",
                  p->trace.path, p->workload->n_jobs, o->warmup);
        return EXIT_INPUT;
    }
    return o->stream > 0 ? make_stream(p, err) : EXIT_OK;
}

/* results/POLICY-PLACEMENT with parameters that differ from their defaults:
 * "results/fifo-blocking=skip-pack"; with switches: "results/fifo-3600-sjf-pack". */
static char *default_directory(const struct plan *p)
{
    char *path = NULL;
    size_t length;
    FILE *f = mem_stream(&path, &length);
    fprintf(f, "results/%s", p->policy_text);
    for (size_t i = 0; i < p->n_switches; i++)
        fprintf(f, "-%.15g-%s", seconds(p->change[i].time_ns), p->change[i].text);
    fprintf(f, "-%s", p->placer_text);
    mem_stream_end(f, &path);
    for (char *c = path; *c; c++)
        if (*c == ':' || *c == ',')
            *c = '-';
    return path;
}

void plan_settle(struct plan *p)
{
    const char *directory = p->options->directory;
    p->outputs = outputs_of(p->outputs, p->workload);
    if (!p->cluster->period_said)
        p->cluster->period_ns = p->policy.policy->period_ns;
    p->policy_text = chosen_text(p->policy.policy->name, p->policy.policy->params,
                                 p->policy.params);
    p->placer_text = chosen_text(p->placer.placer->name, p->placer.placer->params,
                                 p->placer.params);
    p->directory = directory ? mem_text(directory, strlen(directory)) : default_directory(p);
    p->settings_yaml = settings_yaml(p);
}

/* ---- A run that begins while its trace is read ---- */

/* Nothing that is asked for has to know all jobs before the first arrives. */
static bool may_begin_early(const struct plan *p)
{
    const struct run_options *o = p->options;
    bool as_read = !(o->stream > 0) && o->load == 1 && !o->retime && !o->estimates && !o->dumped;
    bool to_the_end = !p->until_ns && o->snapshot_ns < 0 && !p->n_switches && !o->warmup && !o->dump_config && !o->verbose;
    return as_read && to_the_end && run_binds_early(p->cluster);
}

static bool begin_early(struct plan *p)
{
    struct error ignored = { "" };
    if (!may_begin_early(p))
        return false;
    set_up_trace(p);
    p->trace.pods = (uint32_t)p->options->pods;
    const struct cluster *c = p->cluster;
    uint32_t n = c->queues_from_trace || c->n_queues == 1 ? 0 : c->n_queues;    /* the only one takes jobs that name none */
    const char **queue = mem_new(n + (size_t)1, sizeof *queue);
    for (queue_id q = 0; q < n; q++)
        queue[q] = c->queue[q].name;
    p->reading = chosen_trace_begin(&p->trace, queue, n, &p->trace.format);
    free(queue);
    p->workload = p->reading ? trace_reading_begun(p->reading) : NULL;
    bool as_named = p->workload && (c->queues_from_trace || intern_count(p->workload->queue_names) == c->n_queues);
    return as_named && plan_shape(p, &ignored) == EXIT_OK;
}

/* They tell of what has been read. */
static void settle_anew(struct plan *p)
{
    if (!p->settings_yaml)
        return;
    free(p->settings_yaml);
    p->settings_yaml = settings_yaml(p);
}

int plan_read_on(struct plan *p, struct error *err)
{
    provenance_begin(&p->trace_files);
    int result = trace_reading_end(p->reading, p->trace_sha256, err);
    provenance_end();
    if (result)
        return EXIT_INPUT;
    settle_anew(p);
    return EXIT_OK;
}

int plan_read_again(struct plan *p, struct error *err)
{
    p->workload = trace_reading_whole(p->reading, err);
    trace_reading_free(p->reading);
    p->reading = NULL;
    int status = p->workload ? plan_shape(p, err) : EXIT_INPUT;
    if (status == EXIT_OK)
        settle_anew(p);
    return status;
}

/* The trace, early or not, and what is asked for applied to it. */
static int read_and_shape(struct plan *p, struct error *err)
{
    if (begin_early(p)) {
        early_bound(trace_reading_early(p->reading));
        return EXIT_OK;
    }
    int status = p->reading ? plan_read_on(p, err) : plan_read_trace(p, err);
    if (status != EXIT_OK)
        return status;
    return p->reading ? plan_read_again(p, err) : plan_shape(p, err);
}

int plan_make(struct plan *p, const struct run_options *options, struct error *err)
{
    int status = plan_look_up(p, options, err);
    if (status == EXIT_OK)
        status = plan_read_cluster(p, err);
    if (status == EXIT_OK)
        status = read_and_shape(p, err);
    if (status == EXIT_OK)
        plan_settle(p);
    return status;
}

void plan_free(struct plan *p)
{
    if (p->reading)
        trace_reading_free(p->reading);    /* with the workload */
    else
        workload_free(p->workload);
    cluster_free(p->cluster);
    chosen_trace_free(&p->trace);
    provenance_free(&p->cluster_files);
    provenance_free(&p->trace_files);
    free_switches(p);
    void *const own[] = { p->policy.params, p->placer.params, p->policy_text,
                          p->placer_text,   p->directory,     p->settings_yaml };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        free(own[i]);
}
