/* yaml.c - see yaml.h. */
#include "sim/io/yaml.h"

#include "sim/base/memory.h"
#include "sim/base/utf8.h"

#include <stdlib.h>
#include <string.h>

int yaml_read_all(struct input *in, size_t most, char **text, size_t *length, struct error *err)
{
    size_t capacity = 0;
    for (;;) {
        while (capacity < *length + 4096)
            mem_grow(text, &capacity, capacity, 1);
        long n = input_read(in, *text + *length, capacity - *length, err);
        if (n <= 0)
            return (int)n;
        *length += (size_t)n;
        if (*length > most)
            return error_set(err, "%s: want at most %zu bytes of text", input_name(in), most);
    }
}

/* Length of the UTF-8 character at s; 0: none, or a control character that is no white space. */
static size_t character(const unsigned char *s, size_t left)
{
    if (*s < 0x80)
        return *s >= ' ' ? *s != 0x7f : *s == '\t' || *s == '\n' || *s == '\r';
    return utf8_character((const char *)s, left);
}

int yaml_text_check(const char *name, const char *text, size_t length, struct error *err)
{
    int line = 1, column = 1;
    for (size_t i = 0, n; i < length; i += n) {
        n = character((const unsigned char *)text + i, length - i);
        if (n == 0)
            return error_set(err, "%s:%d:%d: want UTF-8 text, got byte 0x%02x", name, line, column,
                             (unsigned char)text[i]);
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    return 0;
}

void yaml_try_memory(size_t length, size_t bytes_each)
{
    free(mem_resize(NULL, length + 4096, bytes_each));
}

struct fy_diag *yaml_diag_new(void)
{
    struct fy_diag_cfg silent;
    fy_diag_cfg_default(&silent);
    silent.fp = NULL;
    struct fy_diag *diag = fy_diag_create(&silent);
    fy_diag_set_collect_errors(diag, true);
    return diag;
}

struct fy_parser *yaml_parser_new(struct fy_diag *diag)
{
    enum fy_parse_cfg_flags flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2 |
                                    FYPCF_JSON_NONE | FYPCF_ALLOW_DUPLICATE_KEYS;
    struct fy_parse_cfg how = { .flags = flags, .diag = diag };
    return fy_parser_create(&how);
}

/* At a tab behind the ':' of a "? key", libfyaml 0.7.12 puts the key among its spare ones twice
 * (fy_fetch_value) and would free it twice; such a parser is left as it is. */
static bool is_whole(struct fy_diag *diag)
{
    void *walk = NULL;
    for (const struct fy_diag_error *e; (e = fy_diag_errors_iterate(diag, &walk));)
        if (strstr(e->msg, "cannot use tab for indentation"))
            return false;
    return true;
}

void yaml_parser_free(struct fy_parser *parser, struct fy_diag *diag)
{
    if (parser && is_whole(diag))
        fy_parser_destroy(parser);
}

struct fy_diag_error *yaml_first_error(struct fy_diag *diag)
{
    void *walk = NULL;
    return fy_diag_errors_iterate(diag, &walk);
}

struct fy_diag_error *yaml_last_error(struct fy_diag *diag)
{
    struct fy_diag_error *last = NULL;
    void *walk = NULL;
    for (struct fy_diag_error *e; (e = fy_diag_errors_iterate(diag, &walk));)
        last = e;
    return last;
}
