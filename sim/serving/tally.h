/* tally.h - counts of requests one by one, of an interval and of the whole run, as figures.h.
 *
 * Durations are counted in classes, for quantiles of any number of requests in bounded memory:
 * exactly below 1024 ns, above it in 512 classes for each power of two. A quantile is the middle of
 * its class, within 1/1024 of the true value. Sums are exact. */
#pragma once
#include "sim/base/units.h"
#include "sim/serving/figures.h"
#include "sim/serving/request_lines.h"

struct response_counts {
    uint64_t *count;              /* [CLASSES]; NULL: empty */
    uint32_t first, last;         /* the lowest and the highest class in use */
    uint64_t n;
    int128_t sum_ns;
};
void   response_counts_add(struct response_counts *c, int64_t ns);     /* not negative */
void   response_counts_merge(struct response_counts *to, const struct response_counts *more);
void   response_counts_clear(struct response_counts *c);
void   response_counts_free(struct response_counts *c);
/* the value of rank ceil(p n); NAN: empty */
double response_counts_quantile_s(const struct response_counts *c, double p);
struct delays response_counts_delays(const struct response_counts *c);

struct tally {
    int64_t from_ns;
    uint64_t arrived, served, dropped, kept, prompt_tokens, output_tokens;
    uint64_t windows, windows_kept;
    /* of replicas that run step by step */
    uint64_t rejected, preempted, steps, computed_tokens, skipped_tokens;
    struct weight_loads loads;
    double kv_peak;               /* of a replica, as a share */
    int128_t kv_block_ns;         /* integral of the blocks in use */
    int128_t replica_ns, busy_ns, concurrency_ns;
    struct response_counts latency, first_token, per_token, gap;
};
void tally_free(struct tally *t);
void tally_clear(struct tally *t, int64_t from_ns);
void tally_add(struct tally *to, const struct tally *more);
/* Counts a request that is served and ends. Returns whether it met the SLO. */
bool tally_served(struct tally *t, const struct service *s, const struct present *r,
                  int64_t end_ns);
/* gpu_s: of all replicas in that time, if they run step by step. */
struct serving_figures tally_figures(const struct tally *t, const struct service *s, int64_t to_ns,
                                     uint64_t unfinished, double gpu_s);

/* Minutes in which requests ended, and those in which the share of the SLO met it. */
struct slo_window { int64_t end_ns; uint64_t ended, kept; };
/* Counts the window if now_ns is behind it, and moves to the window of now_ns. */
void slo_window_move(struct slo_window *w, const struct service_slo *slo, int64_t now_ns,
                     struct tally *t);
void slo_window_count(const struct slo_window *w, const struct service_slo *slo, struct tally *t);
