/* yaml.h - what every reader of YAML puts around libfyaml 0.7: the text before it is parsed, and
 * parsers that print nothing.
 *
 * A parser allows duplicate keys (callers name them, libfyaml would not) and collects its
 * complaints in its diag, in their order. */
#pragma once
#include "sim/base/error.h"
#include "sim/io/input.h"
#include <libfyaml.h>

/* All of the plain text; the caller frees *text. -1 with err, also beyond `most` bytes. */
int yaml_read_all(struct input *in, size_t most, char **text, size_t *length, struct error *err);
/* UTF-8 without control characters other than white space: libfyaml takes such bytes for the end
 * of the file, without an error. */
int yaml_text_check(const char *name, const char *text, size_t length, struct error *err);
/* libfyaml does not check whether malloc() fails. Without that much memory for each byte the
 * program ends here. */
void yaml_try_memory(size_t length, size_t bytes_each);

struct fy_diag *yaml_diag_new(void);
struct fy_parser *yaml_parser_new(struct fy_diag *diag); /* NULL: it cannot be made */
/* parser may be NULL; the diag stays */
void yaml_parser_free(struct fy_parser *parser, struct fy_diag *diag);
struct fy_diag_error *yaml_first_error(struct fy_diag *diag); /* NULL: none */
struct fy_diag_error *yaml_last_error(struct fy_diag *diag);
