/* sharing.c - see sharing.h. */
#include "sim/physics/sharing.h"
#include "sim/cluster/mig.h"
#include "sim/engine/jobs.h"
#include "sim/engine/pace.h"
#include "sim/engine/state.h"
#include "sim/models/sharing.h"
#include "sim/models/training/throughput_pairs.h"
#include "sim/physics/physics.h"

#include <math.h>
#include <stdlib.h>

#define NO_SEAT UINT32_MAX
#define WORK_STEP (DUTY_ALL / 50)    /* a replica that changes its duty by less loads its GPUs as
                                        before: .02 [A] */

struct seat {                     /* of a tenant */
    uint64_t gpu;                 /* among all that have names */
    job_id job;
    uint32_t next, next_of_job;   /* at the GPU; of the job */
    struct sharing_tenant tenant;
    uint32_t type;                /* GPU model */
};
struct shared_gpu {
    struct tenant_load load;
    uint32_t first;               /* seat */
    uint32_t mem_mib;             /* of all that hold something there */
};
struct sharing_job {
    double speed_ns;              /* integral of its speed */
    int64_t ran_ns, since_ns;     /* over that time; up to then */
    event_id oom;                 /* of its failure; 0: it will not fail */
    uint32_t seat;                /* its first */
    uint64_t stamp;
    uint32_t work;                /* of its tenants */
    double instance;              /* speed of the MIG instances that it runs on */
    bool shared, failed;
};
struct sharing_run {
    const struct sharing *law;
    struct shared_gpu *gpu;       /* [named GPUs] */
    struct seat *seat;
    size_t n_seats, seat_capacity;
    uint32_t free_seat;
    struct sharing_job *job;      /* [n_jobs] */
    const struct model_duty **duty_of_model;    /* [models of the workload]; NULL: not known */
    uint32_t *pair_model, *pair_type;           /* in the table of pairs: of each model, of each GPU model; NULL: there is none */
    job_id *concerned;            /* other tenants of GPUs that change */
    size_t n_concerned, concerned_capacity;
    uint64_t stamp;
    uint64_t failed;
};

extern const struct run_model sharing_model;

static struct sharing_run *sharing_of(const struct sched *s)
{
    return model_state(s, &sharing_model);
}

static bool is_wanted(const struct sched *s)
{
    return s->cluster->sharing.said;
}

static void begin(struct sched *s)
{
    const struct workload *w = s->workload;
    struct sharing_run *x = mem_new(1, sizeof *x);
    model_state_set(s, &sharing_model, x);
    uint32_t n_models = intern_count(w->models);
    x->law = &s->cluster->sharing;
    x->gpu = mem_new(s->cluster->gpu_base[s->cluster->n_nodes] + 1, sizeof *x->gpu);
    for (uint64_t g = 0; g < s->cluster->gpu_base[s->cluster->n_nodes]; g++)
        x->gpu[g].first = NO_SEAT;
    x->job = mem_new(s->n_jobs, sizeof *x->job);
    for (job_id j = 0; j < s->n_jobs; j++)
        x->job[j].seat = NO_SEAT;
    x->duty_of_model = mem_new(n_models + (size_t)1, sizeof *x->duty_of_model);
    for (uint32_t m = 0; m < n_models; m++)
        x->duty_of_model[m] = duty_find(x->law, intern_text(w->models, m));
    x->free_seat = NO_SEAT;
    if (!x->law->pairs)
        return;
    x->pair_model = mem_new(n_models + (size_t)1, sizeof *x->pair_model);
    for (uint32_t m = 0; m < n_models; m++)
        x->pair_model[m] = throughput_pairs_model(x->law->pairs, intern_text(w->models, m));
    x->pair_type = mem_new(intern_count(s->cluster->gpu_models) + (size_t)1, sizeof *x->pair_type);
    for (uint32_t m = 0; m < intern_count(s->cluster->gpu_models); m++)
        x->pair_type[m] = throughput_pairs_type(x->law->pairs, intern_text(s->cluster->gpu_models, m));
}

static void end_of_run(struct sched *s)
{
    struct sharing_run *x = sharing_of(s);
    free(x->gpu);
    free(x->seat);
    free(x->job);
    free(x->duty_of_model);
    free(x->pair_model);
    free(x->pair_type);
    free(x->concerned);
    free(x);
}

/* ---- Duties ---- */

/* As the job says, else as the catalogue has its model; not known: it keeps its share busy and no memory bandwidth. */
static struct duty duty_of(const struct sched *s, job_id j, uint32_t milli)
{
    struct duty d = workload_extra(s->workload, j)->duty;
    uint32_t model = s->workload->facts[j].model;
    const struct model_duty *known = model == ID_NONE ? NULL : sharing_of(s)->duty_of_model[model];
    if (d.compute == DUTY_UNSAID)
        d.compute = known ? known->duty.compute : milli * (DUTY_ALL / MILLI_ALL);
    if (d.bandwidth == DUTY_UNSAID)
        d.bandwidth = known ? known->duty.bandwidth : 0;
    return d;
}

static struct mig_speeds instance_speeds(const struct sched *s, const struct piece *p)
{
    const struct cluster *c = s->cluster;
    const struct node_kind *k = &c->kind[cluster_piece_kind(c, p)];
    if (!k->mig)
        return (struct mig_speeds){ 1, 1 };
    char name[MIG_NAME_MAX];
    const char *model = intern_text(c->gpu_models, c->type[k->type].gpu_model);
    const struct mig_design *whole = mig_design_whole(model), *d = mig_design_find(model, mig_name(k->mig, name));
    if (!d) {                     /* its memory slices are not known: as its processors */
        double compute = sharing_mig_speeds(sharing_of(s)->law, mig_g(k->mig), MIG_COMPUTE_SLICES, 1, 1).compute;
        return (struct mig_speeds){ compute, compute };
    }
    return sharing_mig_speeds(sharing_of(s)->law, mig_g(k->mig), mig_g(mig_profile(whole->profile)), d->memory_slices,
                              whole->memory_slices);
}

/* Of the slowest of its instances, and how much faster than that its processors and its memory are: a replica that steps has
 * use for either at its own speed. */
static void on_instances(const struct sched *s, struct live *l)
{
    struct sharing_job *j = &sharing_of(s)->job[l->job];
    j->instance = 1;
    for (size_t i = 0; i < l->now.held->n; i++) {
        const struct piece *p = &l->now.held->piece[i];
        if (p->milli < MILLI_ALL || !p->gpu_mask)
            continue;
        struct mig_speeds of = instance_speeds(s, p);
        double speed = sharing_mig_speed(of, duty_of(s, l->job, MILLI_ALL));
        if (speed >= j->instance)
            continue;
        j->instance = speed;
        l->pace.computing = of.compute / speed;
        l->pace.reading = of.memory / speed;
    }
}

/* ---- Tenants ---- */

static void loads(struct sharing_run *x, uint32_t seat, int sign)
{
    struct shared_gpu *g = &x->gpu[x->seat[seat].gpu];
    struct duty load = sharing_load(x->law, &x->seat[seat].tenant);
    g->load.compute += sign * (int64_t)load.compute;
    g->load.bandwidth += sign * (int64_t)load.bandwidth;
}

static void take_seat(struct sched *s, job_id j, node_id n, unsigned gpu_of_node, uint32_t milli)
{
    uint64_t gpu = s->cluster->gpu_base[n] + gpu_of_node;
    struct sharing_run *x = sharing_of(s);
    uint32_t i = x->free_seat;
    if (i != NO_SEAT) {
        x->free_seat = x->seat[i].next;
    } else {
        mem_grow(&x->seat, &x->seat_capacity, x->n_seats, sizeof *x->seat);
        i = (uint32_t)x->n_seats++;
    }
    struct shared_gpu *g = &x->gpu[gpu];
    x->seat[i] = (struct seat){ gpu, j, g->first, x->job[j].seat, { duty_of(s, j, milli), milli, x->job[j].work },
                                 cluster_node_type(s->cluster, n)->gpu_model };
    g->first = x->job[j].seat = i;
    g->load.tenants++;
    loads(x, i, 1);
}

static void leave_seat(struct sharing_run *x, uint32_t i)
{
    struct shared_gpu *g = &x->gpu[x->seat[i].gpu];
    uint32_t *at = &g->first;
    while (*at != i)
        at = &x->seat[*at].next;
    *at = x->seat[i].next;
    g->load.tenants--;
    loads(x, i, -1);
    x->seat[i].next = x->free_seat;
    x->free_seat = i;
}

static struct trainee trainee_of(const struct sched *s, job_id j)
{
    uint32_t model = s->workload->facts[j].model;
    return (struct trainee){ model == ID_NONE ? INTERN_NONE : sharing_of(s)->pair_model[model],
                             (uint32_t)request_gpus(ask_of(s, j)) };
}

/* The speed of one of two tenants; 0: not measured. */
static double measured_speed(const struct sched *s, const struct seat *seat)
{
    const struct sharing_run *x = sharing_of(s);
    const struct shared_gpu *g = &x->gpu[seat->gpu];
    if (!x->law->pairs || x->law->mode == SHARING_EXCLUSIVE || g->load.tenants != 2)
        return 0;
    const struct seat *first = &x->seat[g->first], *other = first == seat ? &x->seat[first->next] : first;
    struct trainee own = trainee_of(s, seat->job), beside = trainee_of(s, other->job);
    if (x->pair_type[seat->type] == INTERN_NONE || own.model == INTERN_NONE || beside.model == INTERN_NONE)
        return 0;
    return fmin(1, throughput_pairs_speed(x->law->pairs, x->pair_type[seat->type], own, beside));
}

static double speed_of(const struct sched *s, job_id j)
{
    const struct sharing_run *x = sharing_of(s);
    double speed = 1;
    for (uint32_t i = x->job[j].seat; i != NO_SEAT; i = x->seat[i].next_of_job) {
        double measured = measured_speed(s, &x->seat[i]);
        if (measured <= 0)
            measured = sharing_speed(x->law, &x->gpu[x->seat[i].gpu].load, &x->seat[i].tenant);
        speed = fmin(speed, measured);
    }
    return speed * x->job[j].instance;
}

static void settle_speed(struct sched *s, struct live *l)
{
    struct sharing_job *j = &sharing_of(s)->job[l->job];
    if (s->now_ns > j->since_ns) {
        j->speed_ns += l->pace.interference * (double)(s->now_ns - j->since_ns);
        j->ran_ns += s->now_ns - j->since_ns;
        j->since_ns = s->now_ns;
    }
}

/* The other jobs on this job's GPUs, each once, in the order of their seats. */
static void find_concerned(struct sharing_run *x, job_id j)
{
    x->n_concerned = 0;
    x->job[j].stamp = ++x->stamp;
    for (uint32_t own = x->job[j].seat; own != NO_SEAT; own = x->seat[own].next_of_job)
        for (uint32_t i = x->gpu[x->seat[own].gpu].first; i != NO_SEAT; i = x->seat[i].next) {
            job_id other = x->seat[i].job;
            if (x->job[other].stamp == x->stamp)
                continue;
            x->job[other].stamp = x->stamp;
            mem_grow(&x->concerned, &x->concerned_capacity, x->n_concerned, sizeof *x->concerned);
            x->concerned[x->n_concerned++] = other;
        }
}

static void pace_concerned(struct sched *s)
{
    struct sharing_run *x = sharing_of(s);
    for (size_t i = 0; i < x->n_concerned; i++) {
        struct live *l = live_of(s, x->concerned[i]);
        settle_speed(s, l);
        l->pace.interference = speed_of(s, l->job);
        pace_changed(s, l);
    }
}

/* ---- Memory ---- */

static uint32_t most_mib(const struct sched *s, node_id n)   /* 0: not known, or each instance has its own */
{
    const struct node_type *t = cluster_node_type(s->cluster, n);
    return t->counted || t->mig[0] ? 0 : (uint32_t)sharing_usable_mib(sharing_of(s)->law, t->gpu_mem_mib);
}

static void held(struct sched *s, job_id j, const struct placement *p, int sign)
{
    struct shared_gpu *gpu = sharing_of(s)->gpu;
    (void)j;
    for (size_t i = 0; i < p->n; i++)
        for (uint64_t m = p->piece[i].gpu_mem_mib ? p->piece[i].gpu_mask : 0; m; m &= m - 1)
            gpu[s->cluster->gpu_base[p->piece[i].node] + (unsigned)__builtin_ctzll(m)].mem_mib +=
                (uint32_t)sign * p->piece[i].gpu_mem_mib;
}

/* Of what it is about to hold. */
static bool is_out_of_memory(const struct sched *s, const struct placement *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct piece *x = &p->piece[i];
        uint32_t most = most_mib(s, x->node);
        for (uint64_t m = most && x->gpu_mem_mib ? x->gpu_mask : 0; m; m &= m - 1) {
            uint64_t gpu = s->cluster->gpu_base[x->node] + (unsigned)__builtin_ctzll(m);
            uint32_t others = sharing_of(s)->gpu[gpu].mem_mib, own = x->gpu_mem_mib;
            for (size_t k = 0; k < i; k++)                       /* tasks of its own on the same GPU */
                own += p->piece[k].node == x->node && p->piece[k].gpu_mask & m & -m ? p->piece[k].gpu_mem_mib : 0;
            if (others + own > most)
                return true;
        }
    }
    return false;
}

static void fails(struct sched *s, const struct event *e)
{
    struct sharing_run *x = sharing_of(s);
    x->job[e->subject].oom = 0;
    x->job[e->subject].failed = true;
    x->failed++;
    job_fails(s, e->subject, "out of memory");
}

/* ---- With the job ---- */

static void take_seats(struct sched *s, struct live *l, const struct placement *on)
{
    struct sharing_run *x = sharing_of(s);
    struct sharing_job *j = &x->job[l->job];
    for (size_t i = 0; i < on->n; i++)
        for (uint64_t m = on->piece[i].milli < MILLI_ALL ? on->piece[i].gpu_mask : 0; m; m &= m - 1)
            take_seat(s, l->job, on->piece[i].node, (unsigned)__builtin_ctzll(m), on->piece[i].milli);
    l->pace.interference = speed_of(s, l->job);
    find_concerned(x, l->job);
    for (size_t i = 0; i < x->n_concerned; i++)
        x->job[x->concerned[i]].shared = true;
    j->shared |= x->n_concerned > 0;
    pace_concerned(s);
}

static void leave_seats(struct sched *s, struct live *l)
{
    struct sharing_run *x = sharing_of(s);
    struct sharing_job *j = &x->job[l->job];
    settle_speed(s, l);
    find_concerned(x, l->job);
    for (uint32_t i = j->seat, next; i != NO_SEAT; i = next) {
        next = x->seat[i].next_of_job;
        leave_seat(x, i);
    }
    j->seat = NO_SEAT;
    pace_concerned(s);
}

void sharing_rests(struct sched *s, struct live *l)
{
    struct sharing_run *x = sharing_of(s);
    if (!x)
        return;
    leave_seats(s, l);
    x->job[l->job].since_ns = INT64_MAX;             /* its speed does not count */
}

void sharing_goes_on(struct sched *s, struct live *l)
{
    struct sharing_run *x = sharing_of(s);
    if (!x)
        return;
    take_seats(s, l, l->on);
    x->job[l->job].since_ns = s->now_ns;
}

static void placed(struct sched *s, struct live *l)
{
    struct sharing_run *x = sharing_of(s);
    struct sharing_job *j = &x->job[l->job];
    j->work = DUTY_ALL;
    on_instances(s, l);
    j->since_ns = l->pace.mark_ns;
    take_seats(s, l, l->now.held);
    if (x->law->oom == OOM_FAIL && is_out_of_memory(s, l->now.held))
        j->oom = event_queue_push(s->events, (struct event){ s->now_ns + l->start_cost_ns, EVENT_OUT_OF_MEMORY, l->job });
}

/* A replica has more or fewer requests than before. */
static void paced(struct sched *s, struct live *l)
{
    struct sharing_run *x = sharing_of(s);
    struct sharing_job *j = &x->job[l->job];
    uint32_t work = (uint32_t)lround(l->pace.duty * DUTY_ALL), more = work > j->work ? work - j->work : j->work - work;
    if (j->seat == NO_SEAT || more <= WORK_STEP)
        return;
    settle_speed(s, l);
    j->work = work;
    for (uint32_t i = j->seat; i != NO_SEAT; i = x->seat[i].next_of_job) {
        loads(x, i, -1);
        x->seat[i].tenant.work = work;
        loads(x, i, 1);
    }
    l->pace.interference = speed_of(s, l->job);
    find_concerned(x, l->job);
    pace_concerned(s);
    pace_changed(s, l);
}

static void left(struct sched *s, struct live *l, const struct placement *from)
{
    struct sharing_job *j = &sharing_of(s)->job[l->job];
    (void)from;
    if (j->oom)
        event_queue_cancel(s->events, j->oom);
    j->oom = 0;
    leave_seats(s, l);
}

/* All jobs have left, and their memory and duties with them. */
static int check(struct sched *s, struct error *err)
{
    for (uint64_t g = 0; g < s->cluster->gpu_base[s->cluster->n_nodes]; g++) {
        const struct shared_gpu *gpu = &sharing_of(s)->gpu[g];
        if (gpu->mem_mib || gpu->load.tenants || gpu->load.compute || gpu->load.bandwidth || gpu->first != NO_SEAT)
            return error_set(err, "sharing: a GPU has tenants when all have left");
    }
    return 0;
}

/* ---- What a run writes ---- */

static const char *const job_columns[] = { "sharing_speed", "out_of_memory", NULL };

static void job_row(struct output *o, const struct sched *s, job_id id)
{
    const struct sharing_job *j = &sharing_of(s)->job[id];
    out_char(o, ',');
    if (j->ran_ns)
        out_double(o, j->speed_ns / (double)j->ran_ns);
    out_text(o, j->failed ? ",true" : ",false");
}

enum { SHARED_JOBS, SPEED, OUT_OF_MEMORY };
static const struct metric_kind metrics[] = {
    [SHARED_JOBS] = { "sharing_jobs", "", "jobs that shared a GPU with others while they ran", BETTER_NEITHER },
    [SPEED] = { "sharing_speed_mean", "", "mean over jobs of the speed that other tenants, or MIG instances, left them; 1: undisturbed",
                BETTER_HIGHER },
    [OUT_OF_MEMORY] = { "sharing_out_of_memory", "", "jobs that failed for lack of GPU memory", BETTER_LOWER },
    { 0 },
};

static void summarise(struct summary_builder *b)
{
    const struct sharing_run *x = sharing_of(b->s);
    uint64_t shared = 0, ran = 0;
    double speed = 0;
    for (job_id j = 0; j < b->s->n_jobs; j++) {
        shared += x->job[j].shared;
        ran += x->job[j].ran_ns > 0;
        speed += x->job[j].ran_ns ? x->job[j].speed_ns / (double)x->job[j].ran_ns : 0;
    }
    summary_put_kind(b, &metrics[SHARED_JOBS], "all", (double)shared, 1);
    summary_put_kind(b, &metrics[SPEED], "all", ran ? speed / (double)ran : 0, ran);
    summary_put_kind(b, &metrics[OUT_OF_MEMORY], "all", (double)x->failed, 1);
}

const struct run_model sharing_model = {
    .place = PLACE_OF(sharing_model),
    .unsaved = "at what pace tenants of a GPU have come so far: what a stop would cost them may differ",
    .name = "sharing", .summary = "GPUs shared by several jobs: how fast that leaves each, and their memory",
    .wanted = is_wanted, .begin = begin, .free = end_of_run,
    .placed = placed, .paced = paced, .left = left, .held = held,
    .events = 1u << EVENT_OUT_OF_MEMORY, .happens = fails,
    .check = check,
    .job_columns = job_columns, .job_row = job_row, .metrics = metrics, .summarise = summarise,
};
