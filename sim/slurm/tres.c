/* tres.c - see tres.h. */
#include "sim/slurm/tres.h"

#include "sim/base/units.h"

#include <string.h>
#include <strings.h>

#define PART 1024                 /* amounts are read in so many parts, so that 62.5K is exact */

static const struct tres unsaid = {
    .cpus = TRES_UNSAID, .mem_mib = TRES_UNSAID, .nodes = TRES_UNSAID,
    .gpus = TRES_UNSAID, .shards = TRES_UNSAID, .mps = TRES_UNSAID,
};

/* "1.5K": 1.5 x 1024 x PART; *suffix: the power of 1024, 0 without one. */
static bool amount(const char *text, size_t length, int64_t *parts, unsigned *suffix)
{
    static const char suffixes[] = "KMGTP";
    const char *found = length ? memchr(suffixes, text[length - 1] & ~0x20, 5) : NULL;
    *suffix = found ? (unsigned)(found - suffixes) + 1 : 0;
    if (!decimal_parse(text, length - (found != NULL), PART, parts) || *parts < 0)
        return false;
    for (unsigned i = 0; i < *suffix; i++)
        if (__builtin_mul_overflow(*parts, INT64_C(1024), parts))
            return false;
    return true;
}

static bool count_parse(const char *text, size_t length, int64_t *count)
{
    unsigned suffix;
    if (length && length < 10) {  /* nearly all are plain numbers */
        size_t i = 0;
        int64_t value = 0;
        while (i < length && text[i] >= '0' && text[i] <= '9')
            value = value * 10 + (text[i++] - '0');
        if (i == length) {
            *count = value;
            return true;
        }
    }
    int64_t parts;
    if (!amount(text, length, &parts, &suffix))
        return false;
    *count = parts / PART;
    return true;
}

bool mem_parse(const char *text, size_t length, int64_t *mib)
{
    int64_t parts;
    unsigned suffix;
    if (!amount(text, length, &parts, &suffix))
        return false;
    if (!suffix)
        *mib = parts / PART;
    else
        *mib = parts / PART / 1024 / 1024;
    return true;
}

struct name { const char *text; size_t length; };

static bool is(struct name n, const char *word)
{
    return strlen(word) == n.length && strncasecmp(n.text, word, n.length) == 0;
}

/* Adds GPUs of a type, or sets the untyped total. *typed: the sum of the typed ones. */
static void take_gpus(struct tres *to, struct name type, int64_t n, int64_t *typed)
{
    if (!type.length) {
        to->gpus = n;
        return;
    }
    *typed += n;
    if (to->type && to->type_length == type.length &&
        !strncasecmp(to->type, type.text, type.length))
        return;
    to->types++;
    to->type = type.text;
    to->type_length = type.length;
}

/* What every log holds and no scheduling reads. */
static bool is_measure(struct name n)
{
    static const char *const words[] = { "billing", "energy", "vmem", "pages", "fs/disk", NULL };
    for (size_t i = 0; words[i]; i++)
        if (is(n, words[i]))
            return true;
    return false;
}

static bool take(struct tres *to, struct name n, struct name value, int64_t *typed)
{
    static const char gpu[] = "gres/gpu:";
    int64_t count;
    if (is(n, "mem"))
        return mem_parse(value.text, value.length, &to->mem_mib);
    if (!count_parse(value.text, value.length, &count))
        return false;
    if (is(n, "cpu"))
        to->cpus = count;
    else if (is(n, "node"))
        to->nodes = count;
    else if (is(n, "gres/gpu"))
        take_gpus(to, (struct name){ NULL, 0 }, count, typed);
    else if (n.length > sizeof gpu - 1 && !strncasecmp(n.text, gpu, sizeof gpu - 1))
        take_gpus(to, (struct name){ n.text + sizeof gpu - 1, n.length - (sizeof gpu - 1) }, count,
                  typed);
    else if (is(n, "gres/shard"))
        to->shards = count;
    else if (is(n, "gres/mps"))
        to->mps = count;
    else
        to->others += !is_measure(n);
    return true;
}

bool tres_parse(const char *text, size_t length, struct tres *to)
{
    const char *end = text + length;
    int64_t typed = 0;
    *to = unsaid;
    for (const char *at = text; at < end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end;
        const char *equals = memchr(at, '=', (size_t)(stop - at));
        if (!equals || equals == at ||
            !take(to, (struct name){ at, (size_t)(equals - at) },
                  (struct name){ equals + 1, (size_t)(stop - equals - 1) }, &typed))
            return false;
        at = stop + 1;
    }
    to->typed = to->gpus == TRES_UNSAID && to->types;
    if (to->typed)
        to->gpus = typed;
    return true;
}

/* ---- gpu:a100:4(S:0-1) ---- */

/* The end of an entry: a comma outside parentheses. */
static const char *entry_end(const char *at, const char *end)
{
    for (bool inside = false; at < end; at++) {
        inside = *at == '(' || (inside && *at != ')');
        if (*at == ',' && !inside)
            break;
    }
    return at;
}

enum { FIELDS_MAX = 4 };

static bool take_entry(struct tres *to, const char *at, const char *end, int64_t *typed)
{
    struct name field[FIELDS_MAX];
    size_t n = 0;
    const char *paren = memchr(at, '(', (size_t)(end - at));
    end = paren ? paren : end;
    if (end - at > 5 && !strncasecmp(at, "gres", 4) && (at[4] == ':' || at[4] == '/'))
        at += 5;
    for (const char *stop; n < FIELDS_MAX; at = stop + 1) {
        for (stop = at; stop < end && *stop != ':' && *stop != '=';)
            stop++;
        field[n++] = (struct name){ at, (size_t)(stop - at) };
        if (stop == end)
            break;
        if (n == FIELDS_MAX)
            return false;
    }
    int64_t count = 1;
    struct name type = { NULL, 0 };
    bool counted = n > 1 && count_parse(field[n - 1].text, field[n - 1].length, &count);
    for (size_t i = 1; i < n - counted; i++) {
        if (is(field[i], "no_consume"))
            to->no_consume = true;
        else if (type.text)
            return false;         /* gpu:a100:x */
        else
            type = field[i];
    }
    if (!field[0].length)
        return false;
    if (is(field[0], "gpu"))
        take_gpus(to, type, count, typed);
    else if (is(field[0], "shard"))
        to->shards = count;
    else if (is(field[0], "mps"))
        to->mps = count;
    else
        to->others++;
    return true;
}

bool gres_parse(const char *text, size_t length, struct tres *to)
{
    const char *end = text + length;
    int64_t typed = 0;
    *to = unsaid;
    for (const char *at = text; at < end;) {
        const char *stop = entry_end(at, end);
        if (!take_entry(to, at, stop, &typed))
            return false;
        at = stop + 1;
    }
    if (to->types)
        to->gpus = typed + (to->gpus == TRES_UNSAID ? 0 : to->gpus);
    return true;
}
