/* workload_text.h - a workload file from a string, and what is drawn from it. */
#pragma once
#include "sim/io/output.h"
#include "tests/synth/statistics.h"
#include "traces/synth/synth.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((unused)) static struct synth_spec *spec_of(const char *text)
{
    struct error err = { "" };
    struct input *in = input_from_bytes(text, strlen(text), "w.yaml", &err);
    struct synth_spec *s = in ? synth_spec_read(in, &err) : NULL;
    input_close(in);
    if (!s)
        fail_msg("%s", err.text);
    return s;
}

__attribute__((unused)) static struct synth_jobs drawn_of(const char *text, uint64_t seed, uint32_t jobs)
{
    struct error err = { "" };
    struct synth_jobs to;
    struct synth_spec *s = spec_of(text);
    const struct synth_wish wish = { .seed = seed, .jobs = jobs };
    if (synth_draw(s, &wish, &to, &err))
        fail_msg("%s", err.text);
    synth_spec_free(s);
    return to;
}

/* Reading it says `error`, or if that is "", nothing. */
__attribute__((unused)) static void said_of(const char *text, const char *error)
{
    struct error err = { "" };
    struct input *in = input_from_bytes(text, strlen(text), "w.yaml", &err);
    struct synth_spec *s = synth_spec_read(in, &err);
    input_close(in);
    assert_string_equal(err.text, error);
    assert_true(!s == !!*error);
    synth_spec_free(s);
}

/* As a workload file; until the next call. */
__attribute__((unused)) static char *written(const struct synth_spec *s)
{
    struct error err = { "" };
    static char text[65536];
    struct output *o = output_open(".", "w.yaml", &err);
    assert_non_null(o);
    synth_spec_write(o, s);
    assert_int_equal(output_commit(o, &err), 0);
    FILE *f = fopen("w.yaml", "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    unlink("w.yaml");
    return text;
}
