/* request_list.c - see request_list.h. */
#include "sim/serving/request_list.h"

#include "sim/base/memory.h"
#include "sim/base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void request_list_add(struct request_list *l, struct recorded_request r)
{
    mem_grow(&l->request, &l->room, l->n, sizeof *l->request);
    l->request[l->n++] = r;
}

void request_list_add_id(struct request_list *l, uint64_t id)
{
    struct recorded_request *r = &l->request[l->n - 1];
    mem_grow(&l->id, &l->ids_room, l->n_ids, sizeof *l->id);
    if (r->n_ids++ == 0)
        r->first_id = l->n_ids;
    l->id[l->n_ids++] = id;
}

/* Merges two sorted halves: stable, unlike qsort(). */
static void merge(struct recorded_request *to, const struct recorded_request *from, size_t begin,
                  size_t middle, size_t end)
{
    size_t left = begin, right = middle;
    for (size_t i = begin; i < end; i++)
        to[i] = right == end || (left < middle && from[left].time_ns <= from[right].time_ns)
                    ? from[left++]
                    : from[right++];
}

static void sort(struct request_list *l)
{
    struct recorded_request *other = mem_new(l->n, sizeof *other);
    for (size_t width = 1; width < l->n; width *= 2) {
        for (size_t begin = 0; begin < l->n; begin += 2 * width) {
            size_t middle = begin + width < l->n ? begin + width : l->n,
                   end = middle + width < l->n ? middle + width : l->n;
            merge(other, l->request, begin, middle, end);
        }
        memcpy(l->request, other, l->n * sizeof *other);
    }
    free(other);
}

static bool sorted(const struct request_list *l)
{
    for (size_t i = 1; i < l->n; i++)
        if (l->request[i].time_ns < l->request[i - 1].time_ns)
            return false;
    return true;
}

int request_list_finish(struct request_list *l, const char *name, struct error *err)
{
    if (l->n == 0)
        return error_set(err, "%s: want at least one request that was served, got none", name);
    if (!sorted(l))
        sort(l);
    int64_t first_ns = l->request[0].time_ns;
    l->has_tokens = l->has_service = l->has_models = true;
    for (size_t i = 0; i < l->n; i++) {
        struct recorded_request *r = &l->request[i];
        r->time_ns -= first_ns;
        l->has_tokens = l->has_tokens && r->output_tokens > 0;
        l->has_service = l->has_service && r->service_ns >= 0;
        l->has_models = l->has_models && r->model > 0;
        l->adapters = r->adapter > l->adapters ? r->adapter : l->adapters;
    }
    return 0;
}

void request_list_free(struct request_list *l)
{
    free(l->request);
    free(l->id);
    intern_free(l->models);
    *l = (struct request_list){ 0 };
}

double request_list_gap_c2(const struct request_list *l)
{
    if (l->n < 3)
        return 1;
    double gaps = (double)(l->n - 1), mean = seconds(l->request[l->n - 1].time_ns) / gaps,
           square = 0;
    if (!(mean > 0))
        return 1;
    for (size_t i = 1; i < l->n; i++) {
        double off = seconds(l->request[i].time_ns - l->request[i - 1].time_ns) / mean - 1;
        square += off * off;
    }
    return square / gaps;
}

double request_list_dispersion(const struct request_list *l, double window_s)
{
    int64_t window_ns = ns_of_seconds(window_s);
    int64_t windows = l->n ? l->request[l->n - 1].time_ns / window_ns : 0;
    if (windows < 2)
        return NAN;
    double sum = 0, square = 0;
    size_t at = 0;
    for (int64_t w = 1; w <= windows; w++) {
        size_t first = at;
        while (at < l->n && l->request[at].time_ns < w * window_ns)
            at++;
        sum += (double)(at - first);
        square += (double)(at - first) * (double)(at - first);
    }
    double mean = sum / (double)windows;
    return (square / (double)windows - mean * mean) / mean;
}
