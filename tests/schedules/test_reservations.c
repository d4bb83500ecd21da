/* test_reservations.c - who may start on reserved nodes and when, by hand from
 * sim/cluster/reservations/reservations.h and models.md 3.9.
 *
 * Two nodes of four GPUs; the second one, or both, is reserved for queue x from 100 s to 200 s. */
#include "tests/support/powered_schedule.h"

#define TWO       "nodes: [ { group: a, count: 2, gpus: 4 } ]\nqueues: [ { name: x }, { name: y } ]\n" \
                  "preemption: { checkpoint: perfect }\n"
#define LAB(more) TWO "reservations: [ { name: lab, nodes: { a: \"1\" }, from_s: 100, until_s: 200, queues: [ x ]" more " } ]\n"
#define TAINT(effect) TWO "reservations: [ { name: t, nodes: { a: \"1\" }, from_s: 100, until_s: 200, taint: \"gone=now:" effect "\" } ]\n"
#define SITE      "partitions: [ { name: p, nodes: all }, { name: q, nodes: all } ]\n" \
                  "accounts: [ { name: top, accounts: [ { name: x }, { name: y } ] } ]\n"
#define FOR(whom) TWO SITE "reservations: [ { name: lab, nodes: all, from_s: 0, until_s: 200, " whom " } ]\n"
#define Y         .queue = "y"
#define X         .queue = "x"

/* clang-format off */
static const struct text_schedule rows[] = {
    { "control: no reservation", TWO, "fifo:blocking=skip", .jobs = {
        { 110, 50, 4, 110, Y, .took = "0:0123" }, { 110, 50, 4, 110, Y, .took = "1:0123" } } },
    { "others use the other node", LAB(""), "fifo:blocking=skip", .jobs = {
        { 110, 50, 4, 110, Y, .took = "0:0123" },
        { 110, 50, 4, 160, Y, .took = "0:0123", .waits = { [WAIT_RESERVATION] = 50 } } } },
    { "its jobs use both", LAB(""), "fifo:blocking=skip", .jobs = {
        { 110, 50, 4, 110, X, .took = "0:0123" }, { 110, 50, 4, 110, X, .took = "1:0123" } } },
    { "at its end the node is for all, to the second", LAB(""), "fifo:blocking=skip", .jobs = {
        { 110, 150, 4, 110, Y }, { 110, 50, 4, 200, Y, .took = "1:0123", .waits = { [WAIT_RESERVATION] = 90 } } } },
    { "a gang over both nodes waits for the end", LAB(""), "fifo", .jobs = {
        { 150, 10, 8, 200, Y, .waits = { [WAIT_RESERVATION] = 50 } } } },
    /* what runs there as it begins is stopped, and has its work */
    { "others are stopped as it begins", LAB(""), "fifo:blocking=skip", .jobs = {
        { 0, 150, 4, 0, Y }, { 0, 150, 4, 0, Y, .ends = 200, .took = "1:0123; 0:0123", .waits = { [WAIT_RESERVATION] = 50 } } } },
    { "or stay", LAB(", running: keep"), "fifo:blocking=skip", .jobs = {
        { 0, 250, 4, 0, Y }, { 0, 150, 4, 0, Y, .took = "1:0123" }, { 110, 10, 4, 150, X, .took = "1:0123" } } },
    { "its own jobs run through its end", LAB(""), "fifo:blocking=skip", .jobs = {
        { 0, 300, 4, 0, Y }, { 50, 250, 4, 50, X, .took = "1:0123" }, { 210, 10, 4, 300, Y } } },
    { "before it the node takes no others", LAB(", drain_s: 60"), "fifo:blocking=skip", .jobs = {
        { 39, 20, 8, 39, Y }, { 59, 30, 8, 200, Y, .waits = { [WAIT_RESERVATION] = 141 } } } },
    /* A taint: Kubernetes' taint eviction, models.md 3.9. A job that tolerates it for a time may come again at once, as there. */
    { "NoExecute: what does not tolerate it is stopped", TAINT("NoExecute"), "fifo:blocking=skip", .jobs = {
        { 0, 150, 4, 0, Y }, { 0, 150, 4, 0, Y, .ends = 200, .took = "1:0123; 0:0123", .waits = { [WAIT_RESERVATION] = 50 } } } },
    { "for 0 s: as if it did not", TAINT("NoExecute"), "fifo:blocking=skip", .jobs = {
        { 0, 150, 4, 0, Y },
        { 0, 150, 4, 0, Y, .ends = 200, .tolerations = "gone:NoExecute@0", .took = "1:0123; 0:0123", .waits = { [WAIT_RESERVATION] = 50 } } } },
    { "what tolerates it stays", TAINT("NoExecute"), "fifo:blocking=skip", .jobs = {
        { 0, 150, 4, 0, Y }, { 0, 150, 4, 0, Y, .tolerations = "gone", .took = "1:0123" } } },
    { "or another value: not", TAINT("NoExecute"), "fifo:blocking=skip", .jobs = {
        { 0, 150, 4, 0, Y }, { 0, 150, 4, 0, Y, .ends = 200, .tolerations = "gone=soon", .took = "1:0123; 0:0123" } } },
    /* 130, 160, 190: each time for 30 s; 200 s are done at 200, when the taint goes */
    { "for 30 s at a time", TAINT("NoExecute"), "fifo:blocking=skip", .jobs = {
        { 0, 250, 4, 0, Y },
        { 0, 200, 4, 0, Y, .ends = 200, .tolerations = "gone:NoExecute@30", .took = "1:0123; 1:0123; 1:0123; 1:0123" } } },
    { "the taint goes before its time is over", TAINT("NoExecute"), "fifo:blocking=skip", .jobs = {
        { 0, 150, 4, 0, Y }, { 0, 150, 4, 0, Y, .tolerations = "gone:NoExecute@120", .took = "1:0123" } } },
    { "the first toleration that means it", TAINT("NoExecute"), "fifo:blocking=skip", .jobs = {
        { 0, 150, 4, 0, Y }, { 0, 150, 4, 0, Y, .tolerations = "gone:NoExecute@20;gone", .took = "1:0123; 1:0123; 1:0123" } } },
    { "from its start, if that is later", TAINT("NoExecute"), "fifo:blocking=skip", .jobs = {
        { 0, 250, 4, 0, Y }, { 110, 50, 4, 110, Y, .tolerations = "gone:NoExecute@30", .took = "1:0123; 1:0123" } } },
    { "kube: pods come back elsewhere", TAINT("NoExecute"), "kube", .jobs = {
        { 0, 105, 4, 0, Y, .took = "0:0123" }, { 0, 150, 4, 0, Y, .ends = 155, .took = "1:0123; 0:0123" } } },
    { "NoSchedule: what runs there stays", TAINT("NoSchedule"), "fifo:blocking=skip", .jobs = {
        { 0, 250, 4, 0, Y }, { 0, 150, 4, 0, Y, .took = "1:0123" },
        { 110, 10, 4, 200, Y, .waits = { [WAIT_GPUS] = 40, [WAIT_RESERVATION] = 50 } } } },
    { "every day", LAB(", every_s: 300"), "fifo", .jobs = {
        { 350, 40, 8, 350, Y }, { 400, 10, 8, 500, Y, .waits = { [WAIT_RESERVATION] = 100 } },
        { 710, 10, 8, 800, Y, .waits = { [WAIT_RESERVATION] = 90 } } } },
    { "a node may be asked for by the reservation's name", LAB(""), "fifo", .jobs = {
        { 110, 10, 4, 110, X, .affinity = "reservation.lab", .took = "1:0123" } } },
    { "maintenance: for no job", TWO "reservations: [ { name: m, nodes: all, from_s: 50, until_s: 80 } ]\n", "fifo", .jobs = {
        { 0, 60, 8, 0, X, .ends = 90, .waits = { [WAIT_RESERVATION] = 30 } } } },
    { "of two at once, both have to let it in", LAB(" }, { name: other, nodes: all, from_s: 150, until_s: 160, queues: [ y ]"),
      "fifo:blocking=skip", .jobs = {
        { 155, 10, 4, 160, X, .waits = { [WAIT_RESERVATION] = 5 } }, { 155, 10, 4, 155, Y, .took = "0:0123" } } },
    { "of a queue above", "nodes: [ { group: a, count: 1, gpus: 4 } ]\nqueues: [ { name: top, queues: [ { name: x } ] }, { name: y } ]\n"
      "reservations: [ { name: lab, nodes: all, from_s: 0, until_s: 100, queues: [ top ] } ]\n", "fifo:blocking=skip", .jobs = {
        { 10, 10, 4, 10, X }, { 10, 10, 4, 100, Y } } },
    { "of users", FOR("users: [ ann ]"), "fifo:blocking=skip", .jobs = {
        { 10, 10, 4, 10, X, .user = "ann" }, { 10, 10, 4, 200, X, .user = "bob" }, { 10, 10, 4, 200, X } } },
    { "of an account", FOR("accounts: [ y ]"), "fifo:blocking=skip", .jobs = { { 10, 10, 4, 10, Y }, { 10, 10, 4, 200, X } } },
    { "of an account above", FOR("accounts: [ top ]"), "fifo:blocking=skip", .jobs = { { 10, 10, 4, 10, Y }, { 10, 10, 4, 10, X } } },
    { "of a partition, the default one", FOR("partitions: [ p ]"), "fifo", .jobs = { { 10, 10, 4, 10, X } } },
    { "of another partition", FOR("partitions: [ q ]"), "fifo", .jobs = { { 10, 10, 4, 200, X, .waits = { [WAIT_RESERVATION] = 190 } } } },
    /* Plans: a job of 60 s fits before 100 s, one of 150 s does not */
    { "easy: jobs that would last into it keep away", LAB(""), "easy", .jobs = {
        { 0, 300, 4, 0, Y, .estimate = 300 }, { 0, 150, 4, 200, Y, .estimate = 150, .waits = { [WAIT_RESERVATION] = 200 } },
        { 0, 60, 4, 0, Y, .estimate = 60 } } },
    { "easy: its own need not", LAB(""), "easy", .jobs = { { 0, 300, 4, 0, Y, .estimate = 300 }, { 0, 150, 4, 0, X, .estimate = 150 } } },
    { "conservative", LAB(""), "conservative", .jobs = {
        { 0, 300, 4, 0, Y, .estimate = 300 }, { 0, 150, 4, 200, Y, .estimate = 150 }, { 0, 100, 4, 0, Y, .estimate = 100 } } },
    /* limits are whole minutes: 2 min from 0 s last into 100 s, 1 min does not. Jobs of the queue are let in */
    { "slurm", LAB(""), "slurm:batch_sched_delay=0", .jobs = {
        { 0, 300, 4, 0, Y, .estimate = 300 }, { 0, 100, 4, 200, Y, .estimate = 120, .waits = { [WAIT_RESERVATION] = 200 } },
        { 0, 50, 4, 0, Y, .estimate = 60 } } },
    { "slurm: its own", LAB(""), "slurm:batch_sched_delay=0", .jobs = {
        { 0, 300, 4, 0, Y, .estimate = 300 }, { 0, 100, 4, 0, X, .estimate = 120 } } },
    { "quota: within its quota, and kept off all the same",
      "nodes: [ { group: a, count: 2, gpus: 4 } ]\nqueues: [ { name: x, deserved_gpus: 4 }, { name: y, deserved_gpus: 4 } ]\n"
      "reservations: [ { name: lab, nodes: all, from_s: 100, until_s: 200, queues: [ x ] } ]\n", "quota", .jobs = {
        { 110, 10, 4, 200, Y, .waits = { [WAIT_RESERVATION] = 90 } }, { 110, 10, 4, 110, X } } },
};

#define BAD(entry) TWO "reservations: [ { " entry " } ]\n"
static const struct bad_text bad_rows[] = {
    { "nobody knows when", BAD("name: a, nodes: all"), "c.yaml:4:17: key 'from_s' is missing" },
    { "ends before", BAD("name: a, nodes: all, from_s: 2, until_s: 2"), "c.yaml:4:17: want 'until_s' after 'from_s'" },
    { "again too soon", BAD("name: a, nodes: all, from_s: 2, until_s: 12, drain_s: 5, every_s: 15"),
      "c.yaml:4:17: want 'every_s' longer than the draining and the reservation" },
    { "no such queue", BAD("name: a, nodes: all, from_s: 0, until_s: 1, queues: [ x, z ]"), "c.yaml:4:76: the cluster has no queue 'z'" },
    { "no such account", BAD("name: a, nodes: all, from_s: 0, until_s: 1, accounts: [ x ]"), "c.yaml:4:75: the cluster has no account 'x'" },
    { "no such partition", BAD("name: a, nodes: all, from_s: 0, until_s: 1, partitions: [ p ]"),
      "c.yaml:4:77: the cluster has no partition 'p'" },
    { "no such node", BAD("name: a, nodes: { a: \"2\" }, from_s: 0, until_s: 1"),
      "c.yaml:4:41: a: want 'all', or positions of nodes in the group as 0-3,8 below 2, got '2'" },
    { "no nodes", BAD("name: a, nodes: {}, from_s: 0, until_s: 1"), "c.yaml:4:17: want at least one node" },
    { "a name that is no label", BAD("name: a=b, nodes: all, from_s: 0, until_s: 1"),
      "c.yaml:4:17: want a name without = ! < > & | ; : * , and spaces" },
    { "twice", BAD("name: a, nodes: all, from_s: 0, until_s: 1 }, { name: a, nodes: all, from_s: 0, until_s: 1"),
      "c.yaml:4:65: reservation 'a' is there already" },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, text_plays, rows);
    ADD_ROWS(tests, n, text_is_refused, bad_rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
