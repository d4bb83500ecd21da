/* choose.h - what a command line names, looked up: policies, placers, traces with their format, lists.
 *
 * Each returns an exit status: EXIT_OK, EXIT_USAGE for an unknown name or a wrong parameter, EXIT_INPUT for a plugin that
 * cannot be used; if not EXIT_OK, err says why. */
#pragma once
#include "sim/cli/cli.h"
#include "sim/contract/policy.h"
#include "sim/core/units.h"
#include "sim/world/estimates.h"
#include "traces/format.h"

/* "NAME[:key=value,...]"; a '/' in NAME makes it the path of a plugin. */
struct chosen_policy { const struct policy *policy; void *params; bool clairvoyant; };
struct chosen_placer { const struct placer *placer; void *params; };
int choose_policy(const char *text, struct chosen_policy *to, struct error *err);    /* to->params: free() it */
int choose_placer(const char *text, struct chosen_placer *to, struct error *err);    /* likewise */

/* "PATH[:FORMAT]". What follows the last ':' is a format only if there is one of that name; a path may hold colons. */
struct chosen_trace { char *path; const struct trace_format *format; };    /* free(path); format NULL: not said */
int choose_trace(const char *text, struct chosen_trace *to, struct error *err);

/* "jobs,summary,..." or "all", "default": bits of enum output_file. */
int choose_outputs(const char *text, unsigned *outputs, struct error *err);
/* As in sim/world/estimates.h. */
int choose_estimates(const char *text, struct estimates *estimates, struct error *err);
/* "BATCH:SECONDS" */
int choose_retiming(const char *text, uint32_t *batch, int64_t *every_ns, struct error *err);

/* "NAME:key=value,..." with those parameters that are not at their default; the caller frees it. */
char *chosen_text(const char *name, const struct param *list, const void *params);
