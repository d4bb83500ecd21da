/* cmd_explain.c - gpuyard explain: what happened to one job or one queue of a run, and why. */
#include "sim/cli/frame/cli.h"
#include "sim/cli/explain/explain.h"
#include "sim/base/suggest.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { FORMAT_TEXT, FORMAT_JSON };
static const char *const formats[] = { "text", "json", NULL };

struct explain_options { bool job, queue; int format; };
static const struct explain_options defaults = { .format = FORMAT_TEXT };
#define AT(field) .at = offsetof(struct explain_options, field)
static const struct option options[] = {
    { .name = "job", .letter = 'j', .kind = OPTION_FLAG, AT(job),
      .help = "NAME is a job, if a queue has the same name" },
    { .name = "queue", .letter = 'q', .kind = OPTION_FLAG, AT(queue), .help = "NAME is a queue" },
    { .name = "format", .letter = 'f', .argument = "FORMAT", .kind = OPTION_WORD, AT(format),
      .words = formats,
      .help = "text, the default, or json" },
    { 0 },
};

/* ---- Jobs and queues by name ---- */

struct search { const char *name; bool job, queue; };

static int search_job(void *self, const struct csv_job *j, struct error *err)
{
    struct search *s = self;
    (void)err;
    s->job |= !strcmp(j->name, s->name);
    s->queue |= !strcmp(j->queue, s->name);
    return 0;
}

static int search_level(void *self, const struct csv_level *l, struct error *err)
{
    struct search *s = self;
    (void)err;
    s->queue |= !strcmp(l->queue, s->name);
    return 0;
}

/* A copy of the nearest name, as texts of rows do not outlive their row. */
struct nearest { struct suggestion of; bool jobs, queues; char best[DID_YOU_MEAN / 2]; };

static void offer(struct nearest *n, const char *name)
{
    const char *before = n->of.best;
    suggest_offer(&n->of, name);
    if (n->of.best == before)
        return;
    snprintf(n->best, sizeof n->best, "%s", name);
    n->of.best = n->best;
}

static int offer_job(void *self, const struct csv_job *j, struct error *err)
{
    struct nearest *n = self;
    (void)err;
    if (n->queues)
        offer(n, j->queue);
    if (n->jobs)
        offer(n, j->name);
    return 0;
}

static int offer_level(void *self, const struct csv_level *l, struct error *err)
{
    (void)err;
    offer(self, l->queue);
    return 0;
}

static int unknown(const char *directory, const char *name, const struct explain_options *o)
{
    const char *what = o->job ? "job" : o->queue ? "queue" : "job or queue";
    struct nearest n = { .of = { .typed = name }, .jobs = !o->queue, .queues = !o->job };
    struct error ignored = { "" };
    explain_read(directory, &(struct row_reader){ .self = &n, .job = offer_job }, &ignored);
    if (n.queues)
        explain_read(directory, &(struct row_reader){ .self = &n, .level = offer_level }, &ignored);
    if (n.of.best)
        return complain(EXIT_USAGE, "%s: no %s '%s', did you mean '%s'?", directory, what, name,
                        n.of.best);
    return complain(EXIT_USAGE, "%s: no %s '%s'", directory, what, name);
}

/* ---- The command ---- */

static int show(json_t *story, void (*as_text)(const json_t *story), int format,
                const struct error *err)
{
    if (!story)
        return complain(EXIT_INPUT, "%s", err->text);
    if (format == FORMAT_JSON) {
        json_dumpf(story, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
        putchar('\n');
    } else {
        as_text(story);
    }
    json_decref(story);
    return EXIT_OK;
}

static int explain_run(const struct invocation *in)
{
    const struct explain_options *o = in->options;
    const char *directory = in->operands.text[0], *name = in->operands.text[1];
    struct error err = { "" };
    struct stat st;
    if (o->job && o->queue)
        return complain(EXIT_USAGE, "explain: want --job or --queue, got both");
    if (stat(directory, &st) != 0 || !S_ISDIR(st.st_mode))
        return complain(EXIT_INPUT, "%s: no such directory", directory);
    struct search s = { .name = name };
    int jobs = explain_read(directory, &(struct row_reader){ .self = &s, .job = search_job }, &err);
    int levels = jobs ? 0 : explain_read(directory, &(struct row_reader){ .self = &s,
        .level = search_level }, &err);
    if (jobs < 0 || levels < 0)
        return complain(EXIT_INPUT, "%s", err.text);
    if (jobs > 0)
        return complain(EXIT_INPUT, "%s/jobs.csv: no such file: want the results of a run",
                        directory);
    bool job = s.job && !o->queue, queue = s.queue && !o->job;
    if (job && queue)
        return complain(EXIT_USAGE, "%s: '%s' is a job and a queue: want --job or --queue",
                        directory, name);
    if (queue && levels > 0)
        return complain(EXIT_INPUT,
                        "%s/queues.csv: no such file, and the story of a queue needs it",
                        directory);
    if (!job && !queue)
        return unknown(directory, name, o);
    return job ? show(explain_job(directory, name, &err), explain_job_text, o->format, &err)
               : show(explain_queue(directory, name, &err), explain_queue_text, o->format, &err);
}

const struct command cmd_explain = {
    .name = "explain",
    .summary = "explain what happened to one job or one queue of a run, and why",
    .details = "Reads the result files of the directory: jobs.csv, for a queue queues.csv, and "
               "intervals.csv if it exists; for a job also events.csv (gpuyard run --outputs "
               "...,events), and for the job of an interactive session sessions.csv.",
    .set = { .name = "explain", .options = options, .operands = "DIR NAME", .min_operands = 2,
             .max_operands = 2 },
    .operand_values = VALUES_DIRECTORY,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = explain_run,
};
