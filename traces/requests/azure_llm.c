/* azure_llm.c - AzureLLMInferenceTrace_{code,conv}.csv (Azure/AzurePublicDataset:data): two
 * services in 2023, and the same columns in 2024. TIMESTAMP is UTC, in 2023 with seven digits of a
 * second, in 2024 with a zone. */
#include "traces/formats/dates.h"
#include "traces/requests/requests.h"

enum { TIMESTAMP, CONTEXT_TOKENS, GENERATED_TOKENS };
static const char *const names[] = { "TIMESTAMP", "ContextTokens", "GeneratedTokens", NULL };

static void azure_request(const struct columns *c, struct recorded_request *r)
{
    const struct cell *time = &c->row->cell[c->at[TIMESTAMP]];
    if (!date_parse_fine(time->text, time->length, &r->time_ns))
        (void)cell_error(c->row, c->at[TIMESTAMP], DATE_WANT, c->err);
    take_served_tokens(c, CONTEXT_TOKENS, GENERATED_TOKENS, r);
}

const struct request_format azure_llm_requests = {
    .name = "azure-llm",
    .summary = "Azure LLM inference: TIMESTAMP,ContextTokens,GeneratedTokens",
    .columns = names,
    .request = azure_request,
};
