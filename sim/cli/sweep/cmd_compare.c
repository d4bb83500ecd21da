/* cmd_compare.c - gpuyard compare: whether metrics of one set of runs are worse than those of
 * another. */
#include "sim/base/utf8.h"
#include "sim/base/memory.h"
#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/term.h"
#include "sim/results/quantiles.h"
#include "sim/study/runset.h"
#include "sim/study/verdict.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct compared {                 /* one metric */
    const char *metric, *scope, *unit;
    enum better better;
    double margin;                /* of the gate: 0.02 is two percent; NaN: not gated */
    double level, p_adjusted;     /* of the gate; adjusted by Holm over all gated metrics */
    struct comparison c;
    enum verdict verdict;         /* of a gated metric */
};
struct compare_report {
    const char *base, *new;       /* as given */
    const struct runset *base_set, *new_set;
    size_t n;
    const struct compared *row;
    enum verdict verdict;         /* the worst verdict of gated metrics; PASS if none is gated */
    bool gated;
};


/* ==== Writers ==== */

enum { NUMBER_MAX = 32, RANGE_MAX = 72, LINE_MAX = 512 };

static bool is_gated(const struct compared *x)
{
    return !isnan(x->margin);
}

/* A worsening as relative change of the value, not of its logarithm. */
static double change_of(const struct compared *x, double worse)
{
    double more = x->better == BETTER_HIGHER ? -worse : worse;
    return x->c.by_difference ? more : expm1(more);
}

static const char *percent(char to[NUMBER_MAX], double share)
{
    if (isinf(share))
        snprintf(to, NUMBER_MAX, share > 0 ? "from 0" : "to 0");
    else
        snprintf(to, NUMBER_MAX, "%+.2f%%", fabs(share) < .00005 ? 0 : 100 * share);
    return to;
}

static void ascending(const struct compared *x, const struct bounds *b, double *low, double *high)
{
    double u = change_of(x, b->low), v = change_of(x, b->high);
    *low = fmin(u, v);
    *high = fmax(u, v);
}

static const char *interval(char to[RANGE_MAX], const struct compared *x, const struct bounds *b)
{
    double low, high;
    char u[NUMBER_MAX], v[NUMBER_MAX];
    if (x->c.pairs == 1 || isinf(x->c.worse))
        return "";
    ascending(x, b, &low, &high);
    snprintf(to, RANGE_MAX, "%s to %s", percent(u, low), percent(v, high));
    return to;
}

/* ---- Text ---- */

static const char *name_of(char to[LINE_MAX], const struct compared *x)
{
    snprintf(to, LINE_MAX, strcmp(x->scope, "all") ? "%s@%s" : "%s", x->metric, x->scope);
    return to;
}

static void text_row(FILE *to, const struct compared *x)
{
    char name[LINE_MAX], change[NUMBER_MAX], bounds[RANGE_MAX];
    text_pad(to, name_of(name, x), 26);
    fprintf(to, " %12.6g %12.6g %9s", x->c.base, x->c.new,
            percent(change, change_of(x, x->c.worse)));
    const char *range = interval(bounds, x, &x->c.interval);
    if (is_gated(x))
        fprintf(to, "  %-20s  %s", range, verdict_name[x->verdict]);
    else if (*range)
        fprintf(to, "  %s", range);
    fputc('\n', to);
}

static void text_gate(FILE *to, const struct compare_report *r, const struct compared *x)
{
    char name[LINE_MAX], bounds[RANGE_MAX];
    text_put(to, name_of(name, x), SIZE_MAX);
    if (x->c.pairs == 1) {
        fprintf(to, ": a single pair, compared without statistics; margin %.3g%%\n",
                100 * x->margin);
        return;
    }
    fprintf(
        to,
        ": margin %.3g%%, one-sided level %.3g; worse with p %.3g%s; Wilcoxon p %.3g; bootstrap %s\n",
        100 * x->margin, x->level, x->p_adjusted, r->n > 1 ? " (Holm)" : "",
        x->c.p_wilcoxon, interval(bounds, x, &x->c.bootstrap));
    if (x->verdict == VERDICT_INCONCLUSIVE)
        fprintf(to, "  to detect a change of the size of the margin: about %.0f pairs\n",
                pairs_needed(x->c.deviation, log1p(x->margin)));
}

/* Jobs of all runs of a set that did not end: no mean and no quantile of jobs includes them. */
static double unended(const struct runset *s)
{
    static const char *const state[] = { "jobs_pending", "jobs_running", "jobs_rejected" };
    double n = 0;
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < sizeof state / sizeof *state; k++) {
            const struct run_metric *m = run_metric_find(&s->run[i], state[k], "all");
            n += m && !isnan(m->value) ? m->value : 0;
        }
    return n;
}

static void text_unended(FILE *to, const struct compare_report *r)
{
    double base = unended(r->base_set), new = unended(r->new_set);
    if (base > 0 || new > 0)
        fprintf(to,
                "\nTimes are of jobs that ended: without %.0f of base and %.0f of new that waited "
                "or ran at the end, or were rejected.\n",
                base, new);
}

static void compare_text(FILE *to, const struct compare_report *r)
{
    fprintf(to, "%zu pair%s of runs: ", r->base_set->n, r->base_set->n == 1 ? "" : "s");
    text_put(to, r->base, SIZE_MAX);
    fputs(", and ", to);
    text_put(to, r->new, SIZE_MAX);
    fputs("\n\n", to);
    fprintf(to, "%-26s %12s %12s %9s  %s\n", "", "base", "new", "change",
            r->base_set->n > 1 ? "95 % (Student)" : "");
    for (size_t i = 0; i < r->n; i++)
        text_row(to, &r->row[i]);
    text_unended(to, r);
    if (!r->gated)
        return;
    fputc('\n', to);
    for (size_t i = 0; i < r->n; i++)
        if (is_gated(&r->row[i]))
            text_gate(to, r, &r->row[i]);
    fprintf(to, "%s\n", verdict_name[r->verdict]);
}

/* ---- Tables ---- */

static void csv_number(FILE *to, double x)
{
    if (isfinite(x))
        fprintf(to, ",%.17g", x);
    else
        fputc(',', to);
}

static void compare_csv(FILE *to, const struct compare_report *r)
{
    fputs(
        "metric,scope,unit,pairs,base,new,change,change_low,change_high,bootstrap_low,bootstrap_high,p_wilcoxon,margin,level,"
        "p_worse,verdict\n",
        to);
    for (size_t i = 0; i < r->n; i++) {
        const struct compared *x = &r->row[i];
        double low, high, from, until;
        ascending(x, &x->c.interval, &low, &high);
        ascending(x, &x->c.bootstrap, &from, &until);
        fprintf(to, "%s,\"", x->metric);
        for (const char *s = x->scope; *s; s++)
            fputs(*s == '"' ? "\"\"" : (char[]){ *s, '\0' }, to);
        fprintf(to, "\",%s,%zu", x->unit, x->c.pairs);
        const double value[] = { x->c.base,
                                 x->c.new,
                                 change_of(x, x->c.worse),
                                 low,
                                 high,
                                 from,
                                 until,
                                 x->c.p_wilcoxon,
                                 x->margin,
                                 is_gated(x) ? x->level : (double)NAN,
                                 is_gated(x) ? x->p_adjusted : (double)NAN };
        for (size_t k = 0; k < sizeof value / sizeof value[0]; k++)
            csv_number(to, value[k]);
        fprintf(to, ",%s\n", is_gated(x) ? verdict_name[x->verdict] : "");
    }
}

/* Names and paths may hold bytes that are no UTF-8, JSON may not. */
static json_t *text_of(const char *text)
{
    json_t *whole = json_string(text);
    char *line = whole ? NULL : utf8_line(text);
    json_t *value = whole ? whole : json_string(line);
    free(line);
    return value;
}

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *pair_of(const struct compared *x, const struct bounds *b)
{
    double low, high;
    json_t *list = json_array();
    ascending(x, b, &low, &high);
    json_array_append_new(list, number(low));
    json_array_append_new(list, number(high));
    return list;
}

static void compare_json(FILE *to, const struct compare_report *r)
{
    json_t *root = json_object(), *list = json_array();
    json_object_set_new(root, "base", text_of(r->base));
    json_object_set_new(root, "new", text_of(r->new));
    json_object_set_new(root, "pairs", json_integer((json_int_t)r->base_set->n));
    json_object_set_new(root, "verdict",
                        r->gated ? json_string(verdict_name[r->verdict]) : json_null());
    for (size_t i = 0; i < r->n; i++) {
        const struct compared *x = &r->row[i];
        json_t *o = json_object();
        json_object_set_new(o, "metric", json_string(x->metric));
        json_object_set_new(o, "scope", text_of(x->scope));
        json_object_set_new(o, "unit", json_string(x->unit));
        json_object_set_new(o, "base", number(x->c.base));
        json_object_set_new(o, "new", number(x->c.new));
        json_object_set_new(o, "change", number(change_of(x, x->c.worse)));
        json_object_set_new(o, "change_95", pair_of(x, &x->c.interval));
        json_object_set_new(o, "bootstrap_95", pair_of(x, &x->c.bootstrap));
        json_object_set_new(o, "p_wilcoxon", number(x->c.p_wilcoxon));
        if (is_gated(x)) {
            json_object_set_new(o, "margin", number(x->margin));
            json_object_set_new(o, "level", number(x->level));
            json_object_set_new(o, "p_worse", number(x->p_adjusted));
            json_object_set_new(o, "verdict", json_string(verdict_name[x->verdict]));
        }
        json_array_append_new(list, o);
    }
    json_object_set_new(root, "jobs_without_end",
                        json_pack("{s:f, s:f}", "base", unended(r->base_set), "new",
                                  unended(r->new_set)));
    json_object_set_new(root, "metrics", list);
    json_dumpf(root, to, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
    fputc('\n', to);
    json_decref(root);
}

/* ---- For CI ---- */

static void sentence(char text[LINE_MAX], const struct compared *x)
{
    char change[NUMBER_MAX], bounds[RANGE_MAX];
    const char *range = interval(bounds, x, &x->c.interval);
    snprintf(text, LINE_MAX, "%s: %.6g to %.6g, %s%s%s%s; margin %.3g%%", verdict_name[x->verdict],
             x->c.base, x->c.new, percent(change, change_of(x, x->c.worse)),
             *range ? " (95 %: " : "", range, *range ? ")" : "", 100 * x->margin);
}

static void xml_text(FILE *to, const char *of)
{
    char *line = utf8_line(of);
    for (const char *text = line; *text; text++) {
        static const struct {
            char c;
            const char *entity;
        } entities[] = { { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" } };
        size_t i = 0;
        while (i < sizeof entities / sizeof entities[0] && entities[i].c != *text)
            i++;
        if (i < sizeof entities / sizeof entities[0])
            fputs(entities[i].entity, to);
        else
            fputc(*text, to);
    }
    free(line);
}

static void compare_junit(FILE *to, const struct compare_report *r)
{
    size_t tests = 0, failures = 0, skipped = 0;
    for (size_t i = 0; i < r->n; i++) {
        tests += is_gated(&r->row[i]);
        failures += is_gated(&r->row[i]) && r->row[i].verdict == VERDICT_FAIL;
        skipped += is_gated(&r->row[i]) && r->row[i].verdict == VERDICT_INCONCLUSIVE;
    }
    fprintf(
        to,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"gpuyard compare\" tests=\"%zu\" failures=\"%zu\" "
        "skipped=\"%zu\">\n",
        tests, failures, skipped);
    for (size_t i = 0; i < r->n; i++) {
        const struct compared *x = &r->row[i];
        char name[LINE_MAX], text[LINE_MAX];
        if (!is_gated(x))
            continue;
        sentence(text, x);
        fputs("  <testcase classname=\"gpuyard\" name=\"", to);
        xml_text(to, name_of(name, x));
        fputs("\">", to);
        if (x->verdict != VERDICT_PASS) {
            fputs(x->verdict == VERDICT_FAIL ? "<failure message=\"" : "<skipped message=\"", to);
            xml_text(to, text);
            fputs("\"/>", to);
        }
        fputs("</testcase>\n", to);
    }
    fputs("</testsuite>\n", to);
}

/* A property of a workflow command ends at a comma or colon, the command at a line feed: those are
 * written as "%" and two digits. */
static void github_text(FILE *to, const char *of, bool property)
{
    char *line = utf8_line(of);
    for (const char *c = line; *c; c++)
        if (*c == '%' || (property && (*c == ':' || *c == ',')))
            fprintf(to, "%%%02X", (unsigned)*c);
        else
            fputc(*c, to);
    free(line);
}

static void compare_github(FILE *to, const struct compare_report *r)
{
    static const char *const kind[VERDICTS] = { "notice", "warning", "error" };
    for (size_t i = 0; i < r->n; i++) {
        char name[LINE_MAX], text[LINE_MAX];
        if (!is_gated(&r->row[i]))
            continue;
        sentence(text, &r->row[i]);
        fprintf(to, "::%s title=", kind[r->row[i].verdict]);
        github_text(to, name_of(name, &r->row[i]), true);
        fputs("::", to);
        github_text(to, text, false);
        fputc('\n', to);
    }
}

/* ==== The command ==== */

static const char *const formats[] = { "text", "csv", "json", "junit", "github", NULL };
static void (*const writers[])(FILE *to, const struct compare_report *r) = {
    compare_text, compare_csv, compare_json, compare_junit, compare_github
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
      .help = "a regression if METRIC, or METRIC@SCOPE, becomes significantly worse by more than "
              "N percent; may be given several times",
      .at = offsetof(struct compare_options, gates) },
    { .name = "metric", .letter = 'm', .argument = "METRIC", .kind = OPTION_TEXTS,
      .help = "show METRIC, or METRIC@SCOPE, instead of the default metrics; may be given "
              "several times", .at = offsetof(struct compare_options, metrics) },
    { .name = "format", .argument = "FORMAT", .kind = OPTION_WORD,
      .help = "text, the default, csv, json, junit or github",
      .at = offsetof(struct compare_options, format), .words = formats },
    { .name = "base", .argument = "COLUMN=VALUE", .kind = OPTION_TEXTS,
      .at = offsetof(struct compare_options, base),
      .help = "if BASE is a sweep, only its points with VALUE in COLUMN, like policy=fifo; may "
              "be given several times" },
    { .name = "new", .argument = "COLUMN=VALUE", .kind = OPTION_TEXTS,
      .help = "the same for NEW, which may be the same sweep",
      .at = offsetof(struct compare_options, new) },
    { .name = "sequential", .kind = OPTION_FLAG,
      .help = "sequential test: one of several looks, after 10, 20, 40 and 80 pairs, with a "
              "stricter level at each, so that all together err in at most 5 %",
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

/* The values of one metric in all pairs. -1: the run *lacks has no such value. */
static int values_of(const struct runset *a, const struct runset *b, const size_t *pair,
                     const struct asked *x, double *base, double *new, const char **lacks)
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
    double p[SHOWN_MAX];
    size_t at[SHOWN_MAX], n = 0;
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

static int compare_sets(const struct compare_options *o, struct compare_report *r,
                        const size_t *pair, const struct asked *list, size_t n)
{
    struct compared row[SHOWN_MAX];
    double *base = mem_new(r->base_set->n, sizeof *base),
           *new = mem_new(r->base_set->n, sizeof *new);
    double level = look_level(r->base_set->n, o->sequential);
    int status = EXIT_OK;
    for (size_t i = 0; i < n && status == EXIT_OK; i++) {
        const char *lacks;
        bool by_name = i < o->gates.n + o->metrics.n;
        if (values_of(r->base_set, r->new_set, pair, &list[i], base, new, &lacks)) {
            status = by_name ? complain(EXIT_INPUT, "%s: has no value of %s in scope %s%s%s", lacks,
                                        list[i].metric, list[i].scope,
                                        quantile_is(list[i].kind) ? ": want a run with --quantiles "
                                                                  : "",
                                        quantile_is(list[i].kind) ? list[i].metric : "")
                             : EXIT_OK;
            continue;
        }
        row[r->n++] = (struct compared){ list[i].metric,
                                         list[i].scope,
                                         list[i].kind->unit,
                                         list[i].kind->better,
                                         list[i].margin,
                                         level,
                                         1,
                                         compare_pairs(base, new, r->base_set->n,
                                                       list[i].kind->better, level),
                                         VERDICT_PASS };
    }
    free(base);
    free(new);
    if (status != EXIT_OK)
        return status;
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
    status = b && runset_pair(a, b, pair, &err) == 0 ? compare_sets(o, &r, pair, list, n)
                                                     : complain(EXIT_INPUT, "%s", err.text);
    free(list);
    free(pair);
    runset_free(a);
    runset_free(b);
    return status;
}

const struct command cmd_compare = {
    .name = "compare",
    .summary = "compare two sets of results, run by run, and judge whether a metric has become "
               "worse",
    .details = "A set is the directory of a run, a directory of those, or a sweep. Runs are "
               "paired by inputs, seed and settings; policy and placement may differ. Several "
               "pairs (seeds) are judged by Student's t on the logarithm of new / base, adjusted "
               "by Holm over all --fail-if; BCa bootstrap and Wilcoxon are shown as well. A "
               "single pair is compared without statistics.\n"
               "Exit status: 0 no metric is worse (PASS), 4 a metric is worse (FAIL), 5 too few "
               "pairs for a verdict (INCONCLUSIVE).",
    .set = { .name = "compare", .options = options, .operands = "BASE NEW", .min_operands = 2,
             .max_operands = 2 },
    .operand_values = VALUES_DIRECTORY,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = compare_run,
};
