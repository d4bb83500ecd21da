/* adapters.h - low-rank adapters of the model that a replica serves, and where a rank has them:
 * models.md 4.12.
 *
 * A request is of one adapter, 1 to n, or of the base model alone, 0. A GPU has `slots` places for
 * adapters, taken from the memory of its KV cache for good; so the requests that run on a rank are
 * of at most so many adapters, and one of another waits while later requests pass it. An adapter
 * that a step needs and the GPU lacks is loaded before the step begins: from the memory of the
 * host, which has the `host` adapters that were used last, or from storage and then from there.
 * The one that was used longest ago goes.
 *
 * The GPU has the first `slots` and the host the first `host` of one list, the adapter that was
 * used last before all others: both forget by the same rule, and host >= slots. In a step those
 * that are on the GPU count as used before those that are loaded, so none that it needs goes. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct llm_adapters {
    uint32_t n;                   /* 0: none; all below is then 0 */
    uint32_t slots, host;         /* of a rank: at least 1; at least slots */
    double zipf;                  /* popularity: adapter k in proportion to k^-zipf */
    double base_share;            /* of the requests, for no adapter */
    double host_s, storage_s;     /* load: host to GPUs; before it, storage to host */
    const double *popular;        /* [n] of the requests with one, share of each; for flow.h, which
                                     wants slots >= n; NULL: not known */
};

struct adapter_store {            /* of a rank */
    uint32_t *running;            /* [n + 1] its requests that hold it */
    uint32_t distinct;            /* adapters that some request holds */
    uint32_t *recent, n_recent;   /* [n_recent <= host] the one used last first */
    uint64_t *wanted, step;       /* [n + 1] last step that wanted it; the present step */
    uint32_t *now, n_now;         /* [n_now <= slots] those of the present step */
};
struct adapter_loads { uint64_t n, from_storage; double time_s; };

struct adapter_store adapter_store_of(const struct llm_adapters *a);
void adapter_store_free(struct adapter_store *s);
/* Whether a request of it may run beside those that do; 0: always. */
bool adapters_admit(const struct adapter_store *s, const struct llm_adapters *a, uint32_t adapter);
void adapters_hold(struct adapter_store *s, uint32_t adapter);
void adapters_release(struct adapter_store *s, uint32_t adapter);
/* How near it is: 2 on the GPU, 1 in the host's memory, 0 neither. */
unsigned adapters_near(const struct adapter_store *s, const struct llm_adapters *a,
                       uint32_t adapter);

/* A step: begins, wants adapters (of requests that hold them), and loads those that lack. Returns
 * what it loads. */
void adapters_begin(struct adapter_store *s);
void adapters_want(struct adapter_store *s, uint32_t adapter);
struct adapter_loads adapters_load(struct adapter_store *s, const struct llm_adapters *a);
