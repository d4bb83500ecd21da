/* fuzz.h - what the fuzz targets share. A target is one file fuzz_NAME.c with two functions; its
 * seeds are in corpus/NAME/, and whatever once broke it stays there.
 *
 * An input may be refused, with a message that says why; it may not crash, leak, hang, or be
 * refused in silence. */
#pragma once
#include "sim/base/error.h"
#include "sim/io/input.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#define FUZZ_MUST(condition)                                                                                           \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* What failed says why, on one line; what did not says nothing. */
static inline void fuzz_said(int failed, const struct error *err)
{
    FUZZ_MUST(!err->text[0] == !failed);
    for (const char *c = err->text; *c; c++)
        FUZZ_MUST((unsigned char)*c >= ' ' && *c != 0x7f);
}

/* What is written is taken; else the message says why not. */
static inline void fuzz_taken(bool taken, const struct error *err)
{
    if (!taken)
        fprintf(stderr, "%s\n", err->text);
    FUZZ_MUST(taken);
}
