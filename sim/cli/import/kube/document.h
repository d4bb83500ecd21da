/* document.h - files of Kubernetes objects as trees of values, each with its place.
 *
 * A file is JSON or YAML, of one or several documents, plain, gzip or zstd, or a zip archive, of
 * which the first entry is read (the snapshot plugin of KAI-Scheduler writes one). JSON is read as
 * the YAML that it is. Anchors may stand there; an alias is an error, and so are a key given twice,
 * nesting below KUBE_DEPTH_MOST, more than KUBE_BYTES_MOST bytes of plain text, and text that is
 * not UTF-8.
 *
 * A value counts as seen once it was asked for. What nothing has asked for when an object is done
 * is reported by path with list positions left out: "spec.containers[].image". So no field is
 * dropped in silence.
 *
 * Accessors take the place of type checks: on a value of another type they set reader->err, once,
 * and say that the value is absent. The caller looks at reader->err when an object is done. An
 * absent value, or null, is absent in all of them. */
#pragma once
#include "sim/base/error.h"
#include "sim/base/intern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KUBE_DEPTH_MOST 64
#define KUBE_BYTES_MOST ((size_t)1 << 30)

enum kube_kind { KUBE_NOTHING, KUBE_SCALAR, KUBE_LIST, KUBE_MAPPING };
struct kube_value {
    const char *key;  /* in a mapping; else NULL */
    const char *text; /* of a scalar */
    struct kube_value *up, *child, *next;
    uint32_t line, column; /* from 1 */
    uint8_t kind;
    bool quoted, seen;
};
struct kube_reader {
    const char *file;     /* for messages */
    struct intern *names; /* texts that outlive the document */
    struct error *err;
};

/* Calls `take` with the root of each document that is not empty. 0, or -1 with reader->err, also
 * set by `take`. Values live until it returns. */
int kube_read_file(struct kube_reader *r, const char *path,
                   void (*take)(void *self, struct kube_reader *r, struct kube_value *root),
                   void *self);
/* The same of bytes in memory, which the reading may change. */
int kube_read_bytes(struct kube_reader *r, char *text, size_t length,
                    void (*take)(void *self, struct kube_reader *r, struct kube_value *root),
                    void *self);

/* The same of a scalar that holds such a text, as annotations do; NULL: does nothing. On an error
 * r->err says that `want` is wanted. */
void kube_read_inner(struct kube_reader *r, const struct kube_value *v, const char *want,
                     void (*take)(void *self, struct kube_reader *r, struct kube_value *root),
                     void *self);

/* "file:line:column: path: " and the text. Returns -1. */
int kube_error(struct kube_reader *r, const struct kube_value *v, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define KUBE_PATH_MOST 200
/* "spec.containers[].image": from below `from` to v; positions in lists with `positions` */
void kube_path(const struct kube_value *from, const struct kube_value *v, bool positions,
               char to[KUBE_PATH_MOST]);

/* ---- Values of a mapping by key; v may be NULL (absent) ---- */
struct kube_value *kube_get(struct kube_reader *r, struct kube_value *v, const char *key);
struct kube_value *kube_map(struct kube_reader *r, struct kube_value *v, const char *key);
struct kube_value *kube_list(struct kube_reader *r, struct kube_value *v, const char *key);
/* Items of a list, or pairs of a mapping, each seen: kube_first(), then kube_next(). NULL: the end.
 */
struct kube_value *kube_first(struct kube_value *v);
struct kube_value *kube_next(struct kube_value *item);

/* The text of a scalar, kept in reader->names; NULL: absent. kube_text() is for one line without
 * control characters; other texts are an error. */
const char *kube_text(struct kube_reader *r, struct kube_value *v, const char *key);
const char *kube_item_text(struct kube_reader *r, struct kube_value *item);
/* false: absent, *to is unchanged */
bool kube_integer(struct kube_reader *r, struct kube_value *v, const char *key, int64_t least,
                  int64_t most, int64_t *to);
bool kube_flag(struct kube_reader *r, struct kube_value *v, const char *key, bool *to);
/* A decimal number in parts of 1/scale, from `least` (in parts) on. */
bool kube_decimal(struct kube_reader *r, struct kube_value *v, const char *key, int64_t scale,
                  int64_t least, int64_t *to);
/* RFC 3339, in ns since 1970 */
bool kube_time(struct kube_reader *r, struct kube_value *v, const char *key, int64_t *to);
/* A span as Go writes it, "1h30m", "500ms", in ns, 0 or more. */
bool kube_span(struct kube_reader *r, struct kube_value *v, const char *key, int64_t *to);
/* A quantity in parts of 1/scale (1000: thousandths), rounded down, from 0 to `most` parts, so that
 * sums over pods stay far from what 64 bits hold. Of a pair itself, not by its key. */
#define KUBE_COUNT_MOST  1000000                  /* CPUs or GPUs of a node or container */
#define KUBE_MEMORY_MOST (INT64_C(1000000) << 30) /* bytes: as of a node of a cluster file */
bool kube_quantity(struct kube_reader *r, struct kube_value *pair, int64_t scale, int64_t most,
                   int64_t *to);
/* The same for CPUs in thousandths, memory in MiB, and a count. */
bool kube_cpus(struct kube_reader *r, struct kube_value *pair, int64_t *to);
bool kube_memory(struct kube_reader *r, struct kube_value *pair, int64_t *to);
bool kube_count(struct kube_reader *r, struct kube_value *pair, int64_t *to);
/* One of words, which ends with NULL: its index in *to. */
bool kube_word(struct kube_reader *r, struct kube_value *v, const char *key,
               const char *const *words, int *to);
void kube_see(struct kube_value *v); /* v and all below it */
