/* fuzz_slurm.c - any bytes as a file of a Slurm site, or as its log with the jobs that wait and run:
 * the first byte says which, or GPUYARD_SLURM does. */
#include "sim/slurm/accounts.h"
#include "sim/slurm/hostlist.h"
#include "tests/fuzz/fuzz.h"
#include "traces/slurm/log.h"

#include <unistd.h>

static const char *as_file(const uint8_t *bytes, size_t length)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/gpuyard-fuzz-%ld", (long)getpid());
    FILE *f = fopen(path, "wb");
    FUZZ_MUST(f && fwrite(bytes, 1, length, f) == length && fclose(f) == 0);
    return path;
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

/* gres.conf and topology.conf are over nodes n1 to n4. */
static int add_nodes(struct slurm_site *s, struct error *err)
{
    static const char nodes[] = "NodeName=n[1-4] Gres=gpu:4 State=IDLE\n";
    return site_read_nodes(s, as_file((const uint8_t *)nodes, sizeof nodes - 1), err);
}

static void read_log(const uint8_t *bytes, size_t length)
{
    struct error err = { "" };
    struct slurm_log_options how = { .waiting = true, .running = true, .details = true,
                                     .runs = (int)(length % 3) };
    struct input *in = input_from_bytes(bytes, length, "fuzz", &err);
    struct slurm_log *log = in ? slurm_log_read(in, &how, &err) : NULL;
    struct log_request *memory = log_request_new();
    struct job_row row;
    fuzz_said(!log, &err);
    for (uint32_t k = 0; log && k < log->n_jobs; k++)
        FUZZ_MUST(!log_job_row(log, k, memory, &row) || (row.job_id_length && row.duration_ns >= 0));
    log_request_free(memory);
    slurm_log_free(log);
    input_close(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct error err = { "" };
    struct slurm_site *s = site_new();
    struct slurm_accounts a = { 0 };
    const char *said = getenv("GPUYARD_SLURM");
    char which = said && *said ? *said : length ? (char)bytes[0] : 'c';
    if (which == 'j') {
        read_log(bytes + (length > 0), length - (length > 0));
        site_free(s);
        return 0;
    }
    int result = which == 'g' || which == 't' ? add_nodes(s, &err) : 0;
    const char *path = as_file(bytes + (length > 0), length - (length > 0));
    if (result == 0)
        result = which == 'g'   ? site_read_gres(s, path, &err)
                 : which == 't' ? site_read_topology(s, path, &err)
                 : which == 'n' ? site_read_nodes(s, path, &err)
                 : which == 'p' ? site_read_partitions(s, path, &err)
                 : which == 'a' ? accounts_read(&a, s, path, &err)
                 : which == 'q' ? qos_read(&a, s, path, &err)
                                : site_read_conf(s, path, &err);
    fuzz_said(result != 0, &err);
    if (result == 0)
        check(s, &a);
    accounts_free(&a);
    site_free(s);
    unlink(path);
    return 0;
}
