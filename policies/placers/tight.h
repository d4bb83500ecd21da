/* tight.h - domains of one level across nodes (islands, racks, pods and further out), those with
 * room: the tightest first, or the roomiest.
 *
 * Tight is few free GPUs; room is how many tasks fit, or GPUs of a total, counted by whole GPUs:
 * where CPU, memory or shares bind the caller goes on to the next. A node that is in no such domain
 * is one of its own. Equal: in the order of ids. O(domains) a decision. */
#pragma once
#include "sim/contract/placement.h"

enum { TIGHT_BATCH = 16 };        /* domains that are found at once */
struct tight_walk {
    const struct view *v;
    const struct request *r;
    enum level level;             /* LEVEL_ISLAND, or above the node */
    bool roomiest;
    uint32_t min_room;               /* of a domain */
    size_t n, at;
    /* ascending; the last of the batch before */
    struct tight_place { uint32_t key; size_t i; } next[TIGHT_BATCH], last;
    bool begun;
};
bool tight_next(struct tight_walk *w, domain_id *d);     /* false: no more */
/* From islands across nodes on to the levels above the node; LEVEL_CLUSTER: no more. */
enum level tight_outwards(const struct view *v, enum level l);
bool tight_any(const struct view *v, enum level level);  /* there is such a domain */

/* The nodes of the view, found once. */
enum { SPEEDS_MOST = 8 };
struct tight_nodes {
    uint32_t gpus;                /* of the largest node */
    unsigned n_speeds;
    /* distinct view_gpu_speed() of their GPUs, descending; the fastest SPEEDS_MOST */
    double speed[SPEEDS_MOST];
};
const struct tight_nodes *tight_nodes(const struct view *v);

/* What is left to place of a request. */
struct tight_job { struct builder *b; const struct request *r; uint32_t left, done, rank; };
struct tight_job tight_job(struct builder *b, const struct request *r);
/* All of it in the tightest domain of that level that takes it; by best fit inside. false: none
 * does, nothing is added. */
bool tight_all_in_one(struct tight_job *j, enum level level);
/* In as few domains as can be: the roomiest first, until the rest fits one, which then is the
 * tightest that takes it. */
bool tight_few(struct tight_job *j, enum level level);
