/* heard.h - which files went into something: all that are read to their end while somebody listens, each once, as they are closed. */
#pragma once
#include <stddef.h>

struct heard_file { char *path, sha256[65]; };       /* of the bytes as stored */
struct heard { struct heard_file *file; size_t n, capacity; };

void heard_begin(struct heard *h);                   /* h: {0}, or what was heard so far. One at a time */
void heard_end(void);
/* One hash of all of them, in that order; "": none. */
void heard_sha256(const struct heard *h, char sha256[65]);
void heard_free(struct heard *h);                    /* leaves {0} */
