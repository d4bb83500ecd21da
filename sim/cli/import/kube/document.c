/* document.c - see document.h: from the events of libfyaml to trees of values. */
#include "sim/cli/import/kube/document.h"

#include "sim/base/memory.h"
#include "sim/cli/import/kube/zip.h"
#include "sim/io/yaml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What one file is read into; values go with each document. */
struct building {
    struct kube_reader *r;
    struct arena *memory;
    struct kube_value *root, *at;                 /* at: the list or mapping that is open */
    struct kube_value *last[KUBE_DEPTH_MOST + 1]; /* newest child of each that is open */
    size_t depth;
    const char *key;            /* waits for its value */
    struct kube_value **sorted; /* keys of one mapping, to find one that is there twice */
    size_t capacity;
};

static int wrong_at(struct building *b, const struct fy_event *e, const char *text)
{
    const struct fy_mark *m = fy_event_start_mark((struct fy_event *)e);
    struct kube_value v = { .line = m ? (uint32_t)m->line + 1 : 1,
                            .column = m ? (uint32_t)m->column + 1 : 1 };
    return kube_error(b->r, &v, "%s", text);
}

static struct kube_value *value_new(struct building *b, const struct fy_event *e, uint8_t kind)
{
    const struct fy_mark *m = fy_event_start_mark((struct fy_event *)e);
    struct kube_value *v = arena_alloc(b->memory, sizeof *v);
    *v = (struct kube_value){ .key = b->key,
                              .up = b->at,
                              .kind = kind,
                              .line = m ? (uint32_t)m->line + 1 : 1,
                              .column = m ? (uint32_t)m->column + 1 : 1 };
    b->key = NULL;
    if (!b->at)
        b->root = v;
    else if (b->last[b->depth])
        b->last[b->depth]->next = v;
    else
        b->at->child = v;
    b->last[b->depth] = v;
    return v;
}

static bool wants_key(const struct building *b)
{
    return b->at && b->at->kind == KUBE_MAPPING && !b->key;
}

static bool is_null(const char *text, bool quoted)
{
    static const char *const nulls[] = { "", "~", "null", "Null", "NULL" };
    for (size_t i = 0; !quoted && i < sizeof nulls / sizeof *nulls; i++)
        if (!strcmp(nulls[i], text))
            return true;
    return false;
}

static int take_scalar(struct building *b, const struct fy_event *e)
{
    size_t length = 0;
    struct fy_token *token = e->scalar.value;
    const char *text = token ? fy_token_get_text(token, &length) : "";
    if (!text || memchr(text, '\0', length))
        return wrong_at(b, e, "want a text without NUL");
    text = arena_text(b->memory, text, length);
    if (wants_key(b)) {
        b->key = text;
        return 0;
    }
    bool quoted = token && fy_token_scalar_style(token) != FYSS_PLAIN;
    struct kube_value *v = value_new(b, e, is_null(text, quoted) ? KUBE_NOTHING : KUBE_SCALAR);
    v->text = text;
    v->quoted = quoted;
    if (token && (fy_token_scalar_style(token) == FYSS_SINGLE_QUOTED ||
                  fy_token_scalar_style(token) == FYSS_DOUBLE_QUOTED))
        v->column--; /* the mark is behind the quote */
    return 0;
}

static int open_value(struct building *b, const struct fy_event *e, uint8_t kind)
{
    if (wants_key(b))
        return wrong_at(b, e, "want a text as key");
    if (b->depth == KUBE_DEPTH_MOST)
        return wrong_at(b, e, "want at most 64 lists and mappings in each other");
    b->at = value_new(b, e, kind);
    b->last[++b->depth] = NULL;
    return 0;
}

static int by_key(const void *a, const void *b)
{
    const struct kube_value *x = *(struct kube_value *const *)a,
                            *y = *(struct kube_value *const *)b;
    int order = strcmp(x->key, y->key);
    if (order)
        return order;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

static int check_keys(struct building *b, struct kube_value *mapping)
{
    size_t n = 0;
    for (struct kube_value *v = mapping->child; v; v = v->next) {
        mem_grow(&b->sorted, &b->capacity, n, sizeof *b->sorted);
        b->sorted[n++] = v;
    }
    if (n)
        qsort(b->sorted, n, sizeof *b->sorted, by_key);
    for (size_t i = 1; i < n; i++)
        if (!strcmp(b->sorted[i]->key, b->sorted[i - 1]->key))
            return kube_error(b->r, b->sorted[i], "the key is given twice");
    return 0;
}

static int close_value(struct building *b)
{
    int result = b->at->kind == KUBE_MAPPING ? check_keys(b, b->at) : 0;
    b->at = b->at->up;
    b->depth--;
    return result;
}

static int take_event(struct building *b, const struct fy_event *e)
{
    switch (e->type) {
    case FYET_SCALAR:
        return e->scalar.tag ? wrong_at(b, e, "want a value without a tag") : take_scalar(b, e);
    case FYET_MAPPING_START:
        return e->mapping_start.tag ? wrong_at(b, e, "want a value without a tag")
                                    : open_value(b, e, KUBE_MAPPING);
    case FYET_SEQUENCE_START:
        return e->sequence_start.tag ? wrong_at(b, e, "want a value without a tag")
                                     : open_value(b, e, KUBE_LIST);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        return close_value(b);
    case FYET_ALIAS:
        return wrong_at(b, e, "want a value, got an alias: aliases are not followed here");
    case FYET_DOCUMENT_START:
        b->root = b->at = NULL;
        b->key = NULL;
        b->depth = 0;
        b->last[0] = NULL;
        return 0;
    default:
        return 0;
    }
}

static int parse_all(struct building *b, struct fy_parser *parser, struct fy_diag *diag,
                     void (*take)(void *, struct kube_reader *, struct kube_value *), void *self)
{
    struct kube_reader *r = b->r;
    for (struct fy_event *e; (e = fy_parser_parse(parser));) {
        bool ends = e->type == FYET_DOCUMENT_END;
        int result = take_event(b, e);
        fy_parser_event_free(parser, e);
        if (result == 0 && ends && b->root && b->root->kind != KUBE_NOTHING)
            take(self, r, b->root);
        if (r->err->text[0])
            return -1;
        if (ends)
            arena_reset(b->memory);
    }
    const struct fy_diag_error *first = yaml_first_error(diag);
    if (first)
        return error_set(r->err, "%s:%d:%d: %s", r->file, first->line, first->column, first->msg);
    if (fy_parser_get_stream_error(parser))
        return error_set(r->err, "%s: want YAML or JSON, got something else", r->file);
    return 0;
}

int kube_read_bytes(struct kube_reader *r, char *text, size_t length,
                    void (*take)(void *, struct kube_reader *, struct kube_value *), void *self)
{
    struct building b = { .r = r };
    char *unpacked = NULL;
    if (zip_is(text, length)) {
        if (zip_first(r->file, text, length, KUBE_BYTES_MOST, &unpacked, &length, r->err) != 0)
            return -1;
        text = unpacked;
    }
    if (yaml_text_check(r->file, text, length, r->err) != 0) {
        free(unpacked);
        return -1;
    }
    yaml_try_memory(length, 1);
    errno = 0;
    struct fy_diag *diag = yaml_diag_new();
    struct fy_parser *parser = yaml_parser_new(diag);
    int result = -1;
    b.memory = arena_new();
    if (!parser || fy_parser_set_string(parser, text, length))
        error_set(r->err, "%s: libfyaml cannot read it", r->file);
    else
        result = parse_all(&b, parser, diag, take, self);
    if (errno == ENOMEM)
        mem_exhausted();
    yaml_parser_free(parser, diag);
    fy_diag_destroy(diag);
    arena_free(b.memory);
    free(b.sorted);
    free(unpacked);
    return result;
}

void kube_read_inner(struct kube_reader *r, const struct kube_value *v, const char *want,
                     void (*take)(void *, struct kube_reader *, struct kube_value *), void *self)
{
    struct error err = { "" };
    struct kube_reader inner = { .file = r->file, .names = r->names, .err = &err };
    if (!v || r->err->text[0])
        return;
    char *text = v->kind == KUBE_SCALAR ? mem_text(v->text, strlen(v->text)) : NULL;
    if (!text || kube_read_bytes(&inner, text, strlen(text), take, self) != 0)
        kube_error(r, v, "want %s", want);
    free(text);
}

int kube_read_file(struct kube_reader *r, const char *path,
                   void (*take)(void *, struct kube_reader *, struct kube_value *), void *self)
{
    struct input *in = input_open(path, r->err);
    char *text = NULL;
    size_t length = 0;
    int result = in ? yaml_read_all(in, KUBE_BYTES_MOST, &text, &length, r->err) : -1;
    r->file = path;
    if (result == 0)
        result = kube_read_bytes(r, text, length, take, self);
    input_close(in);
    free(text);
    return result;
}
