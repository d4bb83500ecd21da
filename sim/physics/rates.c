/* rates.c - progress rates by placement: section `progress`; models.md 2.
 *
 * The time of an iteration is sim/capacity/placement_rate.h's; here it becomes the pace of a job. With `contention: maxmin` each
 * job that sends between nodes does so over links that others use too (traffic.h), while it makes progress, and what it gets of
 * them takes the place of what it has alone in the same law (2.4).
 *
 * jobs.csv: placement_slowdown is the time in which a job made progress over the time at its reference placement, alone on the
 * links; link_slowdown is that time over the time alone on the links. Empty: it never ran. */
#include "sim/capacity/placement_form.h"
#include "sim/models/training/training_models.h"
#include "sim/engine/pace.h"
#include "sim/engine/state.h"
#include "sim/physics/elastic.h"
#include "sim/physics/parallel.h"
#include "sim/physics/physics.h"
#include "sim/physics/traffic.h"
#include "sim/scheduler/placements.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ALIKE 1e-12               /* an iteration that takes longer by less takes as long as alone */

struct rated {                    /* of a job */
    struct sender *sender;        /* NULL: it shares no link */
    double alone_comm_s, alone_network_s, alone_iteration_s;    /* where it is now, alone on the links */
    double placement, link;       /* slowdowns of now: against the reference, and against being alone */
    int64_t since_ns;             /* progress is made so since; -1: none is made */
    double time_s, alone_s, reference_s;      /* integrals of time, of time / link and of time / link / placement */
    double gpus;                  /* held where it is now */
    uint8_t by;                   /* enum rate_model */
    struct parallel_time *parts;  /* of its last placement, alone; NULL: not by tensor, pipeline, ... traffic */
    bool ran;
    bool torn;                    /* it ran with a tensor-parallel group over several nodes or islands */
};
struct rates_run {
    struct placement_rates *here; /* of a job alone on the links where they are shared; s->predicted_rates: as if all nodes sent */
    struct rated *job;
    uint32_t *tensor;             /* [models of the workload] GPUs of a tensor-parallel group */
    struct traffic *traffic;      /* NULL: links are not shared */
    double lost_gpu_s;            /* GPU time beyond what the reference placement would have taken */
};

extern const struct run_model rates_model;

static struct rates_run *rates_of(const struct sched *s)
{
    return model_state(s, &rates_model);
}

static bool wanted(const struct sched *s)
{
    return s->cluster->rates;
}

static void prepare(struct sched *s)
{
    const struct rate_rules *rules = s->cluster->rates;
    struct rates_run *r = mem_new(1, sizeof *r);
    model_state_set(s, &rates_model, r);
    r->here = s->predicted_rates = placement_rates_new(s->cluster, rules, s->workload->models);
    if (!rules->fabric.maxmin)
        return;
    struct rate_rules *all_send = arena_alloc(s->memory, sizeof *all_send);
    *all_send = *rules;
    all_send->fabric.maxmin = false;
    s->predicted_rates = placement_rates_new(s->cluster, all_send, s->workload->models);
}

static void begin(struct sched *s)
{
    struct rates_run *r = rates_of(s);
    const struct fabric *fabric = &s->cluster->rates->fabric;
    r->job = mem_new(s->n_jobs, sizeof *r->job);
    for (job_id j = 0; j < s->n_jobs; j++)
        r->job[j] = (struct rated){ .since_ns = -1 };
    uint32_t n_models = intern_count(s->workload->models);
    r->tensor = mem_new(n_models + (size_t)1, sizeof *r->tensor);
    for (uint32_t i = 0; i < n_models; i++) {
        struct training_model m = { .tensor_parallel = 1 };
        training_model_find(s->cluster->models, intern_text(s->workload->models, i), &m);
        r->tensor[i] = m.tensor_parallel;
    }
    r->traffic = fabric->maxmin ? traffic_new(s->cluster, fabric) : NULL;
}

static void end_run(struct sched *s)
{
    struct rates_run *r = rates_of(s);
    if (s->predicted_rates != r->here)
        placement_rates_free(s->predicted_rates);
    placement_rates_free(r->here);
    traffic_free(r->traffic);
    for (job_id j = 0; r->job && j < s->n_jobs; j++)
        free(r->job[j].parts);
    free(r->job);
    free(r->tensor);
    free(r);
}

/* ---- How fast ---- */

static uint32_t gpus_of(const struct request *ask)
{
    int64_t n = 0;
    for (; ask; ask = ask->next)
        n += run_gpus(ask);
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* A group spans units where one of them has no whole number of groups. */
static bool is_torn(const struct rates_run *r, uint32_t model, const struct placement *on)
{
    uint32_t tensor = model == ID_NONE ? 1 : r->tensor[model];
    if (tensor < 2)
        return false;
    struct placement_form f = placement_rate_form(r->here, model, on);
    return f.units > 1 && (f.least % tensor || f.most % tensor);
}

static void placed(struct sched *s, struct live *l)
{
    const struct job_facts *f = &s->workload->facts[l->job];
    const struct rates_run *r = rates_of(s);
    struct rated *x = &r->job[l->job];
    x->placement = x->link = 1;
    x->alone_comm_s = x->alone_network_s = 0;
    x->by = RATE_OFF;
    if (f->ask->mig || elastic_learns(s, l->job))    /* at the rate of its instance, or of its goodput */
        return;
    struct placement_rate at = placement_rate_on(r->here, f->model, gpus_of(f->ask), l->now.held);
    l->pace.compute_s = at.compute_s;
    l->pace.comm_s = at.comm_s;
    l->pace.network_s = at.network_s;
    l->pace.reference_s = at.reference_s;
    l->pace.gamma = at.overlap;
    x->placement = placement_slowdown(&at);
    x->by = (uint8_t)at.by;
    if (at.by == RATE_PARALLEL) {
        x->parts = x->parts ? x->parts : mem_new(1, sizeof *x->parts);
        *x->parts = at.parallel;
    }
    x->torn |= at.by == RATE_ANALYTIC && is_torn(r, f->model, l->now.held);
    x->alone_comm_s = at.comm_s;
    x->alone_network_s = at.network_s;
    x->alone_iteration_s = at.reference_s * x->placement;
}

/* ---- What came of it, up to now ---- */

static void settle_job(struct sched *s, struct rates_run *r, struct rated *x)
{
    if (x->since_ns >= 0 && s->now_ns > x->since_ns) {
        double time_s = seconds(s->now_ns - x->since_ns), alone_s = time_s / x->link, reference_s = alone_s / x->placement;
        x->time_s += time_s;
        x->alone_s += alone_s;
        x->reference_s += reference_s;
        r->lost_gpu_s += x->gpus * (time_s - reference_s);
    }
    x->since_ns = s->now_ns;
}

/* ---- Links ---- */

static struct placement_rate shared(struct sched *s, const struct sender *x)
{
    const struct job_facts *f = &s->workload->facts[x->job];
    return placement_rate(rates_of(s)->here, f->model, gpus_of(f->ask), &x->form);
}

static double sends(void *self, struct sender *x)
{
    struct placement_rate at = shared(self, x);
    return at.network_s / iteration_s(at.compute_s, at.comm_s, at.overlap);
}

static void share_changed(void *self, struct sender *of)
{
    struct sched *s = self;
    struct live *l = live_of(s, of->job);
    struct rates_run *r = rates_of(s);
    struct rated *x = &r->job[of->job];
    struct placement_rate at = shared(s, of);
    double iteration = iteration_s(at.compute_s, at.comm_s, at.overlap);
    bool alone = fabs(iteration - x->alone_iteration_s) <= ALIKE * x->alone_iteration_s;
    settle_job(s, r, x);
    x->link = alone ? 1 : iteration / x->alone_iteration_s;
    l->pace.comm_s = alone ? x->alone_comm_s : at.comm_s;
    l->pace.network_s = alone ? x->alone_network_s : at.network_s;
    pace_changed(s, l);
}

static void balance(struct sched *s)
{
    struct rates_run *r = rates_of(s);
    if (r->traffic)
        traffic_balance(r->traffic, &(struct traffic_law){ sends, share_changed, s });
}

static void begin_sending(struct sched *s, struct rates_run *r, struct live *l)
{
    struct rated *x = &r->job[l->job];
    struct placement_form f = placement_rate_form(r->here, s->workload->facts[l->job].model, l->now.held);
    if ((x->by == RATE_ANALYTIC || x->by == RATE_PARALLEL) && x->alone_comm_s > 0 && f.units > 1)
        x->sender = traffic_enter(r->traffic, l->job, l->now.held, &f, placement_nic_bps(r->here, &f));
}

static void end_sending(struct rates_run *r, struct live *l, struct rated *x)
{
    if (!x->sender)
        return;
    traffic_leave(r->traffic, x->sender);
    x->sender = NULL;
    x->link = 1;
    l->pace.comm_s = x->alone_comm_s;
    l->pace.network_s = x->alone_network_s;
}

/* Its progress has begun, changed, or stalled. */
static void paced(struct sched *s, struct live *l)
{
    struct rates_run *r = rates_of(s);
    struct rated *x = &r->job[l->job];
    bool progresses = !l->progress_event && !l->pace.stalled;
    if (progresses && x->since_ns < 0) {
        x->since_ns = s->now_ns;
        x->gpus = (double)placement_gpu_milli(l->on) / MILLI_ALL;
        x->ran = true;
        if (r->traffic)
            begin_sending(s, r, l);
    } else if (!progresses && x->since_ns >= 0) {
        settle_job(s, r, x);
        x->since_ns = -1;
        end_sending(r, l, x);
    }
}

static void left(struct sched *s, struct live *l, const struct placement *from)
{
    struct rates_run *r = rates_of(s);
    struct rated *x = &r->job[l->job];
    (void)from;
    settle_job(s, r, x);
    x->since_ns = -1;
    end_sending(r, l, x);
}

bool rates_in_seconds(const struct sched *s, job_id j)
{
    enum rate_model by = rates_of(s)->job[j].by;
    return by == RATE_ANALYTIC || by == RATE_TABLE || by == RATE_PARALLEL;
}

struct placement_rates *rates_by_placement(const struct sched *s)
{
    return rates_of(s)->here;
}

struct traffic *rates_traffic(const struct sched *s)
{
    return rates_of(s)->traffic;
}

const struct parallel_time *rates_parallel(const struct sched *s, job_id j)
{
    return rates_of(s)->job[j].parts;
}

/* ---- Files ---- */

static bool remark(const struct sched *s, FILE *text)
{
    const struct rates_run *r = rates_of(s);
    uint32_t torn = 0;
    job_id first = ID_NONE;
    for (job_id j = 0; j < s->n_jobs; j++) {
        first = r->job[j].torn && first == ID_NONE ? j : first;
        torn += r->job[j].torn;
    }
    if (!torn)
        return false;
    uint32_t model = s->workload->facts[first].model;
    fprintf(text, "progress: %" PRIu32 " job%s ran with a tensor-parallel group over several nodes or islands, whose traffic costs no time "
             "here: too fast; the first is '%s', of model %s (%" PRIu32 " GPUs a group)", torn, torn == 1 ? "" : "s",
             s->workload->truth[first].name, intern_text(s->workload->models, model), r->tensor[model]);
    return true;
}

static const char *const job_columns[] = { "progress_model", "placement_slowdown", "link_slowdown", NULL };
enum { PLACEMENT_SLOWDOWN, LINK_SLOWDOWN, LOCALITY_LOST };
static const struct metric_kind metrics[] = {
    [PLACEMENT_SLOWDOWN] = { "placement_slowdown", "",
                             "time of progress over that at the reference placement, alone on the links: of all jobs together",
                             BETTER_LOWER },
    [LINK_SLOWDOWN] = { "link_slowdown", "", "time of progress over that alone on the links: of all jobs together", BETTER_LOWER },
    [LOCALITY_LOST] = { "locality_gpu_h", "GPU h",
                        "GPU time that jobs would not have needed at their reference placements, alone on the links",
                        BETTER_LOWER },
    { 0 },
};

static void job_row(struct output *o, const struct sched *s, job_id j)
{
    const struct rated *x = &rates_of(s)->job[j];
    out_char(o, ',');
    if (x->ran)
        out_text(o, rate_model_name[x->by]);
    out_char(o, ',');
    if (x->reference_s > 0)
        out_double(o, x->alone_s / x->reference_s);
    out_char(o, ',');
    if (x->alone_s > 0)
        out_double(o, x->time_s / x->alone_s);
}

static void summarise(struct summary_builder *b)
{
    const struct rates_run *r = rates_of(b->s);
    double time_s = 0, alone_s = 0, reference_s = 0;
    uint64_t n = 0;
    for (job_id j = 0; j < b->s->n_jobs; j++) {
        time_s += r->job[j].time_s;
        alone_s += r->job[j].alone_s;
        reference_s += r->job[j].reference_s;
        n += r->job[j].time_s > 0;
    }
    summary_put_kind(b, &metrics[PLACEMENT_SLOWDOWN], "all", alone_s / reference_s, n);
    summary_put_kind(b, &metrics[LINK_SLOWDOWN], "all", time_s / alone_s, n);
    summary_put_kind(b, &metrics[LOCALITY_LOST], "all", r->lost_gpu_s / 3600, n);
}

const struct run_model rates_model = {
    .place = PLACE_OF(rates_model),
    .unsaved = "at what pace jobs have come so far: what a stop would cost them may differ",
    .name = "progress",
    .summary = "placements make jobs fast or slow, and jobs share network links",
    .wanted = wanted,
    .prepare = prepare,
    .begin = begin,
    .free = end_run,
    .placed = placed,
    .paced = paced,
    .left = left,
    .round = balance,
    .remark_name = "tensor-groups-spread", .remark = remark,
    .job_columns = job_columns,
    .job_row = job_row,
    .metrics = metrics,
    .summarise = summarise,
};
