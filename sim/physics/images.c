/* images.c - what a start takes: pulling the image, initialising, loading the checkpoint; and which images nodes have.
 *
 * models.md 3.2: t_start = t_pull + t_init + t_load, where the price says so (start_s, restart_s: parts). A node that has the
 * image is quicker; a gang waits for the slowest of its nodes. A node has an image from the start of the first job that wants
 * it. Jobs that name no image have that of their model, and those without a model one for all. */
#include "sim/scheduler/placements.h"
#include "sim/engine/state.h"
#include "sim/physics/physics.h"
#include "sim/models/data_cache.h"

#include <stdlib.h>

struct images {
    struct data_cache *node;      /* [n_nodes] */
    uint64_t pulls;               /* by nodes that had not got it */
    int128_t pulling;             /* milli-GPU ns */
    int128_t *job;                /* [n_jobs] likewise */
};

static uint32_t image_of(const struct sched *s, job_id j)
{
    uint32_t image = workload_input(s->workload, j).image, model = s->workload->facts[j].model;
    return image != ID_NONE ? 2 * image : model != ID_NONE ? 2 * model + 1 : ID_NONE;
}

static int64_t pull_ns(const struct sched *s, job_id j, const struct placement *on)
{
    bool cached = true;
    for (struct own_nodes w = { .i = 0 }; cached && placement_next_node(on, &w);)
        cached = data_cache_has(&s->images->node[w.node], image_of(s, j));
    return storage_pull_ns(&s->cluster->storage, cached);
}

/* ---- The model ---- */

static bool images_wanted(const struct sched *s)
{
    for (uint32_t i = 0; i <= intern_count(s->workload->overheads); i++)
        if (s->overhead[i].start_ns == START_BY_PARTS || s->overhead[i].restart_ns == START_BY_PARTS)
            return true;
    return false;
}

static void images_begin(struct sched *s)
{
    struct images *i = s->images = mem_new(1, sizeof *i);
    uint32_t most = s->cluster->storage.images_per_node;
    i->node = mem_new(s->cluster->n_nodes, sizeof *i->node);
    i->job = mem_new(s->n_jobs, sizeof *i->job);
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        i->node[n].room = most ? most : INT64_MAX;
}

static void images_free(struct sched *s)
{
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        data_cache_free(&s->images->node[n]);
    free(s->images->node);
    free(s->images->job);
    free(s->images);
}

static void images_placed(struct sched *s, struct live *l)
{
    for (struct own_nodes w = { .i = 0 }; placement_next_node(l->now.held, &w);) {
        struct data_cache *c = &s->images->node[w.node];
        uint32_t image = image_of(s, l->job);
        s->images->pulls += !data_cache_has(c, image);
        if (data_cache_keep(c, image, 1))
            data_cache_leave(c, image);              /* a running container needs it no more */
    }
}

static void images_left(struct sched *s, struct live *l, const struct placement *from)
{
    int64_t ns = s->now_ns - l->held_since_ns < l->pull_ns ? s->now_ns - l->held_since_ns : l->pull_ns;
    int128_t pulling = (int128_t)ns * placement_gpu_milli(from);
    l->pull_ns -= ns;
    s->images->pulling += pulling;
    s->images->job[l->job] += pulling;
}

static const char *const job_columns[] = { "pull_gpu_s", NULL };

static void images_row(struct output *o, const struct sched *s, job_id j)
{
    out_char(o, ',');
    out_wide_seconds(o, s->images->job[j] / MILLI_ALL);
}

static const struct metric_kind metrics[] = {
    { "pull_gpu_h", "GPU h", "GPU-time that waited for images: part of the starting up", BETTER_LOWER },
    { "image_pulls", "", "images pulled by nodes that had not got them", BETTER_NEITHER },
    { 0 },
};

static void images_summarise(struct summary_builder *k)
{
    summary_put_kind(k, &metrics[0], "all", gpu_hours(k->s->images->pulling), 1);
    summary_put_kind(k, &metrics[1], "all", (double)k->s->images->pulls, 1);
}

const struct run_model images_model = {
    .unsaved = "which images nodes keep",
    .name = "images", .summary = "starts by parts: pulling images that nodes keep, initialising, loading checkpoints",
    .wanted = images_wanted, .begin = images_begin, .free = images_free,
    .pull_ns = pull_ns, .placed = images_placed, .left = images_left,
    .job_columns = job_columns, .job_row = images_row, .metrics = metrics, .summarise = images_summarise,
};
