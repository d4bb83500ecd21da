/* sequences.c - see sequences.h. */
#include "sim/serving/sequences.h"

#include "sim/base/memory.h"
#include "sim/base/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct sequences sequences_none(void)
{
    return (struct sequences){ .prefill = NO_SEQUENCE,
                               .prefill_end_ns = TIME_NEVER,
                               .next_end_ns = TIME_NEVER };
}

void sequences_free(struct sequences *s)
{
    free(s->heap);
}

uint32_t sequences_held(const struct sequences *s)
{
    return (uint32_t)s->n + (s->prefill != NO_SEQUENCE);
}

static bool before(const struct sequence *a, const struct sequence *b)
{
    return a->end != b->end ? a->end < b->end : a->request < b->request;
}

static void push(struct sequences *s, struct sequence x)
{
    mem_grow(&s->heap, &s->capacity, s->n, sizeof *s->heap);
    size_t i = s->n++;
    for (; i && before(&x, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = x;
}

static uint32_t pop(struct sequences *s)
{
    uint32_t first = s->heap[0].request;
    struct sequence x = s->heap[--s->n];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < s->n; i = child) {
        child += child + 1 < s->n && before(&s->heap[child + 1], &s->heap[child]);
        if (!before(&s->heap[child], &x))
            break;
        s->heap[i] = s->heap[child];
    }
    s->heap[i] = x;
    return first;
}

/* Time of one token of each sequence. */
static double step_ns(const struct sequences *s, const struct llm_model *m, double speed)
{
    return llm_token_s(m, (double)s->n) / speed * NS_PER_S;
}

static void settle(struct sequences *s, const struct llm_model *m, double speed, int64_t now_ns)
{
    if (s->n && now_ns == s->next_end_ns)
        s->tokens = s->heap[0].end;
    else if (s->n)
        s->tokens += (double)(now_ns - s->last_ns) / step_ns(s, m, speed);
    else
        s->tokens = 0;                /* no sequence refers to the old count */
    s->last_ns = now_ns;
}

static void retime(struct sequences *s, const struct llm_model *m, double speed)
{
    s->next_end_ns = TIME_NEVER;
    if (s->n)
        s->next_end_ns =
            s->last_ns + (int64_t)ceil(fmax(0, s->heap[0].end - s->tokens) * step_ns(s, m, speed));
}

void sequences_begin(struct sequences *s, const struct llm_model *m, double speed, int64_t now_ns,
                     uint32_t request, uint32_t prompt)
{
    s->prefill = request;
    s->prefill_end_ns = now_ns + ns_of_seconds(llm_prefill_s(m, prompt) / speed);
}

int64_t sequences_next_ns(const struct sequences *s)
{
    return s->prefill_end_ns < s->next_end_ns ? s->prefill_end_ns : s->next_end_ns;
}

uint32_t sequences_prompt_read(struct sequences *s, const struct llm_model *m, double speed,
                               uint32_t output)
{
    uint32_t request = s->prefill;
    settle(s, m, speed, s->prefill_end_ns);
    push(s, (struct sequence){ s->tokens + output, request });
    retime(s, m, speed);
    s->prefill = NO_SEQUENCE;
    s->prefill_end_ns = TIME_NEVER;
    return request;
}

void sequences_repace(struct sequences *s, const struct llm_model *m, double before, double speed,
                      int64_t now_ns)
{
    settle(s, m, before, now_ns);
    retime(s, m, speed);
}

uint32_t sequences_end(struct sequences *s, const struct llm_model *m, double speed)
{
    settle(s, m, speed, s->next_end_ns);
    uint32_t request = pop(s);
    retime(s, m, speed);
    return request;
}

uint32_t sequences_take_away(struct sequences *s)
{
    uint32_t request = s->prefill;
    s->next_end_ns = TIME_NEVER;
    if (request == NO_SEQUENCE)
        return s->n ? s->heap[--s->n].request : NO_SEQUENCE;
    s->prefill = NO_SEQUENCE;
    s->prefill_end_ns = TIME_NEVER;
    return request;
}
