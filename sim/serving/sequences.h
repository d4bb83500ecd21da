/* sequences.h - the sequences of one replica of an LLM in continuous batching: llm.h, played.
 *
 * All in decode get on alike, a token in d(k)/speed seconds, so one number tells how many each has got since any time: it is
 * re-timed when k changes, and the next to end is the least of a heap. */
#pragma once
#include "sim/serving/service_time.h"

#include <stddef.h>

struct sequence { double end; uint32_t request; };   /* in tokens of `tokens` below */
struct sequences {
    double tokens;                /* made for each since the replica was ready */
    int64_t last_ns;              /* when that was so */
    struct sequence *heap;        /* in decode; the first ends next, equal ends by request */
    size_t n, room;
    uint32_t prefill;             /* the request whose prompt is read; NO_SEQUENCE: none */
    int64_t prefill_end_ns;
    int64_t next_end_ns;          /* of a decode; TIME_NEVER: none */
};
#define NO_SEQUENCE UINT32_MAX

struct sequences sequences_none(void);
void sequences_free(struct sequences *s);
uint32_t sequences_held(const struct sequences *s);          /* in prefill and decode */
void sequences_begin(struct sequences *s, const struct llm_model *m, double speed, int64_t now_ns, uint32_t request, uint32_t prompt);
int64_t sequences_next_ns(const struct sequences *s);        /* when something happens; TIME_NEVER: nothing will */
/* The prompt is read: on with it to the decode of so many tokens. Returns the request. */
uint32_t sequences_prompt_read(struct sequences *s, const struct llm_model *m, double speed, uint32_t output);
/* One that ends at next_end_ns leaves. */
uint32_t sequences_end(struct sequences *s, const struct llm_model *m, double speed);
/* Any of them leaves, for the replica goes; NO_SEQUENCE: none is left. */
uint32_t sequences_take_away(struct sequences *s);
