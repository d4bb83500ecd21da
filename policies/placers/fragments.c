/* fragments.c - see fragments.h.
 *
 * Of a node, F = (free GPU) x (all jobs) - sum over classes of (jobs that its CPU suffices for) x
 * (free GPU of use to them). A class is what tasks want of GPUs: so many, so much of each. The
 * numbers of CPUs that tasks ask for are the rows of a table. */
#include "policies/placers/fragments.h"
#include "sim/contract/util/array.h"

#include <string.h>

struct gpu_class { uint32_t gpus, milli; };
struct kind_table {
    uint32_t n_classes, n_rows;
    struct gpu_class *class;
    int64_t *cpu_milli;           /* [n_rows] ascending: what some task asks for */
    int64_t *jobs;                /* [n_rows * n_classes] that ask for at most that much CPU */
};
struct fragments {
    int64_t jobs;
    struct kind_table kind[];
};

struct free_gpus free_gpus_of(const struct view *v, node_id n)
{
    struct node_free f = view_node(v, n);
    struct free_gpus g;
    g.cpu_milli = f.cpu_milli;
    g.whole = f.whole;
    g.n_shared = 0;
    for (uint64_t m = f.shared_mask; m; m &= m - 1)
        g.shared[g.n_shared++] = view_gpu_milli(v, n, (unsigned)__builtin_ctzll(m));
    return g;
}

/* ---- Preparing ---- */

/* What a typical task asks a node of that size for. false: can never run there, or asks for no
 * GPU. */
static bool asks_of_node(const struct view *v, const struct typical *t, node_id n,
                         struct gpu_class *class, int64_t *cpu)
{
    uint32_t size = (uint32_t)(view_node_size(v, n).gpu_milli / MILLI_ALL);
    bool any_split = t->ask.tasks == SPLIT_ANY;
    uint32_t gpus = any_split && t->ask.gpus > size ? size : t->ask.gpus;
    *class = (struct gpu_class){ gpus, t->ask.gpu_milli };
    *cpu = any_split ? t->ask.cpu_milli * gpus : t->ask.cpu_milli;
    return gpus && gpus <= size && view_allows(v, &t->ask, n);
}

static uint32_t class_of(struct kind_table *k, struct gpu_class class)
{
    for (uint32_t i = 0; i < k->n_classes; i++)
        if (k->class[i].gpus == class.gpus && k->class[i].milli == class.milli)
            return i;
    k->class[k->n_classes] = class;
    return k->n_classes++;
}

static bool asks_no_more(const void *row, const void *cpu_milli)
{
    return *(const int64_t *)row <= *(const int64_t *)cpu_milli;
}

static bool asks_less(const void *row, const void *cpu_milli)
{
    return *(const int64_t *)row < *(const int64_t *)cpu_milli;
}

static void row_add(struct kind_table *k, int64_t cpu)
{
    size_t at = lower_bound(k->cpu_milli, k->n_rows, sizeof cpu, &cpu, asks_less);
    if (at < k->n_rows && k->cpu_milli[at] == cpu)
        return;
    array_open(k->cpu_milli, k->n_rows++, at, sizeof cpu);
    k->cpu_milli[at] = cpu;
}

static void kind_prepare(const struct view *v, struct kind_table *k, node_id n,
                         const struct typical *t, size_t n_typical)
{
    struct gpu_class class;
    int64_t cpu;
    k->class = view_alloc(v, (n_typical + 1) * sizeof *k->class);
    k->cpu_milli = view_alloc(v, (n_typical + 1) * sizeof *k->cpu_milli);
    for (size_t i = 0; i < n_typical; i++)
        if (asks_of_node(v, &t[i], n, &class, &cpu)) {
            class_of(k, class);
            row_add(k, cpu);
        }
    k->jobs = view_alloc(v, ((size_t)k->n_rows * k->n_classes + 1) * sizeof *k->jobs);
    for (size_t i = 0; i < n_typical; i++)
        if (asks_of_node(v, &t[i], n, &class, &cpu))
            for (uint32_t r = 0, c = class_of(k, class); r < k->n_rows; r++)
                if (k->cpu_milli[r] >= cpu)
                    k->jobs[(size_t)r * k->n_classes + c] += (int64_t)t[i].jobs;
}

const struct fragments *fragments_new(const struct view *v)
{
    const struct typical *t;
    size_t n_typical = view_typical(v, &t);
    struct fragments *f = view_alloc(v, sizeof *f + view_kinds(v) * sizeof f->kind[0]);
    for (size_t i = 0; i < n_typical; i++)
        f->jobs += (int64_t)t[i].jobs;
    node_id n, end;
    view_domain_nodes(v, 0, &n, &end);
    for (; n < end; n++) {
        struct kind_table *k = &f->kind[view_kind(v, n)];
        if (!k->class)
            kind_prepare(v, k, n, t, n_typical);
    }
    return f;
}

/* ---- Asking ---- */

/* The last row with enough CPUs there, from 1; 0: none. */
static uint32_t row_of(const struct kind_table *k, int64_t cpu_milli)
{
    return (uint32_t)lower_bound(k->cpu_milli, k->n_rows, sizeof *k->cpu_milli, &cpu_milli,
                                 asks_no_more);
}

int64_t fragments_in(const struct fragments *f, uint32_t kind, const struct free_gpus *g)
{
    const struct kind_table *k = &f->kind[kind];
    int64_t left = (int64_t)g->whole * MILLI_ALL;
    for (uint32_t i = 0; i < g->n_shared; i++)
        left += g->shared[i];
    uint32_t row = row_of(k, g->cpu_milli);
    int64_t sum = left * f->jobs;
    if (!row)
        return sum;
    const int64_t *jobs = k->jobs + (size_t)(row - 1) * k->n_classes;
    for (uint32_t c = 0; c < k->n_classes; c++) {
        int64_t of_use = (int64_t)g->whole * MILLI_ALL;
        uint32_t gpus = g->whole;
        for (uint32_t i = 0; i < g->n_shared; i++)
            if (g->shared[i] >= k->class[c].milli) {
                of_use += g->shared[i];
                gpus++;
            }
        if (gpus >= k->class[c].gpus)
            sum -= of_use * jobs[c];
    }
    return sum;
}

int64_t fragments_jobs(const struct fragments *f)
{
    return f->jobs;
}
