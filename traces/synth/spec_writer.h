/* spec_writer.h - what the files that write a workload file share. */
#pragma once
#include "traces/synth/spec.h"

static inline void put(struct output *o, const char *before, double value)
{
    out_text(o, before);
    out_double(o, value);
}

/* A name may hold anything but control characters: in single quotes, those in it doubled. */
static inline void put_name(struct output *o, const char *name)
{
    out_char(o, '\'');
    for (; *name; name++) {
        if (*name == '\'')
            out_char(o, '\'');
        out_char(o, *name);
    }
    out_char(o, '\'');
}

static inline void put_list(struct output *o, const char *before, const double *value, size_t n)
{
    out_text(o, before);
    for (size_t i = 0; i < n; i++)
        put(o, i ? ", " : "[", value[i]);
    out_text(o, "]");
}

static inline void put_milli(struct output *o, int64_t gpu_milli)
{
    out_decimal(o, gpu_milli, MILLI_ALL);
}

static inline void put_sizes(struct output *o, const struct synth_class *c)
{
    for (size_t i = 0; i < c->n_sizes; i++) {
        out_text(o, i ? ", " : "    gpus: { ");
        put_milli(o, c->size[i].gpu_milli);
        put(o, ": ", c->size[i].share);
    }
    out_text(o, " }\n");
}
