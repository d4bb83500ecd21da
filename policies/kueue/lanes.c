/* lanes.c - the waiting jobs of a queue: one lane, or one of each of its local queues, of which the
 * one with the first of the next jobs gives the head. See cohort.h and usage.h. */
#include "policies/kueue/cohort.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/minmax.h"

#define NS_PER_S INT64_C(1000000000)

/* ---- Setting up ---- */

bool cohort_is_local(const struct sched *s, queue_id q)
{
    queue_id up = queue_facts(s, q)->parent;
    return up != ID_NONE && queue_facts(s, up)->local_queues != LOCAL_QUEUES_NONE;
}

void cohort_begin_homes(struct sched *s, struct cohort *c)
{
    uint32_t n = queue_count(s);
    c->home = sched_alloc(s, n * sizeof *c->home);
    c->lane = sched_alloc(s, n * sizeof(struct cohort_lane *));
    for (queue_id v = 0; v < n; v++)
        c->home[v] = cohort_is_local(s, v) ? queue_facts(s, v)->parent : v;
}

static void begin_lane(struct sched *s, struct cohort_lane *lane, double weight)
{
    *lane = (struct cohort_lane){ .waiting = line_new(s),
                                  .fresh = line_new(s),
                                  .met = ID_NONE,
                                  .usage = { .weight = weight } };
}

void cohort_begin_lanes(struct sched *s, struct cohort *c, uint32_t v)
{
    const struct queue_facts *f = queue_facts(s, v);
    struct cohort_queue *q = &c->queue[v];
    bool local = f->local_queues != LOCAL_QUEUES_NONE;
    if (cohort_is_local(s, v) || (f->first_child != ID_NONE && !local))
        return;
    for (queue_id i = f->first_child; i != ID_NONE; i = queue_facts(s, i)->next_sibling)
        q->n_lanes++;
    q->n_lanes = local ? q->n_lanes : 1;
    q->by_use = f->local_queues == LOCAL_QUEUES_BY_USE;
    q->lane = sched_alloc(s, q->n_lanes * sizeof *q->lane);
    if (!local) {
        begin_lane(s, q->lane, 1);
        c->lane[v] = q->lane;
        return;
    }
    uint32_t n = 0;
    for (queue_id i = f->first_child; i != ID_NONE; i = queue_facts(s, i)->next_sibling) {
        c->lane[i] = &q->lane[n++];
        begin_lane(s, c->lane[i], queue_facts(s, i)->weight);
    }
}

/* ---- Past use ---- */

static double half_life_s(const struct cohort *c)
{
    return c->params->half_life_h * 3600;
}

static double use_of(const struct cohort *c, const struct entrant *e)
{
    static const double unit[COHORT_PARTS] = { 1000, 1000, 1024 };
    double sum = 0;
    for (uint32_t cell = 0; cell < c->books.cells; cell++)
        sum += c->params->use_of[cell % COHORT_PARTS] * (double)e->need[cell] /
               unit[cell % COHORT_PARTS];
    return sum;
}

void lanes_hold(struct sched *s, struct cohort *c, const struct entrant *e, bool pays)
{
    double use, alpha = cohort_usage_alpha(c->params->sampling_s, half_life_s(c));
    if (!c->queue[e->as.queue].by_use)
        return;
    use = use_of(c, e);
    cohort_usage_change(&c->lane[job_facts(s, e->as.id)->queue]->usage, sched_now(s),
                        half_life_s(c), use, pays ? alpha * use : 0);
}

void lanes_release(struct sched *s, struct cohort *c, const struct entrant *e)
{
    if (c->queue[e->as.queue].by_use)
        cohort_usage_change(&c->lane[job_facts(s, e->as.id)->queue]->usage, sched_now(s),
                            half_life_s(c), -use_of(c, e), 0);
}

static int by_use(const struct sched *s, const struct cohort *c, const struct cohort_queue *q,
                  const struct cohort_lane *a, const struct cohort_lane *b)
{
    return q->by_use ? cohort_usage_compare(&a->usage, &b->usage, sched_now(s), half_life_s(c)) : 0;
}

/* ---- Lines ---- */

bool lanes_is_elastic(const struct sched *s, job_id j)
{
    const struct job_facts *f = job_facts(s, j);
    return f->min_tasks < request_tasks(f->ask) && f->ask->tasks != SPLIT_ANY && !f->ask->next;
}

void lanes_push(struct sched *s, struct cohort *c, job_id j)
{
    const struct job_facts *f = job_facts(s, j);
    struct cohort_lane *lane = c->lane[f->queue];
    struct line_key k = { .major = -f->priority, .time_ns = f->submit_ns };
    c->elastic = array_covering(sched_alloc, s, c->elastic, &c->n_shapes, f->ask->shape,
                                sizeof *c->elastic);
    if (!line_remove(lane->waiting, j) && lanes_is_elastic(s, j))
        c->elastic[f->ask->shape]++;
    line_push(lane->fresh, j, k);
    line_push(lane->waiting, j, k);
}

void lanes_not_fresh(struct sched *s, struct cohort *c, job_id j)
{
    line_remove(c->lane[job_facts(s, j)->queue]->fresh, j);
}

void lanes_remove(struct sched *s, struct cohort *c, job_id j)
{
    struct cohort_lane *lane = c->lane[job_facts(s, j)->queue];
    line_remove(lane->fresh, j);
    if (line_remove(lane->waiting, j) && lanes_is_elastic(s, j))
        c->elastic[job_facts(s, j)->ask->shape]--;
    lane->met = lane->met == j ? ID_NONE : lane->met;
}

size_t lanes_length(const struct cohort_queue *q)
{
    size_t n = 0;
    for (uint32_t i = 0; i < q->n_lanes; i++)
        n += line_length(q->lane[i].waiting);
    return n;
}

bool lanes_has_fresh(const struct cohort_queue *q)
{
    bool has = false;
    for (uint32_t i = 0; i < q->n_lanes && !has; i++)
        has = line_length(q->lane[i].fresh) > 0;
    return has;
}

void lanes_open(struct cohort_queue *q)
{
    for (uint32_t i = 0; i < q->n_lanes; i++) {
        q->lane[i].walk = (struct line_walk){ .l = q->lane[i].waiting };
        q->lane[i].met = ID_NONE;
    }
}

void lanes_all_tried(struct cohort_queue *q)
{
    job_id j;
    for (uint32_t i = 0; i < q->n_lanes; i++)
        while (line_first(q->lane[i].fresh, &j, NULL))
            line_remove(q->lane[i].fresh, j);
}

void lanes_block_shape(struct sched *s, struct cohort_queue *q, job_id j, enum wait_reason why)
{
    shape_id shape = job_facts(s, j)->ask->shape;
    for (uint32_t i = 0; i < q->n_lanes; i++) {
        struct cohort_lane *lane = &q->lane[i];
        line_blocked(s, lane->waiting, shape, why);
        if (q->all)
            line_skip_shape(&lane->walk, shape);
        if (lane->met != ID_NONE && job_facts(s, lane->met)->ask->shape == shape)
            lane->met = ID_NONE;
    }
}

/* ---- Which goes first ---- */

enum from { FROM_WAITING, FROM_FRESH, FROM_WALK };

/* The next of the lane; ID_NONE: it has no more. */
static job_id next_of(struct cohort_lane *lane, enum from from)
{
    job_id j;
    if (from != FROM_WALK)
        return line_first(from == FROM_FRESH ? lane->fresh : lane->waiting, &j, NULL) ? j : ID_NONE;
    if (lane->met == ID_NONE && line_next(&lane->walk, &j))
        lane->met = j;
    return lane->met;
}

static struct cohort_workload *workload_of(struct sched *s, job_id j)
{
    return &((struct entrant *)job_own(s, j))->as;
}

/* Of lanes that have used less than `bound`, if there is one. */
static job_id first_of(struct sched *s, const struct cohort *c, const struct cohort_queue *q,
                       enum from from, const struct cohort_lane *bound)
{
    struct cohort_lane *best = NULL;
    job_id first = ID_NONE;
    for (uint32_t i = 0; i < q->n_lanes; i++) {
        struct cohort_lane *lane = &q->lane[i];
        job_id j = !bound || by_use(s, c, q, lane, bound) < 0 ? next_of(lane, from) : ID_NONE;
        if (j == ID_NONE)
            continue;
        int used = best ? by_use(s, c, q, lane, best) : -1;
        if (used > 0 || (used == 0 && cohort_compare_by_age(workload_of(s, j),
                                                            workload_of(s, first)) > 0))
            continue;
        best = lane;
        first = j;
    }
    if (best && from == FROM_WALK)
        best->met = ID_NONE;
    return first;
}

job_id lanes_first(struct sched *s, const struct cohort *c, const struct cohort_queue *q)
{
    return first_of(s, c, q, FROM_WAITING, NULL);
}

job_id lanes_next(struct sched *s, const struct cohort *c, struct cohort_queue *q)
{
    return first_of(s, c, q, q->all ? FROM_WALK : FROM_FRESH, NULL);
}

job_id lanes_before(struct sched *s, const struct cohort *c, struct cohort_queue *q, bool strict)
{
    const struct cohort_lane *of = c->lane[job_facts(s, q->preemptor)->queue];
    bool stays = !strict && q->head != ID_NONE && q->head != q->preemptor;
    if (!q->by_use || stays)
        return stays ? q->head : q->preemptor;
    job_id j = first_of(s, c, q, strict ? FROM_WAITING : q->all ? FROM_WALK : FROM_FRESH, of);
    return j == ID_NONE ? q->preemptor : j;
}

/* ---- Time ---- */

/* When a lane with waiting jobs comes to go before that of the head. */
static int64_t flip_ns(struct sched *s, const struct cohort *c, const struct cohort_queue *q)
{
    const struct cohort_lane *first = c->lane[job_facts(s, q->head)->queue];
    int64_t at = INT64_MAX;
    for (uint32_t i = 0; i < q->n_lanes; i++)
        if (&q->lane[i] != first && line_length(q->lane[i].waiting))
            at = min_i64(at, cohort_usage_flip_ns(&first->usage, &q->lane[i].usage, sched_now(s),
                                                  half_life_s(c)));
    return at;
}

/* At whole seconds, so that rounding wakes it once. */
void lanes_wake_at_flip(struct sched *s, struct cohort *c)
{
    for (uint32_t i = 0; i < c->n_busy; i++) {
        const struct cohort_queue *q = &c->queue[c->busy[i]];
        if (!q->by_use || !cohort_is_strict(c, c->busy[i]) || q->head == ID_NONE)
            continue;
        int64_t at = flip_ns(s, c, q);
        if (at < INT64_MAX - NS_PER_S)
            sched_wake_at(s, (at / NS_PER_S + 1) * NS_PER_S);
    }
}
