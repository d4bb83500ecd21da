/* session_jobs.c - the jobs of a case: their tasks, groups of tasks and levels, and what they
 * hold when the session begins. */
#include "tests/conformance/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MOST = 64, PATH_MOST = 256, DEVICES_MOST = 64, NODES_TEXT = 512, PODS_TEXT = 256 };

/* Devices of a node, in the order in which they were first named; whole GPUs have none. */
struct devices { const char *label[DEVICES_MOST]; uint32_t n; };
struct making {
    struct session *s;
    struct job_row row;
    struct task_row part[PARTS_MOST];
    char path[PARTS_MOST][PATH_MOST];
    size_t n_parts;
    struct held_at on[TASKS_MOST];
    struct devices device[NODES_MOST];
    char affinity[PARTS_MOST][NODES_TEXT];
    char labels[PODS_TEXT], beside[PODS_TEXT], apart[PODS_TEXT];    /* of pods */
};

bool task_is(const json_t *task, const char *state) { return !strcmp(text_of(task, "state"), state); }

double task_gpus(const json_t *job, const json_t *task)
{
    const json_t *own = json_object_get(task, "gpus");
    return own && !json_is_null(own) ? json_number_value(own) : number_of(job, "gpus_per_task");
}

static bool holds(const json_t *task) { return task_is(task, "Running") || task_is(task, "Releasing"); }

static int level_of(const struct session *s, const json_t *constraint, const char *key, uint8_t *level, struct why why)
{
    const char *name = text_of(constraint, key);
    for (uint32_t k = 0; name && k < s->n_levels; k++)
        if (!strcmp(s->level_name[k], name)) {
            *level = s->level[k];
            return CASE_PASSED;
        }
    return name ? because(CASE_SKIPPED, why, "no level %s in the topology", name) : CASE_PASSED;
}

static int levels_of(const struct session *s, const json_t *o, uint8_t *required, uint8_t *preferred, struct why why)
{
    const json_t *constraint = json_object_get(o, "topology_constraint");
    *required = *preferred = LEVEL_ANY;
    int result = level_of(s, constraint, "required_level", required, why);
    return result == CASE_PASSED ? level_of(s, constraint, "preferred_level", preferred, why) : result;
}

/* ---- What a task asks for ---- */

struct size { uint32_t gpus, milli, share_mem_mib; uint16_t mig; };

static int size_of(const json_t *job, const json_t *task, struct size *size, struct why why)
{
    double gpus = task_gpus(job, task), memory = number_of(job, "gpu_memory_mib_per_task");
    double devices = number_of(job, "fraction_devices_per_task");
    const json_t *mig = json_object_get(task, "mig");
    *size = (struct size){ .gpus = (uint32_t)gpus, .milli = MILLI_ALL };
    if (mig && !json_is_null(mig)) {
        const char *profile = json_object_iter_key(json_object_iter((json_t *)(uintptr_t)mig)), *name = strstr(profile, "mig-");
        size->mig = mig_profile(name ? name + 4 : profile);
        size->gpus = (uint32_t)json_integer_value(json_object_get(mig, profile));
        if (!size->mig || json_object_size(mig) != 1 || gpus > 0)
            return because(CASE_SKIPPED, why, "MIG profiles that are no single one");
    } else if (memory > 0) {
        size->gpus = devices > 0 ? (uint32_t)devices : 1;
        size->share_mem_mib = (uint32_t)memory;
    } else if (gpus != floor(gpus)) {
        double milli = gpus * MILLI_ALL;
        if (gpus > 1 || fabs(milli - round(milli)) > 1e-9)
            return because(CASE_SKIPPED, why, "%g of a GPU", gpus);
        size->gpus = devices > 0 ? (uint32_t)devices : 1;
        size->milli = (uint32_t)lround(milli);
    }
    return CASE_PASSED;
}

static bool same_size(struct size a, struct size b)
{
    return a.gpus == b.gpus && a.milli == b.milli && a.share_mem_mib == b.share_mem_mib && a.mig == b.mig;
}

/* ---- Tasks in our order: by group, those that hold something first, the highest task priority first ---- */

/* An explicit one is above none. */
static double task_priority(const json_t *task)
{
    const json_t *own = json_object_get(task, "task_priority");
    return json_is_number(own) ? json_number_value(own) : -INFINITY;
}

static void sort_tasks(const json_t **task, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0; k--) {
            const json_t *a = task[k - 1], *b = task[k];
            if (holds(a) != holds(b) ? holds(a) : task_priority(a) >= task_priority(b))
                break;
            task[k - 1] = b;
            task[k] = a;
        }
}

/* Those of the group, or with NULL of the whole job; the last of the session's so far. */
static int take_members(struct session *s, const json_t *job, const char *group, uint32_t *n, struct why why)
{
    size_t i;
    const json_t *task;
    *n = 0;
    json_array_foreach(json_object_get(job, "tasks"), i, task) {
        const char *of = text_of(task, "subgroup");
        if (group && (!of || strcmp(of, group) != 0))
            continue;
        if (s->n_tasks == TASKS_MOST)
            return because(CASE_SKIPPED, why, "more than %d tasks", TASKS_MOST);
        s->task[s->n_tasks++] = task;
        ++*n;
    }
    sort_tasks(&s->task[s->n_tasks - *n], *n);
    return *n ? CASE_PASSED : because(CASE_SKIPPED, why, "a group without tasks");
}

/* Which nodes it may use, as an affinity; NULL: any. No node takes a request for MIG in the legacy
 * form: NVIDIA/KAI-Scheduler:pkg/scheduler/api/node_info/node_info.go. */
static const char *nodes_of(const json_t *task, char *text, size_t size)
{
    const json_t *allowed = json_object_get(task, "allowed_nodes"), *name;
    size_t i, length = (size_t)snprintf(text, size, "node=");
    if (json_is_true(json_object_get(task, "legacy_mig")))
        return "node=none-takes-legacy-mig";
    json_array_foreach(allowed, i, name)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i ? "|" : "", json_string_value(name));
    return i ? text : NULL;
}

static bool same_key(const json_t *a, const json_t *b, const char *key)
{
    const json_t *x = json_object_get(a, key), *y = json_object_get(b, key);
    return x == y || json_equal(x, y) || ((!x || json_is_null(x)) && (!y || json_is_null(y)));
}

/* One row can say both. -1: they cannot be said. */
static int is_alike(const json_t *job, const json_t *a, const json_t *b, struct why why)
{
    struct size x, y;
    if (size_of(job, a, &x, why) != CASE_PASSED || size_of(job, b, &y, why) != CASE_PASSED)
        return -1;
    return same_size(x, y) && same_key(a, b, "allowed_nodes") && same_key(a, b, "legacy_mig");
}

/* All pods of the job say the same: their labels, and beside or apart from pods with these labels
 * in a domain of the key. false: they do not. */
static bool take_pods(struct making *m, const json_t *job)
{
    const json_t *tasks = json_object_get(job, "tasks"), *first = json_array_get(tasks, 0), *task, *value;
    const char *name, *beside = text_of(first, "pod_affinity_key"), *apart = text_of(first, "pod_anti_affinity_key");
    char needs[PODS_TEXT / 2] = "";
    size_t i, n = 0, k = 0;
    json_array_foreach(tasks, i, task)
        if (!same_key(first, task, "pod_affinity_labels") || !same_key(first, task, "pod_affinity_key") ||
            !same_key(first, task, "pod_anti_affinity_key"))
            return false;
    json_object_foreach((json_t *)(uintptr_t)json_object_get(first, "pod_affinity_labels"), name, value) {
        if (n >= sizeof m->labels || k >= sizeof needs)
            return false;
        n += (size_t)snprintf(m->labels + n, sizeof m->labels - n, "%s%s=%s", n ? ";" : "", name, json_string_value(value));
        k += (size_t)snprintf(needs + k, sizeof needs - k, "%s%s=%s", k ? "&" : "", name, json_string_value(value));
    }
    if (n >= sizeof m->labels || k >= sizeof needs)
        return false;
    snprintf(m->beside, sizeof m->beside, "%s@%s", needs, beside ? beside : "");
    snprintf(m->apart, sizeof m->apart, "%s@%s", needs, apart ? apart : "");
    m->row.pod_labels = n ? m->labels : NULL;
    m->row.pod_affinity = n && beside ? m->beside : NULL;
    m->row.pod_anti_affinity = n && apart ? m->apart : NULL;
    return true;
}

/* A row for each run of tasks that are alike. */
static int add_rows(struct making *m, const json_t *job, const json_t *group, const char *path, uint32_t n, struct why why)
{
    const json_t **task = &m->s->task[m->s->n_tasks - n];
    struct task_row *row = NULL;
    for (uint32_t i = 0; i < n; i++) {
        int alike = i ? is_alike(job, task[i - 1], task[i], why) : 0;
        struct size size;
        if (alike < 0 || size_of(job, task[i], &size, why) != CASE_PASSED)
            return CASE_SKIPPED;
        if (alike) {
            row->tasks++;
            continue;
        }
        if (m->n_parts == PARTS_MOST || size.mig || size.share_mem_mib)
            return because(CASE_SKIPPED, why, "groups of tasks with MIG or shares given as memory");
        char *nodes = m->affinity[m->n_parts];
        row = &m->part[m->n_parts++];
        *row = (struct task_row){ .group = path, .gpus = size.gpus, .gpu_milli = size.milli, .tasks = 1,
                                  .cpu_milli = m->row.cpu_milli, .mem_mib = m->row.mem_mib,
                                  .affinity = nodes_of(task[i], nodes, NODES_TEXT) };
        if (levels_of(m->s, group ? group : job, &row->required_level, &row->preferred_level, why) != CASE_PASSED)
            return CASE_SKIPPED;
    }
    return CASE_PASSED;
}

/* A leaf, or with a NULL group the whole job. The minimum of a group is the sum of those of its
 * rows, of which each is at least 1: the first rows take as much of it as they can. */
static int add_leaf(struct making *m, const json_t *job, const json_t *group, const char *path, struct why why)
{
    uint32_t left = (uint32_t)number_of(group ? group : job, "min_available"), n;
    size_t from = m->n_parts;
    if (take_members(m->s, job, text_of(group, "name"), &n, why) != CASE_PASSED || add_rows(m, job, group, path, n, why) != CASE_PASSED)
        return CASE_SKIPPED;
    uint32_t rows = (uint32_t)(m->n_parts - from);
    if (left < rows || left > n)
        return because(CASE_SKIPPED, why, "a group of %u tasks in %u rows with a minimum of %u", n, rows, left);
    for (size_t i = from; i < m->n_parts; i++) {
        uint32_t most = left - (uint32_t)(m->n_parts - i - 1), here = m->part[i].tasks;
        m->part[i].min_tasks = here < most ? here : most;
        left -= m->part[i].min_tasks;
    }
    return CASE_PASSED;
}

/* Inner groups have a row for their levels. */
static int add_groups(struct making *m, const json_t *job, const json_t *group, const char *above, bool root, struct why why)
{
    const json_t *children = json_object_get(group, "children"), *child;
    size_t i;
    if (m->n_parts >= PARTS_MOST)
        return because(CASE_SKIPPED, why, "more than %d groups", PARTS_MOST);
    char *path = m->path[m->n_parts];
    snprintf(path, PATH_MOST, "%s%s%s", above, *above ? "/" : "", root ? "." : text_of(group, "name"));
    if (json_array_size(children) == 0)
        return add_leaf(m, job, group, path, why);
    struct task_row row = { .group = path };
    if (levels_of(m->s, group, &row.required_level, &row.preferred_level, why) != CASE_PASSED)
        return CASE_SKIPPED;
    if (row.required_level != LEVEL_ANY || row.preferred_level != LEVEL_ANY)
        m->part[m->n_parts++] = row;
    char below[PATH_MOST];
    snprintf(below, sizeof below, "%s", root ? "" : path);
    json_array_foreach(children, i, child) if (add_groups(m, job, child, below, false, why) != CASE_PASSED) return CASE_SKIPPED;
    return CASE_PASSED;
}

static int add_tasks(struct making *m, const json_t *job, struct why why)
{
    const json_t *groups = json_object_get(job, "subgroups"), *tasks = json_object_get(job, "tasks");
    if (groups && !json_is_null(groups))
        return add_groups(m, job, groups, "", true, why);
    struct size size = { 0 };
    uint32_t n = 0;
    int alike = 1;
    if (json_array_size(tasks) == 0)
        return because(CASE_SKIPPED, why, "a job without tasks");
    if (take_members(m->s, job, NULL, &n, why) != CASE_PASSED || size_of(job, m->s->task[m->s->n_tasks - n], &size, why) != CASE_PASSED)
        return CASE_SKIPPED;
    for (uint32_t i = 1; i < n && alike > 0; i++)
        alike = is_alike(job, m->s->task[m->s->n_tasks - i - 1], m->s->task[m->s->n_tasks - i], why);
    if (alike <= 0) {
        m->s->n_tasks -= n;
        return alike < 0 ? CASE_SKIPPED : add_leaf(m, job, NULL, ".", why);
    }
    m->row.affinity = nodes_of(m->s->task[m->s->n_tasks - n], m->affinity[0], NODES_TEXT);
    m->row.tasks = n;
    m->row.gpus = n * size.gpus;
    m->row.gpu_milli = size.milli;
    m->row.share_mem_mib = size.share_mem_mib;
    m->row.mig = size.mig;
    m->row.min_tasks = (uint32_t)number_of(job, "min_available");
    if (m->row.min_tasks > n)
        return because(CASE_SKIPPED, why, "a minimum above the number of tasks");
    return levels_of(m->s, job, &m->row.required_level, &m->row.preferred_level, why);
}

/* ---- What it holds already ---- */

static uint64_t device_of(struct devices *d, const char *label)
{
    uint32_t i = 0;
    while (i < d->n && (!label || !d->label[i] || strcmp(d->label[i], label) != 0))
        i++;
    if (i == d->n && d->n < DEVICES_MOST)
        d->label[d->n++] = label;
    return UINT64_C(1) << i;
}

static int hold(struct making *m, const json_t *job, const json_t *task, struct held_at *at, struct why why)
{
    struct size size;
    const json_t *labels = json_object_get(task, "gpu_groups");
    if (size_of(job, task, &size, why) != CASE_PASSED)
        return CASE_SKIPPED;
    *at = (struct held_at){ .node = session_node(m->s, text_of(task, "node")) };
    if (at->node == ID_NONE)
        return because(CASE_SKIPPED, why, "task %s runs on a node that is not there", text_of(task, "id"));
    bool shared = size.milli < MILLI_ALL || size.share_mem_mib;
    for (uint32_t k = 0; k < size.gpus && !size.mig; k++)
        at->gpu_mask |= device_of(&m->device[at->node], shared ? json_string_value(json_array_get(labels, k)) : NULL);
    return CASE_PASSED;
}

/* Of a job that holds nothing: the first of its tasks are promised room. */
static int add_promise(struct making *m, const json_t *job, uint32_t first, struct why why)
{
    struct job_row *row = &m->row;
    for (uint32_t k = first; k < m->s->n_tasks && task_is(m->s->task[k], "Pipelined"); k++)
        if (hold(m, job, m->s->task[k], &m->on[row->n_promised_on++], why) != CASE_PASSED)
            return CASE_SKIPPED;
    row->promised_on = m->on;
    for (uint32_t k = first + row->n_promised_on; k < m->s->n_tasks; k++)
        if (!task_is(m->s->task[k], "Pending"))
            return because(CASE_SKIPPED, why, "a task that is %s at the start of a job with a promise",
                           text_of(m->s->task[k], "state"));
    return CASE_PASSED;
}

/* Of the tasks in our order: the first must be those that hold something. */
static int add_holds(struct making *m, const json_t *job, uint32_t first, struct why why)
{
    struct job_row *row = &m->row;
    uint32_t leaving = 0, others = 0;
    if (first < m->s->n_tasks && task_is(m->s->task[first], "Pipelined"))
        return add_promise(m, job, first, why);
    for (uint32_t k = first; k < m->s->n_tasks; k++) {
        const json_t *task = m->s->task[k];
        if (!holds(task) && !task_is(task, "Pending"))
            return because(CASE_SKIPPED, why, "a task that is %s at the start", text_of(task, "state"));
        if (!holds(task)) {
            others++;
            continue;
        }
        leaving += task_is(task, "Releasing");
        if (others)
            return because(CASE_SKIPPED, why, "those that run are not the first tasks of the job");
        if (hold(m, job, task, &m->on[row->n_running_on], why) != CASE_PASSED)
            return CASE_SKIPPED;
        row->n_running_on++;
    }
    row->running_on = row->n_running_on ? m->on : NULL;
    row->ran_ns = row->n_running_on ? 60 * NS_PER_S : -1;
    if (leaving && leaving < row->n_running_on)
        return because(CASE_SKIPPED, why, "a job of which a part is leaving at the start");
    row->leaving_ns = !leaving ? -1 : row->overhead.save_ns > 0 ? row->overhead.save_ns : LEAVING_NS;
    return CASE_PASSED;
}

static int check_keys(const json_t *job, struct why why)
{
    static const char *const known[] = { "name", "queue", "priority", "preemptible", "list_seq", "created_seq", "gpus_per_task",
                                         "cpu_milli_per_task", "memory_bytes_per_task", "gpu_memory_mib_per_task", "tasks",
                                         "min_available", "subgroups", "topology_constraint", "stays_releasing_when_evicted",
                                         "fraction_devices_per_task", "stale_for_seconds", "age_minutes", NULL };
    static const char *const of_task[] = { "id", "state", "node", "gpu_groups", "subgroup", "gpus", "mig", "legacy_mig",
                                           "allowed_nodes", "task_priority", "pod_affinity_labels", "pod_affinity_key",
                                           "pod_anti_affinity_key", NULL };
    size_t i;
    const json_t *task;
    int result = only_known(job, "a job's", known, why);
    json_array_foreach(json_object_get(job, "tasks"), i, task)
        result = result == CASE_PASSED ? only_known(task, "a task's", of_task, why) : result;
    return result;
}

static int add_job(struct making *m, const json_t *json, struct why why)
{
    struct session *s = m->s;
    struct error err = { "" };
    struct session_job *job = &s->job[s->n_jobs];
    *job = (struct session_job){ json, text_of(json, "name"), s->n_tasks, 0,
                                 json_is_true(json_object_get(json, "stays_releasing_when_evicted")) };
    m->row = job_row_default;
    m->row.job_id = job->name;
    m->row.job_id_length = strlen(job->name);
    m->row.queue = text_of(json, "queue");
    m->row.queue_length = strlen(m->row.queue);
    m->row.duration_ns = FOR_EVER_NS;
    m->row.estimate_ns = TIME_NEVER;
    m->row.priority = (int32_t)number_of(json, "priority");
    m->row.preemptible = json_is_true(json_object_get(json, "preemptible"));
    m->row.cpu_milli = (int64_t)number_of(json, "cpu_milli_per_task");
    m->row.mem_mib = (int64_t)number_of(json, "memory_bytes_per_task");
    m->n_parts = 0;
    if (!take_pods(m, json))
        return because(CASE_SKIPPED, why, "pods of one job that say different things of others");
    if (job->stays)
        m->row.overhead.save_ns = FOR_EVER_NS;
    if (check_keys(json, why) != CASE_PASSED || add_tasks(m, json, why) != CASE_PASSED ||
        add_holds(m, json, job->first, why) != CASE_PASSED)
        return CASE_SKIPPED;
    m->row.part = m->n_parts ? m->part : NULL;
    m->row.n_parts = m->n_parts;
    job->n = s->n_tasks - job->first;
    s->n_jobs++;
    if (job->n < json_array_size(json_object_get(json, "tasks")))
        return because(CASE_SKIPPED, why, "tasks of job %s are in no group", job->name);
    if (workload_add(s->workload, &m->row, "case", s->n_jobs, &err) != 0)
        return because(CASE_SKIPPED, why, "%s", err.text);
    return CASE_PASSED;
}

static int older_first(const void *a, const void *b)
{
    const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
    double age = number_of(y, "age_minutes") - number_of(x, "age_minutes");
    double t = age != 0 ? age : number_of(x, "created_seq") - number_of(y, "created_seq");
    return t != 0 ? (t > 0) - (t < 0) : strcmp(text_of(x, "name"), text_of(y, "name"));
}

int session_jobs(struct session *s, struct why why)
{
    static const json_t *job[JOBS_MOST];
    static struct making m;
    const json_t *jobs = json_object_get(s->json, "jobs");
    size_t n = json_array_size(jobs);
    memset(&m, 0, sizeof m);
    m.s = s;
    if (n > JOBS_MOST)
        return because(CASE_SKIPPED, why, "more than %d jobs", JOBS_MOST);
    for (size_t i = 0; i < n; i++)
        job[i] = json_array_get(jobs, i);
    qsort(job, n, sizeof *job, older_first);
    for (size_t i = 0; i < n; i++)
        if (add_job(&m, job[i], why) != CASE_PASSED)
            return CASE_SKIPPED;
    return CASE_PASSED;
}
