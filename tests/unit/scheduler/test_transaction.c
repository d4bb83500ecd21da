/* test_transaction.c - a policy that does what it likes: random verbs, nested marks and
 * rollbacks, impossible requests.
 *
 * After every rollback all that can be seen through the contract is what it was at the mark. The
 * indexes are recomputed at every instant (setup.check), and the run must end in order or stall
 * cleanly: a policy may be wrong, the world may not. */
#include "sim/contract/timeline.h"
#include "tests/support/random_world.h"

enum { SEEDS = 400, VERBS_A_PASS = 12, SEEN_MOST = 1 << 16 };

struct wild { struct line *waiting, *running; struct random r; };
static uint64_t reached[SCHED_RESULTS], rollbacks, noticed, suspended, states[JOB_STATES];
static bool by_task;              /* single tasks are started and stopped */
static bool by_size;              /* jobs have several sizes and are resized; neither: the timeline is used */
static uint64_t resized;
static unsigned passes_left;

/* ---- Everything that can be seen ---- */

/* `of` and `what` name each word: "node 3: whole GPUs". */
struct seen {
    size_t n;
    uint64_t word[SEEN_MOST];
    uint32_t of[SEEN_MOST];
    const char *what[SEEN_MOST];
};

static void see(struct seen *to, const char *what, uint32_t of, uint64_t word)
{
    assert_true(to->n < SEEN_MOST);
    to->what[to->n] = what;
    to->of[to->n] = of;
    to->word[to->n++] = word;
}

static void assert_same_seen(const struct seen *before, const struct seen *after)
{
    for (size_t i = 0; i < before->n && i < after->n; i++)
        if (before->word[i] != after->word[i])
            fail_msg("%s %u: before the mark %#llx, after the rollback %#llx", before->what[i], before->of[i],
                     (unsigned long long)before->word[i], (unsigned long long)after->word[i]);
    assert_wanted(before->n, after->n, "facts seen after a rollback");
}

static void see_view(struct seen *to, const char *what, const struct view *v)
{
    node_id first, end;
    view_domain_nodes(v, 0, &first, &end);
    for (node_id n = first; n < end; n++) {
        struct node_free f = view_node(v, n);
        see(to, what, n, f.whole_mask);
        see(to, what, n, f.shared_mask);
        see(to, what, n, f.whole);
        see(to, what, n, (uint64_t)f.cpu_milli);
        see(to, what, n, (uint64_t)f.mem_mib);
        for (unsigned g = 0; g < f.capacity && g < 64; g++)
            see(to, what, n, view_gpu_milli(v, n, g));
    }
}

static void see_line(struct seen *to, const char *what, const struct line *l)
{
    struct line_walk w = { .l = l };
    see(to, what, 0, line_length(l));
    for (job_id j; line_next(&w, &j);)
        see(to, what, j, j);
}

static void look(struct sched *s, const struct wild *p, uint32_t n_jobs, struct seen *to)
{
    to->n = 0;
    see_view(to, "idle: node", sched_view(s, FREE_IDLE));
    see_view(to, "idle or releasing: node", sched_view(s, FREE_OR_RELEASING));
    if (!by_task && !by_size) {
        see_view(to, "window that begins now: node", timeline_view(s, sched_now(s), sched_now(s) + 20 * NS_PER_S));
        see_view(to, "later window: node", timeline_view(s, sched_now(s) + 5 * NS_PER_S, sched_now(s) + 20 * NS_PER_S));
    }
    for (queue_id q = 0; q < queue_count(s); q++) {
        see(to, "held: queue", q, (uint64_t)queue_held(s, q).gpu_milli);
        see(to, "pending: queue", q, (uint64_t)queue_pending(s, q).gpu_milli);
    }
    for (job_id j = 0; j < n_jobs; j++) {
        see(to, "state: job", j, job_state(s, j));
        see(to, "planned start: job", j, by_task || by_size ? 0 : (uint64_t)plan_start(s, j));
        const struct placement *at = job_placement(s, j);
        see(to, "pieces: job", j, at ? at->n : 0);
        see(to, "suspended pieces: job", j, job_suspended(s, j) ? job_suspended(s, j)->n : 0);
        for (size_t i = 0; at && i < at->n; i++)
            see(to, "piece: job", j, at->piece[i].gpu_mask + ((uint64_t)at->piece[i].node << 8) + ((uint64_t)at->piece[i].task << 32));
        see(to, "size: job", j, job_size_held(s, j));
    }
    see_line(to, "line of waiting jobs: job", p->waiting);
    see_line(to, "line of running jobs: job", p->running);
}

/* ---- Random verbs ---- */

static uint32_t draw(struct wild *p, uint64_t n)
{
    return (uint32_t)random_below(&p->r, n);
}

static void count(enum sched_result r)
{
    reached[r]++;
}

static void try_start(struct sched *s, struct wild *p, job_id j)
{
    static const enum free_kind kinds[] = { FREE_IDLE, FREE_OR_RELEASING };
    struct job_sizes z = job_sizes(s, j);
    struct request r = job_request_sized(s, j, by_size ? z.min + draw(p, z.max - z.min + 1) : z.usual);
    const struct placement *where = sched_place(s, sched_view(s, kinds[draw(p, 2)]), &r);
    if (job_suspended(s, j) && draw(p, 4))
        where = job_suspended(s, j);
    if (!where)
        return;
    if (draw(p, 8) == 0) {                               /* spoil it */
        struct placement *bad = sched_scratch(s, sizeof *bad + where->n * sizeof where->piece[0]);
        memcpy(bad, where, sizeof *bad + where->n * sizeof where->piece[0]);
        bad->piece[draw(p, bad->n)].node = draw(p, 40);
        where = bad;
    }
    count(sched_start(s, j, where));
}

/* Mostly of a size that it may have, mostly where there is room. */
static void try_resize(struct sched *s, struct wild *p, job_id j)
{
    struct job_sizes z = job_sizes(s, j);
    uint32_t size = z.min + draw(p, z.max - z.min + (draw(p, 8) ? 1 : 3));
    const struct placement *held = job_placement(s, j), *where = sched_place_anew(s, j, size);
    if (held && draw(p, 6) == 0)
        where = held;
    if (where && held && draw(p, 10) == 0) {             /* perhaps taken by another job */
        struct placement *bad = sched_scratch(s, sizeof *bad + where->n * sizeof where->piece[0]);
        memcpy(bad, where, sizeof *bad + where->n * sizeof where->piece[0]);
        bad->piece[draw(p, bad->n)].gpu_mask <<= 1;
        where = bad;
    }
    enum sched_result r = where ? sched_resize(s, j, where) : SCHED_RESULTS;
    if (where)
        count(r);
    resized += r == SCHED_OK && where != held;
}

static struct request *part_of(struct sched *s, struct wild *p, job_id j, const struct request *run)
{
    struct request *part = sched_scratch(s, sizeof *part);
    uint32_t *task = sched_scratch(s, run->tasks * sizeof *task), n = 0;
    for (uint32_t k = run->first_task; k < run->first_task + run->tasks; k++) {
        bool holds = placement_task(job_placement(s, j), k) != NULL;
        if (draw(p, 3) && (!holds || draw(p, 20) == 0))
            task[n++] = k;
    }
    *part = *run;
    part->job = j;
    part->task = task;
    part->tasks = n;
    part->next = NULL;
    return part;
}

/* Some of the tasks that it lacks, or by mistake some that it holds. */
static void try_tasks(struct sched *s, struct wild *p, job_id j)
{
    const struct request *ask = job_facts(s, j)->ask;
    if (ask->tasks == SPLIT_ANY)
        return;
    const struct request *first = NULL, **last = &first;
    for (const struct request *run = ask; run; run = run->next) {
        struct request *part = part_of(s, p, j, run);
        if (!part->tasks)
            continue;
        *last = part;
        last = &part->next;
    }
    const struct placement *where = first ? sched_place(s, sched_view(s, draw(p, 4) ? FREE_IDLE : FREE_OR_RELEASING), first) : NULL;
    if (where)
        count(sched_start(s, j, where));
}

static void try_plan(struct sched *s, job_id j)
{
    struct slot slot = timeline_earliest(s, j, sched_now(s), TIME_NEVER, 20);
    if (slot.where && job_state(s, j) == JOB_PENDING)
        count(plan_set(s, j, slot.start_ns, slot.where));
}

static void try_tentative(struct sched *s, struct wild *p, job_id j)
{
    struct request r = job_request(s, j);
    const struct placement *held = job_placement(s, j);
    const struct placement *where = draw(p, 2) && held ? held : sched_place(s, sched_view(s, FREE_OR_RELEASING), &r);
    if (where)
        count(where == held ? sched_tentative_remove(s, j, where) : sched_tentative_add(s, j, where));
}

static void one_verb(struct sched *s, struct wild *p, uint32_t n_jobs)
{
    job_id j = draw(p, n_jobs);
    if (job_state(s, j) == JOB_ABSENT)
        return;
    states[job_state(s, j)]++;
    suspended += job_suspended(s, j) != NULL;
    switch (draw(p, 13)) {
    case 0: case 1: case 2: case 3:
        if (by_task && draw(p, 2))
            try_tasks(s, p, j);
        else if (by_size && job_state(s, j) != JOB_PENDING)
            try_resize(s, p, j);
        else
            try_start(s, p, j);
        break;
    case 4: case 5:
        if (by_task && draw(p, 2))
            count(sched_stop_task(s, j, draw(p, 4), draw(p, 2) ? STOP_SAVE : STOP_RESTART));
        else
            count(sched_stop(s, j, draw(p, 60) == 0 ? STOP_CANCEL : draw(p, by_task && draw(p, 2) ? STOP_SUSPEND + 1 : STOP_SUSPEND)));
        break;
    case 6:
        count(sched_keep(s, j));
        break;
    case 7:
        sched_blocked(s, j, draw(p, WAIT_GROUP + 1));
        line_blocked(s, p->waiting, draw(p, 3) ? job_facts(s, j)->ask->shape : ID_NONE, draw(p, WAIT_REASONS));
        break;
    case 8:
        count(sched_wake_at(s, sched_now(s) + (int64_t)draw(p, 5) * NS_PER_S - NS_PER_S));
        break;
    case 9:
        if (line_remove(p->waiting, j))
            line_push(p->waiting, j, (struct line_key){ .major = draw(p, 5) });
        break;
    case 11:
        if (draw(p, 4) == 0)
            try_tentative(s, p, j);
        break;
    case 10:
        if (!by_task && !by_size)
            try_plan(s, j);
        break;
    default:
        sched_note(s, j, draw(p, n_jobs));
        if (draw(p, 40) == 0)
            count(sched_refuse(s, j, "a whim"));
        break;
    }
}

static uint32_t jobs_of;

static void nested(struct sched *s, struct wild *p, unsigned depth)
{
    static struct seen before[4], after;
    look(s, p, jobs_of, &before[depth]);
    sched_mark_t m = sched_mark(s);
    for (unsigned i = draw(p, VERBS_A_PASS); i > 0; i--) {
        one_verb(s, p, jobs_of);
        if (depth < 3 && draw(p, 6) == 0)
            nested(s, p, depth + 1);
    }
    if (draw(p, 2)) {
        look(s, p, jobs_of, &after);
        noticed += after.n != before[depth].n || memcmp(after.word, before[depth].word, after.n * sizeof after.word[0]);
        return;
    }
    sched_rollback(s, m);
    look(s, p, jobs_of, &after);
    rollbacks++;
    assert_same_seen(&before[depth], &after);
}

/* After a while it only starts what fits, so that the run ends. */
static void wild_schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    struct wild *p = state;
    if (passes_left > 0) {
        passes_left--;
        nested(s, p, 0);
        sched_wake_at(s, sched_now(s) + NS_PER_S);
        return;
    }
    struct line_walk w = { .l = p->waiting };
    for (job_id j; line_next(&w, &j);) {
        struct request r = job_request_sized(s, j, by_size ? job_sizes(s, j).min : job_sizes(s, j).usual);
        for (uint32_t k = 0; by_task && r.tasks != SPLIT_ANY && k < request_tasks(&r); k++) {
            struct request one = *request_of_task(&r, k);
            one.job = j;
            one.next = NULL;
            one.tasks = 1;
            one.first_task = k;
            const struct placement *here = job_state(s, j) == JOB_GATHERING ? sched_place(s, sched_view(s, FREE_IDLE), &one) : NULL;
            if (here)
                sched_start(s, j, here);
        }
        if (job_suspended(s, j) && sched_start(s, j, job_suspended(s, j)) != SCHED_OK)
            sched_stop(s, j, STOP_RESTART);
        const struct placement *where = job_state(s, j) == JOB_PENDING ? sched_place(s, sched_view(s, FREE_IDLE), &r) : NULL;
        if (where)
            sched_start(s, j, where);
    }
}

static void wild_begin(struct sched *s, const void *params, void *state)
{
    (void)params;
    struct wild *p = state;
    p->waiting = line_new(s);
    p->running = line_new(s);
    random_init(&p->r, sched_random(s), "wild", 0);
}

static void wild_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)s;
    (void)params;
    line_push(((struct wild *)state)->waiting, j, (struct line_key){ .major = j % 7 });
}

static void wild_started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    line_remove(((struct wild *)state)->waiting, j);
    line_push(((struct wild *)state)->running, j, (struct line_key){ .time_ns = sched_now(s) });
}

static void wild_stopped(struct sched *s, const void *params, void *state, job_id j, enum stop_cause why)
{
    (void)s;
    (void)params;
    (void)why;
    line_remove(((struct wild *)state)->running, j);
}

static unsigned wild_needs(const void *params)
{
    (void)params;
    return by_size ? RESIZES | SEES_SPEEDUP : by_task ? STARTS_PARTIAL : SEES_TIMELINE;
}

static const struct policy wild_policy = {
    .abi = POLICY_ABI, .name = "wild", .summary = "random verbs", .needs = SEES_RELEASING, .also_needs = wild_needs,
    .state_size = sizeof(struct wild), .begin = wild_begin, .schedule = wild_schedule,
    .job_arrived = wild_arrived, .job_started = wild_started, .job_stopped = wild_stopped,
};

/* Two jobs in three have several sizes, one of six of these keeps what it starts with. */
static void give_sizes(struct world *w)
{
    for (size_t j = 0; j < w->n_jobs; j++) {
        struct job_row *x = &w->job[j];
        if (w->n_parts[j] || j % 3 == 2 || x->gpu_milli < MILLI_ALL)
            continue;
        if (x->tasks)
            x->max_tasks = x->tasks + 1 + (uint32_t)(j % 3);
        else
            x->min_gpus = 1 + (uint32_t)j % x->gpus, x->max_gpus = x->gpus + 1 + (uint32_t)j % 6;
        x->moldable = j % 18 == 0;
    }
}

/* The first queue may hold as much as the largest job asks for: any can run. */
static void limit_first_queue(struct world *w)
{
    uint32_t most = 1;
    for (size_t j = 0; j < w->n_jobs; j++)
        most = w->job[j].gpus > most ? w->job[j].gpus : most;
    struct quota *quota = &w->queue[0].facts.quota;
    quota->limit.gpu_milli = (int64_t)MILLI_ALL * (most + 8);
    if (quota->deserved.gpu_milli > quota->limit.gpu_milli)
        quota->deserved.gpu_milli = quota->limit.gpu_milli;
}

static void rollbacks_restore(void **state)
{
    by_task = *state && !strcmp(*state, "tasks");
    by_size = *state && !strcmp(*state, "sizes");
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world w = random_world(seed);
        random_groups(&w, seed);
        struct combination k = { .policy = &wild_policy, .placer = builtin_placers[seed % 6], .name = "wild" };
        w.period_ns = seed % 4 == 3 ? 2 * NS_PER_S : 0;
        for (size_t g = 0; g < w.n_groups; g++)
            w.group[g].mem_mib = 24;
        for (size_t j = 0; j < w.n_jobs; j++)
            w.job[j].mem_mib = w.job[j].tasks ? (int64_t)(j % 3) : (int64_t)((j % 2) * w.job[j].gpus);
        if (by_size)
            give_sizes(&w);
        if (seed % 3 == 0)
            limit_first_queue(&w);
        jobs_of = (uint32_t)w.n_jobs;
        passes_left = 200;
        world_run(&w, &k, seed, (struct run_observer){ 0 });
    }
}

/* The control: what is not rolled back is seen to differ. */
static void changes_are_seen(void **state)
{
    (void)state;
    assert_true(rollbacks > 10000);
    assert_true(noticed > 10000);
    assert_true(suspended > 1000);
    assert_true(resized > 1000);
}

static void every_answer_is_given(void **state)
{
    (void)state;
    for (unsigned state_of = JOB_PENDING; state_of < JOB_STATES; state_of++)
        if (states[state_of] < 100)
            fail_msg("state %u was met %llu times", state_of, (unsigned long long)states[state_of]);
    for (unsigned r = 0; r < SCHED_RESULTS; r++)
        if (!reached[r])
            fail_msg("no verb answered '%s'", sched_result_name[r]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rollbacks_restore),
                                        { "rollbacks_restore, single tasks", rollbacks_restore, NULL, NULL, "tasks" },
                                        { "rollbacks_restore, sizes", rollbacks_restore, NULL, NULL, "sizes" },
                                        cmocka_unit_test(changes_are_seen),
                                        cmocka_unit_test(every_answer_is_given) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
