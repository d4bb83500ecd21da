/* read_shared.h - a public trace, which lies in $GPUYARD_SHARED ("../shared" by default); if it does not, the test that
 * asks for it is skipped and says so. */
#pragma once
#include "tests/unit/test_core.h"
#include "traces/formats/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Where it is: traces/PATH of the shared files. Skips the test if it is not there. */
static const char *shared_path(char whole[1024], const char *path)
{
    const char *shared = getenv("GPUYARD_SHARED");
    snprintf(whole, 1024, "%s/traces/%s", shared ? shared : "../shared", path);
    if (access(whole, R_OK) != 0) {
        print_message("%s is not there: say in GPUYARD_SHARED where the shared files are\n", whole);
        skip();
    }
    return whole;
}

/* The caller frees. *used: what its first bytes were taken for. */
__attribute__((unused)) static struct workload *read_shared(const char *path, const struct trace_format **used)
{
    char whole[1024], sha256[65];
    struct error err = { "" };
    struct workload *w = trace_read(shared_path(whole, path), NULL, used, sha256, &err);
    assert_string_equal(err.text, "");
    return w;
}

__attribute__((unused)) static uint32_t gpus_of(const struct workload *w, job_id j)
{
    const struct request *r = w->facts[j].ask;
    return r->tasks == SPLIT_ANY ? r->gpus : r->tasks * r->gpus;
}
