/* ledger.c - bars of parts that add up, a bar a run, on a terminal of characters: where all GPU
 * time went (by the accounts of nodes.csv, in per cent), why jobs waited (the mean wait of the jobs
 * that population.h counts, by the reason that the policy gave), and why running jobs were stopped
 * (by cause, of summary.csv). Runs that differ in the seed alone are one bar: GPU time and
 * preemptions are means over them, the wait is that of the jobs of all of them. */
#include "sim/cli/frame/term.h"
#include "sim/cli/plot/names/place.h"
#include "sim/cli/plot/population.h"
#include "sim/cli/plot/runs.h"
#include "sim/cli/plot/words.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct part {
    const char *column, *meaning; /* of the result file; or the metric */
    unsigned rgb;
    char mark;
};
static const struct part accounts[] = {
    { "useful_gpu_s", "useful work", 0x009e73, '#' },
    { "?start_gpu_s", "starting", 0x56b4e9, 's' },
    { "?save_gpu_s", "saving to leave", 0x0072b2, 'S' },
    { "?checkpoint_gpu_s", "writing checkpoints", 0x332288, 'c' },
    { "?gang_gpu_s", "incomplete gangs", 0xe69f00, 'g' },
    { "?idle_gpu_s", "idle in sessions", 0xf0e442, 'i' },
    { "?quiet_gpu_s", "replicas without requests", 0xddcc77, 'q' },
    { "?fault_gpu_s", "after a fault", 0xcc79a7, 'x' },
    { "?lost_gpu_s", "lost work", 0xd55e00, 'L' },
    { "free_gpu_s", "free", 0xd9d9d9, '.' },
    { "?down_gpu_s", "out of service", 0x595959, '-' },
    { 0 },
};
/* In the order of docs/outputs.md, with its names. */
static const struct part reasons[] = {
    { "?wait_order_s", "order", 0xd9d9d9, 'o' },
    { "?wait_limit_s", "limit", 0x882255, 'l' },
    { "?wait_quota_s", "quota", 0x0072b2, 'q' },
    { "?wait_protected_s", "protected", 0x332288, 'p' },
    { "?wait_gpus_s", "gpus", 0xd55e00, 'g' },
    { "?wait_fragmented_s", "fragmented", 0xe69f00, 'f' },
    { "?wait_topology_s", "topology", 0xf0e442, 't' },
    { "?wait_type_s", "type", 0xcc79a7, 'T' },
    { "?wait_gang_s", "gang", 0x56b4e9, 'G' },
    { "?wait_reserved_s", "reserved", 0x009e73, 'r' },
    { "?wait_releasing_s", "releasing", 0x88ccee, 'R' },
    { "?wait_pass_s", "pass", 0x999933, 'P' },
    { "?wait_dependency_s", "dependency", 0x117733, 'd' },
    { "?wait_power_s", "power", 0xaa4499, 'w' },
    { "?wait_reservation_s", "reservation", 0x661100, 'v' },
    { "?wait_other_s", "other", 0x595959, '-' },
    { 0 },
};
static const struct part causes[] = {
    { "preemptions_reclaim", "reclaim", 0x0072b2, 'r' },
    { "preemptions_preempt", "preempt", 0xd55e00, 'p' },
    { "preemptions_move", "move", 0x56b4e9, 'm' },
    { "preemptions_broken", "broken gang", 0xe69f00, 'b' },
    { "preemptions_policy", "policy", 0x009e73, '#' },
    { 0 },
};
enum { PARTS_MOST = 16 };

struct bar {
    double value[PARTS_MOST], total;
    size_t runs;
    struct population of;    /* of waits */
    const struct part *part; /* of preemptions */
};
struct bars {
    const char *columns; /* of the table: ends of a part, its row, ..., name, value, run */
    const char *file;
    const struct part *part;
    const char *heading, *axis;
    const char *none; /* said where no run has any part */
    bool shares; /* in per cent of the whole bar; else as long as they are */
    bool times;  /* in seconds */
    int (*read)(const char *path, const struct bars *bars, struct bar *b, struct error *err);
    const char *(*label)(struct arena *a, const char *run, const struct bar *b);
};

/* ---- Reading ---- */

static void on_node(void *self, const struct fields *f)
{
    struct bar *b = self;
    for (size_t k = 0; k < PARTS_MOST; k++)
        b->value[k] += isnan(f->number[k]) ? 0 : f->number[k];
}

static int read_nodes(const char *path, const struct bars *bars, struct bar *b, struct error *err)
{
    const char *columns[PARTS_MOST + 1] = { NULL };
    for (size_t k = 0; bars->part[k].column; k++)
        columns[k] = bars->part[k].column;
    return rows_read(path, "nodes.csv", columns, on_node, b, err);
}

enum { AFTER_POPULATION = 2 };

static void on_job(void *self, const struct fields *f)
{
    struct bar *b = self;
    if (population_row(&b->of, f) != COUNTED)
        return;
    for (size_t k = 0; k < PARTS_MOST; k++)
        b->value[k] += isnan(f->number[AFTER_POPULATION + k]) ? 0 : f->number[AFTER_POPULATION + k];
}

static int read_waits(const char *path, const struct bars *bars, struct bar *b, struct error *err)
{
    const char *columns[AFTER_POPULATION + PARTS_MOST + 1] = { POPULATION_COLUMNS };
    for (size_t k = 0; bars->part[k].column; k++)
        columns[AFTER_POPULATION + k] = bars->part[k].column;
    b->of = population_begin(path);
    if (rows_read(path, "jobs.csv", columns, on_job, b, err))
        return -1;
    return b->of.counted ? 0 : error_set(err, "%s/jobs.csv: no finished job", path);
}

static void on_metric(void *self, const struct fields *f)
{
    struct bar *b = self;
    for (size_t k = 0; b->part[k].column && !strcmp(f->text[1], "all"); k++)
        if (!strcmp(f->text[0], b->part[k].column) && !isnan(f->number[2]))
            b->value[k] = f->number[2];
}

static int read_causes(const char *path, const struct bars *bars, struct bar *b, struct error *err)
{
    static const char *const columns[] = { "$metric", "$scope", "value", NULL };
    b->part = bars->part;
    return rows_read(path, "summary.csv", columns, on_metric, b, err);
}

/* Adds a run to a bar. */
static int read_bar(const char *path, const struct bars *bars, struct bar *b, struct error *err)
{
    struct bar one = { .total = 0 };
    if (bars->read(path, bars, &one, err))
        return -1;
    for (size_t k = 0; k < PARTS_MOST; k++) {
        one.total += one.value[k];
        b->value[k] += one.value[k];
    }
    b->total += one.total;
    b->of.counted += one.of.counted;
    b->runs++;
    return one.total > 0 || !bars->shares ? 0
                                          : error_set(err, "%s/%s: no GPU time", path, bars->file);
}

/* What was added becomes a mean over runs, of waits over jobs. */
static void finish_bar(const struct bars *bars, struct bar *b)
{
    double n = (double)(bars->times ? b->of.counted : b->runs);
    b->total = 0;
    for (size_t k = 0; k < PARTS_MOST; k++) {
        b->value[k] /= n;
        b->total += b->value[k];
    }
}

/* ---- Labels ---- */

static const char *of_runs(struct arena *a, const struct bar *b)
{
    return b->runs > 1 ? words(a, ", mean of %zu runs", b->runs) : "";
}

static const char *gpu_hours(struct arena *a, const char *run, const struct bar *b)
{
    return words(a, "%s: %s GPU h%s", run, short_number(a, b->total / 3600), of_runs(a, b));
}

static const char *mean_wait(struct arena *a, const char *run, const struct bar *b)
{
    const char *jobs = words(a, "%s: %s of %s job%s", run, human(a, b->total),
                             commas(a, (double)b->of.counted), b->of.counted == 1 ? "" : "s");
    return b->runs > 1 ? words(a, "%s of %zu runs", jobs, b->runs) : jobs;
}

static const char *stops(struct arena *a, const char *run, const struct bar *b)
{
    const char *n = b->runs > 1 ? short_number(a, b->total) : commas(a, b->total);
    return words(a, "%s: %s%s", run, n, of_runs(a, b));
}

/* ---- Drawing ---- */

/* Parts that any run has, with the colour of each; greys follow each other as the parts do. */
static size_t put_parts(const struct bars *bars, const struct bar *b, const struct plot_request *r,
                        const char **entry, unsigned *rgb, struct figure *f)
{
    size_t shown = 0, place[PARTS_MOST] = { 0 };
    for (size_t k = 0; bars->part[k].column; k++) {
        const struct part *part = &bars->part[k];
        double sum = 0;
        for (size_t i = 0; i < r->n; i++)
            sum += b[i].value[k];
        rgb[k] = part->rgb;
        if (!(sum > 0))
            continue;
        entry[shown++] = r->canvas.format == PLOT_TERM
                             ? words(figure_memory(f), "%c %s", part->mark, part->meaning)
                             : "";
        fact_text(f, part->meaning, "account%zu", shown);
        place[k] = shown;
    }
    for (size_t k = 0; bars->part[k].column; k++) {
        rgb[k] = r->canvas.paper.bw && place[k] ? grey_of(place[k], shown) : rgb[k];
        if (!place[k])
            continue;
        fact(f, rgb[k], "account_colour%zu", place[k]);
        if (r->canvas.paper.bw)
            fact(f, hatch_of(place[k], shown), "account_hatch%zu", place[k]);
    }
    fact(f, (double)shown, "shown");
    return shown;
}

/* Of the axis, as in ledger.gp. */
static double axis_px(const struct plot_request *r, size_t longest)
{
    enum { SCREEN_PX = 640, BESIDE_AXIS_PX = 32 };
    double paper = canvas_layout(&r->canvas);
    return paper > 0 ? paper - BESIDE_AXIS_PX - CHARACTER_PX * (double)longest : SCREEN_PX;
}

/* What stands in a part that is `seen` of an axis; "": it has no room. */
static const char *part_text(const struct bars *bars, double value, double seen, double wide_px,
                             struct arena *a)
{
    const char *text = bars->times    ? human(a, value)
                       : bars->shares ? words(a, "%.1f", value)
                                      : short_number(a, value);
    return seen * wide_px > CHARACTER_PX * (double)text_width(text) ? text : "";
}

static void put_bar(struct table *t, const struct bars *bars, const struct bar *b, double most,
                    const unsigned *rgb, size_t row, double wide_px, struct arena *a,
                    const char *run)
{
    double from = 0, scale = bars->shares ? 100 / b->total : 1;
    for (size_t k = 0; bars->part[k].column; k++) {
        double long_ = b->value[k] * scale, seen = bars->shares ? long_ / 100 : long_ / most;
        if (long_ <= 0)
            continue;
        table_numbers(t, 4, (double[]){ from, from + long_, (double)row, rgb[k] });
        table_text(t, part_text(bars, long_, seen, wide_px, a));
        table_number(t, colour_is_dark(rgb[k]) ? 0xffffff : 0);
        table_text(t, bars->part[k].meaning);
        table_number(t, b->value[k]);
        table_text(t, run);
        from += long_;
    }
}

/* Up to `wide` columns, without the bar's right end. */
static void put_line(FILE *to, const struct bars *bars, const struct bar *b, double most, int wide)
{
    double from = 0, whole = bars->shares ? b->total : most;
    int at = 0;
    for (size_t k = 0; bars->part[k].column; k++) {
        from += whole > 0 ? b->value[k] / whole : 0;
        for (; b->value[k] > 0 && at < (int)(from * wide + .5); at++)
            putc(bars->part[k].mark, to);
    }
    fprintf(to, "%*s\n", bars->shares ? 1 : 0, bars->shares ? "|" : "");
}

static size_t longest_label(const struct plot_request *r, const char *const *label)
{
    size_t longest = 0;
    for (size_t i = 0; i < r->n; i++)
        longest = text_width(label[i]) > longest ? text_width(label[i]) : longest;
    return longest;
}

static void put_text(const struct plot_request *r, const struct bars *bars, const struct bar *b,
                     double most, const char *const *label, const char *const *entry, size_t shown,
                     struct figure *f)
{
    FILE *to = figure_text(f);
    size_t longest = longest_label(r, label);
    int columns = r->canvas.columns;
    if (!shown)
        fprintf(to, "  %s\n", bars->none);
    for (size_t i = 0; i < r->n && shown; i++)
        put_line(to, bars, &b[i], most,
                 columns - 1 - put_bar_name(to, figure_memory(f), label[i], longest, columns));
    if (shown) {
        putc('\n', to);
        put_entries(to, entry, shown, 2, columns);
    }
}

static void put_axis(const struct bars *bars, double most, struct figure *f)
{
    const char *unit = bars->times ? bar_unit(most) : "";
    double scale = bars->times ? unit_seconds(unit) : 1;
    fact(f, bars->shares ? 100 : most > 0 ? most / scale * 1.02 : 1, "axis_end");
    fact(f, scale, "axis_scale");
    fact_text(f, bars->heading, "heading");
    fact_text(f, bars->none, "none");
    fact_text(f, *unit ? words(figure_memory(f), "%s (%s)", bars->axis, unit) : bars->axis, "axis");
}

static void draw_bars(const struct bars *bars, const struct bar *b, const struct plot_request *r,
                      struct figure *f)
{
    struct arena *a = figure_memory(f);
    const char *entry[PARTS_MOST], **label = arena_alloc(a, r->n * sizeof *label);
    unsigned rgb[PARTS_MOST] = { 0 };
    double most = 0;
    for (size_t i = 0; i < r->n; i++)
        most = fmax(most, b[i].total);
    size_t shown = put_parts(bars, b, r, entry, rgb, f);
    struct table *t = figure_table(f, bars->columns, "bars");
    for (size_t i = 0; i < r->n; i++) {
        label[i] = r->run[i].label;
        if (!r->canvas.paper.untitled)
            label[i] = bars->label(a, label[i], &b[i]);
        fact_tic(f, label[i], "label%zu", i + 1);
    }
    size_t longest = longest_label(r, label);
    for (size_t i = 0; i < r->n; i++)
        put_bar(t, bars, &b[i], most, rgb, i + 1, axis_px(r, longest), a, r->run[i].label);
    put_axis(bars, most, f);
    fact(f, (double)r->n, "n");
    fact(f, (double)longest, "longest");
    if (r->canvas.format == PLOT_TERM)
        put_text(r, bars, b, most, label, entry, shown, f);
}

static int make(const struct kind *k, const struct plot_request *r, struct figure *f,
                struct error *err)
{
    const struct bars *bars = k->variant;
    struct plot_request grouped = plot_groups(r, figure_memory(f));
    struct bar *b = arena_alloc(figure_memory(f), r->groups * sizeof *b);
    for (size_t i = 0; i < r->n; i++)
        if (read_bar(r->run[i].path, bars, &b[r->run[i].group], err))
            return -1;
    for (size_t g = 0; g < r->groups; g++)
        finish_bar(bars, &b[g]);
    draw_bars(bars, b, &grouped, f);
    return 0;
}

/* ---- The kinds ---- */

static bool any_part(const struct bars *bars, const char *directory)
{
    struct bar b = { .total = 0 };
    struct error err = { "" };
    return read_bar(directory, bars, &b, &err) || b.total > 0;
}

static const struct bars of_gpu_time = {
    .columns = "from_percent,to_percent,row,colour,text,text_colour,account,gpu_s,run",
    .file = "nodes.csv",
    .part = accounts,
    .heading = "Where GPU time went",
    .axis = "share of all GPU time (%)",
    .none = "no GPU time",
    .shares = true,
    .read = read_nodes,
    .label = gpu_hours,
};
static const struct bars of_waits = {
    .columns = "from_s,to_s,row,colour,text,text_colour,reason,mean_s,run",
    .file = "jobs.csv",
    .part = reasons,
    .heading = "Why jobs waited",
    .axis = "mean time in the queue",
    .none = "no job waited",
    .times = true,
    .read = read_waits,
    .label = mean_wait,
};
static const struct bars of_stops = {
    .columns = "from,to,row,colour,text,text_colour,cause,preemptions,run",
    .file = "summary.csv",
    .part = causes,
    .heading = "Why running jobs were stopped",
    .axis = "preemptions",
    .none = "no running job was preempted",
    .read = read_causes,
    .label = stops,
};

static bool any_wait(const char *directory)
{
    return any_part(&of_waits, directory);
}

static bool any_stop(const char *directory)
{
    return any_part(&of_stops, directory);
}

const struct kind ledger_kind = {
    .name = "ledger",
    .least = 1,
    .most = SIZE_MAX,
    .file = { "nodes.csv" },
    .columns = "run,account,from_percent,to_percent,gpu_s",
    .script = "ledger.gp",
    .variant = &of_gpu_time,
    .make = make,
};
const struct kind wait_reasons_kind = {
    .name = "wait_reasons",
    .least = 1,
    .most = SIZE_MAX,
    .file = { "jobs.csv" },
    .columns = "run,reason,from_s,to_s,mean_s",
    .script = "ledger.gp",
    .variant = &of_waits,
    .shows = any_wait,
    .make = make,
};
const struct kind preemptions_kind = {
    .name = "preemptions",
    .least = 1,
    .most = SIZE_MAX,
    .file = { "summary.csv" },
    .columns = "run,cause,from,to,preemptions",
    .script = "ledger.gp",
    .variant = &of_stops,
    .shows = any_stop,
    .make = make,
};
