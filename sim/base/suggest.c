/* suggest.c - optimal string alignment distance on three rows; names are short. */
#include "sim/base/suggest.h"

#include <string.h>

#define NAME_MOST 63 /* longer names are never typed by hand */

static char folded(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '_' ? '-' : c;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Boytsov, "Indexing methods for approximate dictionary searching", ACM JEA 16, 2011, section 2:
 * each pair of neighbours is swapped at most once. */
static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
    unsigned row[3][NAME_MOST + 1];
    for (unsigned j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *now = row[i % 3];
        const unsigned *last = row[(i - 1) % 3], *before = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            char x = folded(a[i - 1]), y = folded(b[j - 1]);
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == folded(b[j - 2]) && y == folded(a[i - 2]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

void suggest_offer(struct suggestion *s, const char *name)
{
    size_t n = strlen(s->typed), m = strlen(name);
    if (n > NAME_MOST || m > NAME_MOST)
        return;
    unsigned far = least(2, (unsigned)n / 3);
    unsigned d = distance(s->typed, n, name, m);
    if (d > far || (s->best && d >= s->distance))
        return;
    s->best = name;
    s->distance = d;
}

const char *suggest(const char *typed, const char *const *names)
{
    struct suggestion s = { .typed = typed };
    for (; *names; names++)
        suggest_offer(&s, *names);
    return s.best;
}
