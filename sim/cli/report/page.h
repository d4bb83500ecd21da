/* page.h - one self-contained HTML page about runs: tables, and figures drawn by its own script (page.js). */
#pragma once
#include "sim/cli/report/run_view.h"
#include "sim/io/output.h"

/* Runs that stand in one column: alone, or side by side in one directory and differing in the seed. */
struct page_group { char *label; size_t n; const struct run_record **run; };
struct page {
    size_t n_runs;
    size_t n_groups;
    struct page_group *group;
    size_t n_views;               /* of the first run of each group, as far as VIEWS_MAX goes */
    struct run_view *view;
    struct steps steps;
};
enum { VIEWS_MAX = 8, PAGE_STEPS = 480 };

void page_write(struct output *o, const struct page *p);

/* ---- Its parts ---- */
extern const char page_css[], page_js[];                     /* the files of these names, ended with NUL */
void page_warnings(struct output *o, const struct page *p);
void page_comparison(struct output *o, const struct page *p);
void page_scopes(struct output *o, const struct page *p);    /* by queue, by class */
void page_waits(struct output *o, const struct page *p);
void page_configuration(struct output *o, const struct page *p);
void page_figures(struct output *o, const struct page *p);   /* empty ones, and the data for the script */
