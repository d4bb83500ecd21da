/* job_ids.c - see job_ids.h. The hash table has open addressing, and is at most three quarters full;
 * half the hash beside each job's number saves most looks at the names themselves. */
#include "sim/workload/job_ids.h"

#include "sim/base/memory.h"
#include "sim/base/random.h"

#include <stdlib.h>
#include <string.h>

struct slot {
    uint32_t tag;
    job_id job;
};
struct job_ids {
    enum { RISING, NUMBERS, NAMES } all; /* so far */
    int64_t last;                        /* of rising numbers */
    uint64_t *number;                    /* of numbers: [words], a bit each */
    size_t words;
    struct slot *slot; /* of names */
    size_t mask;
};

struct job_ids *job_ids_new(void)
{
    struct job_ids *t = mem_new(1, sizeof *t);
    t->last = -1;
    return t;
}

void job_ids_free(struct job_ids *t)
{
    if (!t)
        return;
    free(t->number);
    free(t->slot);
    free(t);
}

/* Only the one way to write a number counts: 7 and 07 are two names. -1: not such a number. */
static int64_t number_of(const char *name, size_t length)
{
    int64_t n = 0;
    if (length < 1 || length > 18 || (length > 1 && name[0] == '0'))
        return -1;
    for (size_t i = 0; i < length; i++) {
        if (name[i] < '0' || name[i] > '9')
            return -1;
        n = n * 10 + (name[i] - '0');
    }
    return n;
}

/* Numbers that follow each other, as most do in a trace, lie beside each other: eight in a line of
 * the cache. Which eight is as random as the hash of a name. */
static uint64_t hash_of(const char *name, size_t length)
{
    int64_t number = number_of(name, length);
    if (number < 0)
        return hash_bytes(name, length, 0);
    uint64_t of_eight = (uint64_t)number % 8, hash = hash_u64((uint64_t)number / 8);
    return (hash & ~UINT64_C(7)) ^ (of_eight << 32 | of_eight);
}

/* The lower half of the hash places it, the upper half is the tag. */
static void put(struct job_ids *t, uint64_t hash, job_id j)
{
    size_t i = (size_t)(hash & t->mask);
    while (t->slot[i].job != ID_NONE)
        i = (i + 1) & t->mask;
    t->slot[i] = (struct slot){ (uint32_t)(hash >> 32), j };
}

static void build(struct job_ids *t, const struct job_truth *jobs, job_id n)
{
    size_t slots = t->slot ? (t->mask + 1) * 2 : 64;
    while (n >= slots / 4 * 3)
        slots *= 2;
    free(t->slot); /* before the new one is there: a growing table is rebuilt from the names */
    t->slot = mem_new(slots, sizeof *t->slot);
    t->mask = slots - 1;
    for (size_t i = 0; i < slots; i++)
        t->slot[i].job = ID_NONE;
    for (job_id j = 0; j < n; j++)
        put(t, hash_of(jobs[j].name, strlen(jobs[j].name)), j);
    free(t->number);
    t->number = NULL;
    t->all = NAMES;
}

/* ---- Numbers ---- */

/* Whether a bit for it costs little, of so many jobs. */
static bool is_small(int64_t number, job_id n)
{
    enum { BITS_A_JOB = 16, FREE_BITS = 1 << 20 };
    return number >= 0 && number < FREE_BITS + BITS_A_JOB * (int64_t)n;
}

/* false: it is there already. */
static bool add_number(struct job_ids *t, int64_t number)
{
    size_t word = (size_t)number / 64;
    uint64_t bit = UINT64_C(1) << number % 64;
    if (word >= t->words) {
        size_t more = word + word / 2 + 1024;
        t->number = mem_resize(t->number, more, sizeof *t->number);
        memset(t->number + t->words, 0, (more - t->words) * sizeof *t->number);
        t->words = more;
    }
    bool is_new = !(t->number[word] & bit);
    t->number[word] |= bit;
    return is_new;
}

/* Those before it are rising numbers; this one is smaller than the last, or not small. false: names are needed. */
static bool begin_numbers(struct job_ids *t, const struct job_truth *jobs, job_id n)
{
    if (!is_small(t->last, n))
        return false;
    for (job_id j = 0; j < n; j++)
        add_number(t, number_of(jobs[j].name, strlen(jobs[j].name)));
    t->all = NUMBERS;
    return true;
}

/* false: it is no such number. *new: none before it is the same. */
static bool take_number(struct job_ids *t, const struct job_truth *jobs, job_id n, int64_t number, bool *new)
{
    *new = t->all == RISING && number > t->last;
    if (*new) {
        t->last = number;
        return true;
    }
    if (t->all == NAMES || !is_small(number, n) || (t->all == RISING && !begin_numbers(t, jobs, n)))
        return false;
    *new = add_number(t, number);
    return true;
}

static job_id named(const struct job_truth *jobs, job_id n, const char *name, size_t length)
{
    for (job_id j = 0; j < n; j++)
        if (!strncmp(jobs[j].name, name, length) && !jobs[j].name[length])
            return j;
    return ID_NONE;
}

job_id job_ids_add(struct job_ids *t, const struct job_truth *jobs, job_id n, const char *name,
                   size_t length)
{
    bool new;
    if (t->all != NAMES && take_number(t, jobs, n, number_of(name, length), &new))
        return new ? ID_NONE : named(jobs, n, name, length);
    if (t->all != NAMES || n >= (t->mask + 1) / 4 * 3)
        build(t, jobs, n);
    uint64_t hash = hash_of(name, length);
    for (size_t i = (size_t)(hash & t->mask); t->slot[i].job != ID_NONE; i = (i + 1) & t->mask) {
        const char *other = jobs[t->slot[i].job].name;
        if (t->slot[i].tag == hash >> 32 && strncmp(other, name, length) == 0 && !other[length])
            return t->slot[i].job;
    }
    put(t, hash, n);
    return ID_NONE;
}
