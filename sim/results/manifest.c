/* manifest.c - see manifest.h. */
#include "sim/results/manifest.h"

#include "sim/base/utf8.h"
#include "sim/engine/state.h"
#include "sim/engine/params.h"
#include "sim/results/notes.h"
#include "sim/results/version.h"
#include "sim/sessions/draw_sessions.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Paths and names may hold bytes that are not UTF-8; JSON may not. */
static json_t *text_or_null(const char *text)
{
    json_t *value = text ? json_string(text) : NULL;
    return value ? value : json_null();
}

/* As jansson writes a string or, where it is not UTF-8, null. */
static void out_string(struct output *o, const char *text)
{
    if (!text || !utf8_is(text)) {
        out_text(o, "null");
        return;
    }
    out_char(o, '"');
    for (const char *at = text; *at;) {
        const char *plain = at;
        while ((unsigned char)*at >= ' ' && *at != '"' && *at != '\\')
            at++;
        out_bytes(o, plain, (size_t)(at - plain));
        if (!*at)
            break;
        static const char named[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
        const char *name = strchr(named, *at);
        char code[8];
        snprintf(code, sizeof code, "\\u00%02X", (unsigned char)*at++);
        out_bytes(o, name ? (const char[]){ '\\', letter[name - named] } : code, name ? 2 : 6);
    }
    out_char(o, '"');
}

/* The configuration, null there, is put in here: with thousands of queues it is a megabyte, on which jansson spends ninety
 * instructions a byte. No string has a line feed as it is, so the line that begins with the key is that one. */
static void write_json(struct output *o, json_t *root, const char *configuration)
{
    static const char key[] = "\n  \"configuration\": ", nothing[] = "null";
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER), *at = strstr(text, key) + strlen(key);
    out_bytes(o, text, (size_t)(at - text));
    out_string(o, configuration);
    out_text(o, at + strlen(nothing));
    out_char(o, '\n');
    free(text);
    json_decref(root);
}

static json_t *parameters(const struct param *list, const void *params)
{
    json_t *o = json_object();
    for (const struct param *p = list; p && p->name; p++) {
        char value[64];
        params_show(p, params, value, sizeof value);
        json_object_set_new(o, p->name, json_string(value));
    }
    return o;
}

static json_t *switches(const struct sched *s)
{
    const struct run_setup *run = run_setup_of(s);
    json_t *list = json_array();
    for (size_t i = 0; i < run->n_switches; i++) {
        const struct policy_switch *w = &run->switches[i];
        json_t *o = json_object();
        json_object_set_new(o, "time_s", json_real(seconds(w->time_ns)));
        json_object_set_new(o, "policy", text_or_null(w->policy->name));
        json_object_set_new(o, "policy_parameters", parameters(w->policy->params, run_switch_params(s, i)));
        json_array_append_new(list, o);
    }
    return list;
}

/* Files that the input names, without itself. */
static json_t *named(const struct provenance *files, const char *path)
{
    json_t *list = json_array();
    for (size_t i = 0; files && i < files->n; i++) {
        const struct provenance_file *x = &files->file[i];
        if (strcmp(x->path, path) != 0)
            json_array_append_new(list, json_pack("{s:o, s:s}", "path", text_or_null(x->path), "sha256", x->sha256));
    }
    return list;
}

static json_t *input(const char *path, const char *format, const char *sha256, const struct provenance *files)
{
    json_t *o = json_object(), *others = named(files, path);
    json_object_set_new(o, "path", text_or_null(path));
    if (format)
        json_object_set_new(o, "format", text_or_null(format));
    json_object_set_new(o, "sha256", text_or_null(sha256));
    if (json_array_size(others))
        json_object_set(o, "named", others);
    json_decref(others);
    return o;
}

/* The date of time 0 of a trace with dates, in seconds since 1970. */
static void dated(json_t *trace, int64_t origin_ns)
{
    if (origin_ns == TIME_NEVER)
        return;
    json_object_set_new(trace, "origin_unix_s",
                        origin_ns % NS_PER_S ? json_real(seconds(origin_ns)) : json_integer(origin_ns / NS_PER_S));
}

/* Hash of what was drawn from laws of a workload file: two runs with the same hash have met the same jobs, requests, sessions. */
static void drawn(json_t *trace, const char *key, uint64_t hash)
{
    char text[17];
    if (!hash)
        return;
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    json_object_set_new(trace, key, json_string(text));
}

/* Sums over all members. */
static struct run_totals totals_of(const struct federated *f)
{
    struct run_totals sum = { .first_ns = 0 };
    for (size_t i = 0; i < f->n; i++) {
        const struct run_totals *t = run_totals(f->run[i]);
        sum.completed += t->completed;
        sum.failed += t->failed;
        sum.cancelled += t->cancelled;
        sum.rejected += t->rejected;
        sum.running += t->running;
        sum.pending += t->pending;
        sum.without_estimate += t->without_estimate;
        sum.never_started += t->never_started;
        sum.deadlocked += t->deadlocked;
        sum.starts += t->starts;
        sum.preemptions += t->preemptions;
        sum.moves += t->moves;
        sum.passes += t->passes;
        sum.events += t->events;
        sum.sight_refused += t->sight_refused;
        sum.clairvoyant |= t->clairvoyant;
        for (unsigned k = 0; k < SCHED_RESULTS; k++)
            sum.refused[0][k].n += run_refused(t, k);
    }
    return sum;
}

static json_t *members(const struct federated *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->n; i++) {
        const struct run_setup *run = run_setup_of(f->run[i]);
        json_t *o = json_object();
        json_object_set_new(o, "name", text_or_null(f->name[i]));
        json_object_set_new(o, "policy", text_or_null(run->policy->name));
        json_object_set_new(o, "policy_parameters", parameters(run->policy->params, run_policy_params(f->run[i])));
        json_array_append_new(list, o);
    }
    return list;
}

/* Jobs of the run; of a member of a federation, those routed to it. */
static uint32_t jobs_of(const struct sched *s, bool whole)
{
    const struct run_setup *run = run_setup_of(s);
    uint32_t n = 0;
    if (whole || !run->part.takes)
        return run->workload->n_jobs;
    for (job_id j = 0; j < run->workload->n_jobs; j++)
        n += run_takes(s, j);
    return n;
}

static json_t *counts(const struct run_totals *t, uint32_t jobs, uint32_t skipped)
{
    const struct { const char *name; uint64_t value; } count[] = {
        { "jobs", jobs },          { "skipped_rows", skipped },
        { "completed", t->completed },  { "failed", t->failed },
        { "cancelled", t->cancelled },  { "rejected", t->rejected },
        { "running", t->running },      { "pending", t->pending },
        { "never_started", t->never_started }, { "deadlocked", t->deadlocked }, { "starts", t->starts },
        { "preemptions", t->preemptions }, { "moves", t->moves },
        { "passes", t->passes },        { "events", t->events },
        { "without_estimate", t->without_estimate },
    };
    json_t *o = json_object();
    for (size_t i = 0; i < sizeof count / sizeof count[0]; i++)
        json_object_set_new(o, count[i].name, json_integer((json_int_t)count[i].value));
    return o;
}

/* Requests of the policy that were refused, by reason; empty in a sound run. */
static json_t *refusals(const struct run_totals *t)
{
    json_t *o = json_object();
    for (unsigned i = 0; i < SCHED_RESULTS; i++)
        if (run_refused(t, i))
            json_object_set_new(o, sched_result_name[i], json_integer((json_int_t)run_refused(t, i)));
    if (t->sight_refused)
        json_object_set_new(o, "run time asked without SEES_RUN_TIME", json_integer((json_int_t)t->sight_refused));
    return o;
}

/* Of one run; of a federation, those of each member are in its own manifest. */
static json_t *notes(const struct sched *s)
{
    struct notes found = { 0 };
    json_t *list = json_array();
    notes_of_run(&found, s);
    for (size_t i = 0; i < found.n; i++)
        json_array_append_new(list, json_pack("{s:s, s:o}", "name", found.note[i].name, "text",
                                              text_or_null(found.note[i].text)));
    notes_free(&found);
    return list;
}

static void where_and_when(json_t *root)
{
    char host[256] = "", when[64];
    time_t now = time(NULL);
    struct tm tm;
    gethostname(host, sizeof host - 1);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    json_object_set_new(root, "host", text_or_null(host));
    json_object_set_new(root, "written", json_string(when));
}

void manifest_write(struct output *o, const struct results_setup *setup, const struct sched *s)
{
    const struct run_setup *run = run_setup_of(s);
    const struct run_origin *origin = &setup->origin;
    const struct run_totals totals = origin->federated ? totals_of(origin->federated) : *run_totals(s);
    json_t *root = json_object(), *command = json_array();
    for (int i = 0; i < origin->argc; i++)
        json_array_append_new(command, text_or_null(origin->argv[i]));
    json_object_set_new(root, "program", json_string("gpuyard"));
    json_object_set_new(root, "version", json_string(version_text()));
    json_object_set_new(root, "commit", json_string(version_commit()));
    json_object_set_new(root, "compiler", json_string(version_compiler()));
    json_object_set_new(root, "schema_version", json_integer(SCHEMA_VERSION));
    json_object_set_new(root, "command", command);
    if (!origin->federated)
        json_object_set_new(root, "policy", text_or_null(run->policy->name));
    json_object_set_new(root, "policy_text", text_or_null(origin->policy_text));
    if (origin->federated)
        json_object_set_new(root, "members", members(origin->federated));
    else
        json_object_set_new(root, "policy_parameters", parameters(run->policy->params, run_policy_params(s)));
    if (run->n_switches)
        json_object_set_new(root, "switches", switches(s));
    json_object_set_new(root, "placement", text_or_null(run->placer->name));
    json_object_set_new(root, "placement_text", text_or_null(origin->placement_text));
    json_object_set_new(root, "placement_parameters", parameters(run->placer->params, run_placer_params(s)));
    json_object_set_new(root, "clairvoyant", json_boolean(totals.clairvoyant));
    json_object_set_new(root, "seed", json_integer((json_int_t)run->seed));
    json_object_set_new(root, "cluster", input(origin->cluster_path, NULL, origin->cluster_sha256, origin->cluster_files));
    json_object_set_new(root, "trace", input(origin->trace_path, origin->trace_format, origin->trace_sha256, origin->trace_files));
    dated(json_object_get(root, "trace"), run->workload->origin_ns);
    drawn(json_object_get(root, "trace"), "drawn", run->workload->drawn);
    for (hook_walk i = HOOKED(s, drawn); i; hook_next(&i))
        drawn(json_object_get(root, "trace"), hooked(s, i)->drawn_name, hooked(s, i)->drawn(s));
    drawn(json_object_get(root, "trace"), "sessions_drawn", run->workload->sessions ? run->workload->sessions->drawn : 0);
    json_object_set_new(root, "configuration", json_null());
    if (setup->snapshot_options && *setup->snapshot_options)
        json_object_set_new(root, "snapshot_options", text_or_null(setup->snapshot_options));
    json_object_set_new(root, "counts", counts(&totals, jobs_of(s, origin->federated != NULL), origin->skipped_rows));
    json_object_set_new(root, "refused", refusals(&totals));
    if (!origin->federated)
        json_object_set_new(root, "notes", notes(s));
    where_and_when(root);
    write_json(o, root, origin->settings_yaml);
}

/* ---- summary.json ---- */

/* Each returns where it ends. Inline: the length of what is said literally is known. */
static inline char *put_text(char *to, const char *text)
{
    size_t n = strlen(text);
    memcpy(to, text, n);
    return to + n;
}

/* As jansson 2.14 writes a real: 17 digits, a point or an exponent, and that without a plus or leading zeros. */
static char *put_real(char *to, double x)
{
    char text[DECIMAL_MAX + 1];
    text[double_format_17(text, x)] = '\0';
    size_t digits = strcspn(text, "e");
    to = put_text(to, x == 0 && signbit(x) ? "-" : "");
    memcpy(to, text, digits);
    to += digits;
    if (!text[digits])
        return put_text(to, memchr(text, '.', digits) ? "" : ".0");
    const char *power = text + digits + 1;
    to = put_text(to, *power == '-' ? "e-" : "e");
    return put_text(to, power + 1 + strspn(power + 1, "0"));
}

/* scope: as JSON. Within brackets that are indented by two levels. */
static void write_row(struct output *o, const struct metric *x, const char *scope, size_t scope_length)
{
    enum { ROOM = 256 };          /* for what a row says besides name, scope and unit */
    char *to = out_room(o, ROOM + strlen(x->kind->name));
    to = put_text(to, "    {\n      \"metric\": \"");
    to = put_text(to, x->kind->name);
    out_took(o, put_text(to, "\",\n      \"scope\": "));
    out_bytes(o, scope, scope_length);
    to = out_room(o, ROOM + strlen(x->kind->unit));
    to = put_text(to, ",\n      \"value\": ");
    to = isfinite(x->value) ? put_real(to, x->value) : put_text(to, "null");
    to = put_text(to, ",\n      \"unit\": \"");
    to = put_text(to, x->kind->unit);
    to = put_text(to, "\",\n      \"n\": ");
    to += decimal_format(to, (int64_t)x->n, 1);
    out_took(o, put_text(to, "\n    }"));
}

static char *json_text(const char *text)
{
    json_t *value = text_or_null(text);
    char *json = json_dumps(value, JSON_ENCODE_ANY);
    json_decref(value);
    return json;
}

/* Row by row, and without jansson but for the scopes: with thousands of queues all rows at once would take more memory than the
 * run, and their objects more time. */
void manifest_summary_json(struct output *o, const struct summary *m)
{
    out_text(o, "{\n  \"schema_version\": ");
    out_integer(o, SCHEMA_VERSION);
    out_text(o, ",\n  \"metrics\": [");
    char *scope = NULL;
    size_t length = 0;
    for (size_t i = 0; i < m->n; i++) {
        if (i == 0 || m->metric[i].scope != m->metric[i - 1].scope) {
            free(scope);
            scope = json_text(m->metric[i].scope);
            length = strlen(scope);
        }
        out_text(o, i ? ",\n" : "\n");
        write_row(o, &m->metric[i], scope, length);
    }
    free(scope);
    out_text(o, m->n ? "\n  ]\n}\n" : "]\n}\n");
}
