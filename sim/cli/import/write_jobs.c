/* write_jobs.c - the jobs of a log as a native trace, with what only the log knows in columns that
 * begin with x_: see import.h. */
#include "sim/base/memory.h"
#include "sim/cli/import/import.h"
#include "sim/slurm/hostlist.h"
#include "traces/native/native.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char header[] =
    "job_id,submit_s,duration_s,gpus,group,tasks,cpus_per_task,mem_gib_per_task,gpu_milli,mig,"
    "gpu_type,queue,user,priority,estimate_s,status,node_selector,affinity,max_per_node,"
    "depends_on,running_on,started_s,recorded_wait_s,";
static const char slurm_header[] = "partition,qos,account,";
static const char log_header_x[] =
    "x_partition,x_qos,x_account,x_start_s,x_eligible_s,x_suspended_s,x_nodes,x_priority,"
    "x_scheduler,x_reason,x_reservation,x_exit,x_runs,x_lost_s\n";

struct writing {
    struct import *im;
    struct output *o;
    struct log_request *request;
    bool now;
    int64_t origin_ns;
};
struct key { int64_t submit_ns, tie; uint32_t job; };

static int by_submit(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->submit_ns != y->submit_ns)
        return x->submit_ns < y->submit_ns ? -1 : 1;
    return x->tie != y->tie ? (x->tie < y->tie ? -1 : 1) : x->job < y->job ? -1 : x->job > y->job;
}

/* ---- where it may run ---- */

struct within { const struct import *im; uint32_t partition; };

static int is_within(void *self, const char *name, size_t length)
{
    const struct within *x = self;
    uint32_t n = intern_find(x->im->site->names, name, length);
    return n != INTERN_NONE && !(x->im->site->node[n].partitions >> x->partition & 1);
}

/* Whether a job runs on nodes that its partition does not have today. */
static bool runs_elsewhere(struct import *im, const struct log_row *r, const char *partition)
{
    const char *nodes = log_name(im->log, r->nodes);
    struct within x = { im, import_partition(im, partition, strlen(partition)) };
    int elsewhere = 0;
    if (x.partition != SITE_NONE && r->state == LOG_RUNNING)
        (void)hostlist_each(nodes, strlen(nodes), is_within, &x, &elsewhere);
    if (elsewhere)
        site_remark(im->site, "jobs that run on nodes outside their partition may go anywhere");
    return elsewhere;
}

/* Its selector and affinity, with the labels of its partitions where these are not all nodes. */
static void put_wishes(struct writing *w, const struct job_row *job, const struct log_row *r)
{
    const char *partitions = log_name(w->im->log, r->partition);
    struct import *im = w->im;
    char selector[1024], affinity[1024];
    size_t n =
        (size_t)snprintf(selector, sizeof selector, "%.800s", job->selector ? job->selector : "");
    size_t a =
        (size_t)snprintf(affinity, sizeof affinity, "%.800s", job->affinity ? job->affinity : "");
    bool several = strchr(partitions, ','), anywhere = !im->plain || !im->site->n_partitions ||
                                                       !*partitions ||
                                                       runs_elsewhere(im, r, partitions);
    for (const char *at = partitions; *at; at += strspn(at, ",")) {
        size_t length = strcspn(at, ",");
        uint32_t p = import_partition(im, at, length);
        if (p == SITE_NONE && im->site->n_partitions)
            site_remark(im->site, "partition %.*s of the log is not one of the site", (int)length,
                        at);
        anywhere |= p == SITE_NONE || im->all_partitions >> p & 1;
        at += length;
    }
    if (!anywhere && several && a)
        site_remark(
            im->site,
            "left out: the partitions of jobs with a list of them and alternative features");
    for (const char *at = partitions; *at && !anywhere; at += strspn(at, ",")) {
        int length = (int)strcspn(at, ",");
        if (!several)
            n += (size_t)snprintf(selector + n, sizeof selector - n, "%spartition.%.*s=yes",
                                  n ? ";" : "", length > 100 ? 100 : length, at);
        else if (!job->affinity && a < sizeof affinity - 120)
            a += (size_t)snprintf(affinity + a, sizeof affinity - a, "%spartition.%.*s",
                                  a ? ";" : "", length > 100 ? 100 : length, at);
        at += length;
    }
    out_csv(w->o, selector);
    out_char(w->o, ',');
    out_csv(w->o, affinity);
}

/* ---- what runs ---- */

struct held { struct writing *w; uint32_t nodes, left, each, placed; bool unknown; };

static int put_held(void *self, const char *name, size_t length)
{
    struct held *h = self;
    uint32_t n = intern_find(h->w->im->site->names, name, length);
    n = n == INTERN_NONE ? SITE_NONE : h->w->im->number[n];
    h->unknown |= n == SITE_NONE;
    if (n == SITE_NONE || h->placed >= h->nodes)
        return 0;
    uint32_t gpus =
        h->each ? h->each : (h->left + (h->nodes - h->placed) - 1) / (h->nodes - h->placed);
    out_printf(h->w->o, "%s%" PRIu32, h->placed ? ";" : "", n);
    if (gpus)
        out_printf(h->w->o, ":x%" PRIu32, gpus);
    h->left -= gpus < h->left ? gpus : h->left;
    h->placed++;
    return 0;
}

static int count_known(void *self, const char *name, size_t length)
{
    struct held *h = self;
    uint32_t n = intern_find(h->w->im->site->names, name, length);
    h->unknown |= n == INTERN_NONE || h->w->im->number[n] == SITE_NONE;
    h->nodes++;
    return 0;
}

/* running_on and started_s; a job on nodes that the cluster file lacks waits instead. */
static void put_running(struct writing *w, const struct job_row *job, const struct log_row *r,
                        bool runs)
{
    const char *nodes = log_name(w->im->log, r->nodes);
    struct held h = { .w = w, .left = job->gpus, .each = job->tasks ? job->gpus / job->tasks : 0 };
    if (runs &&
        (hostlist_each(nodes, strlen(nodes), count_known, &h, NULL) || h.unknown || !*nodes)) {
        site_remark(w->im->site,
                    "jobs that run on nodes that are not in the cluster file wait instead");
        runs = false;
    }
    if (job->tasks && h.nodes > job->tasks)
        h.nodes = job->tasks;
    if (runs && !h.each && h.nodes > 1)
        site_remark(w->im->site,
                    "guessed: GPUs of jobs that run are spread evenly over their nodes");
    if (runs)
        (void)hostlist_each(nodes, strlen(nodes), put_held, &h, NULL);
    out_char(w->o, ',');
    if (runs)
        out_seconds(w->o, r->start_s * NS_PER_S - w->origin_ns);
    out_char(w->o, ',');
}

/* ---- one row ---- */

static void put_time(struct output *o, int64_t seconds, int64_t origin_ns)
{
    if (seconds != NO_TIME)
        out_seconds(o, seconds * NS_PER_S - origin_ns);
    out_char(o, ',');
}

static void put_text(struct output *o, const char *text)
{
    out_csv(o, text);
    out_char(o, ',');
}

static void put_log(struct writing *w, const struct log_job *j, const struct log_row *r)
{
    const struct slurm_log *log = w->im->log;
    int64_t origin_ns = w->origin_ns;
    put_text(w->o, log_name(log, r->partition));
    put_text(w->o, log_name(log, r->qos));
    put_text(w->o, log_name(log, r->account));
    put_time(w->o, r->start_s, origin_ns);
    put_time(w->o, r->eligible_s, origin_ns);
    out_printf(w->o, "%" PRId64 ",", r->suspended_s);
    put_text(w->o, log_name(log, r->nodes));
    if (r->priority >= 0)
        out_integer(w->o, r->priority);
    out_char(w->o, ',');
    put_text(w->o, log_name(log, r->scheduler));
    put_text(w->o, log_name(log, r->reason));
    put_text(w->o, log_name(log, r->reservation));
    if (r->exit_code >= 0)
        out_printf(w->o, "%d:%d", r->exit_code, r->exit_signal);
    out_printf(w->o, ",%" PRIu32 ",%" PRId64 "\n", j->n_runs, j->sum_s - j->last_s);
}

static void put_partition_columns(struct writing *w, const struct log_row *r)
{
    char list[512];
    snprintf(list, sizeof list, "%s", log_name(w->im->log, r->partition));
    for (char *c = list; *c; c++)
        if (*c == ',')
            *c = ';';
    put_text(w->o, list);
    put_text(w->o, log_name(w->im->log, r->qos));
    put_text(w->o, log_name(w->im->log, r->account));
}

static void put_size(struct writing *w, const struct job_row *job, const struct task_row *part)
{
    struct output *o = w->o;
    uint32_t tasks = part ? part->tasks : job->tasks,
             milli = part ? part->gpu_milli : job->gpu_milli;
    int64_t cpu_milli = part ? part->cpu_milli : job->cpu_milli,
            mem_mib = part ? part->mem_mib : job->mem_mib;
    out_printf(o, "%" PRIu32 ",%s,", part ? part->gpus * tasks : job->gpus,
               part ? part->group : "");
    if (tasks)
        out_integer(o, tasks);
    out_char(o, ',');
    out_decimal(o, cpu_milli, 1000);
    out_char(o, ',');
    if (w->im->memory_counts && mem_mib)
        out_decimal(o, mem_mib * 1000 / 1024, 1000);
    out_char(o, ',');
    if (milli != MILLI_ALL)
        out_integer(o, milli);
    out_char(o, ',');
}

static int64_t limit_ns(const struct writing *w, const struct job_row *job, const struct log_row *r)
{
    const char *name = log_name(w->im->log, r->partition);
    uint32_t p = import_partition(w->im, name, strcspn(name, ","));
    if (job->estimate_ns != TIME_NEVER || p == SITE_NONE || r->limit_s == SPAN_UNLIMITED)
        return job->estimate_ns;
    const struct site_partition *x = &w->im->site->partition[p];
    int64_t s = x->default_time_s != SITE_UNLIMITED ? x->default_time_s : x->max_time_s;
    return s == SITE_UNLIMITED ? TIME_NEVER : s * NS_PER_S;
}

/* What runs has no dependencies, but its place among the tasks of an array, which comes last. */
static void put_depends(struct output *o, const struct job_row *job, bool runs)
{
    const char *list = job->depends_on ? job->depends_on : "", *limit = strstr(list, "limit:");
    put_text(o, !runs ? list : limit ? limit : "");
}

static void put_row(struct writing *w, uint32_t k, const struct job_row *job,
                    const struct task_row *part)
{
    const struct log_job *j = &w->im->log->job[k];
    const struct log_row *r = log_last(w->im->log, j);
    struct output *o = w->o;
    bool runs = w->now && j->state == LOG_RUNNING;
    int64_t estimate_ns = limit_ns(w, job, r), duration_ns = job->duration_ns;
    char mig[MIG_NAME_MAX];
    if (runs && estimate_ns != TIME_NEVER)
        duration_ns = estimate_ns > duration_ns ? estimate_ns - duration_ns : 0;
    out_bytes(o, job->job_id, job->job_id_length);
    out_char(o, ',');
    out_seconds(o, w->now ? 0 : job->submit_ns - w->origin_ns);
    out_char(o, ',');
    out_seconds(o, duration_ns);
    out_char(o, ',');
    put_size(w, job, part);
    put_text(o, job->mig ? mig_name(job->mig, mig) : "");
    put_text(o, job->gpu_type_length ? job->gpu_type : "");
    put_text(o, job->queue);
    put_text(o, job->user);
    out_printf(o, "%" PRId32 ",", job->priority);
    out_seconds(o, estimate_ns);
    out_printf(o, ",%s,", native_fates[job->fate]);
    put_wishes(w, job, r);
    out_char(o, ',');
    if (job->max_per_node)
        out_integer(o, job->max_per_node);
    out_char(o, ',');
    put_depends(o, job, runs && !part);
    if (runs && part)
        site_remark(w->im->site, "heterogeneous jobs that run wait instead");
    put_running(w, job, r, runs && !part);
    if (!w->now && job->recorded_wait_ns >= 0)
        out_seconds(o, job->recorded_wait_ns);
    out_char(o, ',');
    if (!w->im->plain)
        put_partition_columns(w, r);
    put_log(w, j, r);
}

/* ---- all rows ---- */

/* The jobs that are taken, in the order in which they arrive. */
static struct key *keys_of(struct writing *w, uint32_t *n)
{
    struct slurm_log *log = w->im->log;
    struct key *key = mem_new(log->n_jobs + 1, sizeof *key);
    struct job_row job;
    *n = 0;
    for (uint32_t k = 0; k < log->n_jobs; k++) {
        bool ended = log_has_run(log->job[k].state);
        if (ended == w->now)
            continue;
        if (!log_job_row(log, k, w->request, &job)) {
            w->im->now_left += w->now && log->job[k].component_of == ID_NONE;
            continue;
        }
        key[(*n)++] = (struct key){ job.submit_ns, job.tie, k };
    }
    if (*n)
        qsort(key, *n, sizeof *key, by_submit);
    return key;
}

uint32_t import_jobs(struct import *im, struct output *o, bool now)
{
    struct writing w = { .im = im, .o = o, .request = log_request_new(), .now = now };
    uint32_t n;
    im->log->how.waiting = im->log->how.running = im->log->how.unfinished_only = now;
    struct key *key = keys_of(&w, &n);
    struct slurm_log_counts counted = im->log->n;
    w.origin_ns = now ? im->log->latest_s * NS_PER_S : n ? key[0].submit_ns : 0;
    out_text(o, header);
    out_text(o, im->plain ? "" : slurm_header);
    out_text(o, log_header_x);
    for (uint32_t i = 0; i < n; i++) {
        struct job_row job;
        if (!log_job_row(im->log, key[i].job, w.request, &job))
            continue;
        put_row(&w, key[i].job, &job, job.n_parts ? &job.part[0] : NULL);
        for (size_t p = 1; p < job.n_parts; p++)
            put_row(&w, key[i].job, &job, &job.part[p]);
    }
    im->log->n = counted;
    log_request_free(w.request);
    free(key);
    return n;
}
