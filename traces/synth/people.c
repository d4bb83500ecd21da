/* people.c - which project each user belongs to: a fixed partition, the same for every seed. See synth.h. */
#include "sim/models/draws/shares.h"
#include "traces/synth/synth.h"

#include <stdlib.h>

uint32_t *synth_project_of(const struct synth_spec *s)
{
    struct shares users = shares_zipf(s->users, s->users_zipf), projects = shares_of(s->projects.weight, s->projects.n);
    uint32_t *project_of = mem_new(s->users, sizeof *project_of);
    double *lacks = mem_new(s->projects.n, sizeof *lacks);
    for (size_t p = 0; p < s->projects.n; p++)
        lacks[p] = shares_of_one(&projects, p);
    for (uint32_t u = 0; u < s->users; u++) {
        uint32_t most = 0;
        for (uint32_t p = 1; p < s->projects.n; p++)
            if (lacks[p] > lacks[most])
                most = p;
        project_of[u] = most;
        lacks[most] -= shares_of_one(&users, u);
    }
    free(lacks);
    shares_free(&users);
    shares_free(&projects);
    return project_of;
}
