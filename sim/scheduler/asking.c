/* asking.c - asking a placer, domain by domain where the request wants one. See placing.h. */
#include "sim/scheduler/placing.h"
#include "sim/scheduler/domain_walk.h"
#include "sim/scheduler/closed/reserved.h"
#include "sim/scheduler/timeline.h"

struct placing_answer placing_keep(const struct sched *s)
{
    return (struct placing_answer){ s->placing->random, s->placing->why_not };
}

void placing_put_back(struct sched *s, struct placing_answer kept)
{
    s->placing->random = kept.random;
    s->placing->why_not = kept.why_not;
}

enum place_result placing_here(struct sched *s, struct view *v, const struct request *r)
{
    struct builder *b = builder_begin(s, v, r);
    b->asked = !r->next;
    enum place_result result = s->setup.placer->place(b, r, s->placing->params);
    if (result != PLACED) {
        builder_rollback(b, 0);
        b->open = false;
    }
    return result;
}

static enum place_result place_confined(struct sched *s, struct view *v, const struct request *r, domain_id d,
                                        uint64_t only)
{
    free_index_confine(v, d, only);
    enum place_result result = placing_here(s, v, r);
    free_index_confine(v, 0, UINT64_MAX);
    return result;
}

/* Islands inside one node, or its NUMA nodes, from that of the lowest GPU on. Tried where it has as many free GPUs as needed. */
static enum place_result place_in_parts(struct sched *s, struct view *v, const struct request *r, node_id n,
                                        enum level level, uint32_t gpus)
{
    const struct node_type *t = cluster_node_type(v->cluster, n);
    enum place_result result = NO_TOPOLOGY;
    uint64_t left = t->gpus >= 64 ? UINT64_MAX : (UINT64_C(1) << t->gpus) - 1;
    for (uint64_t part; left && result != PLACED; left &= ~part) {
        part = node_type_part(t, level, (unsigned)__builtin_ctzll(left));
        if (r->gpu_milli < MILLI_ALL || (uint32_t)__builtin_popcountll(part & v->node[n].whole_mask) >= gpus)
            result = place_confined(s, v, r, v->cluster->n_domains + n, part);
    }
    return result;
}

/* The placer is asked in one domain of the level after the other. */
static enum place_result place_in_one(struct sched *s, struct view *v, const struct request *r, enum level level)
{
    uint32_t gpus = r->tasks == SPLIT_ANY ? r->gpus : r->gpus * r->tasks;
    struct domain_walk w = { .v = v, .r = r, .level = level, .tightest = s->setup.placer->needs & TIGHTEST_DOMAINS };
    enum place_result result = NO_TOPOLOGY;
    for (domain_id d; result != PLACED && domain_walk_next(&w, &d);) {
        node_id first, end;
        view_domain_nodes(v, d, &first, &end);
        bool inside = cluster_level_inside(v->cluster, first, level);
        result = inside ? place_in_parts(s, v, r, first, level, gpus) : place_confined(s, v, r, d, UINT64_MAX);
    }
    return result == PLACED ? PLACED : NO_TOPOLOGY;
}

static enum place_result place_at_levels(struct sched *s, struct view *v, const struct request *r)
{
    enum level widest = r->required_level;
    if (s->setup.placer->needs & CHOOSES_DOMAINS && widest >= LEVEL_NODE && r->preferred_level >= LEVEL_NODE)
        return placing_here(s, v, r);
    for (enum level l = r->preferred_level; level_lies_in(l, widest); l = cluster_level_outwards(v->cluster, l))
        if (place_in_one(s, v, r, l) == PLACED)
            return PLACED;
    return widest < LEVEL_CLUSTER ? place_in_one(s, v, r, widest) : placing_here(s, v, r);
}

static enum place_result place_anywhere(struct sched *s, struct view *v, const struct request *r)
{
    if (!group_places_wanted(s, r))
        return place_at_levels(s, v, r);
    return group_places_are_sets(s, r) ? group_places_sets(s, v, r) : group_places(s, v, r);
}

/* NO_POWER: it would be placed if there were no power caps. */
static enum place_result place_within_caps(struct sched *s, struct view *v, const struct request *r)
{
    struct headroom *h = v->headroom;
    if (!view_lacks_power(v, r) && place_anywhere(s, v, r) == PLACED)
        return PLACED;
    struct random before = s->placing->random;
    v->headroom = NULL;
    enum place_result uncapped = place_anywhere(s, v, r);
    if (uncapped == PLACED)
        builder_take(&s->placing->builder);
    v->headroom = h;
    s->placing->random = before;
    return uncapped == PLACED ? NO_POWER : uncapped;
}

const struct placer *sched_placer(const struct sched *s, const void **params)
{
    *params = s->placing->params;
    return s->setup.placer;
}

static enum place_result answer(struct sched *s, struct view *v, const struct request *r)
{
    if (placing_lacks(v, r))
        return group_places_type(s, r) ? NO_ROOM : NO_TYPE;
    return v->headroom ? place_within_caps(s, v, r) : place_anywhere(s, v, r);
}

/* NO_RESERVED: it would be placed if there were no reservations. */
static enum place_result answer_if_open(struct sched *s, struct view *v, const struct request *r)
{
    const struct shape_kinds *left = v->shape;
    struct random before = s->placing->random;
    free_index_set_shapes(v, s->placing->kinds);
    enum place_result open = answer(s, v, r);
    if (open == PLACED)
        builder_take(&s->placing->builder);
    free_index_set_shapes(v, left);
    s->placing->random = before;
    return open == PLACED ? NO_RESERVED : open;
}

const struct placement *placing_whatever_limit(struct sched *s, const struct view *v, const struct request *r)
{
    struct view *in = view_of(s, v);
    uint64_t version = in->version;
    const struct placement *where;
    if (placing_has_one_answer(s, in, r, &where))
        return where;
    enum place_result why = answer(s, in, r);
    if (why != PLACED && reserved_withholds(s, in, r))
        why = answer_if_open(s, in, r);
    s->placing->why_not = why;
    const struct placement *p = why == PLACED ? builder_take(&s->placing->builder) : NULL;
    in->version = version;        /* all that was tried has been given back */
    return p;
}

static bool over_limit(const struct sched *s, shape_id shape, struct amount more)
{
    queue_id q = s->workload->shape[shape].limited;
    return q != ID_NONE && queue_over_limit(s, q, more);
}

bool request_over_limit(const struct sched *s, const struct request *r)
{
    return over_limit(s, r->shape, request_amount(r));
}

bool placing_limit_binds(struct sched *s, shape_id shape, struct amount more)
{
    if (s->force->needs & TESTS_LIMITS || !over_limit(s, shape, more))
        return false;
    s->placing->why_not = NO_LIMIT;
    return true;
}

const struct placement *sched_place(struct sched *s, const struct view *v, const struct request *r)
{
    return placing_limit_binds(s, r->shape, request_amount(r)) ? NULL : placing_whatever_limit(s, v, r);
}

enum wait_reason sched_why_not(const struct sched *s)
{
    static const uint8_t reason[] = { [PLACED] = WAIT_OTHER, [NO_ROOM] = WAIT_GPUS, [NO_ROOM_FRAGMENTED] = WAIT_FRAGMENTED,
                                      [NO_TOPOLOGY] = WAIT_TOPOLOGY, [NO_TYPE] = WAIT_TYPE, [NO_POWER] = WAIT_POWER, [NO_LIMIT] = WAIT_LIMIT,
                                      [NO_RESERVED] = WAIT_RESERVATION };
    return reason[s->placing->why_not];
}
