/* weights.h - sets of weights of which a request needs one, and where a rank has them: low-rank
 * adapters of its model (models.md 4.12), or models (4.13).
 *
 * Sets have numbers from 1; a request that needs none has 0. A GPU has `slots` places for them,
 * taken from the memory of its KV cache for good; so the requests that run on a rank need at most
 * so many sets. A set that a step needs and the GPU lacks is loaded before the step begins: from
 * the memory of the host, which has the `host` sets that were used last, or from storage. The one
 * that was used longest ago goes.
 *
 * The GPU has the first `slots` and the host the first `host` of one list, the set that was used
 * last before all others: both forget by the same rule, and host >= slots. In a step those that are
 * on the GPU count as used before those that are loaded, so none that it needs goes. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct weight_places {
    uint32_t n;                   /* sets; 0: none, and all below is then 0 */
    uint32_t slots, host;         /* of a rank: at least 1; at least slots */
    double host_s, storage_s;     /* to load one: from the host, from storage; by unit of size */
    const double *size;           /* [n]; NULL: 1 each */
    bool there;                   /* a new rank has the first `slots` of them; else none */
};

struct weight_store {             /* of a rank */
    uint32_t *running;            /* [n + 1] its requests that hold it */
    uint32_t distinct;            /* sets that some request holds */
    uint32_t *recent, n_recent;   /* [n_recent <= host] the one used last first */
    uint64_t *wanted, step;       /* [n + 1] last step that wanted it; the present step */
    uint32_t *now, n_now;         /* [n_now <= slots] those of the present step */
};
struct weight_loads { uint64_t n, from_storage; double time_s; };

struct weight_store weight_store_of(const struct weight_places *p);
void weight_store_free(struct weight_store *s);
/* Whether a request of that set may run beside those that do; 0: always. */
bool weights_admit(const struct weight_store *s, const struct weight_places *p, uint32_t set);
void weights_hold(struct weight_store *s, uint32_t set);
void weights_release(struct weight_store *s, uint32_t set);
/* How near it is: 2 on the GPU, 1 in the host's memory, 0 neither. */
unsigned weights_near(const struct weight_store *s, const struct weight_places *p, uint32_t set);

/* A step: begins, wants sets (of requests that hold them), and loads those that lack. Returns what
 * it loads. */
void weights_begin(struct weight_store *s);
void weights_want(struct weight_store *s, uint32_t set);
struct weight_loads weights_load(struct weight_store *s, const struct weight_places *p);
void weight_loads_add(struct weight_loads *to, const struct weight_loads *more);
