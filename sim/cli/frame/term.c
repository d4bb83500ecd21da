/* term.c - see term.h. */
#define _DEFAULT_SOURCE           /* struct winsize */
#include "sim/cli/frame/term.h"

#include "sim/base/units.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_MIN = 20, WIDTH_MAX = 400 };

unsigned term_width(int fd)
{
    struct winsize size;
    int64_t columns = TERM_WIDTH;
    const char *given = getenv("COLUMNS");
    if (isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        columns = size.ws_col;
    else if (given && !integer_parse(given, strlen(given), &columns))
        columns = TERM_WIDTH;
    return (unsigned)(columns < WIDTH_MIN ? WIDTH_MIN : columns > WIDTH_MAX ? WIDTH_MAX : columns);
}

bool term_moves(int fd)
{
    const char *kind = getenv("TERM");
    return isatty(fd) && kind && *kind && strcmp(kind, "dumb") != 0;
}

bool term_colour(int fd)
{
    const char *no = getenv("NO_COLOR");
    return (!no || !*no) && term_moves(fd);
}

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

size_t text_width(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += begins_character(*text);
    return n;
}

void text_put(FILE *to, const char *text, size_t max)
{
    bool cut = text_width(text) > max;
    size_t room = cut ? (max > 2 ? max - 2 : 0) : max;
    for (size_t n = 0; *text; text++) {
        if (begins_character(*text) && ++n > room)
            break;
        unsigned char c = (unsigned char)*text;
        /* C1 controls are two bytes in UTF-8: C2 80 to C2 9F */
        bool control = c < ' ' || c == 0x7F || (c == 0xC2 && (unsigned char)text[1] < 0xA0);
        putc(control ? '?' : c, to);
        if (control && c == 0xC2 && text[1])
            text++;
    }
    if (cut)
        fputs(max > 1 ? ".." : max ? "." : "", to);
}

void text_pad(FILE *to, const char *text, size_t width)
{
    text_put(to, text, width);
    for (size_t n = text_width(text); n < width; n++)
        putc(' ', to);
}

/* The bytes of a word that go into one line: all if they fit, else up to the last comma or '|'
 * that fits, or to the first one. */
static size_t word_part(const char *word, size_t bytes, size_t room)
{
    size_t cut = 0;
    for (size_t i = 0, columns = 0; i < bytes; i++) {
        columns += begins_character(word[i]);
        if (columns > room && cut)
            return cut;
        if (word[i] == ',' || word[i] == '|')
            cut = i + 1;
    }
    return bytes;
}

static size_t columns_of(const char *text, size_t bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += begins_character(text[i]);
    return n;
}

void text_wrap(FILE *to, const char *text, size_t at, size_t indent, size_t width)
{
    bool first = true;
    if (at && at + 2 > indent) {
        putc('\n', to);
        at = 0;
    }
    while (*text) {
        size_t bytes = strcspn(text, " \n");
        if (!first && at + 1 + columns_of(text, bytes) > width) {
            putc('\n', to);
            at = 0;
            first = true;
        }
        if (first) {
            for (; bytes && at < indent; at++)
                putc(' ', to);
            bytes = word_part(text, bytes, width > at ? width - at : 0);
        } else {
            putc(' ', to);
            at++;
        }
        fwrite(text, 1, bytes, to);
        at += columns_of(text, bytes);
        text += bytes;
        /* the paragraph ends, or the word continues on the next line */
        first = *text && *text != ' ';
        if (first) {
            putc('\n', to);
            at = 0;
        }
        text += *text == ' ' || *text == '\n';
    }
    putc('\n', to);
}

const char *plural_ending(double n)
{
    return n == 1 ? "" : "s";
}

const char *human_time(char to[HUMAN_MAX], double s)
{
    static const struct { double below, seconds; const char *unit; } scale[] = {
        { 120, 1, "s" },           { 7200, 60, "min" },        { 172800, 3600, "h" },
        { 63072000, 86400, "d" },  { INFINITY, 31536000, "y" },
    };
    size_t i = 0;
    if (isnan(s)) {
        snprintf(to, HUMAN_MAX, "-");
        return to;
    }
    while (fabs(s) >= scale[i].below)
        i++;
    double value = s / scale[i].seconds;
    bool whole = fabs(value) >= 99.95 || (i == 0 && value == floor(value));
    snprintf(to, HUMAN_MAX, "%.*f %s", whole ? 0 : 1, value, scale[i].unit);
    return to;
}
