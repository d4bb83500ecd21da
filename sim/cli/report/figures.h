/* figures.h - what the figures of a page show of its runs: each fills a chart. */
#pragma once
#include "sim/cli/report/chart.h"
#include "sim/cli/report/page.h"

void figure_utilisation(struct chart *c, const struct page *p);
void figure_waiting(struct chart *c, const struct page *p);
void figure_power(struct chart *c, const struct page *p);
void figure_services(struct chart *c, const struct page *p);
void figure_sessions(struct chart *c, const struct page *p);
void figure_quotas(struct chart *c, const struct page *p);
void figure_nodes(struct chart *c, const struct page *p);
void figure_distributions(struct chart *c, const struct page *p);
void figure_ledger(struct chart *c, const struct page *p);
void figure_waits(struct chart *c, const struct page *p);
void figure_sweep(struct chart *c, const struct page *p);           /* of a sweep */
