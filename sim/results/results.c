/* results.c - see results.h: rows while the run goes on, and all files at once at the end. */
#include "sim/results/results.h"

#include "sim/io/output.h"
#include "sim/base/memory.h"
#include "sim/results/harvest.h"
#include "sim/results/manifest.h"
#include "sim/engine/models.h"
#include "sim/results/rows.h"
#include "sim/results/summary_builder.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const file_name[OUTPUT_FILES] = {
    "jobs.csv",     "intervals.csv", "timeseries.csv", "queues.csv",   "nodes.csv",
    "summary.csv", "manifest.json", "services.csv",   "sessions.csv", "events.csv",
};
static const char summary_json_name[] = "summary.json", snapshot_name[] = "snapshot.csv";

struct results {
    struct results_setup setup;
    const struct cluster *cluster;
    const struct workload *workload;
    struct output *file[OUTPUT_FILES], *summary_json, *snapshot;
    struct harvest *harvest;      /* NULL: not begun, or at its end */
    struct tally_walk *tallies;   /* at its end; NULL: not yet */
    char *directory;              /* a copy, which remove_directories() cuts */
    size_t made;                  /* length of the outermost directory on its path that is new; 0: none */
    bool any_row;
    struct run_level last;        /* last row of timeseries */
    struct run_queue_level *last_of_queue;     /* [n_queues] last rows of queues */
    int64_t next_sample_ns;
    uint64_t sequence;
    int64_t now_ns;
};

/* ---- Rows as the run goes on ---- */

static void on_interval(void *self, const struct interval *i)
{
    struct results *r = self;
    rows_interval(r->file[OUTPUT_INTERVALS], r->workload, i);
}

static void on_decision(void *self, job_id j, int64_t now_ns, const char *kind, const char *decision, const char *reason)
{
    struct results *r = self;
    struct output *o = r->file[OUTPUT_EVENTS];
    out_seconds(o, now_ns);
    out_char(o, ',');
    out_integer(o, (int64_t)r->sequence++);
    out_char(o, ',');
    out_text(o, kind);
    out_char(o, ',');
    if (j != ID_NONE)
        out_csv(o, r->workload->truth[j].name);
    out_char(o, ',');
    out_csv(o, decision);
    out_char(o, ',');
    out_csv(o, reason);
    out_char(o, '\n');
}

static void on_model_row(void *self, const struct run_model *m, const void *row)
{
    struct results *r = self;
    for (unsigned f = 0; f < OUTPUT_FILES; f++)
        if (r->file[f] && rows_are_of(m, f))
            m->file_row(r->file[f], row);
}

static void timeseries_row(struct results *r, const struct sched *s, const struct run_level *l)
{
    struct output *o = r->file[OUTPUT_TIMESERIES];
    const int64_t value[] = { r->cluster->gpus * MILLI_ALL, l->up_milli, l->gpus_milli, l->busy_milli };
    if (!r->any_row)
        rows_header_with(o, OUTPUT_TIMESERIES, s);
    out_seconds(o, l->now_ns);
    for (size_t i = 0; i < sizeof value / sizeof value[0]; i++) {
        out_char(o, ',');
        out_decimal(o, value[i], MILLI_ALL);
    }
    out_char(o, ',');
    out_integer(o, l->running);
    out_char(o, ',');
    out_integer(o, l->waiting);
    out_char(o, ',');
    out_decimal(o, l->waiting_milli, MILLI_ALL);
    models_row(o, s, MODEL_SERIES, 0);
    out_char(o, '\n');
}

static void comma_milli(struct output *o, int64_t milli)     /* below 0: an empty field */
{
    out_char(o, ',');
    if (milli >= 0)
        out_decimal(o, milli, MILLI_ALL);
}

static void queue_row(struct results *r, const struct sched *s, queue_id q)
{
    struct output *o = r->file[OUTPUT_QUEUES];
    struct run_queue_level l = run_queue_level(s, q), *last = &r->last_of_queue[q];
    bool same = l.gpus_milli == last->gpus_milli && l.demand_milli == last->demand_milli && l.fair_milli == last->fair_milli &&
                l.deserved_milli == last->deserved_milli;
    if (same && !r->setup.sample_ns)
        return;
    *last = l;
    out_seconds(o, sched_now(s));
    out_char(o, ',');
    out_csv(o, r->cluster->queue[q].name);
    comma_milli(o, l.gpus_milli);
    comma_milli(o, l.deserved_milli);
    comma_milli(o, l.demand_milli);
    comma_milli(o, l.fair_milli);
    out_char(o, '\n');
}

static void on_instant(void *self, const struct sched *s)
{
    struct results *r = self;
    struct run_level l = run_level(s);
    if (r->setup.sample_ns) {
        if (r->any_row && l.now_ns < r->next_sample_ns)
            return;
        r->next_sample_ns = l.now_ns - l.now_ns % r->setup.sample_ns + r->setup.sample_ns;
    }
    const struct run_level *p = &r->last;
    bool same = r->any_row && p->gpus_milli == l.gpus_milli && p->busy_milli == l.busy_milli &&
                p->waiting_milli == l.waiting_milli && p->up_milli == l.up_milli && p->running == l.running && p->waiting == l.waiting &&
                p->of_models == l.of_models;
    if (r->file[OUTPUT_TIMESERIES] && !same)
        timeseries_row(r, s, &l);
    r->any_row = true;
    r->last = l;
    if (!r->file[OUTPUT_QUEUES])
        return;
    if (r->setup.sample_ns) {
        for (queue_id q = 0; q < r->cluster->n_queues; q++)
            queue_row(r, s, q);
        return;
    }
    const queue_id *changed;
    size_t n = run_changed_queues(s, &changed);
    for (size_t i = 0; i < n; i++)
        queue_row(r, s, changed[i]);
}

struct output *results_snapshot(struct results *r)
{
    return r->snapshot;
}

void results_settings(struct results *r, const char *settings_yaml)
{
    r->setup.origin.settings_yaml = settings_yaml;
}

void results_snapshot_options(struct results *r, const char *options)
{
    r->setup.snapshot_options = options;
}

static void on_final(void *self, job_id end)
{
    struct results *r = self;
    if (r->harvest)
        harvest_final(r->harvest, end);
}

struct run_observer results_observer(struct results *r)
{
    struct run_observer o = { .self = r, .final = on_final, .final_block = HARVEST_BLOCK };
    if (r->file[OUTPUT_INTERVALS])
        o.interval = on_interval;
    if (r->file[OUTPUT_EVENTS])
        o.decision = on_decision;
    o.row = on_model_row;
    if (r->file[OUTPUT_TIMESERIES] || r->file[OUTPUT_QUEUES])
        o.instant = on_instant;
    return o;
}

/* ---- Opening and ending ---- */

unsigned outputs_of(unsigned outputs, const struct workload *w)
{
    unsigned without = (w->services ? 0 : 1u << OUTPUT_SERVICES) | (w->sessions ? 0 : 1u << OUTPUT_SESSIONS);
    return outputs & ~without;
}

/* Of the lines of a configuration those that tell of the command line: what the files hold may have
 * changed since. `section`: the key without indentation that the line is below. */
static bool is_of_command(const char *line, int length, const char *section)
{
    static const char *const of_files[] = { "sha256:", "named", "jobs:", "nodes:", "gpus:" };
    const char *key = line + strspn(line, " -");
    if (length == 0 || *line == '#' || !strncmp(section, "check", 5) || !strncmp(section, "outputs", 7))
        return false;
    if (!strncmp(section, "cluster", 7))
        return !strncmp(line, "  file:", 7) || !strncmp(line, "    - given:", 12);
    for (size_t i = 0; i < sizeof of_files / sizeof *of_files; i++)
        if (*line == ' ' && !strncmp(key, of_files[i], strlen(of_files[i])))
            return false;
    return true;
}

struct config_line { const char *at, *section, *next; int length; };

/* length 0: there is none left */
static void next_line(struct config_line *l)
{
    do {
        l->at = l->next;
        l->length = (int)strcspn(l->at, "\n");
        l->next = l->at + l->length + (l->at[l->length] == '\n');
        if (l->length && *l->at != ' ')
            l->section = l->at;
    } while (*l->at && !is_of_command(l->at, l->length, l->section));
}

static bool has_line(const char *text, const struct config_line *l)
{
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if ((int)strcspn(at, "\n") == l->length && !strncmp(at, l->at, (size_t)l->length))
            return true;
    return false;
}

static int other_experiment(const struct results_setup *s, const char *was, struct error *err)
{
    struct config_line old = { .next = was }, new = { .next = s->origin.settings_yaml };
    do {
        next_line(&old);
        next_line(&new);
    } while (old.length && old.length == new.length && !strncmp(old.at, new.at, (size_t)old.length));
    if (!old.length && !new.length)
        return 0;
    const int key = (int)strcspn(old.at, ":\n"), was_at = (int)strspn(old.at, " -"), now_at = (int)strspn(new.at, " -");
    const bool changed = old.length && new.length && !strncmp(old.at, new.at, (size_t)key + 1);
    const bool added = !changed && new.length && !has_line(was, &new);
    const struct config_line *of = changed || added ? &new : &old;
    const int section = of->section < of->at ? (int)strcspn(of->section, ":\n") : 0;
    char what[512];
    if (changed)
        snprintf(what, sizeof what, "'%.*s', now '%.*s'", old.length - was_at, old.at + was_at, new.length - now_at,
                 new.at + now_at);
    else
        snprintf(what, sizeof what, added ? "now with '%.*s'" : "now without '%.*s'", of->length - (added ? now_at : was_at),
                 of->at + (added ? now_at : was_at));
    return error_set(err, "%s: it has the results of another experiment (%s%.*s%s%s): want --output with another "
                     "directory, or --force to replace them", s->directory, section ? "in " : "", section, of->section,
                     section ? ": " : "", what);
}

/* The manifest of a run that is there; NULL: none that gpuyard has written. The caller frees it. */
static json_t *manifest_there(const char *directory)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, file_name[OUTPUT_MANIFEST]);
    json_error_t why;
    errno = 0;
    json_t *root = json_load_file(path, 0, &why);
    if (!root && (errno == ENOMEM || json_error_code(&why) == json_error_out_of_memory))
        mem_exhausted();
    const char *program = json_string_value(json_object_get(root, "program"));
    if (program && !strcmp(program, "gpuyard"))
        return root;
    json_decref(root);
    return NULL;
}

static int check_file(const char *directory, const char *name, bool foreign, struct error *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (provenance_is_held(path))
        return error_set(err, "%s: it is an input of this run: want --output with another directory", path);
    if (foreign && access(path, F_OK) == 0)
        return error_set(err, "%s: it is not of gpuyard, as the directory has no manifest of a run: want --output "
                         "with another directory, or --force to replace or remove it", path);
    return 0;
}

int results_check(const struct results_setup *setup, bool named, bool force, struct error *err)
{
    json_t *manifest = force ? NULL : manifest_there(setup->directory);    /* whatever it says */
    bool foreign = !manifest && !force;
    int result = 0;
    for (unsigned f = 0; f < OUTPUT_FILES && result == 0; f++)
        result = check_file(setup->directory, file_name[f], foreign, err);
    if (result == 0)
        result = check_file(setup->directory, summary_json_name, foreign, err);
    if (result == 0)
        result = check_file(setup->directory, snapshot_name, foreign, err);
    const char *was = json_string_value(json_object_get(manifest, "configuration"));
    if (result == 0 && was && !named)
        result = other_experiment(setup, was, err);
    json_decref(manifest);
    return result;
}

static void hold_file(const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    provenance_hold_path(path);
}

void results_hold(const char *directory)
{
    for (unsigned f = 0; f < OUTPUT_FILES; f++)
        hold_file(directory, file_name[f]);
    hold_file(directory, summary_json_name);
    hold_file(directory, snapshot_name);
}

struct results *results_new(const struct results_setup *setup, const struct cluster *c, const struct workload *w)
{
    struct results *r = mem_new(1, sizeof *r);
    r->setup = *setup;
    r->setup.outputs = outputs_of(setup->outputs | 1u << OUTPUT_MANIFEST, w);
    r->directory = mem_text(setup->directory, strlen(setup->directory));
    r->cluster = c;
    r->workload = w;
    r->last_of_queue = mem_new(c->n_queues, sizeof *r->last_of_queue);
    bool windows = false;
    for (queue_id q = 0; q < c->n_queues; q++)
        windows = windows || c->queue[q].n_windows;
    for (queue_id q = 0; q < c->n_queues; q++) {
        r->last_of_queue[q].fair_milli = -1;
        r->last_of_queue[q].deserved_milli = windows ? QUOTA_UNSAID : c->queue[q].quota.deserved.gpu_milli;
    }
    return r;
}

static void remove_directories(struct results *r)
{
    for (size_t length = strlen(r->directory); r->made && length >= r->made;) {
        r->directory[length] = '\0';
        rmdir(r->directory);
        do
            length--;
        while (length > 0 && r->directory[length] != '/');
    }
}

int results_open(struct results *r, struct error *err)
{
    if (directory_make(r->directory, &r->made, err) != 0)
        return -1;
    for (unsigned f = 0; f < OUTPUT_FILES; f++)
        if (r->setup.outputs & 1u << f && !(r->file[f] = output_open(r->directory, file_name[f], err)))
            return -1;
    if (r->file[OUTPUT_SUMMARY] && !(r->summary_json = output_open(r->directory, summary_json_name, err)))
        return -1;
    if (r->setup.snapshot && !(r->snapshot = output_open(r->directory, snapshot_name, err)))
        return -1;
    static const enum output_file as_it_goes_on[] = { OUTPUT_INTERVALS, OUTPUT_QUEUES, OUTPUT_SERVICES, OUTPUT_SESSIONS,
                                                     OUTPUT_EVENTS };
    for (size_t i = 0; i < sizeof as_it_goes_on / sizeof *as_it_goes_on; i++)
        if (r->file[as_it_goes_on[i]])
            rows_header(r->file[as_it_goes_on[i]], rows_columns(as_it_goes_on[i], r->setup.models));
    return 0;
}

static void free_results(struct results *r)
{
    tally_walk_free(r->tallies);
    free(r->directory);
    free(r->last_of_queue);
    free(r);
}

void results_remove(struct results *r)
{
    for (unsigned f = 0; f < OUTPUT_FILES; f++)
        output_remove(r->file[f]);
    output_remove(r->summary_json);
    output_remove(r->snapshot);
    remove_directories(r);
}

void results_discard(struct results *r)
{
    if (r->harvest)
        harvest_abandon(r->harvest);
    for (unsigned f = 0; f < OUTPUT_FILES; f++)
        output_discard(r->file[f]);
    output_discard(r->summary_json);
    output_discard(r->snapshot);
    remove_directories(r);
    free_results(r);
}

static void remove_file(const struct results *r, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", r->directory, name);
    if (!provenance_is_held(path))
        unlink(path);
}

/* Files of an earlier run that this run does not write: they would look like this run's. */
static void remove_stale(const struct results *r)
{
    for (unsigned f = 0; f < OUTPUT_FILES; f++)
        if (!(r->setup.outputs & 1u << f))
            remove_file(r, file_name[f]);
    if (!r->summary_json)
        remove_file(r, summary_json_name);
    if (!r->setup.snapshot)
        remove_file(r, snapshot_name);
}

static int settle_all(struct results *r, struct error *err)
{
    int result = 0;
    for (unsigned f = 0; f < OUTPUT_FILES; f++)
        if (r->file[f] && output_settle(r->file[f], err) != 0)
            result = -1;
    if (r->summary_json && output_settle(r->summary_json, err) != 0)
        result = -1;
    if (r->snapshot && output_settle(r->snapshot, err) != 0)
        result = -1;
    return result;
}

void results_gather(struct results *r, const struct sched *s)
{
    r->harvest = harvest_begin(s, r->file[OUTPUT_JOBS]);
}

void results_run_ended(struct results *r)
{
    harvest_run_ended(r->harvest);
}

struct tally_walk *results_tallies(struct results *r, const struct sched *s)
{
    if (!r->harvest)
        results_gather(r, s);
    if (!r->tallies)
        r->tallies = harvest_end(r->harvest);
    r->harvest = NULL;
    return r->tallies;
}

int results_write(struct results *r, const struct sched *s, const struct summary *m, struct error *err)
{
    if (!r->tallies && r->file[OUTPUT_JOBS])
        (void)results_tallies(r, s);
    if (r->file[OUTPUT_TIMESERIES] && !r->any_row)
        rows_header_with(r->file[OUTPUT_TIMESERIES], OUTPUT_TIMESERIES, s);
    if (r->file[OUTPUT_NODES])
        rows_nodes(r->file[OUTPUT_NODES], s);
    for (unsigned f = 0; f < OUTPUT_FILES; f++)
        if (r->file[f])
            models_file_rows(r->file[f], s, output_name[f]);
    if (r->file[OUTPUT_SUMMARY]) {
        rows_summary_csv(r->file[OUTPUT_SUMMARY], m);
        manifest_summary_json(r->summary_json, m);
    }
    manifest_write(r->file[OUTPUT_MANIFEST], &r->setup, s);
    return settle_all(r, err);
}

int results_commit(struct results *r, struct error *err)
{
    struct output *list[OUTPUT_FILES + 2];
    size_t n = 0;
    for (unsigned f = 0; f < OUTPUT_FILES; f++)
        if (r->file[f] && f != OUTPUT_MANIFEST)
            list[n++] = r->file[f];
    if (r->summary_json)
        list[n++] = r->summary_json;
    if (r->snapshot)
        list[n++] = r->snapshot;
    list[n++] = r->file[OUTPUT_MANIFEST];
    int result = output_commit_all(list, n, err);
    if (result == 0)
        remove_stale(r);
    else
        remove_directories(r);
    free_results(r);
    return result;
}
