/* storage.c - see storage.h. */
#include "sim/physics/storage.h"
#include "sim/engine/jobs.h"
#include "sim/engine/pace.h"
#include "sim/engine/state.h"
#include "sim/models/data_cache.h"
#include "sim/physics/milestones.h"
#include "sim/physics/physics.h"
#include "sim/scheduler/placements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_LINK UINT32_MAX

struct storage_links {
    link_id all, read, write;     /* NO_LINK: unlimited */
    link_id *node_read, *node_write;                 /* [n_nodes] NO_LINK: not made yet */
};
extern const struct run_model storage_links_model, reading_model;

/* ---- Links ---- */

static struct storage_links *links_of(const struct sched *s)
{
    return model_state(s, &storage_links_model);
}

bool storage_is_shared(const struct sched *s)
{
    return s->cluster->storage.contention == CONTENTION_MAXMIN;
}

static link_id link_of(struct sched *s, int64_t bytes_per_s)
{
    return bytes_per_s == STORAGE_UNLIMITED ? NO_LINK : flows_link(s, (double)bytes_per_s);
}

static link_id *no_links(struct sched *s)
{
    link_id *l = arena_alloc(s->memory, s->cluster->n_nodes * sizeof *l);
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        l[n] = NO_LINK;
    return l;
}

static void links_begin(struct sched *s)
{
    const struct storage *from = &s->cluster->storage;
    struct storage_links *l = arena_alloc(s->memory, sizeof *l);
    *l = (struct storage_links){ link_of(s, from->all_bps), link_of(s, from->read_bps), link_of(s, from->write_bps), no_links(s),
                                 no_links(s) };
    model_state_set(s, &storage_links_model, l);
}

static flow_id open_over(struct sched *s, struct flow_spec spec, link_id shared, link_id *node, int64_t node_bps,
                         const struct placement *p)
{
    const link_id tried[] = { links_of(s)->all, shared };
    link_id link[3];
    spec.link = link;
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++)
        if (tried[i] != NO_LINK)
            link[spec.n_links++] = tried[i];
    if (placement_node_count(p) == 1 && node_bps != STORAGE_UNLIMITED) {
        link_id *own = &node[p->piece[0].node];
        if (*own == NO_LINK)
            *own = flows_link(s, (double)node_bps);
        link[spec.n_links++] = *own;
    }
    return isinf(spec.demand) && !spec.n_links ? FLOW_NONE : flow_open(s, &spec);
}

static double of_nodes(int64_t node_bps, uint32_t nodes)
{
    return node_bps == STORAGE_UNLIMITED ? (double)INFINITY : (double)node_bps * nodes;
}

flow_id storage_write_flow(struct sched *s, job_id j, const struct placement *p, double bytes, const struct flow_kind *kind)
{
    int64_t node_bps = s->cluster->storage.node_write_bps;
    struct flow_spec spec = { .kind = kind, .job = j, .demand = of_nodes(node_bps, placement_node_count(p)), .bytes = bytes };
    const struct storage_links *l = links_of(s);
    return open_over(s, spec, l->write, l->node_write, node_bps, p);
}

flow_id storage_read_flow(struct sched *s, job_id j, const struct placement *p, uint32_t nodes, double demand,
                          const struct flow_kind *kind)
{
    int64_t node_bps = s->cluster->storage.node_read_bps;
    struct flow_spec spec = { .kind = kind, .job = j, .demand = fmin(demand, of_nodes(node_bps, nodes)) };
    const struct storage_links *l = links_of(s);
    return open_over(s, spec, l->read, l->node_read, node_bps, p);
}

/* ---- Reading: what of a job's data is read from where ---- */

struct copies { node_id *node; size_t n, capacity; };
struct job_reads { double read_ns, cached_ns; };     /* reference ns of work that was read from the storage, from copies */
struct reading {                                     /* of a job that runs */
    struct copies uses;           /* nodes with a copy that it uses */
    struct milestone epoch;
    double bytes_per_ns;          /* of reference time */
    uint32_t nodes, cold;         /* cold: nodes that read from the storage */
    int64_t from_left_ns;         /* its bytes are counted up to this work left */
    int64_t epoch_left_ns;        /* work left when it has read all of it once on these nodes; < 0: it has, or never will */
    flow_id flow;                 /* FLOW_NONE: none */
    bool on;
};
struct data {
    struct data_cache *node;      /* [n_nodes] */
    struct reading *reading;      /* by live slot */
    size_t n_readings;
    struct job_reads *job;        /* [n_jobs] */
};

static struct data *data_of(const struct sched *s)
{
    return model_state(s, &reading_model);
}

static uint32_t set_of(const struct sched *s, job_id j)
{
    uint32_t named = workload_input(s->workload, j).data_set;
    return named != ID_NONE ? named : workload_data_sets(s->workload) + j;
}

static unsigned reading_keeps(const struct sched *s, job_id j, node_id n)
{
    bool reads = workload_extra(s->workload, j)->data_mib > 0;
    return reads && data_cache_has(&data_of(s)->node[n], set_of(s, j)) ? KEEPS_DATA : 0;
}

static int64_t bytes_of(const struct sched *s, job_id j)
{
    return (int64_t)workload_extra(s->workload, j)->data_mib << 20;
}

static uint32_t epochs_of(const struct sched *s, job_id j)
{
    uint32_t epochs = workload_input(s->workload, j).epochs;
    return epochs ? epochs : 1;
}

static struct reading *reading_of(const struct sched *s, const struct live *l)    /* of a job that was placed */
{
    return &data_of(s)->reading[l - s->live];
}

static struct reading *reading_made(const struct sched *s, const struct live *l)
{
    struct data *d = data_of(s);
    size_t slot = (size_t)(l - s->live);
    if (slot >= d->n_readings) {
        size_t n = live_slots(s);
        d->reading = mem_resize(d->reading, n, sizeof *d->reading);
        memset(d->reading + d->n_readings, 0, (n - d->n_readings) * sizeof *d->reading);
        d->n_readings = n;
    }
    return &d->reading[slot];
}

static void copy_add(struct copies *k, node_id n)
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

/* The time of an iteration, at that bandwidth. */
static void read_at(const struct reading *r, struct live *l, double bytes_per_s)
{
    l->pace.read_s = r->cold ? l->pace.reference_s * l->pace.tasks * storage_bytes(r) / bytes_per_s : 0;
}

static void share_changed(struct sched *s, job_id j, flow_id f, double share)
{
    (void)f;
    struct live *l = live_of(s, j);
    read_at(reading_of(s, l), l, share);
    pace_changed(s, l);
}

static const struct flow_kind read_flow = { .changed = share_changed };

static void open(struct sched *s, struct reading *r, struct live *l, const struct placement *on)
{
    read_at(r, l, bandwidth(s, r));
    if (!storage_is_shared(s) || !r->cold)
        return;
    struct pace alone = l->pace;
    alone.read_s = 0;
    double most = storage_bytes(r) * alone.tasks * (alone.reference_s / pace_iteration_s(&alone));
    r->flow = storage_read_flow(s, l->job, on, r->cold, most, &read_flow);
}

static void close_flow(struct sched *s, struct reading *r)
{
    flow_close(s, r->flow);
    r->flow = FLOW_NONE;
}

/* ---- With the job ---- */

static void reading_placed(struct sched *s, struct live *l)
{
    struct reading *r = reading_made(s, l);
    struct data_cache *cache = data_of(s)->node;
    int64_t bytes = bytes_of(s, l->job), work_ns = s->workload->truth[l->job].duration_ns;
    r->on = bytes > 0 && work_ns > 0;
    if (!r->on)
        return;
    r->bytes_per_ns = (double)bytes * epochs_of(s, l->job) / (double)work_ns;
    r->nodes = r->cold = 0;
    for (struct own_nodes w = { .i = 0 }; placement_next_node(l->now.held, &w); r->nodes++)
        if (data_cache_use(&cache[w.node], set_of(s, l->job)))
            copy_add(&r->uses, w.node);
        else
            r->cold++;
    r->flow = FLOW_NONE;
    r->from_left_ns = job_left_ns(s, l);
    r->epoch_left_ns = r->from_left_ns - (work_ns + epochs_of(s, l->job) - 1) / epochs_of(s, l->job);
    if (r->cold && r->epoch_left_ns > 0 && s->cluster->storage.cache_mib)
        milestone_set(s, l, &r->epoch, EVENT_EPOCH, r->epoch_left_ns);
    open(s, r, l, l->now.held);
}

/* Up to this work left. */
static void counted(struct sched *s, struct reading *r, job_id j, int64_t left_ns)
{
    struct job_reads *of = &data_of(s)->job[j];
    double ns = (double)(r->from_left_ns - left_ns), read_ns = ns * r->cold / r->nodes;
    of->read_ns += read_ns;
    of->cached_ns += ns - read_ns;
    r->from_left_ns = left_ns;
}

static bool uses(const struct copies *k, node_id n)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->node[i] == n)
            return true;
    return false;
}

/* Each of its nodes that has room keeps the data set. */
static void read_once(struct sched *s, struct reading *r, job_id j, const struct placement *on)
{
    struct data_cache *cache = data_of(s)->node;
    struct copies *k = &r->uses;
    size_t had = k->n;
    const struct copies before = { k->node, had, 0 };
    for (struct own_nodes w = { .i = 0 }; placement_next_node(on, &w);)
        if (!(had && uses(&before, w.node)) && data_cache_keep(&cache[w.node], set_of(s, j), bytes_of(s, j))) {
            copy_add(k, w.node);
            r->cold--;
        }
}

static void reading_happens(struct sched *s, const struct event *e)
{
    struct live *l = live_of(s, e->subject);
    struct reading *r = reading_of(s, l);
    counted(s, r, l->job, milestone_reached(&r->epoch));
    close_flow(s, r);
    r->epoch_left_ns = -1;
    read_once(s, r, l->job, l->now.held);
    open(s, r, l, l->now.held);
    pace_changed(s, l);
}

static void reading_left(struct sched *s, struct live *l, const struct placement *from)
{
    struct reading *r = reading_of(s, l);
    if (!r->on)
        return;
    struct data_cache *cache = data_of(s)->node;
    int64_t left_ns = job_left_ns(s, l);
    counted(s, r, l->job, left_ns);
    close_flow(s, r);
    if (left_ns <= r->epoch_left_ns && r->cold)
        read_once(s, r, l->job, from);               /* at this very instant */
    milestone_drop(s, &r->epoch);
    for (size_t i = 0; i < r->uses.n; i++)
        data_cache_leave(&cache[r->uses.node[i]], set_of(s, l->job));
    r->uses.n = 0;
    r->on = false;
}

static void reading_paced(struct sched *s, struct live *l)
{
    milestone_paced(s, l, &reading_of(s, l)->epoch);
}

/* ---- The model ---- */

static bool reading_wanted(const struct sched *s)
{
    bool any = false;
    for (job_id j = 0; s->cluster->storage.on && j < s->n_jobs && !any; j++)
        any = workload_extra(s->workload, j)->data_mib > 0;
    return any;
}

static void reading_begin(struct sched *s)
{
    struct data *d = mem_new(1, sizeof *d);
    d->node = mem_new(s->cluster->n_nodes, sizeof *d->node);
    d->job = mem_new(s->n_jobs, sizeof *d->job);
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        d->node[n].room = s->cluster->storage.cache_mib << 20;
    model_state_set(s, &reading_model, d);
}

static void reading_free(struct sched *s)
{
    struct data *d = data_of(s);
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        data_cache_free(&d->node[n]);
    for (size_t i = 0; i < d->n_readings; i++)
        free(d->reading[i].uses.node);
    free(d->node);
    free(d->reading);
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
    const struct job_reads *of = &data_of(s)->job[j];
    out_char(o, ',');
    out_double(o, gib_of(s, j, of->read_ns));
    out_char(o, ',');
    out_double(o, gib_of(s, j, of->cached_ns));
}

static const struct metric_kind metrics[] = {
    { "read_gib", "GiB", "data read from the storage", BETTER_NEITHER },
    { "cache_hit_share", "", "part of the data read that nodes had kept", BETTER_HIGHER },
    { 0 },
};

static void reading_summarise(struct summary_builder *b)
{
    const struct data *d = data_of(b->s);
    double read = 0, cached = 0;
    for (job_id j = 0; j < b->s->n_jobs; j++) {
        read += gib_of(b->s, j, d->job[j].read_ns);
        cached += gib_of(b->s, j, d->job[j].cached_ns);
    }
    summary_put_kind(b, &metrics[0], "all", read, 1);
    summary_put_kind(b, &metrics[1], "all", cached / (read + cached), read + cached > 0);
}


const struct run_model storage_links_model = {
    .place = PLACE_OF(storage_links_model),
    .name = "storage links", .summary = "the storage as links that transfers share, max-min fair",
    .wanted = storage_is_shared, .begin = links_begin,
};
const struct run_model reading_model = {
    .place = PLACE_OF(reading_model),
    .unsaved = "which data sets nodes keep, and how far jobs have read theirs",
    .name = "data", .summary = "data sets read from a storage of so much bandwidth, and kept by nodes",
    .keeps = reading_keeps, .wanted = reading_wanted, .begin = reading_begin, .free = reading_free,
    .placed = reading_placed, .left = reading_left, .paced = reading_paced,
    .events = 1u << EVENT_EPOCH, .happens = reading_happens,
    .job_columns = job_columns, .job_row = reading_row, .metrics = metrics, .summarise = reading_summarise,
};
