/* service_rows.c - see service_rows.h. What each column means: results/README.md. */
#include "sim/physics/service_rows.h"

const char *const service_columns[] = {
    "time_s", "service", "rate_per_s", "arrived", "served", "dropped", "backlog", "replicas_wanted", "replicas_placed", "replicas_ready",
    "latency_mean_s", "latency_p50_s", "latency_p99_s", "first_token_p50_s", "first_token_p99_s", "slo_attainment", "duty", NULL,
};

void service_row(struct output *o, const void *of)
{
    const struct service_row *row = of;
    const struct serving_figures *f = row->figures;
    const double count[] = { f->arrived / seconds(f->to_ns - f->from_ns), f->arrived, f->served, f->dropped, f->unfinished };
    const uint32_t replicas[] = { row->wanted, row->placed, row->ready };
    const double delay[] = { f->latency.mean_s, f->latency.p50_s, f->latency.p99_s, f->first_token.p50_s, f->first_token.p99_s,
                             figures_attainment(f), figures_duty(f) };
    out_seconds(o, f->to_ns);
    out_char(o, ',');
    out_csv(o, row->name);
    for (unsigned i = 0; i < sizeof count / sizeof *count; i++) {
        out_char(o, ',');
        out_double(o, count[i]);
    }
    for (unsigned i = 0; i < sizeof replicas / sizeof *replicas; i++) {
        out_char(o, ',');
        out_integer(o, replicas[i]);
    }
    for (unsigned i = 0; i < sizeof delay / sizeof *delay; i++) {
        out_char(o, ',');
        out_double(o, delay[i]);
    }
    out_char(o, '\n');
}
