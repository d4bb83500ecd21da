/* bands_read.c - the levels that are stacked: of queues, classes, states, free GPUs and sessions.
 *
 * Queues without jobs are left out: they are inner nodes of the queue tree, and repeat what their
 * children hold. GPUs of a class are those that its jobs hold by intervals.csv.
 *
 * Free GPUs are counted by how many are free together on their node. What is free of a GPU that
 * others share is a band of its own. GPUs out of service count as free. GPUs of counted nodes have
 * no names: they are taken whole. */
#include "sim/cli/plot/bands_parts.h"

#include "sim/cli/plot/rows.h"
#include "sim/cli/plot/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reading { struct bands *b; size_t i; };

void bands_set(struct bands *b, size_t i, uint32_t key, double at_s, double value)
{
    struct run_levels *run = &b->run[i];
    if (key >= run->n_levels) {
        run->level = mem_resize(run->level, key + 1, sizeof *run->level);
        memset(run->level + run->n_levels, 0, (key + 1 - run->n_levels) * sizeof *run->level);
        run->n_levels = key + 1;
    }
    series_set(&run->level[key], &b->axis.steps, time_axis_at(&b->axis, at_s), value);
}

uint32_t bands_key(struct bands *b, const char *name)
{
    return intern_add(b->keys, name, strlen(name));
}

/* ---- Queues ---- */

struct queues { struct reading to; struct intern *with_jobs; bool any; };

static void on_job_queue(void *self, const struct fields *f)
{
    struct queues *q = self;
    intern_add(q->with_jobs, f->text[0], strlen(f->text[0]));
}

static void on_queue(void *self, const struct fields *f)
{
    struct queues *q = self;
    const char *name = f->text[1];
    if (intern_find(q->with_jobs, name, strlen(name)) == INTERN_NONE)
        return;
    q->any = true;
    bands_set(q->to.b, q->to.i, bands_key(q->to.b, name), f->number[0], f->number[2]);
}

static void on_all_queues(void *self, const struct fields *f)
{
    const struct reading *r = self;
    bands_set(r->b, r->i, bands_key(r->b, "all queues"), f->number[0], f->number[1]);
}

int bands_read_queues(struct bands *b, size_t i, struct error *err)
{
    static const char *const of_jobs[] = { "$queue", NULL }, *const of_queues[] = {
        "time_s", "$queue", "gpus_allocated", NULL
    };
    static const char *const of_all[] = { "time_s", "gpus_allocated", NULL };
    const char *path = b->r->run[i].path;
    struct queues q = { { b, i }, intern_new(), false };
    int result = rows_read(path, "jobs.csv", of_jobs, on_job_queue, &q, err);
    if (result == 0)
        result = rows_read(path, "queues.csv", of_queues, on_queue, &q, err);
    if (result == 0 && !q.any)
        result = rows_read(path, "timeseries.csv", of_all, on_all_queues, &q.to, err);
    intern_free(q.with_jobs);
    return result;
}

/* ---- Classes ---- */

struct change { double at_s, gpus; uint32_t key; };
struct holds {
    struct reading to;
    struct intern *jobs;
    uint32_t *class;              /* [jobs] */
    struct change *change;
    size_t n, capacity, class_capacity;
};

static void on_job_class(void *self, const struct fields *f)
{
    struct holds *h = self;
    uint32_t job = intern_add(h->jobs, f->text[0], strlen(f->text[0]));
    mem_grow(&h->class, &h->class_capacity, job, sizeof *h->class);
    h->class[job] =
        bands_key(h->to.b, name_clean(figure_memory(h->to.b->f), f->text[1], NAME_WIDE));
}

static void add_change(struct holds *h, struct change c)
{
    mem_grow(&h->change, &h->capacity, h->n, sizeof *h->change);
    h->change[h->n++] = c;
}

static void on_hold(void *self, const struct fields *f)
{
    struct holds *h = self;
    double gpus = f->number[1] * f->number[2] / 1000;
    uint32_t job = intern_find(h->jobs, f->text[0], strlen(f->text[0]));
    uint32_t class = job == INTERN_NONE ? bands_key(h->to.b, "") : h->class[job];
    if (!(gpus > 0) || f->number[3] == f->number[4])
        return;
    add_change(h, (struct change){ f->number[3], gpus, class });
    add_change(h, (struct change){ f->number[4], -gpus, class });
}

static int by_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return x->at_s != y->at_s ? (x->at_s > y->at_s) - (x->at_s < y->at_s)
           : x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                              : (x->gpus > y->gpus) - (x->gpus < y->gpus);
}

int bands_read_classes(struct bands *b, size_t i, struct error *err)
{
    static const char *const of_jobs[] = { "$job_id", "$class", NULL };
    static const char *const of_holds[] = {
        "$job_id", "gpus", "gpu_milli", "start_s", "end_s", NULL
    };
    const char *path = b->r->run[i].path;
    struct holds h = { .to = { b, i }, .jobs = intern_new() };
    int result = rows_read(path, "jobs.csv", of_jobs, on_job_class, &h, err);
    if (result == 0)
        result = rows_read(path, "intervals.csv", of_holds, on_hold, &h, err);
    double *held = mem_new(intern_count(b->keys), sizeof *held);
    if (h.n)
        qsort(h.change, h.n, sizeof *h.change, by_time);
    for (size_t k = 0; k < h.n && result == 0; k++) {
        const struct change *c = &h.change[k];
        held[c->key] += c->gpus;
        bands_set(b, i, c->key, c->at_s, held[c->key] > 1e-9 ? held[c->key] : 0);
    }
    free(held);
    free(h.change);
    free(h.class);
    intern_free(h.jobs);
    return result;
}

/* ---- What becomes of all GPUs ---- */

static void on_state(void *self, const struct fields *f)
{
    const struct reading *r = self;
    double total = f->number[1], up = f->number[2], allocated = f->number[3], busy = f->number[4];
    bool waits = f->number[5] > 0;
    const double value[FIXED_MOST] = { busy, allocated - busy, waits ? up - allocated : 0,
                                       waits ? 0 : up - allocated, total - up };
    for (uint32_t key = 0; key < FIXED_MOST; key++)
        bands_set(r->b, r->i, key, f->number[0], value[key] > 1e-9 ? value[key] : 0);
}

int bands_read_states(struct bands *b, size_t i, struct error *err)
{
    static const char *const columns[] = { "time_s",    "gpus_total",   "gpus_up", "gpus_allocated",
                                           "gpus_busy", "jobs_waiting", NULL };
    return rows_read(b->r->run[i].path, "timeseries.csv", columns, on_state,
                     &(struct reading){ b, i }, err);
}

/* ---- Free GPUs ---- */

struct free_node {
    double gpus, parts;
    double *used;
    size_t n_used;
}; /* used: thousandths of each GPU */
struct taking {
    double at_s;
    int sign;
    uint32_t node;
    const char *ids;
    double gpus, milli;
    size_t order;
};
struct frees {
    struct reading to;
    struct intern *names;
    struct free_node *node;
    struct taking *taking;
    size_t n, capacity, node_capacity;
    double level[FIXED_MOST];
};

static void on_node(void *self, const struct fields *f)
{
    struct frees *x = self;
    uint32_t node = intern_add(x->names, f->text[0], strlen(f->text[0]));
    mem_grow(&x->node, &x->node_capacity, node, sizeof *x->node);
    x->node[node] = (struct free_node){ .gpus = f->number[1] };
}

static void on_taking(void *self, const struct fields *f)
{
    struct frees *x = self;
    uint32_t node = intern_find(x->names, f->text[0], strlen(f->text[0]));
    const char *ids = f->text[2];
    if (node == INTERN_NONE || !(f->number[1] > 0) || f->number[4] == f->number[5])
        return;
    ids = *ids ? arena_text(figure_memory(x->to.b->f), ids, strlen(ids)) : NULL;
    for (int end = 0; end < 2; end++) {
        mem_grow(&x->taking, &x->capacity, x->n, sizeof *x->taking);
        x->taking[x->n] = (struct taking){ f->number[4 + end], end ? -1 : 1, node, ids,
                                           f->number[1],       f->number[3], x->n };
        x->n++;
    }
}

static int left_before_taken(const void *a, const void *b)
{
    const struct taking *x = a, *y = b;
    return x->at_s != y->at_s   ? (x->at_s > y->at_s) - (x->at_s < y->at_s)
           : x->sign != y->sign ? x->sign - y->sign
                                : (x->order > y->order) - (x->order < y->order);
}

/* What a node adds to the bands, or takes from them. */
static void count_node(struct frees *x, const struct free_node *n, double sign)
{
    size_t band = n->gpus >= 8 ? 4 : n->gpus >= 4 ? 3 : n->gpus >= 2 ? 2 : 1;
    if (n->gpus > 0)
        x->level[band] += sign * n->gpus;
    x->level[0] += sign * n->parts;
}

static double part_left(double used_milli)
{
    return used_milli > 0 && used_milli < 1000 ? (1000 - used_milli) / 1000 : 0;
}

static void use_gpu(struct free_node *n, size_t id, double milli)
{
    if (id >= n->n_used) {
        n->used = mem_resize(n->used, id + 1, sizeof *n->used);
        for (; n->n_used <= id; n->n_used++)
            n->used[n->n_used] = 0;
    }
    double before = n->used[id], now = before + milli;
    n->used[id] = now;
    n->gpus += (now == 0) - (before == 0);
    n->parts += part_left(now) - part_left(before);
}

/* "0-3 6" */
static void use(struct free_node *n, const struct taking *t)
{
    if (!t->ids)
        n->gpus -= t->sign * t->gpus;
    for (const char *at = t->ids; at && *at;) {
        char *end;
        size_t first = strtoul(at, &end, 10), last = first;
        if (end == at)
            return;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        for (size_t id = first; id <= last; id++)
            use_gpu(n, id, t->sign * t->milli);
        at = end + strspn(end, " ");
    }
}

static void set_levels(const struct frees *x, double at_s)
{
    for (uint32_t band = 0; band < FIXED_MOST; band++)
        bands_set(x->to.b, x->to.i, band, at_s, x->level[band] > 1e-9 ? x->level[band] : 0);
}

static void play_takings(struct frees *x)
{
    for (uint32_t n = 0; n < intern_count(x->names); n++)
        count_node(x, &x->node[n], 1);
    set_levels(x, x->to.b->axis.start_s + x->to.b->axis.begin_s[x->to.i]);
    if (x->n)
        qsort(x->taking, x->n, sizeof *x->taking, left_before_taken);
    for (size_t k = 0; k < x->n; k++) {
        struct free_node *n = &x->node[x->taking[k].node];
        count_node(x, n, -1);
        use(n, &x->taking[k]);
        count_node(x, n, 1);
        if (k + 1 == x->n || x->taking[k + 1].at_s != x->taking[k].at_s)
            set_levels(x, x->taking[k].at_s);
    }
}

int bands_read_free(struct bands *b, size_t i, struct error *err)
{
    static const char *const of_nodes[] = { "$node", "gpus", NULL };
    static const char *const of_holds[] = { "$node",   "gpus",  "$gpu_ids", "gpu_milli",
                                            "start_s", "end_s", NULL };
    const char *path = b->r->run[i].path;
    struct frees x = { .to = { b, i }, .names = intern_new() };
    int result = rows_read(path, "nodes.csv", of_nodes, on_node, &x, err);
    if (result == 0)
        result = rows_read(path, "intervals.csv", of_holds, on_taking, &x, err);
    if (result == 0)
        play_takings(&x);
    for (uint32_t n = 0; n < intern_count(x.names); n++)
        free(x.node[n].used);
    free(x.node);
    free(x.taking);
    intern_free(x.names);
    return result;
}

/* ---- Sessions ---- */

static void on_sessions(void *self, const struct fields *f)
{
    const struct reading *r = self;
    for (uint32_t key = 0; key < FIXED_MOST; key++)
        bands_set(r->b, r->i, key, f->number[0], f->number[1 + key]);
}

int bands_read_sessions(struct bands *b, size_t i, struct error *err)
{
    static const char *const columns[] = { "time_s",
                                           "sessions_active",
                                           "sessions_idle",
                                           "sessions_starting",
                                           "sessions_queued",
                                           "sessions_released",
                                           NULL };
    return rows_read(b->r->run[i].path, "timeseries.csv", columns, on_sessions,
                     &(struct reading){ b, i }, err);
}

/* ---- All GPUs ---- */

static void on_gpus(void *self, const struct fields *f)
{
    const struct reading *r = self;
    struct run_levels *run = &r->b->run[r->i];
    double at_s = time_axis_at(&r->b->axis, f->number[0]);
    series_set(&run->total, &r->b->axis.steps, at_s, f->number[1]);
    series_set(&run->up, &r->b->axis.steps, at_s, f->number[2]);
    series_set(&run->busy, &r->b->axis.steps, at_s, f->number[3]);
    run->gpus_most = fmax(run->gpus_most, f->number[1]);
    r->b->down = r->b->down || f->number[1] != f->number[2];
}

int bands_read_gpus(struct bands *b, size_t i, struct error *err)
{
    static const char *const columns[] = { "time_s", "gpus_total", "gpus_up", "gpus_busy", NULL };
    return rows_read(b->r->run[i].path, "timeseries.csv", columns, on_gpus,
                     &(struct reading){ b, i }, err);
}
