/* native_columns.h - the columns of a native trace as they are written, list by list, in this order: native_size.c, native_terms.c,
 * native_place.c, native_work.c. For native_write.c. */
#pragma once
#include "sim/io/output.h"
#include "sim/workload/requests.h"
#include "sim/workload/workload.h"

enum { NATIVE_LIST_MOST = 16 };
#define MIB_PER_GIB 1024

struct native_row {
    const struct workload *w;
    const struct job_facts *facts;
    const struct job_truth *truth;
    const struct request *ask;    /* this row's run; of an inner group: the first one, and nothing of it is told */
    const struct task_group *group;    /* this row's; NULL: the job has none */
    bool inner;
};

struct native_column {
    const char *name;             /* NULL: no column, at the end of a list */
    bool (*has)(const struct native_row *j);                 /* whether the row needs it */
    void (*put)(struct output *o, const struct native_row *j);
};
extern const struct native_column native_size[NATIVE_LIST_MOST], native_terms[NATIVE_LIST_MOST],
    native_place[NATIVE_LIST_MOST], native_work[NATIVE_LIST_MOST];

void native_put_gib(struct output *o, int64_t mib);          /* exactly */

static inline const struct shape *native_shape_of(const struct native_row *j)
{
    return &j->w->shape[j->ask->shape];
}
static inline uint8_t native_required_level(const struct native_row *j)
{
    return j->group ? j->group->required_level : j->ask->required_level;
}
static inline uint8_t native_preferred_level(const struct native_row *j)
{
    return j->group ? j->group->preferred_level : j->ask->preferred_level;
}
static inline bool native_has_level(const struct native_row *j)
{
    return native_required_level(j) != LEVEL_ANY || native_preferred_level(j) != LEVEL_ANY;
}
