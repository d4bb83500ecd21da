/* page.h - one self-contained HTML page about runs: tables, and figures that its own script
 * (page.js) draws from numbers in the page. */
#pragma once
#include "sim/cli/report/run_view.h"
#include "sim/io/output.h"

/* The runs of one column: one run, or runs in one directory that differ only in the seed. */
struct page_group { char *label; size_t n; const struct run_record **run; };
struct page {
    size_t n_runs;
    size_t n_groups;
    struct page_group *group;
    size_t n_views;               /* at most VIEWS_MAX */
    struct run_view *view;        /* the first run of each of the first n_views groups */
    struct steps steps;
};
enum { VIEWS_MAX = 8, PAGE_STEPS = 480 };

void page_write(struct output *o, const struct page *p);

/* ---- Parts of the page, in this order ---- */
extern const char page_css[], page_js[];                     /* the files, ended with NUL */
void page_warnings(struct output *o, const struct page *p);
void page_comparison(struct output *o, const struct page *p);    /* metrics of all columns */
/* In a cell of column i: how the metric differs from the first column, of the means base and now. */
void page_change(struct output *o, const struct page *p, size_t i, const char *metric, double base,
                 double now);
extern const char page_change_meaning[];                     /* a paragraph */
/* empty elements, and data for page.js */
void page_figures(struct output *o, const struct page *p);
void page_scopes(struct output *o, const struct page *p);    /* metrics by queue and class */
void page_waits(struct output *o, const struct page *p);     /* waits by queue and reason */
void page_configuration(struct output *o, const struct page *p);
