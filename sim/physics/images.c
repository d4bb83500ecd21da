/* images.c - what a start takes: pulling the image, initialising, loading the checkpoint; and which images nodes have.
 *
 * models.md 3.2: t_start = t_pull + t_init + t_load, where start_s or restart_s of the section `preemption` says `parts`. A node
 * that has the image is quicker; a gang waits for the slowest of its nodes. A node has an image from the start of the first job
 * that uses it. A job that names no image has that of its model; jobs without a model share one. */
#include "sim/engine/state.h"
#include "sim/models/data_cache.h"
#include "sim/physics/physics.h"
#include "sim/scheduler/placements.h"

#include <stdlib.h>

struct images {
    struct data_cache *node;      /* [n_nodes] */
    uint64_t pulls;               /* by nodes that did not have it */
    int128_t pulling;             /* milli-GPU ns */
    int128_t *job;                /* [n_jobs] milli-GPU ns */
};

extern const struct run_model images_model;

static struct images *images_of(const struct sched *s)
{
    return model_state(s, &images_model);
}

static uint32_t image_of(const struct sched *s, job_id j)
{
    uint32_t image = workload_input(s->workload, j).image, model = s->workload->facts[j].model;
    return image != ID_NONE ? 2 * image : model != ID_NONE ? 2 * model + 1 : ID_NONE;
}

static int64_t pull_ns(const struct sched *s, job_id j, const struct placement *on)
{
    const struct data_cache *node = images_of(s)->node;
    bool cached = true;
    for (struct own_nodes w = { .i = 0 }; cached && placement_next_node(on, &w);)
        cached = data_cache_has(&node[w.node], image_of(s, j));
    return storage_pull_ns(&s->cluster->storage, cached);
}

static unsigned images_keeps(const struct sched *s, job_id j, node_id n)
{
    return data_cache_has(&images_of(s)->node[n], image_of(s, j)) ? KEEPS_IMAGE : 0;
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
    struct images *i = mem_new(1, sizeof *i);
    uint32_t most = s->cluster->storage.images_per_node;
    i->node = mem_new(s->cluster->n_nodes, sizeof *i->node);
    i->job = mem_new(s->n_jobs, sizeof *i->job);
    model_state_set(s, &images_model, i);
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        i->node[n].room = most ? most : INT64_MAX;
}

static void images_free(struct sched *s)
{
    struct images *i = images_of(s);
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        data_cache_free(&i->node[n]);
    free(i->node);
    free(i->job);
    free(i);
}

static void images_placed(struct sched *s, struct live *l)
{
    struct images *i = images_of(s);
    uint32_t image = image_of(s, l->job);
    for (struct own_nodes w = { .i = 0 }; placement_next_node(l->now.held, &w);) {
        struct data_cache *c = &i->node[w.node];
        i->pulls += !data_cache_has(c, image);
        if (data_cache_keep(c, image, 1))
            data_cache_leave(c, image);              /* a running container no longer needs it */
    }
}

static void images_left(struct sched *s, struct live *l, const struct placement *from)
{
    int64_t ns = s->now_ns - l->held_since_ns < l->pull_ns ? s->now_ns - l->held_since_ns : l->pull_ns;
    int128_t pulling = (int128_t)ns * placement_gpu_milli(from);
    l->pull_ns -= ns;
    struct images *i = images_of(s);
    i->pulling += pulling;
    i->job[l->job] += pulling;
}

static const char *const job_columns[] = { "pull_gpu_s", NULL };

static void images_row(struct output *o, const struct sched *s, job_id j)
{
    out_char(o, ',');
    out_wide_seconds(o, images_of(s)->job[j] / MILLI_ALL);
}

static const struct metric_kind metrics[] = {
    { "pull_gpu_h", "GPU h", "GPU-time that waited for images: part of the starting up", BETTER_LOWER },
    { "image_pulls", "", "images pulled by nodes that had not got them", BETTER_NEITHER },
    { 0 },
};

static void images_summarise(struct summary_builder *b)
{
    summary_put_kind(b, &metrics[0], "all", gpu_hours(images_of(b->s)->pulling), 1);
    summary_put_kind(b, &metrics[1], "all", (double)images_of(b->s)->pulls, 1);
}

const struct run_model images_model = {
    .place = PLACE_OF(images_model),
    .unsaved = "which images nodes keep",
    .name = "images", .summary = "starts by parts: pulling images that nodes keep, initialising, loading checkpoints",
    .wanted = images_wanted, .begin = images_begin, .free = images_free,
    .pull_ns = pull_ns, .keeps = images_keeps, .placed = images_placed, .left = images_left,
    .job_columns = job_columns, .job_row = images_row, .metrics = metrics, .summarise = images_summarise,
};
