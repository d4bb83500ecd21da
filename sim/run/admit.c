/* admit.c - see admit.h. */
#include "sim/run/admit.h"
#include "sim/cluster/reservations/reservations.h"

#include <string.h>

static bool names(const struct reserved_names *list, const char *name)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (!strcmp(list->name[i], name))
            return true;
    return false;
}

static bool names_queue(const struct cluster *c, const struct reserved_names *list, queue_id q)
{
    for (; list->n && q != ID_NONE; q = c->queue[q].parent)
        if (names(list, c->queue[q].name))
            return true;
    return false;
}

static bool names_account(const struct site *site, const struct reserved_names *list, uint32_t a)
{
    for (; list->n && a != ID_NONE; a = site->association[a].parent)
        if (!site->association[a].user && names(list, site->association[a].name))
            return true;
    return false;
}

static bool names_partition(const struct site *site, const struct reserved_names *list,
                            const struct job_site *job)
{
    for (uint32_t i = 0; list->n && i < job->n_partitions; i++)
        if (names(list, site->partition[job->partition[i]].name))
            return true;
    return false;
}

static bool may_use(const struct cluster *c, const struct workload *w, job_id j,
                    const struct reservation *r)
{
    const struct job_facts *f = &w->facts[j];
    if (r->taint)
        return workload_tolerates_s(w, j, r->taint) > 0;
    if (names_queue(c, &r->queues, f->queue) ||
        (f->user != ID_NONE && names(&r->users, intern_text(w->users, f->user))))
        return true;
    return c->site && (names_account(c->site, &r->accounts, w->job_site[j].association) ||
                       names_partition(c->site, &r->partitions, &w->job_site[j]));
}

static uint32_t set_number(struct admitted *all, const uint64_t *set, size_t words, struct arena *memory)
{
    for (uint32_t i = 0; i < all->n; i++)
        if (!memcmp(all->set[i], set, words * sizeof *set))
            return i;
    uint64_t *kept = arena_alloc(memory, words * sizeof *kept);
    memcpy(kept, set, words * sizeof *kept);
    all->set[all->n] = kept;
    return all->n++;
}

struct admitted admit(const struct cluster *c, const struct workload *w)
{
    const struct reservations *r = c->reservations;
    job_id n = workload_all(w);
    size_t words = r->n / 64 + 1;
    struct admitted all = { .set = arena_alloc(w->memory, (n + (size_t)1) * sizeof *all.set),
                            .of_job = arena_alloc(w->memory, (n + (size_t)1) * sizeof *all.of_job) };
    uint64_t *set = arena_alloc(w->memory, words * sizeof *set);
    (void)set_number(&all, set, words, w->memory);
    for (job_id j = 0; j < n; j++) {
        memset(set, 0, words * sizeof *set);
        for (uint32_t k = 0; k < r->n; k++)
            if (may_use(c, w, j, &r->at[k]))
                set[k / 64] |= UINT64_C(1) << k % 64;
        all.of_job[j] = set_number(&all, set, words, w->memory);
    }
    return all;
}
