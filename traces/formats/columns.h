/* columns.h - tables of jobs in CSV: finding columns by name, reading their cells, adding the job.
 *
 * A format lists its columns under their published names, with "?" behind those that may be
 * missing; other columns are ignored. Its job function reads cells by their index in that list. The
 * first malformed cell ends the reading: a take_...() after it has no effect, so a job function
 * needs no checks. */
#pragma once
#include "traces/formats/format.h"

#define COLUMNS_MAX 24
#define GPUS_MAX    1000000   /* largest cells: of one job */
#define CPUS_MAX    1000000
#define TASKS_MAX   1000000
#define GIB_MAX     1000000   /* memory */

struct columns {
    const struct row *row;
    size_t at[COLUMNS_MAX]; /* index of each listed column; TABLE_NO_COLUMN: not in this file */
    struct error *err;
    bool *skipped;                /* set by skip_job() */
    bool sizes_only;              /* of the workload: a row that never ran is a job, too */
    const void *self;             /* of columns_read_bare(); else NULL */
    struct intern *models;        /* of requests: names of models */
};

/* 2: the first line is exactly the list; 1: it has all required columns; 0: it has not. */
int columns_recognise(const char *const *names, const char *head, size_t length);
/* How much of a list of columns the first line has: for messages about a file of no known format. */
struct columns_match {
    size_t needed, found;         /* of those that must be there */
    const char *missing;          /* the first one that is not; NULL: none */
    char near[40];                /* the name in the line that is nearest to it; "": none is near */
};
void columns_compare(const char *const *names, const char *head, size_t length,
                     struct columns_match *to);
/* Where each listed column is in the header. -1 with err: a required one is missing. */
int columns_find(const char *const *names, const struct row *header, size_t at[COLUMNS_MAX],
                 struct error *err);
/* Adds one job a row. 0, or -1 with err. */
int columns_read(const char *const *names, columns_job *job, struct input *in, struct workload *w,
                 struct error *err);

/* A file without a header: a row has the layout with as many columns. */
struct bare_table {
    const char *const *names;               /* as above */
    const char *const *const *layouts;      /* each a list of names; NULL ends both */
    struct table_style style;
    columns_job *job;
};
int columns_read_bare(const struct bare_table *t, const void *self, struct input *in,
                      struct workload *w, struct error *err);

/* The column must be there, unless it is text, the CPUs or has_value() says so. An empty text is
 * none. */
void take_id(const struct columns *c, unsigned column, struct job_row *job);
void take_text(const struct columns *c, unsigned column, const char **text, size_t *length);
void take_time(const struct columns *c, unsigned column, int64_t *ns); /* seconds, not negative */
/* sets gpus and gpu_milli */
void take_gpus(const struct columns *c, unsigned column, struct job_row *job);
void take_cpus(const struct columns *c, unsigned column, int64_t *milli); /* empty: unchanged */
bool has_value(const struct columns *c, unsigned column); /* there and not empty */
/* The row is no job that ran: it is left out and counted in workload.n_skipped. */
void skip_job(const struct columns *c);

/* A number of GPUs in thousandths: a whole number up to GPUS_MAX or a fraction below one. 0, or -1
 * with err. */
int cell_gpus(const struct row *r, size_t i, int64_t *milli, struct error *err);
/* That as the total of a job: 250 is one GPU of which the job has a quarter. */
void job_gpus(struct job_row *job, int64_t milli);
/* Index of a word in a list that NULL ends, in any case of letters; index of the NULL: not in the
 * list, which cell_word() makes an error. */
size_t word_index(const char *const *words, const char *text);
int cell_word(const struct row *r, size_t i, const char *const *words, size_t *index,
              struct error *err);

/* Slurm's accounting as Helios and Acme published it. COMPLETED, CANCELLED or FAILED; TIMEOUT and
 * NODE_FAIL, very rare, are failures, as the publishers count them. */
void take_slurm_state(const struct columns *c, unsigned column, struct job_row *job);
/* Sets gpus, tasks and cpu_milli. The total of GPUs is read, so the placer may split the job:
 * node_num is the number of nodes that it had, not that it asked for. A job without GPUs is
 * node_num tasks with equal parts of the CPUs, as it would have to fit one node otherwise. */
void take_slurm_size(const struct columns *c, unsigned gpu_num, unsigned cpu_num, unsigned node_num,
                     struct job_row *job);
