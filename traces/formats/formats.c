/* formats.c - the list of trace formats, and reading a trace in one of them: see format.h. */
#include "traces/formats/columns.h"

#include "sim/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A new format is a file in this folder and its name here: NAME is NAME_format of NAME.c; shockwave
 * is in gavel.c, native in traces/native, slurm in traces/slurm. */
/* clang-format off */
#define EACH_FORMAT(F) \
    F(native) F(philly) F(philly_csv) F(helios) F(helios_sim) F(acme) F(openb) F(dlrm) \
    F(elasticflow) F(chronus) F(tiresias) F(pai) F(pai_sim) F(gavel) F(shockwave) F(genai) \
    F(synth) F(swf) F(slurm)
/* clang-format on */

#define DECLARED(name) extern const struct trace_format name##_format;
#define LISTED(name)   &name##_format,
EACH_FORMAT(DECLARED)
const struct trace_format *const trace_formats[] = { EACH_FORMAT(LISTED) NULL };

const struct trace_format *trace_format_find(const char *name)
{
    for (size_t i = 0; trace_formats[i]; i++)
        if (strcmp(trace_formats[i]->name, name) == 0)
            return trace_formats[i];
    return NULL;
}

static int recognise(const struct trace_format *format, const char *head, size_t length)
{
    if (format->recognise)
        return format->recognise(head, length);
    int sure = columns_recognise(format->columns, head, length);
    return sure && format->distinct ? 2 : sure;
}

const struct trace_format *trace_recognise(const char *head, size_t length)
{
    size_t perhaps = 0;
    const struct trace_format *found = NULL;
    for (size_t i = 0; trace_formats[i]; i++) {
        int sure = recognise(trace_formats[i], head, length);
        if (sure == 2)
            return trace_formats[i];
        if (sure == 1 && ++perhaps)
            found = trace_formats[i];
    }
    return perhaps == 1 ? found : NULL;
}

/* The format that the first bytes have with commas for `separator`; NULL: none. */
static const struct trace_format *separated_by(char separator, const char *head, size_t length)
{
    char *copy = mem_text(head, length);
    for (char *at = copy; (at = memchr(at, separator, (size_t)(copy + length - at)));)
        *at = ',';
    const struct trace_format *found = trace_recognise(copy, length);
    free(copy);
    return found;
}

enum { HINT_MAX = 256 };

/* What keeps these first bytes from being the nearest format, as the end of a message; "": no
 * format is near. */
static void nearest(const char *head, size_t length, char to[HINT_MAX])
{
    static const struct { char c; const char *shown; } separators[] = { { ';', "';'" },
                                                                        { '\t', "tabs" } };
    to[0] = '\0';
    for (size_t i = 0; i < sizeof separators / sizeof *separators; i++) {
        const struct trace_format *f = separated_by(separators[i].c, head, length);
        if (f) {
            snprintf(to, HINT_MAX, ": it has the columns of %s, but separated by %s: want commas",
                     f->name, separators[i].shown);
            return;
        }
    }
    const struct trace_format *best = NULL;
    struct columns_match most = { 0 };
    for (size_t i = 0; trace_formats[i]; i++) {
        struct columns_match m = { 0 };
        if (trace_formats[i]->columns)
            columns_compare(trace_formats[i]->columns, head, length, &m);
        if (2 * m.found >= m.needed && m.found * (best ? most.needed : 1) > most.found * m.needed) {
            best = trace_formats[i];
            most = m;
        }
    }
    if (best && most.missing)
        snprintf(to, HINT_MAX, ": the nearest is %s, but there is no column '%s'%s%s%s",
                 best->name, most.missing, *most.near ? ", is it '" : "", most.near,
                 *most.near ? "'?" : "");
}

const struct trace_format *trace_format_of(struct input *in, struct error *err)
{
    size_t length, n = 0;
    const char *head = input_peek(in, &length, err);
    const struct trace_format *found = head ? trace_recognise(head, length) : NULL;
    char names[512];
    if (!head || found)
        return found;
    for (size_t i = 0; trace_formats[i] && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "",
                              trace_formats[i]->name);
    char hint[HINT_MAX];
    nearest(head, length, hint);
    error_set(err, "%s: cannot tell its format from the first bytes%s%s %s", input_name(in), hint,
              *hint ? "; else say FILE:FORMAT with one of" : ": say FILE:FORMAT with one of",
              names);
    return NULL;
}

int trace_format_read(const struct trace_format *format, struct input *in, const char *const *value,
                      struct workload *w, struct error *err)
{
    static const char *const none[TRACE_OPTIONS_MAX] = { NULL };
    int result = format->read ? format->read(in, value ? value : none, w, err)
                              : columns_read(format->columns, format->job, in, w, err);
    struct error earlier = { "" };    /* of a row above the one that the reader complained of */
    if (workload_added(w, &earlier) != 0) {
        *err = earlier;
        result = -1;
    }
    if (result == 0 && format->dated)
        workload_rebase(w);
    return result;
}

static int read_all(struct input *in, const struct trace_format *format, const char *const *value,
                    struct workload *w, char sha256[65], struct error *err)
{
    if (trace_format_read(format, in, value, w, err) != 0 ||
        workload_finish(w, input_name(in), err) != 0)
        return -1;
    return input_sha256(in, sha256, err);
}

struct workload *workload_for(const struct trace_source *from)
{
    struct workload *w = workload_new();
    w->sizes_only = from->sizes_only;
    w->one_thread = from->one_thread;
    w->seed = from->seed;
    w->cluster_gpus = from->cluster_gpus;
    w->resident_bytes = from->resident_bytes;
    return w;
}

struct workload *trace_from_input(struct input *in, const struct trace_source *from,
                                  const struct trace_format **used, char sha256[65],
                                  struct error *err)
{
    const struct trace_format *format = from->format ? from->format : trace_format_of(in, err);
    if (!format)
        return NULL;
    *used = format;
    struct workload *w = workload_for(from);
    if (!w->one_thread)
        input_read_ahead(in);
    if (read_all(in, format, from->value, w, sha256, err) == 0)
        return w;
    workload_free(w);
    return NULL;
}

struct workload *trace_read_source(const struct trace_source *from,
                                   const struct trace_format **used, char sha256[65],
                                   struct error *err)
{
    struct input *in = input_open(from->path, err);
    struct workload *w = in ? trace_from_input(in, from, used, sha256, err) : NULL;
    input_close(in);
    return w;
}

struct workload *trace_read(const char *path, const struct trace_format *format,
                            const struct trace_format **used, char sha256[65], struct error *err)
{
    return trace_read_source(&(struct trace_source){ .path = path, .format = format }, used, sha256,
                             err);
}

struct workload *trace_read_sizes(const char *path, const struct trace_format *format,
                                  const struct trace_format **used, char sha256[65],
                                  struct error *err)
{
    return trace_read_source(
        &(struct trace_source){ .path = path, .format = format, .sizes_only = true }, used, sha256,
        err);
}
