/* azure_llm.c - AzureLLMInferenceTrace_{code,conv}.csv (Azure/AzurePublicDataset:data): two services of 2023, and the same columns
 * in 2024. TIMESTAMP is UTC, with seven digits behind the seconds in 2023, with a zone in 2024. */
#include "traces/formats/dates.h"
#include "traces/requests/request_rows.h"

enum { TIMESTAMP, CONTEXT_TOKENS, GENERATED_TOKENS };
static const char *const names[] = { "TIMESTAMP", "ContextTokens", "GeneratedTokens", NULL };

static void azure_request(const struct columns *c, struct recorded_request *r)
{
    const struct cell *time = &c->row->cell[c->at[TIMESTAMP]];
    if (!date_parse_fine(time->text, time->length, &r->time_ns))
        (void)cell_error(c->row, c->at[TIMESTAMP], DATE_WANT, c->err);
    take_served_tokens(c, CONTEXT_TOKENS, GENERATED_TOKENS, r);
}

static int azure_recognise(const char *head, size_t length)
{
    return columns_recognise(names, head, length) ? 2 : 0;
}

static int azure_read(struct input *in, struct request_list *l, struct error *err)
{
    return request_rows_read(names, azure_request, in, l, err);
}

const struct request_format azure_llm_requests = {
    .name = "azure-llm",
    .summary = "Azure LLM inference: TIMESTAMP,ContextTokens,GeneratedTokens",
    .recognise = azure_recognise,
    .read = azure_read,
};
