/* dependencies.h - jobs that wait for others to end. */
#pragma once
#include "sim/engine/host.h"

struct dependencies *dependencies_new(const struct workload *w);          /* NULL: no job depends on another */
void dependencies_free(struct dependencies *d);                           /* NULL: does nothing */
bool dependencies_hold(struct sched *s, job_id j);                        /* submitted now: true, it must wait */
void dependencies_ended(struct sched *s, job_id j);                       /* whatever came of it */
bool dependencies_arrive(struct sched *s);                                /* those who wait no more; false: none */
uint32_t dependencies_enter(struct sched *s);                             /* at the end: who still waits is pending; how many */
