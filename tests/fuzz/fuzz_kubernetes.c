/* fuzz_kubernetes.c - any bytes as objects of Kubernetes: what is read becomes jobs and a cluster file,
 * which is YAML. */
#include "sim/cli/import/kube/devices.h"
#include "sim/cli/import/kube/kubernetes.h"
#include "sim/io/config.h"
#include "tests/fuzz/fuzz.h"

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

static void check_cluster(struct kube_import *im)
{
    struct error err = { "" };
    char *text = NULL;
    size_t length = 0;
    FILE *f = mem_stream(&text, &length);
    kube_put_cluster(im, f);
    mem_stream_end(f, &text);
    struct input *in = input_from_bytes(text, strlen(text), "cluster.yaml", &err);
    struct config *c = config_read(in, &err);
    FUZZ_MUST(c || strstr(err.text, "want at most"));
    config_free(c);
    input_close(in);
    free(text);
}

static void check_trace(struct kube_import *im, bool ended)
{
    struct error err = { "" };
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct output *o = output_stream(fd, "/dev/null");
    size_t n = kube_put_jobs(im, o, ended);
    FUZZ_MUST(n <= im->jobs.n);
    FUZZ_MUST(output_commit(o, &err) == 0);
    close(fd);
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
        check_cluster(&im);
        check_trace(&im, false);
        check_trace(&im, true);
        char *policy = kube_closest(&im);
        free(policy);
        kube_import_free(&im);
        kube_jobs_free(&im.jobs);
    }
    kube_site_free(im.s);
    free(text);
    return 0;
}
