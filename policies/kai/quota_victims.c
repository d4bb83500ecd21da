/* quota_victims.c - whom a search may evict, the worst first: jobs by queue and age, elastic ones task by task.
 *
 * After NVIDIA/KAI-Scheduler:pkg/scheduler/actions/{reclaim,preempt,consolidation} (who may be one) and plugins/minruntime (who is
 * protected). Who would be the worst of each leaf, and of all, is kept from search to search; what one search takes, it takes from a
 * copy of that order. */
#include "policies/kai/quota_search.h"

/* Minimum run time, 0 where nobody says. The victim's queue and up, or (reclaim) from just below the queue that both share; if they share
 * none, of the victim's top queue only. NVIDIA/KAI-Scheduler:pkg/scheduler/plugins/minruntime/resolver.go. */
static int64_t min_runtime_ns(const struct quota_state *q, const struct sched *s, const struct search *x, queue_id victim)
{
    bool reclaim = x->action == RECLAIM;
    queue_id from = victim;
    if (reclaim && (int)q->params->min_runtime_of == RUNTIME_OF_ANCESTOR) {
        queue_id below = victim;
        for (from = victim; from != ID_NONE; below = from, from = q->queue[from].parent) {
            queue_id up = job_facts(s, x->job)->queue;
            while (up != ID_NONE && up != from)
                up = q->queue[up].parent;
            if (up == from)
                break;
        }
        from = below;
    }
    for (; from != ID_NONE; from = q->queue[from].parent) {
        const struct queue_facts *f = queue_facts(s, from);
        int64_t ns = reclaim ? f->reclaim_min_runtime_ns : f->preempt_min_runtime_ns;
        if (ns >= 0)
            return ns;
    }
    return 0;
}

bool search_protects(const struct quota_state *q, const struct sched *s, const struct search *x, job_id v)
{
    if (x->action == CONSOLIDATION || !(x->action == RECLAIM ? q->protects : q->protects_within))
        return false;
    int64_t since = job_last_start_ns(s, v);
    return since != -1 && sched_now(s) < since + min_runtime_ns(q, s, x, job_facts(s, v)->queue);
}

/* What somebody holds goes in a pass that acts on his leaf, and until he has left it counts as such; else he holds something. */
static bool may_be_victim(struct sched *s, const struct quota_state *q, const struct search *x, const struct leaf *l, const struct late *v)
{
    if (v->job == x->job || quota_has_had_turn(s, q, l, v->job) || (l->acted == q->pass && !job_placement(s, v->job)))
        return false;
    return v->surplus || !search_protects(q, s, x, v->job);
}

/* Of this leaf something might be taken for good, not only moved. */
static bool may_be_taken_from(struct sched *s, struct quota_state *q, const struct search *x, queue_id leaf)
{
    static const struct quota_amount nothing;
    const struct job_facts *f = job_facts(s, x->job);
    struct quota_scenario scenario;
    quota_divide_now(s, q);
    quota_scenario_begin(&scenario, q->queue, q->loss, f->queue, &x->wanted.amount, !f->preemptible, q->params->saturation);
    bool may = quota_scenario_take(&scenario, leaf, &nothing);
    quota_scenario_end(&scenario);
    return may;
}

static bool is_victim_leaf(const struct sched *s, const struct search *x, queue_id leaf)
{
    return x->action == CONSOLIDATION || (x->action == RECLAIM) == (leaf != job_facts(s, x->job)->queue);
}

/* The next job from the end of the leaf's line that may be one. NULL: no more. */
static const struct late *next_of_line(struct sched *s, const struct quota_state *q, const struct search *x, queue_id leaf, size_t *k)
{
    for (const struct late *v; (v = leaf_late(s, &q->leaf[leaf], *k)); ++*k) {
        if (x->action == PREEMPT && -v->key.major >= job_facts(s, x->job)->priority)
            return NULL;
        if (may_be_victim(s, q, x, &q->leaf[leaf], v))
            return v;
    }
    return NULL;
}

/* What the search has taken of it so far. */
static struct leaf_victims *victims_of(struct sched *s, const struct quota_state *q, struct search *x, queue_id leaf)
{
    struct leaf_victims *l = &x->leaf[leaf];
    if (l->stamp == x->stamp)
        return l;
    *l = (struct leaf_victims){ .stamp = x->stamp };
    l->next = next_of_line(s, q, x, leaf, &l->at);
    return l;
}

/* Of the leaf: the best of who comes again; n_back: none that is worse than the next of the line. */
static size_t back_victim(const struct search *x, queue_id leaf)
{
    const struct late *next = x->leaf[leaf].next;
    size_t best = x->n_back;
    for (size_t i = 0; i < x->n_back; i++) {
        const struct victim *v = &x->victim[x->back[i].victim];
        if (v->leaf != leaf)
            continue;
        bool first = best == x->n_back && !next;
        if (first || line_key_before(best < x->n_back ? x->back[best].key : next->key,
                                best < x->n_back ? x->victim[x->back[best].victim].job : next->job, x->back[i].key, v->job))
            best = i;
    }
    return best;
}

/* What the leaf would have lost with its next one. false: it has no more. */
static bool leaf_next(struct sched *s, const struct quota_state *q, struct search *x, queue_id leaf, struct quota_amount *sum)
{
    const struct leaf_victims *l = victims_of(s, q, x, leaf);
    size_t again = back_victim(x, leaf);
    if (again == x->n_back && !l->next)
        return false;
    job_id v = again < x->n_back ? x->victim[x->back[again].victim].job : ID_NONE;
    *sum = v == ID_NONE ? l->next->holds : quota_of_placement(s, v, job_placement(s, v));
    *sum = quota_sum(sum, &l->taken);
    return true;
}

/* The next potential victim of all: one more unit. */
bool search_next_victim(struct sched *s, struct quota_state *q, struct search *x, uint32_t *unit)
{
    double most = x->moves_only ? q->params->consolidation_victims : q->params->victims;
    for (queue_id leaf; (leaf = order_top(&q->victims)) != ID_NONE;) {
        struct leaf_victims *l = victims_of(s, q, x, leaf);
        size_t again = back_victim(x, leaf);
        uint32_t which;
        if (again < x->n_back) {
            which = x->back[again].victim;
            x->back[again] = x->back[--x->n_back];
        } else {
            if (most >= 0 && (double)x->n_victims > most)    /* the comparison of the original lets one more through */
                return false;
            which = (uint32_t)x->n_victims;
            x->victim = array_grown(sched_alloc, s, x->victim, &x->victim_capacity, x->n_victims, sizeof *x->victim);
            x->victim[x->n_victims++] = (struct victim){ l->next->job, leaf, ID_NONE, l->next };
            l->at++;
            l->next = next_of_line(s, q, x, leaf, &l->at);
        }
        struct quota_amount lost;
        bool taken = search_take_unit(s, q, x, which, &lost);
        l->taken = quota_sum(&l->taken, &lost);
        struct quota_amount sum;
        bool more = leaf_next(s, q, x, leaf, &sum);
        order_set(&q->victims, leaf, more ? &sum : NULL);
        if (taken) {
            *unit = (uint32_t)x->n_units - 1;
            return true;
        }
    }
    return false;
}

/* In the end the rules decide whom it hits; but where nobody at all can be taken from, there is nothing to search. */
bool search_gives(struct sched *s, struct quota_state *q, struct search *x)
{
    for (queue_id i = 0; i < q->n_queues; i++)
        if (line_length(q->leaf[i].running) > 0 && is_victim_leaf(s, x, i) && may_be_taken_from(s, q, x, i))
            return true;
    return false;
}

/* The order as if all who run could be victims. */
static void order_the_worst(struct sched *s, struct quota_state *q)
{
    for (size_t k = 0; k < q->n_anew; k++)
        q->worst.node[q->anew[k]].stands = false;
    while (q->n_anew) {
        queue_id i = q->anew[--q->n_anew];
        q->leaf[i].stands_anew = false;
        if (q->queue[i].first_child != ID_NONE) {
            order_anew(&q->worst, i);
        } else {
            const struct late *worst = leaf_late(s, &q->leaf[i], 0);
            order_set(&q->worst, i, worst ? &worst->holds : NULL);
        }
    }
}

/* The worst of the leaf is not who could be, for this search. */
static void correct(struct sched *s, struct quota_state *q, struct search *x, queue_id leaf)
{
    struct quota_amount sum;
    if (is_victim_leaf(s, x, leaf) && line_length(q->leaf[leaf].running) > 0 && victims_of(s, q, x, leaf)->at > 0)
        order_set(&q->victims, leaf, leaf_next(s, q, x, leaf, &sum) ? &sum : NULL);
}

void search_victims(struct sched *s, struct quota_state *q, struct search *x)
{
    queue_id mine = x->job == ID_NONE ? ID_NONE : job_facts(s, x->job)->queue;
    x->stamp++;
    x->n_units = x->n_victims = x->n_back = x->n_links = x->tried = x->n_able = 0;
    x->freed_milli = 0;
    struct quota_amount sum;
    if (x->action == PREEMPT) {
        order_begin(&q->victims);
        if (line_length(q->leaf[mine].running) > 0 && leaf_next(s, q, x, mine, &sum))
            order_set(&q->victims, mine, &sum);
        return;
    }
    order_the_worst(s, q);
    order_copy(&q->victims, &q->worst);
    if (x->action == RECLAIM)
        order_set(&q->victims, mine, NULL);
    bool all = x->action == RECLAIM && q->protects;
    for (queue_id i = 0; i < (all ? q->n_queues : q->n_acted); i++)
        correct(s, q, x, all ? i : q->acted[i]);
    if (mine != ID_NONE)
        correct(s, q, x, mine);
}
