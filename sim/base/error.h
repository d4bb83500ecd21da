/* error.h - what went wrong, reported once, where it was understood.
 *
 * A function that can fail because of the user's input returns 0, or -1 with the message in *err;
 * main prints it. The text is one line without a newline: "file:line[:column]: what, wanted what,
 * got what". The first error stays: a later error_set on the same struct changes nothing. */
#pragma once

struct error {
    char text[1024];
};

/* Fills err->text (a text that is too long loses its middle; it is mended as in utf8.h) and
 * returns -1, so that a caller writes `return error_set(...)`. */
int error_set(struct error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
