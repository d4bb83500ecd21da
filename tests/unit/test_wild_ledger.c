/* test_wild_ledger.c - a policy that starts, stops, moves and claims at random, under every price of doing so: what the world
 * charges is recomputed from the log of intervals and stops, job by job, node by node, queue by queue, exactly.
 *
 * With and without sight of releasing GPUs, with a period or without, cut off or played to the end, on nodes with and without
 * names for their GPUs, some owned by a queue. test_transaction.c looks at what a rollback restores. */
#include "sim/world/price.h"
#include "tests/support/random_world.h"

enum { SEEDS = 3000, PASSES = 80, VERBS = 12, SPANS_MOST = 8192, SECRET = 1234567 };

struct span { job_id job; int64_t start_ns, stop_ns, end_ns; bool cut; };
struct record {
    struct span span[SPANS_MOST];
    size_t n;
    int64_t stop_ns[JOBS_MOST];                 /* -1: has not been stopped since it started */
    int128_t node[64], queue[QUEUES_MOST];      /* milli-GPU ns held */
    int64_t queue_milli[QUEUES_MOST], settled_ns;
    uint64_t starts, stops, moves;
};
static struct record rec;

struct wild { struct random r; uint32_t n_jobs; unsigned passes; enum stop_mode mode; uint64_t own; };
static struct wild wild;
static uint64_t seen_lost, seen_save, seen_moved, seen_cut, seen_claims, seen_preempted;

/* ---- The policy ---- */

static uint32_t draw(uint64_t n) { return (uint32_t)random_below(&wild.r, n); }

/* By the builder, piece by piece, with a second thought; NULL if it does not come about. */
static const struct placement *build(struct sched *s, const struct view *v, const struct request *r)
{
    struct builder *b = sched_builder(s, v, r);
    uint32_t left = r->tasks == SPLIT_ANY ? r->gpus : r->tasks;
    struct node_walk w = { .v = builder_view(b), .r = r, .order = BY_ID };
    for (node_id n; left > 0 && node_walk_next(&w, &n); w = (struct node_walk){ .v = w.v, .r = r, .order = ANY_ORDER }) {
        uint32_t k = (uint32_t)builder_mark(b), gpus = r->tasks == SPLIT_ANY ? 1 + draw(left) : r->gpus;
        if (!builder_add_some(b, r, k, n, gpus))
            break;
        if (draw(8) == 0)
            builder_rollback(b, k);
        else
            left -= r->tasks == SPLIT_ANY ? gpus : 1;
    }
    const struct placement *p = builder_take(b);
    return left ? NULL : p;
}

static void one_verb(struct sched *s, job_id j)
{
    enum job_state state = job_state(s, j);
    const struct view *v = sched_view(s, draw(2) ? FREE_IDLE : FREE_OR_RELEASING);
    struct request r = job_request(s, j);
    const struct placement *p = NULL;
    switch (state == JOB_RUNNING || state == JOB_CLAIMED ? draw(3) : 3 + draw(4)) {
    case 0: case 1:
        sched_stop(s, j, wild.mode);
        break;
    case 3:
        sched_keep(s, j);
        break;
    default:
        p = state == JOB_ABSENT || state == JOB_GONE ? NULL : draw(4) ? sched_place(s, v, &r) : build(s, v, &r);
        if (p)
            seen_claims += sched_start(s, j, p) == SCHED_LATER;
    }
}

static void some_verbs(struct sched *s, int depth)
{
    uint64_t own = wild.own;
    sched_mark_t mark = sched_mark(s);
    for (uint32_t i = draw(VERBS); i > 0; i--) {
        one_verb(s, draw(wild.n_jobs));
        sched_save(s, &wild.own, sizeof wild.own);
        wild.own = random_u64(&wild.r);
        if (depth < 3 && draw(6) == 0)
            some_verbs(s, depth + 1);
    }
    if (draw(3))
        return;
    sched_rollback(s, mark);
    assert_true(wild.own == own);
}

static void schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    if (wild.passes > 0) {
        wild.passes--;
        some_verbs(s, 0);
        sched_wake_at(s, sched_now(s) + 1 + (int64_t)draw(2 * NS_PER_S));
        return;
    }
    for (job_id j = 0; j < wild.n_jobs; j++) {
        struct request r = job_request(s, j);
        const struct placement *p = job_state(s, j) == JOB_PENDING ? sched_place(s, sched_view(s, FREE_IDLE), &r) : NULL;
        if (p)
            sched_start(s, j, p);
    }
}

static void arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    (void)state;
    uint64_t *own = job_own(s, j);
    assert_true(*own == 0 || *own == SECRET + j);      /* zero at first; then it is the job's */
    *own = SECRET + j;
}

static void started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    (void)state;
    assert_true(*(uint64_t *)job_own(s, j) == SECRET + j);
}

/* ---- The log ---- */

static void on_interval(void *self, const struct interval *i)
{
    (void)self;
    assert_true(rec.n < SPANS_MOST);
    rec.span[rec.n++] = (struct span){ i->job, i->start_ns, rec.stop_ns[i->job], i->end_ns, !strcmp(i->why, "cutoff") };
    rec.stop_ns[i->job] = -1;
    for (size_t k = 0; k < i->pieces->n; k++)
        rec.node[i->pieces->piece[k].node] +=
            (int128_t)(i->end_ns - i->start_ns) * i->pieces->piece[k].gpus * i->pieces->piece[k].milli;
}

static void on_decision(void *self, job_id j, int64_t now_ns, const char *kind, const char *decision, const char *reason)
{
    (void)self;
    (void)reason;
    rec.starts += !strcmp(kind, "start");
    if (strcmp(kind, "stop"))
        return;
    rec.stop_ns[j] = now_ns;
    rec.stops++;
    rec.moves += !strcmp(decision, "moved");
}

static void on_instant(void *self, const struct sched *s)
{
    (void)self;
    for (queue_id q = 0; q < queue_count(s); q++) {
        rec.queue[q] += (int128_t)rec.queue_milli[q] * (sched_now(s) - rec.settled_ns);
        rec.queue_milli[q] = queue_held(s, q).gpu_milli;
    }
    rec.settled_ns = sched_now(s);
}

/* ---- The world ---- */

static struct world rich_world(uint64_t seed)
{
    static const int modes[] = { CHECKPOINT_NONE, CHECKPOINT_PERFECT, CHECKPOINT_PERIODIC };
    struct world w = random_world(seed);
    struct random r;
    random_init(&r, seed, "rich", 0);
    w.group[0].mem_mib = 3000;
    w.group[w.n_groups++] = (struct group_spec){ .name = "pool", .count = 2, .gpus = 70, .cpu_milli = 90000, .mem_mib = 9000 };
    for (size_t j = 0; j < w.n_jobs; j++)
        w.job[j].mem_mib = random_below(&r, 3) ? 0 : 100 * (int64_t)random_below(&r, 9);
    if (w.n_queues == 3) {
        w.pin[0] = (struct pin_spec){ 0, 1 };
        w.queue[2].pins = w.pin;
        w.queue[2].n_pins = 1;
    }
    w.price = (struct price){ .checkpoint = modes[random_below(&r, 3)], .interval_ns = 1 + (int64_t)random_below(&r, 9) * NS_PER_S / 2 };
    w.price.save_ns = (int64_t)random_below(&r, 4) * NS_PER_S / 2;
    w.price.grace_ns = w.price.checkpoint == CHECKPOINT_PERFECT ? 2 * NS_PER_S : (int64_t)random_below(&r, 4) * NS_PER_S / 2;
    w.price.start_ns = (int64_t)random_below(&r, 3) * NS_PER_S;
    w.price.restart_ns = (int64_t)random_below(&r, 4) * NS_PER_S;
    w.period_ns = random_below(&r, 4) ? 0 : 3 * NS_PER_S / 2;
    return w;
}

/* ---- The accounts, from the log ---- */

struct charges { int64_t run_ns, lost_ns, overhead_ns, useful_ns; uint32_t spans, stops; };

/* models.md 3.3, once more. */
static void charge(struct charges *a, const struct price *p, const struct span *x)
{
    int64_t until = x->stop_ns < 0 ? x->end_ns : x->stop_ns, cost = a->spans++ ? p->restart_ns : p->start_ns;
    int64_t starting = until - x->start_ns < cost ? until - x->start_ns : cost, done = until - x->start_ns - starting, stay = 0, lost = 0;
    if (x->stop_ns >= 0) {
        bool saves = wild.mode == STOP_SAVE && p->checkpoint != CHECKPOINT_NONE && (p->checkpoint == CHECKPOINT_PERFECT || p->save_ns <= p->grace_ns);
        stay = saves ? p->save_ns : wild.mode == STOP_SAVE && p->checkpoint == CHECKPOINT_PERIODIC ? p->grace_ns : 0;
        lost = saves || p->checkpoint == CHECKPOINT_PERFECT ? 0 : p->checkpoint == CHECKPOINT_NONE ? done : done % p->interval_ns;
        assert_true(x->cut ? x->end_ns - x->stop_ns <= stay : x->end_ns - x->stop_ns == stay);
        a->stops++;
    }
    a->run_ns += x->end_ns - x->start_ns;
    a->lost_ns += lost;
    a->overhead_ns += starting + x->end_ns - until;
    a->useful_ns += done - lost;
    seen_lost += lost > 0;
    seen_save += x->end_ns > until;
    seen_cut += x->cut;
}

static void jobs_agree(const struct world *w, const struct workload *load, const struct sched *s)
{
    static struct charges a[JOBS_MOST];
    uint32_t state[JOB_STATES] = { 0 }, outcome[OUTCOME_REJECTED + 1] = { 0 };
    memset(a, 0, sizeof a);
    for (size_t i = 0; i < rec.n; i++) {
        assert_true(rec.span[i].start_ns >= load->facts[rec.span[i].job].submit_ns);
        charge(&a[rec.span[i].job], &w->price, &rec.span[i]);
    }
    for (job_id j = 0; j < w->n_jobs; j++) {
        struct job_result r = run_job(s, j);
        state[r.state]++;
        outcome[r.outcome]++;
        assert_int_equal(r.run_ns, a[j].run_ns);
        assert_int_equal(r.lost_ns, a[j].lost_ns);
        assert_int_equal(r.overhead_ns, a[j].overhead_ns);
        assert_int_equal(r.preemptions, a[j].stops);
        assert_int_equal(r.restarts, a[j].spans ? a[j].spans - 1 : 0);
        if (r.outcome == OUTCOME_COMPLETED)
            assert_int_equal(a[j].useful_ns, load->truth[j].duration_ns);
        else
            assert_true(a[j].useful_ns <= load->truth[j].duration_ns);
        seen_preempted += a[j].stops > 0;
    }
    const struct run_totals *t = run_totals(s);
    assert_int_equal(t->completed, outcome[OUTCOME_COMPLETED]);
    assert_int_equal(t->rejected, outcome[OUTCOME_REJECTED]);
    assert_int_equal(t->running, state[JOB_RUNNING]);
    assert_int_equal(t->pending, state[JOB_PENDING] + state[JOB_CLAIMED] + state[JOB_RELEASING]);
    assert_int_equal(t->completed + t->rejected, state[JOB_GONE]);
    assert_true(t->starts == rec.starts && t->preemptions == rec.stops && t->moves == rec.moves);
    assert_true(t->cut_off ? t->last_ns == run_setup_of(s)->until_ns : !t->running && !t->pending);
    seen_moved += t->moves;
}

static void places_agree(const struct sched *s, const struct cluster *c)
{
    int128_t all = 0, account[ACCOUNTS] = { 0 };
    for (node_id n = 0; n < c->n_nodes; n++) {
        int128_t sum = 0;
        for (unsigned i = 0; i < ACCOUNTS; i++) {
            sum += run_node_accounts(s, n)[i];
            account[i] += run_node_accounts(s, n)[i];
        }
        assert_true(sum == rec.node[n]);
        all += sum;
    }
    for (unsigned i = 0; i < ACCOUNTS; i++)
        assert_true(account[i] == run_totals(s)->account[i]);
    assert_true(all == run_totals(s)->held);
    for (queue_id q = 0; q < queue_count(s); q++)
        assert_true(run_queue_held(s, q) == rec.queue[q]);
}

static void one_seed(uint64_t seed)
{
    struct error err = { "" };
    struct world w = rich_world(seed);
    const struct policy policy = {
        .abi = POLICY_ABI, .name = "wild", .needs = seed % 5 ? SEES_RELEASING : 0, .schedule = schedule, .job_arrived = arrived,
        .job_started = started, .job_size = sizeof(uint64_t),
    };
    struct cluster *c = cluster_build("rich", w.group, w.n_groups, w.queue, w.n_queues, &err);
    c->price = w.price;
    c->period_ns = w.period_ns;
    struct workload *load = workload_new();
    for (size_t j = 0; j < w.n_jobs; j++)
        assert_int_equal(workload_add(load, &w.job[j], "rich", j + 1, &err), 0);
    assert_int_equal(workload_finish(load, "rich", &err), 0);
    assert_int_equal(run_bind(c, load, &err), 0);
    memset(&rec, 0, sizeof rec);
    memset(rec.stop_ns, 0xff, sizeof rec.stop_ns);
    wild = (struct wild){ .n_jobs = (uint32_t)w.n_jobs, .passes = PASSES, .mode = seed % 3 ? STOP_SAVE : STOP_RESTART };
    random_init(&wild.r, seed, "wild", 0);
    struct run_setup setup = {
        .cluster = c, .workload = load, .policy = &policy, .placer = builtin_placers[seed % 6], .seed = seed, .check = true,
        .until_ns = seed % 4 == 3 ? (int64_t)(5 + seed % 90) * NS_PER_S : 0,
        .observer = { NULL, on_interval, on_decision, on_instant },
    };
    struct sched *s = run_new(&setup);
    if (run_execute(s, &err))
        fail_msg("seed %u: %s", (unsigned)seed, err.text);
    jobs_agree(&w, load, s);
    places_agree(s, c);
    run_free(s);
    workload_free(load);
    cluster_free(c);
}

static void all_is_charged(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        one_seed(seed);
}

/* So that a test that looks at nothing fails. */
static void all_was_seen(void **state)
{
    (void)state;
    print_message("lost %u, saved %u, moved %u, cut %u, claims %u, preempted %u\n", (unsigned)seen_lost, (unsigned)seen_save,
                  (unsigned)seen_moved, (unsigned)seen_cut, (unsigned)seen_claims, (unsigned)seen_preempted);
    assert_true(seen_lost > 1000 && seen_save > 1000 && seen_moved > 1000 && seen_cut > 100 && seen_claims > 1000 &&
                seen_preempted > 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_is_charged), cmocka_unit_test(all_was_seen) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
