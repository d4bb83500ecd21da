/* test_flavors.c - quotas of kinds of nodes, by hand: what a queue is guaranteed of each, what it borrows and gets back
 * there, which flavor a job gets.
 *
 * Every row: a cohort "org" above "a" and "b"; node 0 has H100s, node 1 A100s. The rules are those of
 * policies/kueue/flavors.h, and for `quota`, where a flavor is a node pool with a shard of the scheduler, those of
 * policies/kai/pools.c and rules.h; the arithmetic is beside the row where it is not plain. */
#include "tests/support/schedule.h"

#define NODE(model, gpus_, labels_)                                                                                    \
    {                                                                                                                  \
        .name = (model), .gpu_model = (model), .count = 1, .gpus = (gpus_), .labels = (labels_),                       \
        .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX                                                                   \
    }
#define TWO_KINDS(h, a)   { NODE("H100", h, "kind=h"), NODE("A100", a, "kind=a") }
#define TWO_FLAVORS       { { "h", "kind=h", "", "" }, { "a", "kind=a", "", "" } }
#define GPUS(f, n)        { .flavor = (f), .nominal = { INT64_C(1000) * (n), UNLIMITED, UNLIMITED },                   \
                            .borrowing = { UNLIMITED, UNLIMITED, UNLIMITED }, .lending = { UNLIMITED, UNLIMITED, UNLIMITED } }
#define NOT_BORROWED(f, n) { .flavor = (f), .nominal = { INT64_C(1000) * (n), UNLIMITED, UNLIMITED },                  \
                            .borrowing = { 0, UNLIMITED, UNLIMITED }, .lending = { UNLIMITED, UNLIMITED, UNLIMITED } }
static const struct flavor_quota four_and_eight[] = { GPUS(0, 4), GPUS(1, 8) }, two_and_two[] = { GPUS(0, 2), GPUS(1, 2) },
                                 nothing_of_h[] = { GPUS(0, 0), GPUS(1, 4) }, no_loans[] = { NOT_BORROWED(0, 2), NOT_BORROWED(1, 2) };
static const struct flavor_quota one_and_four[] = { NOT_BORROWED(0, 1), NOT_BORROWED(1, 4) };
#define SET_OF(name_, n, with)                                                                                         \
    {                                                                                                                  \
        .group = (name_), .gpus = 1, .gpu_milli = MILLI_ALL, .tasks = (n), .required_level = LEVEL_ANY,                \
        .preferred_level = LEVEL_ANY, .podset_group = (with)                                                           \
    }
#define OF_N(n, up, quotas, how_many, how, ...)                                                                                    \
    {                                                                                                                  \
        .facts = {                                                                                                     \
            .name = (n), .parent = (up), .weight = 1,                                                                  \
            .quota = { { 0, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } },                             \
            .flavor_quota = (quotas), .n_flavor_quotas = (how_many), .fungibility = how,                               \
            .cohort = { .borrowing_limit = { UNLIMITED, UNLIMITED, UNLIMITED },                                        \
                        .lending_limit = { UNLIMITED, UNLIMITED, UNLIMITED },                                          \
                        .borrow_priority_threshold = INT32_MAX, __VA_ARGS__ }                                          \
        }                                                                                                              \
    }
#define AT_MOST(f, n, more) { .flavor = (f), .nominal = { INT64_C(1000) * (n), UNLIMITED, UNLIMITED },                   \
                            .borrowing = { INT64_C(1000) * (more), UNLIMITED, UNLIMITED },                             \
                            .lending = { UNLIMITED, UNLIMITED, UNLIMITED } }
static const struct flavor_quota four_of_h[] = { GPUS(0, 4) }, one_of_a[] = { GPUS(1, 1) }, four_and_two[] = { GPUS(0, 4), GPUS(1, 2) }, none[] = { GPUS(0, 0), GPUS(1, 0) };
static const struct flavor_quota four_and_four[] = { GPUS(0, 4), GPUS(1, 4) }, four_of_a[] = { GPUS(1, 4) }, limited[] = { AT_MOST(0, 2, 1), GPUS(1, 2) }, two_of_h[] = { GPUS(0, 2) }, a_before_h[] = { GPUS(1, 2), GPUS(0, 2) };
#define USUAL        { 0 }
#define OF(n, up, quotas, ...) OF_N(n, up, quotas, 2, __VA_ARGS__)
#define ORG          OF_N("org", ID_NONE, NULL, 0, USUAL, .reclaim = RECLAIM_NEVER)
#define BOTH(quotas, how, ...)                                                                                         \
    {                                                                                                                  \
        ORG, OF("a", 0, quotas, how, __VA_ARGS__), OF("b", 0, quotas, how, __VA_ARGS__) \
    }
#define A      .queue = "a"
#define B      .queue = "b"
#define C      .queue = "c"
#define ANY    .reclaim = RECLAIM_ANY
#define NEXT   1e-9 /* from a pass to the one that it asks for */
#define UNPAID { .checkpoint = CHECKPOINT_PERFECT }

/* clang-format off */
static const struct schedule rows[] = {
    /* b holds all 8 H100s and all 16 A100s. a, with 4 and 8 guaranteed, gets exactly that of each: the two jobs that borrow
     * leave, those within b's quota of that kind stay. At 100 these end and b, within its quota, goes before the one GPU that a
     * would borrow: what was stopped at 10 has 91 s left. */
    { "4 of one kind and 8 of another are guaranteed", "cohort", TWO_KINDS(8, 16), .flavor = TWO_FLAVORS,
      .queue = BOTH(four_and_eight, USUAL, .reclaim = RECLAIM_ANY), .overhead = UNPAID, .jobs = {
        { 0, 100, 4, 0, B, .gpu_type = "H100", .took = "0:0123" }, { 1, 100, 4, 1, B, .gpu_type = "H100", .ends = 191, .stops = 1 },
        { 0, 100, 8, 0, B, .gpu_type = "A100" }, { 1, 100, 8, 1, B, .gpu_type = "A100", .ends = 191, .stops = 1 },
        { 10, 200, 4, 10, A, .gpu_type = "H100", .took = "0:4567" }, { 10, 200, 8, 10, A, .gpu_type = "A100" },
        { 20, 10, 1, 191, A, .gpu_type = "H100" } } },
    { "a borrowed kind is not the quota of another", "cohort", TWO_KINDS(4, 4), .flavor = TWO_FLAVORS, .queue = BOTH(no_loans, USUAL),
      .jobs = { { 0, 10, 2, 0, A, .gpu_type = "H100" }, { 0, 10, 1, 10, A, .gpu_type = "H100", .took = "0:0" },
                { 0, 10, 2, 0, A, .gpu_type = "A100" } } },
    { "the first flavor that fits", "cohort", TWO_KINDS(4, 4), .flavor = TWO_FLAVORS, .queue = BOTH(no_loans, USUAL), .jobs = {
        { 0, 10, 2, 0, A, .took = "0:01" }, { 0, 10, 2, 0, A, .took = "1:01" }, { 0, 10, 2, 10, A, .took = "0:01" } } },
    /* no loans, 1 of h and 4 of a: of leader and workers each by itself the leader, one GPU, goes to h and the three workers to
     * a; together they ask for four, which h never has */
    { "two sets have their flavors", "cohort", TWO_KINDS(4, 4), .flavor = TWO_FLAVORS, .queue = BOTH(one_and_four, USUAL),
      .placer = "kueue-tas", .jobs = { { 0, 10, .starts = 0, PARTS(SET_OF("l", 1, NULL), SET_OF("w", 3, NULL)), A,
                                         .took = "0:0 1:0 1:1 1:2" } } },
    { "leader and workers have one flavor", "cohort", TWO_KINDS(4, 4), .flavor = TWO_FLAVORS, .queue = BOTH(one_and_four, USUAL),
      .placer = "kueue-tas", .jobs = { { 0, 10, .starts = 0, PARTS(SET_OF("l", 1, "p"), SET_OF("w", 3, "p")), A,
                                         .took = "1:0 1:1 1:2 1:3" } } },
    { "a job for which no flavor is enough is refused", "cohort", TWO_KINDS(4, 4), .flavor = TWO_FLAVORS, .queue = BOTH(no_loans, USUAL),
      .jobs = { { 0, 10, 3, NEVER, A, .refused = "asks for more than its queue could ever borrow" } } },
    /* Of h it can only borrow; of a it has its own. */
    { "borrowing stops the search", "cohort", TWO_KINDS(4, 8), .flavor = TWO_FLAVORS,
      .queue = { ORG, OF("a", 0, nothing_of_h, USUAL), OF("b", 0, four_and_eight, USUAL) },
      .jobs = { { 0, 10, 2, 0, A, .took = "0:01" } } },
    { "borrowing tries the next flavor", "cohort", TWO_KINDS(4, 8), .flavor = TWO_FLAVORS,
      .queue = { ORG, OF("a", 0, nothing_of_h, { .when_can_borrow = BORROW_TRIES_NEXT }),
                 OF("b", 0, four_and_eight, USUAL) },
      .jobs = { { 0, 10, 2, 0, A, .took = "1:01" } } },
    { "preempting tries the next flavor", "cohort", TWO_KINDS(4, 4), .flavor = TWO_FLAVORS,
      .queue = BOTH(two_and_two, USUAL, .reclaim = RECLAIM_ANY), .overhead = UNPAID, .jobs = {
        { 0, 10, 4, 0, B, .gpu_type = "H100" }, { 1, 10, 2, 1, A, .took = "1:01" } } },
    { "preempting stops the search", "cohort", TWO_KINDS(4, 4), .flavor = TWO_FLAVORS,
      .queue = BOTH(two_and_two, { .when_can_preempt = PREEMPT_STOPS }, .reclaim = RECLAIM_ANY), .overhead = UNPAID, .jobs = {
        { 0, 10, 4, 0, B, .gpu_type = "H100", .ends = 20, .stops = 1 }, { 1, 10, 2, 1, A, .took = "0:01" } } },
    /* The first flavor is passed over for its taint; "a" tolerates what the nodes of a need not. */
    { "a taint of a flavor", "cohort", TWO_KINDS(4, 4), .flavor = { { "h", "kind=h", "paid:NoSchedule", "" }, { "a", "kind=a", "", "" } },
      .queue = BOTH(two_and_two, USUAL), .jobs = {
        { 0, 10, 1, 0, A, .took = "1:0" }, { 0, 10, 1, 0, A, .took = "0:0", .tolerations = "paid" } } },
    /* Node 1 is tainted: a job that does not tolerate it runs there in a flavor that does. Kueue adds the
     * tolerations of a flavor to the pods (kubernetes-sigs/kueue:apis/kueue/v1beta2/resourceflavor_types.go). */
    { "a flavor tolerates the taint of its nodes", "cohort",
      .group = { { .name = "h", .count = 1, .gpus = 4, .labels = "kind=h" },
                  { .name = "a", .count = 1, .gpus = 4, .labels = "kind=a", .taints = "old:NoSchedule" } },
      .flavor = { { "h", "kind=h", "", "" }, { "a", "kind=a", "", "old" } },
      .queue = BOTH(no_loans, USUAL), .jobs = {
        { 0, 10, 2, 0, A, .took = "0:01" }, { 0, 10, 2, 0, A, .took = "1:01" }, { 0, 10, 2, 0, B, .took = "0:23" } } },
    { "only a flavor tolerates the nodes", "cohort",
      .group = { { .name = "a", .count = 1, .gpus = 4, .labels = "kind=a", .taints = "old:NoSchedule" } },
      .flavor = { { "h", "kind=h", "", "" }, { "a", "kind=a", "", "old" } },
      .queue = BOTH(no_loans, USUAL), .jobs = { { 0, 10, 2, 0, A, .took = "0:01" } } },
    { "runs of a job choose by themselves", "cohort", TWO_KINDS(4, 4), .flavor = TWO_FLAVORS, .queue = BOTH(no_loans, USUAL), .jobs = {
        { 0, 10, .starts = 0, A, PARTS(PART("x", LEVEL_ANY, 1, 2, 0), PART("y", LEVEL_ANY, 1, 1, 0)), .took = "0:01 1:0" } } },
    /* Cohorts x and y have 1 A100 each, org has the 4 H100s, of which each cohort borrows 2: share 2/6 each, of 6 GPUs that org could
     * lend. c has borrowed the second A100: 1/6. With one A100 a cohort is within its quota of these, so shares stand still
     * whoever has it: 2/6 <= 2/6 without the other's job (S2-a), and the one that waits stops the other's, which stops it in turn.
     * Kueue goes on so; here a job comes back once a pass, so there are three stops in each: at 10 a, b, a, at 20, when
     * another job comes, b, a, b. At 100 c's A100 comes free. */
    { "by shares, cohorts within their quota of a kind stop each other's jobs", "cohort:sharing=fair", TWO_KINDS(4, 2), .flavor = TWO_FLAVORS,
      .queue = { OF_N("org", ID_NONE, four_of_h, 1, USUAL, ANY), OF_N("x", 0, one_of_a, 1, USUAL, ANY), OF_N("y", 0, one_of_a, 1, USUAL, ANY),
                 OF("a", 1, none, USUAL, ANY), OF("b", 2, none, USUAL, ANY), OF("c", 0, none, USUAL, ANY) }, .overhead = UNPAID, .jobs = {
        { 0, 100, 2, 0, A, .gpu_type = "H100" }, { 0, 100, 2, 0, B, .gpu_type = "H100" }, { 0, 100, 1, 0, C, .gpu_type = "A100" },
        { 0, 100, 1, 0, B, .gpu_type = "A100", .ends = 110, .stops = 1 }, { 10, 100, 1, 10, A, .gpu_type = "A100", .ends = 190, .stops = 1 },
        { 20, 10, 2, 100, C, .gpu_type = "H100" } } },
    /* The same without the cohorts: a share falls with what its queue gives up. 3/6 <= 3/6 - 1/6 does not hold, nor 3/6 < 3/6. */
    { "by shares, queues do not", "cohort:sharing=fair", TWO_KINDS(4, 2), .flavor = TWO_FLAVORS,
      .queue = { OF_N("org", ID_NONE, four_and_two, 2, USUAL, ANY), OF("a", 0, none, USUAL, ANY), OF("b", 0, none, USUAL, ANY),
                 OF("c", 0, none, USUAL, ANY) }, .overhead = UNPAID, .jobs = {
        { 0, 100, 2, 0, A, .gpu_type = "H100" }, { 0, 100, 2, 0, B, .gpu_type = "H100" }, { 0, 100, 1, 0, C, .gpu_type = "A100" },
        { 0, 100, 1, 0, B, .gpu_type = "A100" }, { 10, 100, 1, 100, A, .gpu_type = "A100" },
        { 20, 10, 2, 100, C, .gpu_type = "H100" } } },

    /* ---- quota: a node pool of each flavor ---- */

    /* As above: the newest jobs of b leave, and b, which then holds nothing of its quota of H100s, goes first at 100. */
    { "pools: 4 of one kind and 8 of another are guaranteed", "quota", TWO_KINDS(8, 16), .flavor = TWO_FLAVORS,
      .queue = BOTH(four_and_eight, USUAL), .overhead = UNPAID, .jobs = {
        { 0, 100, 4, 0, B, .gpu_type = "H100", .took = "0:0123" }, { 1, 100, 4, 1, B, .gpu_type = "H100", .ends = 191, .stops = 1 },
        { 0, 100, 8, 0, B, .gpu_type = "A100" }, { 1, 100, 8, 1, B, .gpu_type = "A100", .ends = 191, .stops = 1 },
        { 10, 200, 4, 10 + NEXT, A, .gpu_type = "H100", .took = "0:4567" }, { 10, 200, 8, 10 + NEXT, A, .gpu_type = "A100" },
        { 20, 10, 1, 191, A, .gpu_type = "H100" } } },
    /* b holds 4 of its 8 A100s and no H100: that it is far within the sum of its quotas gives it none of a's 4 H100s, of which
     * it deserves nothing. With quotas of no kind it would be owed 8 GPUs, and take them. */
    { "pools: unused quota of a kind takes nothing of another", "quota", TWO_KINDS(4, 8), .flavor = TWO_FLAVORS,
      .queue = { ORG, OF("a", 0, four_and_eight, USUAL), OF("b", 0, nothing_of_h, USUAL) }, .overhead = UNPAID, .jobs = {
        { 0, 100, 4, 0, A, .gpu_type = "H100" }, { 0, 100, 4, 0, B, .gpu_type = "A100" },
        { 10, 10, 4, 100, B, .gpu_type = "H100" } } },
    /* Non-preemptible jobs hold no more of a kind than the quota of that kind, though 2 of the other are left. */
    { "pools: non-preemptible within the quota of its kind", "quota", TWO_KINDS(4, 4), .flavor = TWO_FLAVORS,
      .queue = BOTH(two_and_two, USUAL), .jobs = {
        { 0, 10, 2, 0, A, .gpu_type = "H100", .stays = true }, { 0, 10, 1, 10, A, .gpu_type = "H100", .stays = true },
        { 0, 10, 2, 0, A, .gpu_type = "A100", .stays = true } } },
    /* The limit of a kind is deserved + borrowing limit: 2 + 1. */
    { "pools: a limit of a kind", "quota", TWO_KINDS(4, 4), .flavor = TWO_FLAVORS, .queue = BOTH(limited, USUAL), .jobs = {
        { 0, 10, 3, 0, A, .gpu_type = "H100" }, { 0, 10, 1, 10, A, .gpu_type = "H100" }, { 0, 10, 4, 0, A, .gpu_type = "A100" } } },
    /* A limit of the queue itself is of all kinds together: 3 of H100 and 2 of A100 are 5. */
    { "pools: a limit of all kinds", "quota", TWO_KINDS(4, 4), .flavor = TWO_FLAVORS,
      .queue = { ORG, { .facts = { .name = "a", .parent = 0, .weight = 1,
                                   .quota = { { 0, UNLIMITED, UNLIMITED }, { 5000, UNLIMITED, UNLIMITED } },
                                   .flavor_quota = two_and_two, .n_flavor_quotas = 2 } } },
      .jobs = { { 0, 10, 3, 0, A, .gpu_type = "H100" }, { 0, 20, 2, 0, A, .gpu_type = "A100" }, { 0, 10, 1, 10, A, .gpu_type = "A100" } } },
    /* The first two fill the first kind. The others find no place there, and go on together: 4 idle GPUs of the other kind
     * hold two of them, and one more goes. It waits there in vain, as it has in the first: only when GPUs
     * of the first are idle, at 10, it goes back to them. */
    { "pools: on to the next kind", "quota", TWO_KINDS(4, 4), .flavor = TWO_FLAVORS, .queue = { ORG, OF("a", 0, two_and_two, USUAL) },
      .jobs = { { 0, 10, 2, 0, A, .took = "0:01" }, { 0, 10, 2, 0, A, .took = "0:23" }, { 0, 10, 2, NEXT, A, .took = "1:01" },
                { 0, 10, 2, NEXT, A, .took = "1:23" }, { 0, 10, 2, 10 + NEXT, A, .took = "0:01" } } },
    { "pools: the order of the queue's list", "quota", TWO_KINDS(4, 4), .flavor = TWO_FLAVORS, .queue = { ORG, OF("a", 0, a_before_h, USUAL) },
      .jobs = { { 0, 10, 2, 0, A, .took = "1:01" } } },
    /* a's own 2 of the second kind are b's: its job waits in vain in the first, goes on, and takes them back from the
     * newest, which has done 9 s and goes on when it has ended: 28 + 91. */
    { "pools: reclaims in the next kind", "quota", TWO_KINDS(2, 4), .flavor = TWO_FLAVORS,
      .queue = { ORG, OF("a", 0, two_and_two, USUAL), OF("b", 0, two_and_two, USUAL) }, .overhead = UNPAID, .jobs = {
        { 0, 100, 2, 0, B, .gpu_type = "H100" }, { 0, 100, 2, 0, B, .gpu_type = "A100" },
        { 1, 100, 2, 1, B, .gpu_type = "A100", .ends = 119 + NEXT, .stops = 1 }, { 10, 18, 2, 10 + 2 * NEXT, A, .took = "1:23" } } },
    /* Neither of the last two finds room in the first pool. In the second the job of priority 1 stops that of 0, which has
     * done 9 s and goes on when it has ended: 28 + 91. So does one that asks for the same. */
    { "pools: preempts in the next kind", "quota", TWO_KINDS(2, 2), .flavor = TWO_FLAVORS,
      .queue = { ORG, OF("a", 0, two_and_two, USUAL) }, .overhead = UNPAID, .jobs = {
        { 0, 200, 2, 0, A, .priority = 1, .took = "0:01" }, { 1, 100, 2, 1 + NEXT, A, .ends = 119 + 2 * NEXT, .stops = 1 },
        { 10, 18, 2, 10 + 2 * NEXT, A, .priority = 1, .tasks = 2, .took = "1:0 1:1" } } },
    { "pools: what asks for the same preempts there, too", "quota", TWO_KINDS(2, 2), .flavor = TWO_FLAVORS,
      .queue = { ORG, OF("a", 0, two_and_two, USUAL) }, .overhead = UNPAID, .jobs = {
        { 0, 200, 2, 0, A, .priority = 1, .took = "0:01" }, { 1, 100, 2, 1 + NEXT, A, .ends = 119 + 2 * NEXT, .stops = 1 },
        { 10, 18, 2, 10 + 2 * NEXT, A, .priority = 1, .took = "1:01" } } },
    /* Nothing may be taken from others in the second pool, so that jobs 3 and 4 wait where they came to. Job 3 is the first of
     * them where GPUs are free at 100; job 4 goes on then, and finds the pool that is free at 101. */
    { "pools: no job goes on in vain where none can be stopped", "quota", TWO_KINDS(2, 2), .flavor = TWO_FLAVORS, .period = 1,
      .queue = { ORG, OF("a", 0, two_and_two, USUAL) }, .jobs = {
        { 0, 100, 2, 0, A, .took = "0:01" }, { 0, 100, 2, 1, A, .took = "1:01" },
        { 1, 10, 2, 100, A, .tasks = 2, .took = "0:0 0:1" }, { 1, 10, 2, 102, A, .tasks = 2, .min_tasks = 1, .stays = true, .took = "1:0 1:1" } } },
    /* Of a's jobs of four tasks the last three come when job 5, of priority 2, takes what is free of H100s at 20. None but job 4
     * may stop it, which wants two GPUs and waits among the A100s, of which b keeps its own four. As one a pass goes on, priority 8
     * and then 9 come back before it, while those of priority 5 (three tasks) and 1 (one task) leave the H100s in vain: neither is
     * as easy as job 4, though one wants less and the other has more priority. It comes back at the third pass after 20, stops job
     * 5 at the fourth and starts at the fifth. */
    { "pools: a job goes on though a wide one and a low one have left", "quota", TWO_KINDS(4, 4), .flavor = TWO_FLAVORS, .until = 50,
      .queue = { ORG, OF("a", 0, four_and_four, USUAL), OF_N("b", 0, four_of_a, 1, USUAL) }, .overhead = UNPAID, .jobs = {
        { 0, 20, 2, 0, A, .priority = 9, .gpu_type = "H100" }, { 0, 100, 2, 0, A, .ends = NEVER, .priority = 9, .gpu_type = "H100" },
        { 0, 100, 4, 0, B, .ends = NEVER }, { 5, 100, 4, NEVER, A, .priority = 8, .tasks = 4 },
        { 5, 100, 4, 20 + 4 * NEXT, A, .ends = NEVER, .priority = 3, .tasks = 4, .min_tasks = 2 },
        { 20, 100, 2, 20, A, .ends = NEVER, .priority = 2, .gpu_type = "H100", .stops = 1 },
        { 20, 100, 4, NEVER, A, .priority = 9, .tasks = 4 }, { 20, 100, 4, NEVER, A, .priority = 5, .tasks = 4, .min_tasks = 3 },
        { 20, 100, 4, NEVER, A, .priority = 1, .tasks = 4, .min_tasks = 1 } } },
    /* A queue has what it lists; all tasks of a job are in one pool. */
    { "pools: no quota of the kind", "quota", TWO_KINDS(4, 4), .flavor = TWO_FLAVORS, .queue = { ORG, OF_N("a", 0, two_of_h, 1, USUAL) },
      .jobs = { { 0, 10, 1, NEVER, A, .gpu_type = "A100", .refused = "no flavor that its queue has a quota of has enough nodes that it may use" },
                { 0, 10, 4, 0, A, .took = "0:0123" } } },
    { "pools: a gang is in one", "quota", TWO_KINDS(4, 4), .flavor = TWO_FLAVORS, .queue = BOTH(two_and_two, USUAL), .until = 50, .jobs = {
        { 0, 10, 1, 0, B, .gpu_type = "H100" }, { 0, 10, 4, NEXT, A, .tasks = 4, .took = "1:0 1:1 1:2 1:3" } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
