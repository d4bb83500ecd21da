/* requests.h - recorded requests of an inference service: one file in traces/requests/ a layout,
 * which ends in one table, and its name in the list of requests.c. As with trace formats
 * (format.h), CSV with a header needs columns and a function from a row to a request; another
 * layout has its own recognise and read. */
#pragma once
#include "sim/serving/request_list.h"
#include "traces/formats/columns.h"

/* r: a request with unknown service time and tokens on entry. skip_job() leaves the request out. */
typedef void columns_request(const struct columns *c, struct recorded_request *r);

struct request_format {
    const char *name, *summary;
    const char *const *columns;   /* as in format.h */
    columns_request *request;     /* NULL: `recognise` and `read` are there */
    int (*recognise)(const char *head, size_t length);       /* 0: no. NULL: by the columns */
    /* adds all requests; 0, or -1 with err */
    int (*read)(struct input *in, struct request_list *l, struct error *err);
};
extern const struct request_format *const request_formats[]; /* NULL ends it */

const struct request_format *request_format_find(const char *name);    /* NULL: no such layout */
/* Reads PATH (plain, gzip or zstd) in that layout (NULL: by its first bytes) and finishes the list.
 * 0, or -1 with err. sha256: of the bytes as stored. Free with request_list_free(), also after an
 * error. */
int requests_read(const char *path, const struct request_format *format, struct request_list *l,
                  char sha256[65], struct error *err);

/* ---- CSV: request_rows.c, which does not know the list ---- */

/* Adds a request for each row. 0, or -1 with err. */
int request_rows_read(const struct request_format *f, struct input *in, struct request_list *l,
                      struct error *err);

#define REQUEST_TOKENS_MAX 10000000
/* A name; an empty cell, or no such column: unchanged. */
void take_model(const struct columns *c, unsigned column, struct recorded_request *r);
void take_adapter(const struct columns *c, unsigned column, uint32_t *adapter);
void take_tokens(const struct columns *c, unsigned column, uint32_t *tokens);
/* Prompt and output. A request without output tokens was not served and is left out. */
void take_served_tokens(const struct columns *c, unsigned prompt, unsigned output,
                        struct recorded_request *r);
