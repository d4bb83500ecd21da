/* traffic.c - see traffic.h. */
#include "sim/physics/traffic.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALIKE 1e-12               /* a share that changes by less has not changed */

struct used {                     /* a link */
    struct sender **sender;
    size_t n, capacity;
    double asked;                 /* of all its jobs at most, as added up */
    bool dirty, seen;
};
struct traffic {
    const struct cluster *c;
    bool together;
    double *bytes_per_s;          /* by link */
    struct used *link;
    uint32_t n_links, *dirty;
    size_t n_dirty;
    struct form_scratch scratch;
    struct sender **found;        /* of traffic_balance() */
    struct phased_job **job;
    double *before;
    size_t n_found, room;
    const struct traffic_law *law;
};

struct traffic *traffic_new(const struct cluster *c, const struct fabric *fabric)
{
    struct traffic *t = mem_new(1, sizeof *t);
    t->c = c;
    t->together = fabric->together;
    t->n_links = placement_links(c);
    t->bytes_per_s = mem_new(t->n_links, sizeof *t->bytes_per_s);
    t->link = mem_new(t->n_links, sizeof *t->link);
    t->dirty = mem_new(t->n_links, sizeof *t->dirty);
    placement_link_rates(c, fabric, t->bytes_per_s);
    return t;
}

static void sender_free(struct sender *x)
{
    free(x->crossing);
    free(x->groups);
    free(x);
}

/* A sender is freed at the first of its links, which come last here. */
void traffic_free(struct traffic *t)
{
    if (!t)
        return;
    for (uint32_t l = t->n_links; l-- > 0;) {
        for (size_t i = 0; i < t->link[l].n; i++)
            if (t->link[l].sender[i]->crossing[0].link == l)
                sender_free(t->link[l].sender[i]);
        free(t->link[l].sender);
    }
    form_scratch_free(&t->scratch);
    void *const own[] = { t->bytes_per_s, t->link, t->dirty, t->found, t->job, t->before };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        free(own[i]);
    free(t);
}

/* ---- Jobs come and go ---- */

static struct used *changed(struct traffic *t, uint32_t l)
{
    if (!t->link[l].dirty)
        t->dirty[t->n_dirty++] = l;
    t->link[l].dirty = true;
    return &t->link[l];
}

struct sender *traffic_enter(struct traffic *t, job_id j, const struct placement *on,
                             const struct placement_form *form, double most)
{
    struct crossing *crossing = mem_new(3 * on->n + 1, sizeof *crossing);
    size_t n = isfinite(most) ? placement_crossings(t->c, on, &t->scratch, crossing) : 0;
    if (n == 0) {
        free(crossing);
        return NULL;
    }
    struct sender *x = mem_new(1, sizeof *x);
    *x = (struct sender){ .job = j, .form = *form, .crossing = crossing,
                          .at = { .most = most, .crossing = crossing, .n_crossings = n } };
    if (form->groups) {
        x->form.groups = x->groups = mem_new(1, sizeof *x->groups);
        *x->groups = *form->groups;
    }
    for (size_t i = 0; i < n; i++) {
        struct used *u = changed(t, crossing[i].link);
        mem_grow(&u->sender, &u->capacity, u->n, sizeof(struct sender *));
        u->sender[u->n++] = x;
        u->asked += crossing[i].flows * most;
    }
    return x;
}

void traffic_leave(struct traffic *t, struct sender *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->at.n_crossings; i++) {
        struct used *u = changed(t, x->crossing[i].link);
        size_t at = 0;
        while (u->sender[at] != x)
            at++;
        u->sender[at] = u->sender[--u->n];
        u->asked = u->n ? u->asked - x->crossing[i].flows * x->at.most : 0;
    }
    sender_free(x);
}

void traffic_touch(struct traffic *t, const struct sender *x)
{
    for (size_t i = 0; i < x->at.n_crossings; i++)
        changed(t, x->crossing[i].link);
}

/* ---- Shares ---- */

static const struct traffic_law *law_of(const struct traffic *t, const struct sender *x)
{
    return x->law ? x->law : t->law;
}

static bool ties(const struct traffic *t, uint32_t l)
{
    return t->link[l].asked > t->bytes_per_s[l] * (1 - 1e-9);
}

static void find_from(struct traffic *t, uint32_t l)
{
    struct used *u = &t->link[l];
    for (size_t i = 0; i < u->n && !u->seen; i++) {
        struct sender *x = u->sender[i];
        if (x->seen)
            continue;
        x->seen = true;
        if (t->n_found == t->room) {
            t->room = t->room ? 2 * t->room : 64;
            t->found = mem_resize(t->found, t->room, sizeof(struct sender *));
            t->job = mem_resize(t->job, t->room, sizeof(struct phased_job *));
            t->before = mem_resize(t->before, t->room, REACHES * sizeof *t->before);
        }
        t->found[t->n_found++] = x;
    }
    u->seen = true;
}

/* A job before what else is under its id, as a service is under that of its first replica. */
static int by_job(const void *left, const void *right)
{
    const struct sender *const *a = left, *const *b = right;
    int jobs = ((*a)->job > (*b)->job) - ((*a)->job < (*b)->job);
    return jobs ? jobs : ((*a)->law != NULL) - ((*b)->law != NULL);
}

/* The jobs on links with a change, and through links that may be full those beyond. */
static void find_all(struct traffic *t)
{
    t->n_found = 0;
    for (size_t i = 0; i < t->n_dirty; i++)
        find_from(t, t->dirty[i]);
    for (size_t i = 0; i < t->n_found; i++)
        for (size_t k = 0; k < t->found[i]->at.n_crossings; k++)
            if (ties(t, t->found[i]->crossing[k].link))
                find_from(t, t->found[i]->crossing[k].link);
    for (size_t i = 0; i < t->n_found; i++) {
        t->found[i]->seen = false;
        for (size_t k = 0; k < t->found[i]->at.n_crossings; k++)
            t->link[t->found[i]->crossing[k].link].seen = false;
    }
    for (size_t i = 0; i < t->n_dirty; i++)
        t->link[t->dirty[i]].seen = t->link[t->dirty[i]].dirty = false;
    t->n_dirty = 0;
    if (t->n_found)
        qsort(t->found, t->n_found, sizeof(struct sender *), by_job);
}

static double sends(void *self, size_t i, const double share[REACHES])
{
    struct traffic *t = self;
    memcpy(t->found[i]->form.link_bps, share, sizeof t->found[i]->form.link_bps);
    const struct traffic_law *law = law_of(t, t->found[i]);
    return law->sends(law->self, t->found[i]);
}

static bool alike(const double *a, const double *b)
{
    for (unsigned r = 0; r < REACHES; r++)
        if (fabs(a[r] - b[r]) > ALIKE * b[r])
            return false;
    return true;
}

void traffic_balance(struct traffic *t, const struct traffic_law *law)
{
    if (!t->n_dirty)
        return;
    find_all(t);
    t->law = law;
    for (size_t i = 0; i < t->n_found; i++) {
        t->job[i] = &t->found[i]->at;
        memcpy(t->before + REACHES * i, t->found[i]->at.share, sizeof t->found[i]->at.share);
    }
    phases_share(&(struct phases){ .job = t->job, .n = t->n_found, .capacity = t->bytes_per_s,
                                   .n_links = t->n_links, .together = t->together, .sends = sends,
                                   .self = t });
    for (size_t i = 0; i < t->n_found; i++) {
        struct sender *x = t->found[i];
        if (alike(x->at.share, t->before + REACHES * i))
            memcpy(x->at.share, t->before + REACHES * i, sizeof x->at.share);
        memcpy(x->form.link_bps, x->at.share, sizeof x->form.link_bps);
        if (memcmp(x->at.share, t->before + REACHES * i, sizeof x->at.share) != 0)
            law_of(t, x)->changed(law_of(t, x)->self, x);
    }
}
