/* genai.c - lora_request_trace.csv (alibaba/clusterdata:cluster-trace-v2026-GenAI) as requests of one service; formats/genai.c
 * makes jobs of it. exec_time_seconds is how long each took, which may hold some queueing. What is PENDING or PROCESSING was not
 * done when the trace was taken, and is left out; what FAILED took its time. */
#include "traces/formats/dates.h"
#include "traces/requests/request_rows.h"

enum { GMT_CREATE, PREDICT_STATUS, EXEC_TIME };
static const char *const names[] = { "gmt_create", "predict_status", "exec_time_seconds", NULL };
static const char *const states[] = { "SUCCEED", "FAILED", "PENDING", "PROCESSING", NULL };
enum { STATE_PENDING = 2 };

static void genai_request(const struct columns *c, struct recorded_request *r)
{
    size_t state = 0;
    take_date(c, GMT_CREATE, &r->time_ns);
    if (cell_word(c->row, c->at[PREDICT_STATUS], states, &state, c->err) != 0)
        return;
    if (state >= STATE_PENDING)
        skip_job(c);
    else
        take_time(c, EXEC_TIME, &r->service_ns);
}

static int genai_recognise(const char *head, size_t length)
{
    return columns_recognise(names, head, length) ? 2 : 0;
}

static int genai_read(struct input *in, struct request_list *l, struct error *err)
{
    return request_rows_read(names, genai_request, in, l, err);
}

const struct request_format genai_requests = {
    .name = "genai",
    .summary = "Alibaba 2026 pictures: gmt_create,predict_type,predict_status,exec_time_seconds,...",
    .recognise = genai_recognise,
    .read = genai_read,
};
