/* books.c - quota and usage summed up a tree, and what is available. See books.h. */
#include "policies/kueue/books.h"
#include "sim/contract/util/minmax.h"

/* ---- Memory ---- */

size_t cohort_books_size(uint32_t n, uint32_t cells, uint32_t resources)
{
    size_t each = sizeof(struct cohort_quota) + 4 * sizeof(int64_t);
    return (size_t)n * (cells * each + 2 * resources * sizeof(int64_t) + sizeof(uint64_t) +
                        8 * sizeof(uint32_t)) +
           cells * sizeof(struct cohort_more) + sizeof(uint32_t);
}

void cohort_books_lay(struct cohort_books *b, void *memory)
{
    size_t all = (size_t)b->n * b->cells;
    b->quota = memory;
    b->subtree = (int64_t *)(b->quota + all);
    b->local = b->subtree + all;
    b->potential = b->local + all;
    b->usage = b->potential + all;
    b->lendable = b->usage + all;
    b->borrowed = b->lendable + (size_t)b->n * b->resources;
    b->version = (uint64_t *)(b->borrowed + (size_t)b->n * b->resources);
    b->as_if = (struct cohort_more *)(b->version + b->n);
    b->root = (uint32_t *)(b->as_if + b->cells);
    b->depth = b->root + b->n;
    b->height = b->depth + b->n;
    b->child = b->height + b->n;
    b->sibling = b->child + b->n;
    b->written = b->sibling + b->n;
    b->next_written = b->written + b->n;
    b->first_child = b->next_written + b->n;
}

/* ---- What was written ---- */

static void note_written(struct cohort_books *b, uint32_t node)
{
    uint32_t up = b->parent[node];
    b->version[node] = ++b->clock;
    if (up == ID_NONE || b->next_written[node] != ID_NONE)
        return;
    b->next_written[node] = b->written[up] == ID_NONE ? node : b->written[up];
    b->written[up] = node;
}

uint32_t cohort_take_written(struct cohort_books *b, uint32_t parent)
{
    uint32_t node = b->written[parent];
    if (node == ID_NONE)
        return ID_NONE;
    b->written[parent] = b->next_written[node] == node ? ID_NONE : b->next_written[node];
    b->next_written[node] = ID_NONE;
    return node;
}

/* ---- Quota ---- */

static void settle_cell(struct cohort_books *b, uint32_t cell)
{
    for (uint32_t v = 0; v < b->n; v++)
        b->subtree[cohort_at(b, v, cell)] = b->quota[cohort_at(b, v, cell)].nominal;
    for (uint32_t v = b->n; v-- > 0;) {
        size_t i = cohort_at(b, v, cell);
        int64_t lending = b->quota[i].lending;
        b->local[i] = lending == UNLIMITED ? 0 : max_i64(0, b->subtree[i] - lending);
        b->usage[i] = 0;
        if (b->parent[v] != ID_NONE)
            b->subtree[cohort_at(b, b->parent[v], cell)] += b->subtree[i] - b->local[i];
    }
    for (uint32_t v = 0; v < b->n; v++) {
        size_t i = cohort_at(b, v, cell);
        int64_t borrowing = b->quota[i].borrowing;
        b->potential[i] = b->subtree[i];
        if (b->parent[v] != ID_NONE) {
            b->potential[i] = b->local[i] + b->potential[cohort_at(b, b->parent[v], cell)];
            if (borrowing != UNLIMITED)
                b->potential[i] = min_i64(b->potential[i], b->subtree[i] + borrowing);
        }
        b->lendable[(size_t)v * b->resources + b->resource[cell]] += b->potential[i];
    }
}

void cohort_books_settle(struct cohort_books *b)
{
    for (uint32_t v = 0; v < b->n; v++) {
        bool top = b->parent[v] == ID_NONE;
        b->root[v] = top ? v : b->root[b->parent[v]];
        b->depth[v] = top ? 0 : b->depth[b->parent[v]] + 1;
        b->height[v] = 0;
        b->child[v] = b->sibling[v] = b->written[v] = b->next_written[v] = ID_NONE;
        note_written(b, v);
        for (uint32_t r = 0; r < b->resources; r++) {
            b->lendable[(size_t)v * b->resources + r] = 0;
            b->borrowed[(size_t)v * b->resources + r] = 0;
        }
    }
    for (uint32_t v = b->n; v-- > 0;) {
        uint32_t up = b->parent[v];
        if (up == ID_NONE)
            continue;
        b->sibling[v] = b->child[up];
        b->child[up] = v;
        if (b->height[up] <= b->height[v])
            b->height[up] = b->height[v] + 1;
    }
    for (uint32_t v = 0, n = 0; v < b->n; v++) {
        b->first_child[v] = n;
        for (uint32_t c = b->child[v]; c != ID_NONE; c = b->sibling[c])
            n++;
        b->first_child[v + 1] = n;
    }
    for (uint32_t cell = 0; cell < b->cells; cell++)
        settle_cell(b, cell);
}

/* ---- Usage ---- */

/* Of usage of a node, the part beyond what it never lends. */
static int64_t shows_above(const struct cohort_books *b, size_t i, int64_t usage)
{
    return max_i64(0, usage - b->local[i]);
}

static void use_cell(struct cohort_books *b, uint32_t node, uint32_t cell, int64_t change)
{
    for (; node != ID_NONE && change; node = b->parent[node]) {
        size_t i = cohort_at(b, node, cell);
        int64_t before = b->usage[i], after = before + change;
        b->usage[i] = after;
        b->borrowed[(size_t)node * b->resources + b->resource[cell]] +=
            max_i64(0, after - b->subtree[i]) - max_i64(0, before - b->subtree[i]);
        note_written(b, node);
        change = shows_above(b, i, after) - shows_above(b, i, before);
    }
}

void cohort_use(struct cohort_books *b, uint32_t node, const int64_t *need, int sign)
{
    for (uint32_t cell = 0; cell < b->cells; cell++)
        if (need[cell])
            use_cell(b, node, cell, sign * need[cell]);
}

/* ---- As if usage were other ---- */

void cohort_as_if(struct cohort_books *b, const int64_t *more, const int64_t *less)
{
    b->n_as_if = 0;
    for (uint32_t cell = 0; cell < b->cells; cell++) {
        int64_t adds = more ? more[cell] : 0, takes = less ? less[cell] : 0;
        if (adds || takes)
            b->as_if[b->n_as_if++] = (struct cohort_more){ adds - takes, cell };
    }
}

void cohort_as_if_up(struct cohort_books *b, uint32_t node)
{
    for (uint32_t k = 0; k < b->n_as_if; k++) {
        size_t i = cohort_at(b, node, b->as_if[k].cell);
        b->as_if[k].by = shows_above(b, i, b->usage[i] + b->as_if[k].by) -
                         shows_above(b, i, b->usage[i]);
    }
}

bool cohort_as_if_borrows(const struct cohort_books *b, uint32_t node)
{
    for (uint32_t k = 0; k < b->n_as_if; k++)
        if (cohort_borrows(b, node, b->as_if[k].cell, b->as_if[k].by))
            return true;
    return false;
}

/* What is available falls by what is used more: by induction from the root down. */
bool cohort_as_if_fits(const struct cohort_books *b, uint32_t leaf, const int64_t *need)
{
    for (uint32_t k = 0; k < b->n_as_if; k++)
        if (need[b->as_if[k].cell] &&
            b->as_if[k].by > cohort_available(b, leaf, b->as_if[k].cell))
            return false;
    return true;
}

void cohort_books_again(struct cohort_books *b, int64_t *used)
{
    for (uint32_t v = 0; v < b->n; v++)
        for (uint32_t cell = 0; cell < b->cells; cell++)
            used[cohort_at(b, v, cell)] = b->height[v] ? 0 : b->usage[cohort_at(b, v, cell)];
    cohort_books_settle(b);
    for (uint32_t v = 0; v < b->n; v++)
        for (uint32_t cell = 0; cell < b->cells; cell++)
            use_cell(b, v, cell, used[cohort_at(b, v, cell)]);
}

int64_t cohort_local_available(const struct cohort_books *b, uint32_t node, uint32_t cell)
{
    size_t i = cohort_at(b, node, cell);
    return max_i64(0, b->local[i] - b->usage[i]);
}

/* On the way up: what nodes have of their own, and the least that a borrowing limit leaves. */
int64_t cohort_available(const struct cohort_books *b, uint32_t node, uint32_t cell)
{
    int64_t own = 0, most = INT64_MAX;
    size_t i = cohort_at(b, node, cell);
    for (; b->parent[node] != ID_NONE; i = cohort_at(b, node = b->parent[node], cell)) {
        own += max_i64(0, b->local[i] - b->usage[i]);
        if (b->quota[i].borrowing == UNLIMITED)
            continue;
        int64_t stored = b->subtree[i] - b->local[i], taken = shows_above(b, i, b->usage[i]);
        most = min_i64(most, own + stored - taken + b->quota[i].borrowing);
    }
    return min_i64(most, own + b->subtree[i] - b->usage[i]);
}

bool cohort_fits(const struct cohort_books *b, uint32_t node, const int64_t *need)
{
    for (uint32_t cell = 0; cell < b->cells; cell++)
        if (need[cell] && need[cell] > cohort_available(b, node, cell))
            return false;
    return true;
}

bool cohort_could_fit(const struct cohort_books *b, uint32_t node, const int64_t *need)
{
    for (uint32_t cell = 0; cell < b->cells; cell++)
        if (need[cell] > b->potential[cohort_at(b, node, cell)])
            return false;
    return true;
}

bool cohort_within_nominal(const struct cohort_books *b, uint32_t node, const bool *contested)
{
    for (uint32_t cell = 0; cell < b->cells; cell++)
        if (contested[cell] && cohort_borrows(b, node, cell, 0))
            return false;
    return true;
}

uint32_t cohort_borrow_height(const struct cohort_books *b, uint32_t leaf, uint32_t cell,
                              int64_t amount, bool *more_above)
{
    uint32_t v = leaf;
    while (cohort_borrows(b, v, cell, amount) && b->parent[v] != ID_NONE) {
        amount -= cohort_local_available(b, v, cell);
        v = b->parent[v];
    }
    *more_above = b->parent[v] != ID_NONE;
    return b->height[v];
}

void cohort_cut_to_reserve(const struct cohort_books *b, uint32_t leaf, bool borrows, int64_t *need)
{
    for (uint32_t cell = 0; cell < b->cells; cell++) {
        size_t i = cohort_at(b, leaf, cell);
        int64_t most = b->quota[i].nominal - b->usage[i];
        if (borrows)
            most = b->quota[i].borrowing == UNLIMITED ? need[cell] : most + b->quota[i].borrowing;
        need[cell] = max_i64(0, min_i64(need[cell], most));
    }
}
