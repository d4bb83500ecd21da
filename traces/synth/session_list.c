/* session_list.c - see session_list.h. */
#include "traces/synth/session_list.h"

#include "sim/base/intern.h"
#include "sim/base/units.h"
#include "sim/io/table_in.h"
#include "sim/workload/workload.h"

#include <stdlib.h>
#include <string.h>

#define GPUS_MOST   1000000
#define ACTIVE_WANT "intervals A-B;C-D of seconds, one after the other, from start_s to end_s"

enum column { START, END, ACTIVE, SESSION, USER, GPUS, GPU_TYPE, MIG, MODEL, COLUMNS };
static const char *const column_names[COLUMNS] = {
    [START] = "start_s",   [END] = "end_s", [ACTIVE] = "active",
    [SESSION] = "session", [USER] = "user", [GPUS] = "gpus",
    [MIG] = "mig",         [MODEL] = "model", [GPU_TYPE] = "gpu_type",
};
struct one { struct session is; struct session_record of; };
struct reading {
    struct arena *memory;
    struct intern *users;
    size_t cell[COLUMNS];         /* TABLE_NO_COLUMN: not there */
    struct one *one;
    size_t n, room;
    int64_t *phase_ns;            /* of one session */
    size_t phases_room;
};

static int header(void *self, const struct row *h, struct error *err)
{
    struct reading *r = self;
    for (int c = 0; c < COLUMNS; c++)
        r->cell[c] = table_column(h, column_names[c]);
    for (int c = START; c <= END; c++)
        if (r->cell[c] == TABLE_NO_COLUMN)
            return error_set(err, "%s:%zu: want a column '%s'", h->file, h->line, column_names[c]);
    for (size_t i = 0; i < h->n; i++) {
        int c = 0;
        while (c < COLUMNS && strcmp(column_names[c], h->cell[i].text) != 0)
            c++;
        if (c == COLUMNS)
            return error_set(err,
                             "%s:%zu: unknown column '%.60s': want start_s, end_s, active, session, "
                             "user, gpus, gpu_type, mig or model",
                             h->file, h->line, h->cell[i].text);
    }
    return 0;
}

static const struct cell *cell_of(const struct reading *r, const struct row *row, enum column c)
{
    size_t i = r->cell[c];
    return i == TABLE_NO_COLUMN || row->cell[i].length == 0 ? NULL : &row->cell[i];
}

static const char *text_of(const struct reading *r, const struct row *row, enum column c)
{
    const struct cell *cell = cell_of(r, row, c);
    return cell ? arena_text(r->memory, cell->text, cell->length) : NULL;
}

/* A time up to `end` characters, on from *at; *at is behind it. */
static bool time_before(const char **at, const char *stop, char end, int64_t *ns)
{
    const char *to = memchr(*at, end, (size_t)(stop - *at));
    to = to ? to : stop;
    bool good = decimal_parse(*at, (size_t)(to - *at), NS_PER_S, ns);
    *at = to < stop ? to + 1 : stop;
    return good && (end == ';' || to < stop);
}

static void add_phase(struct reading *r, struct session *x, int64_t ns)
{
    mem_grow(&r->phase_ns, &r->phases_room, x->n_phases, sizeof *r->phase_ns);
    r->phase_ns[x->n_phases++] = ns;
}

/* Thinks and runs in turn; the last think outlasts the session. */
static int read_phases(struct reading *r, const struct row *row, struct session *x,
                       struct error *err)
{
    const struct cell *active = cell_of(r, row, ACTIVE);
    int64_t end_ns = x->submit_ns + x->length_ns, now_ns = x->submit_ns, from_ns, to_ns;
    if (active)
        for (const char *at = active->text, *stop = at + active->length; at < stop;) {
            if (!time_before(&at, stop, '-', &from_ns) || !time_before(&at, stop, ';', &to_ns) ||
                from_ns < now_ns || to_ns <= from_ns || to_ns > end_ns)
                return cell_error(row, r->cell[ACTIVE], ACTIVE_WANT, err);
            add_phase(r, x, from_ns - now_ns);
            add_phase(r, x, to_ns - from_ns);
            now_ns = to_ns;
        }
    add_phase(r, x, x->length_ns + 1);
    int64_t *kept = arena_alloc(r->memory, x->n_phases * sizeof *kept);
    memcpy(kept, r->phase_ns, x->n_phases * sizeof *kept);
    x->phase_ns = kept;
    return 0;
}

static int read_asks(struct reading *r, const struct row *row, struct session_record *to,
                     struct error *err)
{
    const struct cell *mig = cell_of(r, row, MIG);
    to->gpu_milli = MILLI_ALL;
    if (cell_decimal(row, r->cell[GPUS], MILLI_ALL, 1, INT64_C(1000) * GPUS_MOST, &to->gpu_milli,
                     err))
        return -1;
    bool whole = to->gpu_milli % MILLI_ALL == 0;
    if (to->gpu_milli > MILLI_ALL && !whole)
        return cell_error(row, r->cell[GPUS], "a whole number, or a share of one GPU", err);
    if (mig && !(to->mig = mig_profile(mig->text)))
        return cell_error(row, r->cell[MIG], MIG_WANTED, err);
    if (mig && !whole)
        return cell_error(row, r->cell[GPUS], "whole instances beside 'mig'", err);
    to->gpu_type = text_of(r, row, GPU_TYPE);
    to->model = text_of(r, row, MODEL);
    return 0;
}

static int take(void *self, const struct row *row, struct error *err)
{
    struct reading *r = self;
    struct one x = { .of.line = row->line };
    int64_t end_ns = 0;
    if (cell_required(row, r->cell[START], err) || cell_required(row, r->cell[END], err) ||
        cell_time(row, r->cell[START], 0, &x.is.submit_ns, err) ||
        cell_time(row, r->cell[END], 0, &end_ns, err))
        return -1;
    if (end_ns <= x.is.submit_ns)
        return cell_error(row, r->cell[END], "a time above start_s", err);
    x.is.length_ns = end_ns - x.is.submit_ns;
    if (read_phases(r, row, &x.is, err) || read_asks(r, row, &x.of, err))
        return -1;
    x.of.name = text_of(r, row, SESSION);
    x.of.user = text_of(r, row, USER);
    x.is.user = x.of.user ? intern_add(r->users, x.of.user, strlen(x.of.user)) : ID_NONE;
    mem_grow(&r->one, &r->room, r->n, sizeof *r->one);
    r->one[r->n++] = x;
    return 0;
}

static int by_start(const void *left, const void *right)
{
    const struct one *a = left, *b = right;
    if (a->is.submit_ns != b->is.submit_ns)
        return a->is.submit_ns < b->is.submit_ns ? -1 : 1;
    return (a->of.line > b->of.line) - (a->of.line < b->of.line);
}

static struct session_list *list_of(struct reading *r)
{
    struct session_list *l = arena_alloc(r->memory, sizeof *l);
    *l = (struct session_list){ .users = intern_count(r->users) };
    l->session = arena_alloc(r->memory, r->n * sizeof *l->session);
    l->record = arena_alloc(r->memory, r->n * sizeof *l->record);
    qsort(r->one, r->n, sizeof *r->one, by_start);
    for (; l->n < r->n; l->n++) {
        struct one *x = &r->one[l->n];
        if (x->is.user == ID_NONE)
            x->is.user = l->users++;
        if (x->is.length_ns > l->longest_ns)
            l->longest_ns = x->is.length_ns;
        l->session[l->n] = x->is;
        l->record[l->n] = x->of;
    }
    return l;
}

struct session_list *session_list_read(struct input *in, struct arena *memory, struct error *err)
{
    static const struct table_handler handler = { .on_header = header, .on_row = take };
    struct reading r = { .memory = memory, .users = intern_new() };
    struct session_list *l = NULL;
    int result = table_read(in, (struct table_style){ .header = true }, &handler, &r, err);
    if (result == 0 && r.n == 0)
        error_set(err, "%s: want at least one session", input_name(in));
    else if (result == 0)
        l = list_of(&r);
    intern_free(r.users);
    free(r.one);
    free(r.phase_ns);
    return l;
}
