/* node_list.c - see node_list.h. */
#include "sim/cluster/node_list.h"

#include "sim/base/memory.h"
#include "sim/cluster/cluster_file.h"
#include "sim/io/table_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_MOST INT64_C(1000000)
#define MIB_MOST  (INT64_C(1) << 30) /* a PiB */

/* clang-format off */
enum { NAME, GPUS, MODEL, CPUS, MEMORY, COLUMNS };
static const struct layout {
    const char *column[COLUMNS];             /* NULL: not in the list */
    int64_t cpus_scale, memory_scale;        /* to milli-CPUs and MiB */
} layouts[] = {
    { { "sn",        "gpu",              "model",     "cpu_milli", "memory_mib" },  1,    1 },
    { { "machine",   "cap_gpu",          "gpu_type",  "cap_cpu",   "cap_mem" },     1000, 1024 }, /* BARE */
    { { "machine",   "cap_gpu",          "gpu_type",  "cap_cpu",   "cap_mem(GB)" }, 1000, 1024 },
    { { "node_name", "gpu_capacity_num", "gpu_model", "cpu_num",   NULL },          1000, 1 },
};
enum { BARE = 1 };  /* the layout that is published without its header, and then in this order */
static const char *const bare_columns[COLUMNS] = { "machine", "gpu_type", "cap_cpu", "cap_mem", "cap_gpu" };
static const size_t bare_at[COLUMNS] = { [NAME] = 0, [MODEL] = 1, [CPUS] = 2, [MEMORY] = 3, [GPUS] = 4 };
/* clang-format on */

/* ---- telling the layout ---- */

/* Whether one of the names between commas is this one. */
static bool has_name(const char *line, size_t length, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = line, *end = line + length; at < end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        size_t own = (size_t)((comma ? comma : end) - at);
        if (own == n && memcmp(at, name, n) == 0)
            return true;
        at += own + 1;
    }
    return false;
}

static const struct layout *layout_of(const char *line, size_t length)
{
    for (const struct layout *l = layouts; l < layouts + sizeof layouts / sizeof *layouts; l++) {
        size_t found = 0;
        while (found < COLUMNS && (!l->column[found] || has_name(line, length, l->column[found])))
            found++;
        if (found == COLUMNS)
            return l;
    }
    return NULL;
}

/* Two words and three numbers. */
static bool is_bare(const char *line, size_t length)
{
    size_t cells = 0;
    for (const char *at = line, *end = line + length; at; cells++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        int64_t value;
        bool number = decimal_parse(at, (size_t)((comma ? comma : end) - at), 1, &value);
        if (cells == COLUMNS || number != (cells >= bare_at[CPUS]))
            return false;
        at = comma ? comma + 1 : NULL;
    }
    return cells == COLUMNS;
}

/* The first line without its end and its byte order mark. */
static const struct layout *layout_of_head(const char *head, size_t length, bool *bare)
{
    const char *newline = memchr(head, '\n', length);
    length = newline ? (size_t)(newline - head) : length;
    length -= length && head[length - 1] == '\r';
    if (length >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0) {
        head += 3;
        length -= 3;
    }
    const struct layout *named = layout_of(head, length);
    *bare = !named && is_bare(head, length);
    return *bare ? &layouts[BARE] : named;
}

bool node_list_recognise(const char *head, size_t length)
{
    bool bare;
    return layout_of_head(head, length, &bare) != NULL;
}

bool node_list_refuses(const char *head, size_t length, const char *file, struct error *err)
{
    const char *newline = memchr(head, '\n', length);
    size_t n = newline ? (size_t)(newline - head) : length, used = 0;
    char names[512] = "";
    for (size_t i = 0; i < n; i++)
        if (!head[i] || strchr(":{[#?%\"'", head[i]))
            return false;
    if (!memchr(head, ',', n))
        return false;
    for (const struct layout *l = layouts; l < layouts + sizeof layouts / sizeof *layouts; l++)
        for (size_t i = 0; i < COLUMNS && used < sizeof names; i++)
            if (l->column[i])
                used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                         i      ? ","
                                         : used ? "; "
                                                : "",
                                         l->column[i]);
    error_set(err, "%s:1: want YAML, or a list of nodes with the columns %s", file, names);
    return true;
}

/* ---- rows ---- */

struct node {
    const char *name, *model; /* model NULL: not given */
    size_t line;
    int64_t gpus, cpu_milli, mem_mib;
};
struct list {
    const struct layout *layout;
    size_t at[COLUMNS];
    struct node *node;
    size_t n, capacity;
    struct arena *texts;
};

static int on_header(void *self, const struct row *header, struct error *err)
{
    (void)err; /* node_list_recognise() has seen all the columns */
    struct list *l = self;
    for (size_t i = 0; i < COLUMNS; i++)
        l->at[i] =
            l->layout->column[i] ? table_column(header, l->layout->column[i]) : TABLE_NO_COLUMN;
    return 0;
}

static const char *keep(struct list *l, const struct row *row, size_t column)
{
    struct cell c = row->cell[l->at[column]];
    return c.length ? arena_text(l->texts, c.text, c.length) : NULL;
}

/* Each row has a value in each column, except the model of a node without GPUs. */
static int on_row(void *self, const struct row *row, struct error *err)
{
    struct list *l = self;
    const struct layout *as = l->layout;
    struct node node = { .line = row->line, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    for (size_t i = 0; i < COLUMNS; i++)
        if (as->column[i] && i != MODEL && cell_required(row, l->at[i], err) != 0)
            return -1;
    if (cell_integer(row, l->at[GPUS], 0, CLUSTER_NODE_GPUS_MAX, &node.gpus, err) != 0 ||
        cell_decimal(row, l->at[CPUS], as->cpus_scale, 0, CPUS_MOST * 1000, &node.cpu_milli, err) !=
            0 ||
        cell_decimal(row, l->at[MEMORY], as->memory_scale, 0, MIB_MOST, &node.mem_mib, err) != 0)
        return -1;
    node.name = keep(l, row, NAME);
    /* in PAI, the model of a node without GPUs is "CPU" */
    node.model = node.gpus ? keep(l, row, MODEL) : NULL;
    mem_grow(&l->node, &l->capacity, l->n, sizeof *l->node);
    l->node[l->n++] = node;
    return 0;
}

static int on_bare_row(void *self, const struct row *given, struct error *err)
{
    struct row row = *given;
    if (row.n != COLUMNS)
        return error_set(err, "%s:%zu: want %d cells, got %zu", row.file, row.line, COLUMNS, row.n);
    row.column = bare_columns;
    row.n_columns = COLUMNS;
    return on_row(self, &row, err);
}

/* ---- nodes by name ---- */

static bool is_number(const char *text)
{
    return text[strspn(text, "0123456789")] == '\0';
}

static int by_name(const void *a, const void *b)
{
    const struct node *x = a, *y = b;
    bool x_number = is_number(x->name), y_number = is_number(y->name);
    if (x_number != y_number)
        return x_number ? -1 : 1;
    size_t n = strlen(x->name), m = strlen(y->name);
    if (x_number && n != m)
        return n < m ? -1 : 1;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static bool alike(const struct node *a, const struct node *b)
{
    bool same_model = a->model && b->model ? strcmp(a->model, b->model) == 0 : a->model == b->model;
    return same_model && a->gpus == b->gpus && a->cpu_milli == b->cpu_milli &&
           a->mem_mib == b->mem_mib;
}

static int check_names(const struct list *l, const char *file, struct error *err)
{
    for (size_t i = 1; i < l->n; i++)
        if (strcmp(l->node[i].name, l->node[i - 1].name) == 0)
            return error_set(err, "%s:%zu: %s: '%.100s' was used before, on line %zu", file,
                             l->node[i].line, l->layout->column[NAME], l->node[i].name,
                             l->node[i - 1].line);
    return 0;
}

static struct cluster *build(struct list *l, const char *file, const char *name, struct error *err)
{
    if (l->n == 0) {
        error_set(err, "%s: want at least one node, got none", file);
        return NULL;
    }
    qsort(l->node, l->n, sizeof *l->node, by_name);
    if (check_names(l, file, err) != 0)
        return NULL;
    struct group_spec *group = mem_new(l->n, sizeof *group);
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct node *node = &l->node[i];
        if (i == 0 || !alike(node, node - 1))
            group[n++] = (struct group_spec){
                .name = node->name,
                .gpu_model = node->model,
                .gpus = (uint32_t)node->gpus,
                .cpu_milli = node->cpu_milli,
                .mem_mib = node->mem_mib,
            };
        group[n - 1].count++;
    }
    struct error why = { "" };
    struct cluster *c = cluster_build(name, group, n, NULL, 0, &why);
    if (!c)
        error_set(err, "%s: %s", file, why.text);
    free(group);
    return c;
}

struct cluster *cluster_from_nodes(struct input *in, const char *name, struct error *err)
{
    static const struct table_handler handlers[] = { { .on_header = on_header, .on_row = on_row },
                                                     { .on_row = on_bare_row } };
    size_t length;
    bool bare = false;
    const char *head = input_peek(in, &length, err);
    struct list l = { .layout = head ? layout_of_head(head, length, &bare) : NULL,
                      .texts = arena_new() };
    struct cluster *c = NULL;
    memcpy(l.at, bare_at, sizeof l.at);
    if (l.layout &&
        table_read(in, (struct table_style){ .header = !bare }, &handlers[bare], &l, err) == 0)
        c = build(&l, input_name(in), name, err);
    free(l.node);
    arena_free(l.texts);
    return c;
}

/* ---- hosts with racks (Lingjun) ---- */

enum { IP, DSW, PSW, ASW, HOST_COLUMNS };
static const char header[] = "ip,DSW,PSW,ASW";
static const char *const names[HOST_COLUMNS] = { "ip", "DSW", "PSW", "ASW" };

struct host {
    const char *cell[HOST_COLUMNS];
    size_t line;
};
struct host_list {
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

static int hosts_on_row(void *self, const struct row *row, struct error *err)
{
    struct host_list *l = self;
    struct host h = { .line = row->line };
    for (size_t i = 0; i < HOST_COLUMNS; i++) {
        if (cell_required(row, i, err) != 0)
            return -1;
        h.cell[i] = arena_text(l->texts, row->cell[i].text, row->cell[i].length);
    }
    mem_grow(&l->host, &l->capacity, l->n, sizeof *l->host);
    l->host[l->n++] = h;
    return 0;
}

/* ---- order ---- */

static int compare_switches(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    return n != m ? (n < m ? -1 : 1) : strcmp(a, b);
}

static int by_place(const void *left, const void *right)
{
    static const size_t order[HOST_COLUMNS] = { DSW, PSW, ASW, IP };
    const struct host *a = left, *b = right;
    for (size_t i = 0; i < HOST_COLUMNS; i++) {
        int different = compare_switches(a->cell[order[i]], b->cell[order[i]]);
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

/* A host under two switches would be two hosts. */
static int check_hosts(const struct host_list *l, const char *file, struct error *err)
{
    struct intern *seen = intern_new();
    size_t *line = mem_new(l->n, sizeof *line);
    int result = 0;
    for (size_t i = 0; i < l->n && result == 0; i++) {
        const char *ip = l->host[i].cell[IP];
        uint32_t before = intern_count(seen), number = intern_add(seen, ip, strlen(ip));
        if (number < before)
            result = error_set(err, "%s:%zu: %s: '%.100s' was used before, on line %zu", file,
                               l->host[i].line, names[IP], ip, line[number]);
        else
            line[number] = l->host[i].line;
    }
    intern_free(seen);
    free(line);
    return result;
}

/* ---- groups ---- */

static const char *group_name(struct host_list *l, const struct host *h)
{
    size_t size = strlen(h->cell[DSW]) + strlen(h->cell[PSW]) + 2;
    char *text = arena_alloc(l->texts, size);
    snprintf(text, size, "%s-%s", h->cell[DSW], h->cell[PSW]);
    return text;
}

static struct cluster *build_hosts(struct host_list *l, const char *file, const char *name,
                                   struct error *err)
{
    struct group_spec *group = mem_new(l->n, sizeof *group);
    uint32_t *rack = mem_new(l->n, sizeof *rack);
    size_t n_groups = 0, n_racks = 0;
    qsort(l->host, l->n, sizeof *l->host, by_place);
    for (size_t i = 0; i < l->n; i++) {
        const struct host *h = &l->host[i];
        bool new_pod = i == 0 || !same_pod(h, h - 1);
        if (new_pod)
            group[n_groups++] = (struct group_spec){ .name = group_name(l, h),
                                                     .gpus = TOPOLOGY_NODE_GPUS,
                                                     .cpu_milli = INT64_MAX,
                                                     .mem_mib = INT64_MAX,
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
    static const struct table_handler handler = { .on_row = hosts_on_row };
    struct host_list l = { .texts = arena_new() };
    struct cluster *c = NULL;
    if (table_read(in, (struct table_style){ .header = true }, &handler, &l, err) != 0)
        ;
    else if (l.n == 0)
        error_set(err, "%s: want at least one node, got none", input_name(in));
    else if (check_hosts(&l, input_name(in), err) == 0)
        c = build_hosts(&l, input_name(in), name, err);
    free(l.host);
    arena_free(l.texts);
    return c;
}
