/* record.c - see record.h. */
#include "sim/workload/record.h"
#include "sim/base/memory.h"

#include <string.h>

int record_check(const struct job_row *row, const char *file, size_t line, struct error *err)
{
    if (row->n_recorded_on && row->recorded_wait_ns < 0)
        return error_set(err, "%s:%zu: recorded_on: want recorded_wait_s, too", file, line);
    if (row->recorded_wait_ns >= 0 && row->n_running_on)
        return error_set(err,
                         "%s:%zu: recorded_wait_s: want none of a job that runs already "
                         "(running_on)",
                         file, line);
    if (row->n_promised_on && row->n_running_on)
        return error_set(err, "%s:%zu: promised_on: want no running_on, for the job waits", file,
                         line);
    return 0;
}

static uint32_t place_add(struct workload *w, const struct held_at *on, uint32_t n_on,
                          const char *file, size_t line)
{
    uint32_t n = w->n_record_places;
    const struct record_place *last = n ? &w->record_place[n - 1] : NULL;
    size_t bytes = n_on * sizeof *on;
    mem_grow(&w->record_place, &w->record_place_capacity, n, sizeof *w->record_place);
    w->record_place[n] = (struct record_place){
        .on = memcpy(arena_alloc(w->memory, bytes), on, bytes),
        .n = n_on,
        .file = last && !strcmp(last->file, file) ? last->file
                                                  : arena_text(w->memory, file, strlen(file)),
        .line = line,
    };
    return ++w->n_record_places;
}

uint32_t record_add(struct workload *w, const struct job_row *row, const char *file, size_t line)
{
    if (row->recorded_wait_ns < 0)
        return 0;
    mem_grow(&w->record, &w->record_capacity, w->n_records, sizeof *w->record);
    w->record[w->n_records] = (struct job_record){
        .wait_ns = row->recorded_wait_ns,
        .place = row->n_recorded_on
                     ? place_add(w, row->recorded_on, row->n_recorded_on, file, line)
                     : 0,
    };
    return ++w->n_records;
}

static const struct job_record *record_of(const struct workload *w, job_id j)
{
    uint32_t i = workload_extra(w, j)->record;
    return i ? &w->record[i - 1] : NULL;
}

int64_t record_start_ns(const struct workload *w, job_id j)
{
    const struct job_record *r = record_of(w, j);
    return r ? w->facts[j].submit_ns + r->wait_ns : TIME_NEVER;
}

const struct record_place *record_place(const struct workload *w, job_id j)
{
    const struct job_record *r = record_of(w, j);
    return r && r->place ? &w->record_place[r->place - 1] : NULL;
}

uint32_t promise_add(struct workload *w, const struct job_row *row, const char *file, size_t line)
{
    return row->n_promised_on ? place_add(w, row->promised_on, row->n_promised_on, file, line) : 0;
}

const struct record_place *promised_place(const struct workload *w, job_id j)
{
    uint32_t promised = workload_extra(w, j)->promised;
    return promised ? &w->record_place[promised - 1] : NULL;
}
