/* beside.c - see beside.h. */
#include "policies/common/beside.h"

#include <string.h>

enum { HARD_WEIGHT = 1 }; /* of a required affinity term of another pod */

struct beside_room beside_room(struct sched *s, node_id n_nodes)
{
    bool *both = sched_alloc(s, 2 * n_nodes * sizeof *both);
    return (struct beside_room){ both, both + n_nodes };
}

const struct pod_rules *beside_rules(const struct sched *s, job_id j)
{
    static const struct pod_rules nothing = { .labels = "" };
    const struct pod_rules *r = job_pods(s, j);
    return r ? r : &nothing;
}

bool beside_within(const struct pod_term *t, node_id a, node_id b)
{
    return t->domain[a] != ID_NONE && t->domain[a] == t->domain[b];
}

/* ---- Filter ---- */

/* All required terms of affinity mean pods with these labels. */
static bool all_mean(const struct pod_rules *r, const char *labels)
{
    bool all = true;
    for (uint32_t i = 0; i < r->n[POD_AFFINITY] && all; i++)
        all =
            r->term[POD_AFFINITY][i].weight || pod_matches(r->term[POD_AFFINITY][i].needs, labels);
    return all;
}

static bool has_keys(const struct pod_rules *r, node_id n)
{
    bool keys = true;
    for (uint32_t i = 0; i < r->n[POD_AFFINITY]; i++)
        keys &= r->term[POD_AFFINITY][i].weight || r->term[POD_AFFINITY][i].domain[n] != ID_NONE;
    return keys;
}

static void bar_apart(struct beside_room room, const struct pod_rules *r, struct pod_walk all,
                      node_id n_nodes, uint8_t *bars)
{
    bool any = false, required = false;
    if (!r->n[POD_AFFINITY])
        return;
    memset(room.together, true, n_nodes * sizeof *room.together);
    for (uint32_t i = 0; i < r->n[POD_AFFINITY]; i++) {
        const struct pod_term *t = &r->term[POD_AFFINITY][i];
        struct pod_walk w = all;
        if (t->weight)
            continue;
        required = true;
        memset(room.beside, 0, n_nodes * sizeof *room.beside);
        for (struct pod_there p; w.next(&w, &p);)
            if (t->domain[p.node] != ID_NONE && all_mean(r, p.rules->labels))
                any = room.beside[t->domain[p.node]] = true;
        for (node_id n = 0; n < n_nodes; n++)
            room.together[n] &= t->domain[n] != ID_NONE && room.beside[t->domain[n]];
    }
    bool first = required && !any && all_mean(r, r->labels);
    for (node_id n = 0; n < n_nodes && required; n++)
        bars[n] |= (first ? has_keys(r, n) : room.together[n]) ? 0 : BARRED_FOR_GOOD;
}

static void bar_domain(const struct pod_term *t, node_id around, node_id n_nodes, uint8_t *bars)
{
    for (node_id n = 0; n < n_nodes; n++)
        bars[n] |= beside_within(t, n, around) ? BARRED : 0;
}

/* Around a pod there, by the required terms of one that mean the other. */
static void bar_terms(const struct pod_rules *says, const struct pod_rules *of, node_id around,
                      node_id n_nodes, uint8_t *bars)
{
    for (uint32_t i = 0; i < says->n[POD_ANTI_AFFINITY]; i++) {
        const struct pod_term *t = &says->term[POD_ANTI_AFFINITY][i];
        if (!t->weight && pod_matches(t->needs, of->labels))
            bar_domain(t, around, n_nodes, bars);
    }
}

void beside_filter(struct beside_room room, const struct pod_rules *r, struct pod_walk all,
                   node_id n_nodes, uint8_t *bars)
{
    bar_apart(room, r, all, n_nodes, bars);
    for (struct pod_there p; all.next(&all, &p);) {
        bar_terms(r, p.rules, p.node, n_nodes, bars);
        bar_terms(p.rules, r, p.node, n_nodes, bars);
    }
}

/* ---- Score ---- */

static void add_around(const struct pod_term *t, node_id around, int64_t weight, node_id n_nodes,
                       int64_t *score)
{
    for (node_id n = 0; n < n_nodes && weight; n++)
        score[n] += beside_within(t, n, around) ? weight : 0;
}

void beside_score(const struct pod_rules *r, struct pod_walk all, node_id n_nodes, int64_t *score)
{
    for (struct pod_there p; all.next(&all, &p);)
        for (enum pod_terms kind = POD_AFFINITY; kind <= POD_ANTI_AFFINITY; kind++) {
            int sign = kind == POD_AFFINITY ? 1 : -1;
            for (uint32_t i = 0; i < r->n[kind]; i++)
                if (pod_matches(r->term[kind][i].needs, p.rules->labels))
                    add_around(&r->term[kind][i], p.node, sign * r->term[kind][i].weight, n_nodes,
                               score);
            for (uint32_t i = 0; i < p.rules->n[kind]; i++) {
                const struct pod_term *t = &p.rules->term[kind][i];
                int32_t hard = kind == POD_AFFINITY ? HARD_WEIGHT : 0;
                if (pod_matches(t->needs, r->labels))
                    add_around(t, p.node, t->weight ? sign * t->weight : hard, n_nodes, score);
            }
        }
}
