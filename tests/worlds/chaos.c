/* chaos.c - a policy that asks for anything: starts, stops, resizes, plans, tentative pieces, marks and rollbacks, of any job
 * in any state, at places that the placer names or that are made up. All choices come from the run's stream, sched_random().
 *
 * The world refuses what is wrong, and keeps its identities whatever is asked. What the policy asks for is bounded by the
 * contract where the contract says so: plans only with SEES_TIMELINE, places of what is leaving only with SEES_RELEASING.
 * A pass is asked for again and again, so that no run stalls: each ends with its trace or at --until.
 *
 * can: the needs that it declares. wrong: the share of the requests that are made up. acts: requests a pass, at most. */
#include "policy.h"
#include "timeline.h"

#define SECOND INT64_C(1000000000)

struct params { double can, wrong, acts, refuses; };
struct chaos {
    struct line *line[2];
    job_id *job;                  /* [n] all that ever arrived, each once */
    size_t n, room;
    unsigned depth;               /* of marks */
};
static const unsigned needs_of[] = {
    0, SEES_RELEASING | SEES_RUN_TIME, SEES_TIMELINE | SEES_RELEASING, STARTS_PARTIAL | SEES_RELEASING,
    RESIZES | SEES_SPEEDUP | SEES_RELEASING, SUSPENDS | TESTS_LIMITS, STARTS_PARTIAL | SUSPENDS | SEES_RELEASING,
    RESIZES | SUSPENDS, SEES_TIMELINE,
};
static const char *const can[] = { "little", "releasing", "timeline", "partial", "resize", "suspend", "tasks", "all", "plan",
                                   NULL };
static unsigned needs(const void *params) { return needs_of[(int)((const struct params *)params)->can]; }

static uint32_t draw(struct sched *s, uint32_t n) { return n ? (uint32_t)(sched_random(s) % n) : 0; }
static bool chance(struct sched *s, double p) { return (double)draw(s, 1000000) < p * 1e6; }
static bool is_wrong(struct sched *s, const struct params *p) { return chance(s, p->wrong); }

static job_id any_job(struct sched *s, const struct chaos *c) { return c->job[draw(s, (uint32_t)c->n)]; }
/* A job that verbs may be asked about: now and then one that does not exist. */
static job_id some_job(struct sched *s, const struct params *p, const struct chaos *c)
{
    return is_wrong(s, p) && chance(s, .1) ? ID_NONE - draw(s, 2) : any_job(s, c);
}

static const struct view *some_view(struct sched *s, const struct params *p)
{
    return sched_view(s, needs(p) & SEES_RELEASING && chance(s, .3) ? FREE_OR_RELEASING : FREE_IDLE);
}

/* ---- Places ---- */

static struct placement *empty(struct sched *s, size_t n)
{
    return sched_scratch(s, sizeof(struct placement) + n * sizeof(struct piece));
}

/* Pieces that nothing has looked at. */
static const struct placement *made_up(struct sched *s, job_id j)
{
    const struct request *ask = job_facts(s, j)->ask;
    uint32_t n = chance(s, .1) ? 0 : 1 + draw(s, 3);
    struct placement *p = empty(s, n);
    p->n = n;
    node_id first, end;
    view_domain_nodes(sched_view(s, FREE_IDLE), 0, &first, &end);
    for (uint32_t i = 0; i < n; i++) {
        struct piece *x = &p->piece[i];
        x->node = chance(s, .1) ? (node_id)sched_random(s) : first + draw(s, end - first);
        x->task = chance(s, .8) ? i : draw(s, 9);
        x->gpus = chance(s, .5) ? ask->gpus : draw(s, 9);
        x->gpu_mask = chance(s, .1) ? sched_random(s) : x->gpus ? (UINT64_C(1) << x->gpus % 64) - 1 : 0;
        x->gpu_mask <<= draw(s, 3);
        x->milli = chance(s, .8) ? ask->gpu_milli : draw(s, 2000);
        x->mig = chance(s, .9) ? ask->mig : (uint16_t)draw(s, 6);
        x->gpu_mem_mib = chance(s, .9) ? ask->gpu_mem_mib : draw(s, 100000);
    }
    return p;
}

/* The same with one thing changed, or as it is. */
static const struct placement *bent(struct sched *s, const struct placement *from)
{
    struct placement *p = empty(s, from->n + 1);
    p->n = from->n;
    for (size_t i = 0; i < from->n; i++)
        p->piece[i] = from->piece[i];
    struct piece *x = p->n ? &p->piece[draw(s, (uint32_t)p->n)] : &p->piece[0];
    switch (draw(s, 8)) {
    case 0: x->gpu_mask <<= 1; break;
    case 1: x->node += draw(s, 2) ? 1 : UINT32_MAX; break;
    case 2: x->task += draw(s, 2) ? 1 : UINT32_MAX; break;
    case 3: x->gpus++; break;
    case 4: p->piece[p->n] = *x; p->n++; break;
    case 5: p->n -= p->n > 0; break;
    case 6: x->milli = draw(s, 2) ? x->milli / 2 : x->milli * 2; break;
    default: break;
    }
    return p;
}

static const struct placement *by_builder(struct sched *s, const struct params *c, job_id j)
{
    struct request r = job_request(s, j);
    struct builder *b = sched_builder(s, some_view(s, c), &r);
    node_id n;
    struct node_walk w = { .v = builder_view(b), .r = &r, .order = (enum node_order)draw(s, 4) };
    builder_devices(b, (enum device_order)draw(s, 2));
    uint32_t tasks = r.tasks == SPLIT_ANY ? 1 : r.tasks;
    for (uint32_t k = 0, tries = 0; k < tasks && tries < 20 && node_walk_next(&w, &n); tries++) {
        size_t mark = builder_mark(b);
        uint32_t gpus = r.tasks == SPLIT_ANY ? 1 + draw(s, r.gpus) : r.gpus;
        if (builder_add_some(b, &r, request_task(&r, k), n, gpus) && !chance(s, .2))
            k++;
        else
            builder_rollback(b, mark);
    }
    return builder_take(b);
}

/* A place for j, NULL among them: of the placer, of the builder, of another job, made up. */
static const struct placement *somewhere(struct sched *s, const struct params *p, const struct chaos *c, job_id j)
{
    if (j >= ID_NONE - 2)
        j = any_job(s, c);
    struct request r = job_request(s, j);
    if (needs(p) & RESIZES && chance(s, .5)) {
        struct job_sizes z = job_sizes(s, j);
        return sched_place_anew(s, j, z.min + draw(s, z.max - z.min + 1));
    }
    if (!is_wrong(s, p)) {
        const struct placement *stands = job_suspended(s, j);
        return stands && chance(s, .8) ? stands : sched_place(s, some_view(s, p), &r);
    }
    const struct placement *q;
    switch (draw(s, 6)) {
    case 0: return made_up(s, j);
    case 1: return by_builder(s, p, j);
    case 2: return job_placement(s, any_job(s, c));
    case 3: return job_suspended(s, any_job(s, c));
    case 4: r = job_request(s, any_job(s, c)); return sched_place(s, some_view(s, p), &r);
    default: q = sched_place(s, some_view(s, p), &r); return q ? bent(s, q) : made_up(s, j);
    }
}

/* Some of the tasks of a placement, for policies that start single ones. */
static const struct placement *some_of(struct sched *s, const struct placement *from)
{
    if (!from || from->n < 2)
        return from;
    struct placement *p = empty(s, from->n);
    for (size_t i = 0; i < from->n; i++)
        if (chance(s, .6))
            p->piece[p->n++] = from->piece[i];
    return p;
}

/* ---- Requests ---- */

static void ask_start(struct sched *s, const struct params *p, const struct chaos *c)
{
    job_id j = some_job(s, p, c);
    const struct placement *where = somewhere(s, p, c, j);
    if (needs(p) & STARTS_PARTIAL && chance(s, .5))
        where = some_of(s, where);
    (void)sched_start(s, j, where);
}

static enum stop_mode some_mode(struct sched *s, const struct params *p)
{
    if (is_wrong(s, p) && chance(s, .1))
        return (enum stop_mode)(STOP_CANCEL + 1 + draw(s, 3));
    return (enum stop_mode)draw(s, needs(p) & SUSPENDS || is_wrong(s, p) ? STOP_CANCEL + 1 : STOP_SUSPEND);
}

static void ask_stop(struct sched *s, const struct params *p, const struct chaos *c)
{
    job_id j = some_job(s, p, c);
    (void)sched_stop(s, j, some_mode(s, p));
    if (chance(s, .3))
        sched_note(s, j, some_job(s, p, c));
    if (chance(s, .1))
        sched_note_move(s, j, some_job(s, p, c));
    if (chance(s, .2))
        (void)sched_start(s, j, somewhere(s, p, c, j));
    if (chance(s, .2))
        (void)sched_keep(s, j);
}

static void ask_tasks(struct sched *s, const struct params *p, const struct chaos *c)
{
    job_id j = some_job(s, p, c);
    for (uint32_t k = 1 + draw(s, 3); k-- > 0;)
        (void)sched_stop_task(s, j, draw(s, 6), some_mode(s, p));
}

static void ask_resize(struct sched *s, const struct params *p, const struct chaos *c)
{
    job_id j = some_job(s, p, c);
    (void)sched_resize(s, j, somewhere(s, p, c, j));
    if (j < ID_NONE - 2 && chance(s, .2))
        (void)sched_resize(s, j, job_placement(s, j));
}

static void ask_tentative(struct sched *s, const struct params *p, const struct chaos *c)
{
    job_id j = some_job(s, p, c);
    if (chance(s, .6)) {
        (void)sched_tentative_add(s, j, somewhere(s, p, c, j));
    } else if (j < ID_NONE - 2) {
        const struct placement *held = job_placement(s, j);
        (void)sched_tentative_remove(s, j, held && chance(s, .5) ? some_of(s, held) : held);
    }
}

static void ask_plan(struct sched *s, const struct params *p, const struct chaos *c)
{
    if (!(needs(p) & SEES_TIMELINE))
        return;
    job_id j = any_job(s, c);
    int64_t now = sched_now(s);
    switch (draw(s, 6)) {
    case 0:
        if (job_state(s, j) == JOB_PENDING) {
            struct slot slot = timeline_earliest(s, j, now + draw(s, 3) * SECOND, TIME_NEVER, 1 + draw(s, 5));
            if (slot.where)
                (void)plan_set(s, j, slot.start_ns + (is_wrong(s, p) ? SECOND : 0), slot.where);
        }
        break;
    case 1:
        if (job_state(s, j) == JOB_PENDING) {
            struct request r = job_request(s, j);
            int64_t from = now + draw(s, 100) * SECOND;
            const struct placement *q = sched_place(s, timeline_view(s, from, from + (1 + draw(s, 1000)) * SECOND), &r);
            if (q)
                (void)plan_set(s, j, from, q);
        }
        break;
    case 2: plan_drop(s, j); break;
    case 3: if (chance(s, .2)) plan_clear(s); break;
    case 4: timeline_overrun(s, (enum overrun)draw(s, 2)); break;
    default:
        if (plan_start(s, j) != TIME_NEVER && (plan_ready(s, j) || is_wrong(s, p)))
            (void)sched_start(s, j, plan_placement(s, j));
    }
}

static void ask_lines(struct sched *s, const struct params *p, struct chaos *c)
{
    struct line *l = c->line[draw(s, 2)];
    job_id j = any_job(s, c);
    enum job_state state = job_state(s, j);
    const struct request *ask = job_facts(s, j)->ask;
    struct line_walk w = { .l = l };
    switch (draw(s, 6)) {
    case 0:
        if (state != JOB_GONE && state != JOB_ABSENT)
            line_push(l, j, (struct line_key){ draw(s, 4), draw(s, 4), draw(s, 4) });
        break;
    case 1: (void)line_remove(l, j); break;
    case 2: line_blocked(s, l, chance(s, .5) ? ask->shape : ID_NONE, (enum wait_reason)draw(s, WAIT_REASONS)); break;
    case 3:
        for (uint32_t k = draw(s, 5); k-- > 0 && line_next(&w, &j);)
            if (chance(s, .3))
                line_skip_shape(&w, job_facts(s, j)->ask->shape);
        break;
    case 4: sched_blocked(s, j, (enum wait_reason)draw(s, WAIT_REASONS)); break;
    default: line_skip_full(&w, some_view(s, p)); (void)line_next(&w, &j);
    }
}

/* Answers change nothing. */
static void look(struct sched *s, const struct params *p, const struct chaos *c)
{
    job_id j = any_job(s, c);
    struct request r = job_request(s, j);
    queue_id q = draw(s, queue_count(s));
    (void)sched_fits(s, some_view(s, p), &r);
    (void)sched_why_not(s);
    (void)job_estimate_ns(s, j);
    (void)job_start_cost_ns(s, j);
    (void)job_attained_gpu_s(s, j);
    (void)queue_over_limit(s, q, job_size(s, j));
    (void)queue_budget_spent(s, q);
    (void)domain_fits(sched_view(s, FREE_IDLE), 0, &r);
    if (is_wrong(s, p) && chance(s, .1))
        (void)job_true_ns(s, j);
    if (is_wrong(s, p) && chance(s, .1))
        (void)job_speedup(s, j, job_sizes(s, j).usual);
    queue_fair_share(s, q, (struct amount){ .gpu_milli = draw(s, 9000) });
}

/* At whole seconds: wake-ups asked for by different passes are often the same, so that passes do not become denser and
 * denser. */
static void wake_in(struct sched *s, int64_t gap_s)
{
    (void)sched_wake_at(s, (sched_now(s) / SECOND + gap_s) * SECOND);
}

static void ask_wake(struct sched *s, const struct params *p)
{
    if (is_wrong(s, p))
        (void)sched_wake_at(s, draw(s, 2) ? sched_now(s) - draw(s, 100) : TIME_NEVER);
    else
        wake_in(s, draw(s, 9));
}

static void act(struct sched *s, const struct params *p, struct chaos *c);

/* A few requests, and perhaps back to before. */
static void ask_undone(struct sched *s, const struct params *p, struct chaos *c)
{
    if (c->depth > 3)
        return;
    sched_mark_t mark = sched_mark(s);
    c->depth++;
    for (uint32_t k = 1 + draw(s, 6); k-- > 0;)
        act(s, p, c);
    c->depth--;
    if (chance(s, .6))
        sched_rollback(s, mark);
}

static void act(struct sched *s, const struct params *p, struct chaos *c)
{
    if (chance(s, p->refuses))
        (void)sched_refuse(s, some_job(s, p, c), "chaos");
    switch (draw(s, 16)) {
    case 0: case 1: case 2: case 3: case 4: case 5: ask_start(s, p, c); break;
    case 6: ask_stop(s, p, c); break;
    case 7: ask_tasks(s, p, c); break;
    case 8: ask_resize(s, p, c); break;
    case 9: ask_tentative(s, p, c); break;
    case 10: case 11: ask_plan(s, p, c); break;
    case 12: ask_lines(s, p, c); break;
    case 13: ask_undone(s, p, c); break;
    case 14: look(s, p, c); break;
    default: ask_wake(s, p);
    }
}

static void schedule(struct sched *s, const void *params, void *state)
{
    const struct params *p = params;
    struct chaos *c = state;
    for (uint32_t k = draw(s, (uint32_t)p->acts + 1); c->n && k-- > 0;)
        act(s, p, c);
    static const int64_t gap_s[] = { 1, 10, 100, 1000 };
    wake_in(s, gap_s[draw(s, 4)]);
}

/* ---- Notices: verbs have no business here, and are refused ---- */

static void meddle(struct sched *s, const struct params *p, const struct chaos *c, job_id j)
{
    if (!c->n || !is_wrong(s, p))
        return;
    switch (draw(s, 5)) {
    case 0: (void)sched_start(s, j, job_placement(s, j)); break;
    case 1: (void)sched_stop(s, j, STOP_RESTART); break;
    case 2: (void)sched_keep(s, j); break;
    case 3: (void)sched_refuse(s, j, "chaos"); break;
    default: wake_in(s, draw(s, 50));
    }
}

static void arrived(struct sched *s, const void *params, void *state, job_id j)
{
    struct chaos *c = state;
    bool *known = job_own(s, j);
    if (!*known) {
        if (c->n == c->room) {
            job_id *before = c->job;
            c->room = c->room ? 2 * c->room : 16;
            c->job = sched_alloc(s, c->room * sizeof *c->job);
            for (size_t i = 0; i < c->n; i++)
                c->job[i] = before[i];
        }
        c->job[c->n++] = j;
        *known = true;
    }
    line_push(c->line[draw(s, 2)], j, (struct line_key){ draw(s, 4), draw(s, 4), draw(s, 4) });
    meddle(s, params, c, j);
}

static void started(struct sched *s, const void *params, void *state, job_id j)
{
    struct chaos *c = state;
    if (chance(s, .8))
        for (int i = 0; i < 2; i++)
            (void)line_remove(c->line[i], j);
    meddle(s, params, c, j);
}

static void stopped(struct sched *s, const void *params, void *state, job_id j, enum stop_cause why)
{
    (void)why;
    meddle(s, params, state, j);
}

static void withdrawn(struct sched *s, const void *params, void *state, job_id j) { meddle(s, params, state, j); }

static void node_changed(struct sched *s, const void *params, void *state, node_id n)
{
    struct chaos *c = state;
    (void)sched_node_up(s, n);
    if (c->n)
        meddle(s, params, c, any_job(s, c));
}

static void begin(struct sched *s, const void *params, void *state)
{
    (void)params;
    struct chaos *c = state;
    for (int i = 0; i < 2; i++)
        c->line[i] = line_new(s);
    (void)sched_wake_at(s, 0);
}

static const struct param list[] = {
    { "can", "the needs that it declares", "", 0, 0, 0, can, offsetof(struct params, can) },
    { "wrong", "share of what is made up", "", 0, 1, .2, NULL, offsetof(struct params, wrong) },
    { "acts", "requests a pass, at most", "", 0, 1000, 12, NULL, offsetof(struct params, acts) },
    { "refuses", "share of requests that refuse a job", "", 0, 1, .001, NULL, offsetof(struct params, refuses) },
    { 0 },
};
const struct policy policy_plugin = {
    .abi = POLICY_ABI, .name = "chaos", .summary = "asks for anything", .also_needs = needs, .params = list,
    .params_size = sizeof(struct params), .state_size = sizeof(struct chaos), .job_size = sizeof(bool), .begin = begin,
    .schedule = schedule, .job_arrived = arrived, .job_started = started, .job_stopped = stopped, .job_withdrawn = withdrawn,
    .node_changed = node_changed,
};
