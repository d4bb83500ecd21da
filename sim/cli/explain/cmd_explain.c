/* cmd_explain.c - gpuyard explain: what happened to one job, queue or service of a run, and why.
 * Of a federation it tells of the members in which the name is. */
#include "sim/cli/frame/cli.h"
#include "sim/cli/explain/explain.h"
#include "sim/cli/frame/result_file.h"
#include "sim/cli/frame/term.h"
#include "sim/base/memory.h"
#include "sim/base/suggest.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FORMAT_TEXT, FORMAT_JSON };
static const char *const formats[] = { "text", "json", NULL };

struct explain_options { bool job, queue, service; int format; };
static const struct explain_options defaults = { .format = FORMAT_TEXT };
#define AT(field) .at = offsetof(struct explain_options, field)
static const struct option options[] = {
    { .name = "job", .letter = 'j', .kind = OPTION_FLAG, AT(job),
      .help = "NAME is a job, if something else has the same name" },
    { .name = "queue", .letter = 'q', .kind = OPTION_FLAG, AT(queue), .help = "NAME is a queue" },
    { .name = "service", .letter = 's', .kind = OPTION_FLAG, AT(service),
      .help = "NAME is an inference service" },
    { .name = "format", .letter = 'f', .argument = "FORMAT", .kind = OPTION_WORD, AT(format),
      .words = formats,
      .help = "text, the default, or json" },
    { 0 },
};

/* ---- Names ---- */

enum story_kind { STORY_JOB, STORY_QUEUE, STORY_SERVICE, STORIES };
static const char *const kind_name[STORIES] = { "job", "queue", "service" };
static const struct {
    json_t *(*make)(const char *directory, const char *name, struct error *err);
    void (*as_text)(const json_t *story);
} stories[STORIES] = {
    { explain_job, explain_job_text },
    { explain_queue, explain_queue_text },
    { explain_service, explain_service_text },
};

/* Which kinds have the name in one run. levels: there is a queues.csv */
struct search { const char *name; bool has[STORIES], levels; };

static int search_job(void *self, const struct csv_job *j, struct error *err)
{
    struct search *s = self;
    (void)err;
    s->has[STORY_JOB] |= !strcmp(j->name, s->name);
    s->has[STORY_QUEUE] |= !strcmp(j->queue, s->name);
    return 0;
}

static int search_level(void *self, const struct csv_level *l, struct error *err)
{
    struct search *s = self;
    (void)err;
    s->has[STORY_QUEUE] |= !strcmp(l->queue, s->name);
    return 0;
}

static int search_service(void *self, const struct csv_service *x, struct error *err)
{
    struct search *s = self;
    (void)err;
    s->has[STORY_SERVICE] |= !strcmp(x->name, s->name);
    return 0;
}

/* 0, or an exit status with a message. */
static int search_in(struct search *s, const char *directory)
{
    struct error err = { "" };
    int jobs = explain_read(directory, &(struct row_reader){ .self = s, .job = search_job }, &err);
    int levels = jobs ? 0 : explain_read(directory, &(struct row_reader){ .self = s,
        .level = search_level }, &err);
    int services = jobs || levels < 0 ? 0 : explain_read(directory, &(struct row_reader){
        .self = s, .service = search_service }, &err);
    s->levels = levels == 0;
    if (jobs < 0 || levels < 0 || services < 0)
        return complain(EXIT_INPUT, "%s", err.text);
    return jobs > 0 ? complain(EXIT_INPUT,
                               "%s/jobs.csv: no such file: want the results of a run", directory)
                    : EXIT_OK;
}

/* A copy of the nearest name, as texts of rows do not outlive their row. */
struct nearest { struct suggestion of; const bool *asked; char best[DID_YOU_MEAN / 2]; };

static void offer(struct nearest *n, enum story_kind kind, const char *name)
{
    const char *before = n->of.best;
    if (!n->asked[kind])
        return;
    suggest_offer(&n->of, name);
    if (n->of.best == before)
        return;
    snprintf(n->best, sizeof n->best, "%s", name);
    n->of.best = n->best;
}

static int offer_job(void *self, const struct csv_job *j, struct error *err)
{
    (void)err;
    offer(self, STORY_QUEUE, j->queue);
    offer(self, STORY_JOB, j->name);
    return 0;
}

static int offer_level(void *self, const struct csv_level *l, struct error *err)
{
    (void)err;
    offer(self, STORY_QUEUE, l->queue);
    return 0;
}

static int offer_service(void *self, const struct csv_service *x, struct error *err)
{
    (void)err;
    offer(self, STORY_SERVICE, x->name);
    return 0;
}

/* "job, queue or service", those that are set. */
static const char *listed(char to[64], const bool *set, const char *last)
{
    size_t n = 0, at = 0, all = 0;
    for (unsigned k = 0; k < STORIES; k++)
        all += set[k];
    to[0] = '\0';
    for (unsigned k = 0; k < STORIES; k++)
        if (set[k]) {
            const char *between = at == 0 ? "" : at + 1 == all ? last : ", ";
            n += (size_t)snprintf(to + n, 64 - n, "%s%s", between, kind_name[k]);
            at++;
        }
    return to;
}

static int unknown(const char *directory, const struct result_places *p, const char *name,
                   const bool *asked)
{
    char what[64];
    struct nearest n = { .of = { .typed = name }, .asked = asked };
    struct error ignored = { "" };
    for (size_t i = 0; i < p->n; i++) {
        const char *at = p->path[i];
        explain_read(at, &(struct row_reader){ .self = &n, .job = offer_job }, &ignored);
        explain_read(at, &(struct row_reader){ .self = &n, .level = offer_level }, &ignored);
        explain_read(at, &(struct row_reader){ .self = &n, .service = offer_service }, &ignored);
    }
    listed(what, asked, " or ");
    if (n.of.best)
        return complain(EXIT_USAGE, "%s: no %s '%s', did you mean '%s'?", directory, what, name,
                        n.of.best);
    return complain(EXIT_USAGE, "%s: no %s '%s'", directory, what, name);
}

/* ---- The command ---- */

static void show_text(const json_t *all, enum story_kind kind)
{
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *story = json_array_get(all, i);
        const char *member = json_string_value(json_object_get(story, "member"));
        if (i)
            putchar('\n');
        if (member) {
            fputs("  in member ", stdout);
            text_put(stdout, member, SIZE_MAX);
            fputs(":\n\n", stdout);
        }
        stories[kind].as_text(story);
    }
}

/* One story as itself, several as a list. */
static void show(const json_t *all, enum story_kind kind, int format)
{
    if (format == FORMAT_JSON) {
        json_dumpf(json_array_size(all) == 1 ? json_array_get(all, 0) : all, stdout,
                   JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
        putchar('\n');
    } else
        show_text(all, kind);
}

static int tell(const struct result_places *p, const struct search *of, enum story_kind kind,
                int format)
{
    struct error err = { "" };
    json_t *all = json_array();
    int status = EXIT_OK;
    for (size_t i = 0; i < p->n && status == EXIT_OK; i++) {
        if (!of[i].has[kind])
            continue;
        json_t *story = NULL;
        if (kind == STORY_QUEUE && !of[i].levels)
            status = complain(EXIT_INPUT,
                              "%s/queues.csv: no such file, and the story of a queue needs it",
                              p->path[i]);
        else if (!(story = stories[kind].make(p->path[i], of[i].name, &err)))
            status = complain(EXIT_INPUT, "%s", err.text);
        if (story && p->member[i])
            put_text(story, "member", p->member[i]);
        if (story)
            json_array_append_new(all, story);
    }
    if (status == EXIT_OK)
        show(all, kind, format);
    json_decref(all);
    return status;
}

static int explain_places(const struct result_places *p, struct search *of, const char *directory,
                          const char *name, const struct explain_options *o)
{
    const bool given[STORIES] = { o->job, o->queue, o->service };
    bool any = o->job || o->queue || o->service, found[STORIES] = { false };
    bool asked[STORIES];
    char kinds[64], options_text[80] = "";
    unsigned n = 0, kind = 0;
    for (unsigned k = 0; k < STORIES; k++) {
        asked[k] = given[k] || !any;
        for (size_t i = 0; i < p->n; i++)
            found[k] |= asked[k] && of[i].has[k];
        n += found[k];
        kind = found[k] ? k : kind;
    }
    if (n == 0)
        return unknown(directory, p, name, asked);
    if (n == 1)
        return tell(p, of, kind, o->format);
    for (unsigned k = 0, at = 0; k < STORIES; k++)
        if (found[k])
            at += (unsigned)snprintf(options_text + at, sizeof options_text - at, "%s--%s",
                                     at ? " or " : "", kind_name[k]);
    return complain(EXIT_USAGE, "%s: '%s' is a %s: want %s", directory, name,
                    listed(kinds, found, " and a "), options_text);
}

static int explain_run(const struct invocation *in)
{
    const struct explain_options *o = in->options;
    const char *directory = in->operands.text[0], *name = in->operands.text[1];
    struct stat st;
    if (o->job + o->queue + o->service > 1)
        return complain(EXIT_USAGE, "explain: want one of --job, --queue and --service");
    if (stat(directory, &st) != 0 || !S_ISDIR(st.st_mode))
        return complain(EXIT_INPUT, "%s: no such directory", directory);
    struct result_places p = result_places_of(directory);
    struct search *of = mem_new(p.n, sizeof *of);
    int status = EXIT_OK;
    for (size_t i = 0; i < p.n && status == EXIT_OK; i++) {
        of[i].name = name;
        status = search_in(&of[i], p.path[i]);
    }
    if (status == EXIT_OK)
        status = explain_places(&p, of, directory, name, o);
    free(of);
    result_places_free(&p);
    return status;
}

const struct command cmd_explain = {
    .name = "explain",
    .summary = "explain what happened to one job, queue or service of a run, and why",
    .details = "Reads the result files of the directory: jobs.csv, for a queue queues.csv, and "
               "intervals.csv if it exists; for a job also events.csv (gpuyard run --outputs "
               "...,events), and for the job of an interactive session sessions.csv; for a service "
               "services.csv and summary.csv. Of a federation the members in which NAME is. Times "
               "are dates, UTC, if the trace has dates.",
    .set = { .name = "explain", .options = options, .operands = "DIR NAME", .min_operands = 2,
             .max_operands = 2 },
    .operand_values = VALUES_DIRECTORY,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = explain_run,
};
