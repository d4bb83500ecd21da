/* cmd_compare.c - gpuyard compare: whether metrics of one set of runs are worse than those of
 * another. */
#include "sim/base/memory.h"
#include "sim/cli/frame/cli.h"
#include "sim/cli/sweep/compare_report.h"
#include "sim/results/quantiles.h"

#include <stdlib.h>
#include <string.h>

static const char *const formats[] = { "text",  "csv",    "json",     "junit",
                                     "github", "markdown", NULL };
static void (*const writers[])(FILE *to, const struct compare_report *r) = {
    compare_text, compare_csv, compare_json, compare_junit, compare_github, compare_markdown
};
static const char *const default_metrics[] = {
    "jct_mean_s",        "jct_p90_s",  "wait_mean_s",    "wait_p90_s", "bounded_slowdown_mean",
    "makespan_s",        "util_alloc", "util_effective", "goodput",    "preemptions",
    "quota_satisfaction"
};
enum { SHOWN_MAX = 256, NAME_MAX_LENGTH = 256 };

struct compare_options {
    struct option_texts gates, metrics, base, new;
    int format;
    bool sequential;
};
static const struct compare_options defaults = { .format = 0 };
static const struct option options[] = {
    { .name = "fail-if", .letter = 'f', .argument = "METRIC>N%", .kind = OPTION_TEXTS,
      .help = "a regression if METRIC, or METRIC@SCOPE, is surely worse by more than N percent "
              "of the base, whether more or less is worse; may be given several times",
      .at = offsetof(struct compare_options, gates) },
    { .name = "metric", .letter = 'm', .argument = "METRIC", .kind = OPTION_TEXTS,
      .help = "show METRIC, or METRIC@SCOPE, instead of the default metrics; may be given "
              "several times", .at = offsetof(struct compare_options, metrics) },
    { .name = "format", .argument = "FORMAT", .kind = OPTION_WORD,
      .help = "text, the default, csv, json, junit, github or markdown",
      .at = offsetof(struct compare_options, format), .words = formats },
    { .name = "base", .argument = "COLUMN=VALUE", .kind = OPTION_TEXTS,
      .at = offsetof(struct compare_options, base),
      .help = "if BASE is a sweep, only its points with VALUE in COLUMN, like policy=fifo; may "
              "be given several times" },
    { .name = "new", .argument = "COLUMN=VALUE", .kind = OPTION_TEXTS,
      .help = "the same for NEW, which may be the same sweep",
      .at = offsetof(struct compare_options, new) },
    { .name = "sequential", .kind = OPTION_FLAG,
      .help = "sequential test: one of several looks, after 10, 20, 40 and 80 draws of jobs, "
              "with wider intervals at each, so that all together err in at most 5 %",
      .at = offsetof(struct compare_options, sequential) },
    { 0 },
};

struct asked {
    char metric[NAME_MAX_LENGTH], scope[NAME_MAX_LENGTH];
    double margin;
    const struct metric_kind *kind;
};

/* "METRIC[@SCOPE][>N%]" */
static int parse(const char *text, bool gate, struct asked *to)
{
    const char *end = gate ? strrchr(text, '>') : text + strlen(text),
               *at = memchr(text, '@', end ? (size_t)(end - text) : 0);
    char *rest = NULL;
    *to = (struct asked){ .margin = (double)NAN };
    if (gate)
        to->margin = end && end[1] ? strtod(end + 1, &rest) / 100 : (double)NAN;
    if (gate &&
        (!end || !rest || strcmp(rest, "%") != 0 || !(to->margin >= 0) || isinf(to->margin)))
        return complain(
            EXIT_USAGE,
            "compare: --fail-if: want METRIC>N%% or METRIC@SCOPE>N%%, N at least 0, got '%s'",
            text);
    size_t length = (size_t)((at ? at : end) - text), scope = at ? (size_t)(end - at - 1) : 0;
    if (length >= sizeof to->metric || scope >= sizeof to->scope)
        return complain(EXIT_USAGE, "compare: this name is too long: '%.60s...'", text);
    memcpy(to->metric, text, length);
    memcpy(to->scope, at ? at + 1 : "all", at ? scope : sizeof "all");
    to->kind = metric_find(to->metric);
    if (!to->kind)
        return complain(EXIT_USAGE, "compare: there is no metric '%s', see 'gpuyard list metrics'",
                        to->metric);
    if (gate && to->kind->better == BETTER_NEITHER)
        return complain(
            EXIT_USAGE,
            "compare: --fail-if: %s: neither a higher nor a lower value of this metric is worse",
            to->metric);
    if (gate && to->kind->better == BETTER_HIGHER && to->margin >= 1)
        return complain(
            EXIT_USAGE,
            "compare: --fail-if: %s: lower is worse, and no value is lower by more than 100%%: "
            "want N below 100, got '%s'",
            to->metric, text);
    return EXIT_OK;
}

static int asked_for(const struct compare_options *o, struct asked *list, size_t *n)
{
    int status = EXIT_OK;
    for (size_t i = 0; i < o->gates.n && status == EXIT_OK && *n < SHOWN_MAX; i++)
        status = parse(o->gates.text[i], true, &list[(*n)++]);
    for (size_t i = 0; i < o->metrics.n && status == EXIT_OK && *n < SHOWN_MAX; i++)
        status = parse(o->metrics.text[i], false, &list[(*n)++]);
    for (size_t i = 0; !o->metrics.n && i < sizeof default_metrics / sizeof default_metrics[0] &&
                       status == EXIT_OK && *n < SHOWN_MAX;
         i++) {
        bool there = false;
        for (size_t k = 0; k < o->gates.n; k++)
            there = there ||
                    (!strcmp(list[k].metric, default_metrics[i]) && !strcmp(list[k].scope, "all"));
        if (!there)
            status = parse(default_metrics[i], false, &list[(*n)++]);
    }
    return status;
}

static void judge(struct compare_report *r, struct compared *row)
{
    double p[SHOWN_MAX];
    size_t at[SHOWN_MAX];
    for (size_t i = 0; i < r->n; i++)
        if (is_gated(&row[i])) {
            at[r->gated] = i;
            p[r->gated++] = row[i].c.p_beyond;
        }
    holm(p, r->gated, p);
    for (size_t i = 0; i < r->gated; i++) {
        struct compared *x = &row[at[i]];
        x->p_beyond = p[i];
        x->verdict = verdict_of(&x->c, x->margin, x->p_beyond, r->level);
        r->verdict = x->verdict > r->verdict ? x->verdict : r->verdict;
        if (verdict_of(&x->c, x->margin, x->c.p_beyond, r->level) != x->verdict)
            x->corrected = r->gated;
    }
}

static int compare_sets(const struct compare_options *o, struct compare_report *r,
                        const struct asked *list, size_t n)
{
    struct compared row[SHOWN_MAX];
    r->level = look_level(r->runs->clusters, o->sequential);
    for (size_t i = 0; i < n; i++) {
        const struct asked *x = &list[i];
        struct compared *to = &row[r->n];
        const char *lacks;
        bool by_name = i < o->gates.n + o->metrics.n;
        struct measure m = { x->metric, x->scope, x->kind->better, x->margin, r->level,
                             COMPARISON_RESAMPLES };
        *to = (struct compared){ .metric = x->metric, .scope = x->scope, .unit = x->kind->unit,
                                 .margin = x->margin, .p_beyond = 1 };
        if (contrast_measure(r->runs, &m, &to->c, &lacks) == 0)
            r->n++;
        else if (by_name)
            return complain(EXIT_INPUT, "%s: has no value of %s in scope %s%s%s", lacks, x->metric,
                            x->scope, quantile_is(x->kind) ? ": want a run with --quantiles " : "",
                            quantile_is(x->kind) ? x->metric : "");
    }
    r->row = row;
    judge(r, row);
    writers[o->format](stdout, r);
    return r->verdict == VERDICT_FAIL           ? EXIT_REGRESSION
           : r->verdict == VERDICT_INCONCLUSIVE ? EXIT_INCONCLUSIVE
                                                : EXIT_OK;
}

static int compare_run(const struct invocation *in)
{
    const struct compare_options *o = in->options;
    struct asked *list = mem_new(SHOWN_MAX, sizeof *list);
    struct error err = { "" };
    size_t n = 0;
    int status = asked_for(o, list, &n);
    if (status != EXIT_OK) {
        free(list);
        return status;
    }
    struct compare_report r = { .base = in->operands.text[0], .new = in->operands.text[1] };
    struct runset *a = runset_read_where(r.base, o->base.text, o->base.n, &err);
    struct runset *b = a ? runset_read_where(r.new, o->new.text, o->new.n, &err) : NULL;
    struct contrast *runs = b ? contrast_of_sets(a, b, &err) : NULL;
    r.runs = runs;
    status = runs ? compare_sets(o, &r, list, n) : complain(EXIT_INPUT, "%s", err.text);
    free(list);
    contrast_free(runs);
    runset_free(a);
    runset_free(b);
    return status;
}

const struct command cmd_compare = {
    .name = "compare",
    .summary = "compare two sets of results, run by run, and judge whether a metric has become "
               "worse",
    .details = "A set is the directory of a run, a directory of those, or a sweep. Runs are "
               "paired by inputs, seed and settings; policy and placement may differ. Pairs that "
               "share their draw of jobs, as points of a sweep with one seed, count as one. The "
               "change is that of geometric means, with a 95 % interval of Student's t on the "
               "logarithms; where a value is 0, of arithmetic means, with Fieller's interval. BCa "
               "bootstrap and Wilcoxon are shown as well. A single draw is compared without "
               "statistics.\n"
               "A --fail-if is a FAIL if the interval lies beyond the margin (of several, "
               "corrected by Holm), a PASS if it lies within, otherwise INCONCLUSIVE.\n"
               "Exit status: 0 all pass, 4 a metric fails, 5 none fails and a metric is "
               "inconclusive: too few draws for a verdict.",
    .set = { .name = "compare", .options = options, .operands = "BASE NEW", .min_operands = 2,
             .max_operands = 2 },
    .operand_values = VALUES_DIRECTORY,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = compare_run,
};
