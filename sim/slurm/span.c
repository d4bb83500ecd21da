/* span.c - see span.h. */
#include "sim/slurm/span.h"

#include <string.h>
#include <strings.h>

enum { DIGITS_MAX = 10, PARTS_MAX = 3 };
#define SECONDS_MAX (INT64_C(36500) * 86400) /* the longest time of a cluster file */

static bool digits(const char **at, const char *end, int64_t *value)
{
    const char *from = *at;
    for (*value = 0; *at < end && **at >= '0' && **at <= '9' && *at - from <= DIGITS_MAX; ++*at)
        *value = *value * 10 + (**at - '0');
    return *at > from && *at - from <= DIGITS_MAX;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

/* Up to three numbers with ':' between; how many, 0: something else. */
static size_t parts(const char *at, const char *end, int64_t part[PARTS_MAX])
{
    for (size_t n = 0; n < PARTS_MAX; at++) {
        if (!digits(&at, end, &part[n++]))
            return 0;
        if (at == end)
            return n;
        if (*at != ':')
            return 0;
    }
    return 0;
}

bool span_parse(const char *text, size_t length, int64_t unit_s, int64_t *seconds)
{
    const char *end = text + length, *dash = memchr(text, '-', length);
    int64_t part[PARTS_MAX] = { 0 }, days = 0, sum;
    *seconds = SPAN_UNLIMITED;
    if (is_word(text, length, "UNLIMITED") || is_word(text, length, "INFINITE") ||
        is_word(text, length, "-1"))
        return true;
    if (dash && (!digits(&text, end, &days) || text != dash))
        return false;
    size_t n = parts(dash ? dash + 1 : text, end, part);
    if (!n)
        return false;
    if (dash)
        sum = days * 86400 + part[0] * 3600 + part[1] * 60 + part[2];
    else if (n == 1)
        sum = part[0] < SECONDS_MAX ? part[0] * unit_s : SECONDS_MAX;
    else
        sum = n == 2 ? part[0] * 60 + part[1] : part[0] * 3600 + part[1] * 60 + part[2];
    if (sum >= SECONDS_MAX)
        return false;
    *seconds = sum;
    return true;
}

int64_t span_whole_minutes(int64_t seconds)
{
    return seconds == SPAN_UNLIMITED ? seconds : (seconds + 59) / 60 * 60;
}
