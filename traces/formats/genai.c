/* genai.c - requests for pictures (alibaba/clusterdata:cluster-trace-v2026-GenAI,
 * lora_request_trace.csv) as jobs: each on one GPU, which is an assumption, for its
 * exec_time_seconds, which may include some queueing.
 *
 * gmt_create has no zone and is shifted by the publishers. groupId is the user, the checkpoint is
 * the model. A request that is PENDING or PROCESSING had not ended when the trace was taken and is
 * left out. Requests have no names and are numbered. Sizes of the prompt and of the picture are not
 * read. */
#include "traces/formats/dates.h"

enum { GMT_CREATE, PREDICT_STATUS, EXEC_TIME, GROUP_ID, CHECKPOINT };
static const char *const names[] = {
    "gmt_create", "predict_status", "exec_time_seconds", "groupId?", "checkpoint_model_version_id?",
    NULL
};
static const char *const states[] = { "SUCCEED", "FAILED", "PENDING", "PROCESSING", NULL };
enum { STATE_FAILED = 1, STATE_PENDING = 2 };

static void genai_job(const struct columns *c, struct job_row *job)
{
    size_t state = 0;
    take_date(c, GMT_CREATE, &job->submit_ns);
    if (cell_word(c->row, c->at[PREDICT_STATUS], states, &state, c->err) != 0)
        return;
    if (state >= STATE_PENDING) {
        skip_job(c);
        return;
    }
    job->fate = state == STATE_FAILED ? FATE_FAILED : FATE_COMPLETED;
    take_time(c, EXEC_TIME, &job->duration_ns);
    take_text(c, GROUP_ID, &job->user, &job->user_length);
    take_text(c, CHECKPOINT, &job->model, &job->model_length);
    job->tasks = 1;
    job->class = CLASS_INFERENCE;
}

const struct trace_format genai_format = {
    .name = "genai",
    .summary = "Alibaba 2026 pictures: "
               "gmt_create,predict_type,predict_status,exec_time_seconds,groupId,...",
    .columns = names,
    .job = genai_job,
    .dated = true,
    .distinct = true, /* no other has predict_status */
};
