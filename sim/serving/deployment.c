/* deployment.c - see deployment.h. */
#include "sim/serving/deployment.h"
#include "sim/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct deployments *deployments_new(void)
{
    struct deployments *d = mem_new(1, sizeof *d);
    d->memory = arena_new();
    return d;
}

void deployments_free(struct deployments *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->n; i++)
        if (d->of[i].replay) {
            request_list_free(d->of[i].replay);
            free(d->of[i].replay);
        }
    arena_free(d->memory);
    free(d);
}

double deployment_speed(const struct deployment *d, const char *gpu_type)
{
    for (size_t i = 0; gpu_type && i < d->n_speeds; i++)
        if (!strcmp(d->speed[i].gpu_type, gpu_type))
            return d->speed[i].speed;
    return 1;
}

int64_t replica_start_ns(const struct replica_start *s, bool cold, int64_t read_ns)
{
    int64_t load_ns = s->load_ns > read_ns ? s->load_ns : read_ns;
    return (cold ? s->pull_cold_ns : s->pull_cached_ns) + load_ns + s->warm_up_ns;
}
