/* test_cohort.c - queues that borrow each other's quota and get it back, by hand.
 *
 * Every row: a cohort "org" above "a" and "b". What each expects follows from the rules in books.h, search.h and
 * fair.h; the arithmetic is beside the row where it is not plain. */
#include "tests/support/schedule.h"

#define BOUNDED(n, up, gpus, w, borrows, lends, threshold, ...)                                                        \
    {                                                                                                                  \
        .facts = {                                                                                                     \
            .name = (n),                                                                                               \
            .parent = (up),                                                                                            \
            .weight = (w),                                                                                             \
            .quota = { { INT64_C(1000) * (gpus), UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } },        \
            .cohort = { .borrowing_limit = { (borrows), UNLIMITED, UNLIMITED },                                        \
                        .lending_limit = { (lends), UNLIMITED, UNLIMITED },                                            \
                        .borrow_priority_threshold = (threshold),                                                      \
                        __VA_ARGS__ }                                                                                  \
        }                                                                                                              \
    }
#define LIMITED(n, up, gpus, w, borrows, lends, ...) BOUNDED(n, up, gpus, w, borrows, lends, INT32_MAX, __VA_ARGS__)
#define SHARES(n, up, gpus, w, ...) LIMITED(n, up, gpus, w, UNLIMITED, UNLIMITED, __VA_ARGS__)
#define TWO_AND_TWO(...)                                                                                               \
    {                                                                                                                  \
        SHARES("org", ID_NONE, 0, 1), SHARES("a", 0, 2, 1, __VA_ARGS__), SHARES("b", 0, 2, 1, __VA_ARGS__)             \
    }
#define A   .queue = "a"
#define B   .queue = "b"
/* A queue of so many GPUs with two local queues, the second of that weight. */
#define LOCAL(how, gpus, w, ...)                                                                                       \
    {                                                                                                                  \
        { .facts = { .name = "q", .parent = ID_NONE, .weight = 1, .local_queues = (how), .cohort = { __VA_ARGS__ BY_ANYTHING }, \
                     .quota = { { INT64_C(1000) * (gpus), UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } } } }, \
        SHARES("a", 0, 0, 1), SHARES("b", 0, 0, (w))                                                                   \
    }
#define BY_ANYTHING                                                                                                    \
    .borrowing_limit = { UNLIMITED, UNLIMITED, UNLIMITED }, .lending_limit = { UNLIMITED, UNLIMITED, UNLIMITED },      \
    .borrow_priority_threshold = INT32_MAX
#define ANY .reclaim = RECLAIM_ANY
#define UNPAID                                                                                                         \
    {                                                                                                                  \
        .checkpoint = CHECKPOINT_PERFECT                                                                               \
    }

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- Borrowing and lending ---- */
    { "borrows what is idle", "cohort", ONE_NODE(4), .queue = TWO_AND_TWO(), .jobs = { { 0, 10, 4, 0, A } } },
    { "without a cohort nominal quota is all", "cohort", ONE_NODE(4), .queue = { SHARES("a", ID_NONE, 2, 1) }, .jobs = {
        { 0, 10, 2, 0, A }, { 1, 5, 1, 10, A, .waits = { [WAIT_LIMIT] = 9 } } } },
    { "no more than the borrowing limit", "cohort", ONE_NODE(4),
      .queue = { SHARES("org", ID_NONE, 0, 1), LIMITED("a", 0, 2, 1, 1000, UNLIMITED), SHARES("b", 0, 2, 1) }, .jobs = {
        { 0, 10, 3, 0, A }, { 1, 5, 1, 10, A, .waits = { [WAIT_LIMIT] = 9 } },
        { 1, 5, 4, NEVER, A, .refused = "asks for more than its queue could ever borrow" } } },
    { "no more than the lending limit of the other", "cohort", ONE_NODE(4),
      .queue = { SHARES("org", ID_NONE, 0, 1), SHARES("a", 0, 2, 1), LIMITED("b", 0, 2, 1, UNLIMITED, 1000) }, .jobs = {
        { 0, 10, 3, 0, A }, { 1, 5, 1, 10, A, .waits = { [WAIT_QUOTA] = 9 } }, { 2, 5, 1, 2, B } } },
    { "quota of the cohort itself is for all its queues", "cohort", ONE_NODE(4),
      .queue = { SHARES("org", ID_NONE, 4, 1), SHARES("a", 0, 0, 1), SHARES("b", 0, 0, 1) }, .jobs = {
        { 0, 10, 3, 0, A }, { 1, 5, 1, 1, B }, { 2, 5, 1, 6, B, .waits = { [WAIT_QUOTA] = 4 } } } },
    /* at 10 one GPU is free, and nothing fits; at 20 two are: the first cycle has the 4 of a and the 2 of b, the second the 2 of a,
     * though these are older */
    { "jobs of a queue meet others in cycle after cycle, also those that are not asked", "cohort", ONE_NODE(4),
      .queue = { SHARES("org", ID_NONE, 0, 1, ANY), SHARES("a", 0, 0, 1, ANY), SHARES("b", 0, 0, 1, ANY), SHARES("c", 0, 4, 1) }, .jobs = {
        { 0, 100, 2, 0, .queue = "c" }, { 0, 10, 1, 0, .queue = "c" }, { 0, 20, 1, 0, .queue = "c" },
        { 1, 5, 4, 100, A, .waits = { [WAIT_QUOTA] = 99 } }, { 2, 5, 2, 25, A, .waits = { [WAIT_QUOTA] = 23 } },
        { 3, 5, 2, 20, B, .waits = { [WAIT_QUOTA] = 17 } } } },
    { "a job within the quota of its queue goes first", "cohort", ONE_NODE(4), .queue = TWO_AND_TWO(), .jobs = {
        { 0, 10, 3, 10, A }, { 0, 10, 2, 0, B } } },
    { "the limit caps what is borrowed", "cohort", ONE_NODE(4),
      .queue = { SHARES("org", ID_NONE, 2, 1), { .facts = { .name = "a", .parent = 0, .weight = 1,
                 .quota = { { 1000, UNLIMITED, UNLIMITED }, { 2000, UNLIMITED, UNLIMITED } },
                 .cohort = COHORT_RULES_UNSAID } } }, .jobs = {
        { 0, 10, 2, 0, A }, { 0, 10, 1, 10, A, .waits = { [WAIT_LIMIT] = 10 } } } },

    /* ---- Getting it back ---- */
    { "reclaim: the newest borrower goes", "cohort", ONE_NODE(4), .queue = TWO_AND_TWO(ANY), .overhead = UNPAID, .jobs = {
        { 0, 100, 2, 0, A }, { 1, 100, 2, 1, A, .ends = 111, .stops = 1 }, { 10, 10, 2, 10, B } } },
    { "reclaim: the preemptor waits until the victim has left", "cohort", ONE_NODE(4), .queue = TWO_AND_TWO(ANY),
      .overhead = { .checkpoint = CHECKPOINT_PERFECT, .save_ns = 3 * NS_PER_S, .grace_ns = 5 * NS_PER_S }, .jobs = {
        { 0, 100, 2, 0, A }, { 1, 100, 2, 1, A, .ends = 114, .stops = 1 },
        { 10, 10, 2, 13, B, .waits = { [WAIT_RELEASING] = 3 } } } },
    { "reclaim: never: who is owed waits", "cohort", ONE_NODE(4), .queue = TWO_AND_TWO(), .overhead = UNPAID, .jobs = {
        { 0, 100, 2, 0, A }, { 1, 100, 2, 1, A }, { 10, 10, 2, 100, B, .waits = { [WAIT_PROTECTED] = 90 } } } },
    { "reclaim: only from lower priorities", "cohort", ONE_NODE(4), .queue = TWO_AND_TWO(.reclaim = RECLAIM_LOWER_PRIORITY),
      .overhead = UNPAID, .jobs = {
        { 0, 100, 2, 0, A, .priority = -1, .ends = 120, .stops = 1 }, { 1, 100, 2, 1, A },
        { 10, 10, 2, 10, B }, { 11, 10, 2, 20, B, .waits = { [WAIT_QUOTA] = 9 } } } },
    { "reclaim: never below nominal", "cohort", ONE_NODE(4), .queue = TWO_AND_TWO(ANY), .overhead = UNPAID, .jobs = {
        { 0, 10, 2, 0, A }, { 1, 10, 3, 10, B, .waits = { [WAIT_QUOTA] = 9 } } } },
    { "reclaim: one GPU too many may cost a gang", "cohort", ONE_NODE(4), .queue = TWO_AND_TWO(ANY), .overhead = UNPAID, .jobs = {
        { 0, 100, 3, 0, A, .ends = 105, .stops = 1 }, { 10, 5, 2, 10, B } } },
    { "reclaim: who is not preemptible stays", "cohort", ONE_NODE(4), .queue = TWO_AND_TWO(ANY), .overhead = UNPAID, .jobs = {
        { 0, 20, 2, 0, A, .ends = 30, .stops = 1 }, { 1, 20, 2, 1, A, .stays = true }, { 10, 10, 2, 10, B } } },
    { "reclaim: the victim does not come back at once", "cohort", ONE_NODE(4), .queue = TWO_AND_TWO(ANY), .overhead = UNPAID, .jobs = {
        { 0, 30, 4, 0, A, .ends = 50, .stops = 1 }, { 10, 20, 1, 10, B } } },
    { "own queue: the lower priority goes", "cohort", ONE_NODE(2),
      .queue = { SHARES("a", ID_NONE, 2, 1, .within_queue = WITHIN_LOWER_PRIORITY) }, .overhead = UNPAID, .jobs = {
        { 0, 10, 1, 0, A, .priority = 1 }, { 1, 10, 1, 1, A, .ends = 16, .stops = 1 }, { 2, 5, 1, 2, A, .priority = 1 } } },
    { "own queue: the newer of equals goes", "cohort", ONE_NODE(2),
      .queue = { SHARES("a", ID_NONE, 2, 1, .within_queue = WITHIN_LOWER_OR_NEWER_EQUAL) }, .overhead = UNPAID, .jobs = {
        { 0, 10, 1, 0, A }, { 1, 5, 2, 10, A }, { 2, 20, 1, 2, A, .ends = 27, .stops = 1 } } },
    { "own queue: of lower priority only, equals wait", "cohort", ONE_NODE(2),
      .queue = { SHARES("a", ID_NONE, 2, 1, .within_queue = WITHIN_LOWER_PRIORITY) }, .overhead = UNPAID, .jobs = {
        { 0, 10, 1, 0, A }, { 1, 5, 2, 22, A }, { 2, 20, 1, 2, A } } },
    { "borrowing: stops a lower priority elsewhere", "cohort", ONE_NODE(4),
      .queue = TWO_AND_TWO(.reclaim = RECLAIM_LOWER_PRIORITY, .borrow = BORROW_LOWER_PRIORITY), .overhead = UNPAID, .jobs = {
        { 0, 10, 3, 0, B, .ends = 15, .stops = 1 }, { 5, 5, 3, 5, A, .priority = 1 } } },
    { "borrowing: not without leave to", "cohort", ONE_NODE(4), .queue = TWO_AND_TWO(.reclaim = RECLAIM_LOWER_PRIORITY),
      .overhead = UNPAID, .jobs = { { 0, 10, 3, 0, B }, { 5, 5, 3, 10, A, .priority = 1 } } },
    { "borrowing: not above the threshold", "cohort", ONE_NODE(4),
      .queue = { SHARES("org", ID_NONE, 0, 1), BOUNDED("a", 0, 2, 1, UNLIMITED, UNLIMITED, -1,
                 .reclaim = RECLAIM_LOWER_PRIORITY, .borrow = BORROW_LOWER_PRIORITY), SHARES("b", 0, 2, 1) },
      .overhead = UNPAID, .jobs = { { 0, 10, 3, 0, B }, { 5, 5, 3, 10, A, .priority = 1 } } },

    /* ---- Order ---- */
    { "best effort: a job that does not fit is set aside", "cohort", ONE_NODE(2), .queue = { SHARES("a", ID_NONE, 2, 1) }, .jobs = {
        { 0, 10, 1, 0, A }, { 1, 5, 2, 10, A, .waits = { [WAIT_LIMIT] = 9 } }, { 2, 5, 1, 2, A } } },
    { "strict: a job that does not fit blocks its queue", "cohort", ONE_NODE(2),
      .queue = { SHARES("a", ID_NONE, 2, 1, .queueing = STRICT_FIFO) }, .jobs = {
        { 0, 10, 1, 0, A }, { 1, 5, 2, 10, A, .waits = { [WAIT_LIMIT] = 9 } },
        { 2, 5, 1, 15, A, .waits = { [WAIT_ORDER] = 8, [WAIT_LIMIT] = 5 } } } },
    { "strict: but no other queue", "cohort", ONE_NODE(4),
      .queue = { SHARES("org", ID_NONE, 0, 1), LIMITED("a", 0, 2, 1, 0, UNLIMITED, .queueing = STRICT_FIFO), SHARES("b", 0, 2, 1) },
      .jobs = { { 0, 10, 1, 0, A }, { 1, 5, 2, 10, A }, { 2, 5, 2, 2, B } } },
    { "strict: what its head may have is not lent meanwhile", "cohort", ONE_NODE(4),
      .queue = { SHARES("org", ID_NONE, 0, 1), SHARES("a", 0, 2, 1, .queueing = STRICT_FIFO), SHARES("b", 0, 2, 1) }, .jobs = {
        { 0, 10, 3, 0, B }, { 1, 5, 2, 10, A, .waits = { [WAIT_PROTECTED] = 9 } },
        { 2, 5, 1, 10, B, .waits = { [WAIT_RESERVED] = 8 } } } },
    { "priority before age", "cohort", ONE_NODE(2), .queue = { SHARES("a", ID_NONE, 2, 1) }, .jobs = {
        { 0, 10, 2, 0, A }, { 1, 5, 2, 15, A }, { 2, 5, 2, 10, A, .priority = 1 } } },

    /* ---- Shares: 6 GPUs of the cohort, weights 2 and 1. With reclaim, S2-a holds for a fourth of a (4/6/2 <= 2/6) and
     * for no third of b (3/6 > 3/6/2): 4 and 2; of those admitted at once the first of b goes. Without, heads alternate: 3 and 3.
     * Evening out: the fourth of a goes for the first of b (1/4 <= 3/4), the third for the second (2/4 <= 2/4), none for the
     * third; at 20 two have ended, and one of each comes in. ---- */
    { "fair: by weight", "cohort:sharing=fair", ONE_NODE(6),
      .queue = { SHARES("org", ID_NONE, 6, 1), SHARES("a", 0, 0, 2, ANY), SHARES("b", 0, 0, 1, ANY) }, .overhead = UNPAID, .jobs = {
        { 0, 10, 1, 0, A }, { 0, 10, 1, 0, A }, { 0, 10, 1, 0, A }, { 0, 10, 1, 0, A },
        { 0, 10, 1, 10, B }, { 0, 10, 1, 0, B }, { 0, 10, 1, 0, B }, { 0, 10, 1, 10, B } } },
    { "fair: one head a cycle and no reclaim", "cohort:sharing=fair", ONE_NODE(6),
      .queue = { SHARES("org", ID_NONE, 6, 1), SHARES("a", 0, 0, 2), SHARES("b", 0, 0, 1) }, .overhead = UNPAID, .jobs = {
        { 0, 10, 1, 0, A }, { 0, 10, 1, 0, A }, { 0, 10, 1, 0, A }, { 0, 10, 1, 10, A },
        { 0, 10, 1, 0, B }, { 0, 10, 1, 0, B }, { 0, 10, 1, 0, B }, { 0, 10, 1, 10, B } } },
    { "fair: shares are evened out and then stay", "cohort:sharing=fair", ONE_NODE(4),
      .queue = { SHARES("org", ID_NONE, 4, 1), SHARES("a", 0, 0, 1, ANY), SHARES("b", 0, 0, 1, ANY) }, .overhead = UNPAID, .jobs = {
        { 0, 20, 1, 0, A }, { 1, 20, 1, 1, A }, { 2, 20, 1, 2, A, .ends = 31, .stops = 1 },
        { 3, 20, 1, 3, A, .ends = 34, .stops = 1 }, { 10, 10, 1, 10, B }, { 11, 10, 1, 11, B }, { 12, 10, 1, 20, B } } },
    { "fair: in a queue without a cohort", "cohort:sharing=fair", ONE_NODE(2),
      .queue = { SHARES("a", ID_NONE, 2, 1, .within_queue = WITHIN_LOWER_PRIORITY) }, .overhead = UNPAID, .jobs = {
        { 0, 10, 2, 0, A, .ends = 15, .stops = 1 }, { 5, 5, 2, 5, A, .priority = 1 } } },
    { "fair: weight 0 gives way to anybody", "cohort:sharing=fair", ONE_NODE(2),
      .queue = { SHARES("org", ID_NONE, 2, 1), SHARES("a", 0, 0, 0, ANY), SHARES("b", 0, 0, 1, ANY) }, .overhead = UNPAID, .jobs = {
        { 0, 10, 2, 0, A, .ends = 15, .stops = 1 }, { 5, 5, 2, 5, B } } },

    /* With the 3 of p, shares in sixths: g 5, x 4; in g p 3/2 and s 2. S2-a fails for s (3/2 <= 0) and for each of x (5 <= 3). Then S2-b:
     * s gives its 2 (3/2 < 2), so g has 3, and now x one of 4 (3 < 4), the latest. At 20 both come back */
    { "fair: whom the first pass refused may give when its own side has given", "cohort:sharing=fair", ONE_NODE(6),
      .queue = { SHARES("org", ID_NONE, 6, 1), SHARES("g", 0, 0, 1, ANY), SHARES("p", 1, 0, 2, ANY), SHARES("s", 1, 0, 1, ANY),
                 SHARES("x", 0, 0, 1, ANY) }, .overhead = UNPAID, .jobs = {
        { 0, 100, 2, 0, .queue = "s", .ends = 110, .stops = 1 }, { 0, 100, 1, 0, .queue = "x" }, { 1, 100, 1, 1, .queue = "x" },
        { 2, 100, 1, 2, .queue = "x" }, { 3, 100, 1, 3, .queue = "x", .ends = 113, .stops = 1 },
        { 10, 10, 3, 10, .queue = "p" } } },

    /* ---- Places ---- */
    { "admit: quota is held while GPUs are not together", "cohort", { NODES(2, 2) }, .placer = "spread",
      .queue = { SHARES("a", ID_NONE, 4, 1) }, .jobs = {
        { 0, 10, 1, 0, A, .took = "0:0" }, { 0, 20, 1, 0, A, .took = "1:0" },
        { 1, 5, 2, 10, .tasks = 1, A, .took = "0:01", .waits = { [WAIT_FRAGMENTED] = 9 } },
        { 2, 5, 1, 10, A, .took = "1:1", .waits = { [WAIT_LIMIT] = 8 } } } },
    { "wait: quota is not held for it", "cohort:placement=wait", { NODES(2, 2) }, .placer = "spread",
      .queue = { SHARES("a", ID_NONE, 4, 1) }, .jobs = {
        { 0, 10, 1, 0, A, .took = "0:0" }, { 0, 20, 1, 0, A, .took = "1:0" },
        { 1, 5, 2, 10, .tasks = 1, A, .took = "0:01", .waits = { [WAIT_FRAGMENTED] = 9 } },
        { 2, 5, 1, 2, A, .took = "0:1" } } },
    { "wait: stops whose place it needs, not whose quota", "cohort:placement=wait", { NODES(2, 2) }, .placer = "spread",
      .queue = { SHARES("a", ID_NONE, 4, 1, .within_queue = WITHIN_LOWER_PRIORITY) }, .overhead = UNPAID, .jobs = {
        { 0, 20, 1, 0, A, .priority = 1 }, { 0, 20, 1, 0, A, .ends = 20, .stops = 1, .took = "1:0; 0:1" },
        { 1, 5, 2, 1, .tasks = 1, A, .priority = 1, .took = "1:01" } } },

    /* ---- Partial admission: 3 of 4 tasks do 3/4 of the work ---- */
    { "partial: the most tasks that there is quota for", "cohort", ONE_NODE(4), .queue = { SHARES("a", ID_NONE, 3, 1) }, .jobs = {
        { 0, 12, 4, 0, .tasks = 4, .min_tasks = 2, A, .ends = 16 } } },
    /* Three of four are taken: two tasks do not fit, one of two that ask for the same does, at half speed */
    { "partial: behind a job of the same shape that takes no less", "cohort", ONE_NODE(4), .queue = { SHARES("a", ID_NONE, 4, 1) }, .jobs = {
        { 0, 10, 3, 0, .queue = "a" }, { 0, 5, 2, 10, .tasks = 2, .queue = "a" },
        { 0, 4, 2, 0, .ends = 8, .tasks = 2, .min_tasks = 1, .queue = "a" } } },
    /* Both hold quota. When node 1 comes free at 5 two tasks of two GPUs have no place, one has; two have at 20 */
    { "partial: placed behind one of the same shape that is not", "cohort", { NODES(2, 2) },
      .queue = { SHARES("a", ID_NONE, 6, 1), SHARES("b", ID_NONE, 3, 1) }, .jobs = {
        { 0, 20, 1, 0, B }, { 0, 5, 2, 0, .tasks = 1, B }, { 0, 4, 4, 20, .tasks = 2, A },
        { 0, 4, 4, 5, .ends = 13, .tasks = 2, .min_tasks = 1, A } } },
    { "partial: it does not grow", "cohort", ONE_NODE(4), .queue = { SHARES("a", ID_NONE, 4, 1) }, .jobs = {
        { 0, 4, 1, 0, A }, { 0, 12, 4, 0, .tasks = 4, .min_tasks = 2, A, .ends = 16 } } },
    { "partial: not below the minimum", "cohort", ONE_NODE(4), .queue = { SHARES("a", ID_NONE, 4, 1) }, .jobs = {
        { 0, 4, 3, 0, A }, { 0, 12, 4, 4, .tasks = 4, .min_tasks = 2, A } } },

    /* ---- Local queues: quota is that of the queue above. By use (usage.h): at 10 a has used, b has not ---- */
    { "local queues: fifo: by wait alone", "cohort", ONE_NODE(2), .queue = LOCAL(LOCAL_QUEUES_FIFO, 2, 1), .jobs = {
        { 0, 10, 2, 0, A }, { 1, 5, 2, 10, A }, { 2, 5, 2, 15, B } } },
    { "local queues: the one that has used less goes first", "cohort", ONE_NODE(2), .queue = LOCAL(LOCAL_QUEUES_BY_USE, 2, 1), .jobs = {
        { 0, 10, 2, 0, A }, { 1, 5, 2, 15, A }, { 2, 5, 2, 10, B } } },
    /* before priority: at 10 b goes, though the job of a has the higher one */
    { "local queues: use goes before priority", "cohort", ONE_NODE(2), .queue = LOCAL(LOCAL_QUEUES_BY_USE, 2, 1), .jobs = {
        { 0, 10, 2, 0, A }, { 1, 5, 2, 15, A, .priority = 5 }, { 2, 5, 2, 10, B } } },
    /* all at once: the first of a has paid before the second is looked at; with sampling 0 nobody pays */
    { "local queues: who is admitted pays at once", "cohort", ONE_NODE(2), .queue = LOCAL(LOCAL_QUEUES_BY_USE, 2, 1), .jobs = {
        { 0, 10, 1, 0, A }, { 0, 10, 1, 10, A }, { 0, 10, 1, 0, B } } },
    { "local queues: no penalty", "cohort:sampling_s=0", ONE_NODE(2), .queue = LOCAL(LOCAL_QUEUES_BY_USE, 2, 1), .jobs = {
        { 0, 10, 1, 0, A }, { 0, 10, 1, 0, A }, { 0, 10, 1, 10, B } } },
    /* b has used twice as much, and has weight 4: 2/4 < 1/1; with weight 0 it goes last */
    { "local queues: use over weight", "cohort", ONE_NODE(3), .queue = LOCAL(LOCAL_QUEUES_BY_USE, 3, 4), .jobs = {
        { 0, 10, 1, 0, A }, { 0, 10, 2, 0, B }, { 1, 5, 3, 15, A }, { 2, 5, 3, 10, B } } },
    { "local queues: weight 0 goes last", "cohort", ONE_NODE(3), .queue = LOCAL(LOCAL_QUEUES_BY_USE, 3, 0), .jobs = {
        { 0, 10, 3, 0, A }, { 1, 5, 3, 10, A }, { 1, 5, 3, 15, B } } },
    /* half-life 36 s. At 36 a has 2 (1 - 1/2) = 1 and holds nothing, b has 1/2 and holds 1. d later a has x = 2^(-d/36) and b
     * 1 - x/2: equal at x = 2/3, d = 21.06. So the wide head of b blocks the queue until 57.06, and a pass at 58 starts the
     * narrow one of a, though nothing else happens */
    { "local queues: strict: a pass when the order flips", "cohort:sampling_s=0,half_life_h=0.01", ONE_NODE(4),
      .queue = LOCAL(LOCAL_QUEUES_BY_USE, 4, 1, .queueing = STRICT_FIFO,), .jobs = {
        { 0, 36, 2, 0, A }, { 0, 1000, 1, 0, B }, { 1, 10, 4, 1000, B }, { 1, 10, 1, 58, A } } },
    /* the queue borrows as one: what its local queues hold together is within its borrowing limit or not */
    { "local queues: hold the quota of their queue together", "cohort", ONE_NODE(4), .queue = LOCAL(LOCAL_QUEUES_FIFO, 2, 1), .jobs = {
        { 0, 10, 1, 0, A }, { 0, 10, 1, 0, B }, { 1, 5, 1, 10, B, .waits = { [WAIT_LIMIT] = 9 } },
        { 1, 5, 3, NEVER, A, .refused = "asks for more than its queue could ever borrow" } } },

    /* ---- What is not counted ---- */
    { "pinned: its nodes are its quota", "cohort", { NODES(2, 2) },
      .queue = { QUEUE_PINNED("a", &((const struct pin_spec){ 0, 1 })), SHARES("b", ID_NONE, 2, 1) }, .jobs = {
        { 0, 10, 2, 0, A, .took = "0:01" }, { 1, 5, 1, 10, A, .waits = { [WAIT_GPUS] = 9 } }, { 2, 5, 2, 2, B } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
