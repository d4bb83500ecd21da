/* genai.c - requests for pictures (alibaba/clusterdata:cluster-trace-v2026-GenAI, lora_request_trace.csv): each is taken
 * for a job on one GPU, which is our assumption, for its exec_time_seconds, which may hold some queueing.
 *
 * gmt_create is shifted by the publishers, without a zone; the earliest becomes time 0. groupId is the user, the checkpoint
 * the model. What is PENDING or PROCESSING was not done when the trace was taken, and is left out. Requests have no names:
 * they are numbered. Sizes of the prompt and of the picture are not read. */
#include "traces/formats/dates.h"

enum { GMT_CREATE, PREDICT_STATUS, EXEC_TIME, GROUP_ID, CHECKPOINT };
static const char *const names[] = { "gmt_create",  "predict_status",               "exec_time_seconds", "groupId?",
                                     "checkpoint_model_version_id?", NULL };
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

static int genai_recognise(const char *head, size_t length)
{
    return columns_recognise(names, head, length) ? 2 : 0; /* no other has predict_status */
}

static int genai_read(struct input *in, struct workload *w, struct error *err)
{
    if (columns_read(names, genai_job, in, w, err) != 0)
        return -1;
    workload_rebase(w);
    return 0;
}

const struct trace_format genai_format = {
    .name = "genai",
    .summary = "Alibaba 2026 pictures: gmt_create,predict_type,predict_status,exec_time_seconds,groupId,...",
    .recognise = genai_recognise,
    .read = genai_read,
};
