/* fgd.c - fragmentation gradient descent: where the jobs that are typical lose the least room.
 *
 * score = int(100 sigmoid((F before - F after) / 1000)), F in milli-GPUs: fragments.h. A share
 * tries every GPU of the node that has it and keeps the best, the lowest on ties; whole GPUs are
 * the lowest free ones. USENIX ATC'23, Weng et al., algorithm 1;
 * hkust-adsl/kubernetes-scheduler-simulator:pkg/simulator/plugin/fgd_score.go. */
#include "policies/placers/fragments.h"
#include "policies/placers/scored.h"

#include <math.h>

static const void *fgd_begin(const struct view *v, const void *params)
{
    (void)params;
    return fragments_new(v);
}

/* `fall`: of F, times all jobs. The sums are whole numbers, so a fall of nothing is exactly 50. */
static int32_t fgd_points(const struct fragments *f, int64_t fall)
{
    double milli = fragments_jobs(f) ? (double)fall / (double)fragments_jobs(f) : 0;
    return (int32_t)(100 / (1 + exp(-milli / MILLI_ALL)));
}

/* Of one GPU a share: which, and what it scores. */
struct choice { int32_t points; unsigned gpu; };

static void consider(struct choice *best, const struct fragments *f, uint32_t kind,
                     const struct free_gpus *after, int64_t before, unsigned gpu)
{
    int32_t points = fgd_points(f, before - fragments_in(f, kind, after));
    if (points > best->points || (points == best->points && gpu < best->gpu))
        *best = (struct choice){ points, gpu };
}

static bool seen_before(const struct free_gpus *g, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (g->shared[k] == g->shared[i])
            return true;
    return false;
}

/* GPUs with the same left over score alike: the lowest of them stands for all. */
static struct choice choose_share(const struct view *v, const struct request *r, node_id n,
                                  const struct fragments *f)
{
    struct choice best = { SCORE_NEVER, UINT32_MAX };
    struct node_free free = view_node(v, n);
    struct free_gpus g = free_gpus_of(v, n), after = g;
    uint32_t kind = view_kind(v, n);
    int64_t before = fragments_in(f, kind, &g);
    uint64_t left = free.shared_mask;
    after.cpu_milli -= r->cpu_milli;
    for (uint32_t i = 0; i < g.n_shared; i++, left &= left - 1) {
        if (!view_gpu_fits(v, r, n, (unsigned)__builtin_ctzll(left)) ||
            (!r->gpu_mem_mib && seen_before(&g, i)))
            continue;
        after.shared[i] -= r->gpu_milli;
        consider(&best, f, kind, &after, before, (unsigned)__builtin_ctzll(left));
        after.shared[i] = g.shared[i];
    }
    if (free.whole_mask) {
        after.whole--;
        after.shared[after.n_shared++] = MILLI_ALL - r->gpu_milli;
        consider(&best, f, kind, &after, before, (unsigned)__builtin_ctzll(free.whole_mask));
    }
    return best;
}

/* What is left when the host picks: of shares the fullest GPU that has it, then whole ones. */
static struct free_gpus left_after(const struct request *r, struct free_gpus g)
{
    g.cpu_milli -= r->cpu_milli;
    for (uint32_t gpus = r->gpus; gpus > 0; gpus--) {
        uint32_t fullest = g.n_shared;
        for (uint32_t i = 0; r->gpu_milli < MILLI_ALL && i < g.n_shared; i++)
            if (g.shared[i] >= r->gpu_milli &&
                (fullest == g.n_shared || g.shared[i] < g.shared[fullest]))
                fullest = i;
        if (fullest == g.n_shared) {
            g.whole--;
            if (r->gpu_milli < MILLI_ALL)
                g.shared[g.n_shared++] = MILLI_ALL;
        }
        if (r->gpu_milli < MILLI_ALL)
            g.shared[fullest] -= r->gpu_milli;
    }
    return g;
}

static bool is_one_share(const struct request *r)
{
    return r->gpus == 1 && r->gpu_milli < MILLI_ALL;
}

static int32_t fgd_score(const struct view *v, const struct request *r, node_id n,
                         const void *state)
{
    if (is_one_share(r))
        return choose_share(v, r, n, state).points;
    if (r->mig)                   /* instances do not fragment */
        return fgd_points(state, 0);
    struct free_gpus before = free_gpus_of(v, n), after = left_after(r, before);
    uint32_t kind = view_kind(v, n);
    return fgd_points(state,
                      fragments_in(state, kind, &before) - fragments_in(state, kind, &after));
}

static bool fgd_take(struct builder *b, const struct request *r, uint32_t task, node_id n,
                     const void *state)
{
    if (!is_one_share(r))
        return builder_add_some(b, r, task, n, r->gpus);
    struct choice best = choose_share(builder_view(b), r, n, state);
    return best.points != SCORE_NEVER &&
           builder_add(b, (struct piece){ .node = n,
                                          .task = task,
                                          .gpu_mask = UINT64_C(1) << best.gpu,
                                          .gpus = 1,
                                          .milli = r->gpu_milli });
}

static enum place_result fgd_place(struct builder *b, const struct request *r, const void *params)
{
    static const struct placing_by_score how = { .by = { fgd_begin, fgd_score, scored_draws_ties },
                                                 .take = fgd_take };
    return place_best(b, r, &how, params);
}

const struct placer fgd_placer = {
    .abi = PLACEMENT_ABI,
    .name = "fgd",
    .summary = "fragmentation gradient descent: where typical jobs lose the least room",
    .needs = SEES_TYPICAL,
    .params = scored_param_list,
    .params_size = sizeof(struct scored_params),
    .place = fgd_place,
};
