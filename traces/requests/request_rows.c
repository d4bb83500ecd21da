/* request_rows.c - layouts in CSV: cells, and one request a row. See requests.h. */
#include "traces/requests/requests.h"

/* ---- cells ---- */

void take_tokens(const struct columns *c, unsigned column, uint32_t *tokens)
{
    int64_t n = 0;
    if (cell_required(c->row, c->at[column], c->err) == 0 &&
        cell_integer(c->row, c->at[column], 0, REQUEST_TOKENS_MAX, &n, c->err) == 0)
        *tokens = (uint32_t)n;
}

void take_adapter(const struct columns *c, unsigned column, uint32_t *adapter)
{
    int64_t n = 0;
    if (cell_integer(c->row, c->at[column], 0, ADAPTERS_MOST, &n, c->err) == 0)
        *adapter = (uint32_t)n;
}

void take_model(const struct columns *c, unsigned column, struct recorded_request *r)
{
    const char *name = NULL;
    size_t length = 0;
    take_text(c, column, &name, &length);
    if (length)
        r->model = intern_add(c->models, name, length) + 1;
}

void take_served_tokens(const struct columns *c, unsigned prompt, unsigned output,
                        struct recorded_request *r)
{
    take_tokens(c, prompt, &r->prompt_tokens);
    take_tokens(c, output, &r->output_tokens);
    if (r->output_tokens == 0)
        skip_job(c);
}

/* ---- rows ---- */

struct request_reading {
    const char *const *names;
    columns_request *take;
    struct request_list *list;
    struct columns columns;
};

static int on_header(void *self, const struct row *header, struct error *err)
{
    struct request_reading *r = self;
    return columns_find(r->names, header, r->columns.at, err);
}

static int on_row(void *self, const struct row *row, struct error *err)
{
    struct request_reading *r = self;
    struct recorded_request request = { .service_ns = -1 };
    bool left_out = false;
    if (!r->list->models)
        r->list->models = intern_new();
    r->columns.models = r->list->models;
    r->columns.row = row;
    r->columns.err = err;
    r->columns.skipped = &left_out;
    r->take(&r->columns, &request);
    if (err->text[0])
        return -1;
    if (left_out)
        r->list->n_left_out++;
    else
        request_list_add(r->list, request);
    return 0;
}

int request_rows_read(const struct request_format *f, struct input *in, struct request_list *l,
                      struct error *err)
{
    struct request_reading r = { .names = f->columns, .take = f->request, .list = l };
    static const struct table_handler handler = { .on_header = on_header, .on_row = on_row };
    return table_read(in, (struct table_style){ .header = true }, &handler, &r, err);
}
