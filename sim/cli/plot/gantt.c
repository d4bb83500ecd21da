/* gantt.c - which GPU was held when and by which job: a lane for each GPU of up to 256 (on a
 * terminal 40), the first 2,000 boxes; of more GPUs a heat map (heat.h). Lane 0 is on top.
 *
 * Colour is by queue if there are several, else by job. GPUs of counted nodes have no names: a hold
 * gets the lowest lanes that are free. Jobs that share a GPU lie above each other in its lane. */
#include "sim/base/intern.h"
#include "sim/cli/frame/term.h"
#include "sim/cli/plot/heat.h"
#include "sim/cli/plot/rows.h"
#include "sim/cli/plot/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES_MOST = 256,
    TERMINAL_LANES_MOST = 40,
    BOXES_MOST = 2000,
    TERMINAL_BOXES_MOST = 1000000,
    TERMINAL_MARGIN = 15
};
enum { LABEL_WIDE = 12, OWN_COLOURS = 9, WHOLE_MILLI = 1000 };
static const char letters[] = "abcdefghij",
                  alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

struct node {
    const char *name;
    size_t first, gpus;
    bool counted;
}; /* first: its first lane */
struct hold {
    double start_s, end_s;
    uint32_t node, queue;
    const char *ids, *job;
    double gpus, milli;
    size_t order;
};
struct part {
    double end_s, low, high;
}; /* of a GPU that jobs share; thousandths */
struct lane {
    struct part *part;
    size_t n, capacity;
    double busy_until_s;
};
struct cell {
    char mark;
    unsigned char colour;
}; /* mark 0: nothing */
struct gantt {
    const struct plot_request *r;
    struct figure *f;
    struct intern *names, *jobs, *queue_names, *drawn; /* names: of nodes; jobs: of jobs.csv; drawn:
                                                          jobs in the order of their first box */
    struct node *node;
    uint32_t *queue_of_job; /* [jobs] */
    struct hold *hold;      /* those that last, by start; owned */
    size_t node_capacity, job_capacity, hold_capacity, holds;
    size_t n_lanes, boxes;
    bool full; /* the next nodes are left out */
    struct lane *lane;
    double start_s, end_s, whole_s; /* what is shown of the whole span */
    size_t shown;                   /* holds */
    size_t queues;                  /* that hold GPUs */
    size_t *order, *rank; /* queues, most GPU time first; of each from 1, 0: it holds none */
    double lane_px;
    struct time_span span;
    struct table *box, *text;
    struct cell *cell; /* of a terminal: [lanes * wide] */
    size_t wide;
};

static bool is_terminal(const struct gantt *g)
{
    return g->r->canvas.format == PLOT_TERM;
}

/* ---- Reading ---- */

static void on_node(void *self, const struct fields *f)
{
    struct gantt *g = self;
    size_t most = g->r->gpus_most;
    g->full = g->full || (most && g->n_lanes + (size_t)f->number[1] > most);
    if (!(f->number[1] > 0) || g->full)
        return;
    uint32_t at = intern_add(g->names, f->text[0], strlen(f->text[0]));
    mem_grow(&g->node, &g->node_capacity, at, sizeof *g->node);
    g->node[at] = (struct node){ intern_text(g->names, at), g->n_lanes, (size_t)f->number[1],
                                 f->number[2] > 0 };
    g->n_lanes += (size_t)f->number[1];
}

static void on_job(void *self, const struct fields *f)
{
    struct gantt *g = self;
    const char *queue = name_clean(figure_memory(g->f), f->text[1], NAME_WIDE);
    uint32_t job = intern_add(g->jobs, f->text[0], strlen(f->text[0]));
    mem_grow(&g->queue_of_job, &g->job_capacity, job, sizeof *g->queue_of_job);
    g->queue_of_job[job] = intern_add(g->queue_names, queue, strlen(queue));
}

enum { JOB, NODE, GPUS, IDS, MILLI, START, END };

static void on_hold(void *self, const struct fields *f)
{
    struct gantt *g = self;
    uint32_t job = intern_find(g->jobs, f->text[JOB], strlen(f->text[JOB]));
    uint32_t node = intern_find(g->names, f->text[NODE], strlen(f->text[NODE]));
    if (!(f->number[GPUS] > 0) || f->number[START] == f->number[END] || node == INTERN_NONE)
        return;
    struct arena *a = figure_memory(g->f);
    mem_grow(&g->hold, &g->hold_capacity, g->holds, sizeof *g->hold);
    g->hold[g->holds] = (struct hold){
        .start_s = f->number[START],
        .end_s = f->number[END],
        .node = node,
        .gpus = f->number[GPUS],
        .milli = f->number[MILLI],
        .queue = job == INTERN_NONE ? intern_add(g->queue_names, "", 0) : g->queue_of_job[job],
        .order = g->holds,
        .ids = arena_text(a, f->text[IDS], strlen(f->text[IDS])),
        .job = name_clean(a, f->text[JOB], NAME_WIDE),
    };
    g->holds++;
}

static int by_start(const void *a, const void *b)
{
    const struct hold *x = a, *y = b;
    if (x->start_s != y->start_s)
        return (x->start_s > y->start_s) - (x->start_s < y->start_s);
    if (x->end_s != y->end_s)
        return (x->end_s > y->end_s) - (x->end_s < y->end_s);
    if (x->node != y->node)
        return (x->node > y->node) - (x->node < y->node);
    int ids = strcmp(x->ids, y->ids);
    return ids ? ids : (x->order > y->order) - (x->order < y->order);
}

/* The span that is asked for, and what holds GPUs in it. */
static int keep_window(struct gantt *g, struct error *err)
{
    size_t kept = 0;
    g->start_s = g->hold[0].start_s;
    g->end_s = g->hold[0].end_s;
    for (size_t i = 0; i < g->holds; i++)
        g->end_s = fmax(g->end_s, g->hold[i].end_s);
    if (window_cut(&g->r->window, &g->start_s, &g->end_s, err))
        return -1;
    for (size_t i = 0; i < g->holds; i++)
        if (g->hold[i].end_s > g->start_s && g->hold[i].start_s < g->end_s)
            g->hold[kept++] = g->hold[i];
    g->holds = kept;
    return 0;
}

static int read_holds(struct gantt *g, struct error *err)
{
    static const char *const of_jobs[] = { "$job_id", "$queue", NULL };
    static const char *const of_holds[] = { "$job_id",   "$node",   "gpus",  "$gpu_ids",
                                            "gpu_milli", "start_s", "end_s", NULL };
    const char *path = g->r->run[0].path;
    if (rows_read(path, "jobs.csv", of_jobs, on_job, g, err) ||
        rows_read(path, "intervals.csv", of_holds, on_hold, g, err))
        return -1;
    if (!g->holds)
        return error_set(err, "%s/intervals.csv: no interval holds a GPU for any time", path);
    qsort(g->hold, g->holds, sizeof *g->hold, by_start);
    return keep_window(g, err);
}

/* ---- What is shown ---- */

static size_t boxes_of(const struct hold *h)
{
    size_t n = *h->ids != '\0';
    if (h->milli < WHOLE_MILLI || !*h->ids)
        return (size_t)h->gpus;
    for (const char *at = h->ids; (at = strchr(at, ' ')); at++)
        n++;
    return n;
}

static void rank_queues(struct gantt *g)
{
    size_t n = intern_count(g->queue_names);
    double *gpu_s = mem_new(n, sizeof *gpu_s);
    bool *seen = mem_new(n, sizeof *seen);
    g->order = mem_new(n, sizeof *g->order);
    g->rank = mem_new(n, sizeof *g->rank);
    for (size_t i = 0; i < g->holds; i++) {
        const struct hold *h = &g->hold[i];
        if (!seen[h->queue])
            g->order[g->queues++] = h->queue;
        seen[h->queue] = true;
        gpu_s[h->queue] += h->gpus * h->milli * (h->end_s - h->start_s);
    }
    for (size_t i = 1; i < g->queues; i++) {
        size_t queue = g->order[i], at = i;
        for (; at > 0 && gpu_s[g->order[at - 1]] < gpu_s[queue]; at--)
            g->order[at] = g->order[at - 1];
        g->order[at] = queue;
    }
    for (size_t i = 0; i < g->queues; i++)
        g->rank[g->order[i]] = i < OWN_COLOURS ? i + 1 : OWN_COLOURS + 1;
    free(gpu_s);
    free(seen);
}

/* How much of the span can be shown. */
static void survey(struct gantt *g)
{
    size_t boxes = 0, most = is_terminal(g) ? TERMINAL_BOXES_MOST : BOXES_MOST;
    bool cut = false;
    rank_queues(g);
    g->whole_s = g->end_s - g->start_s;
    g->shown = g->holds;
    for (size_t i = 0; i < g->holds && !cut; i++) {
        boxes += boxes_of(&g->hold[i]);
        cut = boxes > most && g->hold[i].start_s > g->start_s;
        if (cut) {
            g->end_s = g->hold[i].start_s;
            g->shown = i;
        }
    }
}

/* ---- Boxes ---- */

static size_t queue_bands(const struct gantt *g)
{
    return g->queues <= OWN_COLOURS ? g->queues : OWN_COLOURS + 1;
}

static unsigned queue_colour(const struct gantt *g, size_t k)
{
    size_t n = queue_bands(g);
    return g->r->canvas.paper.bw ? grey_of(k < n ? k : n, n) : colour_of(k, false);
}

static unsigned queue_hatch(const struct gantt *g, size_t k)
{
    size_t n = queue_bands(g);
    return g->r->canvas.paper.bw ? hatch_of(k < n ? k : n, n) : 0;
}

/* A shade of the colour of its queue for each job, so that neighbours can be told apart; a grey has
 * none, as it would be that of another queue. */
static unsigned shade(unsigned rgb, size_t k)
{
    unsigned out = 0;
    for (int i = 2; i >= 0; i--) {
        unsigned part = rgb >> 8 * i & 255;
        out = out << 8 | (unsigned)(part + (255 - part) * (double)k * 0.17);
    }
    return out;
}

/* On a terminal. What is shorter than a column is shown where the cell is empty. */
static void put_cells(struct gantt *g, const struct hold *h, size_t lane, size_t high,
                      struct cell c)
{
    double scale = (double)g->wide / (g->end_s - g->start_s),
           from = fmax(0, h->start_s - g->start_s) * scale;
    double to = (fmin(h->end_s, g->end_s) - g->start_s) * scale;
    for (size_t y = lane; y < lane + high; y++) {
        struct cell *row = g->cell + y * g->wide;
        if ((size_t)from < g->wide && !row[(size_t)from].mark)
            row[(size_t)from] = c;
        for (size_t x = (size_t)(from + .5); (double)x + .5 < to && x < g->wide; x++)
            row[x] = c;
    }
}

/* `high` lanes from `lane` on; of the first it takes [low, ...), of the last [..., up) of a GPU. */
static void put_box(struct gantt *g, const struct hold *h, size_t lane, size_t high, double low,
                    double up)
{
    if (h->start_s >= g->end_s)
        return;
    bool by_queue = g->queues > 1;
    uint32_t number = intern_add(g->drawn, h->job, strlen(h->job));
    size_t k = by_queue ? g->rank[h->queue] : number % 9 + 1;
    if (is_terminal(g)) {
        put_cells(
            g, h, lane, high,
            (struct cell){ by_queue ? letters[k - 1] : alphabet[number % 52], (unsigned char)k });
        return;
    }
    double from = fmax(0, h->start_s - g->start_s), to = fmin(h->end_s, g->end_s) - g->start_s,
           top = (double)lane + low;
    double bottom = (double)(lane + high - 1) + up;
    bool shaded = by_queue && !g->r->canvas.paper.bw;
    bool hatched = queue_hatch(g, k) > 0;           /* upon white: see common.gp */
    unsigned rgb = hatched ? 0xffffff : shade(queue_colour(g, k), shaded ? number % 3 : 0);
    table_numbers(g->box, 6, (double[]){ from, to, top, bottom, rgb, hatched ? (double)k : 0 });
    table_text(g->box, g->node[h->node].name);
    table_text(g->box, intern_text(g->queue_names, h->queue));
    table_text(g->box, h->job);
    g->boxes++;
    if (!hatched &&
        (to - from) / (g->end_s - g->start_s) * 800 > 7 * (double)text_width(h->job) + 4 &&
        (bottom - top) * g->lane_px >= 11) {
        table_numbers(
            g->text, 3,
            (double[]){ (from + to) / 2, (top + bottom) / 2, colour_is_dark(rgb) ? 0xffffff : 0 });
        table_text(g->text, h->job);
    }
}

/* Where in its lane a share fits: above those that are still there. If no gap is large enough, they
 * overlap. */
static double share_at(struct lane *lane, const struct hold *h)
{
    double low = 0;
    size_t kept = 0;
    for (size_t k = 0; k < lane->n; k++)
        if (lane->part[k].end_s > h->start_s)
            lane->part[kept++] = lane->part[k];
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t k = 0; k < kept; k++)
            if (low < lane->part[k].high && low + h->milli > lane->part[k].low) {
                low = lane->part[k].high;
                moved = true;
            }
    }
    low = low + h->milli > WHOLE_MILLI ? WHOLE_MILLI - h->milli : low;
    mem_grow(&lane->part, &lane->capacity, kept, sizeof *lane->part);
    lane->part[kept] = (struct part){ h->end_s, low, low + h->milli };
    lane->n = kept + 1;
    return low;
}

static void draw_counted(struct gantt *g, const struct hold *h)
{
    const struct node *n = &g->node[h->node];
    size_t left = (size_t)h->gpus, run = 0, lane = n->first;
    for (; left > 0 && lane < n->first + n->gpus; lane++) {
        if (g->lane[lane].busy_until_s > h->start_s) {
            if (run)
                put_box(g, h, lane - run, run, 0, h->milli / WHOLE_MILLI);
            run = 0;
            continue;
        }
        g->lane[lane].busy_until_s = h->end_s;
        run++;
        left--;
    }
    if (run)
        put_box(g, h, lane - run, run, 0, h->milli / WHOLE_MILLI);
}

/* "0-3 6": a box for each run of GPUs, or, of shared ones, for each GPU. */
static void draw_named(struct gantt *g, const struct hold *h)
{
    const struct node *n = &g->node[h->node];
    for (const char *at = h->ids; *at;) {
        char *end;
        size_t first = strtoul(at, &end, 10), last = first;
        if (end == at)
            return;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        last = last < n->gpus ? last : n->gpus - 1;
        if (h->milli >= WHOLE_MILLI && first <= last)
            put_box(g, h, n->first + first, last - first + 1, 0, 1);
        for (size_t id = first; id <= last && h->milli < WHOLE_MILLI; id++) {
            double low = share_at(&g->lane[n->first + id], h);
            put_box(g, h, n->first + id, 1, low / WHOLE_MILLI, (low + h->milli) / WHOLE_MILLI);
        }
        at = end + strspn(end, " ");
    }
}

static void draw_holds(struct gantt *g)
{
    g->box = figure_table(
        g->f, "start_s,end_s,lane_top,lane_bottom,colour,hatched,node,queue,job", "boxes");
    g->text = figure_table(g->f, "x_s,y,text_colour,text", "texts");
    for (size_t i = 0; i < g->shown; i++)
        if (g->node[g->hold[i].node].counted)
            draw_counted(g, &g->hold[i]);
        else
            draw_named(g, &g->hold[i]);
}

/* ---- Around them ---- */

static const char *queue_name(const struct gantt *g, size_t k)
{
    const char *name = intern_text(g->queue_names, (uint32_t)g->order[k - 1]);
    if (k == OWN_COLOURS + 1 && g->queues > OWN_COLOURS + 1)
        return words(figure_memory(g->f), "%zu other queues", g->queues - OWN_COLOURS);
    return *name ? name : "(no queue)";
}

static void put_tics(const struct gantt *g)
{
    struct arena *a = figure_memory(g->f);
    struct table *lines = figure_table(g->f, "lane", "lines");
    size_t n = 0, last = 0;
    double lane_px = lane_height(&g->r->canvas, g->lane_px, g->n_lanes);
    for (size_t k = 0; k < intern_count(g->names); k++) {
        const struct node *node = &g->node[k];
        table_number(lines, (double)node->first);
        if (k && (double)(node->first - last) * lane_px < 13)
            continue;
        fact_tic(g->f, words(a, "node %s", name_clean(a, node->name, NAME_WIDE)), "tic%zu", ++n);
        fact(g->f, (double)node->first + (double)node->gpus / 2, "tic_at%zu", n);
        last = node->first;
    }
    fact(g->f, (double)n, "n_tics");
}

static void put_facts(const struct gantt *g, const char *title, const char *subtitle)
{
    size_t bands = g->queues <= 1 ? 0 : queue_bands(g);
    put_tics(g);
    for (size_t k = 1; k <= bands; k++) {
        fact_text(g->f, queue_name(g, k), "queue%zu", k);
        fact(g->f, queue_colour(g, k), "queue_colour%zu", k);
        fact(g->f, queue_hatch(g, k), "queue_hatch%zu", k);
    }
    fact_text(g->f, *subtitle ? words(figure_memory(g->f), "%s; %s", title, subtitle) : title,
              "title_text");
    fact_text(g->f, subtitle, "part");
    fact(g->f, g->start_s, "start_s");
    span_facts(&g->span, &g->r->canvas, g->f);
    fact(g->f, (double)g->n_lanes, "lanes");
    fact(g->f, g->lane_px, "lane_px");
    fact(g->f, (double)bands, "bands");
    fact(g->f, (double)g->boxes, "boxes");
    fact_text(g->f, "lanes", "view");
}

static void put_lane(const struct gantt *g, const struct node *node, size_t gpu, FILE *to)
{
    struct arena *a = figure_memory(g->f);
    const char *number = node->counted ? "" : words(a, " %3zu", gpu);
    const char *name = gpu ? "" : node_label(a, node->name, LABEL_WIDE - strlen(number));
    const struct cell *row = g->cell + (node->first + gpu) * g->wide;
    fprintf(to, "%s |", padded(a, words(a, "%s%s", name, number), -LABEL_WIDE));
    for (size_t x = 0; x < g->wide; x++)
        if (row[x].mark && g->r->canvas.colour)
            fprintf(to, "\033[%d;%dm%c\033[0m", row[x].colour % 2, 31 + (row[x].colour - 1) % 6,
                    row[x].mark);
        else
            putc(row[x].mark ? row[x].mark : '.', to);
    putc('\n', to);
}

static void put_text(const struct gantt *g, const char *title, const char *subtitle)
{
    struct arena *a = figure_memory(g->f);
    FILE *to = figure_text(g->f);
    const char *entry[OWN_COLOURS + 1];
    fprintf(to, "  %s\n", title);
    if (*subtitle)
        fprintf(to, "  %s\n", subtitle);
    for (size_t k = 0; k < intern_count(g->names); k++)
        for (size_t gpu = 0; gpu < g->node[k].gpus; gpu++)
            put_lane(g, &g->node[k], gpu, to);
    fprintf(to, "%s%s\n", padded(a, "", TERMINAL_MARGIN - 1),
            span_scale(a, &g->span, (int)g->wide));
    size_t n = g->queues > OWN_COLOURS + 1 ? OWN_COLOURS + 1 : g->queues;
    for (size_t k = 0; k < n; k++)
        entry[k] = words(a, "%c %s", letters[k], queue_name(g, k + 1));
    if (g->queues > 1)
        put_entries(to, entry, n, 14, g->r->canvas.columns);
}

static void draw(struct gantt *g)
{
    struct arena *a = figure_memory(g->f);
    survey(g);
    double span = g->end_s - g->start_s;
    g->span = window_span(&g->r->window, g->start_s, span);
    g->lane_px = g->n_lanes <= 16    ? 26
                 : g->n_lanes <= 40  ? 14
                 : g->n_lanes <= 80  ? 9
                 : g->n_lanes <= 140 ? 6
                                     : 3.5;
    g->lane = mem_new(g->n_lanes, sizeof *g->lane);
    for (size_t k = 0; k < g->n_lanes; k++)
        g->lane[k].busy_until_s = -INFINITY;
    g->wide = is_terminal(g) ? (size_t)(g->r->canvas.columns - TERMINAL_MARGIN) : 0;
    g->cell = mem_new(g->n_lanes * g->wide, sizeof *g->cell);
    draw_holds(g);
    const char *title =
                   words(a, "%s: GPUs by %s", g->r->run[0].label, g->queues > 1 ? "queue" : "job"),
               *subtitle = "";
    if (g->shown < g->holds)
        subtitle = words(a, "the first %s of %s", human(a, span), human(a, g->whole_s));
    if (*subtitle && !g->r->canvas.paper.untitled)
        subtitle = words(a, "%s (%s of %s holds)", subtitle, commas(a, (double)g->shown),
                         commas(a, (double)g->holds));
    if (is_terminal(g))
        put_text(g, title, subtitle);
    else
        put_facts(g, title, subtitle);
}

static void gantt_free(struct gantt *g)
{
    for (size_t k = 0; k < g->n_lanes && g->lane; k++)
        free(g->lane[k].part);
    free(g->lane);
    free(g->node);
    free(g->hold);
    free(g->queue_of_job);
    free(g->order);
    free(g->rank);
    free(g->cell);
    intern_free(g->names);
    intern_free(g->jobs);
    intern_free(g->queue_names);
    intern_free(g->drawn);
}

static int make(const struct kind *k, const struct plot_request *r, struct figure *f,
                struct error *err)
{
    static const char *const of_nodes[] = { "$node", "gpus", "counted", NULL };
    struct gantt g = { .r = r,
                       .f = f,
                       .names = intern_new(),
                       .jobs = intern_new(),
                       .queue_names = intern_new(),
                       .drawn = intern_new() };
    (void)k;
    int result = rows_read(r->run[0].path, "nodes.csv", of_nodes, on_node, &g, err);
    if (result == 0 && !g.n_lanes)
        result = error_set(err, "%s/nodes.csv: no GPUs", r->run[0].path);
    if (result == 0 && g.n_lanes > (is_terminal(&g) ? TERMINAL_LANES_MOST : LANES_MOST))
        result = heat_draw(r, true, f, err);
    else if (result == 0) {
        result = read_holds(&g, err);
        if (result == 0)
            draw(&g);
    }
    gantt_free(&g);
    return result;
}

const struct kind gantt_kind = {
    .name = "gantt",
    .over_time = true,
    .least = 1,
    .most = 1,
    .file = { "intervals.csv", "nodes.csv", "jobs.csv" },
    .columns = "node,queue,job,start_s,end_s,lane_top,lane_bottom,percent",
    .script = "gantt.gp",
    .make = make,
};
