/* search.c - scenarios, and the search through them. See search.h. */
#include "policies/kai/jobs/reasons.h"
#include "policies/kai/search/search.h"

#include <stdlib.h>
#include <string.h>

struct search *search_begin(struct sched *s, struct quota_state *q)
{
    if (q->search)
        return q->search;
    struct search *x = q->search = sched_alloc(s, sizeof *x);
    node_id first, end;
    view_domain_nodes(sched_view(s, FREE_IDLE), 0, &first, &end);
    x->node = sched_alloc(s, end * sizeof *x->node);
    x->leaf = sched_alloc(s, q->n_queues * sizeof *x->leaf);
    x->leaving = sched_alloc(s, end * sizeof *x->leaving);
    x->contender = sched_alloc(s, q->n_queues * sizeof *x->contender);
    x->losing = sched_alloc(s, q->n_queues * sizeof *x->losing);
    order_walk_new(s, &x->walk, q);
    return x;
}

/* ---- A scenario: units leave, the job is placed, victims that fit are reinstated ---- */

static void choose(struct sched *s, struct search *x, const struct unit *u)
{
    x->chosen =
        array_grown(sched_alloc, s, x->chosen, &x->chosen_capacity, x->n_chosen, sizeof *x->chosen);
    x->chosen[x->n_chosen++] = u;
}

const struct placement *search_pieces(struct sched *s, const struct piece *piece, uint32_t n)
{
    struct placement *p = sched_scratch(s, sizeof *p + n * sizeof p->piece[0]);
    p->n = n;
    memcpy(p->piece, piece, n * sizeof *piece);
    return p;
}

uint32_t search_first_evicted(struct sched *s, const struct search *x, job_id j)
{
    const struct quota_job *own = job_own(s, j);
    return own->scenario == x->scenario ? own->evicted : ID_NONE;
}

static void note_evicted(struct sched *s, struct search *x, const struct unit *u,
                         const struct piece *p)
{
    struct quota_job *own = job_own(s, u->job);
    uint32_t next = search_first_evicted(s, x, u->job);
    x->evicted = array_grown(sched_alloc, s, x->evicted, &x->evicted_capacity, x->n_evicted,
                             sizeof *x->evicted);
    x->evicted[x->n_evicted] =
        (struct evicted){ u->job, u->leaf, p->task, next, p->node, ID_NONE, p->gpus,
                            FATE_LOST };
    own->scenario = x->scenario;
    own->evicted = (uint32_t)x->n_evicted++;
}

/* The shares of their leaves. Those of one leaf mostly stand together. */
static void refresh_chosen(struct sched *s, struct quota_state *q, const struct search *x)
{
    for (size_t i = 0; i < x->n_chosen; i++)
        if (i == 0 || x->chosen[i]->leaf != x->chosen[i - 1]->leaf)
            quota_refresh(s, q, x->chosen[i]->leaf);
}

static void note_chosen(struct sched *s, struct search *x)
{
    x->n_evicted = 0;
    for (size_t i = 0; i < x->n_chosen; i++)
        for (uint32_t k = 0; k < x->chosen[i]->n; k++)
            note_evicted(s, x, x->chosen[i], &x->chosen[i]->piece[k]);
}

static bool evict_chosen(struct sched *s, struct quota_state *q, struct search *x)
{
    for (size_t i = 0; i < x->n_chosen; i++) {
        const struct unit *u = x->chosen[i];
        x->losing[u->leaf].touched = q->pass;
        if (sched_tentative_remove(s, u->job, search_pieces(s, u->piece, u->n)) != SCHED_OK)
            return false;
    }
    refresh_chosen(s, q, x);
    return true;
}

struct evicted *search_evicted(struct sched *s, struct search *x, job_id j, uint32_t task)
{
    uint32_t i = search_first_evicted(s, x, j);
    while (i != ID_NONE && x->evicted[i].task != task)
        i = x->evicted[i].next_of_job;
    return i == ID_NONE ? NULL : &x->evicted[i];
}

/* ---- Whether the action allows what is lost ---- */

static bool reclaim_is_valid(struct sched *s, struct quota_state *q, struct search *x)
{
    const struct job_facts *f = job_facts(s, x->job);
    struct quota_scenario scenario;
    bool valid = true;
    quota_divide_now(s, q);
    quota_scenario_begin(&scenario, q->queue, q->loss, f->queue, &x->wanted.amount, !f->preemptible,
                         q->params->saturation);
    for (size_t i = 0; valid && i < x->n_chosen; i++) {
        const struct unit *u = x->chosen[i];
        uint32_t *task = sched_scratch(s, u->n * sizeof *task), n = 0;
        for (uint32_t k = 0; k < u->n; k++) {
            const struct evicted *e = search_evicted(s, x, u->job, u->piece[k].task);
            if (e->fate == FATE_LOST || (e->fate == FATE_MOVED && q->params->moves <= 0))
                task[n++] = e->task;
        }
        struct quota_amount lost = quota_of_tasks(s, u->job, task, n);
        valid = n == 0 || quota_scenario_take(&scenario, u->leaf, &lost);
    }
    valid = valid && quota_scenario_valid(&scenario);
    quota_scenario_end(&scenario);
    return valid;
}

static bool is_valid(struct sched *s, struct quota_state *q, struct search *x)
{
    if (x->action == RECLAIM)
        return reclaim_is_valid(s, q, x);
    for (size_t i = 0; x->action == CONSOLIDATION && i < x->n_evicted; i++)
        if (x->evicted[i].fate == FATE_LOST)
            return false;
    return true;
}

static void refresh_shares(struct sched *s, struct quota_state *q, const struct search *x)
{
    refresh_chosen(s, q, x);
    quota_refresh(s, q, job_facts(s, x->job)->queue);
}

enum outcome { NO_PLACE, NOT_VALID, SOLVED };

/* A scenario that is not tried. The rows of an instant in queues.csv come in the order in which the
 * books of queues were touched first and their standings looked at again: so those of its victims
 * are, as if it had been. placed: its job might have been placed, which touches those of its job, too;
 * if they are not touched yet it has to be tried: false. */
static bool leave_out(struct sched *s, struct quota_state *q, struct search *x, bool placed)
{
    bool touched = true;
    if (placed && x->losing[job_facts(s, x->job)->queue].touched != q->pass)
        return false;
    for (size_t i = 0; i < x->n_chosen && touched; i++)
        touched = x->losing[x->chosen[i]->leaf].touched == q->pass;
    for (size_t i = 0; i < x->n_chosen && touched; i++)
        for (queue_id up = x->chosen[i]->leaf; up != ID_NONE; up = q->queue[up].parent) {
            quota_standing_changed(q, up);
            quota_changed(q, up);
        }
    if (touched)
        return true;
    sched_mark_t before = sched_mark(s);
    (void)evict_chosen(s, q, x);
    sched_rollback(s, before);
    refresh_shares(s, q, x);
    return true;
}

/* The outcome that is counted is that of the scenario, which need not be tried. */
static bool take_count(struct sched *s, struct quota_state *q, struct search *x,
                       enum scenario_count count, enum outcome *outcome)
{
    bool solved = count == COUNT_ALL_LOST && is_valid(s, q, x);
    *outcome = solved ? SOLVED : NO_PLACE;
    if (count == COUNT_SAYS_NOTHING || (!solved && !leave_out(s, q, x, count == COUNT_ALL_LOST)))
        return false;
    for (size_t i = 0; solved && i < x->n_chosen; i++)
        x->losing[x->chosen[i]->leaf].touched = q->pass;
    if (solved)
        x->losing[job_facts(s, x->job)->queue].touched = q->pass;
    return true;
}

/* For tests: what was counted, and what has come of it. */
static void doubt_count(struct sched *s, struct search *x, enum scenario_count count, bool placed,
                        node_id counted)
{
    bool lost = placed;
    for (size_t i = 0; i < x->n_evicted; i++)
        lost = lost && x->evicted[i].fate == FATE_LOST;
    if (lost && job_facts(s, x->job)->ask->tasks != SPLIT_ANY)
        lost = x->placed[0].node == counted;
    x->n_counted += count != COUNT_SAYS_NOTHING;
    x->n_wrong += count == COUNT_NO_PLACE ? placed : count == COUNT_ALL_LOST && !lost;
}

/* Tries the chosen units, and rolls back. */
static enum outcome try_scenario(struct sched *s, struct quota_state *q, struct search *x,
                                 uint32_t tasks)
{
    x->scenario++;
    enum scenario_bound bound = scenario_bound(s, q, x, tasks);
    bool infeasible = bound != BOUND_SAYS_NOTHING;
    if (!x->doubts && (bound == BOUND_LACKS_NODES || (infeasible && leave_out(s, q, x, true))))
        return NO_PLACE;
    note_chosen(s, x);
    scenario_contenders(s, q, x, tasks);
    enum scenario_count count = scenario_count(s, q, x);
    enum outcome outcome;
    if (!x->doubts && take_count(s, q, x, count, &outcome))
        return outcome;
    node_id counted = x->placed[0].node;
    sched_mark_t before = sched_mark(s);
    size_t pods = quota_pods_mark(q);
    bool placed = evict_chosen(s, q, x) && scenario_place_again(s, q, x, tasks);
    sched_rollback(s, before);
    quota_pods_rollback(q, pods);
    refresh_shares(s, q, x);
    outcome = !placed ? NO_PLACE : is_valid(s, q, x) ? SOLVED : NOT_VALID;
    if (x->doubts)
        doubt_count(s, x, count, placed, counted);
    x->n_infeasible += infeasible;
    x->n_wrong += infeasible && outcome == SOLVED;
    x->n_failed += outcome != SOLVED;
    return outcome;
}

/* ---- Victim by victim, node by node ---- */

static bool node_could_do(struct sched *s, const struct search *x, node_id n)
{
    if (x->any_node && !x->lacks)
        return true;
    if (x->node[n].stamp == x->stamp)
        return x->node[n].able;
    if (x->lacks)
        return false;
    return !x->run || search_room_milli(s, x, n) >= x->task_milli;
}

static bool recorded_could_do(struct sched *s, const struct search *x)
{
    for (size_t i = 0; i < x->n_recorded; i++)
        if (node_could_do(s, x, x->recorded[i].piece[0].node))
            return true;
    return false;
}

/* Units of a job as they were found, surplus first: so they are taken. */
static void in_order(const struct unit **u, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const struct unit *other = u[i];
        u[i] = u[n - 1 - i];
        u[n - 1 - i] = other;
    }
}

/* Chooses the recorded units and all units of jobs with a task on n. false: no node can come to
 * have enough GPUs. */
static bool choose_from_node(struct sched *s, struct search *x, node_id n)
{
    bool could = x->recorded_could || recorded_could_do(s, x);
    size_t recorded = x->n_chosen = x->n_recorded;    /* they still stand there */
    if (x->node[n].stamp != x->stamp)
        return could;
    for (uint32_t i = x->node[n].first; i != ID_NONE; i = x->link[i].next) {
        bool seen = false;
        for (size_t k = recorded; k < x->n_chosen && !seen; k++)
            seen = x->chosen[k]->job == x->unit[x->link[i].unit].job;
        if (seen)
            continue;
        size_t first = x->n_chosen;
        for (uint32_t u = x->victim[x->unit[x->link[i].unit].victim].first_unit; u != ID_NONE;
             u = x->unit[u].next_of_job) {
            choose(s, x, &x->unit[u]);
            for (uint32_t k = 0; k < x->unit[u].n && !could; k++)
                could = node_could_do(s, x, x->unit[u].piece[k].node);
        }
        in_order(&x->chosen[first], x->n_chosen - first);
    }
    return could;
}

static int by_node(const void *a, const void *b)
{
    const node_id *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* What left in an earlier scenario of the same victim. */
struct left { const struct unit **unit; size_t n; };

/* The same units, in the same order, have left before: the scenario would end as that one did.
 * Else they are added. Most nodes of a large job hold nothing but it. */
static bool left_before(struct sched *s, const struct search *x, struct left *left, size_t *n)
{
    const struct unit **unit = x->chosen + x->n_recorded;
    size_t n_unit = x->n_chosen - x->n_recorded, bytes = n_unit * sizeof *unit;
    for (size_t i = *n; i-- > 0;)
        if (left[i].n == n_unit && memcmp(left[i].unit, unit, bytes) == 0)
            return true;
    left[*n] = (struct left){ sched_scratch(s, bytes + 1), n_unit };
    memcpy(left[(*n)++].unit, unit, bytes);
    return false;
}

static enum outcome try_nodes(struct sched *s, struct quota_state *q, struct search *x,
                              job_id victim, uint32_t tasks)
{
    const struct placement *has = quota_has(s, q, victim);
    node_id *node = sched_scratch(s, has->n * sizeof *node);
    for (size_t i = 0; i < has->n; i++)
        node[i] = has->piece[i].node;
    if (has->n > 1)
        qsort(node, has->n, sizeof *node, by_node);
    struct left *left = sched_scratch(s, has->n * sizeof *left);
    size_t n_left = 0;
    for (size_t i = 0; i < has->n; i++) {
        if ((i > 0 && node[i] == node[i - 1]) || !choose_from_node(s, x, node[i]) ||
            (has->n > 1 && left_before(s, x, left, &n_left)))
            continue;
        if (try_scenario(s, q, x, tasks) == SOLVED)
            return SOLVED;
    }
    return NO_PLACE;
}

/* A total needs room anywhere: all potential victims leave once that frees enough GPUs; if that
 * does not suffice, again when there are twice as many. */
static enum outcome try_total(struct sched *s, struct quota_state *q, struct search *x)
{
    const struct request *ask = quota_ask(s, q, x->job);
    int64_t free_milli =
        (int64_t)domain_free_gpus(sched_view(s, FREE_OR_RELEASING), 0, ask) * ask->gpu_milli;
    if (free_milli + x->freed_milli < x->task_milli || x->n_units < 2 * x->tried)
        return NO_PLACE;
    x->tried = x->n_units;
    x->n_chosen = 0;
    for (size_t i = 0; i < x->n_units; i++)
        choose(s, x, &x->unit[i]);
    return try_scenario(s, q, x, 1);
}

/* Makes room for the first `tasks` tasks. */
static bool solve(struct sched *s, struct quota_state *q, struct search *x, uint32_t tasks)
{
    x->n_chosen = 0;
    for (size_t i = 0; i < x->n_recorded; i++)
        choose(s, x, &x->recorded[i]);
    scenario_room_begin(s, x, tasks);
    x->lacks = x->room.lacks && x->room.fit < x->room.mine;
    if (x->n_recorded > 0 && !x->lacks && try_scenario(s, q, x, tasks) == SOLVED)
        return true;
    struct quota_amount mine = quota_of_tasks(s, x->job, x->wanted.task, tasks);
    x->any_node = !quota_has_capacity(s, q, job_facts(s, x->job), &mine, NULL) ||
                  (x->run && !search_lacks_nodes(s, x, tasks));
    search_victims(s, q, x);
    x->recorded_could = recorded_could_do(s, x);
    bool could = !x->lacks && (x->any_node || x->recorded_could);
    bool total = job_facts(s, x->job)->ask->tasks == SPLIT_ANY;
    job_id first;
    enum ahead_answer ahead = could ? AHEAD_UNKNOWN : search_ahead(s, q, x, &first);
    for (; ahead == AHEAD_FOUND; ahead = search_ahead_next(s, q, x, &first))
        if (try_nodes(s, q, x, first, tasks) == SOLVED)
            return true;
    for (uint32_t u; ahead != AHEAD_NONE && search_next_victim(s, q, x, &u);)
        if ((total                ? try_total(s, q, x)
             : could || x->n_able ? try_nodes(s, q, x, x->unit[u].job, tasks)
                                  : NO_PLACE) == SOLVED)
            return true;
    return false;
}

/* Records the units that were needed: not all of the unit was kept. Units are recorded whole: what
 * is moved for these tasks may be lost for more. */
static void record(struct sched *s, struct search *x)
{
    struct unit *kept = sched_scratch(s, x->n_chosen * sizeof *kept);
    size_t n = 0;
    for (size_t i = 0; i < x->n_chosen; i++) {
        const struct unit *u = x->chosen[i];
        bool needed = false;
        for (uint32_t p = 0; p < u->n && !needed; p++)
            needed = search_evicted(s, x, u->job, u->piece[p].task)->fate != FATE_KEPT;
        if (needed)
            kept[n++] = (struct unit){ u->job, u->leaf, u->n, ID_NONE, ID_NONE, u->piece };
    }
    x->recorded = kept;
    x->n_recorded = n;
}

/* ---- Doing it ---- */

/* All of it: what was to stay is promised again with what moves. */
static void take_promise(struct sched *s, struct quota_state *q, struct search *x, job_id v)
{
    quota_break_promise(s, q, v);
    for (uint32_t i = search_first_evicted(s, x, v); i != ID_NONE; i = x->evicted[i].next_of_job)
        if (x->evicted[i].fate == FATE_KEPT)
            x->evicted[i].fate = FATE_MOVED;
}

/* false: it stays where it is, or held nothing but a promise. */
static bool stop_evicted(struct sched *s, struct quota_state *q, struct search *x, job_id v)
{
    const struct placement *has = quota_has(s, q, v);
    struct piece *piece = sched_scratch(s, has->n * sizeof *piece);
    uint32_t n = 0;
    bool moves = true, some = false;  /* no task of it is lost; some move */
    for (uint32_t i = search_first_evicted(s, x, v); i != ID_NONE; i = x->evicted[i].next_of_job) {
        if (x->evicted[i].fate != FATE_KEPT)
            piece[n++] = *placement_task(has, x->evicted[i].task);
        moves = moves && x->evicted[i].fate != FATE_LOST;
        some = some || x->evicted[i].fate == FATE_MOVED;
    }
    if (n == 0)
        return false;
    if (quota_is_promised(s, q, v)) {
        take_promise(s, q, x, v);
        return false;
    }
    ((struct quota_job *)job_own(s, v))->moved |= some;
    const int64_t *before = quota_idle_before(s, v, piece, n);
    if (n == has->n && job_state(s, v) == JOB_RUNNING && sched_stop(s, v, STOP_SAVE) == SCHED_OK) {
        (moves ? sched_note_move : sched_note)(s, v, x->job);
    } else {
        for (uint32_t i = 0; i < n; i++)
            sched_stop_task(s, v, piece[i].task, STOP_SAVE);
        (moves ? sched_note_move : sched_note)(s, v, x->job);
        quota_enter_running(s, q, v);
        if (job_placement(s, v))
            quota_enter_waiting(s, q, v);
    }
    quota_note_freed(s, q, v, piece, n, before);
    quota_pods_leave(s, q, v, piece, n);
    quota_mark_acted(s, q, v);
    q->changed = true;
    return true;
}

static void carry_out(struct sched *s, struct quota_state *q, struct search *x)
{
    for (size_t i = 0; i < x->n_evicted; i++)
        if (search_first_evicted(s, x, x->evicted[i].job) == i && stop_evicted(s, q, x, x->evicted[i].job))
            /* a job that leaves in no time is no event: no pass would follow */
            sched_wake_at(s, sched_now(s) + 1);
    q->version++;
    q->changes++;
    bool whole = job_facts(s, x->job)->ask->tasks == SPLIT_ANY;
    for (uint32_t i = 0; i < x->wanted.n; i++) {
        node_id to = whole ? ID_NONE : x->placed[i].node;
        const struct placement *where =
            quota_place(s, q, FREE_OR_RELEASING, x->job, &x->wanted.task[i], 1, to);
        quota_promise_at(s, q, x->job, where);
    }
    for (size_t i = 0; i < x->n_evicted; i++) {
        const struct evicted *e = &x->evicted[i];
        if (e->fate != FATE_MOVED || job_facts(s, e->job)->ask->tasks == SPLIT_ANY)
            continue;
        const struct placement *where =
            quota_place(s, q, FREE_OR_RELEASING, e->job, &e->task, 1, e->to);
        quota_promise_at(s, q, e->job, where);
    }
    struct quota_job *own = job_own(s, x->job);
    quota_mark_acted(s, q, x->job);
    if (x->action == CONSOLIDATION)
        own->consolidated = q->leaf[job_facts(s, x->job)->queue].consolidated = q->ends;
    if (!whole)
        quota_keep_found(s, x->job, x->placed, x->wanted.n);
    line_push(q->awaited, x->job, (struct line_key){ .time_ns = q->n_awaited++ });
    for (size_t i = 0; i < x->n_evicted; i++)
        if (x->evicted[i].fate == FATE_MOVED)
            line_push(q->awaited, x->evicted[i].job,
                      (struct line_key){ .time_ns = q->n_awaited++ });
    q->tentative = true;
    quota_blocked(s, q, x->job, WAIT_RELEASING);
    refresh_shares(s, q, x);
}

bool quota_search(struct sched *s, struct quota_state *q, job_id j, enum quota_action action)
{
    const struct job_facts *f = job_facts(s, j);
    if (action == CONSOLIDATION && !job_placement(s, j) && !f->n_groups &&
        (quota_check(s, q, f->ask->shape)->infeasible_at == q->changes ||
         consolidation_infeasible(s, q, quota_ask(s, q, j), f->min_tasks))) {
        quota_divide_now(s, q);
        return false;
    }
    struct search *x = search_begin(s, q);
    x->number++;
    x->action = action;
    x->job = j;
    x->wanted = quota_wanted(s, j, job_placement(s, j));
    x->n_recorded = 0;
    x->moves_only = action == CONSOLIDATION || (action == RECLAIM && !search_can_reclaim(s, q, x));
    if (action == RECLAIM && x->moves_only &&
        (q->params->moves <= 0 || (q->params->consolidation > 0 && job_facts(s, j)->preemptible)))
        return false;              /* nothing may be lost, and consolidation has tried already */
    quota_divide_now(s, q);
    x->placed = sched_scratch(s, (x->wanted.n + 1) * sizeof *x->placed);
    const struct request *ask = quota_ask(s, q, j);
    for (uint32_t k = 1; k <= x->wanted.n; k++) {
        const struct request *run =
            ask->tasks == SPLIT_ANY ? ask : request_of_task(ask, x->wanted.task[k - 1]);
        x->run =
            ask->tasks != SPLIT_ANY && run->gpus > 0 && run->gpu_milli >= MILLI_ALL ? run : NULL;
        x->task_milli = (int64_t)run->gpus * run->gpu_milli;
        if (!solve(s, q, x, k))
            return false;
        if (k < x->wanted.n)
            record(s, x);
    }
    carry_out(s, q, x);
    return true;
}
