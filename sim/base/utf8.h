/* utf8.h - texts of users (names, paths) in formats that allow only UTF-8. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character at the beginning of s, of which `left` bytes may be read, by table 3-7 of
 * Unicode 15: no overlong form, no surrogate. 0: none. left 0: 0. */
size_t utf8_character(const char *s, size_t left);
bool   utf8_is(const char *text);
/* Without control characters: below a blank, DEL. */
bool   text_is_line(const char *text, size_t length);
/* Makes one line of UTF-8 of it: each control character (below a blank, DEL) and each byte that is
 * of no character, as where a text is cut inside of one, becomes '?'. */
void   utf8_mend(char *text);
char  *utf8_line(const char *text);       /* a copy, mended; the caller frees it */
