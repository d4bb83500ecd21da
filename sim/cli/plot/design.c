/* design.c - see design.h. */
#include "sim/cli/plot/design.h"

#include "sim/cli/frame/result_file.h"
#include "sim/cli/plot/words.h"

#include <stdlib.h>
#include <string.h>

/* ---- Reading ---- */

static int on_header(void *self, const struct row *header, struct error *err)
{
    struct design *d = self;
    (void)err;
    d->point_column = table_column(header, "point");
    d->seed_column = table_column(header, "seed");
    for (size_t k = table_column(header, "name") + 1; k < table_column(header, "metric"); k++) {
        const struct cell *c = &header->cell[k];
        if (k == d->seed_column)
            continue;
        mem_grow(&d->parameter, &d->capacity, d->parameters, sizeof *d->parameter);
        d->parameter[d->parameters++] =
            (struct design_parameter){ arena_text(d->memory, c->text, c->length), k, intern_new(),
                                       false };
    }
    return 0;
}

/* -?[0-9.]+(e[-+]?[0-9]+)? */
static bool is_number(const char *text)
{
    static const char digits_10[] = "0123456789";
    text += *text == '-';
    size_t n = strspn(text, "0123456789.");
    text += n;
    if (n && *text == 'e') {
        text += 1 + (text[1] == '-' || text[1] == '+');
        n = strspn(text, digits_10);
        text += n;
    }
    return n && !*text;
}

static int on_row(void *self, const struct row *row, const size_t *at, struct error *err)
{
    struct design *d = self;
    const struct cell *number = &row->cell[d->point_column], *seed = &row->cell[d->seed_column];
    uint32_t known = intern_count(d->points),
             point = intern_add(d->points, number->text, number->length);
    (void)err;
    if (point != known)
        return 0;
    struct design_point p = {
        .name = arena_text(d->memory, row->cell[at[0]].text, row->cell[at[0]].length),
        .seed = arena_text(d->memory, seed->text, seed->length),
        .value = arena_alloc(d->memory, (d->parameters + 1) * sizeof *p.value)
    };
    for (size_t k = 0; k < d->parameters; k++) {
        const struct cell *c = &row->cell[d->parameter[k].column];
        p.value[k] = intern_add(d->parameter[k].values, c->text, c->length);
        d->parameter[k].words = d->parameter[k].words || !is_number(c->text);
    }
    mem_grow(&d->point, &d->point_capacity, point, sizeof *d->point);
    d->point[point] = p;
    return 0;
}

struct design *design_read(const char *directory, struct error *err)
{
    static const char *const columns[] = { "name", "metric", "seed", "point", NULL };
    const struct result_file file = { SWEEP_FILE, columns, on_row, on_header };
    struct design *d = mem_new(1, sizeof *d);
    d->memory = arena_new();
    d->points = intern_new();
    int result = result_file_read_or_fail(directory, &file, d, err);
    if (result == 0 && (!d->parameters || !intern_count(d->points)))
        result = error_set(err, "%s/" SWEEP_FILE ": no rows", directory);
    if (result == 0)
        return d;
    design_free(d);
    return NULL;
}

void design_free(struct design *d)
{
    if (!d)
        return;
    for (size_t k = 0; k < d->parameters; k++)
        intern_free(d->parameter[k].values);
    free(d->parameter);
    free(d->point);
    intern_free(d->points);
    arena_free(d->memory);
    free(d);
}

/* ---- Points ---- */

size_t design_points(const struct design *d)
{
    return intern_count(d->points);
}

const struct design_point *design_named(const struct design *d, const char *name)
{
    for (size_t i = 0; i < design_points(d); i++)
        if (!strcmp(d->point[i].name, name))
            return &d->point[i];
    return NULL;
}

double design_value(const struct design *d, const struct design_point *p, size_t parameter)
{
    const struct design_parameter *of = &d->parameter[parameter];
    return of->words ? p->value[parameter]
                     : strtod(intern_text(of->values, p->value[parameter]), NULL);
}

int design_compare(const struct design *d, const struct design_point *a,
                   const struct design_point *b)
{
    for (size_t k = 0; k < d->parameters; k++) {
        double x = design_value(d, a, k), y = design_value(d, b, k);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return a < b ? -1 : a > b;
}

const char *design_label(const struct design *d, const struct design_point *const *shown, size_t n,
                         const struct design_point *p, bool seeds, struct arena *memory)
{
    const char *text = "";
    bool seed_differs = false;
    for (size_t k = 0; k < d->parameters; k++) {
        const struct design_parameter *of = &d->parameter[k];
        bool differs = false;
        for (size_t i = 0; i < n; i++)
            differs = differs || shown[i]->value[k] != p->value[k];
        if (differs)
            text = words(memory, "%s%s%s%s%s", text, *text ? ", " : "", of->words ? "" : of->name,
                         of->words ? "" : " = ", intern_text(of->values, p->value[k]));
    }
    for (size_t i = 0; i < n; i++)
        seed_differs = seed_differs || strcmp(shown[i]->seed, p->seed) != 0;
    if (seeds && seed_differs)
        text = words(memory, "%s%sseed = %s", text, *text ? ", " : "", p->seed);
    return text;
}
