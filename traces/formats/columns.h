/* columns.h - what trace formats in CSV share: finding columns by name, taking their cells, adding the job.
 *
 * A format lists its columns as they are published, a "?" behind those that it can do without; other columns are passed
 * over. Its job function takes cells by their place in that list. The first wrong cell ends the reading: a take_...()
 * after it does no harm, so a job function checks nothing. helios_sim.c is the shortest example. */
#pragma once
#include "traces/formats/format.h"

#define COLUMNS_MAX 24
#define GPUS_MAX    1000000   /* of one job */
#define CPUS_MAX    1000000   /* likewise */
#define TASKS_MAX   1000000   /* likewise */
#define GIB_MAX     1000000   /* of memory, likewise */

struct columns {
    const struct row *row;
    size_t at[COLUMNS_MAX];       /* where each listed column is; TABLE_NO_COLUMN: not in this file */
    struct error *err;
    bool *skipped;                /* see skip_job() */
    bool sizes_only;              /* of the workload: what never ran is a job, too */
    const void *self;             /* of columns_read_bare(); else NULL */
};
typedef void columns_job(const struct columns *c, struct job_row *job);   /* job: job_row_default, to be filled */

/* For trace_format.recognise: 2, the first line is exactly the list, which NULL ends; 1, it has all that the format
 * needs; 0, it has not. */
int columns_recognise(const char *const *names, const char *head, size_t length);
/* Where each of the list is in the header. -1: one that is needed is not there. */
int columns_find(const char *const *names, const struct row *header, size_t at[COLUMNS_MAX], struct error *err);
/* For trace_format.read: one job a row. */
int columns_read(const char *const *names, columns_job *job, struct input *in, struct workload *w, struct error *err);

/* A file without a header: a row has the columns of that layout that has as many of them. */
struct bare_table {
    const char *const *names;               /* as above */
    const char *const *const *layouts;      /* each a list of names; NULL ends both */
    struct table_style style;
    columns_job *job;
};
int columns_read_bare(const struct bare_table *t, const void *self, struct input *in, struct workload *w,
                      struct error *err);

/* A cell must be there, but for text, where an empty one means none. */
void take_id(const struct columns *c, unsigned column, struct job_row *job);
void take_text(const struct columns *c, unsigned column, const char **text, size_t *length);
void take_time(const struct columns *c, unsigned column, int64_t *ns);        /* seconds, not negative */
void take_gpus(const struct columns *c, unsigned column, struct job_row *job);    /* sets gpus and gpu_milli */
void take_cpus(const struct columns *c, unsigned column, int64_t *milli);         /* empty: none */
bool has_value(const struct columns *c, unsigned column);                         /* the column is there, not empty */
/* The row says that no job ran: it becomes none, and is counted in workload.n_skipped. */
void skip_job(const struct columns *c);

/* A number of GPUs in thousandths: a whole number up to GPUS_MAX or a fraction below one. 0, or -1 with err. */
int cell_gpus(const struct row *r, size_t i, int64_t *milli, struct error *err);
/* The same as the total of a job: 250 is one GPU of which it has a quarter. */
void job_gpus(struct job_row *job, int64_t milli);
/* The index of a word in a list that ends with NULL, whatever its case; past the last if it is not there. cell_word()
 * makes that an error. */
size_t word_index(const char *const *words, const char *text);
int cell_word(const struct row *r, size_t i, const char *const *words, size_t *index, struct error *err);
