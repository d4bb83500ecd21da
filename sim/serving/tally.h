/* tally.h - what is counted of requests one by one, for an interval and for all: figures.h of it. */
#pragma once
#include "sim/serving/request_lines.h"
#include "sim/serving/tally.h"

struct tally {
    int64_t from_ns;
    uint64_t arrived, served, dropped, kept, prompt_tokens, output_tokens;
    uint64_t windows, windows_kept;
    int128_t replica_ns, busy_ns, concurrency_ns;
    struct response_counts latency, first_token, per_token;
};
void tally_free(struct tally *t);
void tally_clear(struct tally *t, int64_t from_ns);
void tally_add(struct tally *to, const struct tally *more);
/* A request that is served ends. Returns whether it kept the SLO. */
bool tally_served(struct tally *t, const struct service *s, const struct present *r, int64_t end_ns);
struct serving_figures tally_figures(const struct tally *t, int64_t to_ns, uint64_t unfinished);

/* Minutes: of those in which requests ended, in how many enough of them kept the SLO. */
struct slo_window { int64_t end_ns; uint64_t ended, kept; };
/* Counts the window if the time is no longer in it, and goes to that of now_ns. */
void slo_window_move(struct slo_window *w, const struct service_slo *slo, int64_t now_ns, struct tally *t);
void slo_window_count(const struct slo_window *w, const struct service_slo *slo, struct tally *t);
