/* test_cluster_cohorts.c - what a cluster file says of borrowing and preemption, and what it leaves unnamed. */
#include "sim/cluster/cluster_file.h"
#include "tests/unit/test_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct cluster *cluster_of_text(const char *text)
{
    char name[] = "/tmp/test_cluster_cohorts.XXXXXX", sha256[65];
    struct error err = { "" };
    int file = mkstemp(name);
    assert_true(file >= 0);
    FILE *f = fdopen(file, "wb");
    assert_true(f && fputs(text, f) >= 0 && fclose(f) == 0);
    struct cluster *c = cluster_read(name, NULL, sha256, &err);
    unlink(name);
    assert_string_equal(err.text, "");
    return c;
}

#define NODES "nodes: [ { group: g, count: 1, gpus: 8 } ]\n"

static void all_said(void **state)
{
    (void)state;
    struct cluster *c = cluster_of_text(NODES
                             "queues:\n"
                             "  - name: org\n"
                             "    queueing: strict-fifo\n"
                             "    preemption: { within_queue: lower-or-newer-equal, reclaim_within_cohort: any,\n"
                             "                  borrow_within_cohort: lower-priority, borrow_priority_threshold: -3 }\n"
                             "    borrowing_limit_gpus: 1.5\n"
                             "    borrowing_limit_cpus: 2\n"
                             "    borrowing_limit_memory_gib: 3\n"
                             "    lending_limit_gpus: 0\n"
                             "    lending_limit_cpus: unlimited\n"
                             "    lending_limit_memory_gib: 0.5\n");
    const struct cohort_rules *r = &c->queue[0].cohort;
    assert_int_equal(r->queueing, STRICT_FIFO);
    assert_int_equal(r->within_queue, WITHIN_LOWER_OR_NEWER_EQUAL);
    assert_int_equal(r->reclaim, RECLAIM_ANY);
    assert_int_equal(r->borrow, BORROW_LOWER_PRIORITY);
    assert_int_equal(r->borrow_priority_threshold, -3);
    assert_int_equal(r->borrowing_limit.gpu_milli, 1500);
    assert_int_equal(r->borrowing_limit.cpu_milli, 2000);
    assert_int_equal(r->borrowing_limit.mem_mib, 3072);
    assert_int_equal(r->lending_limit.gpu_milli, 0);
    assert_int_equal(r->lending_limit.cpu_milli, UNLIMITED);
    assert_int_equal(r->lending_limit.mem_mib, 512);
    cluster_free(c);
}

static void flavors_said(void **state)
{
    (void)state;
    struct cluster *c = cluster_of_text(NODES
                             "flavors:\n"
                             "  - { name: h100, node_labels: { gpu: h100 }, taints: [\"a=b:NoSchedule\"], tolerations: [\"a\"] }\n"
                             "  - { name: cpu }\n"
                             "queues:\n"
                             "  - name: q\n"
                             "    flavors:\n"
                             "      - { flavor: h100, deserved_gpus: 4, borrowing_limit_gpus: 2, lending_limit_gpus: 1 }\n"
                             "      - { flavor: cpu, group: 1, deserved_cpus: 8 }\n"
                             "    fungibility: { when_can_borrow: try-next-flavor, when_can_preempt: may-stop-search,\n"
                             "                   preference: preemption-over-borrowing }\n");
    const struct queue_facts *q = &c->queue[0];
    assert_int_equal(c->n_flavors, 2);
    assert_string_equal(c->flavor[0].labels, "gpu=h100");
    assert_string_equal(c->flavor[0].taints, "a=b:NoSchedule");
    assert_string_equal(c->flavor[0].tolerations, "a");
    assert_string_equal(c->flavor[1].labels, "");
    assert_int_equal(q->n_flavor_quotas, 2);
    assert_int_equal(q->flavor_quota[0].nominal.gpu_milli, 4000);
    assert_int_equal(q->flavor_quota[0].nominal.cpu_milli, UNLIMITED);
    assert_int_equal(q->flavor_quota[0].borrowing.gpu_milli, 2000);
    assert_int_equal(q->flavor_quota[0].lending.gpu_milli, 1000);
    assert_int_equal(q->flavor_quota[1].flavor, 1);
    assert_int_equal(q->flavor_quota[1].group, 1);
    assert_int_equal(q->flavor_quota[1].nominal.gpu_milli, UNLIMITED);    /* another group */
    assert_int_equal(q->flavor_quota[1].nominal.cpu_milli, 8000);
    assert_int_equal(q->quota.deserved.gpu_milli, 4000);                  /* of all flavors */
    assert_int_equal(q->fungibility.when_can_borrow, BORROW_TRIES_NEXT);
    assert_int_equal(q->fungibility.when_can_preempt, PREEMPT_STOPS);
    assert_int_equal(q->fungibility.preference, PREEMPTION_OVER_BORROWING);
    cluster_free(c);
}

static void unnamed(void **state)
{
    static const char *const texts[] = { NODES "queues: [ { name: a } ]\n", NODES "queues: [ { name: a, preemption: {} } ]\n" };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct cluster *c = cluster_of_text(texts[i]);
        const struct cohort_rules *r = &c->queue[0].cohort, unsaid_rules = COHORT_RULES_UNSAID;
        assert_memory_equal(r, &unsaid_rules, sizeof *r);
        cluster_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_said), cmocka_unit_test(flavors_said), cmocka_unit_test(unnamed) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
