/* compare_text.c - comparisons for people: text, Markdown, and what CI systems show. See
 * compare_report.h. */
#include "sim/cli/sweep/compare_report.h"

#include "sim/base/memory.h"
#include "sim/base/utf8.h"
#include "sim/cli/frame/term.h"

#include <stdlib.h>
#include <string.h>

/* ---- Text ---- */

static void put_text(FILE *to, const char *text)
{
    text_put(to, text, SIZE_MAX);
}

static bool is_sample(const struct compare_report *r)
{
    return r->runs->n > 1;
}

static void text_row(FILE *to, const struct compared *x)
{
    char name[COMPARE_LINE], change[COMPARE_NUMBER], bounds[COMPARE_RANGE];
    text_pad(to, compare_name(name, x), 24);
    fprintf(to, " %11.6g %11.6g %-5s %9s", x->c.base, x->c.new, x->unit,
            compare_change(change, x));
    const char *const rest[] = { compare_range(bounds, x, &x->c.interval), compare_mark(x),
                                 is_gated(x) ? verdict_name[x->verdict] : "" };
    static const int width[] = { 20, 6, 0 };
    size_t n = sizeof rest / sizeof *rest;
    while (n && !*rest[n - 1])
        n--;
    for (size_t i = 0; i < n; i++)
        fprintf(to, "  %-*s", i + 1 < n ? width[i] : 0, rest[i]);
    fputc('\n', to);
}

static void text_gate(FILE *to, const struct compare_report *r, const struct compared *x)
{
    char name[COMPARE_LINE], bounds[COMPARE_RANGE];
    if (x->c.clusters == 1)
        return;
    text_put(to, compare_name(name, x), SIZE_MAX);
    fprintf(to, ": worse with p %.3g, by more than %.3g %% with p %.3g", x->c.p_worse,
            100 * x->margin, x->p_beyond);
    if (r->gated > 1)
        fprintf(to, " (Holm, %zu metrics)", r->gated);
    fprintf(to, "; Wilcoxon p %.3g; bootstrap %s\n", x->c.p_wilcoxon,
            compare_range(bounds, x, &x->c.bootstrap));
    if (x->verdict != VERDICT_INCONCLUSIVE)
        return;
    if (x->corrected)
        fprintf(to,
                "  its interval lies beyond the margin, but p, corrected, is not below %.3g\n",
                r->level / 2);
    if (!isnan(x->c.clusters_needed))
        fprintf(to, "  to pass if nothing has changed: about %.0f draws, there are %zu\n",
                x->c.clusters_needed, x->c.clusters);
}

/* Which means the table shows. */
static void text_means(FILE *to, const struct compare_report *r)
{
    size_t arithmetic = 0;
    for (size_t i = 0; i < r->n; i++)
        arithmetic += !r->row[i].c.geometric;
    if (!is_sample(r))
        return;
    fputs("base, new: geometric means", to);
    if (arithmetic) {
        fputs("; arithmetic ones, as a value is 0, of", to);
        for (size_t i = 0; i < r->n; i++) {
            char name[COMPARE_LINE];
            if (r->row[i].c.geometric)
                continue;
            fputc(' ', to);
            text_put(to, compare_name(name, &r->row[i]), SIZE_MAX);
        }
    }
    fputc('\n', to);
}

static void text_unended(FILE *to, const struct compare_report *r)
{
    double base = compare_unended(r->runs->base, r->runs->n),
           new = compare_unended(r->runs->new, r->runs->n);
    if (base > 0 || new > 0)
        fprintf(to,
                "\nTimes are of jobs that ended: without %.0f of base and %.0f of new that waited "
                "or ran at the end, or were rejected.\n",
                base, new);
}

static void sentences(FILE *to, const struct compare_report *r, const char *before,
                      const char *after, void (*put)(FILE *to, const char *text))
{
    const struct compared **order = mem_new(r->n + 1, sizeof *order);
    size_t n = compare_order(r, order);
    for (size_t i = 0; i < n; i++) {
        char text[COMPARE_LINE];
        fputs(before, to);
        put(to, compare_sentence(text, order[i]));
        fputs(after, to);
    }
    free(order);
}

void compare_text(FILE *to, const struct compare_report *r)
{
    sentences(to, r, "", "\n", put_text);
    fputc('\n', to);
    compare_subject(to, r, "", put_text);
    fprintf(to, "\n%-24s %11s %11s %-5s %9s", "", "base", "new", "", "change");
    if (r->runs->clusters > 1)
        fprintf(to, "  %.3g %% interval", 100 * (1 - r->level));
    fputc('\n', to);
    for (size_t i = 0; i < r->n; i++)
        text_row(to, &r->row[i]);
    text_means(to, r);
    text_unended(to, r);
    if (r->gated && r->runs->clusters > 1)
        fputc('\n', to);
    for (size_t i = 0; i < r->n; i++)
        if (is_gated(&r->row[i]))
            text_gate(to, r, &r->row[i]);
}

/* ---- Markdown ---- */

static void put_markdown(FILE *to, const char *text)
{
    char *line = utf8_line(text);
    for (const char *c = line; *c; c++)
        fprintf(to, strchr("\\`*_[]<>|~&", *c) ? "\\%c" : "%c", *c);
    free(line);
}

static void markdown_row(FILE *to, const struct compared *x)
{
    char name[COMPARE_LINE], change[COMPARE_NUMBER], bounds[COMPARE_RANGE], margin[COMPARE_NUMBER];
    const char *blank = *x->unit ? " " : "";
    snprintf(margin, sizeof margin, "%.3g %%", 100 * x->margin);
    fputs("| ", to);
    put_markdown(to, compare_name(name, x));
    fprintf(to, " | %.6g%s%s | %.6g%s%s | %s | %s | %s | %s | %s |\n", x->c.base, blank, x->unit,
            x->c.new, blank, x->unit, compare_change(change, x),
            compare_range(bounds, x, &x->c.interval), compare_mark(x),
            is_gated(x) ? margin : "", is_gated(x) ? verdict_name[x->verdict] : "");
}

void compare_markdown(FILE *to, const struct compare_report *r)
{
    sentences(to, r, "**", "**\n\n", put_markdown);
    compare_subject(to, r, "- ", put_markdown);
    fprintf(to, "\n| metric | base | new | change | %.3g %% interval | | allowed | verdict |\n",
            100 * (1 - r->level));
    fputs("|---|--:|--:|--:|---|---|--:|---|\n", to);
    for (size_t i = 0; i < r->n; i++)
        markdown_row(to, &r->row[i]);
    if (is_sample(r))
        fputc('\n', to);
    text_means(to, r);
    text_unended(to, r);
}

/* ---- JUnit ---- */

static void put_xml(FILE *to, const char *of)
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

static void junit_case(FILE *to, const struct compared *x)
{
    char name[COMPARE_LINE], text[COMPARE_LINE];
    fputs("  <testcase classname=\"gpuyard\" name=\"", to);
    put_xml(to, compare_name(name, x));
    fputs("\">", to);
    if (x->verdict != VERDICT_PASS) {
        fputs(x->verdict == VERDICT_FAIL ? "<failure message=\"" : "<skipped message=\"", to);
        put_xml(to, compare_sentence(text, x));
        fputs("\"/>", to);
    }
    fputs("</testcase>\n", to);
}

void compare_junit(FILE *to, const struct compare_report *r)
{
    size_t with[VERDICTS] = { 0 };
    for (size_t i = 0; i < r->n; i++)
        with[r->row[i].verdict] += is_gated(&r->row[i]);
    fprintf(to,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"gpuyard compare\" "
            "tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n",
            r->gated, with[VERDICT_FAIL], with[VERDICT_INCONCLUSIVE]);
    for (size_t i = 0; i < r->n; i++)
        if (is_gated(&r->row[i]))
            junit_case(to, &r->row[i]);
    fputs("</testsuite>\n", to);
}

/* ---- GitHub's annotations ---- */

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

void compare_github(FILE *to, const struct compare_report *r)
{
    static const char *const kind[VERDICTS] = { "notice", "warning", "error" };
    for (size_t i = 0; i < r->n; i++) {
        char name[COMPARE_LINE], text[COMPARE_LINE];
        if (!is_gated(&r->row[i]))
            continue;
        fprintf(to, "::%s title=", kind[r->row[i].verdict]);
        github_text(to, compare_name(name, &r->row[i]), true);
        fputs("::", to);
        github_text(to, compare_sentence(text, &r->row[i]), false);
        fputc('\n', to);
    }
}
