/* choices.h - which choices of the words of a policy's parameters are played by tests that play
 * them all: each with each, as long as these are few; of a policy with more, the usual one and
 * those that differ from it in one word. */
#pragma once
#include "sim/contract/policy.h"

enum { CHOICES_FEW = 12 };

static inline size_t choices(const struct policy *p)
{
    size_t n = 1, words;
    for (const struct param *q = p->params; q && q->name; q++, n *= words ? words : 1)
        for (words = 0; q->options && q->options[words]; words++)
            ;
    return n;
}

static inline unsigned choice_unusual(const struct policy *p, const double *params)
{
    unsigned n = 0;
    for (const struct param *q = p->params; q && q->name; q++)
        n += q->options && params[q->at / sizeof(double)] != q->default_value;
    return n;
}

static inline bool choice_is_played(const struct policy *p, const double *params)
{
    return choices(p) <= CHOICES_FEW || choice_unusual(p, params) <= 1;
}
