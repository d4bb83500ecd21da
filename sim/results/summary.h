/* summary.h - the numbers of a run, each with its exact definition (models.md 10.1, 10.2, 10.5). */
#pragma once
#include "sim/engine/run.h"

enum better { BETTER_NEITHER, BETTER_LOWER, BETTER_HIGHER };  /* which change of a metric is one for the better */
struct metric_kind { const char *name, *unit, *summary; enum better better; };
extern const struct metric_kind metric_kinds[];              /* ends with a NULL name; the order of summary.csv */
const struct metric_kind *metric_find(const char *name);      /* of all there are, those of models, too; NULL: none */

struct metric { const struct metric_kind *kind; const char *scope; double value; uint64_t n; };   /* NaN: no value */
struct summary { size_t n; struct metric *metric; struct arena *memory; };

/* Scopes: "all", "class=C" for each class that has jobs, "queue=Q" for each queue that has jobs. */
struct summary *summary_make(const struct sched *s);
struct tally_walk;
struct summary *summary_make_of(const struct sched *s, struct tally_walk *w);    /* that a walk has begun; it is not freed */
/* Of runs that have shared the jobs of one trace (router.h): jobs over all, GPUs over all GPUs, money, energy and carbon summed up
 * (a member without a section for them adds nothing). Scopes: "all", "class=C", "queue=Q" by name, and "member=NAME", where GPUs are
 * those of the member. Without what is of one cluster only, as quotas; that is in the members' own. */
struct federated { size_t n; const struct sched *const *run; const char *const *name; const struct summary *const *summary; };
struct summary *summary_make_federated(const struct federated *f);
void   summary_free(struct summary *m);                      /* NULL: does nothing */
double summary_value(const struct summary *m, const char *name, const char *scope);   /* NaN: none */
