/* request_list.h - recorded requests, in the order of arrival. */
#pragma once
#include "sim/base/error.h"
#include "sim/base/intern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADAPTERS_MOST 100000      /* of a service */

struct recorded_request {
    int64_t time_ns;              /* of the first request 0 */
    int64_t service_ns;           /* -1: unknown */
    uint32_t prompt_tokens, output_tokens;   /* output 0: unknown */
    size_t first_id, n_ids;       /* of its prompt, in request_list.id; n_ids 0: unknown */
    uint32_t adapter;             /* from 1; 0: none */
    uint32_t model;               /* its number in request_list.models + 1; 0: unknown */
};
struct request_list {
    struct recorded_request *request;
    size_t n, room;
    uint64_t *id;                 /* [n_ids] of all prompts: llm/prefix_cache.h */
    size_t n_ids, ids_room;
    size_t n_left_out;            /* rows of requests that were not served, not in the list */
    bool has_tokens, has_service, has_models;    /* all requests have them */
    struct intern *models;        /* names of models; NULL: none */
    uint32_t adapters;            /* the largest number of an adapter; 0: none has one */
};
void request_list_add(struct request_list *l, struct recorded_request r);
/* One more id of the prompt of the request that was added last. */
void request_list_add_id(struct request_list *l, uint64_t id);
/* Sorts by time, ties in the order in which they were added; moves the first to 0. -1 with err,
 * which has `name`: no request. */
int  request_list_finish(struct request_list *l, const char *name, struct error *err);
void request_list_free(struct request_list *l);
/* Squared coefficient of variation of the gaps; 1 of fewer than three requests. */
double request_list_gap_c2(const struct request_list *l);
/* Index of dispersion of counts in whole windows of that length, from the first request on. NAN of
 * fewer than two windows. */
double request_list_dispersion(const struct request_list *l, double window_s);
