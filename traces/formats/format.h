/* format.h - a trace format: one file in traces/formats/ that ends in one table, and its name in
 * the list of formats.c.
 *
 * A table with a header and one job a row needs `columns` and `job` alone; helios_sim.c is the
 * shortest. Another layout has its own `recognise` and `read`. Facts come from the trace; what it
 * does not have keeps the value of job_row_default. A malformed cell is an error with file, line
 * and column; a row that is no job is counted in workload.n_skipped.
 *
 * formats.c lists synth.c, which reads a trace of any listed format beside its services and
 * sessions: these two files need each other, and no others do. */
#pragma once
#include "sim/io/input.h"
#include "sim/io/table_in.h"
#include "sim/workload/workload.h"

struct columns; /* columns.h */
/* job: job_row_default on entry. */
typedef void columns_job(const struct columns *c, struct job_row *job);

/* An option of a format in FILE:FORMAT:NAME=VALUE,... */
struct trace_option { const char *name, *summary; };
#define TRACE_OPTIONS_MAX 12

struct trace_format {
    const char *name, *summary;
    /* their names, NULL ends; "?" at the end: may be missing. Beside an own `recognise` and `read`:
     * for messages; NULL: none */
    const char *const *columns;
    columns_job *job;             /* NULL: `recognise` and `read` are there */
    bool distinct;                /* no other format has these columns: found means certain */
    bool one_by_one;              /* each row but the header is a job, mostly in the order of their times: see reading.h */
    bool dated;                   /* submit times are dates: the earliest becomes 0 */
    /* How sure the first bytes are: 0 no, 1 perhaps, 2 certain. NULL: by the columns. */
    int (*recognise)(const char *head, size_t length);
    /* Adds every job with workload_add(); 0, or -1 with err. value[k]: of option k, NULL if it is
     * not given. NULL: by columns. */
    int (*read)(struct input *in, const char *const *value, struct workload *w, struct error *err);
    const struct trace_option *options; /* a NULL name ends them; NULL: none */
};
/* NULL ends it. Of two that are certain the first is taken. */
extern const struct trace_format *const trace_formats[];

const struct trace_format *trace_format_find(const char *name);   /* NULL: no such format */
/* The format that is certain of these first bytes, else the only one that says perhaps; or NULL. */
const struct trace_format *trace_recognise(const char *head, size_t length);
/* The same; NULL with err. */
const struct trace_format *trace_format_of(struct input *in, struct error *err);
/* Adds the jobs, but does not finish the workload. value NULL: no option is given. 0, or -1. */
int trace_format_read(const struct trace_format *format, struct input *in, const char *const *value,
                      struct workload *w, struct error *err);

/* A trace and how to read it. */
struct trace_source {
    const char *path;
    const struct trace_format *format;       /* NULL: by its first bytes */
    const char *const *value;                /* [options of the format]; NULL: none is given */
    bool sizes_only;                         /* times do not matter: see trace_read_sizes() */
    uint64_t seed;                           /* of what a workload file draws */
    double cluster_gpus;                     /* what its load is relative to; 0: unknown */
    size_t resident_bytes;                   /* as in struct workload */
    bool one_thread;                         /* the same */
    /* of trace_reading_begin() alone: [n_queues] workload_name_queues(); workload_read_pods(), 0: not */
    const char *const *queue;
    uint32_t n_queues, pods;
};
/* Reads the trace and finishes the workload. NULL with err. *used: the format; sha256: of the bytes
 * as stored. */
struct workload *trace_read_source(const struct trace_source *from,
                                   const struct trace_format **used, char sha256[65],
                                   struct error *err);
struct workload *workload_for(const struct trace_source *from);    /* a new one, with what is to be set before reading */
/* The same from an open input, which stays open; from->path is not used. */
struct workload *trace_from_input(struct input *in, const struct trace_source *from,
                                  const struct trace_format **used, char sha256[65],
                                  struct error *err);
/* format NULL: by its first bytes. */
struct workload *trace_read(const char *path, const struct trace_format *format,
                            const struct trace_format **used, char sha256[65], struct error *err);
/* For a packing study, in which times do not matter: rows that never ran are jobs too, and lists
 * without times are accepted, where the format allows it. */
struct workload *trace_read_sizes(const char *path, const struct trace_format *format,
                                  const struct trace_format **used, char sha256[65],
                                  struct error *err);
