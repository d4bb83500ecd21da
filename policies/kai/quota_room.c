/* quota_room.c - shapes: who waits for them where, and whether there is room for them.
 *
 * Room is a matter of the shape alone, so a shape for which there is none is looked at once until something makes room; and one for
 * which there is, once until something is given away. Only leaves in which a shape with room waits are looked at. */
#include "policies/kai/quota.h"

#include <string.h>

/* ---- Who waits ---- */

struct shape_room *quota_room(struct sched *s, struct quota_state *q, shape_id shape)
{
    size_t known = q->n_room;
    q->room = array_covering(sched_alloc, s, q->room, &q->n_room, shape, sizeof *q->room);
    for (; known < q->n_room; known++)
        q->room[known].failed_at = UINT64_MAX;
    return &q->room[shape];
}

static bool shape_before(const void *entry, const void *key)
{
    return ((const struct leaf_shape *)entry)->shape < *(const shape_id *)key;
}

static struct leaf_shape *leaf_shape(struct sched *s, struct leaf *l, shape_id shape)
{
    size_t at = lower_bound(l->shape, l->n_shapes, sizeof *l->shape, &shape, shape_before);
    if (at < l->n_shapes && l->shape[at].shape == shape)
        return &l->shape[at];
    l->shape = array_grown(sched_alloc, s, l->shape, &l->capacity, l->n_shapes, sizeof *l->shape);
    array_open(l->shape, l->n_shapes++, at, sizeof *l->shape);
    l->shape[at] = (struct leaf_shape){ .shape = shape, .why = WAIT_ORDER };
    return &l->shape[at];
}

/* Somebody more, or less, of those who wait whole for this shape has had his turn in this pass. */
static void count_acted(const struct quota_state *q, struct shape_room *room, int by)
{
    if (room->acted_pass != q->pass)
        room->acted = 0;
    room->acted_pass = q->pass;
    room->acted += (uint32_t)by;
}

void quota_shape_acted(struct sched *s, struct quota_state *q, job_id j)
{
    count_acted(q, quota_room(s, q, job_facts(s, j)->ask->shape), 1);
}

bool quota_all_acted(const struct quota_state *q, const struct shape_room *room)
{
    return room->acted_pass == q->pass && room->acted == room->waiting;
}

/* The first, or the last, of the leaf who waits for it. */
static void enter_leaf(struct sched *s, struct shape_room *room, struct leaf_shape *here, queue_id leaf)
{
    room->leaf = array_grown(sched_alloc, s, room->leaf, &room->leaves_capacity, room->n_leaves, sizeof *room->leaf);
    here->place = (uint32_t)room->n_leaves;
    room->leaf[room->n_leaves++] = leaf;
}

static void leave_leaf(struct sched *s, struct quota_state *q, struct shape_room *room, const struct leaf_shape *here)
{
    queue_id last = room->leaf[--room->n_leaves];
    room->leaf[here->place] = last;
    leaf_shape(s, &q->leaf[last], here->shape)->place = here->place;
}

static void count_in_leaf(struct sched *s, struct quota_state *q, job_id j, int by)
{
    const struct job_facts *f = job_facts(s, j);
    struct leaf *l = &q->leaf[f->queue];
    struct leaf_shape *here = leaf_shape(s, l, f->ask->shape);
    if (here->waiting == 0) {
        here->ask = quota_wanted(s, j, NULL).amount;
        l->least_gpu_milli = min_i64(l->least_gpu_milli, here->ask.of[Q_GPU]);
        enter_leaf(s, quota_room(s, q, f->ask->shape), here, f->queue);
    }
    here->waiting += (uint32_t)by;
    if (here->waiting > 0)
        return;
    leave_leaf(s, q, quota_room(s, q, f->ask->shape), here);
    l->least_gpu_milli = INT64_MAX;
    for (size_t i = 0; i < l->n_shapes; i++)
        if (l->shape[i].waiting)
            l->least_gpu_milli = min_i64(l->least_gpu_milli, l->shape[i].ask.of[Q_GPU]);
}

void quota_count_shape(struct sched *s, struct quota_state *q, job_id j, int by)
{
    const struct job_facts *f = job_facts(s, j);
    shape_id shape = f->ask->shape;
    struct shape_room *room = quota_room(s, q, shape);
    count_in_leaf(s, q, j, by);
    if (room->waiting == 0) {
        q->asked = array_grown(sched_alloc, s, q->asked, &q->asked_capacity, q->n_asked, sizeof *q->asked);
        room->place = (uint32_t)q->n_asked;
        q->asked[q->n_asked++] = shape;
        room->ask = f->ask;
        room->grouped = false;
        room->least_tasks = UINT32_MAX;
    }
    room->grouped = room->grouped || f->n_groups > 0;
    if (f->min_tasks < room->least_tasks) {
        room->least_tasks = f->min_tasks;
        room->least_milli = quota_wanted(s, j, NULL).amount.of[Q_GPU];
    }
    room->alike = !room->grouped && room->least_tasks == (f->ask->tasks == SPLIT_ANY ? 1 : request_tasks(f->ask));
    room->waiting += (uint32_t)by;
    if (((struct quota_job *)job_own(s, j))->pass == q->pass)
        count_acted(q, room, by);
    if (room->waiting == 0) {
        q->asked[room->place] = q->asked[--q->n_asked];
        q->room[q->asked[room->place]].place = room->place;
    }
}

/* ---- Is there room ---- */

/* For j, who is of this shape and holds nothing. What was found stands until something is given away. */
static bool finds_room(struct sched *s, const struct quota_state *q, struct shape_room *room, job_id j)
{
    if (room->alike && room->tried_at == q->placements && room->tried_tasks == room->least_tasks)
        return room->fits;
    const struct job_facts *f = job_facts(s, j);
    uint32_t tasks = f->n_groups ? 0 : f->min_tasks;    /* 0: for j alone */
    if (tasks && room->tried_at == q->placements && room->tried_tasks == tasks)
        return room->fits;
    struct wanted w = quota_wanted(s, j, NULL);
    room->fits = quota_place(s, FREE_IDLE, j, w.task, w.n, ID_NONE) || quota_place(s, FREE_OR_RELEASING, j, w.task, w.n, ID_NONE);
    room->tried_at = q->placements;
    room->tried_tasks = tasks;
    if (!room->fits)
        room->why_not = sched_why_not(s);
    return room->fits;
}

static bool has_failed(const struct quota_state *q, struct shape_room *room)
{
    room->failed_at = q->version;
    room->why = room->why_not;
    return false;
}

bool quota_shape_fits(struct sched *s, struct quota_state *q, shape_id shape, job_id j)
{
    struct shape_room *room = quota_room(s, q, shape);
    if (room->failed_at == q->version)
        return false;
    return finds_room(s, q, room, j) || has_failed(q, room);
}

bool quota_nobody_has_room(const struct quota_state *q)
{
    for (size_t i = 0; i < q->n_asked; i++)
        if (q->room[q->asked[i]].failed_at != q->version)
            return false;
    return true;
}

/* Somebody who waits for it and has not had his turn in this pass, of a shape whose jobs are all alike. */
static bool one_of(const struct quota_state *q, const struct shape_room *room, shape_id shape, job_id *j)
{
    for (size_t i = 0; room->alike && i < room->n_leaves; i++)
        if (q->leaf[room->leaf[i]].acted != q->pass)
            return line_first_of(q->leaf[room->leaf[i]].waiting, shape, j, NULL);
    return false;
}

static void open_all(struct quota_state *q, const struct shape_room *room)
{
    for (size_t i = 0; i < room->n_leaves; i++)
        bitset_put(&q->leaves, q->open, room->leaf[i], true);
}

/* Leaves to be looked at: somebody there is of a shape for which there is room, or may be. Of another leaf nobody would find any; if
 * it is not left out for other reasons, that is noted here, as if it had been looked at. */
void quota_open_leaves(struct sched *s, struct quota_state *q)
{
    memcpy(q->open, q->grows, q->leaves.words * sizeof *q->open);
    for (size_t i = 0; i < q->n_acted; i++)
        bitset_put(&q->leaves, q->open, q->acted[i], line_length(q->leaf[q->acted[i]].waiting) > 0);
    for (size_t i = 0; i < q->n_asked; i++) {
        struct shape_room *room = &q->room[q->asked[i]];
        job_id j;
        if (room->failed_at != q->version && (!one_of(q, room, q->asked[i], &j) || finds_room(s, q, room, j)))
            open_all(q, room);
    }
    for (size_t i = 0; i < q->n_asked; i++) {
        struct shape_room *room = &q->room[q->asked[i]];
        for (size_t k = 0; room->failed_at != q->version && k < room->n_leaves; k++)
            if (!bitset_has(q->open, room->leaf[k]) && !q->leaf[room->leaf[k]].spent)
                has_failed(q, room);
    }
}

/* There is no room for any task more than these. Certain for whole GPUs. */
static bool lacks_room(struct sched *s, const struct request *ask, uint32_t tasks)
{
    uint32_t n = ask->tasks == SPLIT_ANY ? ask->gpus : tasks;
    return !ask->next && ask->gpus > 0 && !ask->mig && ask->gpu_milli >= MILLI_ALL &&
           domain_fits(sched_view(s, FREE_IDLE), 0, ask) < n && domain_fits(sched_view(s, FREE_OR_RELEASING), 0, ask) < n;
}

/* Whoever had his turn now would get nothing: no shape finds room as things are, task by task neither, and as nobody gets anything
 * things stay so. Each shape would come to the same end, and why is what was said of it before. Then nobody need have his turn. Of a
 * shape all of whose jobs have had theirs nothing would be said either, unless one is met who has come back: he stands in the line until
 * his start is told, and whether another like him would fit is then seen, and noted. */
bool quota_all_in_vain(struct sched *s, struct quota_state *q)
{
    if (!quota_is_plain(q) || q->budgets)
        return false;
    for (size_t i = 0; i < q->n_asked; i++) {
        struct shape_room *room = &q->room[q->asked[i]];
        job_id j;
        if (room->failed_at == q->version)
            continue;
        if (quota_all_acted(q, room)) {
            if (q->came_back == q->pass)
                return false;
            continue;
        }
        if (!one_of(q, room, q->asked[i], &j) || finds_room(s, q, room, j) || room->why != room->why_not ||
            !lacks_room(s, room->ask, room->least_tasks))
            return false;
    }
    for (size_t i = 0; i < q->n_asked; i++)
        if (!quota_all_acted(q, &q->room[q->asked[i]]))
            q->room[q->asked[i]].failed_at = q->version;
    return true;
}
