/* request_rows.h - what layouts of requests in CSV share: columns as in columns.h, a request a row. */
#pragma once
#include "traces/formats/columns.h"
#include "traces/requests/requests.h"

/* r: nothing is told. skip_job() leaves the request out. */
typedef void request_row(const struct columns *c, struct recorded_request *r);
int  request_rows_read(const char *const *names, request_row *take, struct input *in, struct request_list *l, struct error *err);
void take_tokens(const struct columns *c, unsigned column, uint32_t *tokens);
/* Prompt and output; a request that got no output was not served: it is left out. */
void take_served_tokens(const struct columns *c, unsigned prompt, unsigned output, struct recorded_request *r);
#define REQUEST_TOKENS_MAX 10000000
