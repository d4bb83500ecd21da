/* running_on.h - where a job runs already when it is submitted, as text: NODE or NODE:GPUS for each task, ';' between.
 *
 * NODE is the node's number, as in nodes.csv and intervals.csv. GPUS names GPUs as intervals.csv does, "0-3 6", or counts
 * them, "x4": whichever of the node are free. Without GPUS they are as many as a task asks for (without tasks, and on one
 * node only: as the job does), whichever are free. */
#pragma once
#include "sim/io/output.h"
#include "sim/workload/workload.h"

struct held_list { struct held_at *at; size_t n, capacity; };    /* the caller frees `at` */
bool running_on_parse(const char *text, struct held_list *to);   /* false: that is none; replaces what was there */
bool gpu_names_parse(const char *text, uint64_t *mask);          /* "0-3 6" alone; false: that is none */
void running_on_write(struct output *o, const struct job_running *r);
#define RUNNING_ON_WANT "NODE or NODE:GPUS with ';' between, GPUS being numbers from 0 to 63 as in '0-3 6', or xN"
