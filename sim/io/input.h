/* input.h - bytes of a file that may be plain, gzip, zstd or standard input ("-").
 *
 * The kind is recognised by the first bytes, never by the name. What is read is hashed (SHA-256 of
 * the bytes as stored), so that a manifest can list the inputs of a run (provenance.h). Truncated
 * or damaged compressed data is an error, never a short file. */
#pragma once
#include "sim/base/error.h"
#include <stddef.h>
#include <stdint.h>

struct input;
struct input *input_open(const char *path, struct error *err);      /* NULL: err says why */
/* To look into what is opened and read again later. NULL, without a message: it cannot be opened, or is no regular file: what
 * a pipe gives here would be lost, and to open one may wait for ever. */
struct input *input_look(const char *path);
/* The same from memory, as the content of a file of that name; the bytes are borrowed until
 * input_close(). */
struct input *input_from_bytes(const void *bytes, size_t length, const char *name,
                               struct error *err);
/* Up to `capacity` bytes of plain text; 0 at the end; -1 with err. */
long   input_read(struct input *in, void *to, size_t capacity, struct error *err);
/* The first bytes, at most INPUT_PEEK, without consuming them, to recognise formats. NULL with
 * err. */
#define INPUT_PEEK 4096
const char *input_peek(struct input *in, size_t *length, struct error *err);
/* From now on a second thread reads and decodes ahead of input_read(), which gives the same bytes, errors and digest; where that
 * is worth it. Never from standard input: a pipe may have nothing to give. */
void   input_read_ahead(struct input *in);
/* Lines that are not empty of a plain file, all of them, before anything is read ahead; 0: it is no such file. Consumes nothing. */
uint64_t input_lines(const struct input *in);
const char *input_name(const struct input *in);  /* for messages: the path, or "<stdin>" */
/* Reads the remaining bytes, then gives the 64 hexadecimal digits of SHA-256. -1 with err. */
int    input_sha256(struct input *in, char hex[65], struct error *err);
void   input_close(struct input *in);                               /* NULL: does nothing */

/* The path to a file that is named in a file of `folder`; "": the working directory. The caller
 * frees it. */
char *input_beside(const char *folder, const char *path);
