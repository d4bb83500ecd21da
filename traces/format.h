/* format.h - a trace format: one file in traces/formats/ that ends in one table; traces/formats.c lists them. */
#pragma once
#include "sim/core/input.h"
#include "sim/core/table_in.h"
#include "sim/world/workload.h"

struct trace_format {
    const char *name, *summary;
    /* How sure the first bytes make it that this is the format: 0 no, 1 perhaps, 2 certain (e.g. its exact header). */
    int (*recognise)(const char *head, size_t length);
    /* Adds every job of the input with workload_add(); 0, or -1 with err. Does not call workload_finish(). */
    int (*read)(struct input *in, struct workload *w, struct error *err);
};
extern const struct trace_format *const trace_formats[];     /* ends with NULL; the most telling first */

const struct trace_format *trace_format_find(const char *name);   /* NULL: no such format */
/* trace_read_sizes() is for a study in which times do not matter: what never ran is a job, too, and a list without times will
 * do, as far as the format can tell. */
struct workload *trace_read_sizes(const char *path, const struct trace_format *format, const struct trace_format **used,
                                  char sha256[65], struct error *err);
/* Reads PATH as that format (NULL: tell it by its first bytes) and finishes the workload. NULL with err.
 * *used: the format; sha256: of the bytes as stored. */
struct workload *trace_read(const char *path, const struct trace_format *format, const struct trace_format **used,
                            char sha256[65], struct error *err);
/* The same of an input that is open, and stays so. */
struct workload *trace_from_input(struct input *in, bool sizes_only, const struct trace_format *format,
                                  const struct trace_format **used, char sha256[65], struct error *err);
