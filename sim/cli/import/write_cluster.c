/* write_cluster.c - the cluster file of a Slurm site: see import.h. */
#include "sim/base/memory.h"
#include "sim/cli/import/import.h"
#include "sim/cli/import/levels_text.h"
#include "sim/cluster/catalogue.h"
#include "sim/io/config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WEIGHT_MOST 1000000000

void out_quoted(struct output *o, const char *text)
{
    char *quoted = NULL;
    size_t length;
    FILE *f = mem_stream(&quoted, &length);
    config_put_quoted(f, text);
    mem_stream_end(f, &quoted);
    out_text(o, quoted);
    free(quoted);
}

const char *import_next_name(const struct import *im, const char **list)
{
    const char *name = *list + strspn(*list, ",");
    size_t length = strcspn(name, ",");
    *list = name + length;
    return length ? arena_text(im->site->memory, name, length) : NULL;
}

/* ---- which nodes, in which order ---- */

struct place {
    const struct slurm_site *site;
    uint32_t leaf, node;
};

/* By the switches over the node, from the highest level read on. */
static uint32_t switch_over(const struct slurm_site *s, uint32_t leaf, uint32_t level)
{
    return leaf == SITE_NONE ? SITE_NONE : site_switch(s, leaf, level);
}

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    for (uint32_t k = LEVELS_ABOVE_NODE; k-- > 0;) {
        uint32_t of_x = switch_over(x->site, x->leaf, k), of_y = switch_over(y->site, y->leaf, k);
        if (of_x != of_y)
            return of_x < of_y ? -1 : 1;
    }
    return x->node < y->node ? -1 : x->node > y->node;
}

void import_order(struct import *im)
{
    struct slurm_site *s = im->site;
    struct place *place = mem_new(s->n_nodes + 1, sizeof *place);
    bool moved = false;
    im->order = mem_new(s->n_nodes + 1, sizeof *im->order);
    im->number = mem_new(s->n_nodes + 1, sizeof *im->number);
    im->all_partitions = UINT64_MAX;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        const struct site_node *n = &s->node[i];
        im->number[i] = SITE_NONE;
        if (n->down)
            site_remark(s, "nodes that are down or drained are left out");
        if (n->down || n->absent)
            continue;
        place[im->n_present++] = (struct place){ s, n->leaf, i };
        im->all_partitions &= n->partitions;
        im->gpus += n->gpus;
    }
    qsort(place, im->n_present, sizeof *place, by_place);
    for (uint32_t i = 0; i < im->n_present; i++) {
        moved |= i && place[i].node < place[i - 1].node;
        im->order[i] = place[i].node;
        im->number[place[i].node] = i;
    }
    if (moved)
        site_remark(s, "nodes are numbered by their switches, as those of a switch are not "
                       "neighbours in slurm.conf");
    free(place);
}

uint32_t import_partition(const struct import *im, const char *name, size_t length)
{
    for (uint32_t p = 0; p < im->site->n_partitions; p++)
        if (strlen(im->site->partition[p].name) == length &&
            memcmp(im->site->partition[p].name, name, length) == 0)
            return p;
    return SITE_NONE;
}

/* ---- nodes ---- */

static bool alike(const struct site_node *a, const struct site_node *b)
{
    return a->cpus == b->cpus && a->mem_mib == b->mem_mib && a->weight == b->weight &&
           a->gpus == b->gpus && !strcmp(a->type, b->type) && !strcmp(a->features, b->features) &&
           a->leaf == b->leaf && a->partitions == b->partitions;
}

/* The nodes from i on that are one group: where there are no switches, SITE_NONE is no place. */
uint32_t import_group_end(const struct import *im, uint32_t i)
{
    const struct slurm_site *s = im->site;
    bool switches = intern_count(s->switches) > 0;
    uint32_t k = i + 1;
    for (; k < im->n_present; k++) {
        struct site_node a = s->node[im->order[i]], b = s->node[im->order[k]];
        if (switches && (a.leaf == SITE_NONE || b.leaf == SITE_NONE))
            break;
        if (!switches)
            a.leaf = b.leaf = 0;
        if (!alike(&a, &b))
            break;
    }
    return k;
}

void import_group_name(const struct import *im, struct output *o, uint32_t from, uint32_t to)
{
    char name[2 * 256 + 2];
    const struct site_node *node = im->site->node;
    snprintf(name, sizeof name, "%s%s%s", node[im->order[from]].name, to - from > 1 ? "-" : "",
             to - from > 1 ? node[im->order[to - 1]].name : "");
    out_quoted(o, name);
}

/* A label of the node, once. */
static void put_label(struct output *o, struct intern *labels, const char *name)
{
    uint32_t before = intern_count(labels);
    if (intern_add(labels, name, strlen(name)) < before)
        return;
    out_text(o, before ? ", " : ", labels: { ");
    out_quoted(o, name);
    out_text(o, ": \"yes\"");
}

static void put_labels(struct import *im, struct output *o, const struct site_node *n)
{
    struct intern *labels = intern_new();
    const char *features = n->features;
    for (const char *name; (name = import_next_name(im, &features));) {
        if (strpbrk(name, "=!<>&|;:*, \t"))
            site_remark(im->site, "left out: feature %.60s, which is no label", name);
        else
            put_label(o, labels, name);
    }
    for (uint32_t p = 0; im->plain && p < im->site->n_partitions; p++) {
        if (!(n->partitions >> p & 1) || im->all_partitions >> p & 1)
            continue;
        const char *name = im->site->partition[p].name;
        char *label = mem_new(strlen(name) + sizeof "partition.", 1);
        sprintf(label, "partition.%s", name);
        put_label(o, labels, label);
        free(label);
    }
    out_text(o, intern_count(labels) ? " }" : "");
    intern_free(labels);
}

/* ---- switches ---- */

static uint32_t leaf_of(const struct import *im, uint32_t i)
{
    return im->site->node[im->order[i]].leaf;
}

static bool same_switch(const void *self, uint32_t a, uint32_t b, uint32_t k)
{
    const struct import *im = self;
    uint32_t of_a = switch_over(im->site, leaf_of(im, a), k);
    return of_a != SITE_NONE && of_a == switch_over(im->site, leaf_of(im, b), k);
}

/* Switches have no levels with names: the third is level-3. */
static void put_place(struct import *im, struct output *o, uint32_t from,
                      struct level_counts *counted)
{
    static const char *const names[LEVELS_ABOVE_NODE] = {
        "rack", "pod", "level-3", "level-4", "level-5", "level-6", "level-7", "level-8"
    };
    struct level_places p = { .n_nodes = im->n_present, .same = same_switch, .self = im };
    if (!intern_count(im->site->switches))
        return;
    for (uint32_t k = 0; k < LEVELS_ABOVE_NODE && (k == 0 || same_switch(im, from, from, k)); k++)
        p.levels.name[p.levels.n++] = names[k];
    uint32_t leaf = leaf_of(im, from);
    if (leaf != SITE_NONE && site_switch(im->site, leaf, LEVELS_ABOVE_NODE) != SITE_NONE)
        site_remark(im->site, "switches of more than %d levels: the lowest are read",
                    LEVELS_ABOVE_NODE);
    char *text = level_place_text(&p, from, counted);
    out_text(o, text);
    free(text);
}

static void put_gib(struct output *o, int64_t mib)
{
    out_decimal(o, mib * 1000 / 1024, 1000);
}

/* A cluster file has weights from 1 to 10^9. */
static int64_t weight_of(struct import *im, int64_t weight)
{
    int64_t own = weight < 1 ? 1 : weight > WEIGHT_MOST ? WEIGHT_MOST : weight;
    if (own != weight)
        site_remark(im->site, "guessed: Weight=%" PRId64 " of nodes is %" PRId64, weight, own);
    return own;
}

static void put_nodes(struct import *im, struct output *o)
{
    struct level_counts counted = { 0 };
    out_text(o, "nodes:\n");
    for (uint32_t i = 0, end; i < im->n_present; i = end) {
        const struct site_node *n = &im->site->node[im->order[i]];
        end = import_group_end(im, i);
        out_text(o, "  - { group: ");
        import_group_name(im, o, i, end);
        out_printf(o, ", count: %" PRIu32 ", gpus: %" PRId64, end - i, n->gpus);
        if (n->gpus && *n->type) {
            out_text(o, ", gpu_model: ");
            out_quoted(o, n->type);
        }
        if (n->cpus)
            out_printf(o, ", cpus: %" PRId64, n->cpus);
        if (im->memory_counts && n->mem_mib > 1) {
            out_text(o, ", memory_gib: ");
            put_gib(o, n->mem_mib);
        }
        if (!im->plain && n->weight != 1)
            out_printf(o, ", weight: %" PRId64, weight_of(im, n->weight));
        put_place(im, o, i, &counted);
        put_labels(im, o, n);
        out_text(o, " }\n");
    }
}

/* ---- GPU models ---- */

static bool begins(const char *name, const char *with)
{
    size_t n = strlen(with);
    return strncasecmp(name, with, n) == 0 && (name[n] == '-' || !name[n]);
}

/* The first entry of the catalogue with a name that begins with the type: a100 is A100-SXM4-40. */
static void put_models(struct import *im, struct output *o)
{
    struct intern *seen = intern_new();
    bool any = false;
    for (uint32_t i = 0; i < im->n_present; i++) {
        const char *type = im->site->node[im->order[i]].type;
        const struct gpu_model *like = NULL;
        unsigned found = 0;
        if (!*type || intern_find(seen, type, strlen(type)) != INTERN_NONE)
            continue;
        intern_add(seen, type, strlen(type));
        for (const struct gpu_model *g = gpu_catalogue; g->name; g++)
            if (begins(g->name, type) && !found++)
                like = g;
        if (!like || !strcmp(like->name, type)) {
            if (!like)
                site_remark(im->site, "GPU type %.40s is not in the catalogue (gpuyard list gpus)",
                            type);
            continue;
        }
        site_remark(im->site, "guessed: GPU type %.40s is %s%s", type, like->name,
                    found > 1 ? ", the first of several in the catalogue" : "");
        out_text(o, any ? ", { name: " : "gpu_models: [ { name: ");
        out_quoted(o, type);
        out_printf(o, ", like: %s }", like->name);
        any = true;
    }
    out_text(o, any ? " ]\n" : "");
    intern_free(seen);
}

/* ---- queues ---- */

/* Its part of the GPUs by shares: of its siblings' shares, times that of its parent. */
static double part_of(const struct slurm_accounts *a, uint32_t k)
{
    const struct slurm_assoc *self = &a->assoc[k];
    double sum = 0, own = self->shares == SHARES_OF_PARENT ? 1 : (double)self->shares;
    for (uint32_t i = 0; i < a->n_assocs; i++)
        if (!a->assoc[i].is_user && a->assoc[i].parent == self->parent)
            sum += a->assoc[i].shares == SHARES_OF_PARENT ? 1 : (double)a->assoc[i].shares;
    return (sum > 0 ? own / sum : 0) * (self->parent == SITE_NONE ? 1 : part_of(a, self->parent));
}

static bool is_inner(const struct slurm_accounts *a, uint32_t k)
{
    for (uint32_t i = 0; i < a->n_assocs; i++)
        if (!a->assoc[i].is_user && a->assoc[i].parent == k)
            return true;
    return false;
}

static bool has_jobs(const struct slurm_log *log, const char *account)
{
    uint32_t name = log ? intern_find(log->names, account, strlen(account)) : INTERN_NONE;
    for (size_t i = 0; name != INTERN_NONE && i < log->n_rows; i++)
        if (log->row[i].account == name)
            return true;
    return false;
}

static void put_queue(struct import *im, struct output *o, const char *name, int64_t deserved,
                      int64_t limit)
{
    out_text(o, "  - { name: ");
    out_quoted(o, name);
    out_printf(o, ", deserved_gpus: %" PRId64, deserved);
    if (im->plain && limit >= 0)
        out_printf(o, ", limit_gpus: %" PRId64, limit);
    out_text(o, " }\n");
}

/* Accounts of the log that the accounts do not have. */
static void put_other_queues(struct import *im, struct output *o)
{
    struct intern *seen = intern_new();
    for (size_t i = 0; im->log && i < im->log->n_rows; i++) {
        const char *name = log_name(im->log, im->log->row[i].account);
        if (!*name || account_find(&im->accounts, name) != SITE_NONE ||
            intern_find(seen, name, strlen(name)) != INTERN_NONE)
            continue;
        intern_add(seen, name, strlen(name));
        put_queue(im, o, name, 0, SITE_UNLIMITED);
        site_remark(im->site,
                    "account %.60s of the log is not among the accounts: it deserves nothing, and "
                    "has no limits",
                    name);
    }
    intern_free(seen);
}

bool import_has_account(const struct import *im, const char *name)
{
    return account_find(&im->accounts, name) != SITE_NONE;
}

/* Queues are written, or taken from the trace. */
bool import_has_queue(const struct import *im, const char *name)
{
    uint32_t k = account_find(&im->accounts, name);
    return has_jobs(im->log, name) || (k != SITE_NONE && !is_inner(&im->accounts, k));
}

static void put_queues(struct import *im, struct output *o)
{
    const struct slurm_accounts *a = &im->accounts;
    bool any = false;
    for (uint32_t k = 0; k < a->n_assocs; k++) {
        const struct slurm_assoc *x = &a->assoc[k];
        bool inner = !x->is_user && is_inner(a, k);
        if (inner && im->plain && x->group_gpus != SITE_UNLIMITED)
            site_remark(im->site,
                        "left out with --plain: GrpTRES of account %.60s, which has others below",
                        x->name);
        if (x->is_user || (inner && !has_jobs(im->log, x->name)))
            continue;
        out_text(o, any ? "" : "queues:\n");
        any = true;
        if (inner)
            site_remark(
                im->site,
                "account %.60s has jobs and accounts below it: as a queue it deserves nothing",
                x->name);
        put_queue(im, o, x->name, inner ? 0 : (int64_t)((double)im->gpus * part_of(a, k) + 1e-9),
                  x->group_gpus);
    }
    if (!any)
        return;
    put_other_queues(im, o);
    site_remark(im->site,
                "guessed: an account deserves its part of all GPUs by Fairshare, rounded down");
}

static void remark_plain(struct import *im)
{
    if (im->accounts.n_qos)
        site_remark(im->site, "left out with --plain: QOS");
    for (size_t p = 0; p < im->site->n_partitions; p++)
        if (im->site->partition[p].tier != im->site->partition[0].tier)
            site_remark(im->site, "left out with --plain: tiers of partitions");
    for (size_t i = 1; i < im->site->n_nodes; i++)
        if (im->site->node[i].weight != im->site->node[0].weight)
            site_remark(im->site, "left out with --plain: weights of nodes");
}

void import_cluster(struct import *im, struct output *o)
{
    const char *name = site_key(im->site, "ClusterName");
    out_text(o, "name: ");
    out_quoted(o, name && *name ? name : "slurm");
    out_char(o, '\n');
    put_models(im, o);
    put_nodes(im, o);
    put_queues(im, o);
    if (im->plain) {
        remark_plain(im);
        return;
    }
    import_batch_site(im, o);
}
