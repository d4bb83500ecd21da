/* choose.h - what a command line names, looked up: policies, placers, traces with their format, lists.
 *
 * Each returns an exit status: EXIT_OK, EXIT_USAGE for an unknown name or a wrong parameter, EXIT_INPUT for a plugin that
 * cannot be used; if not EXIT_OK, err says why. */
#pragma once
#include "sim/cli/frame/cli.h"
#include "sim/contract/policy.h"
#include "sim/base/units.h"
#include "sim/workload/estimates.h"
#include "traces/formats/format.h"

/* "NAME[:key=value,...]"; a '/' in NAME makes it the path of a plugin. */
struct chosen_policy { const struct policy *policy; void *params; bool clairvoyant; };
struct chosen_placer { const struct placer *placer; void *params; };
int choose_policy(const char *text, struct chosen_policy *to, struct error *err);    /* to->params: free() it */
int choose_placer(const char *text, struct chosen_placer *to, struct error *err);    /* likewise */

/* "PATH[:FORMAT[:NAME=VALUE,...]]". What follows a ':' is a format only if there is one of that name; a path may hold
 * colons. `command`: for messages. chosen_trace_free() in any case. */
struct chosen_trace {
    char *path;
    const struct trace_format *format;            /* NULL: not said */
    const char *value[TRACE_OPTIONS_MAX];         /* of format->options; NULL: not said */
    char *values;                                 /* what they point into */
    uint64_t seed;                                /* where it is laws: of what is drawn; 1 unless it is set */
    double cluster_gpus;                          /* likewise: that a load may be of; 0: unknown */
};
int  choose_trace(const char *command, const char *text, struct chosen_trace *to, struct error *err);
void chosen_trace_free(struct chosen_trace *t);
/* trace_read_source() of it. */
struct workload *chosen_trace_read(const struct chosen_trace *t, bool sizes_only, const struct trace_format **used,
                                   char sha256[65], struct error *err);
/* Of whoever looks at jobs alone: at least one. */
struct workload *chosen_jobs_read(const struct chosen_trace *t, const struct trace_format **used, char sha256[65], struct error *err);

/* "jobs,summary,..." or "all", "default": bits of enum output_file. */
int choose_outputs(const char *text, unsigned *outputs, struct error *err);
/* As in sim/workload/estimates.h. */
int choose_estimates(const char *text, struct estimates *estimates, struct error *err);
/* "BATCH:SECONDS" */
int choose_retiming(const char *text, uint32_t *batch, int64_t *every_ns, struct error *err);

/* "NAME:key=value,..." with those parameters that are not at their default; the caller frees it. */
char *chosen_text(const char *name, const struct param *list, const void *params);
