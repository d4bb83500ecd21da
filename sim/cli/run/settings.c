/* settings.c - see settings.h. */
#include "sim/cli/run/settings.h"

#include "sim/base/memory.h"
#include "sim/results/quantiles.h"
#include "sim/engine/params.h"
#include "sim/io/config.h"
#include "sim/results/version.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void settings_put_text(FILE *f, const char *key, const char *text)
{
    fprintf(f, "%s: ", key);
    config_put_quoted(f, text);
    putc('\n', f);
}

static void put_time(FILE *f, const char *key, int64_t ns)
{
    char text[DECIMAL_MAX];
    fprintf(f, "%s: %.*s\n", key, (int)decimal_format(text, ns, NS_PER_S), text);
}

static void put_params(FILE *f, int indent, const struct param *list, const void *params)
{
    fprintf(f, "%*sparameters:%s\n", indent, "", list && list->name ? "" : " {}");
    for (const struct param *p = list; p && p->name; p++) {
        char value[64];
        params_show(p, params, value, sizeof value);
        fprintf(f, "%*s%s: %s\n", indent + 2, "", p->name, value);
    }
}

/* Hashes of the files that the file names: their contents decide a run, not their paths. */
static void put_named(FILE *f, const struct provenance *files, const char *path)
{
    const char *before = "  named_sha256: [ ";
    for (size_t i = 0; i < files->n; i++) {
        if (!strcmp(files->file[i].path, path))
            continue;
        fprintf(f, "%s%s", before, files->file[i].sha256);
        before = ", ";
    }
    fputs(*before == ',' ? " ]\n" : "", f);
}

/* Lines of YAML, below the cluster. */
static void put_settings(FILE *f, const char *lines)
{
    char sha256[65];
    if (!lines)
        return;
    digest_sha256(lines, strlen(lines), sha256);
    fprintf(f, "  settings_sha256: %s\n  settings:\n", sha256);
    for (size_t n; *lines; lines += n + 1) {
        n = strcspn(lines, "\n");
        fprintf(f, "    %.*s\n", (int)n, lines);
    }
}

static void put_cluster(FILE *f, const struct plan *p)
{
    const struct cluster *c = p->cluster;
    fputs("cluster:\n", f);
    settings_put_text(f, "  file", p->options->cluster);
    fprintf(f, "  sha256: %s\n", p->cluster_sha256);
    put_named(f, &p->cluster_files, p->options->cluster);
    settings_put_text(f, "  name", c->name);
    fprintf(f, "  nodes: %" PRIu32 "\n  gpus: %" PRId64 "\n", c->n_nodes, c->gpus);
    fprintf(f, "  queues: %" PRIu32 "%s\n", c->n_queues,
            c->queues_from_trace ? "  # of the trace" : "");
    for (size_t i = 0; i < p->options->set.n; i++) {
        fputs(i ? "" : "  set:\n", f);
        settings_put_text(f, "    - given", p->options->set.text[i]);
    }
    put_time(f, "  period_s", c->period_ns);
    put_settings(f, c->settings);
}

static void put_trace(FILE *f, const struct plan *p)
{
    fputs("trace:\n", f);
    settings_put_text(f, "  file", p->trace.path);
    fprintf(f, "  format: %s\n", p->trace.format->name);
    bool first = true;
    for (size_t k = 0; p->trace.format->options && p->trace.format->options[k].name; k++)
        if (p->trace.value[k]) {
            char key[64];
            snprintf(key, sizeof key, "    %s", p->trace.format->options[k].name);
            fputs(first ? "  options:\n" : "", f);
            settings_put_text(f, key, p->trace.value[k]);
            first = false;
        }
    fprintf(f, "  sha256: %s\n", p->trace_sha256);
    put_named(f, &p->trace_files, p->trace.path);
    fprintf(f, "  jobs: %" PRIu32 "\n  load: %.15g\n", p->workload->n_jobs, p->options->load);
    if (p->options->load_gpus && p->options->load_gpus != p->cluster->gpus)
        fprintf(f, "  load_gpus: %" PRId64 "\n", p->options->load_gpus);
    if (p->options->pods)
        fprintf(f, "  pods: %" PRId64 "\n", p->options->pods);
    if (p->retime_batch) {
        fprintf(f, "  retime:\n    batch: %" PRIu32 "\n", p->retime_batch);
        put_time(f, "    every_s", p->retime_every_ns);
    }
    if (p->estimates.kind != ESTIMATE_TRACE) {
        char text[ESTIMATES_TEXT];
        estimates_show(&p->estimates, text);
        fprintf(f, "  estimates: %s\n", text);
    }
    if (p->options->stream > 0)
        fprintf(f, "  stream_percent: %.15g\n", p->options->stream);
}

void settings_put_quantiles(FILE *f, const struct quantiles_wanted *w)
{
    if (!quantiles_any(w))
        return;
    fputs("quantiles: ", f);
    quantiles_write(f, w);
    putc('\n', f);
}

/* A sampling interval or an end of 0 is the default and has no key. */
char *settings_yaml(const struct plan *p)
{
    const struct run_options *o = p->options;
    char *text = NULL;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    fprintf(f, "# The effective configuration of a run of gpuyard %s.\npolicy:\n", version_text());
    settings_put_text(f, "  name", p->policy.policy->name);
    settings_put_text(f, "  given", o->policy);
    fprintf(f, "  clairvoyant: %s\n",
            p->policy.clairvoyant || estimates_know_truth(&p->estimates) ? "true" : "false");
    put_params(f, 2, p->policy.policy->params, p->policy.params);
    for (size_t i = 0; i < p->n_switches; i++) {
        const struct plan_switch *c = &p->change[i];
        fputs(i ? "" : "switches:\n", f);
        put_time(f, "  - time_s", c->time_ns);
        settings_put_text(f, "    name", c->to.policy->name);
        settings_put_text(f, "    given", strchr(o->switches.text[i], ':') + 1);
        fprintf(f, "    clairvoyant: %s\n", c->to.clairvoyant ? "true" : "false");
        put_params(f, 4, c->to.policy->params, c->to.params);
    }
    fputs("placement:\n", f);
    settings_put_text(f, "  name", p->placer.placer->name);
    settings_put_text(f, "  given", o->placement);
    put_params(f, 2, p->placer.placer->params, p->placer.params);
    fprintf(f, "seed: %" PRId64 "\n", o->seed);
    put_cluster(f, p);
    put_trace(f, p);
    if (p->until_ns)
        put_time(f, "until_s", p->until_ns);
    if (o->warmup)
        fprintf(f, "warmup_jobs: %" PRId64 "\n", o->warmup);
    if (o->sample_ns)
        put_time(f, "sample_s", o->sample_ns);
    if (o->snapshot_ns >= 0)
        put_time(f, "snapshot_s", o->snapshot_ns);
    settings_put_quantiles(f, &p->quantiles);
    fprintf(f, "check: %s\noutputs: [", o->check ? "true" : "false");
    bool first = true;
    for (unsigned i = 0; i < OUTPUT_FILES; i++)
        if ((p->outputs | 1u << OUTPUT_MANIFEST) & 1u << i) {
            fprintf(f, "%s%s", first ? "" : ", ", output_name[i]);
            first = false;
        }
    fputs("]\n", f);
    mem_stream_end(f, &text);
    return text;
}
