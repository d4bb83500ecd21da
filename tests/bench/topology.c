/* topology - CPU time of one gang through policies/kueue/topology.h, on 4,096 nodes of 8 GPUs in 3
 * levels (8 blocks of 16 racks of 32 nodes), free GPUs drawn anew for each: for each mode and level
 * `MODE LEVEL MEDIAN P99`, in microseconds. Gangs of 8 to 512 pods, with up to two layers of slices
 * where the level allows, a quarter of them with a leader. */
#include "policies/kueue/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LEVELS = 3, GANGS = 2000 };
static const uint32_t size[LEVELS] = { 8, 16, 32 };

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static uint32_t draw(uint64_t *state, uint32_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % n;
}

static void make_tree(struct tas_tree *t, struct tas_work *w)
{
    uint32_t leaves = size[0] * size[1] * size[2], *parts = calloc(leaves, sizeof *parts);
    for (uint32_t i = 0; i < leaves; i++)
        parts[i] = i % (size[1] * size[2]) == 0 ? 0 : i % size[2] == 0 ? 1 : 2;
    tas_tree_lay(t, LEVELS, leaves, parts, calloc(1, tas_tree_size(LEVELS, leaves)));
    tas_work_lay(w, t, calloc(1, tas_work_size(t)));
    free(parts);
}

static double one_gang(struct tas_work *w, enum tas_mode mode, uint32_t level, uint64_t *state)
{
    const struct tas_layer layer[] = { { 1, 8 }, { 2, 4 } };
    struct tas_ask ask = { .mode = mode, .level = level, .layer = layer };
    ask.pods = 8 * (int64_t)(1 + draw(state, 64));
    ask.layers = level < 2 ? draw(state, 3) : 0;
    ask.leader = draw(state, 4) == 0;
    for (uint32_t i = 0; i < tas_leaves(w->tree); i++) {
        uint32_t free = draw(state, 9);
        w->room[i] = (struct tas_room){ free, free ? free - 1 : 0, 0, free > 0 };
    }
    double began = now_us();
    tas_place(w, &ask);
    return now_us() - began;
}

int main(void)
{
    static const char *const modes[] = { "required", "preferred", "unconstrained" };
    static double us[GANGS];
    struct tas_tree t;
    struct tas_work w = { 0 };
    uint64_t state = 1;
    make_tree(&t, &w);
    for (int mode = TAS_REQUIRED; mode <= TAS_UNCONSTRAINED; mode++)
        for (uint32_t level = 0; level < LEVELS; level++) {
            for (size_t i = 0; i < GANGS; i++)
                us[i] = one_gang(&w, (enum tas_mode)mode, level, &state);
            qsort(us, GANGS, sizeof *us, ascending);
            printf("%s %u %.0f %.0f\n", modes[mode], level, us[GANGS / 2], us[GANGS * 99 / 100]);
        }
    return 0;
}
