/* ahead.c - the first victim that helps a reclaim, without a walk to it.
 *
 * While no node with potential victims comes to hold one more task, no scenario is tried. Where the
 * task is wide that goes for most victims: hundreds of small jobs come before the first that
 * leaves enough on some node. Where leaves are siblings, the place of a victim in the order follows
 * from what its own leaf has lost with it, whatever the others lose: the more, the later. So leaves
 * are read one by one, each as far as its victims come before the first that is known to help, and
 * the milli-GPUs of each node are added up.
 *
 * A node helps from the first of its victims on with which, in the order, it has enough. Of all
 * that the walk would have found by then, a scenario needs only the units with tasks on nodes of
 * the one that helps. If its scenarios fail, the next victim for which the walk could try any lies on a
 * node that has enough, or beside a victim that lies on such a node, too: those that have been read are
 * gathered once, in a heap, and others join them as they are read; so are the leaves that came too late, as it is
 * these that have to be read on. Elastic jobs, protected ones and trees of queues are left to the walk. See
 * search.h.
 *
 * What is free on a node is looked up only when so much comes back there that it might be enough with as many GPUs
 * as are free on any node.
 *
 * For the next task of the same job the order is the same, and what was read is kept: only nodes on
 * which units have been recorded since, or no longer are, count anew, and leaves are read on from
 * where they were left. */
#include "policies/kai/search/ahead.h"

static struct ahead *ahead_of(struct sched *s, const struct quota_state *q, struct search *x)
{
    if (x->ahead)
        return x->ahead;
    node_id first, end;
    view_domain_nodes(sched_view(s, FREE_IDLE), 0, &first, &end);
    struct ahead *a = x->ahead = sched_alloc(s, sizeof *a);
    a->node = sched_alloc(s, end * sizeof *a->node);
    a->begun = sched_alloc(s, end * sizeof *a->begun);
    a->wanted = sched_alloc(s, end * sizeof *a->wanted);
    a->want_node = sched_alloc(s, end * sizeof *a->want_node);
    a->reading = sched_alloc(s, q->n_queues * sizeof *a->reading);
    return a;
}

static void begin_anew(struct sched *s, const struct quota_state *q, const struct search *x,
                       struct ahead *a)
{
    a->free = sched_view(s, FREE_OR_RELEASING);
    a->most = (size_t)q->params->victims + 1;
    a->search = x->number;
    a->run = x->run;
    a->stamp++;
    a->n_begun = a->n_touched = a->n_pieces = a->n_seen = 0;
    a->first = a->failed = ID_NONE;
    ahead_lacks_begin(q, x, a);
}

/* ---- The next task ---- */

static void touch_recorded(struct sched *s, const struct search *x, struct ahead *a)
{
    a->n_touched = 0;
    for (size_t i = 0; i < x->n_recorded; i++)
        for (uint32_t k = 0; k < x->recorded[i].n; k++) {
            node_id node = x->recorded[i].piece[k].node;
            a->touched = array_grown(sched_alloc, s, a->touched, &a->touched_capacity,
                                     a->n_touched, sizeof *a->touched);
            if (a->node[node].stamp == a->stamp)
                a->touched[a->n_touched++] = node;
        }
}

/* What it lacks, and which of its victims are recorded, as of now. */
static void settle_touched(struct sched *s, const struct quota_state *q, const struct search *x,
                           struct ahead *a)
{
    for (size_t i = 0; i < a->n_touched; i++) {
        struct ahead_node *n = &a->node[a->touched[i]];
        n->lacks = ahead_lacks_at_first(s, x, a, a->touched[i]);
        n->sure = true;
        for (uint32_t p = n->first; p != ID_NONE; p = a->piece[p].next) {
            struct ahead_piece *v = &a->piece[p];
            v->recorded = search_has_recorded(x, ahead_candidate_of(q, v)->job);
            n->lacks -= v->recorded ? 0 : (int32_t)v->milli;
        }
    }
}

/* The same search, with other recorded units. */
static void go_on(struct sched *s, const struct quota_state *q, const struct search *x,
                  struct ahead *a)
{
    settle_touched(s, q, x, a);
    touch_recorded(s, x, a);
    settle_touched(s, q, x, a);
    a->first = a->failed = ID_NONE;
    for (size_t i = 0; i < a->n_begun; i++)
        if (ahead_has_enough(a, a->begun[i]))
            ahead_help_from(s, x, a, &a->node[a->begun[i]]);
}

/* ---- What a scenario needs ---- */

static void want_node(struct ahead *a, node_id node)
{
    if (a->wanted[node] != a->want)
        a->want_node[a->n_want++] = node;
    a->wanted[node] = a->want;
}

static void want_nodes_of(struct ahead *a, const struct placement *has)
{
    for (size_t i = 0; i < has->n; i++)
        want_node(a, has->piece[i].node);
}

static bool is_taken(const struct search *x, const struct ahead *a, uint32_t p)
{
    return !a->piece[p].recorded && !ahead_before(x, a, a->first, p);
}

/* The nodes of the first that helps; of those that lie there, too; and those of recorded units: which of
 * them has enough decides what is tried. */
static void want_nodes(const struct quota_state *q, const struct search *x, struct ahead *a)
{
    a->want++;
    a->n_want = 0;
    want_nodes_of(a, ahead_candidate_of(q, &a->piece[a->first])->has);
    size_t n = a->n_want;
    for (size_t i = 0; i < n; i++)
        for (uint32_t p = a->node[a->want_node[i]].first; p != ID_NONE; p = a->piece[p].next)
            if (a->piece[p].several && is_taken(x, a, p))
                want_nodes_of(a, ahead_candidate_of(q, &a->piece[p])->has);
    for (size_t i = 0; i < x->n_recorded; i++)
        want_node(a, x->recorded[i].piece[0].node);
}

/* Victims up to the first that helps with tasks on such nodes: their units, in the order. */
static void take_victims(struct sched *s, struct quota_state *q, struct search *x,
                         struct ahead *a)
{
    want_nodes(q, x, a);
    a->n_sorted = 0;
    for (size_t i = 0; i < a->n_want; i++) {
        const struct ahead_node *at = &a->node[a->want_node[i]];
        for (uint32_t p = at->stamp == a->stamp ? at->first : ID_NONE; p != ID_NONE;
             p = a->piece[p].next)
            if (is_taken(x, a, p))
                ahead_sort_in(s, x, a, p);
    }
    for (size_t i = 0; i < a->n_sorted; i++) {
        const struct ahead_piece *v = &a->piece[a->sorted[i]];
        if (i > 0 && ahead_same_victim(v, &a->piece[a->sorted[i - 1]]))
            continue;              /* it lies on several of them */
        struct quota_amount popped;
        uint32_t which = search_add_victim(s, x, v->leaf, ahead_candidate_of(q, v));
        (void)search_take_unit(s, q, x, which, &popped);
    }
}

/* All up to the first that helps are read, if that is known, and its units taken. */
static enum ahead_answer take_first(struct sched *s, struct quota_state *q, struct search *x,
                                    struct ahead *a, bool known, job_id *victim)
{
    if (!known) {
        a->search = 0;
        return AHEAD_UNKNOWN;
    }
    touch_recorded(s, x, a);
    if (a->first == ID_NONE)
        return AHEAD_NONE;
    *victim = ahead_candidate_of(q, &a->piece[a->first])->job;
    take_victims(s, q, x, a);
    return AHEAD_FOUND;
}

enum ahead_answer search_ahead_next(struct sched *s, struct quota_state *q, struct search *x,
                                    job_id *victim)
{
    struct ahead *a = x->ahead;
    bool all = false;              /* every victim may lead to scenarios */
    for (size_t i = 0; i < x->n_recorded; i++)
        all = all || ahead_has_enough(a, x->recorded[i].piece[0].node);
    search_units_begin(x);
    if (!all && a->failed == ID_NONE)
        ahead_gather_read(s, q, x, a);
    else if (!all)
        ahead_gather_next(x, a);
    enum ahead_answer next = all ? AHEAD_UNKNOWN : take_first(s, q, x, a, ahead_read_more(s, q, x, a), victim);
    if (next == AHEAD_UNKNOWN)
        search_victims(s, q, x);
    return next;
}

static enum ahead_answer look_ahead(struct sched *s, struct quota_state *q, struct search *x,
                                    job_id *victim)
{
    /* any victim makes room for a task of one GPU: the walk comes to each as soon */
    if (x->action != RECLAIM || x->moves_only || !x->lacks || q->protects ||
        x->task_milli <= MILLI_ALL || !order_is_flat(x->order))
        return AHEAD_UNKNOWN;
    struct ahead *a = ahead_of(s, q, x);
    if (a->search == x->number && a->run == x->run)
        go_on(s, q, x, a);
    else
        begin_anew(s, q, x, a);
    return take_first(s, q, x, a, ahead_read_leaves(s, q, x, a), victim);
}

/* For tests: the victim with which the walk finds the first node that has enough; ID_NONE: none. */
static job_id first_by_walk(struct sched *s, struct quota_state *q, struct search *x)
{
    job_id found = ID_NONE;
    for (uint32_t u; found == ID_NONE && search_next_victim(s, q, x, &u);)
        found = x->n_able ? x->unit[u].job : ID_NONE;
    search_victims(s, q, x);
    return found;
}

enum ahead_answer search_ahead(struct sched *s, struct quota_state *q, struct search *x,
                               job_id *victim)
{
    job_id walked = x->doubts ? first_by_walk(s, q, x) : ID_NONE;
    enum ahead_answer ahead = look_ahead(s, q, x, victim);
    if (x->doubts && ahead != AHEAD_UNKNOWN) {
        x->n_ahead++;
        x->n_wrong += walked != (ahead == AHEAD_FOUND ? *victim : ID_NONE);
    }
    return ahead;
}
