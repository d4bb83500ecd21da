/* read.c - reading the native format: see native.h. */
#include "sim/base/suggest.h"
#include "sim/base/memory.h"
#include "traces/formats/columns.h"
#include "traces/native/native.h"
#include "traces/native/parts.h"
#include "traces/native/running_on.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The cells of one row; without a cell the default of `nothing`. */
struct native {
    struct cell job_id, group, user, queue, gpu_type, model, depends_on, selector, affinity,
        tolerations, pod_labels, pod_affinity, pod_anti_affinity, pod_spread, running_on,
        recorded_on, promised_on, data_set, image, partition, qos, account, slices, podset_group,
        topology;
    int64_t submit_ns, duration_ns, estimate_ns, deadline_ns, started_ns, leaving_ns,
        recorded_wait_ns;
    int64_t duty, bandwidth, used_mem_mib; /* duties in millionths */
    int64_t gpus_milli, per_task_milli, tasks, min_tasks, max_tasks, min_gpus, max_gpus, gpu_milli;
    int64_t cpu_milli, mem_mib, priority, max_per_node, max_unavailable, nice;
    int64_t gpu_mem_mib, share_mem_mib, data_mib, epochs, checkpoint_mib;
    int64_t interval_ns, save_ns, grace_ns, restart_ns, max_requeues;
    uint16_t mig;
    size_t preemptible, moldable, anti_affinity, class, status, checkpoint; /* indexes of words */
};
#define NOT_GIVEN (-1)
static const struct native nothing = {
    .estimate_ns = TIME_NEVER,
    .deadline_ns = TIME_NEVER,
    .started_ns = TIME_NEVER,
    .leaving_ns = NOT_GIVEN,
    .recorded_wait_ns = NOT_GIVEN,
    .checkpoint = SIZE_MAX,
    .interval_ns = NOT_GIVEN,
    .duty = DUTY_UNSAID,
    .bandwidth = DUTY_UNSAID,
    .save_ns = NOT_GIVEN,
    .grace_ns = NOT_GIVEN,
    .restart_ns = NOT_GIVEN,
    .max_requeues = NOT_GIVEN,
    .checkpoint_mib = NOT_GIVEN,
    .max_unavailable = NOT_GIVEN,
    .per_task_milli = NOT_GIVEN,
    .gpu_milli = NOT_GIVEN,
    .preemptible = 1,
    .class = CLASS_TRAINING,
    .status = FATE_COMPLETED,
};

/* odd: true */
static const char *const booleans[] = { "false", "true", "no", "yes", "0", "1", NULL };
const char *const native_classes[] = { "training", "inference", "interactive", "batch", NULL };
const char *const native_fates[] = { "completed", "failed", "cancelled", NULL };
const char *const native_checkpoints[] = { "none", "perfect", "periodic", NULL };
static const char *const anti_affinities[] = { "none", "node", NULL };

enum kind { TEXT, TIME, GPUS, NUMBER, WORD, MIG };
struct column {
    const char *name;
    enum kind kind;
    size_t at;                  /* where in struct native */
    int64_t scale, least, most; /* NUMBER; scale 1: whole */
    const char *const *words;   /* WORD */
};
#define REQUIRED     4 /* the first ones */
#define YEARS_100_NS (INT64_C(36525) * 86400 * NS_PER_S)
#define AT(field) .at = offsetof(struct native, field)
#define CELL(text, is, field) { .name = text, .kind = is, AT(field) }
#define A_WORD(text, field, list) { .name = text, .kind = WORD, AT(field), .words = list }
#define A_NUMBER(text, field, by, from, to) \
    { .name = text, .kind = NUMBER, AT(field), .scale = by, .least = from, .most = to }
static const struct column columns[] = {
    CELL("job_id", TEXT, job_id),
    CELL("submit_s", TIME, submit_ns),
    CELL("duration_s", TIME, duration_ns),
    CELL("gpus", GPUS, gpus_milli),
    CELL("gpus_per_task", GPUS, per_task_milli),
    A_NUMBER("tasks", tasks, 1, 1, TASKS_MAX),
    A_NUMBER("min_tasks", min_tasks, 1, 1, TASKS_MAX),
    A_NUMBER("max_tasks", max_tasks, 1, 1, TASKS_MAX), /* elastic: from min_tasks to max_tasks */
    A_NUMBER("min_gpus", min_gpus, 1, 1, GPUS_MAX),    /* elastic, without tasks */
    A_NUMBER("max_gpus", max_gpus, 1, 1, GPUS_MAX),
    A_WORD("moldable", moldable, booleans),            /* elastic until it starts */
    A_NUMBER("cpus_per_task", cpu_milli, 1000, 0, INT64_C(1000) * CPUS_MAX),
    A_NUMBER("mem_gib_per_task", mem_mib, 1024, 0, INT64_C(1024) * GIB_MAX),
    A_NUMBER("gpu_milli", gpu_milli, 1, 0, MILLI_ALL),
    CELL("gpu_type", TEXT, gpu_type),
    CELL("user", TEXT, user),
    CELL("queue", TEXT, queue),
    A_WORD("class", class, native_classes),
    A_NUMBER("priority", priority, 1, INT32_MIN, INT32_MAX),
    A_WORD("preemptible", preemptible, booleans),
    A_NUMBER("max_unavailable", max_unavailable, 1, 0, TASKS_MAX),
    CELL("estimate_s", TIME, estimate_ns),
    CELL("deadline_s", TIME, deadline_ns), /* a time of the trace, as submit_s */
    A_WORD("status", status, native_fates),
    CELL("topology", TEXT, topology),
    CELL("slices", TEXT, slices), /* sim/workload/pod_sets.h */
    CELL("podset_group", TEXT, podset_group),
    CELL("node_selector", TEXT, selector),
    CELL("affinity", TEXT, affinity),
    CELL("tolerations", TEXT, tolerations),
    CELL("pod_labels", TEXT, pod_labels),
    CELL("pod_affinity", TEXT, pod_affinity),
    CELL("pod_anti_affinity", TEXT, pod_anti_affinity),
    CELL("pod_spread", TEXT, pod_spread),
    A_NUMBER("max_per_node", max_per_node, 1, 1, TASKS_MAX),
    A_WORD("anti_affinity", anti_affinity, anti_affinities), /* node: one task a node */
    A_NUMBER("gpu_mem_gib", gpu_mem_mib, 1024, 0, INT64_C(1024) * GIB_MAX),
    A_NUMBER("gpu_share_mem_gib", share_mem_mib, 1024, 1, INT64_C(1024) * GIB_MAX),
    CELL("mig", MIG, mig),
    CELL("model", TEXT, model),
    A_NUMBER("data_gib", data_mib, 1024, 0, INT64_C(1024) * GIB_MAX),
    CELL("depends_on", TEXT, depends_on), /* sim/workload/dependencies.c */
    CELL("running_on", TEXT, running_on),
    A_NUMBER("started_s", started_ns, NS_PER_S, -YEARS_100_NS, YEARS_100_NS),
    CELL("leaving_s", TIME, leaving_ns),
    CELL("recorded_wait_s", TIME, recorded_wait_ns),
    CELL("recorded_on", TEXT, recorded_on),
    CELL("promised_on", TEXT, promised_on),
    A_WORD("checkpoint", checkpoint, native_checkpoints), /* instead of the cluster's */
    CELL("interval_s", TIME, interval_ns),
    CELL("save_s", TIME, save_ns),
    CELL("grace_s", TIME, grace_ns),
    CELL("restart_s", TIME, restart_ns),
    A_NUMBER("max_requeues", max_requeues, 1, 0, REQUEUES_MOST),
    A_NUMBER("duty", duty, DUTY_ALL, 0, DUTY_ALL),
    A_NUMBER("mem_bw_duty", bandwidth, DUTY_ALL, 0, DUTY_ALL),
    A_NUMBER("gpu_mem_used_gib", used_mem_mib, 1024, 0, INT64_C(1024) * GIB_MAX), /* of each GPU */
    A_NUMBER("checkpoint_gib", checkpoint_mib, 1024, 0, INT64_C(1024) * GIB_MAX),
    CELL("data_set", TEXT, data_set), /* jobs with one data set share the caches of nodes */
    A_NUMBER("epochs", epochs, 1, 1, TASKS_MAX),
    CELL("image", TEXT, image),
    CELL("group", TEXT, group),
    CELL("partition", TEXT, partition), /* sim/contract/site.h; "a;b": the first that can */
    CELL("qos", TEXT, qos),
    CELL("account", TEXT, account),
    A_NUMBER("nice", nice, 1, INT32_MIN, INT32_MAX),
};
#define COLUMNS (sizeof columns / sizeof *columns)

/* What belongs to a row with a group; all other columns belong to the job. */
static const char *const own_columns[] = {
    "gpus",          "gpus_per_task",    "gpu_milli", "tasks", "min_tasks",
    "cpus_per_task", "mem_gib_per_task", "topology",  "group", "gpu_type",
    "node_selector", "affinity", "tolerations", "slices", "podset_group", NULL
};

/* What they say stands in the first part of struct job_row: the others say what few rows do. */
static const char *const usual_columns[] = {
    "job_id", "submit_s", "duration_s", "gpus", "gpus_per_task", "tasks", "min_tasks", "cpus_per_task", "mem_gib_per_task",
    "gpu_milli", "gpu_type", "user", "queue", "class", "priority", "preemptible", "estimate_s", "deadline_s", "status", "model",
    "recorded_wait_s", NULL
};

struct reading {
    struct workload *w;
    struct parts parts;
    size_t job_id, group;         /* index of the cell; TABLE_NO_COLUMN: no such column */
    struct native cells;          /* of the row, where it has such a cell; else `nothing` */
    struct job_row job;           /* of the row; where no column says something it is the default */
    bool rare;                    /* there is a column that is not usual */
    bool own[COLUMNS];            /* [n_used] used[k] belongs to the row */
    size_t n_used, cell[COLUMNS]; /* [n_used] index of the cell of used[k] */
    const struct column *used[COLUMNS];
    struct held_list running_on, recorded_on, promised_on;
};

/* ---- the header ---- */

static const struct column *find_column(const char *name)
{
    for (const struct column *c = columns; c < columns + COLUMNS; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

static int unknown_column(const struct row *header, const char *name, struct error *err)
{
    char known[1024];
    size_t n = 0;
    struct suggestion near = { .typed = name };
    for (size_t i = 0; i < COLUMNS && n < sizeof known; i++) {
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", columns[i].name);
        suggest_offer(&near, columns[i].name);
    }
    if (near.best)
        return error_set(err, "%s:%zu: unknown column '%.40s', did you mean '%s'? A column that "
                              "is not read has a name that begins with x_",
                         header->file, header->line, name, near.best);
    return error_set(
        err, "%s:%zu: unknown column '%.40s': want one of %s, or a name that begins with x_",
        header->file, header->line, name, known);
}

static int on_header(void *self, const struct row *header, struct error *err)
{
    struct reading *r = self;
    for (size_t i = 0; i < header->n_columns; i++) {
        const struct column *c = find_column(header->column[i]);
        if (!c && strncmp(header->column[i], "x_", 2) == 0)
            continue;
        if (!c)
            return unknown_column(header, header->column[i], err);
        r->used[r->n_used] = c; /* table_in.h refuses a name that occurs twice */
        r->own[r->n_used] = own_columns[word_index(own_columns, c->name)];
        r->rare |= !usual_columns[word_index(usual_columns, c->name)];
        r->cell[r->n_used++] = i;
    }
    for (size_t i = 0; i < REQUIRED; i++)
        if (table_column(header, columns[i].name) == TABLE_NO_COLUMN)
            return error_set(err, "%s:%zu: want a column '%s'", header->file, header->line,
                             columns[i].name);
    r->cells = nothing;
    r->job = job_row_default;
    r->job_id = table_column(header, "job_id");
    r->group = table_column(header, "group");
    if (!r->rare)
        workload_add_ahead(r->w);
    return 0;
}

/* ---- cells ---- */

static int take_cell(const struct row *row, size_t i, const struct column *c, struct native *n,
                     struct error *err)
{
    void *to = (char *)n + c->at;
    if (c - columns < REQUIRED && cell_required(row, i, err))
        return -1;
    if (row->cell[i].length == 0)
        return 0;
    switch (c->kind) {
    case TEXT:
        *(struct cell *)to = row->cell[i];
        return 0;
    case TIME:
        return cell_time(row, i, 0, to, err);
    case GPUS:
        return cell_gpus(row, i, to, err);
    case NUMBER:
        if (c->scale == 1)
            return cell_integer(row, i, c->least, c->most, to, err);
        return cell_decimal(row, i, c->scale, c->least, c->most, to, err);
    case WORD:
        return cell_word(row, i, c->words, to, err);
    case MIG:
        *(uint16_t *)to = mig_profile(row->cell[i].text);
        return *(uint16_t *)to ? 0 : cell_error(row, i, MIG_WANTED, err);
    }
    return -1;
}

/* ---- the size of a job ---- */

static int wrong(const struct row *row, const char *column, const char *want, struct error *err)
{
    for (size_t i = 0; i < row->n_columns; i++)
        if (strcmp(row->column[i], column) == 0)
            return cell_error(row, i, want, err);
    return cell_error(row, TABLE_NO_COLUMN, want, err);
}

/* tasks = gpus / gpus_per_task, or checks that they agree. */
static int split_into_tasks(const struct row *row, struct native *n, struct error *err)
{
    int64_t per_task = n->per_task_milli;
    if (!n->tasks && per_task > 0 && n->gpus_milli % per_task == 0)
        n->tasks = n->gpus_milli / per_task;
    else if (!n->tasks && n->gpus_milli == per_task)
        n->tasks = 1; /* 0 GPUs of 0 for each task */
    if (!n->tasks)
        return wrong(row, "gpus", "a multiple of gpus_per_task", err);
    if (n->tasks * per_task != n->gpus_milli)
        return wrong(row, "gpus", "tasks x gpus_per_task", err);
    if (n->tasks > TASKS_MAX)
        return wrong(row, "gpus", "at most 1000000 tasks of gpus_per_task", err);
    return 0;
}

static int size(const struct row *row, struct native *n, struct job_row *job, struct error *err)
{
    bool by_task = n->per_task_milli != NOT_GIVEN;
    if (by_task && split_into_tasks(row, n, err) != 0)
        return -1;
    job_gpus(job, by_task ? n->per_task_milli : n->gpus_milli);
    if (by_task)
        job->gpus *= (uint32_t)n->tasks;
    job->tasks = (uint32_t)n->tasks;
    job->min_tasks = (uint32_t)n->min_tasks;
    job->max_tasks = (uint32_t)n->max_tasks;
    job->min_gpus = (uint32_t)n->min_gpus;
    job->max_gpus = (uint32_t)n->max_gpus;
    job->moldable = n->moldable % 2;
    job->mig = n->mig;
    job->share_mem_mib = (uint32_t)n->share_mem_mib;
    if (!by_task && job->gpu_milli < MILLI_ALL && n->tasks > 1)
        return wrong(row, "gpus", "a whole number, as there are tasks, or gpus_per_task", err);
    if (n->gpu_milli == NOT_GIVEN || job->gpus == 0)
        return 0;
    if (n->gpu_milli == 0)
        return wrong(row, "gpu_milli", "at least 1, as there are GPUs", err);
    if (job->gpu_milli < MILLI_ALL && n->gpu_milli != job->gpu_milli)
        return wrong(row, "gpu_milli",
                     by_task ? "the fraction in gpus_per_task" : "the fraction in gpus", err);
    job->gpu_milli = (uint32_t)n->gpu_milli;
    return 0;
}

static void fill_usual(const struct native *n, struct job_row *job)
{
    job->job_id = n->job_id.text;
    job->job_id_length = n->job_id.length;
    job->queue = n->queue.text;
    job->queue_length = n->queue.length;
    job->user = n->user.text;
    job->user_length = n->user.length;
    job->gpu_type = n->gpu_type.text;
    job->gpu_type_length = n->gpu_type.length;
    job->model = n->model.text;
    job->model_length = n->model.length;
    job->submit_ns = n->submit_ns;
    job->duration_ns = n->duration_ns;
    job->estimate_ns = n->estimate_ns;
    job->deadline_ns = n->deadline_ns;
    job->recorded_wait_ns = n->recorded_wait_ns;
    job->cpu_milli = n->cpu_milli;
    job->mem_mib = n->mem_mib;
    job->priority = (int32_t)n->priority;
    job->class = (enum job_class)n->class;
    job->fate = (enum job_fate)n->status;
    job->preemptible = n->preemptible % 2;
}

/* What few rows say: struct job_row. */
static void fill_rare(const struct native *n, struct job_row *job)
{
    job->depends_on = n->depends_on.text;
    job->depends_on_length = n->depends_on.length;
    job->gpu_mem_mib = (uint32_t)n->gpu_mem_mib;
    job->data_mib = (uint32_t)n->data_mib;
    job->data_set = n->data_set.text;
    job->data_set_length = n->data_set.length;
    job->image = n->image.text;
    job->image_length = n->image.length;
    job->epochs = (uint32_t)n->epochs;
    job->partition = n->partition.text;
    job->qos = n->qos.text;
    job->account = n->account.text;
    job->nice = (int32_t)n->nice;
    job->max_down = (uint32_t)(n->max_unavailable + 1);
    job->selector = n->selector.text;
    job->affinity = n->affinity.text;
    job->tolerations = n->tolerations.text;
    job->pod_labels = n->pod_labels.text;
    job->pod_affinity = n->pod_affinity.text;
    job->pod_anti_affinity = n->pod_anti_affinity.text;
    job->pod_spread = n->pod_spread.text;
    job->max_per_node = n->anti_affinity ? 1 : (uint32_t)n->max_per_node;
    int64_t checkpoint = n->checkpoint == SIZE_MAX ? -1 : (int64_t)n->checkpoint;
    job->overhead = (struct own_overhead){ checkpoint,  n->interval_ns, n->save_ns,
                                     n->grace_ns, n->restart_ns,  n->checkpoint_mib,
                                     n->max_requeues + 1 };
    job->duty = (struct duty){ (uint32_t)n->duty, (uint32_t)n->bandwidth };
    job->used_mem_mib = (uint32_t)n->used_mem_mib;
    job->slices = n->slices.text;
}

#define TOPOLOGY_WANT                                                                              \
    "required:LEVEL or preferred:LEVEL, LEVEL being island, numa, node, rack, pod, cluster or "    \
    "another level of the cluster"

/* "required:rack": within one rack. "preferred:rack": wider if no rack has room. */
static int take_topology(struct workload *w, const struct row *row, const struct native *n,
                         struct job_row *job, struct error *err)
{
    const char *text = n->topology.text, *colon = n->topology.length ? strchr(text, ':') : NULL;
    size_t length = colon ? (size_t)(colon - text) : 0;
    bool required = length == 8 && strncmp(text, "required", 8) == 0,
         preferred = length == 9 && strncmp(text, "preferred", 9) == 0;
    if (!n->topology.length)
        return 0;
    if (!required && !preferred)
        return wrong(row, "topology", TOPOLOGY_WANT, err);
    const char *name = colon + 1;
    uint8_t level = workload_level(w, name, strlen(name), row->file, row->line);
    *(required ? &job->required_level : &job->preferred_level) = level;
    if (level != LEVEL_ANY)
        return 0;
    return wrong(row, "topology", workload_level_want(w, name, strlen(name), TOPOLOGY_WANT), err);
}

/* The nodes and GPUs that a cell names; none: 0 of them. */
static int take_places(const struct row *row, const struct cell *cell, const char *column,
                       struct held_list *on, const struct held_at **to, uint32_t *n,
                       struct error *err)
{
    if (cell->length && !running_on_parse(cell->text, on))
        return wrong(row, column, RUNNING_ON_WANT, err);
    *to = on->at;
    *n = cell->length ? (uint32_t)on->n : 0;
    return 0;
}

static int take_running(const struct row *row, const struct native *n, struct job_row *job,
                        struct error *err)
{
    job->leaving_ns = n->leaving_ns;
    if (n->started_ns == TIME_NEVER)
        return 0;
    job->ran_ns = n->submit_ns - n->started_ns;
    return job->ran_ns >= 0 ? 0 : wrong(row, "started_s", "at most submit_s", err);
}

static void forget(struct native *n, const struct column *c)
{
    void *to = (char *)n + c->at;
    const void *from = (const char *)&nothing + c->at;
    switch (c->kind) {
    case TEXT:
        *(struct cell *)to = *(const struct cell *)from;
        break;
    case TIME:
    case GPUS:
    case NUMBER:
        *(int64_t *)to = *(const int64_t *)from;
        break;
    case WORD:
        *(size_t *)to = *(const size_t *)from;
        break;
    case MIG:
        *(uint16_t *)to = *(const uint16_t *)from;
        break;
    }
}

/* As if no row had been read: only what a row of these columns can have changed. */
static void forget_row(struct reading *r)
{
    if (r->rare) {
        r->cells = nothing;
        r->job = job_row_default;
        return;
    }
    for (size_t k = 0; k < r->n_used; k++)
        forget(&r->cells, r->used[k]);
    r->cells.tasks = 0;           /* split_into_tasks() may have said it */
    memcpy(&r->job, &job_row_default, JOB_ROW_USUAL);
}

static int take_row(struct reading *r, const struct row *row, struct error *err)
{
    struct native *n = &r->cells;
    struct job_row *job = &r->job;
    forget_row(r);
    for (size_t k = 0; k < r->n_used; k++)
        if (take_cell(row, r->cell[k], r->used[k], n, err) != 0)
            return -1;
    if (size(row, n, job, err) != 0)
        return -1;
    fill_usual(n, job);
    if (!r->rare)
        return 0;
    fill_rare(n, job);
    if (take_topology(r->w, row, n, job, err) != 0 ||
        take_places(row, &n->recorded_on, "recorded_on", &r->recorded_on, &job->recorded_on,
                    &job->n_recorded_on, err) != 0 ||
        take_places(row, &n->promised_on, "promised_on", &r->promised_on, &job->promised_on,
                    &job->n_promised_on, err) != 0 ||
        take_places(row, &n->running_on, "running_on", &r->running_on, &job->running_on,
                    &job->n_running_on, err) != 0)
        return -1;
    return take_running(row, n, job, err);
}

static int check_part(struct reading *r, const struct row *row, const struct job_row *job,
                      bool continues, struct error *err)
{
    for (size_t k = 0; continues && k < r->n_used; k++)
        if (!r->own[k] && parts_same(&r->parts, row, r->cell[k], err) != 0)
            return -1;
    if (job->tasks && job->gpus % job->tasks)
        return wrong(row, "gpus", "a multiple of tasks", err);
    return 0;
}

static int on_row(void *self, const struct row *row, struct error *err)
{
    struct reading *r = self;
    struct row kept;
    bool part = r->group != TABLE_NO_COLUMN && row->cell[r->group].length;
    bool continues = part && parts_continue(&r->parts, row, r->job_id);
    if (!continues && parts_end(&r->parts, err) != 0)
        return -1;
    if (part && !continues) {
        kept = parts_keep(&r->parts, row);
        row = &kept;
    }
    if (take_row(r, row, err) != 0)
        return -1;
    if (!part)
        return r->cells.podset_group.length ? wrong(row, "podset_group", "a group in the row: the job is one of two pod sets", err)
                                            : workload_add(r->w, &r->job, row->file, row->line, err);
    if (check_part(r, row, &r->job, continues, err) != 0)
        return -1;
    parts_add(&r->parts, row, &r->job, &(struct part_cells){ r->cells.group, r->cells.slices, r->cells.podset_group });
    return 0;
}

static const char *const needed[] = { "job_id", "submit_s", "duration_s", "gpus", NULL };

/* No other format has units in these names. */
static int recognise(const char *head, size_t length)
{
    return columns_recognise(needed, head, length) ? 2 : 0;
}

static int read_native(struct input *in, const char *const *value, struct workload *w,
                       struct error *err)
{
    (void)value;
    static const struct table_handler handler = { .on_header = on_header, .on_row = on_row };
    struct reading r = { .w = w };
    parts_begin(&r.parts, w);
    int result = table_read(in, (struct table_style){ .header = true }, &handler, &r, err);
    if (result == 0)
        result = parts_end(&r.parts, err);
    parts_free(&r.parts);
    free(r.running_on.at);
    free(r.recorded_on.at);
    free(r.promised_on.at);
    return result;
}

const struct trace_format native_format = {
    .name = "native",
    .summary = "gpuyard's own: job_id,submit_s,duration_s,gpus and optional columns",
    .columns = needed,
    .one_by_one = true,
    .recognise = recognise,
    .read = read_native,
};
