/* slurm.c - the trace format `slurm`: a log of sacct as a trace. See log.h. */
#include "sim/base/memory.h"
#include "traces/formats/columns.h"
#include "traces/slurm/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

enum { QUEUE, ARRIVE, ZONE, CLUSTER, SIZE, CPU_JOBS, RUNS, WAITING, RUNNING, PRIORITY, SHARDS };
const struct trace_option slurm_options[] = {
    [QUEUE] = { "queue", "the queue of a job: account (default), partition, qos or user" },
    [ARRIVE] = { "arrive", "when a job arrives: submit or eligible; by default eligible, submit if "
                           "there is a column SubmitLine with dependencies" },
    [ZONE] = { "zone", "of local times, as +02:00; without it UTC" },
    [CLUSTER] = { "cluster", "of several clusters in the file the one that is read" },
    [SIZE] = { "size", "sizes from AllocTRES or ReqTRES: alloc (default) or req" },
    [CPU_JOBS] = { "cpu_jobs", "yes: jobs without GPUs are taken, too" },
    [RUNS] = { "runs", "of a job that was requeued: last (default), the work of the last one; "
                         "sum: that of all; each: those that failed are retried, a job each" },
    [WAITING] = { "pending",
                  "yes: jobs that still wait are taken, and last as long as their limit" },
    [RUNNING] = { "running", "yes: jobs that still run are taken, with the time up to now" },
    [PRIORITY] = { "priority", "recorded: the priorities of the log" },
    [SHARDS] = { "shards",
                 "gres/shard of a GPU, from gres.conf; without it such jobs are left out" },
    { NULL, NULL }
};

static int word(const char *file, const char *option, const char *value, const char *const *words,
                int *to, struct error *err)
{
    char want[64] = "";
    size_t n = 0, k = 0;
    if (!value)
        return 0;
    for (; words[k] && strcmp(words[k], value) != 0; k++)
        n += (size_t)snprintf(want + n, sizeof want - n, "%s%s",
                              !k ? "" : words[k + 1] ? ", " : " or ", words[k]);
    *to = (int)k;
    return words[k] ? 0
                    : error_set(err, "%s: slurm: %s: want %s, got '%.40s'", file, option, want,
                                value);
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "+02:00" */
static bool zone_parse(const char *z, int64_t *seconds)
{
    if ((*z != '+' && *z != '-') || strlen(z) != 6 || z[3] != ':' || !digit(z[1]) || !digit(z[2]) ||
        !digit(z[4]) || !digit(z[5]))
        return false;
    int64_t hours = (z[1] - '0') * 10 + (z[2] - '0'), minutes = (z[4] - '0') * 10 + (z[5] - '0');
    *seconds = (hours * 60 + minutes) * (*z == '-' ? -60 : 60);
    return hours <= 14 && minutes <= 59;
}

int slurm_options_read(const char *file, const char *const *value, struct slurm_log_options *to,
                       struct error *err)
{
    static const char *const queues[] = { "account", "partition", "qos", "user", NULL },
                      *const arrives[] = { "submit", "eligible", NULL },
                      *const sizes[] = { "alloc", "req", NULL },
                      *const booleans[] = { "no", "yes", NULL },
                      *const runs[] = { "last", "sum", "each", NULL },
                      *const priorities[] = { "none", "recorded", NULL };
    int queue = QUEUE_ACCOUNT, arrive = -1, size = 0, cpu = 0, kept = 0, waiting = 0, running = 0,
        priority = 0;
    *to = (struct slurm_log_options){ .cluster = value[CLUSTER], .queue_said = value[QUEUE],
                                      .zone_said = value[ZONE] };
    if (word(file, "queue", value[QUEUE], queues, &queue, err) ||
        word(file, "arrive", value[ARRIVE], arrives, &arrive, err) ||
        word(file, "size", value[SIZE], sizes, &size, err) ||
        word(file, "cpu_jobs", value[CPU_JOBS], booleans, &cpu, err) ||
        word(file, "runs", value[RUNS], runs, &kept, err) ||
        word(file, "pending", value[WAITING], booleans, &waiting, err) ||
        word(file, "running", value[RUNNING], booleans, &running, err) ||
        word(file, "priority", value[PRIORITY], priorities, &priority, err))
        return -1;
    if (value[ZONE] && !zone_parse(value[ZONE], &to->zone_s))
        return error_set(err, "%s: slurm: zone: want a zone like +02:00, got '%.40s'", file,
                         value[ZONE]);
    if (value[SHARDS] &&
        (!integer_parse(value[SHARDS], strlen(value[SHARDS]), &to->shards_per_gpu) ||
         to->shards_per_gpu < 1 || to->shards_per_gpu > MILLI_ALL))
        return error_set(err, "%s: slurm: shards: want a whole number from 1 to 1000, got '%.40s'",
                         file, value[SHARDS]);
    to->queue = (enum slurm_queue_of)queue;
    to->arrive = arrive == 0 ? ARRIVE_SUBMIT : arrive == 1 ? ARRIVE_ELIGIBLE : ARRIVE_AUTO;
    to->asked_size = size;
    to->cpu_jobs = cpu;
    to->runs = kept;
    to->waiting = waiting;
    to->running = running;
    to->recorded_priority = priority;
    return 0;
}

/* ---- the remark ---- */

static void put(FILE *f, uint64_t n, const char *one, const char *many)
{
    if (n)
        fprintf(f, "; %" PRIu64 " %s", n, n == 1 ? one : many);
}

static void put_left_out(FILE *f, const struct slurm_log_counts *n)
{
    put(f, n->steps, "row of a step left out", "rows of steps left out");
    put(f, n->other_cluster, "row of another cluster left out", "rows of other clusters left out");
    put(f, n->twice, "row is there twice", "rows are there twice");
    put(f, n->older, "row is an older state of another", "rows are older states of others");
    put(f, n->cancelled_waiting, "job left out that ended without a start",
        "jobs left out that ended without a start");
    put(f, n->waiting, "job left out that waits (pending=yes takes it if it has a limit)",
        "jobs left out that wait (pending=yes takes those with a limit)");
    put(f, n->requeued_last, "job left out that was requeued and waits",
        "jobs left out that were requeued and wait");
    put(f, n->running, "job left out that still runs (running=yes takes it)",
        "jobs left out that still run (running=yes takes them)");
    put(f, n->without_gpus, "job without GPUs left out (cpu_jobs=yes takes it)",
        "jobs without GPUs left out (cpu_jobs=yes takes them)");
    if (n->without_gpus && n->gpuless_node_h > 0.1 * n->node_h)
        fprintf(f, ", which held %.0f %% of the node-hours", 100 * n->gpuless_node_h / n->node_h);
    put(f, n->shares, "job with shards left out (shards=N of a GPU takes it)",
        "jobs with shards left out (shards=N of a GPU takes them)");
}

static void put_changed(FILE *f, const struct slurm_log_counts *n)
{
    put(f, n->joined, "run of a requeued job joined", "runs of requeued jobs joined");
    put(f, n->retries, "run of a requeued job is a retry", "runs of requeued jobs are retries");
    put(f, n->resized, "piece of a resized job joined", "pieces of resized jobs joined");
    put(f, n->broken_off, "job whose last run was broken off counts as failed",
        "jobs whose last run was broken off count as failed");
    put(f, n->without_limit, "job without a time limit", "jobs without a time limit");
    put(f, n->partition_limit, "job has the limit of its partition, which the log does not say",
        "jobs have the limit of their partition, which the log does not say");
    put(f, n->sizes_differ, "job was given other GPUs than it asked for",
        "jobs were given other GPUs than they asked for");
    put(f, n->several_types, "job with GPUs of several types, read as any",
        "jobs with GPUs of several types, read as any");
    put(f, n->uneven, "job whose GPUs or CPUs do not divide by its nodes: only the total is read",
        "jobs whose GPUs or CPUs do not divide by their nodes: only the total is read");
    put(f, n->counted_features,
        "constraint with counts, brackets or parentheses read in part or not",
        "constraints with counts, brackets or parentheses read in part or not");
    put(f, n->starts_differ, "component started at another time than its job",
        "components started at other times than their jobs");
    put(f, n->guessed_end, "job has not ended: its duration is a guess",
        "jobs have not ended: their durations are guesses");
}

static void put_doubtful(FILE *f, const struct slurm_log *log)
{
    const struct slurm_log_counts *n = &log->n;
    put(f, n->unknown_dependencies, "dependency on a job that is not taken counts as met",
        "dependencies on jobs that are not taken count as met");
    put(f, n->other_dependencies, "dependency of another kind left out",
        "dependencies of other kinds left out");
    put(f, n->no_submit, "job without Submit arrives at its start",
        "jobs without Submit arrive at their starts");
    put(f, n->times_corrected, "job ends before it starts", "jobs end before they start");
    put(f, n->summer_time,
        "run whose Elapsed is an hour off, as across a change of summer time: want TZ=UTC "
        "SLURM_TIME_FORMAT=%s for sacct",
        "runs whose Elapsed is an hour off, as across a change of summer time: want TZ=UTC "
        "SLURM_TIME_FORMAT=%s for sacct");
    put(f, n->resources_unread, "cell has resources other than cpu, mem, node and gpu",
        "cells have resources other than cpu, mem, node and gpu");
    if (n->local_times && !log->how.zone_said)
        fputs("; local times are read as UTC (zone=+HH:MM)", f);
}

char *slurm_log_remark(const struct slurm_log *log, uint32_t jobs)
{
    char *text = NULL;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    fprintf(f, "%" PRIu32 " row%s of sacct: %" PRIu32 " job%s", log->n.rows,
            log->n.rows == 1 ? "" : "s", jobs, jobs == 1 ? "" : "s");
    put_left_out(f, &log->n);
    put_changed(f, &log->n);
    put_doubtful(f, log);
    mem_stream_end(f, &text);
    return text;
}

/* ---- the format ---- */

static int slurm_read(struct input *in, const char *const *value, struct workload *w,
                      struct error *err)
{
    struct slurm_log_options how;
    if (slurm_options_read(input_name(in), value, &how, err) != 0)
        return -1;
    struct slurm_log *log = slurm_log_read(in, &how, err);
    if (!log)
        return -1;
    uint32_t before = w->n_jobs;
    int result = slurm_log_jobs(log, w, err);
    if (result == 0) {
        char *remark = slurm_log_remark(log, w->n_jobs - before);
        w->remark = arena_text(w->memory, remark, strlen(remark));
        free(remark);
    }
    slurm_log_free(log);
    return result;
}

const struct trace_format slurm_format = {
    .name = "slurm",
    .summary = "Slurm: sacct -P with JobID,State,Submit,Start,End,AllocTRES,... in any order",
    .recognise = log_recognise,
    .read = slurm_read,
    .options = slurm_options,
    .dated = true,
};
