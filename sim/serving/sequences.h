/* sequences.h - the sequences of one LLM replica in continuous batching: service_time.h as events.
 *
 * All sequences in decode have the same progress rate, a token in d(k)/speed seconds, so one
 * counter of tokens serves all: ends are kept in tokens of this counter, in a heap, and the next
 * end is computed again when k changes. */
#pragma once
#include "sim/serving/service_time.h"

#include <stddef.h>

struct sequence { double end; uint32_t request; };   /* end: in tokens of the counter */
struct sequences {
    double tokens;                /* the counter, at last_ns */
    int64_t last_ns;
    struct sequence *heap;        /* in decode, by end, then by request */
    size_t n, capacity;
    uint32_t prefill;             /* the request in prefill; NO_SEQUENCE: none */
    int64_t prefill_end_ns;
    int64_t next_end_ns;          /* of a decode; TIME_NEVER: none */
};
#define NO_SEQUENCE UINT32_MAX

struct sequences sequences_none(void);
void sequences_free(struct sequences *s);
uint32_t sequences_held(const struct sequences *s);          /* in prefill and decode */
void sequences_begin(struct sequences *s, const struct llm_model *m, double speed, int64_t now_ns,
                     uint32_t request, uint32_t prompt);
/* the next end of a prefill or decode; TIME_NEVER */
int64_t sequences_next_ns(const struct sequences *s);
/* The prefill ends: the request begins to decode so many tokens. Returns the request. */
uint32_t sequences_prompt_read(struct sequences *s, const struct llm_model *m, double speed,
                               uint32_t output);
/* From now_ns on, tokens come at another speed; a prefill keeps its end. */
void sequences_repace(struct sequences *s, const struct llm_model *m, double before, double speed,
                      int64_t now_ns);
/* Removes the request that ends at next_end_ns. */
uint32_t sequences_end(struct sequences *s, const struct llm_model *m, double speed);
/* The replica stops: removes any request; NO_SEQUENCE: none is left. */
uint32_t sequences_take_away(struct sequences *s);
