/* round_trip.h - a workload written in the native format and read back is the same workload, whatever format it came from;
 * written again, it is the same bytes. Numbers of queues, users and shapes may differ (they go by first sight in the new
 * order), so what they stand for is compared. */
#pragma once
#include "tests/support/wanted.h"
#include "tests/unit/test_core.h"
#include "traces/formats/format.h"
#include "traces/native/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *text_or_none(const struct intern *t, uint32_t number)
{
    return number == ID_NONE ? "" : intern_text(t, number);
}

/* Names that no cluster has told are numbered anew. */
static void same_level(const struct workload *a, unsigned x, const struct workload *b, unsigned y)
{
    assert_int_equal(x == LEVEL_ANY, y == LEVEL_ANY);
    if (x != LEVEL_ANY)
        assert_string_equal(workload_level_text(a, x), workload_level_text(b, y));
}

static void same_set(const struct workload *a, const struct pod_set *x, const struct workload *b, const struct pod_set *y)
{
    assert_int_equal(x->together, y->together);
    same_level(a, x->required_level, b, y->required_level);
    same_level(a, x->preferred_level, b, y->preferred_level);
    assert_int_equal(x->n_slices, y->n_slices);
    for (uint32_t i = 0; i < x->n_slices; i++) {
        same_level(a, x->slice[i].level, b, y->slice[i].level);
        assert_int_equal(x->slice[i].tasks, y->slice[i].tasks);
    }
}

static void same_request(const struct workload *a, const struct request *x, const struct workload *b,
                         const struct request *y)
{
    assert_int_equal(x->tasks, y->tasks);
    assert_int_equal(x->gpus, y->gpus);
    assert_int_equal(x->gpu_milli, y->gpu_milli);
    same_level(a, x->required_level, b, y->required_level);
    same_level(a, x->preferred_level, b, y->preferred_level);
    assert_int_equal(x->cpu_milli, y->cpu_milli);
    assert_int_equal(x->mem_mib, y->mem_mib);
    assert_int_equal(x->max_per_node, y->max_per_node);
    assert_int_equal(x->set != NULL, y->set != NULL);
    if (x->set)
        same_set(a, x->set, b, y->set);
    const struct shape *s = &a->shape[x->shape], *t = &b->shape[y->shape];
    assert_string_equal(text_or_none(a->wishes, s->selector), text_or_none(b->wishes, t->selector));
    assert_string_equal(text_or_none(a->wishes, s->affinity), text_or_none(b->wishes, t->affinity));
    assert_string_equal(text_or_none(a->wishes, s->tolerations), text_or_none(b->wishes, t->tolerations));
    assert_string_equal(text_or_none(a->wishes, s->pods), text_or_none(b->wishes, t->pods));
    assert_int_equal(s->gpu_mem_mib, t->gpu_mem_mib);
    assert_string_equal(text_or_none(a->gpu_types, s->gpu_type), text_or_none(b->gpu_types, t->gpu_type));
}

/* All runs and groups. */
static void same_chain(const struct workload *a, const struct job_facts *x, const struct workload *b, const struct job_facts *y)
{
    const struct request *r = x->ask, *s = y->ask;
    for (; r && s; r = r->next, s = s->next) {
        same_request(a, r, b, s);
        assert_int_equal(r->first_task, s->first_task);
        assert_int_equal(r->group, s->group);
    }
    assert_true(!r && !s);
    assert_int_equal(x->n_groups, y->n_groups);
    for (uint32_t g = 0; g < x->n_groups; g++) {
        assert_string_equal(x->group[g].name, y->group[g].name);
        assert_int_equal(x->group[g].parent, y->group[g].parent);
        assert_int_equal(x->group[g].min_tasks, y->group[g].min_tasks);
        same_level(a, x->group[g].required_level, b, y->group[g].required_level);
        same_level(a, x->group[g].preferred_level, b, y->group[g].preferred_level);
    }
}

static void same_jobs(const struct workload *a, const struct workload *b)
{
    assert_int_equal(a->n_jobs, b->n_jobs);
    assert_int_equal(a->depends_first != NULL, b->depends_first != NULL);
    if (a->depends_first) {
        for (job_id j = 0; j <= a->n_jobs; j++)
            assert_wanted(a->depends_first[j], b->depends_first[j], "job %u: first of its dependencies", j);
        for (size_t i = 0; i < a->depends_first[a->n_jobs]; i++)
            assert_wanted(a->depends_on[i], b->depends_on[i], "dependency %zu: job", i);
        for (size_t i = 0; i < a->depends_first[a->n_jobs]; i++)
            assert_wanted(a->depends_how[i], b->depends_how[i], "dependency %zu: how", i);
        assert_int_equal(a->turn != NULL, b->turn != NULL);
        for (job_id j = 0; a->turn && j < a->n_jobs; j++) {
            const struct own_turn *x = &a->turn[j], *y = &b->turn[j];
            assert_string_equal(x->name == ID_NONE ? "-" : intern_text(a->wishes, x->name),
                                y->name == ID_NONE ? "-" : intern_text(b->wishes, y->name));
            assert_int_equal(x->most, y->most);
        }
    }
    for (job_id j = 0; j < a->n_jobs; j++) {
        const struct job_facts *x = &a->facts[j], *y = &b->facts[j];
        assert_string_equal(a->truth[j].name, b->truth[j].name);
        assert_int_equal(x->submit_ns, y->submit_ns);
        assert_int_equal(x->deadline_ns, y->deadline_ns);
        assert_int_equal(x->min_tasks, y->min_tasks);
        struct job_sizes of_a = workload_sizes(a, j), of_b = workload_sizes(b, j);
        assert_true(of_a.min == of_b.min && of_a.usual == of_b.usual && of_a.max == of_b.max && of_a.moldable == of_b.moldable);
        assert_int_equal(x->priority, y->priority);
        assert_int_equal(x->max_down, y->max_down);
        assert_int_equal(x->class, y->class);
        assert_int_equal(x->preemptible, y->preemptible);
        assert_string_equal(intern_text(a->queue_names, x->queue), intern_text(b->queue_names, y->queue));
        assert_string_equal(text_or_none(a->users, x->user), text_or_none(b->users, y->user));
        assert_string_equal(text_or_none(a->models, x->model), text_or_none(b->models, y->model));
        assert_int_equal(a->truth[j].duration_ns, b->truth[j].duration_ns);
        assert_int_equal(a->truth[j].estimate_ns, b->truth[j].estimate_ns);
        assert_int_equal(a->truth[j].fate, b->truth[j].fate);
        assert_int_equal(workload_extra(a, j)->data_mib, workload_extra(b, j)->data_mib);
        struct own_input read_x = workload_input(a, j), read_y = workload_input(b, j);
        assert_int_equal(read_x.epochs, read_y.epochs);
        assert_int_equal(read_x.data_set == ID_NONE, read_y.data_set == ID_NONE);
        if (read_x.data_set != ID_NONE)
            assert_string_equal(workload_data_set(a, read_x.data_set), workload_data_set(b, read_y.data_set));
        assert_int_equal(read_x.image == ID_NONE, read_y.image == ID_NONE);
        if (read_x.image != ID_NONE)
            assert_string_equal(workload_image(a, read_x.image), workload_image(b, read_y.image));
        same_chain(a, x, b, y);
    }
}

/* The caller frees. */
static char *read_whole(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *length = (size_t)ftell(f);
    rewind(f);
    char *bytes = malloc(*length + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *length, f), *length);
    bytes[*length] = '\0';
    fclose(f);
    return bytes;
}

static void write_native(const char *directory, const char *name, const struct workload *w)
{
    struct error err = { "" };
    struct output *o = output_open(directory, name, &err);
    assert_non_null(o);
    assert_int_equal(native_write(o, w, &err), 0);
    assert_int_equal(output_commit(o, &err), 0);
    assert_string_equal(err.text, "");
}

static void round_trip(const struct workload *w)
{
    char directory[] = "/tmp/gpuyard-round-XXXXXX", path[2][64], sha256[65];
    struct error err = { "" };
    const struct trace_format *used;
    size_t length[2];
    assert_non_null(mkdtemp(directory));
    snprintf(path[0], sizeof path[0], "%s/a.csv", directory);
    snprintf(path[1], sizeof path[1], "%s/b.csv", directory);
    write_native(directory, "a.csv", w);
    struct workload *again = trace_read(path[0], NULL, &used, sha256, &err);
    assert_string_equal(err.text, "");
    assert_string_equal(used->name, "native");
    same_jobs(w, again);
    write_native(directory, "b.csv", again);
    char *first = read_whole(path[0], &length[0]), *second = read_whole(path[1], &length[1]);
    assert_same_text(first, second, "a native trace, read and written again");
    assert_int_equal(length[0], length[1]);
    free(first);
    free(second);
    workload_free(again);
    unlink(path[0]);
    unlink(path[1]);
    rmdir(directory);
}
