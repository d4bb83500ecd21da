/* deadlines.c - which jobs end by their deadlines; on if a job of the trace has one.
 *
 * met: completed at its deadline or before. missed: ended later, or not completed (failed, cancelled, rejected), or still there at
 * the end of the run when its deadline was past. What is still there with a deadline to come is neither. Jobs of the warm-up, and
 * those of other members of a federation, do not count. Policies read deadlines (`edf`); nothing here changes a run. */
#include "sim/engine/models.h"
#include "sim/engine/state.h"
#include "sim/physics/physics.h"
#include "sim/results/statistics.h"

enum verdict { OPEN, MET, MISSED };

static int64_t deadline_of(const struct sched *s, job_id j)
{
    return s->workload->facts[j].deadline_ns;
}

static bool wanted(const struct sched *s)
{
    for (job_id j = 0; s->workload->may_have_deadlines && j < s->workload->n_jobs; j++)
        if (deadline_of(s, j) != TIME_NEVER)
            return true;
    return false;
}

static enum verdict verdict_of(const struct sched *s, job_id j)
{
    struct job_result r = run_job(s, j);
    if (r.state != JOB_GONE)
        return s->now_ns > deadline_of(s, j) ? MISSED : OPEN;
    return r.outcome == OUTCOME_COMPLETED && r.end_ns <= deadline_of(s, j) ? MET : MISSED;
}

static void job_row(struct output *o, const struct sched *s, job_id j)
{
    out_char(o, ',');
    if (j < s->workload->n_jobs && deadline_of(s, j) != TIME_NEVER)
        out_seconds(o, deadline_of(s, j));
}

static const char *const job_columns[] = { "deadline_s", NULL };
enum { DEADLINES_MET, DEADLINES_MISSED, DEADLINES_SHARE };
static const struct metric_kind metrics[] = {
    [DEADLINES_MET] = { "deadlines_met", "", "jobs with a deadline that were completed by then", BETTER_HIGHER },
    [DEADLINES_MISSED] = { "deadlines_missed", "", "jobs with a deadline that passed before they were completed, or that were not", BETTER_LOWER },
    [DEADLINES_SHARE] = { "deadlines_met_share", "", "deadlines_met, of those met and missed", BETTER_HIGHER },
    { 0 },
};

static void summarise(struct summary_builder *b)
{
    uint64_t n[MISSED + 1] = { 0 };
    for (job_id j = b->s->setup.warmup_jobs; j < b->s->workload->n_jobs; j++)
        if (deadline_of(b->s, j) != TIME_NEVER && run_takes(b->s, j))
            n[verdict_of(b->s, j)]++;
    uint64_t told = n[MET] + n[MISSED];
    summary_put_kind(b, &metrics[DEADLINES_MET], "all", (double)n[MET], told + n[OPEN]);
    summary_put_kind(b, &metrics[DEADLINES_MISSED], "all", (double)n[MISSED], told + n[OPEN]);
    summary_put_kind(b, &metrics[DEADLINES_SHARE], "all", (double)n[MET] / (double)told, told);
}

const struct run_model deadlines_model = {
    .place = PLACE_OF(deadlines_model),
    .name = "deadlines", .summary = "jobs that end by their deadlines, and those that do not", .wanted = wanted,
    .job_columns = job_columns, .job_row = job_row, .metrics = metrics, .summarise = summarise,
};
