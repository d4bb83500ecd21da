/* write_sets.c - see write_row.h: what a row says as a pod set. */
#include "traces/native/native.h"
#include "traces/native/write_row.h"

bool sets_have_slices(const struct row_of *j)
{
    return !j->inner && j->ask->set && j->ask->set->n_slices;
}
void sets_put_slices(struct output *o, const struct row_of *j)
{
    for (uint32_t i = 0; i < j->ask->set->n_slices; i++) {
        out_text(o, i ? ";" : "");
        out_text(o, workload_level_text(j->w, j->ask->set->slice[i].level));
        out_char(o, ':');
        out_integer(o, j->ask->set->slice[i].tasks);
    }
}
bool sets_have_group(const struct row_of *j)
{
    return !j->inner && j->ask->set && j->ask->set->together;
}
void sets_put_group(struct output *o, const struct row_of *j)
{
    out_integer(o, j->ask->set->together);
}
