/* sweep_about.c - sweep.json. See sweep_files.h. */
#include "sim/study/sweep_files.h"

#include "sim/io/json_file.h"
#include "sim/base/memory.h"
#include "sim/io/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_LONG = 4096 };
static const char file_name[] = "sweep.json";

static json_t *text_or_null(const char *text)
{
    json_t *value = text ? json_string(text) : NULL;
    return value ? value : json_null();
}

int sweep_about_write(const struct sweep_about *a, const char *directory, struct error *err)
{
    struct output *o = output_open(directory, file_name, err);
    if (!o)
        return -1;
    json_t *list = json_array();
    for (size_t i = 0; i < a->n_inputs; i++)
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:s}", "kind", a->input[i].kind, "name", text_or_null(a->input[i].label),
                                              "path", text_or_null(a->input[i].path), "sha256", a->input[i].sha256));
    json_t *root = json_pack("{s:s, s:s, s:s, s:o, s:o, s:s, s:I, s:I, s:I, s:o}", "program", "gpuyard", "version", a->version, "commit",
                             a->commit, "experiment", text_or_null(a->experiment), "path", text_or_null(a->path), "sha256", a->sha256,
                             "shard", (json_int_t)a->shard.index, "shards", (json_int_t)a->shard.of, "points", (json_int_t)a->points,
                             "inputs", list);
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    out_text(o, text);
    out_char(o, '\n');
    free(text);
    json_decref(root);
    return output_commit(o, err);
}

static int take_inputs(struct sweep_about *to, const json_t *list)
{
    size_t i;
    const json_t *one;
    to->input = mem_new(json_array_size(list) + 1, sizeof *to->input);
    json_array_foreach(list, i, one)
    {
        struct sweep_input *x = &to->input[to->n_inputs++];
        *x = (struct sweep_input){ json_string_value(json_object_get(one, "kind")), json_string_value(json_object_get(one, "name")),
                                   json_string_value(json_object_get(one, "path")), json_string_value(json_object_get(one, "sha256")) };
        if (!x->kind || !x->sha256)
            return -1;
    }
    return 0;
}

int sweep_about_read(struct sweep_about *to, const char *directory, struct error *err)
{
    char path[PATH_LONG];
    snprintf(path, sizeof path, "%s/%s", directory, file_name);
    json_t *root = json_file_read(path, err);
    *to = (struct sweep_about){ .read = root };
    if (!root)
        return -1;
    const struct { const char *name, **to; } text[] = { { "experiment", &to->experiment }, { "sha256", &to->sha256 },
                                                        { "version", &to->version }, { "commit", &to->commit } };
    bool good = true;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        *text[i].to = json_string_value(json_object_get(root, text[i].name));
        good = good && *text[i].to;
    }
    to->path = json_string_value(json_object_get(root, "path"));
    to->points = (size_t)json_integer_value(json_object_get(root, "points"));
    to->shard = (struct shard){ (size_t)json_integer_value(json_object_get(root, "shard")),
                                (size_t)json_integer_value(json_object_get(root, "shards")) };
    if (good && to->shard.index < to->shard.of && take_inputs(to, json_object_get(root, "inputs")) == 0)
        return 0;
    sweep_about_free(to);
    return error_set(err, "%s: it does not say what was swept", path);
}

void sweep_about_free(struct sweep_about *a)
{
    json_decref(a->read);
    free(a->input);
    *a = (struct sweep_about){ .read = NULL };
}
