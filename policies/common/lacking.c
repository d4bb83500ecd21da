/* lacking.c - see lacking.h. */
#include "policies/common/lacking.h"
#include "sim/contract/util/array.h"

bool lacking_shape(struct sched *s, struct lacking *l, const struct request *ask)
{
    l->shape = array_covering(sched_alloc, s, l->shape, &l->n_shapes, ask->shape, sizeof *l->shape);
    struct shape_room *room = &l->shape[ask->shape];
    if (room->pass != l->pass)
        *room = (struct shape_room){
            l->pass, ask->gpu_milli >= MILLI_ALL && !ask->next &&
                         domain_free_gpus(sched_view(s, FREE_IDLE), 0, ask) <
                             (uint64_t)ask->gpus * (ask->tasks == SPLIT_ANY ? 1 : ask->tasks)
        };
    return room->lacks;
}
