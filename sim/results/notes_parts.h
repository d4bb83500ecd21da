/* notes_parts.h - what the parts of notes.h share. */
#pragma once
#include "sim/results/notes.h"

struct run_setup;
/* What a note of the inputs may look at. workload: NULL, or bound. */
struct inputs { const struct cluster *cluster; const struct workload *workload; };
/* What policies read, of all policies that the run goes through. */
unsigned notes_policies_read(const struct run_setup *setup);
/* notes_unread.c: a section or levels of the cluster file that change nothing; columns of the trace
 * that change no decision of this run. */
bool notes_levels_unread(const struct inputs *in, FILE *text);
bool notes_fabric_unread(const struct inputs *in, FILE *text);
bool notes_pods_unread(const struct sched *s, FILE *text);
bool notes_preferences_unread(const struct sched *s, FILE *text);
bool notes_promises_unread(const struct sched *s, FILE *text);
bool notes_sets_unread(const struct sched *s, FILE *text);
