/* mooncake.c - {conversation,synthetic}_trace.jsonl (kvcache-ai/Mooncake:FAST25-release/traces):
 * one JSON object a line, timestamps in milliseconds. hash_ids, if they are there, are the blocks of
 * 512 tokens that prompts share (sim/serving/llm/prefix_cache.h). */
#include "traces/formats/json_array.h"
#include "traces/requests/requests.h"

#include <string.h>

static int whole(const struct json_item *item, const char *key, int64_t most, int64_t *to)
{
    const json_t *v = json_object_get(item->value, key);
    if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > most)
        return error_set(item->err, "%s:%zu: %s: want a whole number from 0 to %lld", item->file,
                         item->line, key, (long long)most);
    *to = json_integer_value(v);
    return 0;
}

/* One id for each 512 tokens of the prompt, the last of them perhaps less. */
static int take_ids(struct request_list *l, const struct json_item *item, int64_t prompt)
{
    json_t *ids = json_object_get(item->value, "hash_ids");
    size_t n = json_array_size(ids), most = ((size_t)prompt + 511) / 512;
    if (!ids)
        return 0;
    if (!json_is_array(ids) || n > most)
        return error_set(item->err, "%s:%zu: hash_ids: want a list of at most %zu whole numbers",
                         item->file, item->line, most);
    for (size_t i = 0; i < n; i++) {
        const json_t *id = json_array_get(ids, i);
        if (!json_is_integer(id))
            return error_set(item->err, "%s:%zu: hash_ids: want whole numbers", item->file,
                             item->line);
        request_list_add_id(l, (uint64_t)json_integer_value(id));
    }
    return 0;
}

static int take_object(void *self, const struct json_item *item)
{
    const int64_t ms_most = INT64_C(3000000000000), ns_per_ms = 1000000;      /* 95 years */
    struct request_list *l = self;
    int64_t ms, prompt, output;
    if (whole(item, "timestamp", ms_most, &ms) != 0 ||
        whole(item, "input_length", REQUEST_TOKENS_MAX, &prompt) != 0 ||
        whole(item, "output_length", REQUEST_TOKENS_MAX, &output) != 0)
        return -1;
    if (output == 0) {
        l->n_left_out++;
        return 0;
    }
    request_list_add(l, (struct recorded_request){ .time_ns = ms * ns_per_ms,
                                                   .service_ns = -1,
                                                   .prompt_tokens = (uint32_t)prompt,
                                                   .output_tokens = (uint32_t)output });
    return take_ids(l, item, prompt);
}

static int mooncake_recognise(const char *head, size_t length)
{
    static const char *const keys[] = { "\"timestamp\"", "\"input_length\"", "\"output_length\"" };
    const char *end = memchr(head, '\n', length);
    size_t line = end ? (size_t)(end - head) : length, found = 0;
    for (size_t k = 0; k < sizeof keys / sizeof *keys && length && *head == '{'; k++)
        for (size_t i = 0, n = strlen(keys[k]); i + n <= line; i++)
            if (memcmp(head + i, keys[k], n) == 0) {
                found++;
                break;
            }
    return found == sizeof keys / sizeof *keys ? 2 : 0;
}

static int mooncake_read(struct input *in, struct request_list *l, struct error *err)
{
    return json_lines_read(in, take_object, l, err);
}

const struct request_format mooncake_requests = {
    .name = "mooncake",
    .summary = "Mooncake: lines of {\"timestamp\": ms, \"input_length\": tokens, "
               "\"output_length\": tokens, ...}",
    .recognise = mooncake_recognise,
    .read = mooncake_read,
};
