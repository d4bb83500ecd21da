/* levels_text.c - see levels_text.h. */
#include "sim/cli/import/levels_text.h"

#include "sim/base/memory.h"

#include <inttypes.h>
#include <stdio.h>

static bool same(const struct level_places *p, uint32_t a, uint32_t b, uint32_t k)
{
    return p->same(p->self, a, b, k);
}

/* Of the k-th level around node i: nodes, or domains of the level before. */
static uint32_t count_domain(const struct level_places *p, uint32_t i, uint32_t k,
                             struct level_counts *counted)
{
    uint32_t n = 1, from = i, to = i;
    if (i >= counted->of[k].from && i < counted->of[k].end)
        return counted->of[k].n;
    for (; from > 0 && same(p, from - 1, i, k); from--)
        n += k == 0 || !same(p, from - 1, from, k - 1);
    for (; to + 1 < p->n_nodes && same(p, to + 1, i, k); to++)
        n += k == 0 || !same(p, to + 1, to, k - 1);
    counted->of[k].from = from;
    counted->of[k].end = to + 1;
    counted->of[k].n = n;
    return n;
}

char *level_place_text(const struct level_places *p, uint32_t i, struct level_counts *counted)
{
    static const char *const older[] = { "nodes_per_rack", "racks_per_pod" };
    bool named = p->levels.n > level_names_usual.n;
    uint32_t joined = 0;
    char *text = NULL;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    for (uint32_t k = 0; k < p->levels.n; k++)
        fprintf(f, "%s%s: %" PRIu32, k || !named ? ", " : ", levels: { ",
                named ? p->levels.name[k] : older[k], count_domain(p, i, k, counted));
    fputs(named ? " }" : "", f);
    while (joined < p->levels.n && !(i && same(p, i - 1, i, joined)))
        joined++;
    if (joined < p->levels.n)
        fprintf(f, ", joins: %s", p->levels.name[joined]);
    mem_stream_end(f, &text);
    return text;
}
