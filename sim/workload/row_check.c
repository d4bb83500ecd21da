/* row_check.c - see row_check.h. */
#include "sim/workload/row_check.h"

#include "sim/cluster/labels.h"
#include "sim/cluster/pod_terms.h"
#include "sim/workload/job_inputs.h"
#include "sim/workload/record.h"
#include "sim/workload/workload_builder.h"

#include <string.h>

const struct job_row job_row_default = {
    .estimate_ns = TIME_NEVER,
    .deadline_ns = TIME_NEVER,
    .gpus = 1,
    .gpu_milli = MILLI_ALL,
    .class = CLASS_TRAINING,
    .fate = FATE_COMPLETED,
    .preemptible = true,
    .required_level = LEVEL_ANY,
    .preferred_level = LEVEL_ANY,
    .overhead = OWN_OVERHEAD_NONE,
    .duty = { DUTY_UNSAID, DUTY_UNSAID },
    .ran_ns = -1,
    .recorded_wait_ns = -1,
    .leaving_ns = -1,
};

bool row_is_plain(const struct job_row *row)
{
    const char *from = (const char *)row + JOB_ROW_USUAL, *usual = (const char *)&job_row_default + JOB_ROW_USUAL;
    return !memcmp(from, usual, sizeof *row - JOB_ROW_USUAL);
}

struct where {
    const char *file;
    size_t line;
    struct error *err;
};

static int check_time(struct where at, const char *what, int64_t ns)
{
    if (ns >= 0 && ns < WORKLOAD_END_NS)
        return 0;
    return error_set(at.err, "%s:%zu: %s: want from 0 to less than 100 years, got %.9g s", at.file,
                     at.line, what, seconds(ns));
}

static int check_times(struct where at, const struct job_row *row)
{
    if (check_time(at, "submit", row->submit_ns) != 0 ||
        check_time(at, "duration", row->duration_ns) != 0 ||
        check_time(at, "submit + duration", row->submit_ns + row->duration_ns) != 0)
        return -1;
    if (row->estimate_ns != TIME_NEVER && check_time(at, "estimate", row->estimate_ns) != 0)
        return -1;
    return row->deadline_ns == TIME_NEVER ? 0 : check_time(at, "deadline", row->deadline_ns);
}

static int check_size(struct where at, const struct job_row *row)
{
    uint32_t tasks = row_tasks(row);
    if (row->tasks == SPLIT_ANY)
        return error_set(at.err, "%s:%zu: tasks: want less than %u", at.file, at.line, SPLIT_ANY);
    if (row->gpus % tasks)
        return error_set(at.err, "%s:%zu: gpus: want a multiple of tasks (%u), got %u", at.file,
                         at.line, tasks, row->gpus);
    if (row->min_tasks > tasks)
        return error_set(at.err, "%s:%zu: min_tasks: want at most as many as tasks (%u), got %u",
                         at.file, at.line, tasks, row->min_tasks);
    if (row->gpus && (row->gpu_milli < 1 || row->gpu_milli > MILLI_ALL))
        return error_set(at.err, "%s:%zu: gpu_milli: want from 1 to %u, got %u", at.file, at.line,
                         MILLI_ALL, row->gpu_milli);
    if (row->mig && (row->gpu_milli != MILLI_ALL || row->share_mem_mib))
        return error_set(at.err, "%s:%zu: mig: an instance is not shared: want no share of it",
                         at.file, at.line);
    if (row->share_mem_mib && row->gpu_milli != MILLI_ALL)
        return error_set(at.err, "%s:%zu: gpu_share_mem_gib: want no other share beside it",
                         at.file, at.line);
    if (row->slices && *row->slices && !row->tasks && row->gpus > 1)
        return error_set(at.err, "%s:%zu: slices: want the tasks, too", at.file, at.line);
    if (row->max_per_node && row_tasks(row) == 1 && row->gpus > 1 && !row->tasks)
        return error_set(at.err, "%s:%zu: max_per_node: want the tasks, too", at.file, at.line);
    if (row->cpu_milli < 0 || row->mem_mib < 0)
        return error_set(at.err, "%s:%zu: want CPUs and memory of at least 0", at.file, at.line);
    return 0;
}

static int check_wish(struct where at, const char *what, const char *text,
                      const char *(*wrong)(const char *))
{
    const char *want = text ? wrong(text) : NULL;
    return want ? error_set(at.err, "%s:%zu: %s: want %s, got '%.100s'", at.file, at.line, what,
                            want, text)
                : 0;
}

static int check_nodes(struct where at, const char *selector, const char *affinity,
                       const char *tolerations)
{
    return check_wish(at, "node_selector", selector, selector_wrong) ||
                   check_wish(at, "affinity", affinity, affinity_wrong) ||
                   check_wish(at, "tolerations", tolerations, tolerations_wrong)
               ? -1
               : 0;
}

static int check_wishes(struct where at, const struct job_row *row)
{
    if (check_nodes(at, row->selector, row->affinity, row->tolerations))
        return -1;
    for (size_t i = 0; i < row->n_parts; i++) {
        const struct task_row *part = &row->part[i];
        struct where there = { at.file, part->line, at.err };
        if (check_nodes(there, part->selector, part->affinity, part->tolerations))
            return -1;
    }
    if (row->pod_spread && *row->pod_spread && (!row->pod_labels || !*row->pod_labels))
        return error_set(at.err, "%s:%zu: pod_spread: want pod_labels, too: pods with these are spread", at.file, at.line);
    if (check_wish(at, "pod_labels", row->pod_labels, labels_wrong) ||
        check_wish(at, "pod_affinity", row->pod_affinity, pod_terms_wrong) ||
        check_wish(at, "pod_anti_affinity", row->pod_anti_affinity, pod_terms_wrong))
        return -1;
    return check_wish(at, "pod_spread", row->pod_spread, pod_spread_wrong);
}

/* "A|B": every name between the bars is there. */
static int check_gpu_type(struct where at, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == '|' && (i == 0 || i + 1 == length || text[i + 1] == '|'))
            return error_set(at.err,
                             "%s:%zu: gpu_type: want names with '|' between them, got '%.100s'",
                             at.file, at.line, text);
    return 0;
}

static int check_parts(struct where at, const struct job_row *row)
{
    for (size_t i = 0; i < row->n_parts; i++) {
        at.line = row->part[i].line;
        if (check_gpu_type(at, row->part[i].gpu_type, row->part[i].gpu_type_length) != 0)
            return -1;
    }
    return 0;
}

static int check_overhead(struct where at, const struct own_overhead *p)
{
    if (p->interval_ns == 0)
        return error_set(at.err, "%s:%zu: interval_s: want more than 0", at.file, at.line);
    if (p->interval_ns < WORKLOAD_END_NS && p->save_ns < WORKLOAD_END_NS &&
        p->grace_ns < WORKLOAD_END_NS && p->restart_ns < WORKLOAD_END_NS)
        return 0;
    return error_set(at.err,
                     "%s:%zu: interval_s, save_s, grace_s, restart_s: want less than 100 years",
                     at.file, at.line);
}

static int check_running(struct where at, const struct job_row *row)
{
    if (!row->n_running_on && row->ran_ns < 0 && row->leaving_ns < 0)
        return 0;
    if (!row->n_running_on)
        return error_set(at.err, "%s:%zu: started_s, leaving_s: want running_on, too", at.file,
                         at.line);
    if (row->depends_on_length && strncmp(row->depends_on, "limit:", 6) != 0)
        return error_set(at.err, "%s:%zu: running_on: want no depends_on, for it runs already",
                         at.file, at.line);
    if (row->ran_ns >= WORKLOAD_END_NS || row->leaving_ns >= WORKLOAD_END_NS)
        return error_set(at.err, "%s:%zu: started_s, leaving_s: want less than 100 years", at.file,
                         at.line);
    return 0;
}

/* Of a plain row only what every row says may be wrong. */
int row_check(const struct workload *w, const struct job_row *row, bool plain, const char *file, size_t line, struct job_sizes *sizes,
              struct error *err)
{
    struct where at = { file, line, err };
    if (check_times(at, row) != 0 || (!row->n_parts && check_size(at, row) != 0))
        return -1;
    if (!plain && (check_wishes(at, row) != 0 || check_overhead(at, &row->overhead) != 0 || check_running(at, row) != 0 ||
                   record_check(row, file, line, err) != 0 || job_inputs_check(w->inputs, row, file, line, err) != 0))
        return -1;
    if (check_gpu_type(at, row->gpu_type, row->gpu_type_length) != 0 || (!plain && check_parts(at, row) != 0))
        return -1;
    return sizes_of_row(row, sizes, file, line, err);
}
