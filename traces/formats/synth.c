/* synth.c - a workload file (traces/synth/README.md): laws of which the jobs are drawn here, or a
 * trace beside which services and sessions run. */
#include "sim/base/units.h"
#include "traces/formats/format.h"
#include "traces/synth/synth.h"

#include <stdlib.h>
#include <string.h>

enum { SEED, JOBS, GPUS };
static const struct trace_option options[] = {
    { "seed", "of what is drawn; the run's by default" },
    { "jobs", "how many, instead of what the file says" },
    { "gpus", "that the load is of, instead of what the file says, or of the cluster's" },
    { NULL, NULL },
};

/* The first key is "workload", perhaps after comments, blank lines and "---"; JSON begins with a
 * brace. */
static int synth_recognise(const char *head, size_t length)
{
    static const char key[] = "workload";
    const char *end = head + length;
    while (head < end) {
        const char *line = memchr(head, '\n', (size_t)(end - head)), *next = line ? line + 1 : end;
        while (head < next && strchr(" \t\r\n{\"", *head))
            head++;
        if (head < next && *head != '#' &&
            strncmp(head, "---", next - head < 3 ? (size_t)(next - head) : 3) != 0)
            break;
        head = next;
    }
    if ((size_t)(end - head) <= sizeof key - 1 || memcmp(head, key, sizeof key - 1) != 0)
        return 0;
    head += sizeof key - 1;
    head += *head == '"';
    return head < end && *head == ':' ? 2 : 0;
}

static int option_number(struct input *in, const char *const *value, int which, int64_t least,
                         int64_t most, int64_t *to, struct error *err)
{
    int64_t n = 0;
    if (!value[which])
        return 0;
    if (!integer_parse(value[which], strlen(value[which]), &n) || n < least || n > most)
        return error_set(err, "%s: synth: %s: want a whole number from %lld to %lld, got '%.60s'",
                         input_name(in), options[which].name, (long long)least, (long long)most,
                         value[which]);
    *to = n;
    return 0;
}

extern const struct trace_format synth_format;

/* s->trace is FILE or FILE:FORMAT; FILE is relative to the folder of the workload file. */
static int read_trace(const struct synth_spec *s, const char *file, struct workload *w,
                      struct error *err)
{
    char *path = synth_path_beside(file, s->trace), *colon = strrchr(path, ':');
    const struct trace_format *format = colon ? trace_format_find(colon + 1) : NULL;
    if (format)
        *colon = '\0';
    struct input *in = input_open(path, err);
    if (in && !format)
        format = trace_format_of(in, err);
    int result = in && format ? 0 : -1;
    if (result == 0 && format == &synth_format)
        result = error_set(err, "%s: want a trace, not another workload file", path);
    if (result == 0)
        result = trace_format_read(format, in, NULL, w, err);
    input_close(in);
    free(path);
    return result;
}

/* Sessions are submitted until the span ends, or the last job is submitted. */
static double until_s(const struct synth_spec *s, const struct workload *w)
{
    int64_t last_ns = 0;
    for (job_id j = 0; j < w->n_jobs; j++)
        if (!w->truth[j].on_demand && w->facts[j].submit_ns > last_ns)
            last_ns = w->facts[j].submit_ns;
    return s->span_s > 0 ? s->span_s : seconds(last_ns);
}

static int synth_read(struct input *in, const char *const *value, struct workload *w,
                      struct error *err)
{
    int64_t seed = (int64_t)w->seed, jobs = 0, gpus = 0;
    struct synth_report report;
    if (option_number(in, value, SEED, 0, INT64_MAX, &seed, err) ||
        option_number(in, value, JOBS, 1, SYNTH_JOBS_MAX, &jobs, err) ||
        option_number(in, value, GPUS, 1, SYNTH_JOBS_MAX, &gpus, err))
        return -1;
    struct synth_spec *s = synth_spec_read(in, err);
    if (!s)
        return -1;
    if (gpus)
        s->load.gpus = (double)gpus;
    w->load_of_cluster = s->load.target > 0 && s->load.gpus <= 0;
    const struct synth_wish wish = { (uint64_t)seed, (uint32_t)jobs, w->cluster_gpus,
                                      w->resident_bytes };
    int result = s->trace       ? read_trace(s, input_name(in), w, err)
                 : s->n_classes ? synth_generate(s, &wish, input_name(in), w, &report, err)
                                : 0;
    if (result == 0)
        result = synth_services_add(s, (uint64_t)seed, input_name(in), w, err);
    if (result == 0 && s->n_sessions)
        result = synth_sessions_generate(s, (uint64_t)seed, until_s(s, w), input_name(in), w, err);
    synth_spec_free(s);
    return result;
}

const struct trace_format synth_format = {
    .name = "synth",
    .summary = "gpuyard's own workload file, of which jobs are drawn: YAML that begins with "
               "'workload:'",
    .recognise = synth_recognise,
    .read = synth_read,
    .options = options,
};
