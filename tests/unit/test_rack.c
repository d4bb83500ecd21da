/* test_rack.c - the rack placer against a second, plain implementation: all racks sorted anew for every step. Whole GPUs and
 * nothing else, so that a rack's room is the sum of its nodes'. */
#include "tests/support/drawn.h"
#include "tests/support/named.h"
#include "tests/support/wanted.h"

enum { NODES_MOST = 40, JOBS = 80, SEEDS = 60, PASSES = 50, PIECES_MOST = 64 };

struct plain { node_id first, end; };
struct piece_wanted { node_id node; uint32_t gpus; };
struct scene {
    const struct sched *s;
    const struct view *v;
    uint32_t free[NODES_MOST];
    size_t n_racks, n;
    struct plain rack[NODES_MOST];
    struct piece_wanted want[PIECES_MOST];
};
static unsigned compared, refused, over_racks, passes;

static uint32_t rack_free(const struct scene *c, size_t rack)
{
    uint32_t sum = 0;
    for (node_id n = c->rack[rack].first; n < c->rack[rack].end; n++)
        sum += c->free[n];
    return sum;
}

/* Tasks, or GPUs of a total. */
static uint32_t rack_room(const struct scene *c, const struct request *r, size_t rack)
{
    uint32_t sum = 0;
    for (node_id n = c->rack[rack].first; n < c->rack[rack].end; n++)
        sum += r->tasks == SPLIT_ANY ? c->free[n] : c->free[n] / r->gpus;
    return sum;
}

/* The node with the fewest (most) free GPUs that has at least so many; the lowest on ties. */
static node_id node_by_free(const struct scene *c, struct plain rack, uint32_t least, bool fewest)
{
    node_id best = ID_NONE;
    for (node_id n = rack.first; n < rack.end; n++)
        if (c->free[n] >= least &&
            (best == ID_NONE || (fewest ? c->free[n] < c->free[best] : c->free[n] > c->free[best])))
            best = n;
    return best;
}

static void want(struct scene *c, node_id n, uint32_t gpus)
{
    assert_true(c->n < PIECES_MOST);
    c->want[c->n++] = (struct piece_wanted){ n, gpus };
    c->free[n] -= gpus;
}

/* `count` tasks, or GPUs, that do fit the rack. */
static void fill_rack(struct scene *c, const struct request *r, size_t rack, uint32_t count)
{
    while (count > 0 && r->tasks != SPLIT_ANY) {
        want(c, node_by_free(c, c->rack[rack], r->gpus, true), r->gpus);
        count--;
    }
    while (count > 0) {
        node_id whole = node_by_free(c, c->rack[rack], count, true);
        node_id n = whole != ID_NONE ? whole : node_by_free(c, c->rack[rack], 1, false);
        uint32_t gpus = c->free[n] < count ? c->free[n] : count;
        want(c, n, gpus);
        count -= gpus;
    }
}

static bool plain_rack(struct scene *c, const struct request *r)
{
    uint32_t left = r->tasks == SPLIT_ANY ? r->gpus : r->tasks, racks = 0;
    for (; left > 0; racks++) {
        size_t tightest = SIZE_MAX, roomiest = SIZE_MAX;
        for (size_t i = 0; i < c->n_racks; i++) {
            uint32_t room = rack_room(c, r, i);
            if (room >= left && (tightest == SIZE_MAX || rack_free(c, i) < rack_free(c, tightest)))
                tightest = i;
            if (room > 0 && (roomiest == SIZE_MAX || room > rack_room(c, r, roomiest)))
                roomiest = i;
        }
        if (roomiest == SIZE_MAX)
            return false;
        size_t rack = tightest != SIZE_MAX ? tightest : roomiest;
        uint32_t count = rack_room(c, r, rack) < left ? rack_room(c, r, rack) : left;
        fill_rack(c, r, rack, count);
        left -= count;
    }
    over_racks += racks > 1;
    return true;
}

static void look(struct scene *c, const struct sched *s, const struct view *v)
{
    node_id n, end;
    *c = (struct scene){ .s = s, .v = v };
    view_domain_nodes(v, 0, &n, &end);
    while (n < end) {
        struct plain *rack = &c->rack[c->n_racks++];
        domain_id d = view_domain(v, n, LEVEL_RACK);
        *rack = (struct plain){ n, n + 1 };
        if (d != 0)
            view_domain_nodes(v, d, &rack->first, &rack->end);
        for (; n < rack->end; n++)
            c->free[n] = view_node(v, n).whole;
    }
}

static const struct placement *place_and_compare(struct sched *s, job_id j)
{
    static struct scene c;
    struct request r = job_request(s, j);
    look(&c, s, sched_view(s, FREE_IDLE));
    const struct placement *p = sched_place(s, c.v, &r);
    if (!plain_rack(&c, &r)) {
        assert_null(p);
        refused++;
        return NULL;
    }
    assert_non_null(p);
    assert_wanted(c.n, p->n, "job %u: pieces", j);
    for (size_t i = 0; i < c.n; i++) {
        assert_wanted(c.want[i].node, p->piece[i].node, "job %u, piece %zu: node", j, i);
        assert_wanted(c.want[i].gpus, p->piece[i].gpus, "job %u, piece %zu: GPUs", j, i);
    }
    compared++;
    return p;
}

static void schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    bool last = ++passes >= PASSES;
    for (uint32_t k = 0; k < (last ? JOBS : 5); k++) {
        job_id j = last ? k : draw(JOBS);
        const struct placement *p = job_state(s, j) == JOB_PENDING ? place_and_compare(s, j) : NULL;
        if (p)
            assert_int_equal(sched_start(s, j, p), SCHED_OK);
        else if (!last && job_state(s, j) == JOB_RUNNING)
            sched_stop(s, j, STOP_SAVE);
    }
    if (!last)
        sched_wake_at(s, sched_now(s) + NS_PER_S);
}

static void any_group(struct group_spec *g, uint32_t i)
{
    static const char *const names[] = { "a", "b", "c" };
    g->name = names[i];
    g->count = 2 + draw(9);
    g->gpus = 1 + draw(8);
    g->nodes_per_rack = i == 0 ? 1 + draw(4) : draw(5);
    g->racks_per_pod = g->nodes_per_rack ? draw(3) : 0;
}

static void any_job(struct job_row *row)
{
    row->tasks = draw(2) ? 1 + draw(6) : 0;
    row->gpus = row->tasks ? row->tasks * (1 + draw(4)) : 1 + draw(draw(3) ? 10 : 40);
}

static void as_defined(void **state)
{
    static const struct policy checks = { .abi = POLICY_ABI, .name = "checks", .schedule = schedule };
    const struct drawn worlds = { "rack", 3, JOBS, any_group, any_job, always };
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        passes = 0;
        drawn_run(&worlds, seed, &(struct run_setup){ .policy = &checks, .placer = placer_named("rack"), .check = true });
    }
    print_message("rack: %u placements, %u of them over several racks, %u refusals\n", compared, over_racks, refused);
    assert_true(compared > 50 * SEEDS && over_racks > 5 * SEEDS && refused > SEEDS);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, as_defined);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
