/* settings.c - see settings.h. Keys are called as in a cluster file. */
#include "sim/cli/settings.h"

#include "sim/core/memory.h"
#include "sim/core/suggest.h"
#include "sim/run/params.h"
#include "sim/run/version.h"
#include "sim/world/cluster_file.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIME_MOST_S INT64_C(3153600000)    /* 100 years, as in a cluster file */

static const char *const checkpoints[] = {
    [CHECKPOINT_NONE] = "none", [CHECKPOINT_PERFECT] = "perfect", [CHECKPOINT_PERIODIC] = "periodic", NULL,
};
/* All but the checkpoint are times; the word stands for INTERVAL_AUTO and START_BY_PARTS, which are the same number. */
static const struct setting { const char *key; size_t at; bool above_zero; const char *word; } settings[] = {
    { "period_s", offsetof(struct cluster, period_ns), false, NULL },
    { "preemption.interval_s", offsetof(struct cluster, price.interval_ns), true, "auto" },
    { "preemption.save_s", offsetof(struct cluster, price.save_ns), false, NULL },
    { "preemption.grace_s", offsetof(struct cluster, price.grace_ns), false, NULL },
    { "preemption.start_s", offsetof(struct cluster, price.start_ns), false, "parts" },
    { "preemption.restart_s", offsetof(struct cluster, price.restart_ns), false, "parts" },
};
enum { SETTINGS = sizeof settings / sizeof *settings };
static const char checkpoint_key[] = "preemption.checkpoint";

/* ---- Setting ---- */

static int set_checkpoint(struct cluster *c, const char *value, struct error *err)
{
    char want[DID_YOU_MEAN];
    for (int i = 0; checkpoints[i]; i++)
        if (!strcmp(checkpoints[i], value)) {
            _Static_assert(sizeof c->price.checkpoint == sizeof i, "an enum is an int");
            memcpy(&c->price.checkpoint, &i, sizeof i);
            return 0;
        }
    return error_set(err, "run: --set: %s: want %s, got '%s'", checkpoint_key, words_or(want, checkpoints), value);
}

static int set_time(struct cluster *c, const struct setting *s, const char *value, struct error *err)
{
    int64_t ns;
    if (!decimal_parse(value, strlen(value), NS_PER_S, &ns) || ns < (s->above_zero ? 1 : 0) || ns > TIME_MOST_S * NS_PER_S)
        return error_set(err, "run: --set: %s: want seconds %s to %" PRId64 ", got '%s'", s->key,
                         s->above_zero ? "above 0, up" : "from 0", TIME_MOST_S, value);
    *(int64_t *)(void *)((char *)c + s->at) = ns;
    return 0;
}

enum { KEY_LONG = 256, OF_FILE = SETTINGS + 1 };

/* Index of a setting, SETTINGS: of the checkpoint; OF_FILE: it is none, but perhaps a place in the file of the cluster. */
static size_t find(const char *text, char key[KEY_LONG])
{
    size_t length = strcspn(text, "="), i = 0;
    snprintf(key, KEY_LONG, "%.*s", (int)(length < KEY_LONG ? length : KEY_LONG - 1), text);
    while (i < SETTINGS && strcmp(settings[i].key, key))
        i++;
    return i == SETTINGS && strcmp(checkpoint_key, key) ? OF_FILE : i;
}

/* A name that is almost that of a setting is a slip. */
static const char *near_setting(const char *key)
{
    struct suggestion near = { .typed = key };
    suggest_offer(&near, checkpoint_key);
    for (size_t i = 0; i < SETTINGS; i++)
        suggest_offer(&near, settings[i].key);
    return near.best;
}

static int set_one(struct cluster *c, const char *text, bool given[SETTINGS + 1], struct error *err)
{
    char key[KEY_LONG];
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return error_set(err, "run: --set: want KEY=VALUE, got '%s'", text);
    size_t i = find(text, key);
    if (i == OF_FILE)
        return near_setting(key) ? error_set(err, "run: --set: no setting '%s', did you mean '%s'?", key, near_setting(key)) : 0;
    if (given[i])
        return error_set(err, "run: --set: %s is given twice", key);
    given[i] = true;
    if (i < SETTINGS && settings[i].at == offsetof(struct cluster, period_ns))
        c->period_said = true;
    return i < SETTINGS ? set_time(c, &settings[i], equals + 1, err) : set_checkpoint(c, equals + 1, err);
}

static bool is_of_file(const char *text)
{
    char key[KEY_LONG];
    const char *equals = strchr(text, '=');
    return equals && equals > text && find(text, key) == OF_FILE && !near_setting(key);
}

size_t settings_of_file(const struct option_texts *set)
{
    size_t n = 0;
    for (size_t i = 0; i < set->n; i++)
        n += is_of_file(set->text[i]);
    return n;
}

struct cluster *settings_read(const char *path, const struct option_texts *set, char sha256[65], struct error *err)
{
    struct cluster_setting *list = mem_new(set->n, sizeof *list);
    struct arena *memory = arena_new();
    size_t n = 0;
    for (size_t i = 0; i < set->n; i++) {
        const char *text = set->text[i];
        if (!is_of_file(text))
            continue;
        list[n].path = arena_text(memory, text, strcspn(text, "="));
        for (size_t k = 0; k < n; k++)
            if (!strcmp(list[k].path, list[n].path))
                error_set(err, "run: --set: %s is given twice", list[n].path);
        list[n++].value = strchr(text, '=') + 1;
    }
    struct cluster *c = err->text[0] ? NULL : cluster_read_with(path, list, n, sha256, err);
    arena_free(memory);
    free(list);
    return c;
}

int settings_set(struct cluster *c, const struct option_texts *set, struct error *err)
{
    bool given[SETTINGS + 1] = { false };
    for (size_t i = 0; i < set->n; i++)
        if (set_one(c, set->text[i], given, err))
            return EXIT_USAGE;
    if (c->price.checkpoint == CHECKPOINT_PERIODIC && c->price.interval_ns == 0) {
        error_set(err, "run: --set: %s: 'periodic' wants a preemption.interval_s, too", checkpoint_key);
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

/* ---- Showing ---- */

/* Bytes from 0x80 on stay only if all of the text is UTF-8 (as far as YAML cares: well-formed sequences). */
static bool is_utf8(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        unsigned more = *c < 0x80 ? 0 : *c >= 0xC2 && *c < 0xE0 ? 1 : *c >= 0xE0 && *c < 0xF0 ? 2 : *c >= 0xF0 && *c < 0xF5 ? 3 : 9;
        if (more == 9)
            return false;
        for (c++; more; more--, c++)
            if ((*c & 0xC0) != 0x80)
                return false;
    }
    return true;
}

static void put_text(FILE *f, const char *key, const char *text)
{
    bool utf8 = is_utf8(text);
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

static void put_params(FILE *f, const struct param *list, const void *params)
{
    fputs(list && list->name ? "  parameters:\n" : "  parameters: {}\n", f);
    for (const struct param *p = list; p && p->name; p++) {
        char value[64];
        params_show(p, params, value, sizeof value);
        fprintf(f, "    %s: %s\n", p->name, value);
    }
}

static void put_cluster(FILE *f, const struct plan *p)
{
    const struct cluster *c = p->cluster;
    fputs("cluster:\n", f);
    put_text(f, "  file", p->options->cluster);
    fprintf(f, "  sha256: %s\n", p->cluster_sha256);
    put_text(f, "  name", c->name);
    fprintf(f, "  nodes: %" PRIu32 "\n  gpus: %" PRId64 "\n", c->n_nodes, c->gpus);
    fprintf(f, "  queues: %" PRIu32 "%s\n", c->n_queues, c->queues_from_trace ? "  # of the trace" : "");
    put_time(f, "  period_s", c->period_ns);
    fprintf(f, "  preemption:\n    checkpoint: %s\n", checkpoints[c->price.checkpoint]);
    for (size_t i = 0; i < SETTINGS; i++) {
        const char *dot = strchr(settings[i].key, '.');
        char key[64];
        int64_t ns;
        memcpy(&ns, (const char *)c + settings[i].at, sizeof ns);
        snprintf(key, sizeof key, "    %s", dot ? dot + 1 : "");
        if (dot && ns >= 0)
            put_time(f, key, ns);
        else if (dot && ns == INTERVAL_AUTO)             /* as START_BY_PARTS; -1 is not said */
            fprintf(f, "%s: %s\n", key, settings[i].word);
    }
    settings_put_storage(f, c);
    const struct option_texts *set = &p->options->set;
    if (settings_of_file(set))
        fputs("  set:\n", f);
    for (size_t i = 0; i < set->n; i++)
        if (is_of_file(set->text[i])) {
            char key[KEY_LONG + 4];
            snprintf(key, sizeof key, "    %.*s", (int)strcspn(set->text[i], "="), set->text[i]);
            put_text(f, key, strchr(set->text[i], '=') + 1);
        }
}

static void put_trace(FILE *f, const struct plan *p)
{
    fputs("trace:\n", f);
    put_text(f, "  file", p->trace.path);
    fprintf(f, "  format: %s\n", p->trace.format->name);
    for (size_t k = 0; p->trace.format->options && p->trace.format->options[k].name; k++)
        if (p->trace.value[k]) {
            char key[64];
            snprintf(key, sizeof key, "  %s", p->trace.format->options[k].name);
            put_text(f, key, p->trace.value[k]);
        }
    fprintf(f, "  sha256: %s\n", p->trace_sha256);
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

/* An interval of 0 says "at every change" and an end of 0 "none"; then there is no such key. */
char *settings_yaml(const struct plan *p)
{
    const struct run_options *o = p->options;
    char *text = NULL;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    fprintf(f, "# The effective configuration of a run of gpuyard %s.\npolicy:\n", version_text());
    put_text(f, "  name", p->policy.policy->name);
    put_text(f, "  given", o->policy);
    fprintf(f, "  clairvoyant: %s\n", p->policy.clairvoyant || estimates_know_truth(&p->estimates) ? "true" : "false");
    put_params(f, p->policy.policy->params, p->policy.params);
    fputs("placement:\n", f);
    put_text(f, "  name", p->placer.placer->name);
    put_text(f, "  given", o->placement);
    put_params(f, p->placer.placer->params, p->placer.params);
    fprintf(f, "seed: %" PRId64 "\n", o->seed);
    put_cluster(f, p);
    put_trace(f, p);
    if (p->until_ns)
        put_time(f, "until_s", p->until_ns);
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
