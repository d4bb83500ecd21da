/* output.h - result files: buffered, formatted without printf, whole or not there.
 *
 * A file is written as ".NAME.partial" beside its place and gets its name in output_commit().
 * A file that this process has read (provenance.h) is never replaced: neither opened nor committed.
 * Numbers are written by integer arithmetic, so every build and locale gives the same bytes. Errors
 * (a full disk) are kept and reported once, by output_commit(). */
#pragma once
#include "sim/base/error.h"
#include "sim/io/packer.h"
#include "sim/base/units.h"

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

struct output;
/* NULL with err */
struct output *output_open(const char *directory, const char *name, struct error *err);
/* The same as ".NAME.PID.partial", where other processes may be writing the same file. */
struct output *output_open_shared(const char *directory, const char *name, struct error *err);
/* an open descriptor, e.g. stdout; commit only flushes */
/* The reader at the other end may have enough before the end (a pipe to head): what it does not
 * take is dropped, and no failure. */
void output_may_be_left(struct output *o);
struct output *output_stream(int fd, const char *name);
/* none: memory that grows, for a piece of a file that is moved there later; end it with output_discard() */
struct output *output_memory(void);
/* What is in memory goes to the end of a file, and is no longer in memory. */
void output_move(struct output *to, struct output *from);
/* compress from now on; call it before the first byte */
void output_pack(struct output *o, enum packing kind);
void out_bytes(struct output *o, const void *bytes, size_t length);
void out_text(struct output *o, const char *text);
void out_char(struct output *o, char c);
/* as printf, of any length; for words, not for rows of results */
void out_printf(struct output *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
void out_integer(struct output *o, int64_t value);
/* Room for a piece of a row that is written in one go: at most `most` bytes, at the address that is returned; then where it
 * ends. Nothing else may be written in between. */
char *out_room(struct output *o, size_t most);
void out_took(struct output *o, const char *end);
/* as decimal_format() of units.h */
void out_decimal(struct output *o, int64_t value, int64_t scale);
void out_seconds(struct output *o, int64_t ns);  /* TIME_NEVER: nothing, an empty field */
void out_wide_seconds(struct output *o, int128_t ns);  /* as wide_seconds_format() of units.h */
/* as ratio_format() of units.h */
void out_ratio(struct output *o, int64_t over, int64_t under);
void out_double(struct output *o, double value);  /* as double_format(); inf, -inf; NaN: empty */
void out_bits(struct output *o, uint64_t mask);  /* numbers of the bits that are set, as "0-3 6" */
void out_csv(struct output *o, const char *text);            /* quoted only where CSV needs it */
/* Writes all and closes the file; output_commit() then only gives it its name. For files that
 * appear together or not at all. 0, or -1 with err. Nothing may be written after it. */
int  output_settle(struct output *o, struct error *err);
/* 0: the file is there, whole; -1: it is not; frees o */
int  output_commit(struct output *o, struct error *err);
/* Gives settled files their names, in this order: all or none; on an error earlier files of these
 * names are restored. Frees them. 0, or -1 with err. */
int  output_commit_all(struct output *const *list, size_t n, struct error *err);
/* Settles all and gives them their names; where `wanted` is false or one cannot be settled, discards
 * all (NULL: none). 0, or -1. */
int  output_end_all(struct output *const *list, size_t n, bool wanted, struct error *err);
/* Removes the unfinished file, from a signal handler or without memory; nothing else, for the
 * program ends now. */
void output_remove(const struct output *o);
void output_discard(struct output *o);  /* no file; frees o. NULL: does nothing */

/* Makes a directory, with missing parents. *made, unless NULL: the length of the outermost new one
 * on its path; 0: none is new. 0, or -1 with err. */
int directory_make(const char *path, size_t *made, struct error *err);
