/* fairness.c - finish-time fairness as a distribution, and what each queue held of its fair share:
 * the twelve queues with the most GPU time over all runs. Without quotas there are no shares, and
 * the second panel is left out; on a terminal the shares are words of the legend. Runs that differ
 * in the seed alone are one curve, as in distributions.h, and one dot a queue, at the mean of their
 * shares. */
#include "sim/base/intern.h"
#include "sim/cli/frame/term.h"
#include "sim/cli/plot/distributions.h"
#include "sim/cli/plot/rows.h"
#include "sim/cli/plot/runs.h"
#include "sim/cli/plot/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUES_MOST = 12, QUEUE_WIDE = 24 };
static const struct distribution_style style = {
    "finish_time_fairness",
    "finish_time_fairness,percent",
    START_NEAR,
    false,
    false,
    "job",
    "unfinished left out",
    false,
};

struct share {
    uint32_t queue;
    size_t run;
    double held;
};
struct shares {
    struct intern *names; /* queues of which any run has a share or GPU time */
    struct share *share;
    size_t n, capacity, run;
    double *gpu_h; /* [names] */
    size_t gpu_h_capacity;
    bool *has_share; /* [names] */
    size_t has_share_capacity;
    double *jain; /* [runs]; NaN: not known */
};

static void on_metric(void *self, const struct fields *f)
{
    struct shares *s = self;
    const char *metric = f->text[0], *scope = f->text[1];
    double value = f->number[2];
    if (!strcmp(scope, "all") && !strcmp(metric, "jain_index"))
        s->jain[s->run] = value;
    bool held = !strcmp(metric, "gpu_h_held"), share = !strcmp(metric, "fair_share_held");
    if (strncmp(scope, "queue=", 6) != 0 || isnan(value) || (!held && !share))
        return;
    uint32_t known = intern_count(s->names),
             queue = intern_add(s->names, scope + 6, strlen(scope + 6));
    if (queue == known) {
        mem_grow(&s->gpu_h, &s->gpu_h_capacity, queue, sizeof *s->gpu_h);
        mem_grow(&s->has_share, &s->has_share_capacity, queue, sizeof *s->has_share);
        s->gpu_h[queue] = 0;
        s->has_share[queue] = false;
    }
    s->gpu_h[queue] += held ? value : 0;
    if (!share)
        return;
    s->has_share[queue] = true;
    mem_grow(&s->share, &s->capacity, s->n, sizeof *s->share);
    s->share[s->n++] = (struct share){ queue, s->run, value };
}

/* Queues with a share, those with most GPU time first; returns how many. */
static size_t order_queues(const struct shares *s, uint32_t *order)
{
    size_t n = 0;
    for (uint32_t q = 0; q < intern_count(s->names); q++) {
        size_t at = n;
        if (!s->has_share[q])
            continue;
        for (; at > 0 && s->gpu_h[order[at - 1]] < s->gpu_h[q]; at--)
            order[at] = order[at - 1];
        order[at] = q;
        n++;
    }
    return n;
}

/* The mean over the runs of a group; NaN: none has it. */
static double share_of(const struct shares *s, uint32_t queue, const struct plot_request *r,
                       size_t group)
{
    double sum = 0, n = 0;
    for (size_t k = 0; k < s->n; k++)
        if (s->share[k].queue == queue && r->run[s->share[k].run].group == group) {
            sum += s->share[k].held;
            n++;
        }
    return n > 0 ? sum / n : (double)NAN;
}

static double jain_of(const struct shares *s, const struct plot_request *r, size_t group)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < r->n; i++)
        if (r->run[i].group == group && !isnan(s->jain[i])) {
            sum += s->jain[i];
            n++;
        }
    return n > 0 ? sum / n : (double)NAN;
}

/* Dots of several runs stand a little below each other. */
static double place_of(size_t row, size_t run, size_t runs)
{
    return (double)row +
           (runs == 1 ? 0 : ((double)run - ((double)runs + 1) / 2) * 0.5 / (double)runs);
}

/* "; fair share held: vision 1.17, robotics 1.2": of the queues shown; "": of none. */
static const char *shares_text(const struct shares *s, const struct plot_request *r, size_t run,
                               const uint32_t *order, size_t rows, struct arena *a)
{
    const char *text = "";
    for (size_t k = 0; k < rows; k++) {
        const char *name = intern_text(s->names, order[k]);
        double held = share_of(s, order[k], r, run);
        if (!isnan(held))
            text = words(a, "%s%s%s %s", text, *text ? ", " : "; fair share held: ",
                         name_clean(a, *name ? name : "(no queue)", QUEUE_WIDE),
                         short_number(a, held));
    }
    return text;
}

static void draw_shares(const struct plot_request *r, const struct shares *s, struct figure *f)
{
    struct arena *a = figure_memory(f);
    uint32_t *order = mem_new(intern_count(s->names), sizeof *order);
    size_t queues = order_queues(s, order), rows = queues > QUEUES_MOST ? QUEUES_MOST : queues,
           longest = 0;
    struct plot_request grouped = plot_groups(r, a);
    bool letters = figure_lettered(f, r->groups);
    double most = 0;
    for (size_t k = 0; k < rows; k++) {
        const char *name = intern_text(s->names, order[k]);
        name = name_clean(a, *name ? name : "(no queue)", QUEUE_WIDE);
        longest = text_width(name) > longest ? text_width(name) : longest;
        fact_tic(f, name, "queue%zu", k + 1);
    }
    for (size_t i = 0; i < r->groups; i++) {
        struct table *t = figure_table(f, "fair_share_held,y,queue", "dots%zu", i + 1);
        table_label(t, "run", grouped.run[i].label);
        for (size_t k = 0; k < rows; k++) {
            double held = share_of(s, order[k], r, i);
            if (isnan(held))
                continue;
            table_numbers(t, 2, (double[]){ held, place_of(k + 1, i + 1, r->groups) });
            table_text(t, intern_text(s->names, order[k]));
            most = fmax(most, held);
        }
        double index = jain_of(s, r, i);
        const char *jain = isnan(index) ? "" : words(a, ", Jain's index %.3f", index);
        const char *title = figure_words(f, words(a, "title%zu", i + 1));
        fact_text(f, jain, "jain%zu", i + 1);
        figure_key(f, i + 1, letters,
                   words(a, "%s%s%s", title, jain, shares_text(s, r, i, order, rows, a)));
    }
    fact(f, (double)rows, "rows");
    fact(f, (double)(queues - rows), "others");
    fact(f, most, "share_most");
    fact(f, (double)longest, "longest_queue");
    free(order);
}

static int read_shares(const struct plot_request *r, struct shares *s, struct error *err)
{
    static const char *const columns[] = { "$metric", "$scope", "value", NULL };
    for (size_t i = 0; i < r->n; i++) {
        s->run = i;
        s->jain[i] = (double)NAN;
        if (rows_read(r->run[i].path, "summary.csv", columns, on_metric, s, err))
            return -1;
    }
    return 0;
}

static int make(const struct kind *k, const struct plot_request *r, struct figure *f,
                struct error *err)
{
    struct distribution *of = mem_new(r->n, sizeof *of);
    struct shares s = { .names = intern_new(), .jain = mem_new(r->n, sizeof *s.jain) };
    (void)k;
    int result = distributions_read(r, style.column, of, err);
    if (result == 0)
        result = read_shares(r, &s, err);
    if (result == 0) {
        distributions_draw_groups(r, &style, of, f);
        draw_shares(r, &s, f);
    }
    distributions_free(of, r->n);
    intern_free(s.names);
    free(s.share);
    free(s.gpu_h);
    free(s.has_share);
    free(s.jain);
    return result;
}

const struct kind fairness_kind = {
    .name = "fairness",
    .paper_least = 600,
    .least = 1,
    .most = SIZE_MAX,
    .file = { "jobs.csv", "summary.csv" },
    .columns = "run,finish_time_fairness,percent,queue,fair_share_held",
    .script = "fairness.gp",
    .make = make,
};
