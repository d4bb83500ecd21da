/* job_inputs.c - see job_inputs.h. */
#include "sim/workload/job_inputs.h"

#include "sim/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job_inputs {
    struct intern *sets, *images;
    uint32_t *set_mib;            /* by data set */
    size_t capacity;
    struct intern *own;           /* the bytes of struct own_input */
};

struct job_inputs *job_inputs_new(void)
{
    struct job_inputs *i = mem_new(1, sizeof *i);
    i->sets = intern_new();
    i->images = intern_new();
    i->own = intern_new();
    return i;
}

void job_inputs_free(struct job_inputs *i)
{
    if (!i)
        return;
    intern_free(i->sets);
    intern_free(i->images);
    intern_free(i->own);
    free(i->set_mib);
    free(i);
}

static const char *in_gib(char to[32], uint32_t mib)
{
    snprintf(to, 32, "%.15g", mib / 1024.0);
    return to;
}

int job_inputs_check(const struct job_inputs *i, const struct job_row *row, const char *file,
                     size_t line, struct error *err)
{
    if (row->data_set_length && !row->data_mib)
        return error_set(err, "%s:%zu: data_set: want its data_gib, too", file, line);
    if (row->epochs && !row->data_mib)
        return error_set(err, "%s:%zu: epochs: want a data_gib, too", file, line);
    uint32_t set = row->data_set_length ? intern_find(i->sets, row->data_set, row->data_set_length)
                                        : INTERN_NONE;
    char want[32], got[32];
    if (set == INTERN_NONE || i->set_mib[set] == row->data_mib)
        return 0;
    return error_set(err, "%s:%zu: data_gib: want %s, as data set '%.100s' has before, got %s",
                     file, line, in_gib(want, i->set_mib[set]), row->data_set,
                     in_gib(got, row->data_mib));
}

uint32_t job_inputs_add(struct job_inputs *i, const struct job_row *row)
{
    struct own_input own = { ID_NONE, ID_NONE, row->epochs };
    if (!row->data_set_length && !row->image_length && !row->epochs)
        return 0;
    if (row->image_length)
        own.image = intern_add(i->images, row->image, row->image_length);
    if (row->data_set_length) {
        uint32_t known = intern_count(i->sets);
        own.data_set = intern_add(i->sets, row->data_set, row->data_set_length);
        if (own.data_set == known) {
            mem_grow(&i->set_mib, &i->capacity, known, sizeof *i->set_mib);
            i->set_mib[known] = row->data_mib;
        }
    }
    return intern_add(i->own, (const char *)&own, sizeof own) + 1;
}

struct own_input workload_input(const struct workload *w, job_id j)
{
    struct own_input own = { ID_NONE, ID_NONE, 0 };
    uint32_t input = workload_extra(w, j)->input;
    if (input)
        memcpy(&own, intern_text(w->inputs->own, input - 1), sizeof own);
    return own;
}

const char *workload_data_set(const struct workload *w, uint32_t data_set)
{
    return intern_text(w->inputs->sets, data_set);
}

const char *workload_image(const struct workload *w, uint32_t image)
{
    return intern_text(w->inputs->images, image);
}

uint32_t workload_data_sets(const struct workload *w)
{
    return intern_count(w->inputs->sets);
}
