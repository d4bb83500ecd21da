/* provenance.c - see provenance.h. */
#include "sim/io/provenance.h"

#include "sim/base/memory.h"

#include <openssl/sha.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

static struct provenance *recording;    /* NULL: none */

/* ---- Files that are held ---- */

struct file_id { dev_t device; ino_t number; struct timespec changed; };
/* open addressing; at most half of the slots are used; number 0: a free one */
static struct held { struct file_id *slot; size_t n, slots; } held;

static struct file_id *slot_of(const struct held *h, const struct file_id *f)
{
    size_t i = (size_t)((uint64_t)f->number * UINT64_C(0x9e3779b97f4a7c15) >> 20);
    for (;; i++) {
        struct file_id *s = &h->slot[i & (h->slots - 1)];
        if (!s->number || (s->number == f->number && s->device == f->device))
            return s;
    }
}

static void hold(const struct stat *about)
{
    const struct file_id f = { about->st_dev, about->st_ino, about->st_mtim };
    if (!S_ISREG(about->st_mode) || !f.number)
        return;
    if (held.n * 2 >= held.slots) {
        struct held more = { .n = held.n, .slots = held.slots ? held.slots * 2 : 64 };
        more.slot = mem_new(more.slots, sizeof *more.slot);
        for (size_t i = 0; i < held.slots; i++)
            if (held.slot[i].number)
                *slot_of(&more, &held.slot[i]) = held.slot[i];
        free(held.slot);
        held = more;
    }
    struct file_id *s = slot_of(&held, &f);
    held.n += !s->number;
    *s = f;
}

void provenance_hold(int fd)
{
    struct stat about;
    if (fstat(fd, &about) == 0)
        hold(&about);
}

void provenance_hold_path(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0)
        hold(&about);
}

bool provenance_is_held(const char *path)
{
    struct stat about;
    if (!held.n || stat(path, &about) != 0)
        return false;
    const struct file_id f = { about.st_dev, about.st_ino, about.st_mtim }, *s = slot_of(&held, &f);
    return s->number && s->changed.tv_sec == f.changed.tv_sec &&
           s->changed.tv_nsec == f.changed.tv_nsec;
}

/* ---- Files that are noted ---- */

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
    if (!SHA256(bytes, length, digest))    /* it makes its state with malloc() */
        mem_exhausted();
    for (size_t i = 0; i < sizeof digest; i++) {
        hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    hex[64] = '\0';
}
