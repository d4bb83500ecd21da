/* cmd_compare.c - gpuyard compare: has something become worse? */
#include "sim/cli/frame/cli.h"
#include "sim/cli/sweep/compare.h"
#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const formats[] = { "text", "csv", "json", "junit", "github", NULL };
static compare_writer *const writers[] = { compare_text, compare_csv, compare_json, compare_junit, compare_github };
static const char *const usual[] = { "jct_mean_s", "jct_p90_s", "wait_mean_s", "wait_p90_s", "bounded_slowdown_mean", "makespan_s",
                                     "util_alloc", "util_effective", "goodput", "preemptions", "quota_satisfaction" };
enum { SHOWN_MOST = 256, NAME_MAX_LENGTH = 256 };

struct compare_options {
    struct option_texts gates, metrics, base, new;
    int format;
    bool sequential;
};
static const struct compare_options defaults = { .format = 0 };
static const struct option options[] = {
    { .name = "fail-if", .letter = 'f', .argument = "METRIC>N%", .kind = OPTION_TEXTS,
      .help = "a regression if METRIC, or METRIC@SCOPE, surely becomes worse, and by more than N percent; may be given again",
      .at = offsetof(struct compare_options, gates) },
    { .name = "metric", .letter = 'm', .argument = "METRIC", .kind = OPTION_TEXTS,
      .help = "shows METRIC, or METRIC@SCOPE, instead of the usual ones; may be given again", .at = offsetof(struct compare_options, metrics) },
    { .name = "format", .argument = "FORMAT", .kind = OPTION_WORD, .help = "text, the default, csv, json, junit or github",
      .at = offsetof(struct compare_options, format), .words = formats },
    { .name = "base", .argument = "COLUMN=VALUE", .kind = OPTION_TEXTS, .at = offsetof(struct compare_options, base),
      .help = "of a sweep BASE, only the points that have VALUE in that column, like policy=fifo; may be given again" },
    { .name = "new", .argument = "COLUMN=VALUE", .kind = OPTION_TEXTS, .help = "likewise of NEW, which may be the same sweep",
      .at = offsetof(struct compare_options, new) },
    { .name = "sequential", .kind = OPTION_FLAG,
      .help = "one of several looks, after 10, 20, 40 and 80 pairs: a stricter level at each, so that all together err in 5 % at most",
      .at = offsetof(struct compare_options, sequential) },
    { 0 },
};

struct asked { char metric[NAME_MAX_LENGTH], scope[NAME_MAX_LENGTH]; double margin; const struct metric_kind *kind; };

/* "METRIC[@SCOPE][>N%]" */
static int parse(const char *text, bool gate, struct asked *to)
{
    const char *end = gate ? strrchr(text, '>') : text + strlen(text), *at = memchr(text, '@', end ? (size_t)(end - text) : 0);
    char *rest = NULL;
    *to = (struct asked){ .margin = (double)NAN };
    if (gate)
        to->margin = end && end[1] ? strtod(end + 1, &rest) / 100 : (double)NAN;
    if (gate && (!end || !rest || strcmp(rest, "%") != 0 || !(to->margin >= 0) || isinf(to->margin)))
        return complain(EXIT_USAGE, "compare: --fail-if: want METRIC>N%% or METRIC@SCOPE>N%%, N at least 0, got '%s'", text);
    size_t length = (size_t)((at ? at : end) - text), scope = at ? (size_t)(end - at - 1) : 0;
    if (length >= sizeof to->metric || scope >= sizeof to->scope)
        return complain(EXIT_USAGE, "compare: this name is too long: '%.60s...'", text);
    memcpy(to->metric, text, length);
    memcpy(to->scope, at ? at + 1 : "all", at ? scope : sizeof "all");
    to->kind = metric_find(to->metric);
    if (!to->kind)
        return complain(EXIT_USAGE, "compare: there is no metric '%s', see 'gpuyard list metrics'", to->metric);
    if (gate && to->kind->better == BETTER_NEITHER)
        return complain(EXIT_USAGE, "compare: --fail-if: %s is neither better nor worse when it is more", to->metric);
    return EXIT_OK;
}

static int asked_for(const struct compare_options *o, struct asked *list, size_t *n)
{
    int status = EXIT_OK;
    for (size_t i = 0; i < o->gates.n && status == EXIT_OK && *n < SHOWN_MOST; i++)
        status = parse(o->gates.text[i], true, &list[(*n)++]);
    for (size_t i = 0; i < o->metrics.n && status == EXIT_OK && *n < SHOWN_MOST; i++)
        status = parse(o->metrics.text[i], false, &list[(*n)++]);
    for (size_t i = 0; !o->metrics.n && i < sizeof usual / sizeof usual[0] && status == EXIT_OK && *n < SHOWN_MOST; i++) {
        bool there = false;
        for (size_t k = 0; k < o->gates.n; k++)
            there = there || (!strcmp(list[k].metric, usual[i]) && !strcmp(list[k].scope, "all"));
        if (!there)
            status = parse(usual[i], false, &list[(*n)++]);
    }
    return status;
}

/* The values of one metric, pair by pair. A run that lacks it is an error where it was asked for by name; else it is left out. */
static int values_of(const struct runset *a, const struct runset *b, const size_t *pair, const struct asked *x, double *base,
                     double *new, const char **lacks)
{
    for (size_t i = 0; i < a->n; i++) {
        const struct run_record *both[] = { &a->run[i], &b->run[pair[i]] };
        double *to[] = { &base[i], &new[i] };
        for (size_t k = 0; k < 2; k++) {
            const struct run_metric *m = run_metric_find(both[k], x->metric, x->scope);
            if (!m || isnan(m->value)) {
                *lacks = both[k]->path;
                return -1;
            }
            *to[k] = m->value;
        }
    }
    return 0;
}

static void judge(struct compare_report *r, struct compared *row)
{
    double p[SHOWN_MOST];
    size_t at[SHOWN_MOST], n = 0;
    for (size_t i = 0; i < r->n; i++)
        if (!isnan(row[i].margin)) {
            at[n] = i;
            p[n++] = row[i].c.p_worse;
        }
    holm(p, n, p);
    for (size_t i = 0; i < n; i++) {
        struct compared *x = &row[at[i]];
        x->p_adjusted = p[i];
        x->verdict = verdict_of(&x->c, x->margin, x->p_adjusted, x->level);
        r->verdict = x->verdict > r->verdict ? x->verdict : r->verdict;
        r->gated = true;
    }
}

static int compare_sets(const struct compare_options *o, struct compare_report *r, const size_t *pair, const struct asked *list, size_t n)
{
    struct compared row[SHOWN_MOST];
    double *base = mem_new(r->base_set->n, sizeof *base), *new = mem_new(r->base_set->n, sizeof *new);
    double level = look_level(r->base_set->n, o->sequential);
    int status = EXIT_OK;
    for (size_t i = 0; i < n && status == EXIT_OK; i++) {
        const char *lacks;
        bool by_name = i < o->gates.n + o->metrics.n;
        if (values_of(r->base_set, r->new_set, pair, &list[i], base, new, &lacks)) {
            status = by_name ? complain(EXIT_INPUT, "%s: has no value of %s in scope %s", lacks, list[i].metric, list[i].scope) : EXIT_OK;
            continue;
        }
        row[r->n++] = (struct compared){ list[i].metric, list[i].scope, list[i].kind->unit, list[i].kind->better, list[i].margin, level, 1,
                                         compare_pairs(base, new, r->base_set->n, list[i].kind->better, level), VERDICT_PASS };
    }
    free(base);
    free(new);
    if (status != EXIT_OK)
        return status;
    r->row = row;
    judge(r, row);
    writers[o->format](stdout, r);
    return r->verdict == VERDICT_FAIL ? EXIT_REGRESSION : r->verdict == VERDICT_INCONCLUSIVE ? EXIT_INCONCLUSIVE : EXIT_OK;
}

static int compare_run(const struct invocation *in)
{
    const struct compare_options *o = in->options;
    struct asked *list = mem_new(SHOWN_MOST, sizeof *list);
    struct error err = { "" };
    size_t n = 0, *pair = NULL;
    int status = asked_for(o, list, &n);
    if (status != EXIT_OK) {
        free(list);
        return status;
    }
    struct compare_report r = { .base = in->operands.text[0], .new = in->operands.text[1] };
    struct runset *a = runset_read_where(r.base, o->base.text, o->base.n, &err);
    struct runset *b = a ? runset_read_where(r.new, o->new.text, o->new.n, &err) : NULL;
    if (b)
        pair = mem_new(a->n, sizeof *pair);
    r.base_set = a;
    r.new_set = b;
    status = b && runset_pair(a, b, pair, &err) == 0 ? compare_sets(o, &r, pair, list, n) : complain(EXIT_INPUT, "%s", err.text);
    free(list);
    free(pair);
    runset_free(a);
    runset_free(b);
    return status;
}

const struct command cmd_compare = {
    .name = "compare",
    .summary = "compare two sets of results, run by run, and say whether something has become worse",
    .details = "A set is the directory of a run, a directory of those, or a sweep. Runs are paired by inputs, seed and settings; policy and "
               "placement may differ. Several pairs (seeds) are judged by Student's t on the logarithm of new / base, adjusted by Holm "
               "over all --fail-if; BCa bootstrap and Wilcoxon are shown besides. A single pair is compared as it is.\n"
               "Exit status: 0 nothing is worse (PASS), 4 something is (FAIL), 5 too few pairs to tell (INCONCLUSIVE).",
    .set = { .name = "compare", .options = options, .operands = "BASE NEW", .min_operands = 2, .max_operands = 2 },
    .operand_values = VALUES_DIRECTORY,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = compare_run,
};
