/* notes.c - see notes.h. */
#include "sim/results/notes_parts.h"

#include "sim/base/memory.h"
#include "sim/base/suggest.h"
#include "sim/cluster/pools.h"
#include "sim/engine/state.h"
#include "sim/scheduler/placing.h"
#include "sim/workload/record.h"
#include "sim/workload/requests.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *s_if_many(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* ==== Of the inputs ==== */

static node_id first_node(const struct cluster *c, uint32_t gpu_model)
{
    node_id n = 0;
    while (n < c->n_nodes && cluster_node_type(c, n)->gpu_model != gpu_model)
        n++;
    return n;
}

static void put_list(FILE *text, const struct cluster *c, const uint32_t *model, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        fprintf(text, "%s'%.60s'", !i ? "" : i + 1 == n ? " and " : ", ",
                intern_text(c->gpu_models, model[i]));
}

enum { LISTED_MAX = 8 };

/* Jobs with GPUs that do not name the GPU models they run on. */
static uint32_t jobs_of_any_model(const struct workload *w)
{
    uint32_t n = 0;
    for (job_id j = 0; j < w->n_jobs; j++) {
        workload_pass(w, j);
        const struct shape *shape = &w->shape[w->facts[j].ask->shape];
        n += shape->gpu_type == ID_NONE && request_gpus(&shape->ask) > 0;
    }
    return n;
}

static bool equal_gpu_models(const struct inputs *in, FILE *text)
{
    const struct cluster *c = in->cluster;
    uint32_t model[LISTED_MAX], n = 0;
    for (uint32_t m = 0; m < intern_count(c->gpu_models); m++)
        if (first_node(c, m) < c->n_nodes && n++ < LISTED_MAX)
            model[n - 1] = m;
    if (c->rates || n < 2)
        return false;
    uint32_t jobs = in->workload ? jobs_of_any_model(in->workload) : 0;
    if (in->workload && !jobs)
        return false;
    fputs("GPU models ", text);
    put_list(text, c, model, n < LISTED_MAX ? n : LISTED_MAX);
    fprintf(text, "%s are equally fast", n > LISTED_MAX ? ", ..." : "");
    if (jobs)
        fprintf(text, " for the %" PRIu32 " job%s that name%s none of them", jobs, s_if_many(jobs),
                jobs == 1 ? "s" : "");
    fputs(": the cluster file has no section 'progress'", text);
    return true;
}

/* Names that go on with '-' after this one ("A100": "A100-SXM4-80"), else the nearest. */
static void put_nearest_gpus(FILE *text, const char *name)
{
    struct suggestion near = { .typed = name };
    size_t length = strlen(name);
    unsigned n = 0;
    for (const struct gpu_model *g = gpu_catalogue; g->name; g++) {
        suggest_offer(&near, g->name);
        if (strncmp(g->name, name, length) == 0 && g->name[length] == '-')
            fprintf(text, "%s'%s'", n++ ? " or " : "; did you mean ", g->name);
    }
    if (!n && near.best)
        fprintf(text, "; did you mean '%s'", near.best);
    fputs(n || near.best ? "?" : "", text);
}

static bool unknown_gpu_model(const struct inputs *in, FILE *text)
{
    const struct cluster *c = in->cluster;
    uint32_t unknown[LISTED_MAX], n = 0;
    for (uint32_t m = 0; m < intern_count(c->gpu_models); m++)
        if (!c->gpu_known[m] && strcmp(intern_text(c->gpu_models, m), GPU_MODEL_UNNAMED) != 0 &&
            first_node(c, m) < c->n_nodes && n++ < LISTED_MAX)
            unknown[n - 1] = m;
    if (!n)
        return false;
    fprintf(text, "gpu_model%s ", s_if_many(n));
    put_list(text, c, unknown, n < LISTED_MAX ? n : LISTED_MAX);
    fprintf(text, "%s %s not in the catalogue ('gpuyard list gpus'): of memory, speed and power "
                  "only what the cluster file says is known",
            n > LISTED_MAX ? ", ..." : "", n == 1 ? "is" : "are");
    put_nearest_gpus(text, intern_text(c->gpu_models, unknown[0]));
    return true;
}

/* Of a queue, or of the queues below it if it has no quota of its own; UNLIMITED: no bound. */
static int64_t deserved_milli(const struct cluster *c, queue_id q)
{
    int64_t own = c->queue[q].quota.deserved.gpu_milli, sum = 0;
    if (own)
        return own;
    for (queue_id k = c->queue[q].first_child; k != ID_NONE; k = c->queue[k].next_sibling) {
        int64_t below = deserved_milli(c, k);
        if (below == UNLIMITED)
            return UNLIMITED;
        sum += below;
    }
    return sum;
}

static bool quota_above_cluster(const struct inputs *in, FILE *text)
{
    const struct cluster *c = in->cluster;
    int64_t sum = 0;
    for (queue_id q = 0; q < c->n_queues; q++) {
        int64_t own = c->queue[q].parent == ID_NONE ? deserved_milli(c, q) : 0;
        sum += own == UNLIMITED ? 0 : own;
    }
    if (sum <= c->gpus * MILLI_ALL)
        return false;
    fprintf(text,
            "the queues deserve %.15g GPUs in all, and the cluster has %" PRId64
            ": not all quotas can be met at once",
            (double)sum / MILLI_ALL, c->gpus);
    return true;
}

/* Prices are of GPUs, and of the nodes of pools. */
static bool nodes_without_price(const struct inputs *in, FILE *text)
{
    const struct cluster *c = in->cluster;
    uint64_t n = 0;
    const char *first = NULL;
    for (node_id i = 0; c->tariff && i < c->n_nodes; i++) {
        uint32_t g = c->group_of[i];
        if (cluster_node_gpus(c, i) || (c->pool && c->pool[g].is))
            continue;
        first = n++ ? first : c->group_name[g];
    }
    if (n)
        fprintf(text,
                "prices are of GPUs: %" PRIu64 " node%s without GPUs (the first of group "
                "'%.60s') cost%s nothing but energy",
                n, s_if_many(n), first, n == 1 ? "s" : "");
    return n > 0;
}

/* What the reader of the trace took, left out and guessed. */
static bool trace_read_as(const struct inputs *in, FILE *text)
{
    const char *remark = in->workload ? in->workload->remark : NULL;
    if (remark)
        fputs(remark, text);
    return remark != NULL;
}

static const struct remark_of_inputs {
    const char *name;
    bool (*find)(const struct inputs *in, FILE *text);       /* true: it applies, text is written */
} of_inputs[] = {
    { "trace-read-as", trace_read_as },
    { "unknown-gpu-model", unknown_gpu_model },
    { "equal-gpu-models", equal_gpu_models },
    { "quota-above-cluster", quota_above_cluster },
    { "nodes-without-price", nodes_without_price },
    { "unread-fabric", notes_fabric_unread },
    { "levels-beyond-pods", notes_levels_unread },
};

/* ==== Of a run ==== */

/* Jobs without a checkpoint rule of their own, where the cluster has none either. */
static bool not_requeued(const struct sched *s, FILE *text)
{
    uint32_t n = run_totals(s)->not_requeued;
    if (n)
        fprintf(text, "%u job%s failed when stopped, as max_requeues lets %s go back to %s queue no more",
                n, n == 1 ? "" : "s", n == 1 ? "it" : "them", n == 1 ? "its" : "their");
    return n > 0;
}

static bool restarts_from_nothing(const struct sched *s, FILE *text)
{
    const struct run_setup *setup = run_setup_of(s);
    const struct workload *w = setup->workload;
    uint64_t restarts = 0;
    uint32_t jobs = 0;
    int128_t lost = 0;
    if (setup->cluster->overhead.said || setup->cluster->overhead.checkpoint != CHECKPOINT_NONE ||
        !run_totals(s)->account[ACCOUNT_LOST])
        return false;
    for (job_id j = 0; j < workload_all(w); j++) {
        struct job_result r = run_job(s, j);
        if (!r.restarts || !r.lost || workload_extra(w, j)->overhead)
            continue;
        jobs++;
        restarts += r.restarts;
        lost += r.lost;
    }
    if (jobs)
        fprintf(text,
                "no 'preemption.checkpoint' is given, so that jobs that are stopped begin anew: %" PRIu64
                " restart%s of %" PRIu32 " job%s lost %.1f GPU h",
                restarts, s_if_many(restarts), jobs, s_if_many(jobs),
                (double)lost / MILLI_ALL / NS_PER_S / 3600);
    return jobs > 0;
}

/* Which transport NICs of up to 25 Gbit/s are taken for, where the file does not say it: TCP where
 * all nodes have such, else RDMA. */
static bool transport_of_slow_nics(const struct sched *s, FILE *text)
{
    const struct run_setup *setup = run_setup_of(s);
    const struct cluster *c = setup->cluster;
    uint32_t jobs = 0, g = 0;
    while (g < c->n_groups && !(c->group_gpus[g] && c->nics_of[g].nics &&
                                c->nics_of[g].gbps <= SLOW_NIC_GBPS))
        g++;
    if (g == c->n_groups || !c->rates || c->rates->model != RATE_ANALYTIC ||
        c->rates->fabric.losses_said)
        return false;
    bool tcp = c->rates->fabric.tcp;
    for (job_id j = 0; j < setup->workload->n_jobs; j++)
        jobs += s->job[j].distance != 255 &&
                s->job[j].distance >= (tcp ? SAME_NUMA : SAME_RACK) &&
                setup->workload->facts[j].model != ID_NONE;
    const double *efficiency = c->rates->fabric.efficiency;
    if (jobs && tcp)
        fprintf(text,
                "%" PRIu32 " job%s with a model ran over PCIe or several nodes, and nodes '%.60s' "
                "have NICs of %g GB/s, which count as TCP: %g of PCIe and %g of the NICs ('fabric: { "
                "transport: rdma }' if they have GPUDirect, else 'tcp')",
                jobs, s_if_many(jobs), c->group_name[g], c->nics_of[g].gbps,
                efficiency[LINK_PCIE], efficiency[LINK_NETWORK]);
    else if (jobs)
        fprintf(text,
                "%" PRIu32 " job%s with a model ran on several nodes, and nodes '%.60s' have NICs "
                "of %g GB/s, which count as RDMA at %g of that, as others are faster ('fabric: { "
                "transport: tcp }'; 'transport: rdma' if they are)",
                jobs, s_if_many(jobs), c->group_name[g], c->nics_of[g].gbps,
                efficiency[LINK_NETWORK]);
    return jobs > 0;
}

static bool scattered_totals(const struct sched *s, FILE *text)
{
    const struct run_setup *setup = run_setup_of(s);
    const struct run_totals *t = run_totals(s);
    uint32_t jobs = t->scattered;
    if (jobs)
        fprintf(text,
                "%" PRIu32 " job%s with only a total of GPUs ran on several nodes though %s on one, "
                "%s '%.100s'%s: --pods N makes tasks of N GPUs, another placer fewer parts",
                jobs, s_if_many(jobs), jobs == 1 ? "it fits" : "they fit",
                jobs == 1 ? "it is" : "the first", setup->workload->truth[t->first_scattered].name,
                setup->cluster->rates ? "" : ", at no cost without a section 'progress'");
    return jobs > 0;
}

static bool refused_requests(const struct sched *s, FILE *text)
{
    const struct run_refusals *all = run_totals(s)->refused[0], *most = all;
    uint64_t n = 0;
    for (unsigned i = 0; i < VERBS * SCHED_RESULTS; i++) {
        n += all[i].n;
        most = all[i].n > most->n ? &all[i] : most;
    }
    if (!n)
        return false;
    fprintf(text, "%" PRIu64 " request%s of policy %s refused", n, s_if_many(n),
            run_setup_of(s)->policy->name);
    for (unsigned i = 0, k = 0; i < VERBS * SCHED_RESULTS; i++)
        if (all[i].n)
            fprintf(text, "%s %" PRIu64 " %s, %s", k++ ? ";" : ":", all[i].n,
                    run_verb_name[i / SCHED_RESULTS], sched_result_name[i % SCHED_RESULTS]);
    fprintf(text, "; the first %s, %s at %.15g s", run_verb_name[(most - all) / SCHED_RESULTS],
            sched_result_name[(most - all) % SCHED_RESULTS], seconds(most->first_ns));
    if (most->first != ID_NONE)
        fprintf(text, " of job '%.100s'", run_setup_of(s)->workload->truth[most->first].name);
    return true;
}

static bool sight_refused(const struct sched *s, FILE *text)
{
    uint64_t n = run_totals(s)->sight_refused;
    if (n)
        fprintf(text,
                "%" PRIu64 " question%s of policy %s for a true run time refused: it does not "
                "declare SEES_RUN_TIME",
                n, s_if_many(n), run_setup_of(s)->policy->name);
    return n > 0;
}

static bool no_estimates(const struct sched *s, FILE *text)
{
    uint32_t n = run_totals(s)->without_estimate;
    if (n)
        fprintf(text, "%" PRIu32 " job%s had no estimate of %s run time: to the plans of policy %s %s for ever", n,
                s_if_many(n), n == 1 ? "its" : "their", run_setup_of(s)->policy->name, n == 1 ? "it runs" : "they run");
    return n > 0;
}

static bool queues_unread(const struct sched *s, FILE *text)
{
    const struct run_setup *setup = run_setup_of(s);
    const struct cluster *c = setup->cluster;
    unsigned reads = notes_policies_read(setup);
    bool quotas = false, weights = false;
    for (queue_id q = 0; q < c->n_queues; q++) {
        const struct queue_facts *f = &c->queue[q];
        quotas |= !f->sums && f->quota.deserved.gpu_milli > 0;
        weights |= f->weight != 1 || f->cpu_weight != 1 || f->mem_weight != 1;
    }
    quotas &= !(reads & READS_QUOTAS);
    weights &= !(reads & READS_WEIGHTS);
    if (quotas || weights)
        fprintf(text, "policy %s does not read the %s%s%s of queues: they change no decision",
                setup->policy->name, quotas ? "deserved quotas" : "", quotas && weights ? " and " : "",
                weights ? "weights" : "");
    return quotas || weights;
}

static bool flavors_unread(const struct sched *s, FILE *text)
{
    const struct run_setup *setup = run_setup_of(s);
    bool given = setup->cluster->n_flavors > 0, used = false;
    for (queue_id q = 0; q < setup->cluster->n_queues; q++)
        used |= setup->cluster->queue[q].n_flavor_quotas > 0;
    if (given && !used)
        fprintf(text, "flavors: no queue has a quota of one: they change no decision");
    else if (used && !(notes_policies_read(setup) & (READS_COHORTS | READS_FLAVORS)))
        fprintf(text, "policy %s does not read the quotas of flavors: they change no decision", setup->policy->name);
    else
        return false;
    return true;
}

/* A node pool of quota is a part of the cluster: a node in two of them would count in both. */
static bool pools_overlap(const struct sched *s, FILE *text)
{
    const struct run_setup *setup = run_setup_of(s);
    const struct cluster *c = setup->cluster;
    if (!(notes_policies_read(setup) & READS_FLAVORS))
        return false;
    for (node_id n = 0; n < c->n_nodes; n++) {
        uint32_t first = 0, second;
        while (first < c->n_flavors && !cluster_node_has_flavor(c, n, first))
            first++;
        for (second = first + 1; second < c->n_flavors; second++)
            if (cluster_node_has_flavor(c, n, second)) {
                fprintf(text, "flavors: node %" PRIu32 " is of %s and of %s: policy %s counts its GPUs in both", n,
                        c->flavor[first].name, c->flavor[second].name, setup->policy->name);
                return true;
            }
    }
    return false;
}

/* Of partitions a run heeds the nodes, whatever the policy. */
static bool site_unread(const struct sched *s, FILE *text)
{
    const struct run_setup *setup = run_setup_of(s);
    const struct site *site = setup->cluster->site;
    bool tiers = false, reads = notes_policies_read(setup) & READS_SITE;
    for (uint32_t p = 0; site && p < site->n_partitions; p++)
        tiers |= site->partition[p].tier != 1 || site->partition[p].max_time_ns != TIME_NEVER;
    bool unread = site && !reads && (site->n_qos || site->n_associations || tiers);
    if (unread)
        fprintf(text, "policy %s does not read QOS, limits of accounts and tiers and times of partitions: "
                      "they change no decision", setup->policy->name);
    return unread;
}

/* The trace speaks of a site, and the cluster has none. */
static bool site_missing(const struct sched *s, FILE *text)
{
    const struct run_setup *setup = run_setup_of(s);
    const struct site *site = setup->cluster->site;
    const struct workload *w = setup->workload;
    bool partitions = false, qos = false, accounts = false;
    for (uint32_t i = 1; i <= intern_count(w->sites); i++) {
        struct own_site own = workload_site(w, i);
        partitions |= own.partition != ID_NONE && !(site && site->n_partitions);
        qos |= own.qos != ID_NONE && !(site && site->n_qos);
        accounts |= own.account != ID_NONE && !(site && site->n_associations);
    }
    if (partitions || qos || accounts)
        fprintf(text, "jobs name %s%s%s%s%s, and the cluster file has none: they change no decision",
                partitions ? "partitions" : "", partitions && qos ? ", " : "", qos ? "QOS" : "",
                (partitions || qos) && accounts ? ", " : "", accounts ? "accounts" : "");
    return partitions || qos || accounts;
}

static bool no_cohort(const struct sched *s, FILE *text)
{
    const struct run_setup *setup = run_setup_of(s);
    const struct cluster *c = setup->cluster;
    bool tree = !(notes_policies_read(setup) & READS_COHORTS) || c->n_queues < 2;
    for (queue_id q = 0; q < c->n_queues; q++)
        tree |= c->queue[q].parent != ID_NONE;
    if (!tree)
        fprintf(text,
                "policy %s: no queue has a cohort, so none borrows: want the queues below one, or "
                "'cohort: all' in the cluster file",
                setup->policy->name);
    return !tree;
}

/* What the log itself holds at most at once, if each job runs from its recorded start for its
 * duration; a start at the instant of an end does not meet it. */
struct held_change { int64_t at_ns, milli; };

static int by_time_ends_first(const void *a, const void *b)
{
    const struct held_change *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return (x->milli > y->milli) - (x->milli < y->milli);
}

static int64_t most_recorded_milli(const struct workload *w)
{
    struct held_change *change = mem_new(2 * (size_t)w->n_jobs, sizeof *change);
    size_t n = 0;
    int64_t held = 0, most = 0;
    for (job_id j = 0; j < w->n_jobs; j++) {
        int64_t start_ns = record_start_ns(w, j), milli = request_amount(w->facts[j].ask).gpu_milli;
        if (start_ns == TIME_NEVER || w->truth[j].duration_ns == 0)
            continue;
        change[n++] = (struct held_change){ start_ns, milli };
        change[n++] = (struct held_change){ start_ns + w->truth[j].duration_ns, -milli };
    }
    qsort(change, n, sizeof *change, by_time_ends_first);
    for (size_t i = 0; i < n; i++) {
        held += change[i].milli;
        most = held > most ? held : most;
    }
    free(change);
    return most;
}

static bool reads_record(const struct run_setup *setup)
{
    unsigned needs = setup->policy->needs;
    for (size_t i = 0; i < setup->n_switches; i++)
        needs |= setup->switches[i].policy->needs;
    return needs & SEES_RECORD;
}

static bool no_record(const struct sched *s, FILE *text)
{
    const struct run_setup *setup = run_setup_of(s);
    const struct workload *w = setup->workload;
    uint32_t n = 0, first = 0;
    for (job_id j = 0; reads_record(setup) && j < w->n_jobs; j++)
        if (record_start_ns(w, j) == TIME_NEVER && !workload_extra(w, j)->running)
            first = n++ ? first : j;
    if (n)
        fprintf(text,
                "the trace does not say when %" PRIu32 " of %" PRIu32
                " jobs started, %s '%.100s': policy recorded starts %s when submitted",
                n, w->n_jobs, n == 1 ? "it is" : "the first", w->truth[first].name,
                n == 1 ? "it" : "them");
    return n > 0;
}

static bool later_than_recorded(const struct sched *s, FILE *text)
{
    const struct run_setup *setup = run_setup_of(s);
    const struct workload *w = setup->workload;
    uint32_t n = 0, first = 0;
    for (job_id j = 0; reads_record(setup) && j < w->n_jobs; j++) {
        int64_t start_ns = record_start_ns(w, j);
        struct job_result r = run_job(s, j);
        if (start_ns != TIME_NEVER && r.start_ns > start_ns)
            first = n++ ? first : j;
    }
    if (!n)
        return false;
    fprintf(text,
            "%" PRIu32 " job%s could not start when the log says, as GPUs were not free, %s '%.100s' "
            "at %.15g s: the log has up to %.15g GPUs in use at once, the cluster has %" PRId64,
            n, s_if_many(n), n == 1 ? "it is" : "the first", w->truth[first].name,
            seconds(record_start_ns(w, first)), (double)most_recorded_milli(w) / MILLI_ALL,
            setup->cluster->gpus);
    return true;
}

static const struct remark_of_run {
    const char *name;
    bool (*find)(const struct sched *s, FILE *text);
} of_run[] = {
    { "jobs-without-estimate", no_estimates },
    { "unread-queue-settings", queues_unread },
    { "unread-flavors", flavors_unread },
    { "overlapping-pools", pools_overlap },
    { "unread-pod-rules", notes_pods_unread },
    { "unread-pod-preferences", notes_preferences_unread },
    { "unread-promises", notes_promises_unread },
    { "unread-pod-sets", notes_sets_unread },
    { "no-cohort", no_cohort },
    { "jobs-without-record", no_record },
    { "later-than-recorded", later_than_recorded },
    { "unread-site", site_unread },
    { "site-missing", site_missing },
    { "restarts-from-nothing", restarts_from_nothing },
    { "not-requeued", not_requeued },
    { "scattered-totals", scattered_totals },
    { "transport-of-slow-nics", transport_of_slow_nics },
    { "refused-requests", refused_requests },
    { "refused-run-times", sight_refused },
};

/* ==== The list ==== */

/* Takes the text if it is one. */
/* A note that is being written. */
struct draft {
    char *text;
    size_t length;
    FILE *f;
};

static FILE *draft(struct draft *d)
{
    *d = (struct draft){ 0 };
    return d->f = mem_stream(&d->text, &d->length);
}

static void add(struct notes *to, const char *name, struct draft *d, bool applies)
{
    mem_stream_end(d->f, &d->text);
    if (!applies) {
        free(d->text);
        return;
    }
    mem_grow(&to->note, &to->capacity, to->n, sizeof *to->note);
    to->note[to->n++] = (struct note){ name, d->text };
}

void notes_of_inputs(struct notes *to, const struct cluster *c, const struct workload *w)
{
    const struct inputs in = { c, w };
    struct draft d;
    for (size_t i = 0; i < sizeof of_inputs / sizeof *of_inputs; i++)
        add(to, of_inputs[i].name, &d, of_inputs[i].find(&in, draft(&d)));
}

void notes_of_run(struct notes *to, const struct sched *s)
{
    const struct run_setup *setup = run_setup_of(s);
    struct draft d;
    notes_of_inputs(to, setup->cluster, setup->workload);
    for (size_t i = 0; i < sizeof of_run / sizeof *of_run; i++)
        add(to, of_run[i].name, &d, of_run[i].find(s, draft(&d)));
    for (hook_walk i = HOOKED(s, remark); i; hook_next(&i))
        add(to, hooked(s, i)->remark_name, &d, hooked(s, i)->remark(s, draft(&d)));
}

void notes_free(struct notes *n)
{
    for (size_t i = 0; i < n->n; i++)
        free(n->note[i].text);
    free(n->note);
    *n = (struct notes){ 0 };
}
