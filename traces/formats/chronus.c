/* chronus.c - job lists of Chronus (S-Lab-System-Group/ChronusArtifact, SoCC'21), times in minutes,
 * with deadlines.
 *
 * expect_time_list counts from the submission: "282", or "159-189-229-289" of a soft job, which
 * loses value at each time. The first time is taken as the deadline: up to it a job has its full
 * value. A job_type "best" has no deadline; its cell holds the submit time. user is a virtual
 * cluster (vc_...). Jobs of 0 GPUs are left out, as in Chronus itself. */
#include "traces/formats/columns.h"

#include <string.h>

enum { JOB_ID, USER, NUM_GPU, SUBMIT_TIME, DURATION, EXPECT, JOB_TYPE, MODEL_NAME };
static const char *const names[] = { "job_id",      "user?",       "num_gpu",
                                     "submit_time", "duration",    "expect_time_list",
                                     "job_type",    "model_name?", NULL };
static const char *const types[] = { "strict", "soft", "best", NULL };
enum { TYPE_BEST = 2 };

#define NS_PER_MIN  (60 * NS_PER_S)
#define MINUTES_MAX INT64_C(52560000) /* 100 years of 365 days */

static void take_minutes(const struct columns *c, unsigned column, size_t length, int64_t *ns)
{
    int64_t value;
    const struct cell *cell = &c->row->cell[c->at[column]];
    if (!decimal_parse(cell->text, length, NS_PER_MIN, &value) || value < 0 ||
        value > MINUTES_MAX * NS_PER_MIN)
        (void)cell_error(c->row, c->at[column], "minutes from 0 to 52560000", c->err);
    else
        *ns = value;
}

static void take_deadline(const struct columns *c, struct job_row *job)
{
    size_t type;
    int64_t expect_ns = 0;
    if (cell_word(c->row, c->at[JOB_TYPE], types, &type, c->err) != 0 || type == TYPE_BEST)
        return;
    take_minutes(c, EXPECT, strcspn(c->row->cell[c->at[EXPECT]].text, "-"), &expect_ns);
    job->deadline_ns = job->submit_ns + expect_ns;
}

static void chronus_job(const struct columns *c, struct job_row *job)
{
    take_id(c, JOB_ID, job);
    take_text(c, USER, &job->queue, &job->queue_length);
    take_gpus(c, NUM_GPU, job);
    take_minutes(c, SUBMIT_TIME, c->row->cell[c->at[SUBMIT_TIME]].length, &job->submit_ns);
    take_minutes(c, DURATION, c->row->cell[c->at[DURATION]].length, &job->duration_ns);
    take_deadline(c, job);
    take_text(c, MODEL_NAME, &job->model, &job->model_length);
    if (job->gpus == 0)
        skip_job(c);
}

const struct trace_format chronus_format = {
    .name = "chronus",
    .summary = "Chronus simulator, in minutes: "
               "job_id,user,num_gpu,submit_time,duration,expect_time_list,job_type,...",
    .columns = names,
    .job = chronus_job,
    .distinct = true, /* no other has expect_time_list */
};
