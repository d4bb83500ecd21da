/* xy.c - see xy.h. */
#include "sim/cli/plot/xy.h"

#include "sim/cli/frame/term.h"

#include <math.h>

struct xy_panel xy_panel(const char *heading, double least, double most, bool logarithmic)
{
    struct xy_panel p = { .heading = heading, .low = 0, .high = 1 };
    if (!(most > 0))
        return p;
    p.logarithmic = logarithmic && least > 0;
    p.low = p.logarithmic ? least / 1.5 : 0;
    p.high = most * (p.logarithmic ? 1.5 : 1.06);
    return p;
}

void xy_facts(struct figure *f, const struct xy *xy)
{
    size_t longest = 0;
    double room = (xy->high - xy->low) * .03;
    fact(f, (double)xy->lines, "n");
    fact(f, (double)xy->panels, "panels");
    fact_text(f, xy->title, "title_text");
    fact_text(f, xy->x_name, "x_name");
    fact_text(f, xy->note ? xy->note : "", "note");
    fact(f, xy->low > 0 || xy->points ? xy->low - (xy->points ? room : 0) : 0, "low");
    fact(f, xy->high > xy->low ? xy->high + room : xy->low + 1, "high");
    fact(f, xy->points, "marked");
    fact(f, xy->whiskers, "whiskers");
    fact(f, xy->diagonal, "diagonal");
    for (size_t l = 0; l < xy->lines; l++) {
        fact_text(f, xy->name[l], "name%zu", l + 1);
        longest = text_width(xy->name[l]) > longest ? text_width(xy->name[l]) : longest;
    }
    fact(f, (double)longest, "longest");
    figure_keys(f, xy->lines, xy->points, "name");
    figure_note(f, xy->note ? xy->note : "");
    for (size_t p = 0; p < xy->panels; p++) {
        fact_text(f, xy->panel[p].heading, "heading%zu", p + 1);
        fact(f, xy->panel[p].low, "low%zu", p + 1);
        fact(f, xy->panel[p].high, "high%zu", p + 1);
        fact(f, xy->panel[p].logarithmic, "logarithmic%zu", p + 1);
        fact(f, xy->panel[p].has_mark ? xy->panel[p].mark : (double)NAN, "mark%zu", p + 1);
    }
}
