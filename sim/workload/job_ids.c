/* job_ids.c - see job_ids.h. Open addressing, at most three quarters full; half the hash beside
 * each job's number saves most looks at the names themselves. */
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
    int64_t last;      /* while all are rising numbers */
    struct slot *slot; /* NULL until they are not */
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
}

job_id job_ids_add(struct job_ids *t, const struct job_truth *jobs, job_id n, const char *name,
                   size_t length)
{
    if (!t->slot) {
        int64_t number = number_of(name, length);
        if (number > t->last) {
            t->last = number;
            return ID_NONE;
        }
    }
    if (!t->slot || n >= (t->mask + 1) / 4 * 3)
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
