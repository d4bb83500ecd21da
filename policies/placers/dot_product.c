/* dot_product.c - by the dot product of what is asked for and what is free, CPU and GPU, each as a
 * part of the largest node's or of norm_cpus and norm_gpus.
 *
 * score = int(100 (1 - product / 2)): the smallest product wins, so that small jobs fill what is
 * nearly full (hkust-adsl/kubernetes-scheduler-simulator:pkg/simulator/plugin/dot_product_score.go,
 * dimensions "merge", norm "max"). prefer=largest is the alignment of Tetris (Grandl et al.,
 * SIGCOMM'14): where there is most of what it wants. */
#include "policies/placers/scored.h"

struct dot_product_params { struct norm_params norm; double prefer; };
enum { SMALLEST, LARGEST };
struct dot_product { struct amount most; bool largest; };

static const void *dot_product_begin(const struct view *v, const void *params)
{
    struct dot_product *d = view_alloc(v, sizeof *d);
    d->most = norm_of(v, params);
    d->largest = ((const struct dot_product_params *)params)->prefer >= LARGEST;
    return d;
}

static double part(int64_t amount, int64_t most)
{
    return most && amount != INT64_MAX ? (double)amount / (double)most : 0;
}

static int32_t dot_product_score(const struct view *v, const struct request *r, node_id n,
                                 const void *state)
{
    const struct dot_product *d = state;
    struct node_free f = view_node_for(v, r, n);
    int64_t asked = (int64_t)r->gpus * request_share(r);
    double product =
        part(f.cpu_milli, d->most.cpu_milli) * part(r->cpu_milli, d->most.cpu_milli) +
        part(node_milli_left(v, n, &f), d->most.gpu_milli) * part(asked, d->most.gpu_milli);
    return (int32_t)(100 * (d->largest ? product / 2 : 1 - product / 2));
}

static enum place_result dot_product_place(struct builder *b, const struct request *r,
                                           const void *params)
{
    static const struct placing_by_score how = {
        .by = { dot_product_begin, dot_product_score, scored_draws_ties }
    };
    return place_best(b, r, &how, params);
}

static const char *const prefer_words[] = { "smallest", "largest", NULL };
static const struct param dot_product_params[] = {
    NORM_PARAMS,
    { "prefer",
      "smallest: what is nearly full fills up; largest: aligned with what is free, as Tetris", "",
      0, 0, SMALLEST, prefer_words, offsetof(struct dot_product_params, prefer) },
    { 0 },
};

const struct placer dot_product_placer = {
    .abi = PLACEMENT_ABI,
    .name = "dot-product",
    .summary = "by the dot product of demand and what is free",
    .params = dot_product_params,
    .params_size = sizeof(struct dot_product_params),
    .place = dot_product_place,
};
