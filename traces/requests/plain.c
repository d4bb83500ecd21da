/* plain.c - anybody's list of requests: time_s, and what else is known of them. An empty cell is not told. */
#include "traces/requests/request_rows.h"

enum { TIME_S, PROMPT_TOKENS, OUTPUT_TOKENS, SERVICE_S };
static const char *const names[] = { "time_s", "prompt_tokens?", "output_tokens?", "service_s?", NULL };

static void plain_request(const struct columns *c, struct recorded_request *r)
{
    take_time(c, TIME_S, &r->time_ns);
    if (has_value(c, PROMPT_TOKENS))
        take_tokens(c, PROMPT_TOKENS, &r->prompt_tokens);
    if (has_value(c, OUTPUT_TOKENS))
        take_tokens(c, OUTPUT_TOKENS, &r->output_tokens);
    if (has_value(c, SERVICE_S))
        take_time(c, SERVICE_S, &r->service_ns);
}

static int plain_recognise(const char *head, size_t length)
{
    return columns_recognise(names, head, length);
}

static int plain_read(struct input *in, struct request_list *l, struct error *err)
{
    return request_rows_read(names, plain_request, in, l, err);
}

const struct request_format plain_requests = {
    .name = "plain",
    .summary = "time_s[,prompt_tokens,output_tokens,service_s]",
    .recognise = plain_recognise,
    .read = plain_read,
};
