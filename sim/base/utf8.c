/* utf8.c - see utf8.h. */
#include "sim/base/utf8.h"

#include "sim/base/memory.h"

#include <string.h>

size_t utf8_character(const char *text, size_t left)
{
    const unsigned char *s = (const unsigned char *)text;
    if (!left)
        return 0;
    if (*s < 0x80)
        return 1;
    size_t n = *s >= 0xf0 ? 4 : *s >= 0xe0 ? 3 : 2;
    if (*s < 0xc2 || *s > 0xf4 || left < n)
        return 0;
    unsigned least = *s == 0xe0 ? 0xa0 : *s == 0xf0 ? 0x90 : 0x80;
    unsigned most = *s == 0xed ? 0x9f : *s == 0xf4 ? 0x8f : 0xbf;
    if (s[1] < least || s[1] > most)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

bool utf8_is(const char *text)
{
    size_t left = strlen(text), n = 1;
    for (; left && n; text += n, left -= n)
        n = utf8_character(text, left);
    return !left;
}

void utf8_mend(char *text)
{
    for (size_t left = strlen(text), n; left; text += n, left -= n) {
        n = utf8_character(text, left);
        if (n == 0 || (n == 1 && ((unsigned char)*text < ' ' || *text == 0x7f))) {
            *text = '?';
            n = 1;
        }
    }
}

char *utf8_line(const char *text)
{
    char *line = mem_text(text, strlen(text));
    utf8_mend(line);
    return line;
}

bool text_is_line(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return false;
    return true;
}
