/* fuzz_kubernetes.c - any bytes as objects of Kubernetes: what is read becomes jobs, a cluster file
 * and traces, which a run can be set up on. */
#include "sim/cli/import/kube/devices.h"
#include "sim/cli/import/kube/kubernetes.h"
#include "sim/cluster/cluster_file.h"
#include "sim/engine/run.h"
#include "tests/fuzz/fuzz.h"
#include "traces/formats/format.h"

#include <fcntl.h>
#include <unistd.h>

/* See yaml.h: a parser that libfyaml has left in pieces is not freed. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml";
}

/* Every job has tasks; those that run are on nodes that are there, and no more than it has. */
static void check_jobs(const struct kube_import *im)
{
    for (size_t i = 0; i < im->jobs.n; i++) {
        const struct kube_unit *u = &im->jobs.unit[i];
        FUZZ_MUST(u->state == KUBE_LEFT || (u->n_groups && u->queue));
        for (size_t g = 0; g < u->n_groups; g++) {
            int64_t on = 0;
            for (size_t t = 0; t < u->group[g].n_tasks; t++) {
                FUZZ_MUST(u->group[g].task[t].node < im->s->n_nodes);
                on += u->group[g].task[t].times;
            }
            FUZZ_MUST(u->group[g].running == 0 || on == u->group[g].running);
            FUZZ_MUST(u->group[g].running <= u->group[g].n);
        }
    }
}

/* A number beyond those of a cluster file, or one that only the user knows. */
static bool is_for_user(const struct error *err)
{
    return strstr(err->text, "want at most") || strstr(err->text, "want its gpu_memory_gib");
}

static struct cluster *check_cluster(struct kube_import *im)
{
    struct error err = { "" };
    char *text = NULL;
    size_t length = 0;
    FILE *f = mem_stream(&text, &length);
    kube_put_cluster(im, f);
    mem_stream_end(f, &text);
    struct input *in = input_from_bytes(text, strlen(text), "cluster.yaml", &err);
    struct cluster *c = cluster_from_yaml(in, "cluster.yaml", NULL, &err);
    fuzz_taken(c != NULL || is_for_user(&err), &err);
    input_close(in);
    free(text);
    return c;
}

static void check_trace(struct kube_import *im, struct cluster *c, bool ended)
{
    static char path[64];
    const struct trace_source source = { .format = trace_format_find("native") };
    const struct trace_format *used = NULL;
    struct error err = { "" };
    char sha256[65] = "";
    snprintf(path, sizeof path, "/tmp/gpuyard-fuzz-%ld.csv", (long)getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    struct output *o = output_stream(fd, path);
    size_t n = kube_put_jobs(im, o, ended);
    FUZZ_MUST(n <= im->jobs.n);
    FUZZ_MUST(output_commit(o, &err) == 0);
    close(fd);
    struct input *in = n ? input_open(path, &err) : NULL;
    struct workload *w = in ? trace_from_input(in, &source, &used, sha256, &err) : NULL;
    fuzz_taken(w != NULL || !n, &err);
    if (w && c)
        fuzz_taken(run_bind(c, w, &err) == 0 || is_for_user(&err), &err);
    workload_free(w);
    input_close(in);
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct error err = { "" };
    struct kube_import im = { .s = kube_site_new() };
    char *text = mem_text((const char *)bytes, length);
    int result = kube_site_read_bytes(im.s, text, length, "objects", &err);
    fuzz_said(result != 0, &err);
    if (result == 0) {
        im.jobs.queues = im.s->n_cluster_queues ? QUEUES_KUEUE
                         : im.s->n_queues       ? QUEUES_KAI
                                                : QUEUES_NAMESPACES;
        im.how.run_time_ns = INT64_C(3600000000000);
        kube_jobs_make(im.s, &im.jobs, length % 2);
        kube_import_order(&im);
        kube_name_devices(&im);
        check_jobs(&im);
        struct cluster *c = im.n_present ? check_cluster(&im) : NULL;
        check_trace(&im, c, false);
        check_trace(&im, c, true);
        cluster_free(c);
        char *policy = kube_closest(&im);
        free(policy);
        kube_import_free(&im);
        kube_jobs_free(&im.jobs);
    }
    kube_site_free(im.s);
    free(text);
    return 0;
}
