/* checkpoint_report.c - what came of checkpoints that take time: per job, in all, and whether it adds up. */
#include "sim/physics/checkpoint_parts.h"
#include "sim/physics/physics.h"

int checkpoint_check(struct sched *s, struct error *err)
{
    int128_t stalled = 0, bytes = 0;
    uint64_t written = 0;
    for (job_id j = 0; j < s->n_jobs; j++) {
        stalled += s->checkpoints->job[j].stalled;
        bytes += s->checkpoints->job[j].bytes;
        written += s->checkpoints->job[j].written;
    }
    if (stalled == s->totals.account[ACCOUNT_CHECKPOINT] && bytes == s->checkpoints->bytes && written == s->checkpoints->written)
        return 0;
    return error_set(err, "an identity is broken, please report it: GPU-seconds of checkpoints, by account and by job: "
                          "%.17g is not %.17g", (double)s->totals.account[ACCOUNT_CHECKPOINT], (double)stalled);
}

const char *const checkpoint_columns[] = { "checkpoints", "checkpoint_gpu_s", "written_gib", NULL };

void checkpoint_row(struct output *o, const struct sched *s, job_id j)
{
    const struct checkpoints_of *of = &s->checkpoints->job[j];
    out_char(o, ',');
    out_integer(o, of->written);
    out_char(o, ',');
    out_wide_seconds(o, of->stalled / MILLI_ALL);
    out_char(o, ',');
    out_double(o, (double)of->bytes / (1 << 30));
}

const char *const checkpoint_node_columns[] = { "checkpoint_gpu_s", NULL };

void checkpoint_node_row(struct output *o, const struct sched *s, node_id n)
{
    out_char(o, ',');
    out_wide_seconds(o, s->ledger.node_account[n][ACCOUNT_CHECKPOINT] / MILLI_ALL);
}

const struct metric_kind checkpoint_metrics[] = {
    { "checkpoint_gpu_h", "GPU h", "GPU-time in which jobs stood still to write checkpoints", BETTER_LOWER },
    { "checkpoints", "", "checkpoints written, those of jobs that were told to leave included", BETTER_NEITHER },
    { "checkpoints_cut_short", "", "checkpoints begun and not finished: by a stop, a failure or the end of the job", BETTER_LOWER },
    { "written_gib", "GiB", "what the checkpoints came to", BETTER_NEITHER },
    { 0 },
};

void checkpoint_summarise(struct summary_builder *k)
{
    const struct checkpoints *c = k->s->checkpoints;
    summary_put_kind(k, &checkpoint_metrics[0], "all", gpu_hours(k->s->totals.account[ACCOUNT_CHECKPOINT]), 1);
    summary_put_kind(k, &checkpoint_metrics[1], "all", (double)c->written, 1);
    summary_put_kind(k, &checkpoint_metrics[2], "all", (double)c->cut_short, 1);
    summary_put_kind(k, &checkpoint_metrics[3], "all", (double)c->bytes / (1 << 30), 1);
}
