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

static const char of_log[] =
    "x_partition,x_qos,x_account,x_start_s,x_eligible_s,x_suspended_s,x_nodes,x_priority,"
    "x_scheduler,x_reason,x_reservation,x_exit,x_runs,x_lost_s";
enum { WISH_MAX = 1024 };

struct key { int64_t submit_ns, tie; uint32_t job; };
struct writing {
    struct import *im;
    struct log_request *request;
    bool now;
    int64_t origin_ns;
    struct key *key;              /* [n] jobs of the log, in the order of the trace */
    uint32_t n;
    char selector[WISH_MAX], affinity[WISH_MAX], partitions[WISH_MAX]; /* of the job that is made */
    struct held_at *on; size_t on_capacity;
};

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
static void set_wishes(struct writing *w, struct job_row *job, const struct log_row *r)
{
    const char *partitions = log_name(w->im->log, r->partition);
    struct import *im = w->im;
    size_t n =
        (size_t)snprintf(w->selector, WISH_MAX, "%.800s", job->selector ? job->selector : "");
    size_t a =
        (size_t)snprintf(w->affinity, WISH_MAX, "%.800s", job->affinity ? job->affinity : "");
    bool several = strchr(partitions, ','), anywhere = !im->plain || !im->site->n_partitions ||
                                                       !*partitions ||
                                                       runs_elsewhere(im, r, partitions);
    for (const char *at = partitions + strspn(partitions, ","); *at; at += strspn(at, ",")) {
        size_t length = strcspn(at, ",");
        uint32_t p = import_partition(im, at, length);
        if (p == SITE_NONE && im->site->n_partitions)
            site_remark(im->site, "partition %.*s of the log is not one of the site: its jobs %s",
                        (int)length, at,
                        im->plain ? "may run on any node"
                                  : "are of the others that they name, or of the default one");
        anywhere |= p == SITE_NONE || im->all_partitions >> p & 1;
        at += length;
    }
    if (!anywhere && several && a)
        site_remark(
            im->site,
            "left out: the partitions of jobs with a list of them and alternative features");
    for (const char *at = partitions + strspn(partitions, ","); *at && !anywhere;
         at += strspn(at, ",")) {
        int length = (int)strcspn(at, ",");
        if (!several)
            n += (size_t)snprintf(w->selector + n, WISH_MAX - n, "%spartition.%.*s=yes",
                                  n ? ";" : "", length > 100 ? 100 : length, at);
        else if (!job->affinity && a < WISH_MAX - 120)
            a += (size_t)snprintf(w->affinity + a, WISH_MAX - a, "%spartition.%.*s",
                                  a ? ";" : "", length > 100 ? 100 : length, at);
        at += length;
    }
    job->selector = *w->selector ? w->selector : NULL;
    job->affinity = *w->affinity ? w->affinity : NULL;
}

/* "a;b" without the partitions that the site does not have. */
static const char *known_partitions(struct writing *w, const char *list)
{
    size_t n = 0;
    for (const char *at = list; *at; at += strspn(at, ";")) {
        size_t length = strcspn(at, ";");
        if (import_partition(w->im, at, length) != SITE_NONE && n + length + 2 < WISH_MAX)
            n += (size_t)snprintf(w->partitions + n, WISH_MAX - n, "%s%.*s", n ? ";" : "",
                                  (int)length, at);
        at += length;
    }
    w->partitions[n] = 0;
    return w->partitions;
}

/* What policy slurm reads of it, of what the site has. */
static void set_site(struct writing *w, struct job_row *job, const char *account)
{
    const struct import *im = w->im;
    job->account = im->accounts.n_assocs && !import_has_account(im, account) ? "" : account;
    if (im->site->n_partitions && job->partition)
        job->partition = known_partitions(w, job->partition);
    if (!im->accounts.n_qos || !job->qos || !*job->qos || import_has_qos(im, job->qos))
        return;
    site_remark(im->site,
                "QOS %.60s of the log is not among the QOS: its jobs have the default one",
                job->qos);
    job->qos = "";
}

/* ---- what runs ---- */

struct held { struct writing *w; uint32_t nodes, left, each, placed; bool unknown; };

static uint32_t node_of(const struct held *h, const char *name, size_t length)
{
    uint32_t n = intern_find(h->w->im->site->names, name, length);
    return n == INTERN_NONE ? SITE_NONE : h->w->im->number[n];
}

static int take_held(void *self, const char *name, size_t length)
{
    struct held *h = self;
    uint32_t n = node_of(h, name, length);
    if (h->placed >= h->nodes)
        return 0;
    uint32_t gpus =
        h->each ? h->each : (h->left + (h->nodes - h->placed) - 1) / (h->nodes - h->placed);
    mem_grow(&h->w->on, &h->w->on_capacity, h->placed, sizeof *h->w->on);
    h->w->on[h->placed++] = (struct held_at){ .node = n, .gpus = gpus };
    h->left -= gpus < h->left ? gpus : h->left;
    return 0;
}

static int count_known(void *self, const char *name, size_t length)
{
    struct held *h = self;
    h->unknown |= node_of(h, name, length) == SITE_NONE;
    h->nodes++;
    return 0;
}

/* A job on nodes that the cluster file lacks waits instead. What runs has no dependencies, but its
 * place among the tasks of an array, which comes last in the list. */
static void set_running(struct writing *w, struct job_row *job, const struct log_row *r)
{
    const char *nodes = log_name(w->im->log, r->nodes);
    struct held h = { .w = w, .left = job->gpus, .each = job->tasks ? job->gpus / job->tasks : 0 };
    if (hostlist_each(nodes, strlen(nodes), count_known, &h, NULL) || h.unknown || !*nodes) {
        site_remark(w->im->site,
                    "jobs that run on nodes that are not in the cluster file wait instead");
        return;
    }
    if (job->tasks && h.nodes > job->tasks)
        h.nodes = job->tasks;
    if (!h.each && h.nodes > 1)
        site_remark(w->im->site,
                    "guessed: GPUs of jobs that run are spread evenly over their nodes");
    (void)hostlist_each(nodes, strlen(nodes), take_held, &h, NULL);
    job->running_on = w->on;
    job->n_running_on = h.placed;
    job->ran_ns = r->start_s == NO_TIME ? 0 : w->origin_ns - r->start_s * NS_PER_S;
    const char *limit = strstr(job->depends_on, "limit:");
    job->depends_on = limit ? limit : "";
    job->depends_on_length = strlen(job->depends_on);
}

/* ---- one job ---- */

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

/* What runs lasts as long as its limit allows. */
static void set_now(struct writing *w, struct job_row *job, const struct log_job *j)
{
    const struct log_row *r = log_last(w->im->log, j);
    job->submit_ns = 0;
    job->recorded_wait_ns = -1;
    if (j->state != LOG_RUNNING)
        return;
    if (job->estimate_ns != TIME_NEVER)
        job->duration_ns =
            job->estimate_ns > job->duration_ns ? job->estimate_ns - job->duration_ns : 0;
    if (job->n_parts)
        site_remark(w->im->site, "heterogeneous jobs that run wait instead");
    else
        set_running(w, job, r);
}

/* Job `i` of the trace. false: it is not taken. */
static bool make_row(struct writing *w, uint32_t i, struct job_row *job)
{
    const struct slurm_log *log = w->im->log;
    const struct log_job *j = &log->job[w->key[i].job];
    const struct log_row *r = log_last(log, j);
    if (!log_job_row(w->im->log, w->key[i].job, w->request, job))
        return false;
    job->tie = i;
    job->submit_ns -= w->origin_ns;
    job->estimate_ns = limit_ns(w, job, r);
    set_wishes(w, job, r);
    if (w->im->plain)
        job->partition = job->qos = job->account = NULL;
    else
        set_site(w, job, log_name(log, r->account));
    if (w->now)
        set_now(w, job, j);
    return true;
}

/* ---- what only the log knows ---- */

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

static void put_log(void *self, struct output *o, job_id i)
{
    const struct writing *w = self;
    const struct slurm_log *log = w->im->log;
    const struct log_job *j = &log->job[w->key[i].job];
    const struct log_row *r = log_last(log, j);
    put_text(o, log_name(log, r->partition));
    put_text(o, log_name(log, r->qos));
    put_text(o, log_name(log, r->account));
    put_time(o, r->start_s, w->origin_ns);
    put_time(o, r->eligible_s, w->origin_ns);
    out_printf(o, "%" PRId64 ",", r->suspended_s);
    put_text(o, log_name(log, r->nodes));
    if (r->priority >= 0)
        out_integer(o, r->priority);
    out_char(o, ',');
    put_text(o, log_name(log, r->scheduler));
    put_text(o, log_name(log, r->reason));
    put_text(o, log_name(log, r->reservation));
    if (r->exit_code >= 0)
        out_printf(o, "%d:%d", r->exit_code, r->exit_signal);
    out_printf(o, ",%" PRIu32 ",%" PRId64, j->n_runs, j->sum_s - j->last_s);
}

/* ---- all jobs ---- */

/* The jobs that are taken, in the order in which they arrive. */
static void take_keys(struct writing *w)
{
    struct slurm_log *log = w->im->log;
    struct job_row job;
    w->key = mem_new(log->n_jobs + 1, sizeof *w->key);
    for (uint32_t k = 0; k < log->n_jobs; k++) {
        bool ended = log_has_run(log->job[k].state);
        if (ended == w->now)
            continue;
        if (!log_job_row(log, k, w->request, &job)) {
            w->im->now_left += w->now && log->job[k].component_of == ID_NONE;
            continue;
        }
        w->key[w->n++] = (struct key){ job.submit_ns, job.tie, k };
    }
    if (!w->n)
        return;
    qsort(w->key, w->n, sizeof *w->key, by_submit);
    w->origin_ns = !w->now                     ? w->key[0].submit_ns
                   : log->latest_s == NO_TIME ? 0
                                              : log->latest_s * NS_PER_S;
}

static int add_jobs(struct writing *w, struct workload *to, struct error *err)
{
    const struct slurm_log *log = w->im->log;
    for (uint32_t i = 0; i < w->n; i++) {
        struct job_row job;
        size_t line = log_last(log, &log->job[w->key[i].job])->line;
        if (make_row(w, i, &job) && workload_add(to, &job, log->file, line, err) != 0)
            return -1;
    }
    return w->n ? workload_finish(to, log->file, err) : 0;
}

int import_jobs(struct import *im, struct output *o, bool now, uint32_t *jobs, struct error *err)
{
    struct writing w = { .im = im, .request = log_request_new(), .now = now };
    struct workload *load = workload_new();
    im->log->memory_counts &= im->memory_counts;
    im->log->how.waiting = im->log->how.running = im->log->how.unfinished_only = now;
    take_keys(&w);
    struct slurm_log_counts counted = im->log->n;
    int result = add_jobs(&w, load, err);
    if (result == 0)
        result = native_write_more(o, load, &(struct native_more){ of_log, put_log, &w }, err);
    im->log->n = counted;
    *jobs = w.n;
    workload_free(load);
    log_request_free(w.request);
    free(w.key);
    free(w.on);
    return result;
}
