/* workload.c - see workload.h: rows become jobs. workload_change.c sorts and changes them. */
#include "sim/workload/workload.h"

#include "sim/base/memory.h"
#include "sim/workload/early.h"
#include "sim/workload/job_inputs.h"
#include "sim/workload/pod_sets.h"
#include "sim/workload/record.h"
#include "sim/workload/row_check.h"
#include "sim/workload/rows_ahead.h"
#include "sim/workload/sizes.h"
#include "sim/workload/task_groups.h"
#include "sim/workload/asked_levels.h"
#include "sim/workload/workload_builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

struct workload *workload_new(void)
{
    struct workload *w = mem_new(1, sizeof *w);
    w->queue_names = intern_new();
    w->users = intern_new();
    w->gpu_types = intern_new();
    w->wishes = intern_new();
    w->models = intern_new();
    w->levels = asked_levels_new();
    w->trees = group_trees_new();
    w->pod_sets = pod_sets_new();
    w->overheads = intern_new();
    w->sites = intern_new();
    w->inputs = job_inputs_new();
    workload_extras_begin(w);
    w->sizes = intern_new();
    w->memory = arena_new();
    w->builder = mem_new(1, sizeof *w->builder);
    w->builder->shapes = shapes_new();
    w->builder->ids = job_ids_new();
    w->builder->sorted = true;
    w->origin_ns = TIME_NEVER;
    return w;
}

static void end_builder(struct workload *w)
{
    struct workload_builder *b = w->builder;
    if (!b)
        return;
    rows_ahead_abandon(b->ahead);
    shapes_free(b->shapes);
    pods_free(b->pods);
    job_ids_free(b->ids);
    bulk_free(b->tie);
    free(b->wait);
    free(b->queue_seen);
    free(b);
    w->builder = NULL;
}

void workload_free(struct workload *w)
{
    if (!w)
        return;
    end_builder(w);
    bulk_free(w->facts);
    bulk_free(w->truth);
    bulk_texts_free(w->names);
    free(w->extra);
    free(w->shape);
    free(w->depends_first);
    free(w->depends_on);
    free(w->depends_how);
    free(w->turn);
    free(w->running);
    free(w->record);
    free(w->record_place);
    intern_free(w->queue_names);
    intern_free(w->users);
    intern_free(w->gpu_types);
    intern_free(w->wishes);
    intern_free(w->models);
    asked_levels_free(w->levels);
    group_trees_free(w->trees);
    pod_sets_free(w->pod_sets);
    intern_free(w->overheads);
    intern_free(w->sites);
    job_inputs_free(w->inputs);
    intern_free(w->sizes);
    free(w->overhead_at);
    if (w->services)
        w->services_free(w->services);
    arena_free(w->memory);
    free(w);
}

/* Line numbers are not kept; if every line is a job, they follow from the job number. */
static int used_before(const struct workload *w, const char *file, size_t line, const char *name, job_id earlier, struct error *err)
{
    if (!w->builder->a_job_a_line)
        return error_set(err, "%s:%zu: job_id: '%.100s' was used before", file, line,
                         name);
    return error_set(err, "%s:%zu: job_id: '%.100s' was used before, on line %zu", file,
                     line, name, w->builder->first_line + earlier);
}

/* ---- taking in ---- */

static int64_t per_gpu(int64_t of_the_job, uint32_t gpus)
{
    return of_the_job / gpus + (of_the_job % gpus != 0);
}

uint32_t workload_wish(struct workload *w, const char *text)
{
    return text && *text ? intern_add(w->wishes, text, strlen(text)) : ID_NONE;
}

static uint32_t pods_of(struct workload *w, const struct job_row *row)
{
    const char *const part[] = { row->pod_labels, row->pod_affinity, row->pod_anti_affinity, row->pod_spread };
    enum { PARTS = sizeof part / sizeof *part };
    size_t length = PARTS;
    bool any = false;
    for (size_t i = 0; i < PARTS; i++) {
        any = any || (part[i] && *part[i]);
        length += part[i] ? strlen(part[i]) : 0;
    }
    if (!any)
        return ID_NONE;
    char *text = mem_new(length + 1, 1);
    for (size_t i = 0; i < PARTS; i++) {
        strcat(text, part[i] ? part[i] : "");
        strcat(text, i + 1 < PARTS ? "\n" : "");
    }
    uint32_t number = intern_add(w->wishes, text, strlen(text));
    free(text);
    return number;
}

static const struct shape shape_default = {
    .next = ID_NONE,
    .gpu_type = ID_NONE,
    .pin = ID_NONE,
    .limited = ID_NONE,
    .pods = ID_NONE,
    .selector = ID_NONE,
    .affinity = ID_NONE,
    .tolerations = ID_NONE,
    .ask = { .job = ID_NONE, .try_first = ID_NONE },
};

/* Written in place: a copy would wait for what was just written in other widths. */
static void set_wishes(struct workload *w, const struct job_row *row, bool plain, struct shape *s)
{
    *s = shape_default;
    if (!plain) {
        s->pods = pods_of(w, row);
        s->selector = workload_wish(w, row->selector);
        s->affinity = workload_wish(w, row->affinity);
        s->tolerations = workload_wish(w, row->tolerations);
    }
    if (row->gpu_type_length)
        s->gpu_type = intern_add(w->gpu_types, row->gpu_type, row->gpu_type_length);
}

/* A total of several GPUs without tasks may be split any way; one GPU, a share of one, or none is
 * one task; several shares are as many tasks, for two of them may lie on one node, or on one
 * GPU. */
static shape_id shape_of(struct workload *w, const struct job_row *row, bool plain, bool sized,
                         const struct pod_set *set)
{
    struct shape s;
    set_wishes(w, row, plain, &s);
    s.gpu_mem_mib = row->gpus ? row->gpu_mem_mib : 0;
    s.share_mem_mib = row->gpus ? row->share_mem_mib : 0;
    s.used_mem_mib = row->gpus ? row->used_mem_mib : 0;
    s.ask.tasks = row_tasks(row);
    s.ask.gpus = row->gpus;
    s.ask.gpu_milli = job_row_milli(row, row->gpus, row->gpu_milli);
    s.ask.mig = row->gpus ? row->mig : 0;
    s.ask.required_level = row->required_level;
    s.ask.preferred_level = row->preferred_level;
    s.ask.cpu_milli = row->cpu_milli;
    s.ask.mem_mib = row->mem_mib;
    s.ask.max_per_node = row->max_per_node;
    s.ask.set = set;
    if (row_shares_several(row)) {
        s.ask.gpus = 1;
        s.ask.cpu_milli = per_gpu(row->cpu_milli, row->gpus);
        s.ask.mem_mib = per_gpu(row->mem_mib, row->gpus);
    } else if (row->tasks) {
        s.ask.gpus = row->gpus / row->tasks;
    } else if (row->gpus > 1 || sized) {
        s.ask.tasks = SPLIT_ANY;
        s.ask.cpu_milli = per_gpu(row->cpu_milli, row->gpus);
        s.ask.mem_mib = per_gpu(row->mem_mib, row->gpus);
    }
    return shapes_add(w->builder->shapes, &s);
}

static int parted_shape(struct workload *w, const struct job_row *row, bool plain, const char *file, shape_id *shape,
                        uint32_t *min_tasks, struct error *err)
{
    struct shape common;
    set_wishes(w, row, plain, &common);
    return task_groups_shape(w, row, common, file, shape, min_tasks, err);
}

static void note_order(struct workload *w, const struct job_row *row, size_t line)
{
    struct workload_builder *b = w->builder;
    job_id j = w->n_jobs;
    if (j == 0)
        b->first_line = line;
    b->a_job_a_line = (j == 0 || b->a_job_a_line) && line == b->first_line + j;
    if (!b->tie && row->tie)
        b->tie = workload_no_ties(w);
    if (b->tie)
        b->tie[j] = row->tie;
    if (row->on_demand) {
        b->n_on_demand++;
        b->sorted = false;
        return;
    }
    w->n_unsorted += j && row->submit_ns < w->facts[j - 1].submit_ns;
    w->numbered = (j == 0 || w->numbered) && !row->job_id;
    if (j && (row->submit_ns < w->facts[j - 1].submit_ns ||
              (row->submit_ns == w->facts[j - 1].submit_ns && b->tie && row->tie < b->tie[j - 1])))
        b->sorted = false;
}

static uint32_t overhead_add(struct workload *w, const struct own_overhead *own, const char *file,
                             size_t line)
{
    static const struct own_overhead none = OWN_OVERHEAD_NONE;
    uint32_t known = intern_count(w->overheads);
    if (!memcmp(own, &none, sizeof none))
        return 0;
    uint32_t number = intern_add(w->overheads, (const char *)own, sizeof *own);
    if (number == known) {
        mem_grow(&w->overhead_at, &w->overhead_capacity, known, sizeof *w->overhead_at);
        w->overhead_at[known] =
            (struct overhead_at){ arena_text(w->memory, file, strlen(file)), line };
    }
    return number + 1;
}

void workload_each_gpu_type(const struct workload *w, job_id j,
                            void (*type)(void *self, uint32_t gpu_type), void *self)
{
    for (const struct request *r = w->facts[j].ask; r; r = r->next) {
        uint32_t own = w->shape[r->shape].gpu_type;
        bool was = r->gpus == 0;
        for (const struct request *q = w->facts[j].ask; q != r; q = q->next)
            was |= q->gpus && w->shape[q->shape].gpu_type == own;
        if (!was)
            type(self, own);
    }
}

struct own_overhead workload_overhead(const struct workload *w, uint32_t overhead)
{
    struct own_overhead own;
    memcpy(&own, intern_text(w->overheads, overhead - 1), sizeof own);
    return own;
}

static uint32_t site_add(struct workload *w, const struct job_row *row)
{
    static const struct own_site none = OWN_SITE_NONE;
    struct own_site own = { workload_wish(w, row->partition), workload_wish(w, row->qos),
                            workload_wish(w, row->account), row->nice };
    return memcmp(&own, &none, sizeof none)
               ? intern_add(w->sites, (const char *)&own, sizeof own) + 1 : 0;
}

struct own_site workload_site(const struct workload *w, uint32_t site)
{
    struct own_site own = OWN_SITE_NONE;
    if (site)
        memcpy(&own, intern_text(w->sites, site - 1), sizeof own);
    return own;
}

static uint32_t running_add(struct workload *w, const struct job_row *row, const char *file,
                            size_t line)
{
    const struct job_running *last = w->n_running ? &w->running[w->n_running - 1] : NULL;
    size_t bytes = row->n_running_on * sizeof *row->running_on;
    const char *same =
        last && !strcmp(last->file, file) ? last->file : arena_text(w->memory, file, strlen(file));
    mem_grow(&w->running, &w->running_capacity, w->n_running, sizeof *w->running);
    w->running[w->n_running] = (struct job_running){
        .on = memcpy(arena_alloc(w->memory, bytes), row->running_on, bytes), .n = row->n_running_on,
        .ran_ns = row->ran_ns, .leaving_ns = row->leaving_ns, .file = same, .line = line,
    };
    return ++w->n_running;
}

void workload_extras_begin(struct workload *w)
{
    w->extra = mem_new(1, sizeof *w->extra);
    w->extra[0].duty = (struct duty){ DUTY_UNSAID, DUTY_UNSAID };
    w->n_extras = 1;
    w->extra_capacity = 1;
}

uint32_t workload_extra_add(struct workload *w, const struct job_extra *x)
{
    if (memcmp(x, &w->extra[0], sizeof *x) == 0)
        return 0;
    if (memcmp(x, &w->extra[w->n_extras - 1], sizeof *x) == 0)
        return w->n_extras - 1;
    mem_grow(&w->extra, &w->extra_capacity, w->n_extras, sizeof *w->extra);
    w->extra[w->n_extras] = *x;
    return w->n_extras++;
}

static uint32_t extra_of(struct workload *w, const struct job_row *row, const char *file,
                         size_t line)
{
    struct job_extra x = { .data_mib = row->data_mib, .duty = row->duty };
    x.site = site_add(w, row);
    x.overhead = overhead_add(w, &row->overhead, file, line);
    x.input = job_inputs_add(w->inputs, row);
    x.running = row->n_running_on ? running_add(w, row, file, line) : 0;
    x.record = record_add(w, row, file, line);
    x.promised = promise_add(w, row, file, line);
    return workload_extra_add(w, &x);
}

static uint32_t queue_of(struct workload *w, const struct job_row *row)
{
    struct workload_builder *b = w->builder;
    uint32_t q = intern_add(w->queue_names, row->queue_length ? row->queue : "", row->queue_length);
    if (q < b->n_queues_named && !b->queue_seen[q]) {
        b->queue_seen[q] = true;
        b->n_queues_seen++;
    }
    return q;
}

static void append(struct workload *w, const struct job_row *row, shape_id shape,
                   uint32_t min_tasks, uint32_t sizing, const char *name, size_t name_length)
{
    job_id j = w->n_jobs;
    const struct shape *of = shapes_at(w->builder->shapes, shape);
    w->facts[j] = (struct job_facts){
        .ask = &of->ask,
        .n_groups = of->n_groups,
        .group = of->group,
        .submit_ns = row->submit_ns,
        .deadline_ns = row->deadline_ns,
        .queue = queue_of(w, row),
        .user = row->user_length ? intern_add(w->users, row->user, row->user_length) : ID_NONE,
        .min_tasks = min_tasks,
        .priority = row->priority,
        .class = (uint8_t)row->class,
        .preemptible = row->preemptible,
        .max_down = row->max_down,
        .model = row->model_length ? intern_add(w->models, row->model, row->model_length) : ID_NONE,
        .sizing = sizing,
    };
    w->truth[j] = (struct job_truth){
        .duration_ns = row->duration_ns,
        .estimate_ns = row->estimate_ns,
        .name = workload_name(w, name, name_length),
        .fate = (uint8_t)row->fate,
        .on_demand = row->on_demand,
    };
    if (w->builder->pods) {
        uint32_t n;
        const struct shape *seen = shapes_there(w->builder->shapes, &n);
        pods_see(w->builder->pods, seen, n);
        pods_of_job(w->builder->pods, w, j);
    }
    w->may_have_deadlines |= row->deadline_ns != TIME_NEVER;
    w->n_jobs++;
}

static int add_now(struct workload *w, const struct job_row *row, const char *file, size_t line, struct error *err)
{
    struct job_sizes sizes;
    const bool plain = row_is_plain(row);
    if (row_check(w, row, plain, file, line, &sizes, err) != 0)
        return -1;
    if (w->n_jobs == ID_NONE - 1)
        return error_set(err, "%s:%zu: want at most %u jobs", file, line, ID_NONE - 1);

    char number[16];
    const char *name = row->job_id;
    size_t length = row->job_id_length;
    if (!name) {
        name = number;
        length = (size_t)snprintf(number, sizeof number, "%" PRIu32, w->n_jobs + 1);
    }
    workload_make_room(w);
    note_order(w, row, line);
    job_id earlier = job_ids_add(w->builder->ids, w->truth, w->n_jobs, name, length);
    if (earlier != ID_NONE)
        return used_before(w, file, line, name, earlier, err);
    shape_id shape = ID_NONE;
    uint32_t min_tasks = row->min_tasks && !row->moldable ? row->min_tasks : row_tasks(row);
    const struct pod_set *set = NULL;
    if (!plain && !row->n_parts && pod_set_of_job(w, row, file, line, &set, err) != 0)
        return -1;
    if (!row->n_parts)
        shape = shape_of(w, row, plain, sizes_vary(&sizes), set);
    else if (parted_shape(w, row, plain, file, &shape, &min_tasks, err) != 0)
        return -1;
    append(w, row, shape, min_tasks, sizes_add(w, &sizes), name, length);
    if (!plain || row->recorded_wait_ns >= 0)
        w->truth[w->n_jobs - 1].extra = extra_of(w, row, file, line);
    if (row->depends_on_length)
        dependencies_note(w, row->depends_on, row->depends_on_length, line);
    return 0;
}

void workload_add_ahead(struct workload *w)
{
    if (w->builder->early)
        w->builder->wants_ahead = true;
    else if (!w->one_thread)
        w->builder->ahead = rows_ahead_begin(w, add_now);
}

/* The run that goes on meanwhile. */
static int tell_run(struct workload *w, struct error *err)
{
    const enum early_goes how = early_added(w->builder->early, w->n_jobs);
    if (how == EARLY_STOPPED)
        return error_set(err, "stopped, as the run was");
    if (how == EARLY_MISSED) {
        w->builder->early = NULL;
        if (w->builder->wants_ahead)
            workload_add_ahead(w);
    }
    return 0;
}

int workload_added(struct workload *w, struct error *err)
{
    struct rows_ahead *ahead = w->builder->ahead;
    w->builder->ahead = NULL;
    return ahead ? rows_ahead_end(ahead, err) : 0;
}

int workload_add(struct workload *w, const struct job_row *row, const char *file, size_t line,
                 struct error *err)
{
    if (w->builder->ahead && rows_ahead_takes(row))
        return rows_ahead_put(w->builder->ahead, row, file, line, err);
    if (w->builder->early && !row_is_plain(row))
        early_miss(w->builder->early, false);
    if (workload_added(w, err) || add_now(w, row, file, line, err))
        return -1;
    return w->builder->early ? tell_run(w, err) : 0;
}

int workload_finish(struct workload *w, const char *file, struct error *err)
{
    struct workload_builder *b = w->builder;
    if (w->n_jobs == 0 && w->n_skipped)
        return error_set(err, "%s: want at least one job, got only %" PRIu32 " that never ran",
                         file, w->n_skipped);
    if (w->n_jobs == 0)
        return error_set(err, "%s: want at least one job, got none", file);
    job_ids_free(b->ids); /* first: sorting wants memory too */
    b->ids = NULL;
    w->facts = bulk_resize(w->facts, w->n_jobs, sizeof *w->facts, workload_resident(w, sizeof *w->facts));
    w->truth = bulk_resize(w->truth, w->n_jobs, sizeof *w->truth, workload_resident(w, sizeof *w->truth));
    bulk_filled(w->truth);
    bulk_texts_filled(w->names);
    bulk_texts_drop(w->names);
    struct shapes *shapes = workload_shapes(b);
    w->shape = shapes_take(shapes, &w->n_shapes);
    for (job_id j = 0; j < w->n_jobs && shapes_moved(shapes); j++) {
        workload_change(w, j);
        w->facts[j].ask = &w->shape[w->facts[j].ask->shape].ask;
    }
    bulk_filled(w->facts);
    if (!b->sorted)
        workload_sort(w);
    w->n_jobs -= b->n_on_demand;
    w->n_on_demand = b->n_on_demand;
    int result = dependencies_resolve(w, file, err);
    end_builder(w);
    return result;
}
