/* read_nodes.c - nodes.csv and intervals.csv: all GPU time by account, and how much of each node was held when. Beyond HEAT_ROWS
 * nodes neighbours share a row. */
#include "sim/cli/report/run_view.h"
#include "sim/cli/frame/result_file.h"
#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct nodes {
    struct run_view *view;
    size_t account_column[ACCOUNTS_MOST];
    size_t capacity;
    double *gpus;                 /* of each node */
    double scale;                 /* steps of the heat map in a second */
};

/* The columns "ACCOUNT_gpu_s". */
static int on_header(void *self, const struct row *header, struct error *err)
{
    static const char ending[] = "_gpu_s";
    struct nodes *n = self;
    (void)err;
    for (size_t i = 0; i < header->n && n->view->accounts < ACCOUNTS_MOST; i++) {
        size_t length = header->cell[i].length, name = length - (sizeof ending - 1);
        if (length < sizeof ending || strcmp(header->cell[i].text + name, ending) != 0)
            continue;
        n->account_column[n->view->accounts] = i;
        n->view->account[n->view->accounts++].name = mem_text(header->cell[i].text, name);
    }
    return 0;
}

static int on_node(void *self, const struct row *row, const size_t *column, struct error *err)
{
    struct nodes *n = self;
    struct run_view *v = n->view;
    double value;
    for (size_t i = 0; i < v->accounts; i++) {
        if (result_number(row, n->account_column[i], &value, err))
            return -1;
        v->account[i].gpu_s += isnan(value) ? 0 : value;
    }
    if (result_number(row, column[1], &value, err))
        return -1;
    if (!(value > 0))
        return 0;
    uint32_t number = intern_add(v->node_names, row->cell[column[0]].text, row->cell[column[0]].length);
    mem_grow(&n->gpus, &n->capacity, number, sizeof *n->gpus);
    n->gpus[number] = value;
    return 0;
}

static void make_rows(struct nodes *n)
{
    struct run_view *v = n->view;
    size_t nodes = intern_count(v->node_names);
    v->nodes_per_row = (nodes + HEAT_ROWS - 1) / HEAT_ROWS;
    v->heat_rows = nodes ? (nodes + v->nodes_per_row - 1) / v->nodes_per_row : 0;
    v->heat = mem_new(v->heat_rows + 1, sizeof *v->heat);
    for (uint32_t k = 0; k < nodes; k++) {
        struct heat_row *row = &v->heat[k / v->nodes_per_row];
        row->gpus += n->gpus[k];
        if (!row->name)
            row->name = mem_text(intern_text(v->node_names, k), strlen(intern_text(v->node_names, k)));
    }
    free(n->gpus);
}

static int on_interval(void *self, const struct row *row, const size_t *column, struct error *err)
{
    struct nodes *n = self;
    struct run_view *v = n->view;
    double value[4];              /* gpus, gpu_milli, start_s, end_s */
    uint32_t number = intern_find(v->node_names, row->cell[column[0]].text, row->cell[column[0]].length);
    for (size_t i = 0; i < 4; i++)
        if (result_number(row, column[1 + i], &value[i], err))
            return -1;
    if (number == INTERN_NONE || !(value[3] > value[2]))
        return 0;
    struct heat_row *r = &v->heat[number / v->nodes_per_row];
    double from = (value[2] - v->start_s) * n->scale, to = fmin((value[3] - v->start_s) * n->scale, HEAT_STEPS);
    for (size_t k = from > 0 ? (size_t)from : 0; (double)k < to; k++)
        r->share[k] += value[0] * value[1] / 1000 / r->gpus * (fmin(to, (double)k + 1) - fmax(from, (double)k));
    return 0;
}

int read_nodes(struct run_view *v, struct error *err)
{
    static const char *const of_nodes[] = { "node", "gpus", NULL };
    static const char *const of_intervals[] = { "node", "gpus", "gpu_milli", "start_s", "end_s", NULL };
    static const struct result_file nodes = { "nodes.csv", of_nodes, on_node, on_header }, intervals = { "intervals.csv", of_intervals, on_interval, NULL };
    struct nodes n = { .view = v };
    v->node_names = intern_new();
    int result = result_file_read(v->path, &nodes, &n, err);
    v->no_nodes = result == 1;
    make_rows(&n);
    if (result || !(v->end_s > v->start_s))
        return result < 0 ? -1 : 0;
    n.scale = HEAT_STEPS / (v->end_s - v->start_s);
    result = result_file_read(v->path, &intervals, &n, err);
    v->no_intervals = result == 1;
    return result < 0 ? -1 : 0;
}
