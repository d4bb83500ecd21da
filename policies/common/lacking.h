/* lacking.h - shapes for which too few GPUs are idle: each is looked up once a pass. */
#pragma once
#include "sim/contract/policy.h"

/* As pass `pass` asked first, from 1 on. */
struct shape_room { uint64_t pass; bool lacks; };
struct lacking {
    struct shape_room *shape;     /* [n_shapes] */
    size_t n_shapes;
    uint64_t pass;
};

/* A pass begins. */
static inline void lacking_begin(struct lacking *l)
{
    l->pass++;
}

/* Fewer GPUs are idle than jobs of this shape want: they find no place whatever the placer does. */
bool lacking_shape(struct sched *s, struct lacking *l, const struct request *ask);
