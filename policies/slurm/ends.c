#include "policies/slurm/ends.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/minmax.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW_S        30        /* of a group of ends */
#define GROUP_MOST      200       /* jobs of a group */

/* ---- The list ---- */

static int by_end(const void *left, const void *right)
{
    const struct ending *a = left, *b = right;
    if (a->end_s != b->end_s)
        return a->end_s < b->end_s ? -1 : 1;
    return a->job < b->job ? -1 : a->job > b->job;
}

static struct ending ending_of(struct sched *s, job_id j)
{
    const struct placement *p = job_placement(s, j);
    if (!p || !p->n)
        return (struct ending){ .job = j };
    return (struct ending){ j, p->piece[0].node, p->n > 1, slurm_end_s(s, j), p };
}

/* Jobs that have started since, each at its place. */
static void join(struct sched *s, struct slurm *m, struct ends *x)
{
    for (; x->n_listed < running_count(m); x->n_listed++) {
        struct ending e = ending_of(s, running_job(m, x->n_listed));
        size_t at = x->n;
        if (!e.place)
            continue;
        x->at = array_grown(sched_scratch, s, x->at, &x->capacity, x->n, sizeof *x->at);
        while (at > 0 && by_end(&x->at[at - 1], &e) > 0)
            at--;
        array_open(x->at, x->n++, at, sizeof *x->at);
        x->at[at] = e;
    }
}

void ends_list(struct sched *s, struct slurm *m, struct ends *x)
{
    if (x->version == m->room_version)
        return;
    if (x->version && m->room_grew <= x->version) {
        join(s, m, x);
    } else {
        x->capacity = running_count(m) + 1;
        x->at = sched_scratch(s, x->capacity * sizeof *x->at);
        x->n = 0;
        for (size_t i = 0; i < running_count(m); i++) {
            x->at[x->n] = ending_of(s, running_job(m, i));
            x->n += x->at[x->n].place != NULL;
        }
        qsort(x->at, x->n, sizeof *x->at, by_end);
        x->n_listed = running_count(m);
    }
    x->version = m->room_version;
    if (x->gone_capacity < running_count(m)) {
        x->gone_capacity = 2 * running_count(m);
        x->gone = sched_scratch(s, x->gone_capacity * sizeof *x->gone);
    }
}

/* What it holds of these nodes. -1: none of them. */
static int64_t gpus_on(const struct placement *p, const uint64_t *nodes)
{
    int64_t gpus = -1;
    for (size_t i = 0; i < p->n; i++)
        if (set_has(nodes, p->piece[i].node))
            gpus = max_i64(gpus, 0) + (int64_t)p->piece[i].gpus;
    return gpus;
}

static bool ends_by(const void *ending, const void *end_s)
{
    return ((const struct ending *)ending)->end_s <= *(const int64_t *)end_s;
}

/* The first that ends after that. */
static size_t first_after(const struct ends *x, int64_t end_s)
{
    return lower_bound(x->at, x->n, sizeof *x->at, &end_s, ends_by);
}

int64_t ends_gpus(const struct ends *x, const uint64_t *nodes, int64_t after_s, int64_t until_s)
{
    int64_t gpus = 0;
    for (size_t i = first_after(x, after_s); i < x->n && x->at[i].end_s <= until_s; i++)
        gpus += max_i64(0, gpus_on(x->at[i].place, nodes));
    return gpus;
}

void ends_by_node(struct sched *s, const struct slurm *m, struct ends *x)
{
    x->first = sched_scratch(s, ((size_t)m->n_nodes + 2) * sizeof *x->first);
    uint32_t *next = x->first + 1;         /* becomes the first of the next one as it is filled */
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; k < x->at[i].place->n; k++)
            next[x->at[i].place->piece[k].node + 1]++;
    for (node_id n = 0; n < m->n_nodes; n++)
        next[n + 1] += next[n];
    x->leave = sched_scratch(s, ((size_t)next[m->n_nodes] + 1) * sizeof *x->leave);
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; k < x->at[i].place->n; k++) {
            const struct piece *p = &x->at[i].place->piece[k];
            x->leave[next[p->node]++] = (struct leave){ x->at[i].end_s, (int64_t)p->gpus };
        }
}

void ends_by_slot(struct sched *s, struct slurm *m, struct ends *x)
{
    struct room room = m->room;
    size_t words = (size_t)m->words * room.levels, next = 0;
    if (slurm_empty_room(s, m)->n_beyond)
        return;
    room.gpus = sched_scratch(s, m->n_nodes * sizeof *room.gpus);
    memcpy(room.gpus, m->room.gpus, m->n_nodes * sizeof *room.gpus);
    room.at_least = sched_scratch(s, words * sizeof *room.at_least);
    memcpy(room.at_least, m->room.at_least, words * sizeof *room.at_least);
    x->per_slot = x->n / ENDS_SLOTS + 1;
    x->n_slots = x->n / x->per_slot + 2;
    x->slot = sched_scratch(s, x->n_slots * words * sizeof *x->slot);
    for (size_t i = 0; i < x->n_slots; i++) {
        for (; next < x->n && next < i * x->per_slot; next++)
            for (size_t k = 0; k < x->at[next].place->n; k++) {
                const struct piece *p = &x->at[next].place->piece[k];
                slurm_room_gpus_add(&room, p->node, (int64_t)p->gpus);
            }
        memcpy(x->slot + i * words, room.at_least, words * sizeof *x->slot);
    }
}

bool ends_too_few(const struct slurm *m, const struct ends *x, const uint64_t *nodes, int64_t gpus, int64_t until_s)
{
    uint32_t levels = m->room.levels;
    if (!x->slot)
        return false;
    /* those that have joined since are counted among the first, too: if anything, more have left */
    size_t i = min_size((first_after(x, until_s) + x->per_slot - 1) / x->per_slot, x->n_slots - 1);
    int64_t free = 0;
    for (uint32_t w = 0; w < m->words && free < gpus; w++) {
        const uint64_t *at_least = x->slot + (i * m->words + w) * levels;
        uint64_t rest = nodes[w];
        for (uint32_t g = 0; g < levels && (rest &= at_least[g]) != 0; g++)
            free += __builtin_popcountll(rest);
    }
    return free < gpus;
}

/* ---- The start on nodes that run other jobs ---- */

static int64_t guessed_end(const struct slurm *m, int64_t end_s)
{
    if (end_s > m->now_s)
        return end_s;
    return max_i64(end_s + (int64_t)m->params->kill_wait_s, m->now_s + 1);
}

static void take_away(const struct ends *x, struct future *f, job_id j, int64_t gpus)
{
    f->gpus += gpus;
    x->gone[f->n_gone++] = j;
}

static void put_back(struct sched *s, struct slurm *m, const struct ends *x, struct future *f)
{
    while (f->n_given)
        slurm_room_give(s, &m->room, x->gone[--f->n_given], -1);
}

static bool is_victim(const struct future *f, job_id j)
{
    for (size_t i = 0; i < f->n_victims; i++)
        if (f->victim[i] == j)
            return true;
    return false;
}

static bool fits(struct sched *s, struct slurm *m, const struct ends *x, struct future *f, struct seats *where)
{
    if (f->gpus < f->wanted)
        return false;
    for (; f->n_given < f->n_gone; f->n_given++)
        slurm_room_give(s, &m->room, x->gone[f->n_given], 1);
    return slurm_select(s, m, f->need, f->avail, &m->room, where);
}

/* Takes the next group away. NULL: there is none, or it ends too late. */
static const struct ending *next_group(const struct ends *x, struct future *f)
{
    const struct ending *last = NULL;
    for (unsigned n = 0; f->next < x->n;) {
        const struct ending *e = &x->at[f->next];
        bool late = f->until_s && e->end_s > f->until_s;
        if (late && f->gpus < f->wanted)
            return NULL;
        f->next++;
        int64_t gpus = e->others || set_has(f->avail, e->node) ? gpus_on(e->place, f->avail) : -1;
        if (gpus < 0 || is_victim(f, e->job))
            continue;
        if (late)
            return NULL;
        if (!f->window_end)
            f->window_end = e->end_s - (e->end_s + x->clock) % WINDOW_S + WINDOW_S;
        take_away(x, f, e->job, gpus);
        last = e;
        if (f->next == x->n || x->at[f->next].end_s > f->window_end + f->window || ++n == GROUP_MOST)
            break;
    }
    return last;
}

static int64_t search(struct sched *s, struct slurm *m, const struct ends *x, struct future *f, struct seats *where)
{
    const struct ending *last;
    for (size_t i = 0; i < f->n_removed; i++) {
        const struct placement *p = job_placement(s, f->victim[i]);
        take_away(x, f, f->victim[i], p ? max_i64(0, gpus_on(p, f->avail)) : 0);
    }
    if (f->n_removed && fits(s, m, x, f, where))
        return m->now_s;
    while ((last = next_group(x, f))) {
        do
            f->window = m->params->bf_window_linear > 0 ? f->window + (int64_t)m->params->bf_window_linear
                                                        : f->window * 2;
        while (f->next < x->n && x->at[f->next].end_s > f->window_end + f->window);
        if (fits(s, m, x, f, where))
            return guessed_end(m, last->end_s);
        if (f->next == x->n)
            break;
    }
    return -1;
}

int64_t ends_start(struct sched *s, struct slurm *m, struct ends *x, struct future *f, struct seats *where)
{
    f->window = WINDOW_S;
    f->wanted = (int64_t)f->need->tasks * f->need->gpus;
    f->gpus = slurm_room_gpus(m, &m->room, f->avail);
    int64_t when = search(s, m, x, f, where);
    put_back(s, m, x, f);
    return when;
}
