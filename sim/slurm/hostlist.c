/* hostlist.c - see hostlist.h. */
#include "sim/slurm/hostlist.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define WANT_LIST  "hosts like n[01-04,7] with ',' between"
#define WANT_RANGE "ascending ranges like [01-04] in brackets"
enum { DIGITS_MAX = 9 };

struct walk {
    char name[HOST_NAME_MAX_LENGTH + 1];
    const char *end;              /* of the entry */
    host_seen *seen;
    void *self;
    size_t n;
    int stopped;
    const char *want;             /* NULL: no mistake so far */
};

static void expand(struct walk *w, const char *at, size_t length);

static void fail(struct walk *w, const char *want)
{
    w->want = w->want ? w->want : want;
}

static bool over(const struct walk *w)
{
    return w->want || w->stopped;
}

/* The digits at `at`; 0: there are none, or too many. */
static size_t number(const char *at, const char *end, uint32_t *value)
{
    size_t n = 0;
    for (*value = 0; at + n < end && at[n] >= '0' && at[n] <= '9' && n <= DIGITS_MAX; n++)
        *value = *value * 10 + (uint32_t)(at[n] - '0');
    return n <= DIGITS_MAX ? n : 0;
}

static void put_numbers(struct walk *w, uint32_t from, uint32_t to, size_t width, const char *rest,
                        size_t length)
{
    for (uint32_t i = from; i <= to && !over(w); i++) {
        int n = snprintf(w->name + length, sizeof w->name - length, "%0*u", (int)width, i);
        if (length + (size_t)n >= sizeof w->name)
            fail(w, "names of at most 255 letters");
        else
            expand(w, rest, length + (size_t)n);
    }
}

/* The part between two brackets: numbers and ranges with ',' between. */
static void brackets(struct walk *w, const char *at, const char *close, size_t length)
{
    while (!over(w)) {
        uint32_t from, to;
        size_t digits = number(at, close, &from), right = digits;
        at += digits;
        to = from;
        if (digits && at < close && *at == '-') {
            right = number(at + 1, close, &to);
            at += 1 + right;
        }
        if (!digits || !right || right < digits || to < from || to - from >= HOSTS_MAX)
            fail(w, WANT_RANGE);
        else
            put_numbers(w, from, to, digits, close + 1, length);
        if (at == close)
            return;
        if (*at++ != ',')
            fail(w, WANT_RANGE);
    }
}

/* The rest of an entry from `at` on, behind `length` letters of the name. */
static void expand(struct walk *w, const char *at, size_t length)
{
    for (; at < w->end && *at != '['; at++) {
        if (*at == ']' || *at == ' ' || *at == '\t')
            return fail(w, WANT_LIST);
        if (length + 1 >= sizeof w->name)
            return fail(w, "names of at most 255 letters");
        w->name[length++] = *at;
    }
    if (at < w->end) {
        const char *close = memchr(at, ']', (size_t)(w->end - at));
        return close ? brackets(w, at + 1, close, length) : fail(w, WANT_LIST);
    }
    w->name[length] = '\0';
    if (!length || ++w->n > HOSTS_MAX)
        return fail(w, length ? "at most 65536 hosts" : WANT_LIST);
    w->stopped = w->seen(w->self, w->name, length);
}

/* The first comma outside brackets, or the end. */
static const char *entry_end(const char *at, const char *end)
{
    for (bool inside = false; at < end; at++) {
        inside = *at == '[' || (inside && *at != ']');
        if (*at == ',' && !inside)
            break;
    }
    return at;
}

const char *hostlist_each(const char *text, size_t length, host_seen *seen, void *self, int *result)
{
    struct walk w = { .seen = seen, .self = self };
    const char *end = text + length;
    for (const char *at = text; !over(&w); at = w.end + 1) {
        w.end = entry_end(at, end);
        expand(&w, at, 0);
        if (w.end == end)
            break;
    }
    if (result)
        *result = w.stopped;
    return w.want;
}

static int one_more(void *self, const char *name, size_t length)
{
    (void)name, (void)length;
    ++*(size_t *)self;
    return 0;
}

const char *hostlist_count(const char *text, size_t length, size_t *n)
{
    *n = 0;
    return hostlist_each(text, length, one_more, n, NULL);
}
