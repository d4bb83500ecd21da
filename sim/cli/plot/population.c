/* population.c - see population.h. */
#include "sim/cli/plot/population.h"

#include "sim/cli/frame/result_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct population population_begin(const char *directory)
{
    static const char setting[] = "\nwarmup_jobs: ";
    struct population p = { .trace = SIZE_MAX };
    json_t *manifest = result_manifest(directory);
    const json_t *jobs = json_object_get(json_object_get(manifest, "counts"), "jobs");
    const char *text = json_string_value(json_object_get(manifest, "configuration"));
    const char *warmup = text ? strstr(text, setting) : NULL;
    if (json_is_integer(jobs) && json_integer_value(jobs) >= 0)
        p.trace = (size_t)json_integer_value(jobs);
    if (warmup)
        p.warmup = (size_t)strtoull(warmup + sizeof setting - 1, NULL, 10);
    json_decref(manifest);
    return p;
}

static bool is_one_of(const char *state, const char *const *list)
{
    while (*list && strcmp(state, *list) != 0)
        list++;
    return *list != NULL;
}

enum population_part population_row(struct population *p, const struct fields *f)
{
    static const char *const ended[] = { "completed", "failed", "cancelled", NULL },
                             *const open[] = { "running", "pending", NULL };
    size_t row = p->rows++;
    if (row >= p->trace) {
        p->on_demand++;
        return NOT_COUNTED;
    }
    if (row < p->warmup) {
        p->left_out++;
        return NOT_COUNTED;
    }
    if (is_one_of(f->text[0], ended) && !isnan(f->number[1])) {
        p->counted++;
        return COUNTED;
    }
    if (!is_one_of(f->text[0], open))
        return NOT_COUNTED;
    p->unfinished++;
    return UNFINISHED;
}
