/* cmd_convert.c - gpuyard convert: a trace of any format, or a part of it, as a native trace. */
#include "sim/base/memory.h"
#include "sim/base/suggest.h"
#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/out_path.h"
#include "sim/cli/run/choose.h"
#include "sim/workload/requests.h"
#include "sim/workload/workload.h"
#include "traces/formats/dates.h"
#include "traces/native/native.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILTER_GPUS_MAX INT64_C(100000000)
#define FILTER_DEFAULTS  { .max_gpus = FILTER_GPUS_MAX, .limit = UINT32_MAX }
struct filter_options {
    const char *since, *until;                /* seconds or a date; NULL: no bound */
    const char *queues, *users, *classes;     /* names with commas between; NULL: all */
    int64_t min_gpus, max_gpus, limit;
};


/* ==== Which jobs to take: a window of submit times, queues, users, classes, sizes ==== */

/* ---- times ---- */

static int parse_time(const struct workload *w, const char *command, const char *option,
                      const char *text, int64_t *ns, struct error *err)
{
    static const char midnight[] = " 00:00:00";
    char whole[64];
    int64_t date_ns;
    snprintf(whole, sizeof whole, "%.40s%s", text, strchr(text, ' ') ? "" : midnight);
    if (decimal_parse(text, strlen(text), NS_PER_S, ns))
        return 0;
    if (!date_parse(whole, strlen(whole), &date_ns))
        return error_set(
            err,
            "%s: --%s: want seconds, or a date like 2017-10-09 or '2017-10-09 07:01:55', got '%s'",
            command, option, text);
    if (w->origin_ns == TIME_NEVER)
        return error_set(err, "%s: --%s: want seconds, as this trace has no dates, got '%s'",
                         command, option, text);
    *ns = date_ns - w->origin_ns;
    return 0;
}

/* ---- names ---- */

/* Sets wanted[] of each name in a list with commas. */
static int parse_names(const struct intern *known, const char *command, const char *option,
                       const char *list, bool *wanted, struct error *err)
{
    for (const char *name = list; name; name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL) {
        size_t length = strcspn(name, ",");
        uint32_t number = intern_find(known, name, length);
        if (number != INTERN_NONE) {
            wanted[number] = true;
            continue;
        }
        char *typed = mem_text(name, length);
        struct suggestion near = { .typed = typed };
        for (uint32_t i = 0; i < intern_count(known); i++)
            suggest_offer(&near, intern_text(known, i));
        if (near.best && *near.best)
            error_set(err, "%s: --%s: no job has '%s', did you mean '%s'?", command, option, typed,
                      near.best);
        else
            error_set(err, "%s: --%s: no job has '%s'", command, option, typed);
        free(typed);
        return -1;
    }
    return 0;
}

static struct intern *class_names(void)
{
    struct intern *t = intern_new();
    for (size_t i = 0; native_classes[i]; i++)
        intern_add(t, native_classes[i], strlen(native_classes[i]));
    return t;
}

/* ---- jobs ---- */

struct filter {
    int64_t since_ns, until_ns;
    bool *queue, *user, *class; /* NULL: all */
};

static bool fits(const struct filter_options *f, const struct filter *p, const struct job_facts *j)
{
    int64_t gpus = request_gpus(j->ask);
    return j->submit_ns >= p->since_ns && j->submit_ns < p->until_ns && gpus >= f->min_gpus &&
           gpus <= f->max_gpus && (!p->queue || p->queue[j->queue]) &&
           (!p->user || (j->user != ID_NONE && p->user[j->user])) &&
           (!p->class || p->class[j->class]);
}

static int prepare(const struct filter_options *f, const char *command, const struct workload *w,
                   struct filter *p, struct error *err)
{
    const struct {
        const char *option, *list;
        struct intern *known;
        bool **wanted;
    } lists[] = { { "queue", f->queues, w->queue_names, &p->queue },
                  { "user", f->users, w->users, &p->user },
                  { "class", f->classes, class_names(), &p->class } };
    int result = 0;
    if ((f->since && parse_time(w, command, "since", f->since, &p->since_ns, err) != 0) ||
        (f->until && parse_time(w, command, "until", f->until, &p->until_ns, err) != 0))
        result = -1;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && result == 0; i++) {
        if (!lists[i].list)
            continue;
        *lists[i].wanted = mem_new(intern_count(lists[i].known) + 1, sizeof **lists[i].wanted);
        result = parse_names(lists[i].known, command, lists[i].option, lists[i].list,
                             *lists[i].wanted, err);
    }
    intern_free(lists[2].known);
    return result;
}

/* Keeps the jobs that pass the filter. An exit status; EXIT_USAGE with err: a wrong time or
 * name, or no job passes. */
static int filter_apply(const struct filter_options *f, const char *command, struct workload *w,
                        struct error *err)
{
    struct filter p = { .since_ns = INT64_MIN, .until_ns = INT64_MAX };
    bool *keep = mem_new(w->n_jobs, sizeof *keep);
    int64_t kept = 0;
    int result = prepare(f, command, w, &p, err);
    for (job_id j = 0; j < w->n_jobs && result == 0; j++) {
        keep[j] = kept < f->limit && fits(f, &p, &w->facts[j]);
        kept += keep[j];
    }
    if (result == 0 && kept == 0)
        result = error_set(err, "%s: none of the %" PRIu32 " jobs passes the filter", command,
                           w->n_jobs);
    if (result == 0)
        workload_keep(w, keep);
    free(keep);
    free(p.queue);
    free(p.user);
    free(p.class);
    return result == 0 ? EXIT_OK : EXIT_USAGE;
}

/* ==== The command ==== */

struct convert_options {
    const char *output;
    struct filter_options filter;
    double load;
    bool rebase, quiet;
};
static const struct convert_options defaults = { .filter = FILTER_DEFAULTS, .load = 1 };

#define AT(field) .at = offsetof(struct convert_options, field)
static const struct option options[] = {
    { .name = "output", .letter = 'o', .argument = "FILE", .kind = OPTION_TEXT, AT(output),
      .values = VALUES_FILE,
      .help = "where to write it, compressed if it ends in .gz or .zst; standard output by "
              "default, and for -" },
    { .name = "since", .argument = "TIME", .kind = OPTION_TEXT, AT(filter.since),
      .help = "only jobs submitted then or later: seconds of the trace, or a date like "
              "2017-10-09 or '2017-10-09 07:01:55' if the trace has dates" },
    { .name = "until", .argument = "TIME", .kind = OPTION_TEXT, AT(filter.until),
      .help = "only jobs submitted before that time" },
    { .name = "queue", .argument = "NAME[,NAME...]", .kind = OPTION_TEXT, AT(filter.queues),
      .help = "only jobs of these queues" },
    { .name = "user", .argument = "NAME[,NAME...]", .kind = OPTION_TEXT, AT(filter.users),
      .help = "only jobs of these users" },
    { .name = "class", .argument = "NAME[,NAME...]", .kind = OPTION_TEXT, AT(filter.classes),
      .words = native_classes,
      .help = "only jobs of these classes: training, inference, interactive, batch" },
    { .name = "min-gpus", .argument = "N", .kind = OPTION_INTEGER, AT(filter.min_gpus),
      .max = FILTER_GPUS_MAX,
      .help = "only jobs of at least N GPUs in total; a share of a GPU counts as one" },
    { .name = "max-gpus", .argument = "N", .kind = OPTION_INTEGER, AT(filter.max_gpus),
      .max = FILTER_GPUS_MAX,
      .help = "only jobs of at most N GPUs in total" },
    { .name = "limit", .argument = "N", .kind = OPTION_INTEGER, AT(filter.limit), .min = 1,
      .max = UINT32_MAX,
      .help = "only the first N of the remaining jobs" },
    { .name = "rebase", .kind = OPTION_FLAG, AT(rebase),
      .help = "shift submit times so that the first job arrives at 0" },
    { .name = "scale-load", .argument = "F", .kind = OPTION_RATIO, AT(load), .max = 1000000,
      .help = "divide their submit times by F: 2 is twice the load; after everything else" },
    { .name = "quiet", .letter = 'q', .kind = OPTION_FLAG, AT(quiet), .help = "no warnings" },
    { 0 },
};

static int write_to(const char *path, const struct workload *w, struct error *err)
{
    struct output *o = out_path_open(path, err);
    if (!o)
        return -1;
    if (native_write(o, w, err) == 0)
        return output_commit(o, err);
    output_discard(o);
    return -1;
}

static int convert(const struct convert_options *c, const struct chosen_trace *trace,
                   struct error *err)
{
    const struct trace_format *used = NULL;
    char sha256[65];
    struct workload *w = chosen_jobs_read(trace, &used, sha256, err);
    int status = w ? filter_apply(&c->filter, "convert", w, err) : EXIT_INPUT;
    if (status == EXIT_OK) {
        if (w->remark && !c->quiet)
            warn("%s", w->remark);
        if (w->n_skipped && !c->quiet)
            warn("%" PRIu32 " row%s of the trace skipped: no job that ran", w->n_skipped,
                 w->n_skipped == 1 ? "" : "s");
        if (c->rebase)
            workload_rebase(w);
        if (c->load != 1)
            workload_scale_load(w, c->load);
        status = write_to(c->output, w, err) == 0 ? EXIT_OK : EXIT_FAILED;
    }
    workload_free(w);
    return status;
}

static int convert_run(const struct invocation *in)
{
    const struct convert_options *c = in->options;
    struct error err = { "" };
    struct chosen_trace trace;
    int status = choose_trace("convert", in->operands.text[0], &trace, &err);
    if (status == EXIT_OK)
        status = convert(c, &trace, &err);
    chosen_trace_free(&trace);
    return err.text[0] ? complain(status, "%s", err.text) : status;
}

const struct command cmd_convert = {
    .name = "convert",
    .summary = "write a trace of any format, or a part of it, in the native format",
    .details = "Jobs are written in the order of their submit times. Times are kept to the "
               "nanosecond, and so is every other fact that the simulator reads. A trace with "
               "dates begins at 0 with its earliest job.\n"
               "\n"
               "'gpuyard list formats' shows the formats and their options.",
    .set = { .name = "convert", .options = options, .operands = "TRACE[:FORMAT]", .min_operands = 1,
             .max_operands = 1 },
    .operand_values = VALUES_FILE,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = convert_run,
};
