/* write_depends.c - see write_row.h. */
#include "sim/base/memory.h"
#include "traces/native/write_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct own_turn turn_of(const struct row_of *j)
{
    return j->w->turn ? j->w->turn[j->facts - j->w->facts] : (struct own_turn){ ID_NONE, 0 };
}

bool depends_has(const struct row_of *j)
{
    const uint32_t *first = j->w->depends_first;
    job_id id = (job_id)(j->facts - j->w->facts);
    return first && (first[id] < first[id + 1] || turn_of(j).name != ID_NONE);
}

static void put_turn(char *to, const char *before, const struct workload *w, struct own_turn turn)
{
    const char *name = intern_text(w->wishes, turn.name);
    if (turn.most)
        sprintf(to, "%slimit:%" PRIu32 ":%s", before, turn.most, name);
    else
        sprintf(to, "%ssingleton%s%s", before, *name ? ":" : "", name);
}

void depends_put(struct output *o, const struct row_of *j)
{
    const struct workload *w = j->w;
    job_id id = (job_id)(j->facts - w->facts);
    struct own_turn turn = turn_of(j);
    const char *turn_name = turn.name != ID_NONE ? intern_text(w->wishes, turn.name) : "";
    size_t length = sizeof ";limit:4294967295:" + strlen(turn_name);
    for (uint32_t i = w->depends_first[id]; i < w->depends_first[id + 1]; i++)
        length += strlen(w->truth[w->depends_on[i]].name) + sizeof ";afternotok:";
    char *text = mem_new(length, 1), *at = text;
    for (uint32_t i = w->depends_first[id]; i < w->depends_first[id + 1]; i++) {
        uint8_t how = w->depends_how[i];
        const char *name = w->truth[w->depends_on[i]].name;
        bool any = depends_how(how) == AFTER_ANY;
        at += sprintf(at, "%s%s%s%s", at == text ? "" : how & DEPENDS_OR ? "?" : ";",
                      any ? "" : depends_how_name[depends_how(how)], any ? "" : ":", name);
    }
    if (turn.name != ID_NONE)
        put_turn(at, at == text ? "" : ";", w, turn);
    out_csv(o, text);
    free(text);
}
