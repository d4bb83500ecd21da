/* test_meta_quota.c - what guaranteed quota promises, looked at before and after every pass of random trees and workloads.
 *
 * The policy is wrapped: a pass comes every second whether or not anything has changed, forgets what has failed before, and
 * is compared with what it found. Wanted values: the rules of policies/quota_rules.h, and brute force over the victims of a
 * node, which holds at most four. Each property is also looked at where it is known not to hold. */
#include "policies/quota.h"
#include "sim/core/random.h"
#include "sim/run/run.h"
#include "tests/support/named.h"
#include "tests/unit/test_core.h"

enum { TREE_MOST = 24, JOBS = 60, NODES_MOST = 5, NODE_GPUS = 4, TASKS_MOST = 4, SEEN_MOST = 4096, TAIL_S = 40, SEEDS = 100 };

/* ---- Worlds ---- */

struct kind {
    const char *name;
    const char *policy;
    bool single;                  /* jobs of one task and whole GPUs */
    bool grace, runtimes;
    /* Controls: what spoils a pass. shares: after they were divided; blind: the policy is not told of minimum run times. */
    void (*shares)(struct quota_state *q);
    void (*before)(struct sched *s, struct quota_state *q);
    void (*after)(struct sched *s, struct quota_state *q);
    bool blind, may_fail;
};
struct world {
    struct queue_spec queue[TREE_MOST];
    char name[TREE_MOST][2];
    uint32_t n_queues, n_leaves, leaf[TREE_MOST];
    struct group_spec group;
    struct price price;
    struct job_row job[JOBS];
    int64_t last_ns;
};

static int64_t draw(struct random *r, int64_t least, int64_t most)
{
    return least + (int64_t)random_below(r, (uint64_t)(most - least + 1));
}

static int64_t run_time(struct random *r, bool top)
{
    return top || draw(r, 0, 1) ? draw(r, 0, 3) * 10 * NS_PER_S : -1;
}

static void make_queues(struct world *w, struct random *r, const struct kind *k, uint32_t parent, int depth)
{
    uint32_t n = (uint32_t)draw(r, parent == ID_NONE ? 2 : 1, 3);
    for (uint32_t i = 0; i < n && w->n_queues < TREE_MOST; i++) {
        uint32_t me = w->n_queues++;
        struct queue_facts *f = &w->queue[me].facts;
        int64_t deserved = draw(r, 0, 9) ? draw(r, 0, depth == 1 ? 5 : 10) * MILLI_ALL : UNLIMITED;
        w->name[me][0] = (char)('a' + me);
        *f = (struct queue_facts){
            .name = w->name[me], .parent = parent, .priority = (int32_t)draw(r, 0, 4) / 4,
            .weight = (double)draw(r, 0, 3), .cpu_weight = 1, .mem_weight = 1,
            .quota = { { deserved, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } },
            .preempt_min_runtime_ns = k->runtimes ? run_time(r, parent == ID_NONE) : -1,
            .reclaim_min_runtime_ns = k->runtimes ? run_time(r, parent == ID_NONE) : -1,
            .cohort = COHORT_RULES_UNSAID,
        };
        if (draw(r, 0, 3) == 0)
            f->quota.limit.gpu_milli = deserved == UNLIMITED ? UNLIMITED : deserved + draw(r, 0, 4) * MILLI_ALL;
        if (!k->single && draw(r, 0, 5) == 0) {
            f->quota.deserved.cpu_milli = draw(r, 0, 12) * 1000;
            f->quota.limit.cpu_milli = f->quota.deserved.cpu_milli + draw(r, 0, 6) * 1000;
        }
        if (depth > 1 && draw(r, 0, 2))
            make_queues(w, r, k, me, depth - 1);
        else
            w->leaf[w->n_leaves++] = me;
    }
}

static void make_job(struct world *w, struct random *r, const struct kind *k, struct job_row *x)
{
    static const int32_t priority[] = { 50, 50, 50, 75, 100, 125 };
    *x = job_row_default;
    x->submit_ns = w->last_ns += draw(r, 0, 2) * NS_PER_S;
    x->duration_ns = draw(r, 1, draw(r, 0, 3) ? 30 : 80) * NS_PER_S;
    x->tasks = 1;
    x->gpus = (uint32_t)draw(r, 1, NODE_GPUS);
    if (!k->single && draw(r, 0, 2) == 0) {
        x->tasks = (uint32_t)draw(r, 2, TASKS_MOST);
        x->gpus = x->tasks * (uint32_t)draw(r, 1, 2);
        x->min_tasks = (uint32_t)draw(r, 0, x->tasks);
    } else if (!k->single && draw(r, 0, 4) == 0) {
        x->gpus = 1;
        x->gpu_milli = (uint32_t)draw(r, 1, 9) * 100;
    }
    x->cpu_milli = k->single ? 0 : draw(r, 0, 2) * 1000;
    x->priority = priority[draw(r, 0, 5)];
    x->preemptible = x->priority < 100;
    x->queue = w->name[w->leaf[draw(r, 0, w->n_leaves - 1)]];
    x->queue_length = 1;
}

static struct world world_make(const struct kind *k, uint64_t seed)
{
    struct world w = { .n_queues = 0 };
    struct random r;
    random_init(&r, seed, "quota invariants", 0);
    make_queues(&w, &r, k, ID_NONE, (int)draw(&r, 1, 3));
    w.group = (struct group_spec){ .name = "node", .gpu_model = "A100", .count = (uint32_t)draw(&r, 2, NODES_MOST), .gpus = NODE_GPUS,
                                   .cpu_milli = k->single ? INT64_MAX : 8000, .mem_mib = INT64_MAX };
    w.price = (struct price){ .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = 5 * NS_PER_S, .restart_ns = draw(&r, 0, 2) * NS_PER_S };
    if (k->grace)
        w.price.grace_ns = draw(&r, 1, 4) * NS_PER_S, w.price.save_ns = draw(&r, 0, 3) * NS_PER_S;
    for (size_t j = 0; j < JOBS; j++)
        make_job(&w, &r, k, &w.job[j]);
    return w;
}

/* ---- What is watched ---- */

struct digest { size_t n; uint64_t word[SEEN_MOST]; };
struct held { enum job_state state; uint32_t n; struct piece piece[TASKS_MOST]; int64_t last_start_ns; };
struct counts {
    unsigned passes, fixed, again;             /* again: passes after a fixed point, with nothing in between */
    unsigned changed_again, traces;            /* of those, some did something; a pass did nothing, and left a trace */
    unsigned over_limit, firm_over, unsound;   /* limits, quotas of the firm; shares that sum to too much */
    unsigned idle_left, gates, owed;           /* fits and waits; pass the gate within deserved; and a scenario is valid */
    unsigned passed_over;                      /* a scenario is valid that the search need not find */
    unsigned stops, for_nobody, in_vain, in_vain_disturbed;
    unsigned inside;                           /* evicted inside of the minimum run time */
    unsigned halved, left_halved, half_evicted;    /* gangs; not whole a pass later; lost tasks that are not moved */
    unsigned elastic_whole, whole_first;       /* elastic jobs that lost all; though their surplus would do */
    unsigned searches, search_traces;          /* that found nothing; and left a trace */
};
struct watch {
    const struct world *world;
    const struct kind *kind;
    struct counts *to;
    struct held before[JOBS], after[JOBS];
    int64_t idle[NODES_MOST];
    struct digest was, is;
    bool was_fixed, disturbed, seen[JOBS], halved[JOBS];
    bool starts;                  /* the last pass started something */
    size_t lost[JOBS];            /* tasks of its minimum that a gang lost in this pass, less those that are pencilled in */
    job_id room_for[JOBS];        /* for whom it was stopped in the pass before */
};
static struct watch watch;
static const struct policy *wrapped;
static const struct sched *running;

static void see(struct digest *d, uint64_t word)
{
    assert_true(d->n < SEEN_MOST);
    d->word[d->n++] = word;
}

static void see_view(struct digest *d, const struct view *v)
{
    for (node_id n = 0; n < watch.world->group.count; n++) {
        struct node_free f = view_node(v, n);
        see(d, f.whole_mask);
        see(d, f.shared_mask);
        see(d, (uint64_t)f.cpu_milli);
        for (unsigned g = 0; g < NODE_GPUS; g++)
            see(d, view_gpu_milli(v, n, g));
    }
}

static void see_line(struct digest *d, const struct line *l)
{
    struct line_walk walk = { .l = l };
    see(d, line_length(l));
    for (job_id j; line_next(&walk, &j);)
        see(d, j);
}

static void see_amount(struct digest *d, struct amount a)
{
    see(d, (uint64_t)a.gpu_milli);
    see(d, (uint64_t)a.cpu_milli);
    see(d, (uint64_t)a.mem_mib);
}

static void look(struct sched *s, const struct quota_state *q, struct digest *d)
{
    d->n = 0;
    see_view(d, sched_view(s, FREE_IDLE));
    see_view(d, sched_view(s, FREE_OR_RELEASING));
    for (queue_id i = 0; i < q->n_queues; i++) {
        see_amount(d, queue_held(s, i));
        see_amount(d, queue_held_firm(s, i));
        see_amount(d, queue_pending(s, i));
        see_line(d, q->leaf[i].waiting);
        see_line(d, q->leaf[i].running);
    }
    see_line(d, q->broken);
    for (job_id j = 0; j < JOBS; j++) {
        const struct placement *p = job_placement(s, j);
        see(d, job_state(s, j));
        for (size_t i = 0; p && i < p->n; i++)
            see(d, p->piece[i].gpu_mask + ((uint64_t)p->piece[i].node << 8) + ((uint64_t)p->piece[i].task << 32));
    }
}

static bool same_digest(const struct digest *a, const struct digest *b)
{
    return a->n == b->n && !memcmp(a->word, b->word, a->n * sizeof *a->word);
}

static void hold(struct sched *s, struct held *to)
{
    for (job_id j = 0; j < JOBS; j++) {
        const struct placement *p = job_placement(s, j);
        to[j] = (struct held){ .state = job_state(s, j), .n = p ? (uint32_t)p->n : 0, .last_start_ns = job_last_start_ns(s, j) };
        assert_true(to[j].n <= TASKS_MOST);
        for (uint32_t i = 0; i < to[j].n; i++)
            to[j].piece[i] = p->piece[i];
    }
}

/* ---- Shares and bounds ---- */

static int64_t at_most(int64_t most, int64_t x) { return most != UNLIMITED && most < x ? most : x; }

/* Siblings get no more than there is, or than they deserve together; and each what it deserves. */
static bool siblings_sound(const struct quota_state *q, queue_id parent, enum quota_resource r)
{
    int64_t total = parent == ID_NONE ? q->total.of[r] : q->queue[parent].of[r].fair, sum = 0, owed = 0;
    bool each = true;
    for (queue_id i = 0; i < q->n_queues; i++) {
        if (q->queue[i].parent != parent)
            continue;
        const struct quota_share *x = &q->queue[i].of[r];
        int64_t mine = at_most(x->deserved == UNLIMITED ? total : x->deserved, at_most(x->limit, x->request));
        sum += x->fair;
        owed += mine;
        each = each && x->fair >= mine;
    }
    return each && sum <= (owed > total ? owed : total);
}

static unsigned unsound_shares(const struct quota_state *q)
{
    unsigned n = 0;
    for (int r = 0; r < Q_RESOURCES; r++) {
        n += !siblings_sound(q, ID_NONE, (enum quota_resource)r);
        for (queue_id i = 0; i < q->n_queues; i++)
            n += !siblings_sound(q, i, (enum quota_resource)r);
    }
    return n;
}

static void shares_as_of_now(struct sched *s, struct quota_state *q)
{
    quota_refresh_all(s, q);
    q->divided = false;
    quota_divide_now(s, q);
}

static bool above(struct amount held, struct amount most)
{
    struct quota_amount h = quota_amount(held), m = quota_amount(most);
    return !quota_within(&h, &m);
}

static void check_bounds(const struct sched *s)
{
    for (queue_id i = 0; i < queue_count(s); i++) {
        watch.to->over_limit += above(queue_held(s, i), queue_facts(s, i)->quota.limit);
        watch.to->firm_over += above(queue_held_firm(s, i), queue_facts(s, i)->quota.deserved);
    }
}

/* ---- Brute force: one task of whole GPUs ---- */

static int64_t idle_on(struct sched *s, node_id n)
{
    return view_node(sched_view(s, FREE_IDLE), n).whole;
}

/* May these be taken one after the other in this order, or (n_first < n) in whichever order beyond the first ones? */
static unsigned valid_orders(struct quota_state *q, struct sched *s, job_id j, job_id *victim, size_t n, size_t n_first,
                             unsigned *orders)
{
    const struct job_facts *f = job_facts(s, j);
    struct quota_amount ask = quota_amount(job_size(s, j));
    unsigned valid = 0;
    for (size_t i = n_first; i < n; i++) {
        job_id v = victim[i];
        victim[i] = victim[n_first];
        victim[n_first] = v;
        valid += valid_orders(q, s, j, victim, n, n_first + 1, orders);
        victim[n_first] = victim[i];
        victim[i] = v;
    }
    if (n_first < n)
        return valid;
    struct quota_scenario x;
    bool may = true;
    quota_scenario_begin(&x, q->queue, q->loss, f->queue, &ask, !f->preemptible, q->params->saturation);
    for (size_t i = 0; i < n && may; i++) {
        struct quota_amount unit = quota_amount(job_size(s, victim[i]));
        may = quota_scenario_take(&x, job_facts(s, victim[i])->queue, &unit);
    }
    may = may && quota_scenario_valid(&x);
    quota_scenario_end(&x);
    ++*orders;
    return may;
}

/* Is there a set of victims that makes room for j and is valid? PLAIN: in whatever order they are taken, all of their node.
 * Then the search has to find it: as a taker within its deserved share goes before a queue that would be above its own with
 * any of them, nobody takes its place back first. Of other sets it may not: it lets all leave that it has looked at on a
 * node, and if one that it may not take, or that goes first, does not come back as it was, tries no fewer. That is how it is
 * specified (scheduler-semantics b.6). */
enum { NO_SCENARIO, HIDDEN, PLAIN };
static int reclaim_exists(struct sched *s, struct quota_state *q, job_id j)
{
    int best = NO_SCENARIO;
    for (node_id n = 0; n < watch.world->group.count; n++) {
        job_id on[NODE_GPUS], victim[NODE_GPUS];
        size_t found = 0;
        for (job_id v = 0; v < JOBS; v++) {
            const struct placement *p = job_state(s, v) == JOB_RUNNING ? job_placement(s, v) : NULL;
            if (p && p->piece[0].node == n && job_facts(s, v)->preemptible && job_facts(s, v)->queue != job_facts(s, j)->queue)
                on[found++] = v;
        }
        for (unsigned set = 1; set < 1u << found; set++) {
            int64_t free = idle_on(s, n) * MILLI_ALL;
            size_t size = 0;
            for (size_t i = 0; i < found; i++)
                if (set >> i & 1) {
                    victim[size++] = on[i];
                    free += job_size(s, on[i]).gpu_milli;
                }
            unsigned orders = 0, valid = free < job_size(s, j).gpu_milli ? 0 : valid_orders(q, s, j, victim, size, 0, &orders);
            int now = !valid ? NO_SCENARIO : valid == orders && size == found ? PLAIN : HIDDEN;
            best = now > best ? now : best;
        }
    }
    return best;
}

static bool within_deserved(const struct quota_state *q, queue_id i, const struct quota_amount *ask)
{
    bool within = true;
    for (; i != ID_NONE; i = q->queue[i].parent)
        for (int r = 0; r < Q_RESOURCES; r++) {
            const struct quota_share *x = &q->queue[i].of[r];
            within = within && (x->deserved == UNLIMITED || x->allocated + ask->of[r] <= x->deserved);
        }
    return within;
}

static void check_who_waits(struct sched *s, struct quota_state *q)
{
    shares_as_of_now(s, q);
    for (job_id j = 0; j < JOBS; j++) {
        const struct job_facts *f = job_facts(s, j);
        if (job_state(s, j) != JOB_PENDING || !quota_has_capacity(q, f, &(struct quota_amount){ { 0 } }, NULL))
            continue;
        struct quota_amount ask = quota_amount(job_size(s, j));
        if (!quota_has_capacity(q, f, &ask, NULL))
            continue;
        for (node_id n = 0; n < watch.world->group.count; n++)
            watch.to->idle_left += idle_on(s, n) * MILLI_ALL >= ask.of[Q_GPU];
        if (!within_deserved(q, f->queue, &ask) || !quota_may_reclaim(&q->queue[f->queue], &ask, !f->preemptible))
            continue;
        watch.to->gates++;
        int exists = reclaim_exists(s, q, j);
        watch.to->passed_over += exists == HIDDEN;
        watch.to->owed += exists == PLAIN;
    }
}

/* ---- A pass ---- */

static void compare(const struct quota_state *q)
{
    bool same = !q->pencilled, leaving = false;
    watch.starts = false;
    for (job_id j = 0; j < JOBS; j++) {
        const struct held *a = &watch.before[j], *b = &watch.after[j];
        same = same && a->state == b->state && a->n == b->n && !memcmp(a->piece, b->piece, sizeof a->piece);
        leaving = leaving || b->state == JOB_RELEASING || b->state == JOB_CLAIMED;
        watch.starts = watch.starts || b->n > a->n;
        bool incomplete = b->state == JOB_GATHERING && b->n > 0;
        watch.to->halved += incomplete && !watch.halved[j];
        watch.to->left_halved += incomplete && watch.halved[j] && !watch.disturbed;
        watch.lost[j] = incomplete && a->state == JOB_RUNNING ? job_facts(running, j)->min_tasks - b->n : 0;
        watch.halved[j] = incomplete;
    }
    watch.to->traces += same && !same_digest(&watch.was, &watch.is);
    watch.was_fixed = same && !leaving;
}

static void check_rooms(void)
{
    for (job_id v = 0; v < JOBS; v++) {
        job_id j = watch.room_for[v];
        if (j == ID_NONE || watch.after[j].n > watch.before[j].n || watch.after[j].state == JOB_GONE)
            continue;
        watch.to->in_vain += !watch.disturbed;
        watch.to->in_vain_disturbed += watch.disturbed;
    }
    memset(watch.room_for, 0xff, sizeof watch.room_for);
}

static void watched_pass(struct sched *s, const void *params, void *state)
{
    struct quota_state *q = state;
    shares_as_of_now(s, q);
    if (watch.kind->shares)
        watch.kind->shares(q);
    watch.to->unsound += unsound_shares(q);
    look(s, q, &watch.was);
    hold(s, watch.before);
    for (node_id n = 0; n < watch.world->group.count; n++)
        watch.idle[n] = idle_on(s, n);
    bool again = watch.was_fixed && !watch.disturbed && same_digest(&watch.was, &watch.is);
    q->version++;
    if (watch.kind->before)
        watch.kind->before(s, q);
    wrapped->schedule(s, params, state);
    if (watch.kind->after)
        watch.kind->after(s, q);
    look(s, q, &watch.is);
    hold(s, watch.after);
    compare(q);
    check_rooms();
    watch.disturbed = false;
    check_bounds(s);
    watch.to->passes++;
    watch.to->fixed += watch.was_fixed;
    watch.to->again += again;
    watch.to->changed_again += again && !watch.was_fixed;
    if (watch.was_fixed && watch.kind->single && !watch.kind->runtimes)
        check_who_waits(s, q);
    if (sched_now(s) < watch.world->last_ns + TAIL_S * NS_PER_S)
        sched_wake_at(s, sched_now(s) + NS_PER_S);
}

static void watched_arrival(struct sched *s, const void *params, void *state, job_id j)
{
    watch.disturbed = watch.disturbed || !watch.seen[j];
    watch.seen[j] = true;
    wrapped->job_arrived(s, params, state, j);
}

static void watched_end(struct sched *s, const void *params, void *state, job_id j, enum stop_cause why)
{
    watch.disturbed = watch.disturbed || why != STOPPED_BY_POLICY;
    wrapped->job_stopped(s, params, state, j, why);
}

/* ---- Stops, told at zero grace right after the pass ---- */

static int64_t min_runtime_ns(job_id v, job_id j)
{
    queue_id mine = job_facts(running, j)->queue, its = job_facts(running, v)->queue, from = its;
    for (queue_id up = its; mine != its && up != ID_NONE; up = watch.world->queue[up].facts.parent) {
        queue_id down = mine;
        while (down != ID_NONE && down != up)
            down = watch.world->queue[down].facts.parent;
        if (down == up)
            break;
        from = up;
    }
    for (; from != ID_NONE; from = watch.world->queue[from].facts.parent) {
        const struct queue_facts *f = &watch.world->queue[from].facts;
        int64_t ns = mine == its ? f->preempt_min_runtime_ns : f->reclaim_min_runtime_ns;
        if (ns >= 0)
            return ns;
    }
    return 0;
}

/* On some node, what v held above its minimum would have been enough for j. */
static bool surplus_would_do(job_id v, job_id j)
{
    const struct held *was = &watch.before[v];
    uint32_t min = job_facts(running, v)->min_tasks;
    for (node_id n = 0; n < watch.world->group.count; n++) {
        int64_t free = watch.idle[n];
        for (uint32_t i = min; i < was->n; i++)
            free += was->piece[i].node == n ? was->piece[i].gpus : 0;
        if (free * MILLI_ALL >= job_size(running, j).gpu_milli)
            return true;
    }
    return false;
}

static void at_interval(void *self, const struct interval *i)
{
    (void)self;
    bool moved = !strcmp(i->why, "moved"), preempted = !strcmp(i->why, "preempted");
    if (watch.kind->grace || (!moved && !preempted))
        return;
    const struct held *was = &watch.before[i->job];
    watch.to->stops++;
    watch.to->for_nobody += i->for_whom == ID_NONE;
    if (i->for_whom == ID_NONE)
        return;
    watch.room_for[i->job] = i->for_whom;
    watch.to->inside += preempted && i->end_ns < was->last_start_ns + min_runtime_ns(i->job, i->for_whom);
    if (preempted && was->n > job_facts(running, i->job)->min_tasks && !watch.starts) {
        watch.to->elastic_whole++;
        watch.to->whole_first += job_facts(running, i->for_whom)->ask->tasks == 1 && surplus_would_do(i->job, i->for_whom);
    }
}

static void at_pencil(void *self, job_id j, const struct placement *p)
{
    (void)self;
    watch.lost[j] -= p->n < watch.lost[j] ? p->n : watch.lost[j];
}

static void at_instant(void *self, const struct sched *s)
{
    (void)self;
    for (job_id j = 0; j < JOBS; j++) {
        watch.to->half_evicted += watch.lost[j] > 0;
        watch.lost[j] = 0;
    }
    check_bounds(s);
}

static void world_run(const struct world *w, const struct kind *k, uint64_t seed, struct counts *to)
{
    struct error err = { "" };
    struct queue_spec queue[TREE_MOST];
    memcpy(queue, w->queue, sizeof queue);
    for (uint32_t i = 0; i < w->n_queues && k->blind; i++)
        queue[i].facts.preempt_min_runtime_ns = queue[i].facts.reclaim_min_runtime_ns = -1;
    struct cluster *c = cluster_build("w", &w->group, 1, queue, w->n_queues, &err);
    if (!c)
        fail_msg("%s", err.text);
    c->price = w->price;
    c->period_ns = NS_PER_S;
    struct workload *load = workload_new();
    for (size_t j = 0; j < JOBS; j++)
        if (workload_add(load, &w->job[j], "rows", j + 1, &err))
            fail_msg("%s", err.text);
    assert_int_equal(workload_finish(load, "rows", &err) || run_bind(c, load, &err), 0);
    struct named_policy named = policy_named(k->policy);
    struct policy watched = *named.policy;
    if (!strcmp(watched.name, "quota")) {
        watched.schedule = watched_pass;
        watched.job_arrived = watched_arrival;
        watched.job_stopped = watched_end;
    }
    wrapped = named.policy;
    watch = (struct watch){ .world = w, .kind = k, .to = to };
    memset(watch.room_for, 0xff, sizeof watch.room_for);
    struct run_setup setup = { .cluster = c, .workload = load, .policy = &watched, .policy_params = named.params, .seed = seed,
                               .placer = placer_named("pack"), .check = true, .fruitless_most = 1000,
                               .observer = { .interval = at_interval, .instant = at_instant, .pencilled = at_pencil } };
    struct sched *s = run_new(&setup);
    running = s;
    if (run_execute(s, &err) && !k->may_fail)
        fail_msg("%s, seed %u: %s", k->name, (unsigned)seed, err.text);
    run_free(s);
    workload_free(load);
    cluster_free(c);
}

static struct counts run_seeds(const struct kind *k, uint64_t n)
{
    struct counts c = { 0 };
    for (uint64_t seed = 0; seed < n; seed++) {
        struct world w = world_make(k, seed);
        world_run(&w, k, seed, &c);
    }
    return c;
}

/* ---- Promises ---- */

static const struct kind kinds[] = {
    { .name = "single tasks", .policy = "quota", .single = true },
    { .name = "single tasks, no consolidation", .policy = "quota:consolidation=no", .single = true },
    { .name = "single tasks, minimum run times", .policy = "quota:consolidation=no", .single = true, .runtimes = true },
    { .name = "gangs", .policy = "quota" },
    { .name = "gangs, grace", .policy = "quota", .grace = true },
    { .name = "gangs, use counts", .policy = "quota:half_life_h=1" },
    { .name = "gangs, minimum run times", .policy = "quota:consolidation=no", .runtimes = true },
    { .name = "gangs, minimum run times of the ancestor", .policy = "quota:consolidation=no,moves=no", .runtimes = true },
};

static void promises_are_kept(void **state)
{
    const struct kind *k = *state;
    struct counts c = run_seeds(k, SEEDS);
    assert_true(c.fixed > c.passes / 3 && c.again > 1000);
    assert_int_equal(c.over_limit + c.firm_over + c.unsound, 0);
    assert_int_equal(c.traces + c.idle_left + c.owed, 0);
    assert_int_equal(c.inside + c.for_nobody + c.half_evicted, 0);
    if (k->runtimes)
        assert_true(c.changed_again > 20);    /* control: then time alone lets something happen */
    else if (!strstr(k->policy, "half_life"))
        assert_int_equal(c.changed_again, 0);
    if (!k->grace)
        assert_true(c.stops > 500 && (c.in_vain + c.in_vain_disturbed) * 300 < c.stops);
    if (k->single && !k->runtimes)
        assert_true(c.gates > 5000 && c.passed_over * 400 < c.gates);
    if (!k->single && !k->grace) {
        assert_true(c.elastic_whole > 20 && c.whole_first * 20 < c.elastic_whole);
        assert_true(c.halved > 10 && c.left_halved == 0);
    }
}

/* ---- Controls ---- */

static void one_gpu_more(struct quota_state *q)
{
    q->queue[q->n_queues - 1].of[Q_GPU].fair += q->total.of[Q_GPU];
}

static void forget_who_is_awaited(struct sched *s, struct quota_state *q)
{
    (void)s;
    for (job_id j; line_first(q->awaited, &j, NULL);)
        line_remove(q->awaited, j);
}

static void key_one_anew(struct sched *s, struct quota_state *q)
{
    job_id j;
    (void)s;
    for (queue_id i = 0; i < q->n_queues; i++)
        if (line_length(q->leaf[i].waiting) > 1 && line_first(q->leaf[i].waiting, &j, NULL))
            line_push(q->leaf[i].waiting, j, (struct line_key){ .major = 1000 });
}

/* For whoever waits, whole jobs leave that have something to spare; and gangs lose a task. */
static void stop_at_will(struct sched *s, struct quota_state *q)
{
    hold(s, watch.after);
    for (job_id j = 0; j < JOBS; j++) {
        const struct held *h = &watch.after[j];
        const struct quota_job *own = job_own(s, j);
        const struct job_facts *f = job_facts(s, j);
        if (h->state != JOB_RUNNING || !f->preemptible || h->n < 2 || own->pass == q->pass || h->n != watch.before[j].n)
            continue;
        if (h->n == f->min_tasks) {
            sched_stop_task(s, j, h->piece[0].task, STOP_SAVE);
            return;
        }
        for (job_id k = 0; k < JOBS; k++)
            if (watch.after[k].state == JOB_PENDING && job_facts(s, k)->ask->tasks == 1 && surplus_would_do(j, k)) {
                sched_stop(s, j, STOP_SAVE);
                sched_note(s, j, k);
                return;
            }
    }
}

static const struct kind no_reclaim = { .name = "no reclaim", .policy = "quota:reclaim=no", .single = true };
static const struct kind fifo = { .name = "fifo", .policy = "fifo" };
static const struct kind blind = { .name = "blind", .policy = "quota:consolidation=no", .runtimes = true, .blind = true };
static const struct kind greedy = { .name = "greedy", .policy = "quota", .shares = one_gpu_more };
static const struct kind forgetful = { .name = "forgetful", .policy = "quota", .single = true, .before = forget_who_is_awaited,
                                       .may_fail = true };
static const struct kind untidy = { .name = "untidy", .policy = "quota", .after = key_one_anew, .may_fail = true };
static const struct kind wilful = { .name = "wilful", .policy = "quota", .after = stop_at_will, .may_fail = true };

static void what_is_broken_is_seen(void **state)
{
    (void)state;
    struct counts c = run_seeds(&fifo, 10);
    assert_true(c.over_limit > 10 && c.firm_over > 10);
    assert_true(run_seeds(&no_reclaim, 20).owed > 100);
    assert_true(run_seeds(&blind, 20).inside > 20);
    assert_true(run_seeds(&greedy, 5).unsound > 100);
    c = run_seeds(&forgetful, 20);
    assert_true(c.in_vain * 20 > c.stops);
    assert_true(run_seeds(&untidy, 5).traces > 20);
    c = run_seeds(&wilful, 20);
    assert_true(c.half_evicted > 20 && c.whole_first > 20);
}

/* ---- A search that finds nothing leaves nothing behind ---- */

static bool leave_a_trace;

static void search_for_all(struct sched *s, struct quota_state *q)
{
    static struct digest was, is;
    for (job_id j = 0; j < JOBS; j++)
        for (int action = CONSOLIDATION; action <= PREEMPT; action++) {
            struct quota_amount ask = quota_amount(job_size(s, j));
            if (job_state(s, j) != JOB_PENDING || ((struct quota_job *)job_own(s, j))->pass == q->pass ||
                !quota_has_capacity(q, job_facts(s, j), &ask, NULL))
                continue;
            look(s, q, &was);
            if (quota_search(s, q, j, (enum quota_action)action))
                return;
            if (leave_a_trace)
                key_one_anew(s, q);
            look(s, q, &is);
            watch.to->searches++;
            watch.to->search_traces += !same_digest(&was, &is);
        }
}

static void failed_searches_leave_no_trace(void **state)
{
    (void)state;
    static const struct kind searching = { .name = "searching", .policy = "quota", .grace = true, .after = search_for_all,
                                           .may_fail = true };
    struct counts c = run_seeds(&searching, 20);
    assert_true(c.searches > 10000);
    assert_int_equal(c.search_traces, 0);
    leave_a_trace = true;
    c = run_seeds(&searching, 3);
    leave_a_trace = false;
    assert_true(c.search_traces > 50);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, promises_are_kept, kinds);
    ADD_TEST(tests, n, what_is_broken_is_seen);
    ADD_TEST(tests, n, failed_searches_leave_no_trace);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
