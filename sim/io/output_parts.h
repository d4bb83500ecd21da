/* output_parts.h - between the files that write result files; the rest of the program includes output.h alone. */
#pragma once
#include "sim/io/output.h"

#define OUTPUT_CAPACITY ((size_t)256 << 10)

struct output {
    int fd;
    int failure;   /* errno of the first failed write; nothing is written after it */
    char *path;    /* the final one, also for messages */
    char *partial; /* where it is written until then; NULL for a stream */
    struct packer *packer; /* NULL: as it is */
    char *earlier; /* where the old file of that name waits while a commit may still fail */
    bool replaces; /* it is there */
    bool named;    /* the new file has its name */
    size_t used;
    char *buffer;
};

/* output.c */
void output_store(struct output *o, const char *bytes, size_t length);   /* packed if it is, and on its way */
void output_flush(struct output *o);                         /* what is in the buffer, which is empty then */
