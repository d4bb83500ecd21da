/* philly.c - cluster_job_log of Philly (msr-fiddle/philly-traces, ATC'19): a JSON array of jobs
 * with their attempts.
 *
 * The service time is the sum over the attempts, each from its start_time to its end_time; an
 * attempt without one of them ("None", null or "", a mistake of the logging by the publishers) adds
 * nothing. GPUs are those of the first attempt that has any in `detail`. Left out are jobs that
 * never ran (no attempt with both times, or none with GPUs), and jobs without an end of the last
 * attempt: they ran when the log was taken, so their length is unknown. Times are without a
 * zone. */
#include "traces/formats/dates.h"
#include "traces/formats/json_array.h"

#include <string.h>

static int wrong(const struct json_item *at, const char *key, const char *want)
{
    return error_set(at->err, "%s:%zu: %s: want %s", at->file, at->line, key, want);
}

/* A missing text that is not needed leaves *text as it is. */
static int text_of(const struct json_item *at, const char *key, bool needed, const char **text,
                   size_t *length)
{
    const json_t *v = json_object_get(at->value, key);
    if ((!v || json_is_null(v)) && !needed)
        return 0;
    if (!json_is_string(v))
        return wrong(at, key, "a text");
    *text = json_string_value(v);
    *length = json_string_length(v);
    return *length || !needed ? 0 : wrong(at, key, "a text that is not empty");
}

/* *ns TIME_NEVER: no date. */
static int date_of(const struct json_item *at, const json_t *from, const char *key, int64_t *ns)
{
    const json_t *v = json_object_get(from, key);
    *ns = TIME_NEVER;
    if (!v || json_is_null(v))
        return 0;
    const char *text = json_string_value(v);
    if (text && date_is_none(text))
        return 0;
    if (text && date_parse(text, json_string_length(v), ns))
        return 0;
    return wrong(at, key, DATE_WANT ", or None");
}

/* ---- attempts ---- */

struct attempts {
    int64_t service_ns;
    uint32_t gpus;
    bool timed, sized, open; /* an attempt has both times; has GPUs; the last has no end */
};

static int take_detail(const struct json_item *at, const json_t *attempt, struct attempts *sum)
{
    const json_t *detail = json_object_get(attempt, "detail"), *node;
    size_t i;
    if (!json_is_array(detail))
        return wrong(at, "detail", "a list");
    if (sum->sized)
        return 0;
    json_array_foreach(detail, i, node)
    {
        if (!json_is_array(json_object_get(node, "gpus")))
            return wrong(at, "gpus", "a list");
        sum->gpus += (uint32_t)json_array_size(json_object_get(node, "gpus"));
    }
    sum->sized = i > 0;
    return 0;
}

static int take_attempts(const struct json_item *at, struct attempts *sum)
{
    const json_t *attempts = json_object_get(at->value, "attempts"), *attempt;
    size_t i;
    if (!json_is_array(attempts))
        return wrong(at, "attempts", "a list");
    json_array_foreach(attempts, i, attempt)
    {
        int64_t start_ns, end_ns;
        if (date_of(at, attempt, "start_time", &start_ns) != 0 ||
            date_of(at, attempt, "end_time", &end_ns) != 0 || take_detail(at, attempt, sum) != 0)
            return -1;
        sum->open = end_ns == TIME_NEVER;
        if (start_ns == TIME_NEVER || end_ns == TIME_NEVER)
            continue;
        if (end_ns < start_ns)
            return wrong(at, "end_time", "a time after start_time");
        if (sum->service_ns > INT64_MAX / 2) /* the sum must not overflow before it is refused */
            return wrong(at, "attempts", "less than 100 years in all");
        sum->service_ns += end_ns - start_ns;
        sum->timed = true;
    }
    return 0;
}

/* ---- jobs ---- */

static int take_status(const struct json_item *at, enum job_fate *fate)
{
    static const char *const words[] = { "Pass", "Failed", "Killed", NULL }; /* enum job_fate */
    const char *text = json_string_value(json_object_get(at->value, "status"));
    size_t i = text ? word_index(words, text) : sizeof words / sizeof *words - 1;
    if (!words[i])
        return wrong(at, "status", "one of Pass, Failed, Killed");
    *fate = (enum job_fate)i;
    return 0;
}

static int on_job(void *self, const struct json_item *at)
{
    struct workload *w = self;
    struct job_row job = job_row_default;
    struct attempts sum = { 0 };
    if (text_of(at, "jobid", true, &job.job_id, &job.job_id_length) != 0 ||
        text_of(at, "vc", false, &job.queue, &job.queue_length) != 0 ||
        text_of(at, "user", false, &job.user, &job.user_length) != 0 ||
        take_status(at, &job.fate) != 0 || take_attempts(at, &sum) != 0 ||
        date_of(at, at->value, "submitted_time", &job.submit_ns) != 0)
        return -1;
    if (!sum.timed || !sum.sized || sum.open) {
        w->n_skipped++;
        return 0;
    }
    if (job.submit_ns == TIME_NEVER)
        return wrong(at, "submitted_time", "a time, as the job ran");
    job.duration_ns = sum.service_ns;
    job.gpus = sum.gpus;
    return workload_add(w, &job, at->file, at->line, at->err);
}

/* An array of objects, the first of which begins with one of their keys. */
static int philly_recognise(const char *head, size_t length)
{
    static const char *const keys[] = { "\"status\"", "\"vc\"", "\"jobid\"", "\"attempts\"", NULL };
    const char *end = head + length;
    for (const char *open = "[{"; *open; open++) {
        while (head < end && strchr(" \t\r\n", *head))
            head++;
        if (head == end || *head++ != *open)
            return 0;
    }
    while (head < end && strchr(" \t\r\n", *head))
        head++;
    for (size_t i = 0; keys[i]; i++)
        if ((size_t)(end - head) >= strlen(keys[i]) && memcmp(head, keys[i], strlen(keys[i])) == 0)
            return 2;
    return 0;
}

static int philly_read(struct input *in, const char *const *value, struct workload *w,
                       struct error *err)
{
    (void)value;
    return json_array_read(in, on_job, w, err);
}

const struct trace_format philly_format = {
    .name = "philly",
    .summary = "Philly's cluster_job_log: JSON, status, vc, jobid, attempts, submitted_time, user",
    .recognise = philly_recognise,
    .read = philly_read,
    .dated = true,
};
