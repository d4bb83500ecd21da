/* test_batch.c - multifactor and fair-tree: usage, its decay, the period of computing, and each
 * factor; by hand. The factors of accounts themselves are in tests/unit/test_accounts.c. */
#include "tests/support/schedule.h"

#define WEIGHS(n, w)                                                                                                   \
    {                                                                                                                  \
        .facts = { .name = (n),                                                                                        \
                   .parent = ID_NONE,                                                                                  \
                   .weight = (w),                                                                                      \
                   .quota = { { 0, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } } }                     \
    }
#define TREE "fair-tree:half_life_s=0,calc_period_s=100"
#define ONLY "multifactor:w_age=0,w_fairshare=0,w_size=0"

/* u has 100 GPU-s at 100, v 40 at 440, and z's last job ends at 560. */
#define LONG_AGO(first_of_u, first_of_v)                                                                               \
    {                                                                                                                  \
        { 0, 100, 1, 0, .user = "u" }, { 1, 300, 1, 100, .user = "z" }, { 2, 40, 1, 400, .user = "v" },                 \
            { 3, 120, 1, 440, .user = "z" }, { 450, 10, 1, (first_of_u), .user = "u" },                                \
            { 451, 10, 1, (first_of_v), .user = "v" }                                                                  \
    }

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- fair-tree: at 100 job 1 is charged 100 GPU-s ---- */
    { "fair-tree: the account with less usage goes first", TREE, ONE_NODE(1), .jobs = {
        { 0, 150, 1, 0, .user = "u" }, { 10, 50, 1, 200, .user = "u" }, { 20, 50, 1, 150, .user = "v" } } },
    { "fair-tree: usage is not seen before the period ends", "fair-tree:half_life_s=0,calc_period_s=1000", ONE_NODE(1),
      .jobs = { { 0, 150, 1, 0, .user = "u" }, { 10, 50, 1, 150, .user = "u" }, { 20, 50, 1, 200, .user = "v" } } },
    /* x has used nothing, but its account has; w's has not */
    { "fair-tree: the users of the better account first", TREE, ONE_NODE(1), .jobs = {
        { 0, 150, 1, 0, .user = "u", .queue = "a" }, { 10, 50, 1, 200, .user = "x", .queue = "a" },
        { 20, 50, 1, 150, .user = "w", .queue = "b" } } },
    { "fair-tree: in one account", TREE, ONE_NODE(1), .jobs = {
        { 0, 150, 1, 0, .user = "u", .queue = "a" }, { 10, 50, 1, 150, .user = "x", .queue = "a" },
        { 20, 50, 1, 200, .user = "w", .queue = "a" } } },
    { "fair-tree: one name in two accounts is two users", TREE, ONE_NODE(1), .jobs = {
        { 0, 150, 1, 0, .user = "u", .queue = "a" }, { 10, 50, 1, 200, .user = "u", .queue = "a" },
        { 20, 50, 1, 150, .user = "u", .queue = "b" } } },
    { "fair-tree: queues without users", TREE, ONE_NODE(1), .jobs = {
        { 0, 150, 1, 0, .queue = "a" }, { 10, 50, 1, 200, .queue = "a" }, { 20, 50, 1, 150, .queue = "b" } } },
    /* Both have had 100: LF 3/4 / 1/2 and 1/4 / 1/2 */
    { "fair-tree: weights of queues", TREE, ONE_NODE(2), .queue = { WEIGHS("a", 3), WEIGHS("b", 1) }, .jobs = {
        { 0, 150, 1, 0, .user = "u", .queue = "a" }, { 0, 100, 1, 0, .user = "w", .queue = "b" },
        { 10, 50, 2, 200, .user = "w", .queue = "b" }, { 20, 50, 2, 150, .user = "u", .queue = "a" } } },
    { "fair-tree: equal weights", TREE, ONE_NODE(2), .queue = { WEIGHS("a", 1), WEIGHS("b", 1) }, .jobs = {
        { 0, 150, 1, 0, .user = "u", .queue = "a" }, { 0, 100, 1, 0, .user = "w", .queue = "b" },
        { 10, 50, 2, 150, .user = "w", .queue = "b" }, { 20, 50, 2, 200, .user = "u", .queue = "a" } } },
    /* The same with queues that are leaves */
    { "fair-tree: weights of queues without users", TREE, ONE_NODE(2), .queue = { WEIGHS("a", 3), WEIGHS("b", 1) }, .jobs = {
        { 0, 150, 1, 0, .queue = "a" }, { 0, 100, 1, 0, .queue = "b" }, { 10, 50, 2, 200, .queue = "b" },
        { 20, 50, 2, 150, .queue = "a" } } },
    /* Queue a is a leaf until u comes; from then on its unknown user is a leaf of a, and at 100 has had 100 */
    { "fair-tree: unknown users beside known ones are one", TREE, ONE_NODE(1), .jobs = {
        { 0, 150, 1, 0, .queue = "a" }, { 10, 50, 1, 200, .queue = "a" }, { 20, 50, 1, 150, .user = "u", .queue = "a" } } },
    /* 1 - 0.693/100 to the 100th is 0.4988. At 500 u has 100 D^4 = 6.2, v 40 D = 20 */
    { "fair-tree: old usage decays", "fair-tree:half_life_s=100,calc_period_s=100", ONE_NODE(1),
      .jobs = LONG_AGO(560, 570) },
    { "fair-tree: and does not without a half life", TREE, ONE_NODE(1), .jobs = LONG_AGO(570, 560) },
    { "fair-tree: strict", TREE, ONE_NODE(2), .jobs = {
        { 0, 150, 1, 0, .user = "u" }, { 10, 50, 2, 150, .user = "u" }, { 20, 50, 1, 200, .user = "u" } } },
    { "fair-tree: skip", TREE ",blocking=skip", ONE_NODE(2), .jobs = {
        { 0, 150, 1, 0, .user = "u" }, { 10, 50, 2, 150, .user = "u" }, { 20, 50, 1, 20, .user = "u" } } },
    /* job 2 blocks until u's usage is seen at 100; then v's job is the head, and it fits */
    { "fair-tree: a new order alone lets a job start", TREE, ONE_NODE(2), .jobs = {
        { 0, 150, 1, 0, .user = "u" }, { 10, 50, 2, 150, .user = "u" }, { 20, 50, 1, 100, .user = "v" } } },

    /* ---- multifactor, one factor at a time ---- */
    { "multifactor: favours large", "multifactor:w_age=0,w_fairshare=0", ONE_NODE(4), .jobs = {
        { 0, 10, 4, 0 }, { 1, 10, 1, 20 }, { 2, 10, 4, 10 } } },
    { "multifactor: favours small", "multifactor:w_age=0,w_fairshare=0,favour=small", ONE_NODE(4), .jobs = {
        { 0, 10, 4, 0 }, { 1, 10, 4, 20 }, { 2, 10, 1, 10 } } },
    /* 1/1 and 4/60 of four GPUs, by the minutes of the limit */
    { "multifactor: relative to the limit", "multifactor:w_age=0,w_fairshare=0,favour=relative", ONE_NODE(4), .jobs = {
        { 0, 10, 4, 0 }, { 1, 10, 4, 20, .estimate = 3600 }, { 2, 10, 1, 10, .estimate = 60 } } },
    { "multifactor: the contrary", "multifactor:w_age=0,w_fairshare=0,favour=relative-small", ONE_NODE(4), .jobs = {
        { 0, 10, 4, 0 }, { 1, 10, 1, 20, .estimate = 60 }, { 2, 10, 4, 10, .estimate = 3600 } } },
    { "multifactor: no limit is the longest", "multifactor:w_age=0,w_fairshare=0,favour=relative", ONE_NODE(4), .jobs = {
        { 0, 10, 4, 0 }, { 1, 10, 4, 20 }, { 2, 10, 1, 10, .estimate = 6000 } } },
    { "multifactor: GPUs", ONLY ",w_tres_gpu=100", ONE_NODE(4), .jobs = {
        { 0, 10, 4, 0 }, { 1, 10, 1, 20 }, { 2, 10, 4, 10 } } },
    { "multifactor: quality of service", ONLY ",w_qos=100,top_priority=10", ONE_NODE(1), .jobs = {
        { 0, 10, 1, 0 }, { 1, 10, 1, 20, .priority = 2 }, { 2, 10, 1, 10, .priority = 5 } } },
    { "multifactor: above the top is the top, below 0 is 0", ONLY ",w_qos=100,top_priority=10", ONE_NODE(1), .jobs = {
        { 0, 10, 1, 0 }, { 1, 10, 1, 30, .priority = -7 }, { 2, 10, 1, 10, .priority = 10 }, { 3, 10, 1, 20, .priority = 99 },
        { 4, 10, 1, 40 } } },
    /* 0.25 and 0.75 are cut to 0, and the least is 1 */
    { "multifactor: priorities are whole numbers", ONLY ",w_tres_gpu=1", ONE_NODE(4), .jobs = {
        { 0, 10, 4, 0 }, { 1, 10, 1, 10 }, { 2, 10, 3, 10 }, { 3, 10, 1, 20 } } },
    { "multifactor: nothing counts", ONLY, ONE_NODE(1), .jobs = { { 0, 10, 1, 0 }, { 1, 10, 1, 10 }, { 2, 10, 1, 20 } } },
    /* A point a second. Job 2: 250 + 800 at 800, job 3 then: 1000 */
    { "multifactor: age", "multifactor:w_fairshare=0,max_age_s=1000,calc_period_s=100", ONE_NODE(4), .jobs = {
        { 0, 850, 4, 0 }, { 0, 10, 1, 850 }, { 800, 10, 4, 860 } } },
    { "multifactor: not old enough", "multifactor:w_fairshare=0,max_age_s=1000,calc_period_s=100", ONE_NODE(4), .jobs = {
        { 0, 850, 4, 0 }, { 0, 10, 1, 860 }, { 700, 10, 4, 850 } } },
    { "multifactor: no older before the period ends", "multifactor:w_fairshare=0,max_age_s=1000,calc_period_s=1000",
      ONE_NODE(4), .jobs = { { 0, 850, 4, 0 }, { 0, 10, 1, 860 }, { 800, 10, 4, 850 } } },
    /* From 1000 on job 2 has 1250 and grows no more; job 3, of 800, has 1000 + 300 at 1100 */
    { "multifactor: age has a bound", "multifactor:w_fairshare=0,max_age_s=1000,calc_period_s=100", ONE_NODE(4), .jobs = {
        { 0, 1150, 4, 0 }, { 0, 10, 1, 1160 }, { 800, 10, 4, 1150 } } },
    { "multifactor: fair tree", "multifactor:w_age=0,w_size=0,calc_period_s=100", ONE_NODE(1), .jobs = {
        { 0, 150, 1, 0, .user = "u" }, { 10, 50, 1, 200, .user = "u" }, { 20, 50, 1, 150, .user = "v" } } },
    { "multifactor: classic", "multifactor:w_age=0,w_size=0,calc_period_s=100,fairshare=classic", ONE_NODE(1), .jobs = {
        { 0, 150, 1, 0, .user = "u" }, { 10, 50, 1, 200, .user = "u" }, { 20, 50, 1, 150, .user = "v" } } },
    /* Account a has had all of the usage, but b has no shares: LF 1 and 0 */
    /* 2 lacks GPUs until 1 ends. At 100, 1 is charged to u, and 3 becomes the head: there is room for it */
    { "multifactor: another head of a queue without room", "multifactor:scope=queue,w_age=0,w_size=0,calc_period_s=100",
      ONE_NODE(3), .jobs = { { 0, 1000, 1, 0, .user = "u", .queue = "a" }, { 1, 10, 3, 1000, .user = "u", .queue = "a" },
                             { 2, 10, 1, 100, .user = "v", .queue = "a" } } },
    { "multifactor: no shares at all", "multifactor:w_age=0,w_size=0,calc_period_s=100", ONE_NODE(1),
      .queue = { WEIGHS("a", 1), WEIGHS("b", 0.0) }, .jobs = {
        { 0, 150, 1, 0, .user = "u", .queue = "a" }, { 10, 50, 1, 200, .user = "w", .queue = "b" },
        { 20, 50, 1, 150, .user = "x", .queue = "a" } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
