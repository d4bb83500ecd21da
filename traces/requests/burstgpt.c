/* burstgpt.c - BurstGPT_{1,2,3}.csv (HPMLL/BurstGPT; Wang et al., KDD 2025): requests to ChatGPT and GPT-4. Timestamp is seconds
 * since the first midnight. Requests without response tokens failed, and are left out. The third file adds
 * "Session ID" and "Elapsed time", seconds from the request to the end of its answer: how long it took. */
#include "traces/requests/request_rows.h"

enum { TIMESTAMP, REQUEST_TOKENS, RESPONSE_TOKENS, ELAPSED_TIME };
static const char *const names[] = { "Timestamp", "Request tokens", "Response tokens", "Elapsed time?", NULL };

static void burst_request(const struct columns *c, struct recorded_request *r)
{
    take_time(c, TIMESTAMP, &r->time_ns);
    take_served_tokens(c, REQUEST_TOKENS, RESPONSE_TOKENS, r);
    if (has_value(c, ELAPSED_TIME))
        take_time(c, ELAPSED_TIME, &r->service_ns);
}

static int burst_recognise(const char *head, size_t length)
{
    return columns_recognise(names, head, length) ? 2 : 0;
}

static int burst_read(struct input *in, struct request_list *l, struct error *err)
{
    return request_rows_read(names, burst_request, in, l, err);
}

const struct request_format burstgpt_requests = {
    .name = "burstgpt",
    .summary = "BurstGPT: Timestamp,[Session ID,Elapsed time,]Model,Request tokens,Response tokens,Total tokens,Log Type",
    .recognise = burst_recognise,
    .read = burst_read,
};
