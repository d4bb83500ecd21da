/* hourly.c - see hourly.h. */
#include "sim/models/hourly.h"

#include "sim/base/memory.h"
#include "sim/io/table_in.h"

#include <stdio.h>
#include <stdlib.h>

#define HOUR_NS (3600 * NS_PER_S)

static void sum_up(struct hourly *h)
{
    h->before = mem_new(h->n + 1, sizeof *h->before);
    for (size_t i = 0; i < h->n; i++)
        h->before[i + 1] = h->before[i] + (int128_t)h->milli[i] * HOUR_NS;
}

struct hourly hourly_constant(int64_t milli)
{
    struct hourly h = { .n = 1, .milli = mem_new(1, sizeof *h.milli) };
    h.milli[0] = milli;
    sum_up(&h);
    return h;
}

void hourly_free(struct hourly *h)
{
    free(h->milli);
    free(h->before);
    *h = (struct hourly){ .n = 0 };
}

int64_t hourly_milli(const struct hourly *h, int64_t time_ns)
{
    return h->milli[(size_t)(time_ns / HOUR_NS) % h->n];
}

int64_t hourly_change_ns(const struct hourly *h, int64_t time_ns)
{
    int64_t hour = time_ns / HOUR_NS + 1, end = hour + (int64_t)h->n - 1;
    while (hour < end && h->milli[(size_t)hour % h->n] == hourly_milli(h, time_ns))
        hour++;
    return hour < end && hour <= TIME_NEVER / HOUR_NS ? hour * HOUR_NS : TIME_NEVER;
}

int128_t hourly_until(const struct hourly *h, int64_t time_ns)
{
    size_t hour = (size_t)(time_ns / HOUR_NS), at = hour % h->n;
    return (int128_t)(hour / h->n) * h->before[h->n] + h->before[at] +
           (int128_t)(time_ns % HOUR_NS) * h->milli[at];
}

/* ---- from a file ---- */

struct reader {
    struct hourly *to;
    const char *column;
    int64_t least, most;
    int64_t (*law)(void *self, int64_t milli);    /* NULL: as it is */
    void *self;
    size_t capacity, value_at, hour_at;
};

static int on_header(void *self, const struct row *header, struct error *err)
{
    struct reader *r = self;
    r->value_at = table_column(header, r->column);
    r->hour_at = table_column(header, "hour");
    return r->value_at != TABLE_NO_COLUMN ? 0
                                          : error_set(err, "%s:%zu: want a column '%s'",
                                                      header->file, header->line, r->column);
}

static int on_row(void *self, const struct row *row, struct error *err)
{
    struct reader *r = self;
    int64_t hour = (int64_t)r->to->n, milli = 0;
    if (cell_integer(row, r->hour_at, 0, HOURLY_MOST, &hour, err))
        return -1;
    if (hour != (int64_t)r->to->n || r->to->n == HOURLY_MOST) {
        char want[64];
        snprintf(want, sizeof want,
                 r->to->n == HOURLY_MOST ? "at most %zu hours" : "%zu: every hour, from 0 on",
                 r->to->n);
        return cell_error(row, r->hour_at == TABLE_NO_COLUMN ? r->value_at : r->hour_at, want, err);
    }
    if (cell_required(row, r->value_at, err) ||
        cell_decimal(row, r->value_at, HOURLY_SCALE, r->least * HOURLY_SCALE,
                     r->most * HOURLY_SCALE, &milli, err))
        return -1;
    mem_grow(&r->to->milli, &r->capacity, r->to->n, sizeof *r->to->milli);
    r->to->milli[r->to->n++] = r->law ? r->law(r->self, milli) : milli;
    return 0;
}

int hourly_read_as(const char *path, const char *column, int64_t least, int64_t most,
                   int64_t (*law)(void *self, int64_t milli), void *self, struct hourly *to,
                   struct error *err)
{
    static const struct table_handler handler = { .on_header = on_header, .on_row = on_row };
    struct reader r = {
        .to = to, .column = column, .least = least, .most = most, .law = law, .self = self
    };
    struct input *in = input_open(path, err);
    *to = (struct hourly){ .n = 0 };
    if (!in)
        return -1;
    int result =
        table_read(in, (struct table_style){ .header = true, .comment = '#' }, &handler, &r, err);
    input_close(in);
    if (result == 0 && to->n == 0)
        result = error_set(err, "%s: want at least one hour", path);
    if (result)
        hourly_free(to);
    else
        sum_up(to);
    return result;
}

int hourly_read(const char *path, const char *column, int64_t most, struct hourly *to,
                struct error *err)
{
    return hourly_read_as(path, column, 0, most, NULL, NULL, to, err);
}

int hourly_product(const struct hourly *a, const struct hourly *b, struct hourly *to,
                   struct error *err)
{
    size_t n = a->n;
    while (n % b->n)
        n += a->n;
    *to = (struct hourly){ .n = n };
    if (n > HOURLY_MOST)
        return error_set(err, "series of %zu and %zu hours begin anew together after %zu hours: want at most %d",
                         a->n, b->n, n, HOURLY_MOST);
    to->milli = mem_new(n, sizeof *to->milli);
    for (size_t i = 0; i < n; i++)
        to->milli[i] = (int64_t)(((int128_t)a->milli[i % a->n] * b->milli[i % b->n] + HOURLY_SCALE / 2) / HOURLY_SCALE);
    sum_up(to);
    return 0;
}
