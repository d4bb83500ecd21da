/* running_on.c - see running_on.h. */
#include "traces/native/running_on.h"

#include "sim/base/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One to nine digits; *text then points behind them. */
static bool number(const char **text, uint32_t *n)
{
    size_t digits = 0;
    for (*n = 0; isdigit((unsigned char)**text) && digits < 10; digits++)
        *n = *n * 10 + (uint32_t)(*(*text)++ - '0');
    return digits > 0 && digits < 10;
}

/* "0-3 6": ascending, each GPU once. */
static bool names(const char **text, uint64_t *mask)
{
    uint32_t least = 0;
    for (;; ++*text) {
        uint32_t from, to;
        if (!number(text, &from))
            return false;
        to = from;
        if (**text == '-' && (++*text, !number(text, &to)))
            return false;
        if (from < least || to < from || to > 63)
            return false;
        *mask |= (to - from == 63 ? UINT64_MAX : (UINT64_C(1) << (to - from + 1)) - 1) << from;
        least = to + 1;
        if (**text != ' ')
            return true;
    }
}

static bool entry(const char **text, struct held_at *at)
{
    *at = (struct held_at){ .gpus = 0 };
    if (!number(text, &at->node))
        return false;
    if (**text != ':')
        return true;
    if (*++*text == 'x')
        return ++*text, number(text, &at->gpus) && at->gpus > 0;
    if (!names(text, &at->gpu_mask))
        return false;
    at->gpus = (uint32_t)__builtin_popcountll(at->gpu_mask);
    return true;
}

bool gpu_names_parse(const char *text, uint64_t *mask)
{
    *mask = 0;
    return names(&text, mask) && !*text;
}

bool running_on_parse(const char *text, struct held_list *to)
{
    for (to->n = 0;; text++) {
        mem_grow(&to->at, &to->capacity, to->n, sizeof *to->at);
        if (!entry(&text, &to->at[to->n++]) || (*text && *text != ';'))
            return false;
        if (!*text)
            return true;
    }
}

void running_on_write(struct output *o, const struct held_at *on, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct held_at *at = &on[i];
        if (i)
            out_char(o, ';');
        out_integer(o, at->node);
        if (!at->gpus)
            continue;
        out_char(o, ':');
        if (at->gpu_mask) {
            out_bits(o, at->gpu_mask);
        } else {
            out_char(o, 'x');
            out_integer(o, at->gpus);
        }
    }
}
