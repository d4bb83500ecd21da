/* run_line.c - see run_line.h. */
#include "sim/cli/import/run_line.h"

void import_put_run(struct output *o, const char *directory, const char *trace, const char *policy)
{
    if (!trace)
        out_text(o, "no jobs were written: TRACE is a trace of yours\n");
    out_text(o, "gpuyard run -c ");
    out_text(o, directory);
    out_text(o, "/cluster.yaml -t ");
    if (trace) {
        out_text(o, directory);
        out_char(o, '/');
    }
    out_text(o, trace ? trace : "TRACE");
    out_text(o, " -p ");
    out_text(o, policy);
    out_char(o, '\n');
}
