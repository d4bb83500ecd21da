/* compare_say.c - a comparison as text, CSV, JSON, JUnit XML and annotations of GitHub Actions. See compare.h. */
#include "sim/cli/sweep/compare.h"
#include "sim/cli/frame/term.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { NUMBER_MAX = 32, RANGE_MAX = 72, LINE_MAX = 512 };

static bool is_gated(const struct compared *x)
{
    return !isnan(x->margin);
}

/* A worsening as percent of change: of the value, not of its logarithm. */
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
    fprintf(to, " %12.6g %12.6g %9s", x->c.base, x->c.new, percent(change, change_of(x, x->c.worse)));
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
    if (x->c.pairs == 1) {
        fprintf(to, "%s: a single run, compared as it is; margin %.3g%%\n", name_of(name, x), 100 * x->margin);
        return;
    }
    fprintf(to, "%s: margin %.3g%%, one-sided level %.3g; worse with p %.3g%s; Wilcoxon p %.3g; bootstrap %s\n", name_of(name, x),
            100 * x->margin, x->level, x->p_adjusted, r->n > 1 ? " (Holm)" : "", x->c.p_wilcoxon,
            interval(bounds, x, &x->c.bootstrap));
    if (x->verdict == VERDICT_INCONCLUSIVE)
        fprintf(to, "  to see a change of its margin: about %.0f pairs\n", pairs_needed(x->c.deviation, log1p(x->margin)));
}

void compare_text(FILE *to, const struct compare_report *r)
{
    fprintf(to, "%zu pair%s of runs: %s, and %s\n\n", r->base_set->n, r->base_set->n == 1 ? "" : "s", r->base, r->new);
    fprintf(to, "%-26s %12s %12s %9s  %s\n", "", "base", "new", "change", r->base_set->n > 1 ? "95 % (Student)" : "");
    for (size_t i = 0; i < r->n; i++)
        text_row(to, &r->row[i]);
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

void compare_csv(FILE *to, const struct compare_report *r)
{
    fputs("metric,scope,unit,pairs,base,new,change,change_low,change_high,bootstrap_low,bootstrap_high,p_wilcoxon,margin,level,"
          "p_worse,verdict\n", to);
    for (size_t i = 0; i < r->n; i++) {
        const struct compared *x = &r->row[i];
        double low, high, from, until;
        ascending(x, &x->c.interval, &low, &high);
        ascending(x, &x->c.bootstrap, &from, &until);
        fprintf(to, "%s,\"%s\",%s,%zu", x->metric, x->scope, x->unit, x->c.pairs);
        const double value[] = { x->c.base, x->c.new, change_of(x, x->c.worse), low, high, from, until, x->c.p_wilcoxon, x->margin,
                                 is_gated(x) ? x->level : (double)NAN, is_gated(x) ? x->p_adjusted : (double)NAN };
        for (size_t k = 0; k < sizeof value / sizeof value[0]; k++)
            csv_number(to, value[k]);
        fprintf(to, ",%s\n", is_gated(x) ? verdict_name[x->verdict] : "");
    }
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

void compare_json(FILE *to, const struct compare_report *r)
{
    json_t *root = json_object(), *list = json_array();
    json_object_set_new(root, "base", json_string(r->base));
    json_object_set_new(root, "new", json_string(r->new));
    json_object_set_new(root, "pairs", json_integer((json_int_t)r->base_set->n));
    json_object_set_new(root, "verdict", r->gated ? json_string(verdict_name[r->verdict]) : json_null());
    for (size_t i = 0; i < r->n; i++) {
        const struct compared *x = &r->row[i];
        json_t *o = json_object();
        json_object_set_new(o, "metric", json_string(x->metric));
        json_object_set_new(o, "scope", json_string(x->scope));
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
    snprintf(text, LINE_MAX, "%s: %.6g to %.6g, %s%s%s%s; margin %.3g%%", verdict_name[x->verdict], x->c.base, x->c.new,
             percent(change, change_of(x, x->c.worse)), *range ? " (95 %: " : "", range, *range ? ")" : "", 100 * x->margin);
}

static void xml_text(FILE *to, const char *text)
{
    for (; *text; text++) {
        static const struct { char c; const char *entity; } entities[] = { { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" } };
        size_t i = 0;
        while (i < sizeof entities / sizeof entities[0] && entities[i].c != *text)
            i++;
        if (i < sizeof entities / sizeof entities[0])
            fputs(entities[i].entity, to);
        else
            fputc((unsigned char)*text < ' ' ? '?' : *text, to);
    }
}

void compare_junit(FILE *to, const struct compare_report *r)
{
    size_t tests = 0, failures = 0, skipped = 0;
    for (size_t i = 0; i < r->n; i++) {
        tests += is_gated(&r->row[i]);
        failures += is_gated(&r->row[i]) && r->row[i].verdict == VERDICT_FAIL;
        skipped += is_gated(&r->row[i]) && r->row[i].verdict == VERDICT_INCONCLUSIVE;
    }
    fprintf(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"gpuyard compare\" tests=\"%zu\" failures=\"%zu\" "
                "skipped=\"%zu\">\n", tests, failures, skipped);
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

void compare_github(FILE *to, const struct compare_report *r)
{
    static const char *const kind[VERDICTS] = { "notice", "warning", "error" };
    for (size_t i = 0; i < r->n; i++) {
        char name[LINE_MAX], text[LINE_MAX];
        if (!is_gated(&r->row[i]))
            continue;
        sentence(text, &r->row[i]);
        fprintf(to, "::%s title=%s::", kind[r->row[i].verdict], name_of(name, &r->row[i]));
        for (const char *c = text; *c; c++)
            fputs(*c == '%' ? "%25" : (char[]){ *c, '\0' }, to);
        fputc('\n', to);
    }
}
