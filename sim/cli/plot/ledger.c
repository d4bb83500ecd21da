/* ledger.c - where all GPU time went: a bar a run, by the accounts of nodes.csv in per cent. */
#include "sim/cli/frame/term.h"
#include "sim/cli/plot/kind.h"
#include "sim/cli/plot/rows.h"
#include "sim/cli/plot/words.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const struct account {
    const char *column, *meaning;
    unsigned rgb;
    char mark;
} accounts[] = {
    { "useful_gpu_s", "useful work", 0x009e73, '#' },
    { "?start_gpu_s", "starting", 0x56b4e9, 's' },
    { "?save_gpu_s", "saving to leave", 0x0072b2, 'S' },
    { "?checkpoint_gpu_s", "writing checkpoints", 0x332288, 'c' },
    { "?gang_gpu_s", "incomplete gangs", 0xe69f00, 'g' },
    { "?idle_gpu_s", "idle in sessions", 0xf0e442, 'i' },
    { "?fault_gpu_s", "after a fault", 0xcc79a7, 'x' },
    { "?lost_gpu_s", "lost work", 0xd55e00, 'L' },
    { "free_gpu_s", "free", 0xd9d9d9, '.' },
    { "?down_gpu_s", "out of service", 0x595959, '-' },
};
enum { ACCOUNTS = sizeof accounts / sizeof *accounts };
struct ledger {
    double gpu_s[ACCOUNTS], total;
};

static void on_node(void *self, const struct fields *f)
{
    struct ledger *l = self;
    for (size_t k = 0; k < ACCOUNTS; k++)
        if (!isnan(f->number[k])) {
            l->gpu_s[k] += f->number[k];
            l->total += f->number[k];
        }
}

static int read_ledger(const char *path, struct ledger *l, struct error *err)
{
    const char *columns[ACCOUNTS + 1] = { NULL };
    for (size_t k = 0; k < ACCOUNTS; k++)
        columns[k] = accounts[k].column;
    if (rows_read(path, "nodes.csv", columns, on_node, l, err))
        return -1;
    return l->total > 0 ? 0 : error_set(err, "%s/nodes.csv: no GPU time", path);
}

/* Accounts that any run has, with the colour of each; greys follow each other as the parts do. */
static size_t put_accounts(const struct ledger *l, const struct plot_request *r, const char **entry,
                           unsigned *rgb, struct figure *f)
{
    bool terminal = r->canvas.format == PLOT_TERM, bw = r->canvas.paper.bw;
    size_t shown = 0, n = r->n;
    for (size_t k = 0; k < ACCOUNTS; k++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += l[i].gpu_s[k];
        if (!(sum > 0))
            continue;
        entry[shown++] =
            terminal ? words(figure_memory(f), "%c %s", accounts[k].mark, accounts[k].meaning) : "";
        fact_text(f, accounts[k].meaning, "account%zu", shown);
        rgb[k] = (unsigned)shown;
    }
    for (size_t k = 0; k < ACCOUNTS; k++) {
        size_t place = rgb[k];
        rgb[k] = bw && place ? grey_of(place, shown) : accounts[k].rgb;
        if (place)
            fact(f, rgb[k], "account_colour%zu", place);
    }
    fact(f, (double)shown, "shown");
    return shown;
}

static void put_bar(struct table *t, const struct ledger *l, const unsigned *rgb, size_t row,
                    struct arena *a, const char *run)
{
    double from = 0;
    for (size_t k = 0; k < ACCOUNTS; k++) {
        double share = l->gpu_s[k] / l->total * 100;
        if (share <= 0)
            continue;
        table_numbers(t, 4, (double[]){ from, from + share, (double)row, rgb[k] });
        table_text(t, share < 3.5 ? "" : words(a, "%.1f", share));
        table_number(t, colour_is_dark(rgb[k]) ? 0xffffff : 0);
        table_text(t, accounts[k].meaning);
        table_number(t, l->gpu_s[k]);
        table_text(t, run);
        from += share;
    }
}

static void put_line(FILE *to, const struct ledger *l, const char *label, int wide)
{
    double from = 0;
    int at = 0;
    fprintf(to, "  %s |", label);
    for (size_t k = 0; k < ACCOUNTS; k++) {
        from += l->gpu_s[k] / l->total;
        for (; l->gpu_s[k] > 0 && at < (int)(from * wide + .5); at++)
            putc(accounts[k].mark, to);
    }
    fputs("|\n", to);
}

static size_t longest_label(const struct plot_request *r, const char **label, struct arena *a)
{
    size_t longest = 0;
    for (size_t i = 0; i < r->n; i++) {
        label[i] = r->canvas.format == PLOT_TERM
                       ? name_clean(a, r->run[i].label, r->canvas.columns / 2)
                       : r->run[i].label;
        longest = text_width(label[i]) > longest ? text_width(label[i]) : longest;
    }
    return longest;
}

static void put_text(const struct plot_request *r, const struct ledger *l, const char *const *entry,
                     size_t shown, struct figure *f)
{
    struct arena *a = figure_memory(f);
    FILE *to = figure_text(f);
    const char **label = arena_alloc(a, r->n * sizeof *label);
    int longest = (int)longest_label(r, label, a);
    for (size_t i = 0; i < r->n; i++)
        put_line(to, &l[i], padded(a, label[i], longest), r->canvas.columns - longest - 5);
    putc('\n', to);
    put_entries(to, entry, shown, 2, r->canvas.columns);
}

static int make(const struct kind *k, const struct plot_request *r, struct figure *f,
                struct error *err)
{
    struct arena *a = figure_memory(f);
    struct ledger *l = arena_alloc(a, r->n * sizeof *l);
    const char *entry[ACCOUNTS];
    unsigned rgb[ACCOUNTS] = { 0 };
    size_t longest = 0;
    (void)k;
    for (size_t i = 0; i < r->n; i++)
        if (read_ledger(r->run[i].path, &l[i], err))
            return -1;
    size_t shown = put_accounts(l, r, entry, rgb, f);
    struct table *t = figure_table(
        f, "from_percent,to_percent,row,colour,text,text_colour,account,gpu_s,run", "bars");
    for (size_t i = 0; i < r->n; i++) {
        put_bar(t, &l[i], rgb, i + 1, a, r->run[i].label);
        const char *label = r->run[i].label;
        if (!r->canvas.paper.untitled)
            label = words(a, "%s: %s GPU h", label, commas(a, l[i].total / 3600));
        longest = text_width(label) > longest ? text_width(label) : longest;
        fact_tic(f, label, "label%zu", i + 1);
    }
    fact(f, (double)r->n, "n");
    fact(f, (double)longest, "longest");
    if (r->canvas.format == PLOT_TERM)
        put_text(r, l, entry, shown, f);
    return 0;
}

const struct kind ledger_kind = {
    .name = "ledger",
    .least = 1,
    .most = SIZE_MAX,
    .file = { "nodes.csv" },
    .columns = "run,account,from_percent,to_percent,gpu_s",
    .script = "ledger.gp",
    .make = make,
};
