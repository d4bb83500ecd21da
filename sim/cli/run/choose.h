/* choose.h - names on a command line, looked up: policies, placers, traces with their format,
 * lists.
 *
 * Each function returns an exit status: EXIT_OK, EXIT_USAGE for an unknown name or a wrong
 * parameter, EXIT_INPUT for a plugin that cannot be used. If it is not EXIT_OK, err has the
 * message. */
#pragma once
#include "traces/formats/reading.h"
#include "sim/cli/frame/cli.h"
#include "sim/contract/policy.h"
#include "sim/base/units.h"
#include "sim/workload/estimates.h"
#include "traces/formats/format.h"

/* "NAME[:key=value,...]"; with a '/' NAME is the path of a plugin. The caller frees to->params,
 * also after an error. */
struct chosen_policy { const struct policy *policy; void *params; bool clairvoyant; };
struct chosen_placer { const struct placer *placer; void *params; };
int choose_policy(const char *text, struct chosen_policy *to, struct error *err);
int choose_placer(const char *text, struct chosen_placer *to, struct error *err);

/* "PATH[:FORMAT[:NAME=VALUE,...]]". The text after a ':' is a format only if a format has that
 * name, so a path may hold colons. `command`: for messages. chosen_trace_free() in every case. */
struct chosen_trace {
    char *path;
    const struct trace_format *format;            /* NULL: recognised when the trace is read */
    /* of format->options; NULL: not given; points into values */
    const char *value[TRACE_OPTIONS_MAX];
    char *values;
    /* of a workload that is drawn from laws; 1 unless it is set */
    uint64_t seed;
    /* for laws with a load: GPUs that it refers to; 0: unknown */
    double cluster_gpus;
    size_t resident_bytes;        /* as in struct workload */
    uint32_t pods;                /* of chosen_trace_begin() alone: as in struct trace_source */
};
int  choose_trace(const char *command, const char *text, struct chosen_trace *to,
                  struct error *err);
void chosen_trace_free(struct chosen_trace *t);
/* trace_read_source() of a chosen trace. chosen_jobs_read() refuses a workload without jobs
 * (only services or sessions). */
struct workload *chosen_trace_read(const struct chosen_trace *t, bool sizes_only,
                                   const struct trace_format **used,
                                   char sha256[65], struct error *err);
/* trace_reading_begin() of one, with names of queues as in struct trace_source */
struct trace_reading *chosen_trace_begin(const struct chosen_trace *t, const char *const *queue, uint32_t n_queues,
                                         const struct trace_format **used);
struct workload *chosen_jobs_read(const struct chosen_trace *t, const struct trace_format **used,
                                  char sha256[65],
                                  struct error *err);

/* "jobs,summary,..." or "all", "default": bits of enum output_file. */
int choose_outputs(const char *text, unsigned *outputs, struct error *err);
/* As in sim/workload/estimates.h. */
int choose_estimates(const char *text, struct estimates *estimates, struct error *err);
/* "BATCH:SECONDS" */
int choose_retiming(const char *text, uint32_t *batch, int64_t *every_ns, struct error *err);

/* "NAME:key=value,..." with the parameters that differ from their defaults. The caller frees it. */
char *chosen_text(const char *name, const struct param *list, const void *params);
