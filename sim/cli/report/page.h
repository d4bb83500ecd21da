/* page.h - one self-contained HTML page about runs: tables, and figures that its own script
 * (page.js) draws from numbers in the page. */
#pragma once
#include "sim/cli/report/report_columns.h"
#include "sim/cli/report/run_view.h"
#include "sim/cli/validate/validation.h"
#include "sim/io/output.h"
#include "sim/study/sample.h"

/* Steps of time: STEPS_WANTED, or more of a longer run, so that none is above FINE_S and an hour
 * can be looked into; but no more than the page, and memory, have room for in all levels of all
 * runs, and at least STEPS_LEAST. A number of the page takes two or three bytes on average: levels
 * hold. */
enum { VIEWS_MAX = 8, STEPS_LEAST = 480, STEPS_WANTED = 8640, FINE_S = 300, PAGE_NUMBERS = 1500000,
       MEMORY_NUMBERS = 16000000, QUEUES_SHOWN = 12, SERVICES_SHOWN = 16, BANDS_MAX = 9 };

/* A run held against the run of its log by policy recorded. */
struct page_trust {
    const struct run_view *run;
    struct pairs pairs;
    struct validation *validation;               /* NULL: none can be made, as `why` says */
    struct error why;
};
struct page {
    const struct report_columns *columns;
    size_t n_runs, n_groups;      /* of columns */
    const struct page_group *group;
    const char *sweep;            /* its directory; NULL: the page is not about one sweep */
    size_t n_views;               /* at most VIEWS_MAX */
    struct run_view *view;        /* of the first n_views groups that have a directory */
    struct page_trust trust[VIEWS_MAX];         /* [n_trust] */
    size_t n_trust;
    struct steps steps;
    bool gantt_from;              /* its figure of jobs begins then, */
    double gantt_from_s;          /* of the clock of the runs */
};
void page_write(struct output *o, const struct page *p);

/* Finds the runs of p->trust, and frees them. */
void page_trust_read(struct page *p);
void page_trust_free(struct page *p);

/* The metrics that a summary begins with; ends with NULL. */
extern const struct page_metric { const char *metric, *label; } shown_metrics[];
/* of a metric of all jobs, over the runs of a group */
struct estimate group_estimate(const struct page_group *g, const char *metric);

/* Has the run a quota at all? Without one `quota_satisfaction` is the share of what was asked for,
 * and the cluster has no such value. */
bool record_has_quotas(const struct run_record *r);

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
void page_trust(struct output *o, const struct page *p);     /* against the record */
void page_scopes(struct output *o, const struct page *p);    /* metrics by queue and class */
void page_waits(struct output *o, const struct page *p);     /* waits by queue and reason */
void page_worst(struct output *o, const struct page *p);     /* jobs that waited longest, their stories */
void page_configuration(struct output *o, const struct page *p);
