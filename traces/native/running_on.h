/* running_on.h - where a job runs when it is submitted, or ran in the log, as text: NODE or NODE:GPUS for each task,
 * with ';' between.
 *
 * NODE is the number of a node as in nodes.csv and intervals.csv. GPUS is a list of GPUs as in
 * intervals.csv, "0-3 6", or a count, "x4": any free GPUs of the node. Without GPUS the task has
 * any free GPUs, as many as it asks for; a job without tasks may do so on one node only. */
#pragma once
#include "sim/io/output.h"
#include "sim/workload/workload.h"

struct held_list { struct held_at *at; size_t n, capacity; };    /* the caller frees `at` */
/* replaces the list; false: malformed */
bool running_on_parse(const char *text, struct held_list *to);
bool gpu_names_parse(const char *text, uint64_t *mask);          /* "0-3 6"; false: malformed */
void running_on_write(struct output *o, const struct held_at *on, uint32_t n);
#define RUNNING_ON_WANT \
    "NODE or NODE:GPUS with ';' between, GPUS being numbers from 0 to 63 as in '0-3 6', or xN"
