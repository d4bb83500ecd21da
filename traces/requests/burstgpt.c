/* burstgpt.c - BurstGPT_{1,2,3}.csv (HPMLL/BurstGPT; Wang et al., KDD 2025): requests to ChatGPT
 * and GPT-4. Timestamp is seconds since the first midnight. Requests without response tokens failed
 * and are left out. The third file adds "Session ID" and "Elapsed time", the seconds from the
 * request to the end of its answer: its service time. */
#include "traces/requests/requests.h"

enum { TIMESTAMP, REQUEST_TOKENS, RESPONSE_TOKENS, ELAPSED_TIME, MODEL };
static const char *const names[] = { "Timestamp", "Request tokens", "Response tokens",
                                     "Elapsed time?", "Model?", NULL };

static void burst_request(const struct columns *c, struct recorded_request *r)
{
    take_time(c, TIMESTAMP, &r->time_ns);
    take_served_tokens(c, REQUEST_TOKENS, RESPONSE_TOKENS, r);
    if (has_value(c, ELAPSED_TIME))
        take_time(c, ELAPSED_TIME, &r->service_ns);
    take_model(c, MODEL, r);
}

const struct request_format burstgpt_requests = {
    .name = "burstgpt",
    .summary = "BurstGPT: Timestamp,[Session ID,Elapsed time,]Model,Request tokens,Response "
               "tokens,Total tokens,Log Type",
    .columns = names,
    .request = burst_request,
};
