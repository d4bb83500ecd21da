/* queue_file.c - queues of a cluster file: see cluster_reader.h. */
#include "sim/cluster/cluster_reader.h"

#include "sim/base/memory.h"

#include <string.h>

#define QUEUE_PRIORITY 100                 /* schedulers.md b: the default of run:ai's queues */

struct file_queue { /* one entry of `queues` */
    struct queue_facts facts;
    struct config_value pins, preemption, flavors, fungibility, windows, children;
};

/* clang-format off */
#define QUEUE(field) offsetof(struct file_queue, facts.field)
#define RULE(field)  offsetof(struct cohort_rules, field)
#define QUOTA        .type = CONFIG_PARTS, .most = QUOTA_MOST, .word = "unlimited", .word_value = UNLIMITED
static const char *const queueing_words[] = {
    [BEST_EFFORT_FIFO] = "best-effort-fifo", [STRICT_FIFO] = "strict-fifo", NULL,
};
static const char *const within_queue_words[] = {
    [WITHIN_NEVER] = "never", [WITHIN_LOWER_PRIORITY] = "lower-priority",
    [WITHIN_LOWER_OR_NEWER_EQUAL] = "lower-or-newer-equal", NULL,
};
static const char *const reclaim_words[] = {
    [RECLAIM_NEVER] = "never", [RECLAIM_LOWER_PRIORITY] = "lower-priority", [RECLAIM_ANY] = "any", NULL,
};
static const char *const borrow_words[] = {
    [BORROW_NEVER] = "never", [BORROW_LOWER_PRIORITY] = "lower-priority", NULL,
};
static const char *const local_queues_words[] = {
    [LOCAL_QUEUES_NONE] = "none", [LOCAL_QUEUES_FIFO] = "fifo", [LOCAL_QUEUES_BY_USE] = "by-use", NULL,
};
static const struct config_key queue_preemption_keys[] = {
    { .name = "within_queue",          .type = CONFIG_CHOICE, .at = RULE(within_queue), .words = within_queue_words },
    { .name = "reclaim_within_cohort", .type = CONFIG_CHOICE, .at = RULE(reclaim), .words = reclaim_words },
    { .name = "borrow_within_cohort",  .type = CONFIG_CHOICE, .at = RULE(borrow), .words = borrow_words },
    { .name = "borrow_priority_threshold", .type = CONFIG_INTEGER, .at = RULE(borrow_priority_threshold),
      .least = INT32_MIN, .most = INT32_MAX },
    { 0 },
};
static const struct config_key queue_keys[] = {
    { .name = "name",                .type = CONFIG_TEXT, .at = QUEUE(name), .required = true },
    { .name = "deserved_gpus",       QUOTA, .at = QUEUE(quota.deserved.gpu_milli), .scale = 1000 },
    { .name = "deserved_cpus",       QUOTA, .at = QUEUE(quota.deserved.cpu_milli), .scale = 1000 },
    { .name = "deserved_memory_gib", QUOTA, .at = QUEUE(quota.deserved.mem_mib), .scale = 1024 },
    { .name = "limit_gpus",          QUOTA, .at = QUEUE(quota.limit.gpu_milli), .scale = 1000 },
    { .name = "limit_cpus",          QUOTA, .at = QUEUE(quota.limit.cpu_milli), .scale = 1000 },
    { .name = "limit_memory_gib",    QUOTA, .at = QUEUE(quota.limit.mem_mib), .scale = 1024 },
    { .name = "budget_gpu_h_per_month", .type = CONFIG_PARTS, .at = QUEUE(budget_gpu_milli_s), .scale = 3600000,
      .above_least = true, .most = QUOTA_MOST },
    { .name = "weight",              .type = CONFIG_REAL, .at = QUEUE(weight), .most = 1000000 },
    { .name = "cpu_weight",          .type = CONFIG_REAL, .at = QUEUE(cpu_weight), .most = 1000000 },
    { .name = "memory_weight",       .type = CONFIG_REAL, .at = QUEUE(mem_weight), .most = 1000000 },
    { .name = "preempt_min_runtime_s", CONFIG_SECONDS,    .at = QUEUE(preempt_min_runtime_ns) },
    { .name = "reclaim_min_runtime_s", CONFIG_SECONDS,    .at = QUEUE(reclaim_min_runtime_ns) },
    { .name = "priority",            .type = CONFIG_INTEGER, .at = QUEUE(priority), .least = INT32_MIN, .most = INT32_MAX },
    { .name = "borrowing_limit_gpus",       QUOTA, .at = QUEUE(cohort.borrowing_limit.gpu_milli), .scale = 1000 },
    { .name = "borrowing_limit_cpus",       QUOTA, .at = QUEUE(cohort.borrowing_limit.cpu_milli), .scale = 1000 },
    { .name = "borrowing_limit_memory_gib", QUOTA, .at = QUEUE(cohort.borrowing_limit.mem_mib), .scale = 1024 },
    { .name = "lending_limit_gpus",         QUOTA, .at = QUEUE(cohort.lending_limit.gpu_milli), .scale = 1000 },
    { .name = "lending_limit_cpus",         QUOTA, .at = QUEUE(cohort.lending_limit.cpu_milli), .scale = 1000 },
    { .name = "lending_limit_memory_gib",   QUOTA, .at = QUEUE(cohort.lending_limit.mem_mib), .scale = 1024 },
    { .name = "queueing",            .type = CONFIG_CHOICE, .at = QUEUE(cohort.queueing), .words = queueing_words },
    { .name = "local_queues",        .type = CONFIG_CHOICE, .at = QUEUE(local_queues), .words = local_queues_words },
    { .name = "preemption",          .type = CONFIG_MAPPING, .at = offsetof(struct file_queue, preemption) },
    { .name = "flavors",             .type = CONFIG_LIST, .at = offsetof(struct file_queue, flavors) },
    { .name = "fungibility",         .type = CONFIG_MAPPING, .at = offsetof(struct file_queue, fungibility) },
    { .name = "windows",             .type = CONFIG_LIST, .at = offsetof(struct file_queue, windows) },
    { .name = "nodes",               .type = CONFIG_MAPPING, .at = offsetof(struct file_queue, pins) },
    { .name = "queues",              .type = CONFIG_LIST, .at = offsetof(struct file_queue, children) },
    { 0 },
};
#define WINDOW(field) offsetof(struct quota_window, field)
static const struct config_key window_keys[] = {
    { .name = "from_s",              CONFIG_SECONDS, .at = WINDOW(from_ns), .required = true },
    { .name = "until_s",             CONFIG_SECONDS, .at = WINDOW(until_ns), .required = true },
    { .name = "every_s",             CONFIG_SECONDS, .at = WINDOW(every_ns), .above_least = true },
    { .name = "deserved_gpus",       QUOTA, .at = WINDOW(quota.deserved.gpu_milli), .scale = 1000 },
    { .name = "deserved_cpus",       QUOTA, .at = WINDOW(quota.deserved.cpu_milli), .scale = 1000 },
    { .name = "deserved_memory_gib", QUOTA, .at = WINDOW(quota.deserved.mem_mib), .scale = 1024 },
    { .name = "limit_gpus",          QUOTA, .at = WINDOW(quota.limit.gpu_milli), .scale = 1000 },
    { .name = "limit_cpus",          QUOTA, .at = WINDOW(quota.limit.cpu_milli), .scale = 1000 },
    { .name = "limit_memory_gib",    QUOTA, .at = WINDOW(quota.limit.mem_mib), .scale = 1024 },
    { 0 },
};
static const struct config_key pin_key = { .type = CONFIG_COUNT, .least = 1, .most = CLUSTER_NODES_MAX };
/* clang-format on */

static int read_pins(struct cluster_reader *r, struct config_value pins, struct queue_spec *q)
{
    struct pin_spec *pin = arena_alloc(r->memory, config_count(pins) * sizeof *pin);
    q->pins = pin;
    struct config_walk w = { .of = pins };
    for (struct config_value v; config_next(&w, &v); q->n_pins++) {
        const char *name = NULL;
        if (config_key_text(v, &name, r->err) ||
            config_scalar(v, &pin_key, &pin[q->n_pins].count, r->err))
            return -1;
        pin[q->n_pins].group = intern_find(r->group_names, name, strlen(name));
        if (pin[q->n_pins].group == INTERN_NONE)
            return config_error(v, r->err, "there is no group of this name");
        queue_id *last = &r->pinned_by[pin[q->n_pins].group];
        if (*last == r->n_queues)
            return config_error(v, r->err, "this key is given twice");
        *last = (queue_id)r->n_queues;
    }
    return 0;
}

static bool exceeds(int64_t deserved, int64_t limit)
{
    return limit >= 0 && deserved != QUOTA_UNSAID && (deserved == UNLIMITED || deserved > limit);
}

static int64_t said_or(int64_t said, int64_t own)
{
    return said == QUOTA_UNSAID ? own : said;
}

/* The GPUs that a queue deserves by default are at most its limit anyway. */
static int check_window(struct config_value v, const struct quota_window *w,
                        const struct queue_facts *own, struct error *err)
{
    const struct amount *d = &w->quota.deserved, *l = &w->quota.limit;
    const struct amount *od = &own->quota.deserved, *ol = &own->quota.limit;
    if (w->until_ns <= w->from_ns)
        return config_error(v, err, "want 'until_s' after 'from_s'");
    if (w->every_ns && w->every_ns < w->until_ns - w->from_ns)
        return config_error(v, err, "want 'every_s' no shorter than the window");
    if (exceeds(said_or(d->gpu_milli, od->gpu_milli), said_or(l->gpu_milli, ol->gpu_milli)))
        return config_error(v, err, "want deserved GPUs up to the limit in this window");
    if ((d->cpu_milli >= 0 && exceeds(d->cpu_milli, said_or(l->cpu_milli, ol->cpu_milli))) ||
        (d->mem_mib >= 0 && exceeds(d->mem_mib, said_or(l->mem_mib, ol->mem_mib))))
        return config_error(v, err, "want deserved CPUs and memory up to the limit in this window");
    return 0;
}

static int windows_read(struct cluster_reader *r, struct config_value list, struct queue_facts *f)
{
    struct config_walk w = { .of = list };
    struct quota_window *all = arena_alloc(r->memory, (config_count(list) + 1) * sizeof *all);
    f->window = all;
    for (struct config_value v; config_next(&w, &v); f->n_windows++) {
        struct quota_window *to = &all[f->n_windows];
        const struct amount unsaid = { QUOTA_UNSAID, QUOTA_UNSAID, QUOTA_UNSAID };
        to->quota = (struct quota){ unsaid, unsaid };
        if (config_fields(v, window_keys, to, r->err) || check_window(v, to, f, r->err))
            return -1;
    }
    return f->n_windows && f->n_flavor_quotas
               ? config_error(list, r->err, "want no 'flavors' of a queue with windows")
               : 0;
}

/* An inner queue without a quota of its own has that of its children. */
static int64_t deserved_of_children(const struct cluster_reader *r, queue_id parent, int64_t limit)
{
    int64_t sum = 0;
    for (size_t q = parent + (size_t)1; q < r->n_queues; q++) {
        int64_t deserved = r->queue[q].facts.quota.deserved.gpu_milli;
        if (r->queue[q].facts.parent == parent)
            sum = sum == UNLIMITED || deserved == UNLIMITED ? UNLIMITED : sum + deserved;
    }
    return limit != UNLIMITED && (sum == UNLIMITED || sum > limit) ? limit : sum;
}

/* A queue with jobs and quotas of flavors alone: all of them together. */
static int64_t deserved_of_flavors(const struct queue_facts *f)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < f->n_flavor_quotas; i++)
        if (f->flavor_quota[i].nominal.gpu_milli > 0)
            sum += f->flavor_quota[i].nominal.gpu_milli;
    return sum;
}

static void settle_deserved(struct cluster_reader *r, queue_id id)
{
    struct queue_facts *f = &r->queue[id].facts;
    bool unsaid = f->quota.deserved.gpu_milli == QUOTA_UNSAID;
    bool has_jobs = r->n_queues == id + (size_t)1 || f->local_queues != LOCAL_QUEUES_NONE;
    if (unsaid && f->n_flavor_quotas && has_jobs) {
        f->quota.deserved.gpu_milli = deserved_of_flavors(f);
        return;
    }
    f->sums = unsaid && r->n_queues > id + (size_t)1;
    if (f->quota.deserved.gpu_milli == QUOTA_UNSAID)
        f->quota.deserved.gpu_milli = deserved_of_children(r, id, f->quota.limit.gpu_milli);
}

static struct queue_facts usual_queue(queue_id parent)
{
    return (struct queue_facts){
        .parent = parent, .weight = 1, .cpu_weight = 1, .mem_weight = 1, .priority = QUEUE_PRIORITY,
        .preempt_min_runtime_ns = -1, .reclaim_min_runtime_ns = -1,
        .quota = { { QUOTA_UNSAID, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } },
        .cohort = COHORT_RULES_UNSAID,
    };
}

/* A local queue uses the flavors of the queue above, and deserves nothing of them by itself. */
static int inherit_flavors(struct cluster_reader *r, struct config_value own_flavors, struct queue_facts *f)
{
    const struct queue_facts *up = f->parent == ID_NONE ? NULL : &r->queue[f->parent].facts;
    if (!up || up->local_queues == LOCAL_QUEUES_NONE)
        return 0;
    if (f->n_flavor_quotas)
        return config_error(own_flavors, r->err, "queue '%s': a local queue has the flavors of '%s': want none here",
                            f->name, up->name);
    struct flavor_quota *own = arena_alloc(r->memory, (up->n_flavor_quotas + 1) * sizeof *own);
    for (uint32_t i = 0; i < up->n_flavor_quotas; i++) {
        own[i] = up->flavor_quota[i];
        if (own[i].nominal.gpu_milli != UNLIMITED)
            own[i].nominal.gpu_milli = 0;
        own[i].borrowing = (struct amount){ UNLIMITED, UNLIMITED, UNLIMITED };
    }
    f->flavor_quota = own;
    f->n_flavor_quotas = up->n_flavor_quotas;
    return 0;
}

static queue_id add_queue(struct cluster_reader *r, const struct queue_facts *f,
                          struct config_value at)
{
    mem_grow(&r->queue, &r->queue_room, r->n_queues, sizeof *r->queue);
    mem_grow(&r->queue_at, &r->queue_at_room, r->n_queues, sizeof *r->queue_at);
    r->queue_at[r->n_queues] = at;
    r->queue[r->n_queues] = (struct queue_spec){ .facts = *f };
    return (queue_id)r->n_queues++;
}

/* Parents before children; the nesting of a document is at most 64 deep (config.c). */
static int children_read(struct cluster_reader *r, struct config_value list, queue_id parent)
{
    struct config_walk w = { .of = list };
    for (struct config_value entry; config_next(&w, &entry);) {
        struct file_queue f = { .facts = usual_queue(parent) };
        if (config_fields(entry, queue_keys, &f, r->err) ||
            (config_given(f.preemption) &&
             config_fields(f.preemption, queue_preemption_keys, &f.facts.cohort, r->err)) ||
            flavor_quotas_read(r, f.flavors, &f.facts) ||
            fungibility_read(r, f.fungibility, &f.facts.fungibility) ||
            windows_read(r, f.windows, &f.facts) || inherit_flavors(r, f.flavors, &f.facts))
            return -1;
        queue_id id = add_queue(r, &f.facts, entry);
        if (read_pins(r, f.pins, &r->queue[id]) || children_read(r, f.children, id))
            return -1;
        settle_deserved(r, id);
    }
    return 0;
}

int queues_read(struct cluster_reader *r, struct config_value list, const char *all)
{
    if (!all)
        return children_read(r, list, ID_NONE);
    struct queue_facts above = usual_queue(ID_NONE);
    above.name = all;
    queue_id id = add_queue(r, &above, list);
    int result = children_read(r, list, id);
    settle_deserved(r, id);
    return result;
}
