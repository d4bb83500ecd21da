/* reading.c - jobs read their data, from the storage or from what their nodes keep of it, and get on no faster than that.
 *
 * models.md 3.7. A job reads its data set `epochs` times while it does its work, evenly and ahead of what it computes, each of
 * its nodes an equal part: T_iter = max(T_iter, bytes / bandwidth). When a job has read it all once since it was placed, each
 * of its nodes keeps the whole of it, as far as it has room: what is there costs nothing, for whoever reads it next, too.
 * Without contention each job has the storage for itself; with, what is read and written shares it (flows.c), from the start
 * of the job on, and its bandwidth follows from what it could use if it were alone. */
#include "sim/scheduler/placements.h"
#include "sim/engine/state.h"
#include "sim/physics/milestones.h"
#include "sim/physics/physics.h"
#include "sim/engine/pace.h"
#include "sim/physics/storage_links.h"
#include "sim/models/data_cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct nodes { node_id *node; size_t n, capacity; };
struct of_job { double read_ns, cached_ns; };         /* of its work, for which it read from there */
struct data {
    struct data_cache *node;      /* [n_nodes] */
    struct nodes *keeps;          /* by live slot: the nodes whose copy it uses */
    size_t n_keeps;
    struct of_job *job;           /* [n_jobs] */
};

static uint32_t set_of(const struct sched *s, job_id j)
{
    uint32_t named = workload_input(s->workload, j).data_set;
    return named != ID_NONE ? named : workload_data_sets(s->workload) + j;
}

static int64_t bytes_of(const struct sched *s, job_id j)
{
    return (int64_t)s->workload->truth[j].data_mib << 20;
}

static uint32_t epochs_of(const struct sched *s, job_id j)
{
    uint32_t epochs = workload_input(s->workload, j).epochs;
    return epochs ? epochs : 1;
}

static struct nodes *keeps_of(struct sched *s, job_id j)
{
    struct data *d = s->data;
    uint32_t slot = s->job[j].live;
    while (d->n_keeps <= slot) {
        size_t n = d->n_keeps ? 2 * d->n_keeps : 64;
        d->keeps = mem_resize(d->keeps, n, sizeof *d->keeps);
        memset(d->keeps + d->n_keeps, 0, (n - d->n_keeps) * sizeof *d->keeps);
        d->n_keeps = n;
    }
    return &d->keeps[slot];
}

static void keep_add(struct nodes *k, node_id n)
{
    mem_grow(&k->node, &k->capacity, k->n, sizeof *k->node);
    k->node[k->n++] = n;
}

/* ---- The pace ---- */

/* Bytes from the storage in a second of reference progress. */
static double storage_bytes(const struct reading *r)
{
    return r->bytes_per_ns * (double)NS_PER_S * r->cold / r->nodes;
}

static double bandwidth(const struct sched *s, const struct reading *r)
{
    const struct storage *from = &s->cluster->storage;
    double nodes = from->node_read_bps == STORAGE_UNLIMITED ? (double)INFINITY : (double)from->node_read_bps * r->cold;
    return fmin(nodes, from->read_bps == STORAGE_UNLIMITED ? (double)INFINITY : (double)from->read_bps);
}

/* Of an iteration, at that bandwidth. */
static void read_at(struct live *l, double bytes_per_s)
{
    l->pace.read_s = l->reading.cold ? l->pace.reference_s * l->pace.tasks * storage_bytes(&l->reading) / bytes_per_s : 0;
}

static void share_changed(struct sched *s, job_id j, flow_id f, double share)
{
    (void)f;
    struct live *l = live_of(s, j);
    read_at(l, share);
    pace_changed(s, l);
}

static const struct flow_kind read_flow = { .changed = share_changed };

static void open(struct sched *s, struct live *l, const struct placement *on)
{
    struct reading *r = &l->reading;
    read_at(l, bandwidth(s, r));
    if (!s->storage_links || !r->cold)
        return;
    struct pace alone = l->pace;
    alone.read_s = 0;
    double most = storage_bytes(r) * alone.tasks * (alone.reference_s / pace_iteration_s(&alone));
    r->flow = storage_read_flow(s, l->job, on, r->cold, most, &read_flow);
}

static void close_flow(struct sched *s, struct live *l)
{
    flow_close(s, l->reading.flow);
    l->reading.flow = FLOW_NONE;
}

/* ---- With the job ---- */

static void reading_placed(struct sched *s, struct live *l)
{
    struct reading *r = &l->reading;
    int64_t bytes = bytes_of(s, l->job), work_ns = s->workload->truth[l->job].duration_ns;
    r->on = bytes > 0 && work_ns > 0;
    if (!r->on)
        return;
    r->bytes_per_ns = (double)bytes * epochs_of(s, l->job) / (double)work_ns;
    r->nodes = r->cold = 0;
    for (struct own_nodes w = { .i = 0 }; placement_next_node(l->now.held, &w); r->nodes++)
        if (data_cache_use(&s->data->node[w.node], set_of(s, l->job)))
            keep_add(keeps_of(s, l->job), w.node);
        else
            r->cold++;
    r->flow = FLOW_NONE;
    r->from_left_ns = job_left_ns(s, l);
    r->epoch_left_ns = r->from_left_ns - (work_ns + epochs_of(s, l->job) - 1) / epochs_of(s, l->job);
    if (r->cold && r->epoch_left_ns > 0 && s->cluster->storage.cache_mib)
        milestone_set(s, l, MILESTONE_EPOCH, r->epoch_left_ns);
    open(s, l, l->now.held);
}

/* Up to what is left now. */
static void counted(struct sched *s, struct live *l, int64_t left_ns)
{
    struct reading *r = &l->reading;
    double ns = (double)(r->from_left_ns - left_ns), read_ns = ns * r->cold / r->nodes;
    s->data->job[l->job].read_ns += read_ns;
    s->data->job[l->job].cached_ns += ns - read_ns;
    r->from_left_ns = left_ns;
}

static bool uses(const struct nodes *k, node_id n)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->node[i] == n)
            return true;
    return false;
}

/* Each of its nodes that has room keeps the data set. */
static void read_once(struct sched *s, struct live *l, const struct placement *on)
{
    struct nodes *k = keeps_of(s, l->job);
    size_t had = k->n;
    const struct nodes before = { k->node, had, 0 };
    for (struct own_nodes w = { .i = 0 }; placement_next_node(on, &w);)
        if (!(had && uses(&before, w.node)) && data_cache_keep(&s->data->node[w.node], set_of(s, l->job), bytes_of(s, l->job))) {
            keep_add(k, w.node);
            l->reading.cold--;
        }
}

static void reading_happens(struct sched *s, const struct event *e)
{
    struct live *l = live_of(s, e->subject);
    counted(s, l, milestone_reached(l, MILESTONE_EPOCH));
    close_flow(s, l);
    l->reading.epoch_left_ns = -1;
    read_once(s, l, l->now.held);
    open(s, l, l->now.held);
    pace_changed(s, l);
}

static void reading_left(struct sched *s, struct live *l, const struct placement *from)
{
    if (!l->reading.on)
        return;
    struct nodes *k = keeps_of(s, l->job);
    int64_t left_ns = job_left_ns(s, l);
    counted(s, l, left_ns);
    close_flow(s, l);
    if (left_ns <= l->reading.epoch_left_ns && l->reading.cold)
        read_once(s, l, from);                       /* at this very instant */
    milestone_drop(s, l, MILESTONE_EPOCH);
    for (size_t i = 0; i < k->n; i++)
        data_cache_leave(&s->data->node[k->node[i]], set_of(s, l->job));
    k->n = 0;
    l->reading.on = false;
}

static void reading_paced(struct sched *s, struct live *l)
{
    milestone_paced(s, l, MILESTONE_EPOCH);
}

/* ---- The model ---- */

static bool reading_wanted(const struct sched *s)
{
    bool any = false;
    for (job_id j = 0; s->cluster->storage.on && j < s->n_jobs && !any; j++)
        any = s->workload->truth[j].data_mib > 0;
    return any;
}

static void reading_begin(struct sched *s)
{
    struct data *d = s->data = mem_new(1, sizeof *d);
    d->node = mem_new(s->cluster->n_nodes, sizeof *d->node);
    d->job = mem_new(s->n_jobs, sizeof *d->job);
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        d->node[n].room = s->cluster->storage.cache_mib << 20;
    storage_links_begin(s);
}

static void reading_free(struct sched *s)
{
    struct data *d = s->data;
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        data_cache_free(&d->node[n]);
    for (size_t i = 0; i < d->n_keeps; i++)
        free(d->keeps[i].node);
    free(d->node);
    free(d->keeps);
    free(d->job);
    free(d);
}

static const char *const job_columns[] = { "read_gib", "cached_gib", NULL };

static double gib_of(const struct sched *s, job_id j, double ns)
{
    int64_t work_ns = s->workload->truth[j].duration_ns;
    return ns > 0 ? (double)bytes_of(s, j) / (1 << 30) * epochs_of(s, j) * (ns / (double)work_ns) : 0;
}

static void reading_row(struct output *o, const struct sched *s, job_id j)
{
    out_char(o, ',');
    out_double(o, gib_of(s, j, s->data->job[j].read_ns));
    out_char(o, ',');
    out_double(o, gib_of(s, j, s->data->job[j].cached_ns));
}

static const struct metric_kind metrics[] = {
    { "read_gib", "GiB", "data read from the storage", BETTER_NEITHER },
    { "cache_hit_share", "", "part of the data read that nodes had kept", BETTER_HIGHER },
    { 0 },
};

static void reading_summarise(struct summary_builder *k)
{
    double read = 0, cached = 0;
    for (job_id j = 0; j < k->s->n_jobs; j++) {
        read += gib_of(k->s, j, k->s->data->job[j].read_ns);
        cached += gib_of(k->s, j, k->s->data->job[j].cached_ns);
    }
    summary_put_kind(k, &metrics[0], "all", read, 1);
    summary_put_kind(k, &metrics[1], "all", cached / (read + cached), read + cached > 0);
}

const struct run_model reading_model = {
    .unsaved = "which data sets nodes keep, and how far jobs have read theirs",
    .name = "data", .summary = "data sets read from a storage of so much bandwidth, and kept by nodes",
    .wanted = reading_wanted, .begin = reading_begin, .free = reading_free,
    .placed = reading_placed, .left = reading_left, .paced = reading_paced,
    .events = 1u << EVENT_EPOCH, .happens = reading_happens,
    .job_columns = job_columns, .job_row = reading_row, .metrics = metrics, .summarise = reading_summarise,
};
