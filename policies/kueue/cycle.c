/* cycle.c - nomination, order and processing of the heads of a cycle. See cycle.h. */
#include "policies/kueue/cycle.h"
#include "sim/contract/util/minmax.h"

#include <stdlib.h>
#include <string.h>

/* ---- Searches for victims ---- */

static bool search(struct cohort_desk *d, const struct cohort_workload *w, const bool *contested)
{
    return d->chooser.fair ? cohort_search_fair(&d->search, w, contested, d->final_share,
                                                d->initial_share)
                           : cohort_search_classical(&d->search, w, contested);
}

static void use_victims(struct cohort_desk *d, const struct cohort_victim *victim, uint32_t n,
                        int sign)
{
    for (uint32_t i = 0; i < n; i++)
        cohort_use(d->search.books, victim[i].workload->queue, victim[i].workload->need, sign);
}

/* The height from which `amount` comes once the victims just found are gone. */
static uint32_t height_after(struct cohort_desk *d, uint32_t queue, uint32_t cell, int64_t amount)
{
    bool more_above;
    use_victims(d, d->search.victim, d->search.n_victims, -1);
    uint32_t height =
        cohort_borrow_height(d->search.books, queue, cell, amount, &more_above);
    use_victims(d, d->search.victim, d->search.n_victims, 1);
    return height;
}

/* The resource of a head that asks for one alone, and needs no place: a search in its cell is the
 * search for its victims. ID_NONE: it is not like that. */
static uint32_t sole_resource(const struct cohort_desk *d, const struct cohort_head *h)
{
    uint32_t only = ID_NONE;
    if (d->places || h->n_sets != 1 || d->chooser.flavors[h->as.queue].n_groups != 1)
        return ID_NONE;
    for (uint32_t r = 0; r < d->search.books->resources; r++) {
        if (h->set->each[r] >= 0 && only != ID_NONE)
            return ID_NONE;
        only = h->set->each[r] >= 0 ? r : only;
    }
    return only;
}

/* The same with one flavor alone: so the search in its cell need not be made. */
static uint32_t only_resource(const struct cohort_desk *d, const struct cohort_head *h)
{
    return d->chooser.flavors[h->as.queue].group->n == 1 ? sole_resource(d, h) : ID_NONE;
}

/* Victims for `amount` in this cell alone. */
static bool search_one(struct cohort_desk *d, const struct cohort_workload *w, uint32_t cell,
                       int64_t amount)
{
    struct cohort_workload alone = *w;
    alone.need = d->one;
    d->one[cell] = amount;
    d->one_contested[cell] = true;
    bool found = search(d, &alone, d->one_contested);
    d->one_contested[cell] = false;
    d->one[cell] = 0;
    return found;
}

/* For cohort_chooser.simulate. */
static struct cohort_worth simulate(void *self, const struct cohort_head *h, uint32_t cell,
                                    int64_t amount, uint32_t height)
{
    struct cohort_desk *d = self;
    if (only_resource(d, h) != ID_NONE)
        return (struct cohort_worth){ MODE_PREEMPT, 0 };
    d->searched = cell;
    if (!search_one(d, &h->as, cell, amount))
        return (struct cohort_worth){ MODE_NO_VICTIMS, height };
    struct cohort_worth worth = { MODE_RECLAIM, height_after(d, h->as.queue, cell, amount) };
    for (uint32_t i = 0; i < d->search.n_victims; i++)
        if (d->search.victim[i].workload->queue == h->as.queue)
            worth.mode = MODE_PREEMPT;
    return worth;
}

/* ---- Nomination ---- */

static void keep_victims(struct cohort_desk *d, struct cohort_entry *e)
{
    e->n_victims = d->search.n_victims;
    if (e->n_victims > e->capacity) {
        e->capacity = 2 * (size_t)e->n_victims;
        e->victim = d->grow(d->self, e->capacity * sizeof *e->victim);
    }
    if (e->n_victims)
        memcpy(e->victim, d->search.victim, e->n_victims * sizeof *e->victim);
}

static uint32_t cell_of(const struct cohort_desk *d, uint32_t flavor, uint32_t resource)
{
    return d->chooser.cell[(size_t)flavor * d->search.books->resources + resource];
}

static bool find_victims(struct cohort_desk *d, struct cohort_entry *e)
{
    const struct cohort_places *p = d->places;
    uint32_t sole = sole_resource(d, &e->head);
    e->head.as.need = e->a.use;
    if (sole != ID_NONE && e->a.cell_mode[sole] == MODE_NO_VICTIMS)
        return false;
    if (sole != ID_NONE && d->searched == cell_of(d, e->a.flavor[sole], sole)) {
        keep_victims(d, e);
        return true;
    }
    if (p)
        d->search_begins(p->self);
    d->search.places = p;
    bool found = search(d, &e->head.as, e->a.contested);
    d->search.places = NULL;
    if (p)
        d->search_ends(p->self);
    keep_victims(d, e);
    uint32_t only = only_resource(d, &e->head);
    if (only != ID_NONE) {
        uint32_t cell = cell_of(d, e->a.flavor[only], only);
        e->a.height = height_after(d, e->head.as.queue, cell, e->a.use[cell]);
    }
    return found;
}

static bool gives_places(const struct cohort_desk *d)
{
    return d->places && d->places->fits;
}

static void vacate(struct cohort_desk *d, const struct cohort_victim *victim, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        d->places->vacate(d->places->self, victim[i].workload);
}

static void restore(struct cohort_desk *d, const struct cohort_victim *victim, uint32_t n)
{
    while (n-- > 0)
        d->places->restore(d->places->self, victim[n].workload);
}

/* What the set takes is contested. */
static void contest(struct cohort_desk *d, struct cohort_entry *e, uint32_t set)
{
    uint32_t resources = d->search.books->resources;
    for (uint32_t r = 0; r < resources; r++) {
        size_t at = (size_t)set * resources + r;
        uint32_t flavor = e->a.flavor[at];
        uint32_t cell = flavor == ID_NONE ? ID_NONE : cell_of(d, flavor, r);
        if (cell == ID_NONE)
            continue;
        e->a.cell_mode[at] = MODE_PREEMPT;
        e->a.contested[cell] |= e->a.use[cell] > 0;
    }
}

/* With quota and no place, others have to leave wherever it would be. */
static void ask_for_place(struct cohort_desk *d, struct cohort_entry *e)
{
    const struct cohort_places *p = d->places;
    if (!p || e->a.mode == MODE_NO_FIT || (e->a.mode == MODE_FIT && p->room(p->self)))
        return;
    for (uint32_t i = 0; e->a.mode == MODE_FIT && i < e->head.n_sets; i++)
        if (!p->lacks || p->lacks(p->self, i))
            contest(d, e, i);
    e->a.mode = MODE_PREEMPT;
    if (p->ever && !p->ever(p->self)) {
        e->a.mode = MODE_NO_FIT;
        e->a.why = NO_FIT_NO_PLACE;
    }
}

/* Where it will be once its victims are gone; without victims, in an empty cluster. */
static void keep_place(struct cohort_desk *d, struct cohort_entry *e)
{
    vacate(d, e->victim, e->n_victims);
    if (e->n_victims)
        d->places->room(d->places->self);
    else
        d->places->ever(d->places->self);
    restore(d, e->victim, e->n_victims);
}

/* true: it fits with so many tasks, or has victims. */
static bool nominate_with(struct cohort_desk *d, struct cohort_entry *e, const uint32_t *count,
                          const struct cohort_assignment *stay)
{
    d->now = e;
    d->searched = ID_NONE;
    e->n_victims = 0;
    cohort_assign(&d->chooser, &e->head, count, stay ? NULL : e->tried, stay, &e->a);
    ask_for_place(d, e);
    if (e->a.mode != MODE_PREEMPT)
        return e->a.mode == MODE_FIT;
    bool found = find_victims(d, e);
    if (gives_places(d))
        keep_place(d, e);
    return found;
}

/* Of each set that share of what it can do without: reduction / all. */
static void reduce(const struct cohort_head *h, uint32_t reduction, uint32_t all, uint32_t *count)
{
    for (uint32_t i = 0; i < h->n_sets; i++) {
        uint64_t spare = h->set[i].count - h->set[i].least;
        count[i] = h->set[i].count - (uint32_t)(spare * reduction / all);
    }
}

/* What all sets together can do without. */
static uint32_t spare_tasks(const struct cohort_head *h)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < h->n_sets; i++)
        all += h->set[i].count - h->set[i].least;
    return all;
}

/* Slices are whole: kubernetes-sigs/kueue:pkg/cache/scheduler/tas_flavor_snapshot.go. */
static bool is_whole(const struct cohort_head *h, const uint32_t *count)
{
    for (uint32_t i = 0; i < h->n_sets; i++)
        if (h->set[i].slice && count[i] % h->set[i].slice)
            return false;
    return true;
}

static bool nominate_reduced(struct cohort_desk *d, struct cohort_entry *e, uint32_t reduction,
                             uint32_t all, const struct cohort_assignment *stay)
{
    reduce(&e->head, reduction, all, d->fewer);
    return is_whole(&e->head, d->fewer) && nominate_with(d, e, d->fewer, stay);
}

/* The smallest reduction that does, if one that does means that all larger ones do. */
static bool nominate_fewer(struct cohort_desk *d, struct cohort_entry *e,
                           const struct cohort_assignment *stay, uint32_t all)
{
    uint32_t low = 0, last = UINT32_MAX;
    for (uint32_t high = all + 1; low < high;) {
        last = low + (high - low) / 2;
        if (nominate_reduced(d, e, last, all, stay))
            high = last;
        else
            low = last + 1;
    }
    if (low > all)
        return false;
    if (last == low)
        return true;
    return nominate_reduced(d, e, low, all, stay);
}

static void nominate(struct cohort_desk *d, struct cohort_entry *e,
                     const struct cohort_assignment *stay)
{
    uint32_t all = spare_tasks(&e->head);
    for (uint32_t i = 0; i < e->head.n_sets; i++)
        d->full[i] = e->head.set[i].count;
    if (nominate_with(d, e, d->full, stay) || (all && nominate_fewer(d, e, stay, all)))
        return;
    if (all)
        nominate_with(d, e, d->full, stay);
    e->n_victims = 0;
}

void cohort_nominate(struct cohort_desk *d, struct cohort_entry *e)
{
    d->chooser.simulate = simulate;
    d->chooser.self = d;
    nominate(d, e, NULL);
}

/* ---- The order of heads ---- */

static struct standing standing_of(const struct cohort_entry *e)
{
    return (struct standing){ .as = &e->head.as, .height = e->a.height };
}

static int classical(const void *a, const void *b)
{
    const struct cohort_entry *x = *(struct cohort_entry *const *)a,
                              *y = *(struct cohort_entry *const *)b;
    struct standing of_x = standing_of(x), of_y = standing_of(y);
    return cohort_compare_classical(&of_x, &of_y);
}

/* The latest write to any node from the queue up to v. */
static uint64_t version_below(const struct cohort_books *b, uint32_t queue, uint32_t v)
{
    uint64_t latest = b->version[v];
    for (; queue != v; queue = b->parent[queue])
        latest = b->version[queue] > latest ? b->version[queue] : latest;
    return latest;
}

/* The head that the node sends up, as it is seen there. */
static const struct standing *send(struct cohort_desk *d, uint32_t node)
{
    struct cohort_seat *seat = &d->seat[node];
    const struct cohort_entry *e = seat->head;
    uint32_t queue = e->head.as.queue;
    uint64_t at = version_below(d->search.books, queue, node);
    if (seat->of != e || seat->at != at) {
        seat->sent = standing_of(e);
        cohort_stand_at(d->search.books, node, d->search.weight[node], queue, e->a.use,
                        &seat->sent);
        seat->of = e;
        seat->at = at;
    }
    return &seat->sent;
}

/* The tournament between the nodes just below a cohort. */
static void meet(struct cohort_desk *d, uint32_t cohort)
{
    const struct standing *best = NULL;
    struct cohort_seat *seat = d->seat;
    seat[cohort].head = NULL;
    for (uint32_t v = seat[cohort].first; v != ID_NONE; v = seat[v].next) {
        const struct standing *x = seat[v].head ? send(d, v) : NULL;
        if (!x || (best && cohort_compare_by_share(x, best) > 0))
            continue;
        best = x;
        seat[cohort].head = seat[v].head;
    }
}

/* Nodes with heads below them meet, those further down first: they have higher numbers. */
static void begin_tournament(struct cohort_desk *d)
{
    const struct cohort_books *b = d->search.books;
    memset(d->sends, 0, b->n * sizeof *d->sends);
    for (uint32_t i = 0; i < d->n; i++) {
        uint32_t queue = d->entry[i]->head.as.queue;
        d->seat[queue].head = d->entry[i];
        for (uint32_t v = queue; v != ID_NONE && !d->sends[v]; v = b->parent[v]) {
            d->sends[v] = true;
            d->seat[v].first = d->seat[v].next = ID_NONE;
            d->seat[v].of = NULL;
        }
    }
    for (uint32_t v = b->n; v-- > 0;) {
        uint32_t up = b->parent[v];
        if (!d->sends[v])
            continue;
        if (b->height[v])
            meet(d, v);
        if (up == ID_NONE)
            continue;
        d->seat[v].next = d->seat[up].first;
        d->seat[up].first = v;
    }
}

/* It has been processed. */
static void leave(struct cohort_desk *d, const struct cohort_entry *e)
{
    const uint32_t *parent = d->search.books->parent;
    uint32_t queue = e->head.as.queue;
    d->seat[queue].head = NULL;
    for (uint32_t v = parent[queue]; v != ID_NONE; v = parent[v])
        meet(d, v);
}

static struct cohort_entry *next(struct cohort_desk *d)
{
    struct cohort_entry *e = d->entry[d->done];
    if (!d->chooser.fair)
        return e;
    struct cohort_entry *won = d->seat[d->search.books->root[e->head.as.queue]].head;
    uint32_t i = d->done;
    while (d->entry[i] != won)
        i++;
    d->entry[i] = e;
    d->entry[d->done] = won;
    return won;
}

/* ---- Processing ---- */

/* Those of the heads of the same tree that were processed before. */
static void use_chosen(struct cohort_desk *d, uint32_t queue, int sign)
{
    for (uint32_t i = 0; i < d->done && d->preemptors; i++) {
        const struct cohort_entry *e = d->entry[i];
        if (e->outcome == OUTCOME_PREEMPTS &&
            d->search.books->root[e->head.as.queue] == d->search.books->root[queue])
            use_victims(d, e->victim, e->n_victims, sign);
    }
}

/* The same for places: those of all heads that were processed before. */
static void vacate_chosen(struct cohort_desk *d)
{
    for (uint32_t i = 0; gives_places(d) && i < d->done; i++)
        if (d->entry[i]->outcome == OUTCOME_PREEMPTS)
            vacate(d, d->entry[i]->victim, d->entry[i]->n_victims);
}

static void restore_chosen(struct cohort_desk *d)
{
    for (uint32_t i = d->done; gives_places(d) && i-- > 0;)
        if (d->entry[i]->outcome == OUTCOME_PREEMPTS)
            restore(d, d->entry[i]->victim, d->entry[i]->n_victims);
}

static bool overlaps(const struct cohort_entry *e)
{
    for (uint32_t i = 0; i < e->n_victims; i++)
        if (e->victim[i].workload->chosen)
            return true;
    return false;
}

/* With the flavors that it has. */
static void nominate_staying(struct cohort_desk *d, struct cohort_entry *e)
{
    struct cohort_assignment first = e->a;
    e->a = e->spare;
    e->spare = first;
    nominate(d, e, &first);
}

/* As if all victims so far were gone. true: it fits then. */
static bool nominate_again(struct cohort_desk *d, struct cohort_entry *e)
{
    use_chosen(d, e->head.as.queue, -1);
    vacate_chosen(d);
    nominate_staying(d, e);
    restore_chosen(d);
    use_chosen(d, e->head.as.queue, 1);
    return e->a.mode == MODE_FIT;
}

static bool still_fits(struct cohort_desk *d, const struct cohort_entry *e)
{
    use_chosen(d, e->head.as.queue, -1);
    use_victims(d, e->victim, e->n_victims, -1);
    bool fits = cohort_fits(d->search.books, e->head.as.queue, e->a.use);
    use_victims(d, e->victim, e->n_victims, 1);
    use_chosen(d, e->head.as.queue, 1);
    return fits;
}

/* The place of its nomination, with all victims so far and its own gone. */
static bool still_has_place(struct cohort_desk *d, struct cohort_entry *e)
{
    if (!gives_places(d))
        return true;
    d->now = e;
    vacate_chosen(d);
    vacate(d, e->victim, e->n_victims);
    bool fits = d->places->fits(d->places->self);
    restore(d, e->victim, e->n_victims);
    restore_chosen(d);
    return fits;
}

static void book(struct cohort_desk *d, struct cohort_entry *e, int64_t *need)
{
    e->booked = need;
    cohort_use(d->search.books, e->head.as.queue, need, 1);
    d->now = e;
    if (gives_places(d))
        d->places->take(d->places->self, 1);
}

static enum cohort_outcome no_victims(struct cohort_desk *d, struct cohort_entry *e)
{
    uint32_t queue = e->head.as.queue;
    if (d->search.rules[queue].reclaim == RECLAIM_ANY)
        return OUTCOME_NO_VICTIMS;
    memcpy(e->cells, e->a.use, d->search.books->cells * sizeof *e->cells);
    cohort_cut_to_reserve(d->search.books, queue, e->a.height > 0, e->cells);
    book(d, e, e->cells);
    return OUTCOME_NO_VICTIMS;
}

static enum cohort_outcome process(struct cohort_desk *d, struct cohort_entry *e)
{
    bool later = overlaps(e) && nominate_again(d, e);
    if (!later && e->a.mode != MODE_NO_FIT && still_fits(d, e) && !still_has_place(d, e))
        nominate_staying(d, e);
    if (e->a.mode == MODE_NO_FIT)
        return OUTCOME_NO_FIT;
    if (e->a.mode == MODE_PREEMPT && e->n_victims == 0)
        return no_victims(d, e);
    if (!still_fits(d, e) || !still_has_place(d, e)) {
        e->wanted_victims = e->a.mode == MODE_PREEMPT || later;
        return OUTCOME_NO_ROOM;
    }
    if (!later && e->a.mode == MODE_FIT && d->admit) {
        d->now = e;
        return d->admit(d->self, e) ? OUTCOME_ADMITTED : OUTCOME_NO_ROOM;
    }
    book(d, e, e->a.use);
    if (e->a.mode == MODE_FIT)
        return later ? OUTCOME_FITS_LATER : OUTCOME_ADMITTED;
    for (uint32_t i = 0; i < e->n_victims; i++)
        e->victim[i].workload->chosen = true;
    d->preemptors++;
    return OUTCOME_PREEMPTS;
}

static void undo(struct cohort_desk *d)
{
    for (uint32_t i = 0; i < d->n; i++) {
        struct cohort_entry *e = d->entry[i];
        d->now = e;
        if (e->booked)
            cohort_use(d->search.books, e->head.as.queue, e->booked, -1);
        if (e->booked && gives_places(d))
            d->places->take(d->places->self, -1);
        e->booked = NULL;
        for (uint32_t k = 0; k < e->n_victims; k++)
            e->victim[k].workload->chosen = false;
    }
}

/* It fits, or has victims, by its nomination: all others are set aside whatever comes before them,
 * unless their place is looked at again (still_has_place()). */
static bool is_open(const struct cohort_desk *d, const struct cohort_entry *e)
{
    return e->a.mode == MODE_FIT || e->n_victims || gives_places(d);
}

static uint32_t nominate_all(struct cohort_desk *d)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        d->entry[i]->outcome = OUTCOME_NONE;
        if (!d->entry[i]->nominated)
            cohort_nominate(d, d->entry[i]);
        open += is_open(d, d->entry[i]);
    }
    return open;
}

/* No open one is behind them: what they would book is in no entry's way. */
static void set_rest_aside(struct cohort_desk *d)
{
    for (uint32_t i = d->done; i < d->n; i++)
        d->entry[i]->outcome =
            d->entry[i]->a.mode == MODE_NO_FIT ? OUTCOME_NO_FIT : OUTCOME_NO_VICTIMS;
}

void cohort_cycle(struct cohort_desk *d, struct cohort_entry **entry, uint32_t n)
{
    d->entry = entry;
    d->n = n;
    d->preemptors = 0;
    uint32_t open = nominate_all(d);
    if (!d->chooser.fair && n > 1)
        qsort(entry, n, sizeof(struct cohort_entry *), classical);
    if (d->chooser.fair && open)
        begin_tournament(d);
    for (d->done = 0; open; d->done++) {
        struct cohort_entry *e = next(d);
        open -= is_open(d, e);
        e->outcome = process(d, e);
        if (d->chooser.fair && open)
            leave(d, e);
    }
    set_rest_aside(d);
    undo(d);
}

bool cohort_tries_again(const struct cohort_desk *d, const struct cohort_entry *e)
{
    switch (e->outcome) {
    case OUTCOME_PREEMPTS:
    case OUTCOME_FITS_LATER:
    case OUTCOME_NO_ROOM:
        return true;
    case OUTCOME_NO_VICTIMS:
    case OUTCOME_NO_FIT:
        return cohort_has_more(&d->chooser, &e->a);
    default:
        return false;
    }
}
