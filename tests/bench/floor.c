/* floor CLUSTER TRACE DIR - the least that any replay must do: read the trace, write a row of
 * jobs.csv for each job, one after the other in one thread.
 *
 * No clock, no queue, no placement: every job "starts" when it is submitted. What `gpuyard run`
 * takes beyond this is the cost of simulating. */
#include "sim/io/output.h"
#include "sim/results/rows.h"
#include "sim/engine/run.h"
#include "sim/cluster/cluster_file.h"
#include "traces/formats/format.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    struct error err = { "" };
    char sha256[65];
    const struct trace_format *used;
    if (argc != 4) {
        fprintf(stderr, "usage: floor CLUSTER TRACE DIR\n");
        return 2;
    }
    struct cluster *c = cluster_read(argv[1], NULL, sha256, &err);
    struct workload *w = c ? trace_read_source(&(struct trace_source){ .path = argv[2], .one_thread = true }, &used, sha256, &err)
                            : NULL;
    struct output *o = w && run_bind(c, w, &err) == 0 ? output_open(argv[3], "jobs.csv", &err) : NULL;
    if (o) {
        rows_header(o, rows_columns(OUTPUT_JOBS, NULL));
        for (job_id j = 0; j < w->n_jobs; j++) {
            int64_t start_ns = w->facts[j].submit_ns, run_ns = w->truth[j].duration_ns;
            struct job_result r = { .state = JOB_GONE, .outcome = OUTCOME_COMPLETED, .start_ns = start_ns,
                                    .end_ns = start_ns + run_ns, .run_ns = run_ns };
            rows_job(o, c, w, j, &r);
            out_char(o, '\n');
        }
        output_commit(o, &err);
    }
    if (err.text[0])
        fprintf(stderr, "floor: %s\n", err.text);
    workload_free(w);
    cluster_free(c);
    return err.text[0] != '\0';
}
