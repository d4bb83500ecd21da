/* timeline.h - the planned future: when what is held now comes free by estimate, and who is promised what. */
#pragma once
#include "policy.h"

/* Holds of running jobs follow by themselves: from their start to start + start-up + estimate. A job that outstays
 * its estimate is expected to take as long again as it has until then; one without estimate never ends. Plans are the
 * policy's and stay until dropped, moved or started. All of it is staged: a rollback undoes plans too. */
enum sched_result plan_set(struct sched *s, job_id j, int64_t start_ns, const struct placement *p);   /* moves too; ends at
                                        start + estimate; logs a promise; NO_ROOM if something overlaps: it stays as it was */
void    plan_drop(struct sched *s, job_id j);
void    plan_clear(struct sched *s);                     /* all of them: planning anew in each pass */
int64_t plan_start(const struct sched *s, job_id j);     /* TIME_NEVER: none */
const struct placement *plan_placement(const struct sched *s, job_id j);   /* NULL: none; until it is moved, dropped or started */

/* What is free at every instant of [from, until). Not a copy: a free index that rests where it was last asked, one for
 * windows that begin now and one for later ones, each good until it is asked again. Moving costs the holds that begin or
 * end between the old window and the new. Exact for whole GPUs, named or counted; of CPU, memory and shares of a GPU,
 * holds one after the other within the window count together, so a window may show less than there is, never more. */
const struct view *timeline_view(struct sched *s, int64_t from_ns, int64_t until_ns);

/* The earliest start, not before `after`, at which the run's placer finds room for the whole estimated run; a plan that
 * j has is not in its way. Jumps by
 * totals per kind of node and asks the placer only where they suffice, at most `tries` times; TIME_NEVER and NULL when
 * those are used up or nothing is found up to horizon_ns. */
struct slot { int64_t start_ns; const struct placement *where; };
struct slot timeline_earliest(struct sched *s, job_id j, int64_t after_ns, int64_t horizon_ns, unsigned tries);
uint64_t timeline_version(const struct sched *s);        /* grows when a job gives up GPUs or outstays its estimate: while
                                                            it stands, what did not fit does not fit now either */
