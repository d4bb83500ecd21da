/* packer.h - bytes on their way to a file, compressed. The same bytes in always give the same bytes out: no times, no
 * names in the headers. */
#pragma once
#include <stddef.h>

enum packing { PACK_NOT, PACK_GZIP, PACK_ZSTD };
enum packing packing_of(const char *file_name);              /* by its end: .gz, .zst; anything else: not */

typedef void packer_sink(void *self, const void *bytes, size_t length);
struct packer;
struct packer *packer_new(enum packing kind, packer_sink *sink, void *self);   /* not PACK_NOT */
void packer_put(struct packer *p, const void *bytes, size_t length);
void packer_end(struct packer *p);                           /* the rest goes to the sink; nothing may follow */
void packer_free(struct packer *p);                          /* NULL: does nothing */
