/* request_list.h - requests as somebody recorded them, in the order they came. */
#pragma once
#include "sim/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorded_request {
    int64_t time_ns;              /* the first has 0 */
    int64_t service_ns;           /* how long it took; -1: not told */
    uint32_t prompt_tokens, output_tokens;   /* output 0: not told */
};
struct request_list {
    struct recorded_request *request;
    size_t n, room;
    size_t n_left_out;            /* rows of requests that were not served */
    bool has_tokens, has_service; /* every request has them */
};
void request_list_add(struct request_list *l, struct recorded_request r);
/* Sorts by time, equal times as they were added; moves the first to 0. -1: there is none, said of `name`. */
int  request_list_finish(struct request_list *l, const char *name, struct error *err);
void request_list_free(struct request_list *l);
/* Squared coefficient of variation of the gaps; 1 of fewer than three requests. */
double request_list_gap_c2(const struct request_list *l);
/* Index of dispersion of counts in windows of that length, from the first request on; what is left at the end is not
 * counted. NAN of fewer than two windows. */
double request_list_dispersion(const struct request_list *l, double window_s);
