/* write_overhead.c - columns of the native format: what a stop of the job costs. See write_row.h. */
#include "traces/formats/columns.h"
#include "traces/native/native.h"
#include "traces/native/write_row.h"

static const struct own_overhead no_price = OWN_OVERHEAD_NONE;
static struct own_overhead overhead(const struct row_of *j)
{
    return j->extra->overhead ? workload_overhead(j->w, j->extra->overhead) : no_price;
}
bool overhead_has_checkpoint(const struct row_of *j)
{
    return overhead(j).checkpoint >= 0;
}
void overhead_put_checkpoint(struct output *o, const struct row_of *j)
{
    out_text(o, native_checkpoints[overhead(j).checkpoint]);
}
#define PRICE_COLUMN(field)                                             \
    bool overhead_has_##field(const struct row_of *j)                   \
    {                                                                   \
        return overhead(j).field##_ns >= 0;                             \
    }                                                                   \
    void overhead_put_##field(struct output *o, const struct row_of *j) \
    {                                                                   \
        out_seconds(o, overhead(j).field##_ns);                         \
    }
PRICE_COLUMN(interval)
PRICE_COLUMN(save)
PRICE_COLUMN(grace)
PRICE_COLUMN(restart)
bool overhead_has_checkpoint_size(const struct row_of *j)
{
    return overhead(j).checkpoint_mib >= 0;
}
void overhead_put_checkpoint_size(struct output *o, const struct row_of *j)
{
    row_put_gib(o, overhead(j).checkpoint_mib);
}
bool overhead_has_requeues(const struct row_of *j)
{
    return overhead(j).most_stops > 0;
}
void overhead_put_requeues(struct output *o, const struct row_of *j)
{
    out_integer(o, overhead(j).most_stops - 1);
}
