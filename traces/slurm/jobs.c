/* jobs.c - what a job of the log asks of a run: see log.h. */
#include "sim/base/memory.h"
#include "traces/formats/columns.h"
#include "traces/slurm/depends.h"
#include "traces/slurm/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 160 };
struct log_request {
    char id[NAME_MAX_BYTES];
    char *features, *partitions;
    struct task_row *part; size_t parts_capacity;
    char (*group)[16]; size_t groups_capacity;
    struct log_depends *depends;
};

struct log_request *log_request_new(void)
{
    return mem_new(1, sizeof(struct log_request));
}

void log_request_free(struct log_request *r)
{
    log_depends_free(r->depends);
    free(r->features);
    free(r->partitions);
    free(r->part);
    free(r->group);
    free(r);
}

bool log_has_run(enum log_state s)
{
    return s != LOG_RUNNING && s != LOG_WAITING;
}

/* ---- is it taken? ---- */

static const struct log_size *size_used(const struct slurm_log *log, const struct log_row *r)
{
    bool alloc = r->alloc.gpus > 0 || (r->alloc.cpus > 0 && log->has[C_ALLOC_TRES]);
    return alloc && !(log->how.asked_size && (r->asked.gpus > 0 || r->asked.cpus > 0)) ? &r->alloc
                                                                                       : &r->asked;
}

static int64_t gpus_of(const struct slurm_log *log, const struct log_row *r)
{
    const struct log_size *s = size_used(log, r);
    int64_t gpus = s->gpus >= 0 ? s->gpus : s == &r->alloc ? r->asked.gpus : r->alloc.gpus;
    return gpus > 0 ? gpus : 0;
}

static int64_t shards_of(const struct slurm_log *log, const struct log_row *r)
{
    return gpus_of(log, r) ? 0 : size_used(log, r)->shards > 0 ? size_used(log, r)->shards : 0;
}

/* Shards of one GPU, or of whole GPUs. */
static bool shards_fit(const struct slurm_log *log, int64_t shards)
{
    int64_t per = log->how.shards_per_gpu;
    return per && (shards < per || shards % per == 0);
}

static uint32_t *verdict(struct slurm_log *log, const struct log_job *j)
{
    const struct log_row *r = log_last(log, j);
    int64_t shards = shards_of(log, &log->row[j->sized_by]);
    if (j->state == LOG_WAITING && (!log->how.waiting || r->tasks_waiting || r->limit_s < 0))
        return j->n_runs > 1 || j->retry ? &log->n.requeued_last : &log->n.waiting;
    if (j->state == LOG_RUNNING && !log->how.running)
        return &log->n.running;
    if (log_has_run(j->state) && log->has[C_START] && r->start_s == NO_TIME)
        return &log->n.cancelled_waiting;
    if (log_has_run(j->state) && !log->has[C_START] && j->state == LOG_CANCELLED && !j->sum_s)
        return &log->n.cancelled_waiting;
    if (shards && !shards_fit(log, shards))
        return &log->n.shares;
    if (!shards && !gpus_of(log, &log->row[j->sized_by]) && !log->how.cpu_jobs)
        return &log->n.without_gpus;
    return NULL;
}

bool log_is_taken(const struct slurm_log *log, const struct log_job *j)
{
    return j->component_of == ID_NONE && !verdict((struct slurm_log *)log, j) &&
           !(log->how.unfinished_only && log_has_run(j->state));
}

/* ---- sizes ---- */

static void set_size(struct slurm_log *log, const struct log_row *r, struct job_row *to)
{
    const struct log_size *s = size_used(log, r);
    int64_t gpus = gpus_of(log, r), shards = shards_of(log, r);
    int64_t nodes = s->nodes > 0 ? s->nodes : 1, cpus = s->cpus > 0 ? s->cpus : 0;
    int64_t mem = log->memory_counts && s->mem_mib > 0 ? s->mem_mib : 0;
    bool even = gpus % nodes == 0 && cpus % nodes == 0;
    log->n.uneven += !even;
    log->n.sizes_differ += r->alloc.gpus > 0 && r->asked.gpus > 0 && r->alloc.gpus != r->asked.gpus;
    if (shards && shards < log->how.shards_per_gpu) {
        gpus = 1;
        to->gpu_milli = (uint32_t)(shards * MILLI_ALL / log->how.shards_per_gpu);
        to->gpu_milli += !to->gpu_milli;
    } else if (shards) {
        gpus = shards / log->how.shards_per_gpu;
    }
    if (!even)
        nodes = 1;
    to->gpus = (uint32_t)gpus;
    to->tasks = even ? (uint32_t)nodes : 0;
    to->max_per_node = even && nodes > 1;
    to->cpu_milli = cpus * 1000 / nodes;
    to->mem_mib = (mem + nodes - 1) / nodes;
}

/* The type that was asked for; where ReqTRES is no column, the one that was given. */
static uint32_t type_of(const struct slurm_log *log, const struct log_row *r)
{
    bool asked = log->has[C_REQ_TRES] || log->has[C_REQ_GRES];
    return r->several_types ? INTERN_NONE : asked ? r->asked_type : r->alloc_type;
}

static void set_type(struct slurm_log *log, const struct log_row *r, struct job_row *to)
{
    uint32_t type = type_of(log, r);
    log->n.several_types += r->several_types;
    if (type == INTERN_NONE || !to->gpus)
        return;
    to->gpu_type = intern_text(log->names, type);
    to->gpu_type_length = strlen(to->gpu_type);
    to->mig = mig_profile(to->gpu_type);
    if (to->mig)
        to->gpu_type = NULL, to->gpu_type_length = 0;
}

/* ---- constraints ---- */

/* "a&b" is a selector, "a|b" an affinity: its terms are labels that are there. Nodes have a label
 * NAME=yes for each feature. false: counts ("a*2&b"), parentheses, or an empty name. */
static bool features_read(const char *text, bool either, char *to)
{
    for (;; text++) {
        size_t n = strcspn(text, "&|,");
        if (!n)
            return false;
        to = (char *)memcpy(to, text, n) + n;
        if (!either)
            to = (char *)memcpy(to, "=yes", 4) + 4;
        text += n;
        *to = *text == '&' && either ? '&' : *text ? ';' : '\0';
        if (!*to++)
            return true;
    }
}

/* "[a|b]", nodes that are alike, is read as "a|b". */
static void set_features(struct slurm_log *log, const struct log_row *r, struct log_request *m,
                         struct job_row *to)
{
    const char *text = log_name(log, r->constraints);
    size_t length = strlen(text);
    if (!length)
        return;
    bool alike = length > 2 && *text == '[' && text[length - 1] == ']', either = strchr(text, '|');
    char *bare = mem_text(text + alike, length - 2 * alike);
    m->features = mem_resize(m->features, 5 * length + 8, 1);
    bool read = !strpbrk(bare, "*()[]!=<>;: \t") && features_read(bare, either, m->features);
    log->n.counted_features += alike || !read;
    free(bare);
    if (read)
        *(either ? &to->affinity : &to->selector) = m->features;
}

/* ---- times and owner ---- */

static void check_run(struct slurm_log *log, const struct log_row *r)
{
    if (r->start_s == NO_TIME || r->end_s == NO_TIME)
        return;
    int64_t between = r->end_s - r->start_s - r->suspended_s, off = between - r->elapsed_s;
    log->n.times_corrected += between < 0;
    log->n.summer_time += r->elapsed_s >= 0 && (off == 3600 || off == -3600);
}

static void set_times(struct slurm_log *log, const struct log_job *j, struct job_row *to)
{
    const struct log_row *first = log_first(log, j), *last = log_last(log, j);
    bool auto_eligible = log->how.arrive == ARRIVE_AUTO && !log->has[C_SUBMIT_LINE];
    int64_t at = first->submit_s, work = log->how.runs == RUNS_SUM ? j->sum_s : j->last_s;
    if ((auto_eligible || log->how.arrive == ARRIVE_ELIGIBLE) && first->eligible_s != NO_TIME &&
        (first->start_s == NO_TIME || first->eligible_s <= first->start_s))
        at = first->eligible_s;
    log->n.no_submit += at == NO_TIME;
    if (at == NO_TIME)
        at = first->start_s;
    check_run(log, last);
    if (j->state == LOG_RUNNING && last->elapsed_s < 0 && last->start_s != NO_TIME)
        work += log->latest_s - last->start_s;
    if (j->state == LOG_WAITING)
        work += last->limit_s;
    log->n.guessed_end += !log_has_run(j->state);
    to->submit_ns = (at == NO_TIME ? 0 : at) * NS_PER_S;
    to->duration_ns = (work > 0 ? work : 0) * NS_PER_S;
    if (last->limit_s >= 0)
        to->estimate_ns = last->limit_s * NS_PER_S;
    if (log->has[C_LIMIT] || log->has[C_LIMIT_RAW])
        log->n.without_limit += last->limit_s == SPAN_UNLIMITED || last->limit_s == LIMIT_UNSAID;
    log->n.partition_limit += last->limit_s == LIMIT_PARTITION;
    if (log_has_run(j->state) && first->start_s != NO_TIME && first->start_s >= at)
        to->recorded_wait_ns = (first->start_s - at) * NS_PER_S;
}

static uint32_t queue_of(const struct slurm_log *log, const struct log_row *r)
{
    enum slurm_queue_of of = log->how.queue;
    if (!log->how.queue_said)
        of = log->has[C_ACCOUNT]     ? QUEUE_ACCOUNT
             : log->has[C_PARTITION] ? QUEUE_PARTITION
             : log->has[C_QOS]       ? QUEUE_QOS
                                     : QUEUE_ACCOUNT;
    return of == QUEUE_ACCOUNT     ? r->account
           : of == QUEUE_PARTITION ? r->partition
           : of == QUEUE_QOS       ? r->qos
                                   : r->user;
}

/* For a cluster with partitions, QOS and accounts. A job that waits may have a list of partitions;
 * an account that is the queue is not said twice. */
static void set_site(struct slurm_log *log, const struct log_row *r, struct log_request *m,
                     struct job_row *to)
{
    to->partition = log_name(log, r->partition);
    if (strchr(to->partition, ',')) {
        free(m->partitions);
        m->partitions = mem_text(to->partition, strlen(to->partition));
        for (char *c = m->partitions; *c; c++)
            *c = *c == ',' ? ';' : *c;
        to->partition = m->partitions;
    }
    to->qos = log_name(log, r->qos);
    to->account = queue_of(log, r) == r->account ? NULL : log_name(log, r->account);
}

static void set_owner(struct slurm_log *log, const struct log_row *r, struct job_row *to)
{
    to->queue = log_name(log, queue_of(log, r));
    to->queue_length = strlen(to->queue);
    to->user = log_name(log, r->user);
    to->user_length = strlen(to->user);
    if (log->how.recorded_priority && r->priority >= 0)
        to->priority = (int32_t)(r->priority < INT32_MAX ? r->priority : INT32_MAX);
}

static enum job_fate fate_of(enum log_state s)
{
    return s == LOG_CANCELLED                                             ? FATE_CANCELLED
           : s == LOG_COMPLETED || s == LOG_RUNNING || s == LOG_WAITING ? FATE_COMPLETED
                                                                          : FATE_FAILED;
}

/* ---- components ---- */

static void set_parts(struct slurm_log *log, uint32_t k, struct log_request *m, struct job_row *to)
{
    size_t n = 0;
    const struct log_row *leader = log_last(log, &log->job[k]);
    for (uint32_t c = k; c != ID_NONE; c = log->job[c].next_component, n++) {
        const struct log_row *r = &log->row[log->job[c].sized_by];
        struct job_row one = job_row_default;
        set_size(log, r, &one);
        set_type(log, r, &one);
        log->n.starts_differ += log_last(log, &log->job[c])->start_s != leader->start_s;
        mem_grow(&m->part, &m->parts_capacity, n, sizeof *m->part);
        mem_grow(&m->group, &m->groups_capacity, n, sizeof *m->group);
        m->part[n] = (struct task_row){
            .gpus = one.tasks ? one.gpus / one.tasks : one.gpus, .gpu_milli = one.gpu_milli,
            .tasks = one.tasks ? one.tasks : 1, .cpu_milli = one.cpu_milli, .mem_mib = one.mem_mib,
            .required_level = LEVEL_ANY, .preferred_level = LEVEL_ANY,
            .gpu_type = one.gpu_type, .gpu_type_length = one.gpu_type_length, .line = r->line };
        snprintf(m->group[n], sizeof *m->group, "het%u", (unsigned)(r->component - 1));
    }
    for (size_t i = 0; i < n; i++)
        m->part[i].group = m->group[i];
    to->part = m->part;
    to->n_parts = n;
}

int log_job_id(const struct slurm_log *log, const struct log_job *j, char *to, size_t size)
{
    const char *id = log_last(log, j)->id;
    int length = j->next_component != ID_NONE ? (int)strcspn(id, "+") : NAME_MAX_BYTES - 32;
    char again[16] = "", retry[16] = "";
    if (j->repeated > 1)
        snprintf(again, sizeof again, "#%" PRIu32, j->repeated);
    if (j->retry)
        snprintf(retry, sizeof retry, ".r%" PRIu32, j->retry);
    return snprintf(to, size, "%.*s%s%s", length, id, again, retry);
}

static void set_id(const struct slurm_log *log, const struct log_job *j, struct log_request *m,
                   struct job_row *to)
{
    const struct log_row *r = log_last(log, j);
    to->job_id = r->id;
    to->job_id_length = strlen(r->id);
    to->tie = (int64_t)r->raw;
    if (j->repeated == 1 && !j->retry && j->next_component == ID_NONE)
        return;
    to->job_id = m->id;
    to->job_id_length = (size_t)log_job_id(log, j, m->id, sizeof m->id);
}

bool log_job_row(struct slurm_log *log, uint32_t k, struct log_request *m, struct job_row *to)
{
    const struct log_job *j = &log->job[k];
    if (j->component_of != ID_NONE)
        return false;
    uint32_t *why = verdict(log, j);
    const struct log_row *r = log_last(log, j), *sized = &log->row[j->sized_by];
    const struct log_size *size = size_used(log, sized);
    double node_h = (double)(size->nodes > 0 ? size->nodes : 1) * (double)j->last_s / 3600;
    log->n.node_h += node_h;
    if (why) {
        ++*why;
        log->n.gpuless_node_h += why == &log->n.without_gpus ? node_h : 0;
        return false;
    }
    if (!m->depends)
        m->depends = log_depends_new(log);
    *to = job_row_default;
    set_id(log, j, m, to);
    set_times(log, j, to);
    set_owner(log, r, to);
    set_site(log, r, m, to);
    if (j->next_component != ID_NONE) {
        set_parts(log, k, m, to);
    } else {
        set_size(log, sized, to);
        set_type(log, sized, to);
    }
    set_features(log, r, m, to);
    log->n.broken_off += !j->retried && (j->state == LOG_BROKEN_OFF || j->state == LOG_PREEMPTED);
    if (r->requeue == REQUEUE_NO || (log->how.no_requeue && r->requeue == REQUEUE_UNSAID))
        to->overhead.most_stops = 1;
    to->fate = fate_of(j->state);
    to->depends_on = log_depends_of(m->depends, log, k);
    to->depends_on_length = strlen(to->depends_on);
    return true;
}

/* ---- all of them ---- */

static int none_taken(const struct slurm_log *log, struct error *err)
{
    return error_set(err,
                     "%s: none of %" PRIu32 " jobs has GPUs: want gres/gpu in AllocTRES or ReqTRES "
                     "(AccountingStorageTRES=gres/gpu at the site), AllocGRES, or cpu_jobs=yes",
                     log->file, log->n.without_gpus);
}

int slurm_log_jobs(struct slurm_log *log, struct workload *w, struct error *err)
{
    struct log_request *m = log_request_new();
    uint32_t before = w->n_jobs;
    int result = 0;
    for (uint32_t k = 0; k < log->n_jobs && result == 0; k++) {
        struct job_row row;
        if (log_job_row(log, k, m, &row))
            result = workload_add(w, &row, log->file, log_last(log, &log->job[k])->line, err);
    }
    if (result == 0 && w->n_jobs == before && log->n.without_gpus)
        result = none_taken(log, err);
    w->n_skipped +=
        log->n.cancelled_waiting + log->n.waiting + log->n.requeued_last + log->n.running;
    log_request_free(m);
    return result;
}
