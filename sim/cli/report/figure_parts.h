/* figure_parts.h - the data of figures: pieces of JSON, and who writes which. `first` says whether a comma is due. */
#pragma once
#include "sim/cli/report/markup.h"
#include "sim/cli/report/page.h"

void figure_comma(struct output *o, bool *first);
void figure_named(struct output *o, bool *first, const char *name, const double *y, size_t n);      /* {"name", "y"} */
void figure_level(struct output *o, bool *first, const char *name, const struct page *p, const struct series *l);     /* likewise; none: nothing */
void figure_variant(struct output *o, bool *first, const char *name, const char *key);              /* {"name", KEY: [ */
char *figure_name(const struct page *p, const struct run_view *v, const char *name);    /* with the run that it is of, if there are several; free() it */
const char *figure_queue(const struct run_view *v, uint32_t k);

struct ranked { uint32_t number; double by; };
int ranked_most_first(const void *a, const void *b);         /* for qsort(); ties by number */

typedef void figure_variants(struct output *o, const struct page *p);
figure_variants figure_utilisation, figure_waiting, figure_power, figure_quotas, figure_services, figure_sessions,
                figure_nodes;                                                                                       /* figures_time.c */
figure_variants figure_distributions, figure_ledger, figure_waits;                                                  /* figures_jobs.c */
