/* words.c - see words.h. */
#include "sim/cli/plot/words.h"

#include "sim/cli/frame/term.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *words(struct arena *a, const char *format, ...)
{
    char *text;
    size_t length;
    va_list list;
    FILE *f = mem_stream(&text, &length);
    va_start(list, format);
    vfprintf(f, format, list);
    va_end(list);
    mem_stream_end(f, &text);
    const char *copy = arena_text(a, text, length);
    free(text);
    return copy;
}

/* C1 controls are two bytes in UTF-8: C2 80 to C2 9F. */
static size_t control_bytes(const char *at)
{
    unsigned char c = (unsigned char)at[0], next = c ? (unsigned char)at[1] : 0;
    if (c && (c < ' ' || c == 0x7F))
        return 1;
    return c == 0xC2 && next >= 0x80 && next < 0xA0 ? 2 : 0;
}

const char *cut(struct arena *a, const char *text, size_t most)
{
    char *out;
    size_t length;
    FILE *f = mem_stream(&out, &length);
    text_put(f, text, most);
    mem_stream_end(f, &out);
    const char *copy = arena_text(a, out, length);
    free(out);
    return copy;
}

const char *name_clean(struct arena *a, const char *name, int most)
{
    char *text;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    for (const char *at = name; *at;) {
        size_t skip = 0;
        for (size_t n; (n = control_bytes(at + skip));)
            skip += n;
        putc(skip ? ' ' : *at, f);
        at += skip ? skip : 1;
    }
    mem_stream_end(f, &text);
    const char *copy = cut(a, text, (size_t)(most < NAME_LEAST ? NAME_LEAST : most));
    free(text);
    return copy;
}

const char *commas(struct arena *a, double x)
{
    char plain[400], out[600];
    size_t n = (size_t)snprintf(plain, sizeof plain, "%.0f", x), at = 0;
    for (size_t i = 0; i < n; i++) {
        out[at++] = plain[i];
        size_t left = n - 1 - i;
        if (left && left % 3 == 0 && plain[i] != '-')
            out[at++] = ',';
    }
    return arena_text(a, out, at);
}

const char *human(struct arena *a, double s)
{
    static const struct {
        double below, unit_s;
        const char *unit;
    } scale[] = {
        { 0.1, 0.001, "ms" },  { 120, 1, "s" },          { 7200, 60, "min" },
        { 172800, 3600, "h" }, { 86400000, 86400, "d" },
    };
    if (s == 0)
        return "0 s";
    for (size_t i = 0; i < sizeof scale / sizeof *scale; i++)
        if (s < scale[i].below)
            return words(a, "%.3g %s", s / scale[i].unit_s, scale[i].unit);
    return words(a, "%.0f d", s / 86400);
}

const char *percent(struct arena *a, double share)
{
    return share > 0 && share < 0.01 ? words(a, "%.2g %%", share * 100)
                                     : words(a, "%.3g %%", share * 100);
}

const char *nearly(struct arena *a, double share)
{
    return share > 0.99 && share < 0.99995 ? words(a, "%.2f %%", share * 100) : percent(a, share);
}

const char *digits(struct arena *a, double x, int n)
{
    return x >= pow(10, n) - .5 ? commas(a, x) : words(a, "%.*g", n, x);
}

const char *short_number(struct arena *a, double x)
{
    return x < 100 ? words(a, "%.3g", x) : commas(a, x);
}

unsigned colour_of(size_t k, bool terminal)
{
    static const unsigned paper[] = { 0x332288, 0x88ccee, 0x44aa99, 0xddcc77, 0xcc6677,
                                      0x117733, 0xaa4499, 0x999933, 0x882255 };
    static const unsigned screen[] = { 0x4477aa, 0xee6677, 0x228833, 0xccbb44, 0x66ccee,
                                       0xaa3377, 0xee7733, 0x009988, 0x997700 };
    return k < 1 || k > 9 ? 0xbbbbbb : terminal ? screen[k - 1] : paper[k - 1];
}

enum { GREYS_MOST = 8, HATCHES = 8 };
static const struct { unsigned pattern, grey; } hatch[HATCHES] = {
    { 4, 0x20 }, { 1, 0x20 }, { 5, 0x20 }, { 4, 0xa0 },
    { 1, 0xa0 }, { 5, 0xa0 }, { 6, 0x20 }, { 7, 0x20 },
};

static bool is_hatched(size_t k, size_t n)
{
    return n > GREYS_MOST && k % 2 == 0;
}

unsigned grey_of(size_t k, size_t n)
{
    enum { DARK = 0x2c, LIGHT = 0xe0, ALONE = 0x80 };
    bool some = n > GREYS_MOST;
    size_t place = some ? (k + 1) / 2 : k, greys = some ? (n + 1) / 2 : n;
    unsigned grey = is_hatched(k, n) ? hatch[(k / 2 - 1) % HATCHES].grey
                    : greys > 1 ? (unsigned)(DARK + (LIGHT - DARK) * (place - 1) / (greys - 1))
                                : ALONE;
    return grey << 16 | grey << 8 | grey;
}

unsigned hatch_of(size_t k, size_t n)
{
    return is_hatched(k, n) ? hatch[(k / 2 - 1) % HATCHES].pattern : 0;
}

bool colour_is_dark(unsigned rgb)
{
    return (rgb >> 16 & 255) * 0.30 + (rgb >> 8 & 255) * 0.59 + (rgb & 255) * 0.11 < 140;
}

/* ---- Lines of a terminal ---- */

const char *padded(struct arena *a, const char *text, int width)
{
    int blanks = abs(width) - (int)text_width(text);
    blanks = blanks > 0 ? blanks : 0;
    return width < 0 ? words(a, "%*s%s", blanks, "", text) : words(a, "%s%*s", text, blanks, "");
}

int put_bar_name(FILE *to, struct arena *a, const char *name, size_t longest, int columns)
{
    if (longest <= (size_t)columns / 2)
        return fprintf(to, "  %s |", padded(a, name, (int)longest)) > 0 ? (int)longest + 4 : 0;
    text_wrap(to, name_clean(a, name, INT_MAX), 0, 2, (size_t)columns);
    return fprintf(to, "  |");
}

void put_entries(FILE *to, const char *const *entry, size_t n, int indent, int wide)
{
    int used = 0;
    for (size_t i = 0; i < n; i++) {
        int width = (int)text_width(entry[i]);
        if (used && used + 2 + width > wide) {
            putc('\n', to);
            used = 0;
        }
        if (!used)
            used = fprintf(to, "%*s", indent, "");
        else
            used += fprintf(to, "  ");
        fputs(entry[i], to);
        used += width;
    }
    putc('\n', to);
}
