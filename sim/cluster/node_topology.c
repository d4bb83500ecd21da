/* node_topology.c - see node_topology.h. */
#include "sim/cluster/node_list.h"

#include "sim/base/memory.h"
#include "sim/io/table_in.h"
#include "sim/cluster/cluster_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IP, DSW, PSW, ASW, COLUMNS };
static const char header[] = "ip,DSW,PSW,ASW";
static const char *const names[COLUMNS] = { "ip", "DSW", "PSW", "ASW" };

struct host {
    const char *cell[COLUMNS];
    size_t line;
};
struct list {
    struct host *host;
    size_t n, capacity;
    struct arena *texts;
};

bool node_topology_recognise(const char *head, size_t length)
{
    size_t n = sizeof header - 1;
    if (length >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0) {
        head += 3;
        length -= 3;
    }
    return length > n && memcmp(head, header, n) == 0 && (head[n] == '\n' || head[n] == '\r');
}

static int on_row(void *self, const struct row *row, struct error *err)
{
    struct list *l = self;
    struct host h = { .line = row->line };
    for (size_t i = 0; i < COLUMNS; i++) {
        if (cell_required(row, i, err) != 0)
            return -1;
        h.cell[i] = arena_text(l->texts, row->cell[i].text, row->cell[i].length);
    }
    mem_grow(&l->host, &l->capacity, l->n, sizeof *l->host);
    l->host[l->n++] = h;
    return 0;
}

/* ---- order ---- */

static int by_name(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    return n != m ? (n < m ? -1 : 1) : strcmp(a, b);
}

static int by_place(const void *left, const void *right)
{
    static const size_t order[COLUMNS] = { DSW, PSW, ASW, IP };
    const struct host *a = left, *b = right;
    for (size_t i = 0; i < COLUMNS; i++) {
        int different = by_name(a->cell[order[i]], b->cell[order[i]]);
        if (different)
            return different;
    }
    return (a->line > b->line) - (a->line < b->line);
}

static bool same_pod(const struct host *a, const struct host *b)
{
    return strcmp(a->cell[DSW], b->cell[DSW]) == 0 && strcmp(a->cell[PSW], b->cell[PSW]) == 0;
}

static bool same_rack(const struct host *a, const struct host *b)
{
    return same_pod(a, b) && strcmp(a->cell[ASW], b->cell[ASW]) == 0;
}

/* A host under two switches would be two. */
static int check_hosts(const struct list *l, const char *file, struct error *err)
{
    struct intern *seen = intern_new();
    size_t *line = mem_new(l->n, sizeof *line);
    int result = 0;
    for (size_t i = 0; i < l->n && result == 0; i++) {
        const char *ip = l->host[i].cell[IP];
        uint32_t before = intern_count(seen), number = intern_add(seen, ip, strlen(ip));
        if (number < before)
            result = error_set(err, "%s:%zu: %s: '%.100s' was used before, on line %zu", file, l->host[i].line, names[IP],
                               ip, line[number]);
        else
            line[number] = l->host[i].line;
    }
    intern_free(seen);
    free(line);
    return result;
}

/* ---- groups ---- */

static const char *group_name(struct list *l, const struct host *h)
{
    size_t size = strlen(h->cell[DSW]) + strlen(h->cell[PSW]) + 2;
    char *text = arena_alloc(l->texts, size);
    snprintf(text, size, "%s-%s", h->cell[DSW], h->cell[PSW]);
    return text;
}

static struct cluster *build(struct list *l, const char *file, const char *name, struct error *err)
{
    struct group_spec *group = mem_new(l->n, sizeof *group);
    uint32_t *rack = mem_new(l->n, sizeof *rack);
    size_t n_groups = 0, n_racks = 0;
    qsort(l->host, l->n, sizeof *l->host, by_place);
    for (size_t i = 0; i < l->n; i++) {
        const struct host *h = &l->host[i];
        bool new_pod = i == 0 || !same_pod(h, h - 1);
        if (new_pod)
            group[n_groups++] = (struct group_spec){ .name = group_name(l, h), .gpus = TOPOLOGY_NODE_GPUS,
                                                     .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX,
                                                     .rack_nodes = &rack[n_racks] };
        struct group_spec *g = &group[n_groups - 1];
        if (new_pod || !same_rack(h, h - 1)) {
            g->racks_per_pod = ++g->n_racks;
            n_racks++;
        }
        rack[n_racks - 1]++;
        g->count++;
    }
    struct error why = { "" };
    struct cluster *c = cluster_build(name, group, n_groups, NULL, 0, &why);
    if (!c)
        error_set(err, "%s: %s", file, why.text);
    free(group);
    free(rack);
    return c;
}

struct cluster *cluster_from_topology(struct input *in, const char *name, struct error *err)
{
    static const struct table_handler handler = { .on_row = on_row };
    struct list l = { .texts = arena_new() };
    struct cluster *c = NULL;
    if (table_read(in, (struct table_style){ .header = true }, &handler, &l, err) != 0)
        ;
    else if (l.n == 0)
        error_set(err, "%s: want at least one node, got none", input_name(in));
    else if (check_hosts(&l, input_name(in), err) == 0)
        c = build(&l, input_name(in), name, err);
    free(l.host);
    arena_free(l.texts);
    return c;
}
