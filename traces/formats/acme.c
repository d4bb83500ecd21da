/* acme.c - trace_seren.csv and trace_kalos.csv of Acme (InternLM/AcmeTrace, NSDI'24), the first
 * from Slurm, the second from Kubernetes with four more columns.
 *
 * The service time is end_time - start_time, which `duration` is in Seren; in Kalos `duration`
 * counts from the submission. A row without a start never ran and is left out; a row with a start
 * and without an end has `duration`. type (Pretrain, Evaluation, ...), gpu_time and memory are not
 * read. */
#include "traces/formats/dates.h"

enum {
    JOB_ID,
    USER,
    NODE_NUM,
    GPU_NUM,
    CPU_NUM,
    TYPE,
    STATE,
    SUBMIT_TIME,
    START_TIME,
    END_TIME,
    DURATION,
    QUEUE
};
static const char *const names[] = { "job_id",   "user?",  "node_num?",   "gpu_num",    "cpu_num?",
                                     "type",     "state",  "submit_time", "start_time", "end_time",
                                     "duration", "queue?", NULL };

static void take_service(const struct columns *c, struct job_row *job)
{
    int64_t start_ns = TIME_NEVER, end_ns;
    if (!take_date_if_any(c, START_TIME, &start_ns)) {
        skip_job(c);
    } else if (!take_date_if_any(c, END_TIME, &end_ns)) {
        take_time(c, DURATION, &job->duration_ns);
    } else if (!c->err->text[0]) {
        if (end_ns < start_ns)
            (void)cell_error(c->row, c->at[END_TIME], "a time after start_time", c->err);
        job->duration_ns = end_ns - start_ns;
    }
    take_start(c, start_ns, job);
}

static void acme_job(const struct columns *c, struct job_row *job)
{
    take_id(c, JOB_ID, job);
    take_text(c, USER, &job->user, &job->user_length);
    take_slurm_size(c, GPU_NUM, CPU_NUM, NODE_NUM, job);
    take_slurm_state(c, STATE, job);
    take_date(c, SUBMIT_TIME, &job->submit_ns);
    take_service(c, job);
}

const struct trace_format acme_format = {
    .name = "acme",
    .summary =
        "Acme log: "
        "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,...",
    .columns = names,
    .job = acme_job,
    .dated = true,
};
