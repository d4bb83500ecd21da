/* provenance.h - which files went into something, and digests.
 *
 * Between provenance_begin() and provenance_end() every file that is read to its end is noted as it
 * is closed, each path and content once, in the order of closing. A file that is not read to its
 * end, because it is bad, is not noted. Standard input and bytes in memory are no files. Readers
 * open files in many places (a cluster file names traces, tables, series), so the one that records
 * is known to the process, not to each reader: the mutable globals of this folder are `recording`
 * and `held` in provenance.c.
 *
 * Every file that the process has opened as an input is held: no output takes its place (output.h),
 * under whatever name, link or path. A file counts as the one that was read while device, number
 * and time of last change are the same. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct provenance_file { char *path, sha256[65]; };  /* of the bytes as stored */
struct provenance { struct provenance_file *file; size_t n, capacity; };    /* {0}: no files */

void provenance_begin(struct provenance *p);         /* appends to *p from now on; at most one
                                                        records at a time */
void provenance_end(void);
/* for input.c: a file has been read; none records: ignored */
void provenance_note(const char *path, const char sha256[65]);
/* One digest of all files in their order: that of the only one, or of digest and next digest, one
 * after the other. "": no files. */
void provenance_sha256(const struct provenance *p, char sha256[65]);
void provenance_free(struct provenance *p);          /* leaves {0} */

void provenance_hold(int fd);                        /* of an input just opened */
void provenance_hold_path(const char *path);         /* no such file: does nothing */
bool provenance_is_held(const char *path);

/* SHA-256 of bytes in memory, as 64 hexadecimal digits; that of a file: input_sha256(). */
void digest_sha256(const void *bytes, size_t length, char hex[65]);
