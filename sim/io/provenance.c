/* provenance.c - see provenance.h. */
#include "sim/io/provenance.h"

#include "sim/base/memory.h"

#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

static struct provenance *recording;    /* NULL: none */

void provenance_begin(struct provenance *p)
{
    recording = p;
}

void provenance_end(void)
{
    recording = NULL;
}

void provenance_note(const char *path, const char sha256[65])
{
    struct provenance *p = recording;
    if (!p)
        return;
    for (size_t i = 0; i < p->n; i++)
        if (!strcmp(p->file[i].path, path) && !strcmp(p->file[i].sha256, sha256))
            return;
    mem_grow(&p->file, &p->capacity, p->n, sizeof *p->file);
    p->file[p->n].path = mem_text(path, strlen(path));
    memcpy(p->file[p->n++].sha256, sha256, 65);
}

void provenance_sha256(const struct provenance *p, char sha256[65])
{
    char two[64 + 65];
    *sha256 = '\0';
    for (size_t i = 0; i < p->n; i++) {
        memcpy(two, sha256, 64);
        memcpy(two + 64, p->file[i].sha256, 65);
        if (i == 0)
            memcpy(sha256, p->file[0].sha256, 65);
        else
            digest_sha256(two, 128, sha256);
    }
}

void provenance_free(struct provenance *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->file[i].path);
    free(p->file);
    *p = (struct provenance){ NULL, 0, 0 };
}

void digest_sha256(const void *bytes, size_t length, char hex[65])
{
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256(bytes, length, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    hex[64] = '\0';
}
