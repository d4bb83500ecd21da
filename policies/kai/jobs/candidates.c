/* candidates.c - see candidates.h. */
#include "policies/kai/jobs/candidates.h"
#include "policies/kai/search/search.h"

#include <string.h>

/* When fewer than the first remain in the array, so many come from the line. */
enum { FEW = CANDIDATES_OWN / 4, SOME = CANDIDATES_OWN / 2 };

static struct victim_spot spot_of(const struct victim_candidate *v)
{
    const struct piece *p = v->has ? &v->has->piece[0] : NULL;
    if (!p || v->surplus || v->has->n != 1 || p->milli != MILLI_ALL || v->holds.of[Q_CPU] != 0 ||
        v->holds.of[Q_MEM] != 0 || v->holds.of[Q_GPU] != search_milli_of(p) ||
        search_milli_of(p) > UINT32_MAX)
        return (struct victim_spot){ ID_NONE, 0, v->job };
    return (struct victim_spot){ p->node, (uint32_t)search_milli_of(p), v->job };
}

/* ---- The array ---- */

/* They come and go near the first: then those before make room, or close the gap. So many places are free
 * before the first of a new array. */
enum { PLACES_BEFORE = 8 };

static void move(struct leaf_candidates *c, size_t from, size_t n, ptrdiff_t by)
{
    memmove(c->at + from + by, c->at + from, n * sizeof *c->at);
    memmove(c->spot + from + by, c->spot + from, n * sizeof *c->spot);
}

/* The first is so many places further on, or back. */
static void first_moves(struct leaf_candidates *c, int by)
{
    c->at += by;
    c->spot += by;
    c->before += (uint32_t)by;
}

static void make_room(struct sched *s, struct leaf_candidates *c)
{
    size_t all = 2 * (size_t)c->capacity + 4 * PLACES_BEFORE;
    struct victim_candidate *at = sched_alloc(s, all * sizeof *at);
    struct victim_spot *spot = sched_alloc(s, all * sizeof *spot);
    if (c->n > 0) {
        memcpy(at + PLACES_BEFORE, c->at, c->n * sizeof *at);
        memcpy(spot + PLACES_BEFORE, c->spot, c->n * sizeof *spot);
    }
    c->at = at;
    c->spot = spot;
    c->before = 0;
    c->capacity = (uint32_t)all;
    first_moves(c, PLACES_BEFORE);
}

/* Jobs join near the first, and leave anywhere: half of the room that there is comes to stand before it. */
static void make_room_before(struct leaf_candidates *c)
{
    int by = (int)(c->capacity - c->n) / 2;
    move(c, 0, c->n, by);
    first_moves(c, by);
}

/* j is known as the k-th from now on. */
static void list(struct sched *s, const struct quota_state *q, struct leaf_candidates *c, size_t k, job_id j,
                 struct line_key key)
{
    if (k < c->n - k && c->before == 0)
        make_room_before(c);
    if (k < c->n - k && c->before > 0) {
        first_moves(c, -1);
        move(c, 1, k, -1);
    } else {
        if (c->before + c->n == c->capacity)
            make_room(s, c);
        move(c, k, c->n - k, 1);
    }
    c->n++;
    c->at[k] = c->read(s, q, j, key);
    c->spot[k] = spot_of(&c->at[k]);
}

static void unlist(struct leaf_candidates *c, size_t k)
{
    size_t n = c->n--;
    if (k < n - k) {
        move(c, 0, k, 1);
        first_moves(c, 1);
    } else {
        move(c, k + 1, n - k - 1, -1);
    }
}

/* ---- Array and line ---- */

static bool some_in_line(const struct leaf_candidates *c)
{
    return c->all > c->own;
}

/* It stands before the k-th in the order of the line: it is the better one. */
static bool is_better(const struct leaf_candidates *c, size_t k, job_id j, struct line_key key)
{
    return line_key_before(key, j, c->at[k].key, c->at[k].job);
}

static void own_last(struct sched *s, const struct quota_state *q, struct leaf_candidates *c)
{
    job_id j;
    struct line_key key;
    if (!line_last(c->line, &j, &key))
        return;
    line_remove(c->line, j);
    list(s, q, c, c->n, j, key);
    ((struct quota_job *)job_own(s, j))->in_array = true;
    c->own++;
}

static void give_last_to_line(struct sched *s, struct leaf_candidates *c)
{
    const struct victim_candidate *last = &c->at[--c->own];
    c->n = c->own;
    if (!c->line)
        c->line = line_new(s);
    line_push(c->line, last->job, last->key);
    ((struct quota_job *)job_own(s, last->job))->in_array = false;
}

void candidates_add(struct sched *s, const struct quota_state *q, struct leaf_candidates *c, job_id j,
                    struct line_key key)
{
    c->n = c->own;
    bool others = some_in_line(c);
    c->all++;
    if (others && is_better(c, c->own - 1, j, key)) {
        line_push(c->line, j, key);
        return;
    }
    size_t k = 0;
    while (k < c->own && is_better(c, k, j, key))
        k++;
    list(s, q, c, k, j, key);
    ((struct quota_job *)job_own(s, j))->in_array = true;
    if (++c->own > CANDIDATES_OWN)
        give_last_to_line(s, c);
}

void candidates_remove(struct sched *s, const struct quota_state *q, struct leaf_candidates *c, job_id j)
{
    struct quota_job *own = job_own(s, j);
    c->n = c->own;
    c->all--;
    if (!own->in_array) {
        line_remove(c->line, j);
        return;
    }
    size_t k = 0;
    while (c->spot[k].job != j)
        k++;
    unlist(c, k);
    own->in_array = false;
    c->own--;
    for (bool few = c->own < FEW; few && c->own < SOME && some_in_line(c);)
        own_last(s, q, c);
}

void candidates_renew(struct sched *s, const struct quota_state *q, struct leaf_candidates *c)
{
    c->n = c->own;
    for (size_t k = 0; k < c->n; k++) {
        c->at[k] = c->read(s, q, c->at[k].job, c->at[k].key);
        c->spot[k] = spot_of(&c->at[k]);
    }
}

const struct victim_candidate *candidates_copy(struct sched *s, const struct quota_state *q,
                                               struct leaf_candidates *c, size_t k)
{
    while (c->n <= k) {
        struct victim_candidate v;
        if (c->n == c->all)
            return NULL;
        if (c->n > 0)
            v = c->at[c->n - 1];
        (void)(c->n > c->own ? line_before(c->line, &v.job, &v.key)
                             : line_last(c->line, &v.job, &v.key));
        list(s, q, c, c->n, v.job, v.key);
    }
    return &c->at[k];
}
