/* reading.c - see reading.h. */
#include "traces/formats/reading.h"

#include "sim/base/memory.h"
#include "sim/base/second.h"
#include "sim/workload/begun.h"

#include <stdlib.h>
#include <string.h>

struct trace_reading {
    struct input *in;
    const struct trace_format *format;
    struct workload *whole, *begun;
    uint32_t rows;                /* that were counted */
    struct early *early;
    pthread_t thread;
    bool runs;                    /* the thread */
    int result;
    char sha256[65];
    struct error err;
};

static void *read_rows(void *self)
{
    struct trace_reading *r = self;
    r->result = trace_format_read(r->format, r->in, NULL, r->whole, &r->err);
    if (r->result == 0)
        r->result = input_sha256(r->in, r->sha256, &r->err);
    early_read_all(r->early, r->result == 0);
    return NULL;
}

/* Its rows: all lines but the header; 0: it is not to be read meanwhile. */
static uint32_t rows_of(struct input *in, const struct trace_format **format)
{
    struct error ignored = { "" };
    *format = trace_format_of(in, &ignored);
    uint64_t lines = *format && (*format)->one_by_one ? input_lines(in) : 0;
    return lines > READING_LEAST && lines < ID_NONE ? (uint32_t)lines - 1 : 0;
}

struct trace_reading *trace_reading_begin(const struct trace_source *from, const struct trace_format **used)
{
    const struct trace_format *format = NULL;
    bool may = !from->one_thread && !from->sizes_only && (!from->format || from->format->one_by_one);
    struct input *in = may ? input_look(from->path) : NULL;
    uint32_t rows = in ? rows_of(in, &format) : 0;
    if (!rows) {
        input_close(in);
        return NULL;
    }
    struct trace_reading *r = mem_new(1, sizeof *r);
    r->in = in;
    r->format = format;
    r->whole = workload_for(from);
    r->rows = rows;
    workload_reserve(r->whole, rows);
    if (from->n_queues)
        workload_name_queues(r->whole, from->queue, from->n_queues);
    if (from->pods)
        workload_read_pods(r->whole, from->pods);
    r->early = early_new(r->whole, rows);
    r->runs = second_start(&r->thread, read_rows, r);
    *used = format;
    if (r->runs)
        return r;
    trace_reading_free(r);
    return NULL;
}

struct workload *trace_reading_begun(struct trace_reading *r)
{
    if (!r->begun && early_ready(r->early))
        r->begun = workload_begun(r->whole, r->rows);
    return r->begun;
}

struct early *trace_reading_early(const struct trace_reading *r)
{
    return r->early;
}

int trace_reading_end(struct trace_reading *r, char sha256[65], struct error *err)
{
    early_left(r->early);
    if (r->runs)
        pthread_join(r->thread, NULL);
    r->runs = false;
    input_close(r->in);
    r->in = NULL;
    memcpy(sha256, r->sha256, sizeof r->sha256);
    if (r->begun)
        r->begun->remark = r->whole->remark;
    if (r->result)
        *err = r->err;
    return r->result;
}

struct workload *trace_reading_whole(struct trace_reading *r, struct error *err)
{
    struct workload *whole = r->whole;
    workload_begun_free(r->begun);
    r->begun = NULL;
    early_free(r->early);
    r->early = NULL;
    if (workload_finish(whole, "", err) != 0)
        return NULL;
    r->whole = NULL;
    return whole;
}

void trace_reading_free(struct trace_reading *r)
{
    if (!r)
        return;
    if (r->runs) {
        early_stop(r->early);
        pthread_join(r->thread, NULL);
    }
    workload_begun_free(r->begun);
    early_free(r->early);
    workload_free(r->whole);
    input_close(r->in);
    free(r);
}
