/* test_orders.c - ljf, qssf, edf, sjf by GPUs, priority with ageing: schedules worked out by
 * hand. */
#include "tests/support/schedule.h"

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- ljf: the mirror of models.md 11.2, item 2: completions 8, 12, 14, 15 whatever the order of the rows ---- */
    { "ljf: four at once", "ljf", ONE_NODE(1), .jobs = { { 0, 1, 1, 14 }, { 0, 4, 1, 8 }, { 0, 2, 1, 12 }, { 0, 8, 1, 0 } } },
    { "ljf: equal ones by submit time", "ljf", ONE_NODE(1), .jobs = { { 0, 1, 1, 0 }, { 0.5, 3, 1, 1 }, { 0.6, 3, 1, 4 } } },
    { "ljf: does not preempt", "ljf", ONE_NODE(1), .jobs = { { 0, 2, 1, 0 }, { 1, 9, 1, 2 } } },
    { "ljf: the longest blocks", "ljf", ONE_NODE(2), .jobs = { { 0, 10, 1, 0 }, { 1, 5, 2, 10 }, { 1, 3, 1, 15 } } },
    { "ljf: skip", "ljf:blocking=skip", ONE_NODE(2), .jobs = { { 0, 10, 1, 0 }, { 1, 5, 2, 10 }, { 1, 3, 1, 1 } } },

    /* ---- sjf:order=gpus. At 4, one GPU before two before four, however long they are ---- */
    { "sjf by gpus", "sjf:order=gpus", ONE_NODE(4), .jobs = {
        { 0, 4, 4, 0 }, { 1, 1, 4, 33 }, { 1, 9, 2, 4 }, { 2, 20, 1, 4 }, { 3, 20, 2, 13 } } },
    { "sjf by gpus: equal ones by submit time", "sjf:order=gpus", ONE_NODE(1), .jobs = {
        { 0, 5, 1, 0 }, { 1, 9, 1, 5 }, { 2, 1, 1, 14 } } },
    { "sjf by gpus: a part of a GPU before a whole one", "sjf:order=gpus", ONE_NODE(1), .jobs = {
        { 0, 5, 1, 0 }, { 1, 2, 1, 7 }, { 2, 2, 1, 5, .shares = .5 } } },

    /* ---- qssf. Estimate x GPUs at 2: 10 x 2, 15 x 1, 30 x 1; true run times do not matter ---- */
    { "qssf: estimate x GPUs", "qssf", ONE_NODE(2), .jobs = {
        { 0, 2, 2, 0, .estimate = 2 }, { 1, 3, 2, 7, .estimate = 10 }, { 1, 5, 1, 2, .estimate = 15 },
        { 1, 1, 1, 10, .estimate = 30 } } },
    { "qssf: no estimate goes last", "qssf", ONE_NODE(1), .jobs = {
        { 0, 2, 1, 0 }, { 0, 1, 1, 12 }, { 1, 10, 1, 2, .estimate = 1000 } } },
    { "qssf: no job has one, arrival order", "qssf", ONE_NODE(1), .jobs = { { 0, 9, 1, 0 }, { 1, 5, 1, 9 }, { 2, 1, 1, 14 } } },
    { "qssf: does not preempt", "qssf", ONE_NODE(1), .jobs = { { 0, 9, 1, 0, .estimate = 9 }, { 1, 1, 1, 9, .estimate = 1 } } },

    /* ---- edf ---- */
    { "edf: the earliest deadline first, none last", "edf", ONE_NODE(1), .jobs = {
        { 0, 2, 1, 0 }, { 0, 3, 1, 8 }, { 1, 3, 1, 5, .deadline = 50 }, { 1, 3, 1, 2, .deadline = 20 } } },
    { "edf: equal deadlines by submit time", "edf", ONE_NODE(1), .jobs = {
        { 0, 2, 1, 0, .deadline = 9 }, { 0, 9, 1, 2, .deadline = 50 }, { 1, 3, 1, 11, .deadline = 50 } } },
    { "edf: does not preempt", "edf", ONE_NODE(1), .jobs = { { 0, 9, 1, 0, .deadline = 30 }, { 1, 1, 1, 9, .deadline = 3 } } },
    { "edf: preempts", "edf:preempt=yes", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 9, 1, 0, .ends = 11, .stops = 1, .deadline = 30 }, { 1, 2, 1, 1, .deadline = 3 }, { 2, 4, 1, 11, .deadline = 40 } } },
    { "edf: a job without a deadline gives way to one with", "edf:preempt=yes", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 9, 1, 0, .ends = 11, .stops = 1 }, { 1, 2, 1, 1, .deadline = 1000 } } },

    /* ---- priority with ageing: one point an hour. Job 2 has 2 points at 7300, as much as job 3 with its priority 2 ---- */
    { "ageing: no", "priority", ONE_NODE(1), .jobs = {
        { 0, 7300, 1, 0 }, { 10, 5, 1, 7305 }, { 20, 5, 1, 7300, .priority = 2 } } },
    { "ageing: an equal that was there first", "priority:age_weight=1", ONE_NODE(1), .jobs = {
        { 0, 7300, 1, 0 }, { 10, 5, 1, 7300 }, { 7220, 5, 1, 7305, .priority = 2 } } },
    { "ageing: all wait", "priority:age_weight=1", ONE_NODE(1), .jobs = {
        { 0, 7300, 1, 0 }, { 10, 5, 1, 7305 }, { 20, 5, 1, 7300, .priority = 2 } } },
    { "ageing: only full hours count", "priority:age_weight=1", ONE_NODE(1), .jobs = {
        { 0, 7209, 1, 0 }, { 10, 5, 1, 7214 }, { 7200, 5, 1, 7209, .priority = 2 } } },
    { "ageing: not beyond the cap", "priority:age_weight=1,age_max=1.5", ONE_NODE(1), .jobs = {
        { 0, 7300, 1, 0 }, { 10, 5, 1, 7305 }, { 7220, 5, 1, 7300, .priority = 2 } } },
    /* At 7210 job 2 has 2 points and takes the GPU at that moment; job 1 has waited 5 s then */
    { "ageing: preempts at the full hour", "priority:age_weight=1,preempt=yes", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 7300, 1, 0, .ends = 7305, .stops = 1, .priority = 1 }, { 10, 5, 1, 7210 } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
