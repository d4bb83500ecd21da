/* bad_text.h - traces that no reader takes, and what it says of them. */
#pragma once
#include "tests/unit/read_text.h"

struct sample {
    const char *name, *format, *text, *error;
}; /* format NULL: told by the first bytes */

static void refused(void **state)
{
    const struct sample *s = *state;
    const struct trace_format *used = NULL;
    struct error err = { "" };
    assert_null(read_text(s->text, strlen(s->text), s->format, &used, &err));
    assert_string_equal(err.text, s->error);
}
