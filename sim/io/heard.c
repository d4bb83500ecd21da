/* heard.c - see heard.h. */
#include "sim/io/provenance.h"

#include "sim/io/input.h"
#include "sim/base/memory.h"

#include <stdlib.h>
#include <string.h>

static void hear(void *self, const char *path, const char sha256[65])
{
    struct provenance *h = self;
    for (size_t i = 0; i < h->n; i++)
        if (!strcmp(h->file[i].path, path) && !strcmp(h->file[i].sha256, sha256))
            return;
    mem_grow(&h->file, &h->capacity, h->n, sizeof *h->file);
    h->file[h->n].path = mem_text(path, strlen(path));
    memcpy(h->file[h->n++].sha256, sha256, 65);
}

void provenance_begin(struct provenance *h)
{
    input_listen(hear, h);
}

void provenance_end(void)
{
    input_listen(NULL, NULL);
}

void provenance_sha256(const struct provenance *h, char sha256[65])
{
    char two[64 + 65];
    *sha256 = '\0';
    for (size_t i = 0; i < h->n; i++) {
        memcpy(two, sha256, 64);
        memcpy(two + 64, h->file[i].sha256, 65);
        if (i == 0)
            memcpy(sha256, h->file[0].sha256, 65);
        else
            digest_sha256(two, 128, sha256);
    }
}

void provenance_free(struct provenance *h)
{
    for (size_t i = 0; i < h->n; i++)
        free(h->file[i].path);
    free(h->file);
    *h = (struct provenance){ NULL, 0, 0 };
}
