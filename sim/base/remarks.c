/* remarks.c - see remarks.h. */
#include "sim/base/remarks.h"

#include "sim/base/memory.h"
#include "sim/base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REMARK_MOST 512

void remark(struct remarks *r, const char *format, ...)
{
    char text[REMARK_MOST];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    utf8_mend(text);
    if (!r->text)
        r->text = intern_new();
    uint32_t n = intern_count(r->text), k = intern_add(r->text, text, strlen(text));
    if (k == n) {
        mem_grow(&r->times, &r->capacity, n, sizeof *r->times);
        r->times[k] = 0;
    }
    r->times[k]++;
}

uint32_t remarks_count(const struct remarks *r)
{
    return r->text ? intern_count(r->text) : 0;
}

void remarks_free(struct remarks *r)
{
    intern_free(r->text);
    free(r->times);
    *r = (struct remarks){ 0 };
}
