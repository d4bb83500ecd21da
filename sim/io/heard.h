/* heard.h - which files went into something: all that are read to their end while somebody listens, each once, as they are closed. */
#pragma once
#include <stddef.h>

struct provenance_file { char *path, sha256[65]; };       /* of the bytes as stored */
struct provenance { struct provenance_file *file; size_t n, capacity; };

void provenance_begin(struct provenance *h);                   /* h: {0}, or what was heard so far. One at a time */
void provenance_end(void);
/* One hash of all of them, in that order; "": none. */
void provenance_sha256(const struct provenance *h, char sha256[65]);
void provenance_free(struct provenance *h);                    /* leaves {0} */
