/* fuzz_slurm.c - any bytes as a file of a Slurm site, or as its log with the jobs that wait and run:
 * the first byte says which, or GPUYARD_SLURM does. What is read is written as `import slurm` does:
 * a cluster file and traces, which a run can be set up on, and the policy. */
#include "sim/cli/import/import.h"
#include "sim/cluster/cluster_file.h"
#include "sim/engine/run.h"
#include "tests/fuzz/fuzz.h"
#include "traces/formats/dates.h"
#include "traces/formats/format.h"

#include <fcntl.h>
#include <unistd.h>

/* See yaml.h: a parser that libfyaml has left in pieces is not freed. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml";
}

/* One file, which the next call writes anew. */
static const char *as_file(const uint8_t *bytes, size_t length)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/gpuyard-fuzz-%ld", (long)getpid());
    FILE *f = fopen(path, "wb");
    FUZZ_MUST(f && fwrite(bytes, 1, length, f) == length && fclose(f) == 0);
    return path;
}

static int create(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FUZZ_MUST(fd >= 0);
    return fd;
}

static void check(const struct slurm_site *s, const struct slurm_accounts *a)
{
    for (size_t i = 0; i < s->n_nodes; i++) {
        FUZZ_MUST(site_node_find(s, s->node[i].name) == i);
        FUZZ_MUST(s->node[i].gpus >= 0 && s->node[i].cpus >= 0 && s->node[i].mem_mib >= 0);
        FUZZ_MUST(s->node[i].leaf == SITE_NONE || s->node[i].leaf < intern_count(s->switches));
    }
    for (size_t i = 0; i < a->n_assocs; i++)
        FUZZ_MUST(a->assoc[i].parent == SITE_NONE || a->assoc[i].parent < i);
}

static void write_all(struct import *im, struct output *o)
{
    import_cluster(im, o);
    if (im->log)
        (void)import_reservations(im, o);
}

/* The cluster file, read again. NULL: with a number beyond those that it may have. */
static struct cluster *check_cluster(struct import *im)
{
    static char path[64];
    struct error err = { "" };
    snprintf(path, sizeof path, "/tmp/gpuyard-fuzz-%ld.yaml", (long)getpid());
    int fd = create(path);
    struct output *o = output_stream(fd, path);
    write_all(im, o);
    FUZZ_MUST(output_commit(o, &err) == 0);
    close(fd);
    struct input *in = input_open(path, &err);
    struct cluster *c = cluster_from_yaml(in, "cluster.yaml", NULL, &err);
    fuzz_taken(c || strstr(err.text, "want at most"), &err);
    input_close(in);
    unlink(path);
    return c;
}

static void check_jobs(struct import *im, struct cluster *c, bool now)
{
    static char path[64];
    const struct trace_source source = { .format = trace_format_find("native") };
    const struct trace_format *used = NULL;
    struct error err = { "" };
    char sha256[65] = "";
    uint32_t jobs = 0;
    snprintf(path, sizeof path, "/tmp/gpuyard-fuzz-%ld.csv", (long)getpid());
    int fd = create(path);
    struct output *o = output_stream(fd, path);
    int result = import_jobs(im, o, now, &jobs, &err);
    fuzz_said(result != 0, &err);
    FUZZ_MUST(jobs <= im->log->n_jobs);
    err.text[0] = 0;
    FUZZ_MUST(output_commit(o, &err) == 0);
    close(fd);
    struct input *in = result == 0 && jobs ? input_open(path, &err) : NULL;
    struct workload *w = in ? trace_from_input(in, &source, &used, sha256, &err) : NULL;
    fuzz_taken(w || !in, &err);
    if (w && c)
        fuzz_taken(run_bind(c, w, &err) == 0, &err);
    workload_free(w);
    input_close(in);
    unlink(path);
}

/* `length` makes the choices of the command. */
static void check_import(struct import *im, size_t length)
{
    im->plain = length % 2;
    im->memory_counts = length / 2 % 2;
    import_order(im);
    struct cluster *c = im->n_present ? check_cluster(im) : NULL;
    for (int now = 0; now < 2 && c && im->log; now++)
        check_jobs(im, c, now);
    cluster_free(c);
    free(import_policy(im));
    free(im->order);
    free(im->number);
}

/* gres.conf, topology.conf, reservations and the log are over nodes n1 to n4. */
static int add_nodes(struct slurm_site *s, struct error *err)
{
    static const char nodes[] = "NodeName=n[1-4] Gres=gpu:4 State=IDLE\n";
    return site_read_nodes(s, as_file((const uint8_t *)nodes, sizeof nodes - 1), err);
}

static void read_log(struct import *im, const uint8_t *bytes, size_t length)
{
    struct error err = { "" };
    struct slurm_log_options how = { .waiting = true, .running = true, .details = true,
                                     .runs = (int)(length % 3) };
    im->in = input_from_bytes(bytes, length, "fuzz", &err);
    im->log = im->in ? slurm_log_read(im->in, &how, &err) : NULL;
    struct log_request *memory = log_request_new();
    struct job_row row;
    fuzz_said(!im->log, &err);
    for (uint32_t k = 0; im->log && k < im->log->n_jobs; k++)
        FUZZ_MUST(!log_job_row(im->log, k, memory, &row) ||
                  (row.job_id_length && row.duration_ns >= 0));
    log_request_free(memory);
}

static int read_file(struct import *im, char which, const uint8_t *bytes, size_t length,
                     struct error *err)
{
    static const char log[] = "JobID|State|Submit|Start|End|AllocTRES\n"
                              "1|COMPLETED|1|2|1767225600|gres/gpu=1\n";
    struct slurm_site *s = im->site;
    if (strchr("gtr", which) && add_nodes(s, err) != 0)
        return -1;
    if (which == 'r')
        read_log(im, (const uint8_t *)log, sizeof log - 1);
    const char *path = as_file(bytes, length);
    int result = which == 'g'   ? site_read_gres(s, path, err)
                 : which == 't' ? site_read_topology(s, path, err)
                 : which == 'n' ? site_read_nodes(s, path, err)
                 : which == 'p' ? site_read_partitions(s, path, err)
                 : which == 'a' ? accounts_read(&im->accounts, s, path, err)
                 : which == 'q' ? qos_read(&im->accounts, s, path, err)
                 : which == 'r'
                     ? slurm_reservations_read(&im->reservations, s,
                                               (struct slurm_clock){ date_parse, 0 }, path, err)
                     : site_read_conf(s, path, err);
    unlink(path);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct error err = { "" };
    struct import im = { .site = site_new() };
    const char *said = getenv("GPUYARD_SLURM");
    char which = said && *said ? *said : length ? (char)bytes[0] : 'c';
    bytes += length > 0;
    length -= length > 0;
    int result = 0;
    if (which == 'j') {
        FUZZ_MUST(add_nodes(im.site, &err) == 0);
        read_log(&im, bytes, length);
    } else {
        result = read_file(&im, which, bytes, length, &err);
        fuzz_said(result != 0, &err);
    }
    if (result == 0) {
        check(im.site, &im.accounts);
        if (which != 'j' || im.log)
            check_import(&im, length);
    }
    slurm_log_free(im.log);
    input_close(im.in);
    slurm_reservations_free(&im.reservations);
    accounts_free(&im.accounts);
    site_free(im.site);
    return 0;
}
