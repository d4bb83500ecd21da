/* compare_words.c - what a comparison says in words. See compare_report.h. */
#include "sim/cli/sweep/compare_report.h"

#include "sim/results/metric_label.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { PHRASE_MAX = 160 };
#define SEEN .0001                /* a narrower interval has its ends printed alike */

const char *compare_name(char to[COMPARE_LINE], const struct compared *x)
{
    snprintf(to, COMPARE_LINE, strcmp(x->scope, "all") ? "%s@%s" : "%s", x->metric, x->scope);
    return to;
}

static const char *signed_percent(char to[COMPARE_NUMBER], double share)
{
    snprintf(to, COMPARE_NUMBER, fabs(share) < 10 ? "%+.2f%%" : "%+.0f%%",
             fabs(share) < .00005 ? 0 : 100 * share);
    return to;
}

const char *compare_change(char to[COMPARE_NUMBER], const struct compared *x)
{
    return isinf(x->c.change) ? "from 0" : signed_percent(to, x->c.change);
}

const char *compare_range(char to[COMPARE_RANGE], const struct compared *x, const struct bounds *b)
{
    char low[COMPARE_NUMBER], high[COMPARE_NUMBER];
    if (x->c.clusters == 1 || isinf(x->c.change))
        return "";
    snprintf(to, COMPARE_RANGE, "%s to %s",
             isinf(b->low) ? "no bound" : signed_percent(low, b->low),
             isinf(b->high) ? "no bound" : signed_percent(high, b->high));
    return to;
}

const char *compare_mark(const struct compared *x)
{
    static const char *const mark[] = { "better", "", "worse" };
    return mark[comparison_direction(&x->c) + 1];
}

/* ---- The sentence ---- */

/* Without its sign: 36, 4.76, 0.21 */
static const char *size(char to[COMPARE_NUMBER], double share)
{
    double percent = fabs(100 * share);
    snprintf(to, COMPARE_NUMBER, percent >= 9.995 ? "%.0f" : "%.2f", percent);
    return to;
}

static const char *direction(const struct compared *x, double change)
{
    if (!strcmp(x->unit, "s"))
        return change < 0 ? "shorter" : "longer";
    return change < 0 ? "lower" : "higher";
}

/* In parentheses after the change: "23 to 50 %" if both ends go its way, otherwise "3.00 % shorter
 * to 8.00 % longer". */
static void bounds_phrase(char to[PHRASE_MAX], const struct compared *x)
{
    char low[COMPARE_NUMBER], high[COMPARE_NUMBER];
    const struct bounds *b = &x->c.interval;
    const char *less = direction(x, -1), *more = direction(x, 1);
    bool below = isinf(b->low), above = isinf(b->high);
    size(low, b->low);
    size(high, b->high);
    if (below && above)
        snprintf(to, PHRASE_MAX, " (anything is possible)");
    else if (above)
        snprintf(to, PHRASE_MAX, b->low < 0 ? " (at most %s %% %s)" : " (at least %s %% %s)", low,
                 b->low < 0 ? less : more);
    else if (below)
        snprintf(to, PHRASE_MAX, b->high > 0 ? " (at most %s %% %s)" : " (at least %s %% %s)",
                 high, b->high > 0 ? more : less);
    else if (b->low < 0 && b->high > 0)
        snprintf(to, PHRASE_MAX, " (%s %% %s to %s %% %s)", low, less, high, more);
    else if (b->high <= 0)
        snprintf(to, PHRASE_MAX, " (%s to %s %%)", high, low);
    else
        snprintf(to, PHRASE_MAX, " (%s to %s %%)", low, high);
}

static void change_phrase(char to[PHRASE_MAX], const struct compared *x)
{
    const struct comparison *c = &x->c;
    char change[COMPARE_NUMBER];
    if (isinf(c->change))
        snprintf(to, PHRASE_MAX, "%.6g%s%s instead of 0", c->new, *x->unit ? " " : "", x->unit);
    else if (c->interval.low == 0 && c->interval.high == 0)
        snprintf(to, PHRASE_MAX, "unchanged");
    else
        snprintf(to, PHRASE_MAX, "%s %% %s", size(change, c->change), direction(x, c->change));
}

const char *compare_sentence(char to[COMPARE_LINE], const struct compared *x)
{
    char label[METRIC_LABEL_MAX], change[PHRASE_MAX], bounds[PHRASE_MAX] = "", allowed[PHRASE_MAX],
        correction[COMPARE_NUMBER] = "";
    const struct bounds *b = &x->c.interval;
    change_phrase(change, x);
    if (x->c.clusters > 1 && !isinf(x->c.change) && b->high - b->low >= SEEN)
        bounds_phrase(bounds, x);
    if (x->corrected)
        snprintf(correction, sizeof correction, ", corrected for %zu metrics", x->corrected);
    snprintf(allowed, sizeof allowed, "; allowed %.3g %%%s: %s", 100 * x->margin, correction,
             verdict_name[x->verdict]);
    bool whole = !strcmp(x->scope, "all");
    snprintf(to, COMPARE_LINE, "%s%s%.120s %s%s%s", metric_label(label, x->metric),
             whole ? "" : " of ", whole ? "" : x->scope, change, bounds,
             is_gated(x) ? allowed : "");
    *to = (char)toupper((unsigned char)*to);
    return to;
}

size_t compare_order(const struct compare_report *r, const struct compared **order)
{
    size_t n = 0;
    for (int verdict = VERDICTS - 1; verdict >= 0; verdict--)
        for (size_t i = 0; i < r->n; i++)
            if (is_gated(&r->row[i]) && (int)r->row[i].verdict == verdict)
                order[n++] = &r->row[i];
    if (r->gated == 0 && r->n > 0)
        order[n++] = &r->row[0];
    return n;
}

/* ---- What was compared ---- */

static const char *policy_of(const struct run_record *r)
{
    return r->policy;
}

static const char *placement_of(const struct run_record *r)
{
    return r->placement;
}

static void each_once(FILE *to, const struct run_record *const *run, size_t n,
                      const char *(*text_of)(const struct run_record *r),
                      void (*put)(FILE *to, const char *text))
{
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < i && strcmp(text_of(run[k]), text_of(run[i])) != 0)
            k++;
        if (k < i)
            continue;
        fputs(i ? " and " : " ", to);
        put(to, text_of(run[i]));
    }
}

static void subject_set(FILE *to, const char *side, const char *path,
                        const struct run_record *const *run, size_t n,
                        void (*put)(FILE *to, const char *text))
{
    fprintf(to, "%s: ", side);
    put(to, path);
    fputs(", policy", to);
    each_once(to, run, n, policy_of, put);
    fputs(", placement", to);
    each_once(to, run, n, placement_of, put);
    fputc('\n', to);
}

void compare_subject(FILE *to, const struct compare_report *r, const char *before,
                     void (*put)(FILE *to, const char *text))
{
    const struct contrast *c = r->runs;
    fputs(before, to);
    subject_set(to, "base", r->base, c->base, c->n, put);
    fputs(before, to);
    subject_set(to, "new", r->new, c->new, c->n, put);
    fprintf(to, "%s%zu pair%s of runs, alike in all else", before, c->n, c->n == 1 ? "" : "s");
    if (c->clusters == 1)
        fprintf(to, "%s: compared as it is, without statistics\n",
                c->n == 1 ? "" : ", of one draw");
    else if (c->clusters < c->n)
        fprintf(to, "; those of one draw (seed, or recorded trace) count as one: %zu draws\n",
                c->clusters);
    else
        fputs(", each a draw of its own\n", to);
}

double compare_unended(const struct run_record *const *run, size_t n)
{
    static const char *const state[] = { "jobs_pending", "jobs_running", "jobs_rejected" };
    double jobs = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof state / sizeof *state; k++) {
            const struct run_metric *m = run_metric_find(run[i], state[k], "all");
            jobs += m && !isnan(m->value) ? m->value : 0;
        }
    return jobs;
}
