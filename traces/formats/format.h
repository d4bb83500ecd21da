/* format.h - a trace format: one file in traces/formats/ that ends in one table; traces/formats/formats.c lists them. */
#pragma once
#include "sim/io/input.h"
#include "sim/io/table_in.h"
#include "sim/workload/workload.h"

/* What a user may say about a trace besides its format: FILE:FORMAT:NAME=VALUE,... */
struct trace_option { const char *name, *summary; };

struct trace_format {
    const char *name, *summary;
    /* How sure the first bytes make it that this is the format: 0 no, 1 perhaps, 2 certain (e.g. its exact header). */
    int (*recognise)(const char *head, size_t length);
    /* Adds every job of the input with workload_add(); 0, or -1 with err. Does not call workload_finish(). */
    int (*read)(struct input *in, struct workload *w, struct error *err);
    const struct trace_option *options;      /* ends with a NULL name; NULL: none */
    /* read() for a format with options: value[k] is what was said of option k, NULL if nothing. */
    int (*read_with)(struct input *in, const char *const *value, struct workload *w, struct error *err);
};
#define TRACE_OPTIONS_MAX 8
extern const struct trace_format *const trace_formats[];     /* ends with NULL; the most telling first */

const struct trace_format *trace_format_find(const char *name);   /* NULL: no such format */
/* What a trace with these first bytes is; NULL: nothing is certain, nor is just one format possible. */
const struct trace_format *trace_recognise(const char *head, size_t length);
const struct trace_format *trace_format_of(struct input *in, struct error *err);    /* by its first bytes. NULL with err */
/* Reads PATH as that format (NULL: tell it by its first bytes) and finishes the workload. NULL with err.
 * *used: the format; sha256: of the bytes as stored. */
struct workload *trace_read(const char *path, const struct trace_format *format, const struct trace_format **used,
                            char sha256[65], struct error *err);
/* For a study in which times do not matter: what never ran is a job, too, and a list without times will do, as far as the
 * format can tell. */
struct workload *trace_read_sizes(const char *path, const struct trace_format *format, const struct trace_format **used,
                                  char sha256[65], struct error *err);

/* Both, and a format's options. */
struct trace_source {
    const char *path;
    const struct trace_format *format;       /* NULL: told by its first bytes */
    const char *const *value;                /* one for each of format->options; NULL: nothing is said of any */
    bool sizes_only;
    uint64_t seed;                           /* where the trace is laws, of what is drawn */
    double cluster_gpus;                     /* likewise: that a load may be of; 0: unknown */
};
struct workload *trace_read_source(const struct trace_source *from, const struct trace_format **used, char sha256[65],
                                   struct error *err);
/* The same of an input that is open, and stays so; from->path is not looked at. */
struct workload *trace_from_input(struct input *in, const struct trace_source *from, const struct trace_format **used,
                                  char sha256[65], struct error *err);
