/* figures.h - what the figures of a page show of its runs: each fills a chart. */
#pragma once
#include "sim/cli/report/chart.h"
#include "sim/cli/report/page.h"

void figure_utilisation(struct chart *c, const struct page *p);
void figure_waiting(struct chart *c, const struct page *p);
void figure_rates(struct chart *c, const struct page *p);
void figure_services(struct chart *c, const struct page *p);
void figure_sessions(struct chart *c, const struct page *p);
void figure_quotas(struct chart *c, const struct page *p);
void figure_gantt(struct chart *c, const struct page *p);
void figure_nodes(struct chart *c, const struct page *p);
void figure_distributions(struct chart *c, const struct page *p);
void figure_trust(struct chart *c, const struct page *p);
void figure_ledger(struct chart *c, const struct page *p);
void figure_waits(struct chart *c, const struct page *p);
void figure_sweep(struct chart *c, const struct page *p);           /* of a sweep */

bool page_has_level(const struct page *p, enum cluster_level which);    /* any of its runs has */

/* The name of a variant that has a run of its own; free() it. */
char *figure_name(const struct page *p, const struct run_view *v, const char *name);
/* GPUs of queues, those with most GPU time first, and, as the last band, of all others together.
 * Returns how many bands are of one queue. */
size_t figure_queue_bands(struct chart_list *to, const struct page *p, const struct run_view *v);
