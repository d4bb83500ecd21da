/* packer.h - compression of a stream of bytes. The same input always gives the same output: headers
 * have no times and no names. */
#pragma once
#include <stddef.h>

enum packing { PACK_NOT, PACK_GZIP, PACK_ZSTD };
/* by its end: .gz, .zst; anything else: PACK_NOT */
enum packing packing_of(const char *file_name);

typedef void packer_sink(void *self, const void *bytes, size_t length);
struct packer;
struct packer *packer_new(enum packing kind, packer_sink *sink, void *self);   /* not PACK_NOT */
void packer_put(struct packer *p, const void *bytes, size_t length);
void packer_end(struct packer *p);  /* the rest goes to the sink; nothing may follow */
void packer_free(struct packer *p);                          /* NULL: does nothing */
