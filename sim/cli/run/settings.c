/* settings.c - see settings.h. */
#include "sim/base/utf8.h"
#include "sim/cli/run/settings.h"

#include "sim/base/memory.h"
#include "sim/engine/params.h"
#include "sim/models/overhead.h"
#include "sim/results/version.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_seconds(FILE *f, const char *key, int64_t ns)
{
    char text[DECIMAL_MAX];
    fprintf(f, "    %s: %.*s\n", key, (int)decimal_format(text, ns, NS_PER_S), text);
}

static void put_gib(FILE *f, const char *key, int64_t bytes)
{
    fprintf(f, "    %s: %.15g\n", key, (double)bytes / (1 << 30));
}

static void put_writes(FILE *f, const struct overhead *p)
{
    if (p->checkpoint_bytes == CHECKPOINT_OF_MODEL)
        fputs("    checkpoint_gib: model\n", f);
    else
        put_gib(f, "checkpoint_gib", p->checkpoint_bytes);
    put_seconds(f, "checkpoint_s", p->write_ns);
    fprintf(f, "    blocking: %.15g\n", p->blocking);
}

static void put_bandwidth(FILE *f, const char *key, int64_t bytes_per_s)
{
    if (bytes_per_s == STORAGE_UNLIMITED)
        fprintf(f, "    %s: unlimited\n", key);
    else
        fprintf(f, "    %s: %.15g\n", key, (double)bytes_per_s / 1e9);
}

static void put_storage(FILE *f, const struct storage *s)
{
    fprintf(f, "  storage:\n    contention: %s\n",
            s->contention == CONTENTION_MAXMIN ? "maxmin" : "none");
    put_bandwidth(f, "gbps", s->all_bps);
    put_bandwidth(f, "read_gbps", s->read_bps);
    put_bandwidth(f, "write_gbps", s->write_bps);
    put_bandwidth(f, "node_read_gbps", s->node_read_bps);
    put_bandwidth(f, "node_write_gbps", s->node_write_bps);
    put_gib(f, "cache_gib", s->cache_mib << 20);
    put_seconds(f, "pull_s", s->pull_ns);
    put_seconds(f, "pull_cached_s", s->pull_cached_ns);
    put_gib(f, "image_gib", s->image_mib << 20);
    fprintf(f, "    images_per_node: %u\n", s->images_per_node);
}

static void put_costs(FILE *f, const struct cluster *c)
{
    const struct overhead *p = &c->overhead;
    bool parts = p->start_ns == START_BY_PARTS || p->restart_ns == START_BY_PARTS;
    if (overhead_writes(p))
        put_writes(f, p);
    if (p->interval_ns == INTERVAL_AUTO) {
        fprintf(f, "    interval_law: %s\n", p->interval_law == LAW_YOUNG ? "young" : "daly");
        if (p->node_mtbf_ns)
            put_seconds(f, "node_mtbf_s", p->node_mtbf_ns);
    }
    if (parts) {
        put_seconds(f, "init_s", p->init_ns);
        put_seconds(f, "init_doubling_s", p->init_doubling_ns);
    }
    if (c->storage.on || overhead_writes(p) || parts)
        put_storage(f, &c->storage);
}

static const char *const checkpoints[] = {
    [CHECKPOINT_NONE] = "none",
    [CHECKPOINT_PERFECT] = "perfect",
    [CHECKPOINT_PERIODIC] = "periodic",
    NULL,
};
/* word: the text of INTERVAL_AUTO and START_BY_PARTS, which are equal. */
static const struct { const char *key; size_t at; const char *word; } times[] = {
    { "interval_s", offsetof(struct cluster, overhead.interval_ns), "auto" },
    { "save_s", offsetof(struct cluster, overhead.save_ns), NULL },
    { "grace_s", offsetof(struct cluster, overhead.grace_ns), NULL },
    { "start_s", offsetof(struct cluster, overhead.start_ns), "parts" },
    { "restart_s", offsetof(struct cluster, overhead.restart_ns), "parts" },
};

/* In text that is no UTF-8, bytes from 0x80 on are escaped. */
void settings_put_text(FILE *f, const char *key, const char *text)
{
    bool utf8 = utf8_is(text);
    fprintf(f, "%s: \"", key);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(f, "\\%c", *c);
        else if (*c < ' ' || *c == 0x7F || (*c >= 0x80 && !utf8))
            fprintf(f, "\\x%02X", *c);
        else
            putc(*c, f);
    }
    fputs("\"\n", f);
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
    if (c->unmet_waits)
        fputs("  invalid_dependency: wait\n", f);
    fprintf(f, "  preemption:\n    checkpoint: %s\n", checkpoints[c->overhead.checkpoint]);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        char key[64];
        int64_t ns;
        memcpy(&ns, (const char *)c + times[i].at, sizeof ns);
        snprintf(key, sizeof key, "    %s", times[i].key);
        if (ns >= 0)
            put_time(f, key, ns);
        /* equals START_BY_PARTS; -1: not given */
        else if (ns == INTERVAL_AUTO)
            fprintf(f, "%s: %s\n", key, times[i].word);
    }
    put_costs(f, c);
}

static void put_trace(FILE *f, const struct plan *p)
{
    fputs("trace:\n", f);
    settings_put_text(f, "  file", p->trace.path);
    fprintf(f, "  format: %s\n", p->trace.format->name);
    for (size_t k = 0; p->trace.format->options && p->trace.format->options[k].name; k++)
        if (p->trace.value[k]) {
            char key[64];
            snprintf(key, sizeof key, "  %s", p->trace.format->options[k].name);
            settings_put_text(f, key, p->trace.value[k]);
        }
    fprintf(f, "  sha256: %s\n", p->trace_sha256);
    put_named(f, &p->trace_files, p->trace.path);
    fprintf(f, "  jobs: %" PRIu32 "\n  load: %.15g\n", p->workload->n_jobs, p->options->load);
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
