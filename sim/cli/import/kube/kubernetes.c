/* kubernetes.c - import kubernetes: reads dumps and manifests, writes the files and the report. See
 * kubernetes.h and import_kubernetes.h. */
#include "sim/cli/import/import_kubernetes.h"

#include "sim/base/units.h"
#include "sim/cli/frame/cli.h"
#include "sim/cli/import/kube/devices.h"
#include "sim/cli/import/kube/kubernetes.h"
#include "sim/cli/import/run_line.h"
#include "traces/formats/dates.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *const kubernetes_queues[] = { "kueue", "kai", "namespaces", NULL };

/* ---- reading ---- */

static enum kube_queues queues_of(const struct kube_site *s, int wanted)
{
    for (size_t i = 0; i < s->n_cluster_queues && wanted < 0; i++)
        if (!s->cluster_queues[i].is_cohort)
            wanted = QUEUES_KUEUE;
    if (wanted < 0)
        wanted = s->n_queues ? QUEUES_KAI : QUEUES_NAMESPACES;
    return (enum kube_queues)wanted;
}

static int moment_of(const char *at, int64_t *ns, struct error *err)
{
    char text[48] = "";
    size_t length = strlen(at);
    *ns = NO_TIME;
    if (length < sizeof text)
        memcpy(text, at, length + 1);
    if (length > 10 && text[10] == 'T')
        text[10] = ' ';
    if (length && length < sizeof text && text[length - 1] == 'Z')
        text[--length] = '\0';
    if (!date_parse(text, length, ns) && !date_parse_fine(text, length, ns))
        return error_set(err, "--at: want " DATE_WANT ", got '%.60s'", at);
    return 0;
}

static int read_paths(struct kube_import *im, const struct import_kubernetes *x, struct error *err)
{
    im->how = (struct kube_how){ NO_TIME, x->run_time_ns, x->queues, x->cpu_jobs };
    if (x->at && moment_of(x->at, &im->how.at_ns, err) != 0)
        return -1;
    for (size_t i = 0; i < x->n_paths; i++)
        if (kube_site_read(im->s, x->path[i], err) != 0)
            return -1;
    if (!im->s->n_nodes)
        return error_set(err, "%s: want nodes: objects of kind Node", x->path[0]);
    im->jobs.queues = queues_of(im->s, x->queues);
    im->now_ns = im->how.at_ns != NO_TIME      ? im->how.at_ns
                 : im->s->latest_ns != NO_TIME ? im->s->latest_ns
                                               : 0;
    kube_jobs_make(im->s, &im->jobs, x->cpu_jobs);
    kube_import_order(im);
    if (!im->n_present)
        return error_set(err, "%s: no node is ready", x->path[0]);
    kube_name_devices(im);
    return 0;
}

/* ---- the report ---- */

static void put_moment(const struct kube_import *im, struct output *o)
{
    char when[40];
    struct tm tm;
    time_t now = (time_t)(im->now_ns / NS_PER_S);
    if (im->how.at_ns == NO_TIME && im->s->latest_ns == NO_TIME) {
        out_text(o, "guessed: nothing has run, as no object has a time\n");
        return;
    }
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    if (im->how.at_ns == NO_TIME)
        out_printf(o, "guessed: the moment of the dump is %s, the latest time in it (--at)\n",
                   when);
    else
        out_printf(o, "as of %s\n", when);
}

/* "not read of Pod: a (3), b": the fields of each kind on one line. */
static void put_unread(const struct remarks *r, struct output *o)
{
    struct intern *kinds = intern_new();
    for (uint32_t i = 0; i < remarks_count(r); i++) {
        const char *text = intern_text(r->text, i);
        intern_add(kinds, text, strcspn(text, ":"));
    }
    for (uint32_t k = 0; k < intern_count(kinds); k++) {
        const char *kind = intern_text(kinds, k), *mark = ": ";
        size_t length = strlen(kind);
        out_printf(o, "not read of %s", kind);
        for (uint32_t i = 0; i < remarks_count(r); i++) {
            const char *text = intern_text(r->text, i);
            if (strncmp(text, kind, length) != 0 || text[length] != ':')
                continue;
            out_printf(o, "%s%s", mark, text + length + 2);
            if (r->times[i] > 1)
                out_printf(o, " (%" PRIu64 ")", r->times[i]);
            mark = ", ";
        }
        out_char(o, '\n');
    }
    intern_free(kinds);
}

enum { CLUSTER, NOW, JOBS, REPORT, FILES };
static const char *const file_names[FILES] = { "cluster.yaml", "now.csv", "jobs.csv",
                                               "report.txt" };

static void put_report(const struct kube_import *im, struct output *o, const char *directory,
                       const char *policy)
{
    static const char *const teams[] = { "ClusterQueues of Kueue", "queues of KAI", "namespaces" };
    const struct kube_site *s = im->s;
    out_printf(
        o, "%zu objects of %zu files; %" PRIu32 " of %zu nodes, %" PRId64 " GPUs; queues are %s\n",
        s->n_objects, s->n_files, im->n_present, s->n_nodes, im->gpus, teams[im->jobs.queues]);
    if (s->n_other_files)
        out_printf(o, "left out: files that end neither in .json, .yaml, .yml nor .zip: %zu\n",
                   s->n_other_files);
    out_printf(o, "jobs: %zu run and %zu wait (now.csv), %zu have ended%s\n", im->running,
               im->waiting, im->ended, im->ended ? " (jobs.csv)" : "");
    put_moment(im, o);
    if (im->jobs.background)
        out_printf(
            o,
            "pods without GPUs and without a queue, of DaemonSets or of nodes: %zu; their CPUs "
            "and memory are taken off their nodes\n",
            im->jobs.background);
    for (uint32_t i = 0; i < remarks_count(&s->remarks); i++) {
        out_text(o, intern_text(s->remarks.text, i));
        if (s->remarks.times[i] > 1)
            out_printf(o, " (%" PRIu64 " times)", s->remarks.times[i]);
        out_char(o, '\n');
    }
    put_unread(&s->unread, o);
    import_put_run(o, directory,
                   im->running + im->waiting ? file_names[NOW]
                   : im->ended               ? file_names[JOBS]
                                             : NULL,
                   policy);
}

/* ---- writing ---- */

static void put_cluster(struct kube_import *im, struct output *o)
{
    char *text = NULL;
    size_t length = 0;
    FILE *f = mem_stream(&text, &length);
    kube_put_cluster(im, f);
    mem_stream_end(f, &text);
    out_text(o, text);
    free(text);
}

/* The cluster file first: it fills what the report tells of nodes. */
static int write_files(struct kube_import *im, const char *directory, struct error *err)
{
    struct output *file[FILES] = { NULL };
    size_t n = 0;
    int result = directory_make(directory, NULL, err);
    char *policy = NULL;
    for (int i = 0; i < FILES && result == 0; i++) {
        struct output *o = output_open(directory, file_names[i], err);
        bool empty = false;
        if (!o) {
            result = -1;
            break;
        }
        if (i == CLUSTER)
            put_cluster(im, o);
        else if (i == REPORT)
            put_report(im, o, directory, policy = kube_closest(im));
        else
            empty = kube_put_jobs(im, o, i == JOBS) == 0 && i == JOBS;
        if (empty)
            output_discard(o);
        else
            file[n++] = o;
    }
    result = output_end_all(file, n, result == 0, err);
    struct output *shown = output_stream(STDOUT_FILENO, "<stdout>");
    if (result == 0)
        put_report(im, shown, directory, policy);
    result = output_commit(shown, err) == 0 ? result : -1;
    free(policy);
    return result;
}

int import_kubernetes(const struct import_kubernetes *x)
{
    struct error err = { "" };
    struct kube_import im = { .s = kube_site_new() };
    int status = read_paths(&im, x, &err) == 0 ? EXIT_OK : EXIT_INPUT;
    if (status == EXIT_OK)
        status = write_files(&im, x->output, &err) == 0 ? EXIT_OK : EXIT_FAILED;
    kube_jobs_free(&im.jobs);
    kube_import_free(&im);
    kube_site_free(im.s);
    return err.text[0] ? complain(status, "%s", err.text) : status;
}
