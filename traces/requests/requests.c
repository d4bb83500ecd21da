/* requests.c - the list of layouts, and reading a file in one of them: see requests.h. */
#include "traces/requests/requests.h"

#include <stdio.h>
#include <string.h>

/* A new layout is a file in this folder and its name here; the first that recognises a file reads
 * it. */
#define EACH_LAYOUT(X) X(azure_llm) X(mooncake) X(burstgpt) X(genai) X(plain)
#define DECLARED(name) extern const struct request_format name##_requests;
#define LISTED(name)   &name##_requests,

EACH_LAYOUT(DECLARED)
const struct request_format *const request_formats[] = { EACH_LAYOUT(LISTED) NULL };

const struct request_format *request_format_find(const char *name)
{
    for (size_t i = 0; request_formats[i]; i++)
        if (strcmp(request_formats[i]->name, name) == 0)
            return request_formats[i];
    return NULL;
}

static bool is_like(const struct request_format *f, const char *head, size_t length)
{
    if (f->recognise)
        return f->recognise(head, length);
    return columns_recognise(f->columns, head, length);
}

static const struct request_format *recognise(struct input *in, struct error *err)
{
    size_t length, n = 0;
    const char *head = input_peek(in, &length, err);
    char names[128] = "";
    for (size_t i = 0; head && request_formats[i]; i++)
        if (is_like(request_formats[i], head, length))
            return request_formats[i];
    for (size_t i = 0; head && request_formats[i] && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "",
                              request_formats[i]->name);
    if (head)
        error_set(err, "%s: cannot tell its layout from the first bytes: want one of %s",
                  input_name(in), names);
    return NULL;
}

static int read_list(const struct request_format *f, struct input *in, struct request_list *l,
                     struct error *err)
{
    return f->read ? f->read(in, l, err) : request_rows_read(f, in, l, err);
}

int requests_read(const char *path, const struct request_format *format, struct request_list *l,
                  char sha256[65], struct error *err)
{
    struct input *in = input_open(path, err);
    int result = -1;
    *l = (struct request_list){ 0 };
    if (in && !format)
        format = recognise(in, err);
    if (in && format && read_list(format, in, l, err) == 0 &&
        request_list_finish(l, input_name(in), err) == 0)
        result = input_sha256(in, sha256, err);
    input_close(in);
    return result;
}
