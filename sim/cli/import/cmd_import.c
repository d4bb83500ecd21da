/* cmd_import.c - gpuyard import: a site of another scheduler as files of this program. */
#include "sim/base/memory.h"
#include "sim/cli/frame/cli.h"
#include "sim/cli/import/import.h"
#include "sim/cli/import/import_kubernetes.h"
#include "sim/cli/import/run_line.h"
#include "traces/formats/dates.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct import_options {
    const char *jobs, *conf, *gres, *topology, *nodes, *partitions, *accounts, *qos, *reservations,
        *output, *zone, *cluster, *runs, *at;
    int64_t run_time_ns;
    int queues;
    bool plain, cpu_jobs;
};
#define RUN_TIME_S 3600           /* [A] */
static const struct import_options defaults = { .run_time_ns = RUN_TIME_S * NS_PER_S,
                                                .queues = -1 };

#define A_FILE(word, field, text)                                                                  \
    { .name = word, .argument = "FILE", .kind = OPTION_TEXT, .values = VALUES_FILE,                \
      .at = offsetof(struct import_options, field), .help = text }
static const struct option options[] = {
    A_FILE("jobs", jobs, "the log: sacct -P, as of the trace format slurm"),
    A_FILE("conf", conf, "slurm.conf; gres.conf and topology.conf beside it are read too"),
    A_FILE("gres", gres, "gres.conf"),
    A_FILE("topology", topology,
           "topology.conf: leaf switches become racks, those above pods, and so on"),
    A_FILE("nodes", nodes, "scontrol show node -o; instead of the nodes of slurm.conf"),
    A_FILE("partitions", partitions, "scontrol show partition -o; instead of those of slurm.conf"),
    A_FILE("accounts", accounts, "sacctmgr dump CLUSTER file=FILE, or sacctmgr -P show assoc"),
    A_FILE("qos", qos, "sacctmgr -P show qos"),
    A_FILE("reservations", reservations,
           "scontrol show reservation -o: those from the end of the log on, into now.yaml"),
    { .name = "output",
      .letter = 'o',
      .argument = "DIR",
      .kind = OPTION_TEXT,
      .required = true,
      .values = VALUES_DIRECTORY,
      .at = offsetof(struct import_options, output),
      .help = "where to write cluster.yaml, jobs.csv, now.csv, now.yaml and report.txt" },
    { .name = "plain",
      .kind = OPTION_FLAG,
      .at = offsetof(struct import_options, plain),
      .help = "write only what every policy reads: partitions become node labels that jobs select; "
              "tiers, QOS and limits other than GPUs of accounts are left out" },
    { .name = "zone",
      .argument = "+HH:MM",
      .kind = OPTION_TEXT,
      .at = offsetof(struct import_options, zone),
      .help = "zone of local times in the log; without it UTC" },
    { .name = "cluster",
      .argument = "NAME",
      .kind = OPTION_TEXT,
      .at = offsetof(struct import_options, cluster),
      .help = "of several clusters in the log the one that is read" },
    { .name = "runs",
      .argument = "WORD",
      .kind = OPTION_TEXT,
      .at = offsetof(struct import_options, runs),
      .help = "of a job that was requeued: last (default), sum or each, as of the trace format "
              "slurm" },
    { .name = "cpu-jobs",
      .kind = OPTION_FLAG,
      .at = offsetof(struct import_options, cpu_jobs),
      .help = "jobs without GPUs are taken, too; without it, of Kubernetes only those of queues" },
    { .name = "at",
      .argument = "TIME",
      .kind = OPTION_TEXT,
      .at = offsetof(struct import_options, at),
      .help = "kubernetes: the moment of the dump, like 2026-01-05T10:00:00Z; without it the "
              "latest time in it" },
    { .name = "run-time",
      .argument = "SECONDS",
      .kind = OPTION_SECONDS,
      .max = 3153600000,
      .at = offsetof(struct import_options, run_time_ns),
      .help = "kubernetes: run time of jobs that wait and have no deadline (default 3600)" },
    { .name = "queues",
      .argument = "WORD",
      .kind = OPTION_WORD,
      .words = kubernetes_queues,
      .at = offsetof(struct import_options, queues),
      .help = "kubernetes: what queues are: ClusterQueues of Kueue, queues of KAI, or namespaces "
              "(default: the first of these that there are)" },
    { 0 },
};
static const char *const systems[] = { "slurm", "kubernetes", NULL };

/* ---- reading ---- */

/* A file beside slurm.conf, if it is there and no option names another; the caller frees it. */
static char *beside(const char *conf, const char *name, const char *said)
{
    if (said || !conf)
        return said ? mem_text(said, strlen(said)) : NULL;
    const char *slash = strrchr(conf, '/');
    char *folder = mem_text(conf, slash ? (size_t)(slash - conf) : 0),
         *path = input_beside(folder, name);
    free(folder);
    if (access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

static int read_beside(struct import *im, const struct import_options *x, const char *name,
                       const char *said,
                       int (*read)(struct slurm_site *, const char *, struct error *),
                       struct error *err)
{
    char *path = beside(x->conf, name, said);
    int result = path ? read(im->site, path, err) : 0;
    free(path);
    return result;
}

static int read_site(struct import *im, const struct import_options *x, struct error *err)
{
    if ((x->nodes && site_read_nodes(im->site, x->nodes, err) != 0) ||
        (x->partitions && site_read_partitions(im->site, x->partitions, err) != 0) ||
        (x->conf && site_read_conf(im->site, x->conf, err) != 0) ||
        read_beside(im, x, "gres.conf", x->gres, site_read_gres, err) != 0 ||
        read_beside(im, x, "topology.conf", x->topology, site_read_topology, err) != 0)
        return -1;
    if (!im->site->n_nodes)
        return error_set(err, "%s: want nodes: a line with NodeName", x->conf ? x->conf : x->nodes);
    const char *select = site_key(im->site, "SelectTypeParameters");
    im->memory_counts = select && strstr(select, "Memory");
    if (x->accounts && accounts_read(&im->accounts, im->site, x->accounts, err) != 0)
        return -1;
    if (x->reservations && !x->jobs)
        return error_set(err, "--reservations: want --jobs, too: "
                              "times are as from the end of the log");
    return x->qos ? qos_read(&im->accounts, im->site, x->qos, err) : 0;
}

static int read_log(struct import *im, const struct import_options *x, struct error *err)
{
    const char *value[TRACE_OPTIONS_MAX] = { 0 };
    struct slurm_log_options how;
    for (size_t i = 0; slurm_options[i].name; i++) {
        const char *name = slurm_options[i].name;
        value[i] = !strcmp(name, "zone")                     ? x->zone
                   : !strcmp(name, "cluster")                ? x->cluster
                   : !strcmp(name, "runs")                   ? x->runs
                   : !strcmp(name, "cpu_jobs") && x->cpu_jobs ? "yes"
                                                              : NULL;
    }
    if (!x->jobs)
        return 0;
    if (slurm_options_read("import", value, &how, err) != 0)
        return -1;
    const char *requeue = site_key(im->site, "JobRequeue");
    how.no_requeue = requeue && !strcmp(requeue, "0");
    how.details = true;
    im->in = input_open(x->jobs, err);
    im->log = im->in ? slurm_log_read(im->in, &how, err) : NULL;
    if (!im->log || !x->reservations)
        return im->log ? 0 : -1;
    if (im->log->latest_s == NO_TIME)
        return error_set(err, "--reservations: want a time in %s: theirs are as from its end",
                         x->jobs);
    int result = slurm_reservations_read(
        &im->reservations, im->site, (struct slurm_clock){ date_parse, how.zone_s },
        x->reservations, err);
    if (im->reservations.local_times && !how.zone_said)
        site_remark(im->site, "guessed: local times of reservations are UTC (--zone)");
    return result;
}

/* ---- writing ---- */

enum { CLUSTER, JOBS, NOW, NOW_CLUSTER, REPORT, FILES };
static const char *const file_names[FILES] = { "cluster.yaml", "jobs.csv", "now.csv", "now.yaml",
                                               "report.txt" };

static void put_report(struct import *im, struct output *o, const char *directory,
                       const char *remark, const char *policy)
{
    out_printf(o,
               "%" PRIu32 " of %zu nodes, %" PRId64
               " GPUs, %zu partitions, %zu accounts and users, %zu QOS\n",
               im->n_present, im->site->n_nodes, im->gpus, im->site->n_partitions,
               im->accounts.n_assocs, im->accounts.n_qos);
    if (remark) {
        out_text(o, remark);
        out_char(o, '\n');
    }
    if (im->now_jobs)
        out_printf(o,
                   "jobs that run or wait at the end of the log: %" PRIu32
                   " in now.csv, as from then\n",
                   im->now_jobs);
    if (im->reservations.n)
        out_printf(o,
                   "reservations: %" PRIu32
                   " in now.yaml, which is cluster.yaml as from the end of the log\n",
                   im->now_reservations);
    if (im->now_left)
        out_printf(o,
                   "jobs that run or wait and are left out: %" PRIu32
                   " (waiting without a limit, without GPUs, or tasks of an array whose list is "
                   "cut off)\n",
                   im->now_left);
    for (size_t i = 0; i < im->site->n_remarks; i++) {
        out_text(o, im->site->remark[i].text);
        if (im->site->remark[i].times > 1)
            out_printf(o, " (%" PRIu64 " times)", im->site->remark[i].times);
        out_char(o, '\n');
    }
    import_put_run(o, directory,
                   im->jobs       ? file_names[JOBS]
                   : im->now_jobs ? file_names[NOW]
                                  : NULL,
                   policy);
}

/* Writes one of the files; NULL with err, or without if there is nothing to write. */
static struct output *write_file(struct import *im, const char *directory, int which,
                                 const char *remark, const char *policy, struct error *err)
{
    bool wanted = which == NOW_CLUSTER ? im->reservations.n
                                       : im->log || (which != JOBS && which != NOW);
    struct output *o = wanted ? output_open(directory, file_names[which], err) : NULL;
    if (!o)
        return NULL;
    if (which == CLUSTER) {
        import_cluster(im, o);
    } else if (which == NOW_CLUSTER) {
        im->site->remarked = true;
        import_cluster(im, o);
        im->site->remarked = false;
        im->now_reservations = import_reservations(im, o);
    } else if (which == REPORT) {
        put_report(im, o, directory, remark, policy);
    } else if (import_jobs(im, o, which == NOW, which == NOW ? &im->now_jobs : &im->jobs, err)) {
        output_discard(o);
        return NULL;
    }
    if (which != NOW || im->now_jobs)
        return o;
    output_discard(o);
    return NULL;
}

static int write_files(struct import *im, const char *directory, struct error *err)
{
    struct output *file[FILES] = { NULL };
    size_t n = 0;
    char *remark = NULL, *policy = import_policy(im);
    int result = directory_make(directory, NULL, err);
    for (int i = 0; i < FILES && result == 0; i++) {
        struct output *o = write_file(im, directory, i, remark, policy, err);
        if (o)
            file[n++] = o;
        result = err->text[0] ? -1 : 0;
        if (i == JOBS && im->log)
            remark = slurm_log_remark(im->log, im->jobs);
    }
    result = output_end_all(file, n, result == 0, err);
    struct output *shown = output_stream(STDOUT_FILENO, "<stdout>");
    if (result == 0)
        put_report(im, shown, directory, remark, policy);
    result = output_commit(shown, err) == 0 ? result : -1;
    free(remark);
    free(policy);
    return result;
}

/* ---- Kubernetes ---- */

/* An option of the other system; NULL: none is given. */
static const char *option_of_slurm(const struct import_options *x)
{
    const struct { const char *name; bool given; } options_of[] = {
        { "jobs", x->jobs },         { "conf", x->conf },   { "gres", x->gres },
        { "topology", x->topology }, { "nodes", x->nodes }, { "partitions", x->partitions },
        { "accounts", x->accounts }, { "qos", x->qos },     { "plain", x->plain },
        { "reservations", x->reservations },
        { "zone", x->zone },         { "cluster", x->cluster },
    };
    for (size_t i = 0; i < sizeof options_of / sizeof *options_of; i++)
        if (options_of[i].given)
            return options_of[i].name;
    return NULL;
}

static const char *option_of_kubernetes(const struct import_options *x)
{
    return x->at                                         ? "at"
           : x->queues != defaults.queues                ? "queues"
           : x->run_time_ns != defaults.run_time_ns      ? "run-time"
                                                         : NULL;
}

static int run_kubernetes(const struct invocation *in)
{
    const struct import_options *x = in->options;
    const char *other = option_of_slurm(x);
    if (other)
        return complain(EXIT_USAGE, "import: --%s is an option of slurm, not of kubernetes", other);
    if (in->operands.n < 2)
        return complain(EXIT_USAGE, "import: want files or folders of objects: kubernetes PATH...");
    const struct import_kubernetes how = { .path = in->operands.text + 1,
                                           .n_paths = in->operands.n - 1,
                                           .output = x->output,
                                           .at = x->at,
                                           .run_time_ns = x->run_time_ns,
                                           .queues = x->queues,
                                           .cpu_jobs = x->cpu_jobs };
    return import_kubernetes(&how);
}

static int import_run(const struct invocation *in)
{
    const struct import_options *x = in->options;
    struct error err = { "" };
    char want[DID_YOU_MEAN];
    if (strcmp(in->operands.text[0], systems[1]) == 0)
        return run_kubernetes(in);
    if (strcmp(in->operands.text[0], systems[0]) != 0)
        return complain(EXIT_USAGE, "import: want %s, got '%s'", words_or(want, systems),
                        in->operands.text[0]);
    if (option_of_kubernetes(x))
        return complain(EXIT_USAGE, "import: --%s is an option of kubernetes, not of slurm",
                        option_of_kubernetes(x));
    if (in->operands.n > 1)
        return complain(EXIT_USAGE, "import: want no operand behind slurm, got '%s'",
                        in->operands.text[1]);
    if (!x->conf && !x->nodes)
        return complain(EXIT_USAGE, "import: want --conf slurm.conf or --nodes, the site");
    struct import im = { .site = site_new(), .plain = x->plain };
    int status = read_site(&im, x, &err) == 0 && read_log(&im, x, &err) == 0 ? EXIT_OK : EXIT_INPUT;
    if (status == EXIT_OK) {
        import_order(&im);
        if (!im.n_present)
            status = (error_set(&err, "%s: every node is down, drained or not there",
                                x->conf ? x->conf : x->nodes),
                      EXIT_INPUT);
        else
            status = write_files(&im, x->output, &err) == 0 ? EXIT_OK : EXIT_FAILED;
    }
    slurm_log_free(im.log);
    input_close(im.in);
    accounts_free(&im.accounts);
    slurm_reservations_free(&im.reservations);
    site_free(im.site);
    free(im.order);
    free(im.number);
    return err.text[0] ? complain(status, "%s", err.text) : status;
}

const struct command cmd_import = {
    .name = "import",
    .summary = "read a site of Slurm or Kubernetes: a cluster file, a trace, and what was left out",
    .details =
        "slurm reads a site and its log (--conf, --jobs, ...). kubernetes reads PATHs: what "
        "kubectl get -o json or yaml prints, manifests, folders of them, or a snapshot of "
        "KAI-Scheduler.\n"
        "Writes DIR/cluster.yaml, DIR/jobs.csv with the jobs that ended, DIR/now.csv with those "
        "that run and wait at the end of the log, DIR/now.yaml with reservations from then on, and "
        "DIR/report.txt, which is shown too: what "
        "was taken, what was left out, what was guessed, and the run that comes closest.",
    .set = { .name = "import",
             .options = options,
             .operands = "slurm|kubernetes [PATH...]",
             .min_operands = 1,
             .max_operands = SIZE_MAX },
    .words = systems,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = import_run,
};
