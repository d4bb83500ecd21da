/* transfers.h - KV caches on their way from replicas that read prompts to replicas that generate:
 * models.md 4.11.
 *
 * A transfer takes setup_s and then sends its bytes. Each replica has bytes_per_s for what it sends
 * and as much for what it receives, in equal parts; a transfer goes at the smaller of its two
 * parts. Where the way from one replica to another has a bandwidth of its own, those parts are of
 * that, if it is less. Rates change when a transfer begins or ends to send. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes a second from a replica to another; 0: no bound. */
struct transfer_paths {
    double (*bytes_per_s)(void *self, uint32_t from, uint32_t to);     /* NULL: none has one */
    void *self;
};
struct transfer {
    uint32_t request, from, to;   /* replicas */
    bool sends;                   /* it has been set up */
    double path;                  /* bytes a second of its way */
    double left_bytes, rate;      /* at since_ns; rate 0: it does not send */
    int64_t since_ns, next_ns;    /* next: its set-up or its sending ends */
};
struct transfers {
    struct transfer *at;          /* [n] in the order of their beginnings */
    size_t n, room;
    double bytes_per_s, setup_s;
    double begun_bytes;           /* of all so far */
    struct transfer_paths paths;
};
void transfers_free(struct transfers *t);
void transfers_begin(struct transfers *t, uint32_t request, uint32_t from, uint32_t to,
                     double bytes, int64_t now_ns);
/* Bandwidths of ways have changed. */
void transfers_look_again(struct transfers *t, int64_t now_ns);
int64_t transfers_next_ns(const struct transfers *t);        /* TIME_NEVER: none is under way */
/* What happens at transfers_next_ns(): true with *done if a transfer ends, which is removed. */
bool transfers_step(struct transfers *t, int64_t now_ns, struct transfer *done);
/* Removes one that goes to or comes from the replica; false: none. */
bool transfers_take_away(struct transfers *t, uint32_t replica, int64_t now_ns,
                         struct transfer *lost);
