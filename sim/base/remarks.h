/* remarks.h - lines of a report, each once with how often it was said, in the order of first
 * appearance. */
#pragma once
#include "sim/base/intern.h"

#include <stddef.h>
#include <stdint.h>

struct remarks {         /* {0}: none */
    struct intern *text; /* number of each remark */
    uint64_t *times;     /* [intern_count(text)] */
    size_t capacity;
};
void remark(struct remarks *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint32_t remarks_count(const struct remarks *r);
void remarks_free(struct remarks *r); /* leaves {0} */
