/* test_job_ids.c - a job_id that is used twice is found, with the job that has it: against a look through all names before it. */
#include "sim/base/random.h"
#include "sim/workload/job_ids.h"
#include "tests/unit/test_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS = 3000, NAME = 32 };

struct kind {
    const char *name;
    int64_t first, step;          /* rising numbers, but */
    unsigned moved_percent;       /* another one of them, so that it may be there already, */
    unsigned large_percent;       /* or one of up to 10^17, */
    unsigned text_percent;        /* or no number: "x7", "07", "+7" */
};

static const struct kind kinds[] = {
    { "rising", 1, 1, 0, 0, 0 },
    { "rising and far apart", 1, 1000000000, 0, 0, 0 },
    { "numbers in another order", 1, 1, 30, 0, 0 },
    { "numbers in another order from far away on", 50000000, 3, 30, 0, 0 },
    { "few are larger than a bit each is for", 1, 1, 30, 1, 0 },
    { "few are texts", 1, 1, 30, 1, 1 },
    { "texts", 1, 1, 0, 0, 100 },
};

static void draw(const struct kind *k, struct random *r, int64_t i, char to[NAME])
{
    static const char *const before[] = { "x", "0", "+" };
    unsigned u = (unsigned)random_below(r, 100);
    if (u < k->text_percent)
        snprintf(to, NAME, "%s%lld", before[random_below(r, 3)], (long long)random_below(r, JOBS));
    else if (u < k->text_percent + k->large_percent)
        snprintf(to, NAME, "%llu", (unsigned long long)random_below(r, UINT64_C(100000000000000000)));
    else if (u < k->text_percent + k->large_percent + k->moved_percent)
        snprintf(to, NAME, "%lld", (long long)(k->first + (int64_t)random_below(r, 2 * JOBS) * k->step));
    else
        snprintf(to, NAME, "%lld", (long long)(k->first + i * k->step));
}

static job_id looked_for(char (*name)[NAME], job_id n, const char *wanted)
{
    for (job_id j = 0; j < n; j++)
        if (!strcmp(name[j], wanted))
            return j;
    return ID_NONE;
}

static void found_as_by_a_look_at_all(void **state)
{
    const struct kind *k = *state;
    static char name[JOBS][NAME];
    static struct job_truth jobs[JOBS];
    size_t twice = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct random r;
        struct job_ids *ids = job_ids_new();
        job_id n = 0;
        random_init(&r, seed, "job_ids", 0);
        for (int64_t i = 0; i < JOBS; i++) {
            draw(k, &r, i, name[n]);
            job_id want = looked_for(name, n, name[n]), got = job_ids_add(ids, jobs, n, name[n], strlen(name[n]));
            assert_int_equal(got, want);
            twice += got != ID_NONE;
            if (got == ID_NONE) {
                jobs[n].name = name[n];
                n++;
            }
        }
        job_ids_free(ids);
    }
    assert_int_equal(twice > 0, k->moved_percent + k->text_percent > 0);      /* else nothing was looked for */
}

int main(void)
{
    struct CMUnitTest tests[TESTS_MOST] = { { 0 } };
    size_t n = 0;
    ADD_ROWS(tests, n, found_as_by_a_look_at_all, kinds);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
