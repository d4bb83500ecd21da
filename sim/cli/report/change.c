/* change.c - how a metric of a column differs from the first column: what `gpuyard compare` says of
 * the same runs, where each has its counterpart. */
#include "sim/cli/report/markup.h"
#include "sim/cli/report/page.h"
#include "sim/study/contrast.h"

#include <math.h>

#define SAME 0.0005                /* a change below this is shown as none */
#define TIMES_FROM 10
#define MANY_TIMES 999.95          /* with separators, as values of a table */
#define LEVEL 0.05

const char page_change_meaning[] =
    "<p>Changes are against the first column, as <code>gpuyard compare</code> tells them: of "
    "geometric means over the draws of jobs, or of the means that are shown where a value is 0. In "
    "parentheses stands the 95&nbsp;% interval; a change is called better or worse where it "
    "excludes no change. A single run has no interval.</p>\n";

static void amount(struct output *o, double change)
{
    char times[VALUE_MAX];
    if (1 + change >= MANY_TIMES)
        out_printf(o, "%s times as much", value_text(times, "", "", 1 + change));
    else if (1 + change >= TIMES_FROM)
        out_printf(o, "%.3g times as much", 1 + change);
    else
        out_printf(o, "%+.1f %%", 100 * change);
}

static void bound(struct output *o, double share)
{
    if (isinf(share))
        out_text(o, "no bound");
    else
        out_printf(o, "%+.1f", 100 * share);
}

static void show(struct output *o, const struct comparison *c)
{
    int direction = c->clusters > 1 ? comparison_direction(c) : 0;
    const char *word = direction > 0 ? "worse" : direction < 0 ? "better" : "";
    if (!isfinite(c->change) || fabs(c->change) < SAME)
        return;
    out_printf(o, "<br><span class=\"change %s\">", word);
    amount(o, c->change);
    if (c->clusters > 1) {
        out_text(o, " (");
        bound(o, c->interval.low);
        out_text(o, " to ");
        bound(o, c->interval.high);
        out_text(o, " %)");
    }
    out_printf(o, "%s%s</span>", *word ? ", " : "", word);
}

void page_change(struct output *o, const struct page *p, size_t i, const char *metric, double base,
                 double now)
{
    const struct page_group *first = &p->group[0], *group = &p->group[i];
    const struct metric_kind *kind = metric_find(metric);
    const struct measure m = { .metric = metric, .scope = "all",
                               .better = kind ? kind->better : BETTER_NEITHER,
                               .margin = (double)NAN, .level = LEVEL };
    const char *lacks;
    struct comparison c;
    struct contrast *runs = contrast_of_runs(first->run, first->n, group->run, group->n);
    if (!runs || contrast_measure(runs, &m, &c, &lacks))
        c = (struct comparison){ .clusters = 1, .better = m.better, .change = now / base - 1 };
    contrast_free(runs);
    show(o, &c);
}
