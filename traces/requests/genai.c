/* genai.c - lora_request_trace.csv (alibaba/clusterdata:cluster-trace-v2026-GenAI) as requests of
 * one service; traces/formats/genai.c reads the same file as jobs. exec_time_seconds is the service
 * time, which may include some queueing. A request that is PENDING or PROCESSING had not ended when
 * the trace was taken and is left out; a request that FAILED took its time. */
#include "traces/formats/dates.h"
#include "traces/requests/requests.h"

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

const struct request_format genai_requests = {
    .name = "genai",
    .summary =
        "Alibaba 2026 pictures: gmt_create,predict_type,predict_status,exec_time_seconds,...",
    .columns = names,
    .request = genai_request,
};
