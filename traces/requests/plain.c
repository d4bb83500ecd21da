/* plain.c - a plain list of requests: time_s, and optional columns. An empty cell is unknown; of
 * adapter it is 0, the base model. */
#include "traces/requests/requests.h"

enum { TIME_S, PROMPT_TOKENS, OUTPUT_TOKENS, SERVICE_S, ADAPTER, MODEL };
static const char *const names[] = { "time_s", "prompt_tokens?", "output_tokens?", "service_s?",
                                     "adapter?", "model?", NULL };

static void plain_request(const struct columns *c, struct recorded_request *r)
{
    take_time(c, TIME_S, &r->time_ns);
    if (has_value(c, PROMPT_TOKENS))
        take_tokens(c, PROMPT_TOKENS, &r->prompt_tokens);
    if (has_value(c, OUTPUT_TOKENS))
        take_tokens(c, OUTPUT_TOKENS, &r->output_tokens);
    if (has_value(c, SERVICE_S))
        take_time(c, SERVICE_S, &r->service_ns);
    if (has_value(c, ADAPTER))
        take_adapter(c, ADAPTER, &r->adapter);
    take_model(c, MODEL, r);
}

const struct request_format plain_requests = {
    .name = "plain",
    .summary = "time_s[,prompt_tokens,output_tokens,service_s,adapter,model]",
    .columns = names,
    .request = plain_request,
};
