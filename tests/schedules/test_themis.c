/* test_themis.c - leases and auctions, worked out by hand. rho = (time since submit + remaining)
 * / (E max(1, n N / C)). */
#include "tests/support/schedule.h"

/* clang-format off */
static const struct schedule rows[] = {
    /* At 10: rho 30/30 and 12/5. Half of two is one: job 2. */
    { "a lease is not broken", "themis:fair_to=queue,f=0.5,lease_s=10,ends=apart", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 30, 1, 0, .ends = 35, .stops = 1 }, { 3, 5, 1, 10 } } },
    { "free GPUs are taken at once", "themis:fair_to=queue,f=0.5,lease_s=10,ends=apart", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 30, 1, 0 }, { 3, 5, 1, 3 } } },
    /* At 20: job 2 has waited for 10: 30/20; job 3: 45/40 */
    { "who is worse off keeps its GPUs", "themis:fair_to=queue,f=0.5,lease_s=10,ends=apart", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0 }, { 0, 20, 1, 10 }, { 15, 40, 1, 30 } } },
    /* At 10: 1 and 32/25. At 20: 40/30 and 32/25. At 30: 40/30 and 42/25. At 40: 50/30 and 42/25. */
    { "leases go back and forth", "themis:fair_to=queue,f=0.5,lease_s=10,ends=apart", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 30, 1, 0, .ends = 55, .stops = 2 }, { 3, 25, 1, 10, .ends = 45, .stops = 1 } } },
    { "f 0: shortest remaining first among all", "themis:fair_to=queue,f=0,lease_s=10,ends=apart", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 30, 1, 0 }, { 3, 25, 1, 30 } } },
    /* Of the lot that is free at 10, rho is 12 (12/1), 3 (12/4) and 2.2 (11/5): two of three, the shortest of them first */
    { "two of three", "themis:fair_to=queue,f=0.5,lease_s=100,ends=apart", ONE_NODE(1), .jobs = {
        { 0, 10, 1, 0 }, { 2, 4, 1, 11 }, { 4, 5, 1, 15 }, { 0, 1, 1, 10 } } },
    { "a lease that nobody wanted goes on", "themis:fair_to=queue,f=0.5,lease_s=10,ends=apart", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 30, 1, 0, .ends = 35, .stops = 1 }, { 14, 5, 1, 20 } } },
    { "at the very end of a lease", "themis:fair_to=queue,f=0,lease_s=10,ends=apart", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 30, 1, 0, .ends = 35, .stops = 1 }, { 20, 5, 1, 20 } } },
    { "who may not be preempted stays", "themis:fair_to=queue,f=0.5,lease_s=10,ends=apart", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 30, 1, 0, .stays = true }, { 3, 5, 1, 30 } } },
    /* At 10: job 2's rho is 19/10 */
    { "smaller ones pass, then the large one gets its turn", "themis:fair_to=queue,f=0.5,lease_s=10,ends=apart", ONE_NODE(4), .overhead = FREE_OF_CHARGE,
      .jobs = { { 0, 30, 2, 0, .ends = 40, .stops = 1 }, { 1, 10, 4, 10 }, { 2, 5, 2, 2 } } },
    { "not in vain: the other half's lease goes on", "themis:fair_to=queue,f=0.5,lease_s=10,ends=apart", ONE_NODE(4), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 30, 2, 0 }, { 6, 10, 4, 35 }, { 5, 30, 2, 5 } } },
    /* Job 3 takes one GPU: of jobs 1 and 2, both at the end of their leases with rho 1, the last one's */
    { "no more are stopped than need be", "themis:fair_to=queue,f=0.5,lease_s=10,ends=apart", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 30, 1, 0 }, { 0, 30, 1, 0, .ends = 35, .stops = 1 }, { 3, 5, 1, 10 } } },
    /* N is 1 for a second, then 2 until 35. At 10: rho 40/76, 29/40, 34/25; at 20: 50/78, 39/40, 34/25; at 30: job 2 has
     * 49/40, job 3 still 34/25. At 35 job 2 is worse off than job 1: 54/40 and 65/78.9; at 45, N being 78/44 and 79/45, as well:
     * 54/35.5 and 75/70.2. */
    { "a share of two queues", "themis:fair_to=queue,f=0.67,lease_s=10,ends=apart", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 40, 2, 0, .ends = 85, .stops = 1, .queue = "a" }, { 1, 20, 2, 35, .queue = "a" }, { 1, 25, 1, 10, .queue = "b" } } },
    /* The same jobs, N = 1. At 10: 40/40, 29/20, 34/25; at 20: 50/40, 29/20, 44/25; at 30: 60/40, 39/20, 44/25; at 40: 70/40
     * and 54/25; at 50: 80/40 and 54/25. */
    { "one queue", "themis:fair_to=queue,f=0.67,lease_s=10,ends=apart", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 40, 2, 0, .ends = 85, .stops = 1 }, { 1, 20, 2, 10, .ends = 40, .stops = 1 },
        { 1, 25, 1, 20, .ends = 55, .stops = 1 } } },
    /* Job 1 says 1000: 1000/1000 at 10. Job 2 says 5: 12/5. By the truth job 1 is over at 12. */
    { "by estimates", "themis:fair_to=queue,f=0.5,lease_s=10,ends=apart,work=estimate", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 12, 1, 0, .ends = 62, .stops = 1, .estimate = 1000 }, { 3, 50, 1, 10, .ends = 60, .estimate = 5 } } },
    /* The lease of the second job begins at 3 and is rounded up: 20, and not 13. At 20 rho is 30/30 and 14/5 */
    { "together: a lease is rounded up", "themis:fair_to=queue,f=0.5,lease_s=10", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 1, 1, 0 }, { 3, 30, 1, 3, .ends = 38, .stops = 1 }, { 11, 5, 1, 20 } } },
    { "apart: it is not", "themis:fair_to=queue,f=0.5,lease_s=10,ends=apart", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 3, 30, 1, 3, .ends = 38, .stops = 1 }, { 11, 5, 1, 13 } } },
    /* The leases of 0 and 5 both end at 20, when job 2's rho is 24/10 and theirs 1: what was in vain above */
    { "together: a large job finds room", "themis:fair_to=queue,lease_s=10", ONE_NODE(4), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 30, 2, 0, .ends = 40, .stops = 1 }, { 6, 10, 4, 20 }, { 5, 30, 2, 5, .ends = 45, .stops = 1 } } },
    /* Saving takes 2 s: job 2 claims the GPU at 10 and has it at 12 */
    { "leaving takes its time", "themis:fair_to=queue,f=0.5,lease_s=10,ends=apart", ONE_NODE(1), .overhead = SAVE_TAKES(2), .jobs = {
        { 0, 30, 1, 0, .ends = 37, .stops = 1 }, { 3, 5, 1, 12 } } },
    /* Each job one of N. N of job 1 at 10: (3 + 7 x 2)/10: 30/51 and 32/50, that of job 2 being 2; at 20: 40/55.5 and 32/50; at 30:
     * 40/57 and 42/50; at 40, N (3 + 37 x 2)/40: 50/57.75 and 42/50. By queues job 1 would have the last lease, as above. */
    { "fair to jobs", "themis:f=0.5,lease_s=10,ends=apart", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 30, 1, 0, .ends = 50, .stops = 2 }, { 3, 25, 1, 10, .ends = 55, .stops = 2 } } },
    /* The times of "a share of two queues"; the third job has no user */
    { "fair to users", "themis:fair_to=user,f=0.67,lease_s=10,ends=apart", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 40, 2, 0, .ends = 85, .stops = 1, .user = "a" }, { 1, 20, 2, 35, .user = "a" }, { 1, 25, 1, 10 } } },
    { "fair to users: one user", "themis:fair_to=user,f=0.67,lease_s=10,ends=apart", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 40, 2, 0, .ends = 85, .stops = 1, .queue = "a" }, { 1, 20, 2, 10, .ends = 40, .stops = 1, .queue = "b" },
        { 1, 25, 1, 20, .ends = 55, .stops = 1, .queue = "a" } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
