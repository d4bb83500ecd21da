/* duties.h - how busy models keep a GPU, for jobs that name their model and not their duties. */
#pragma once
#include "sim/models/sharing.h"

struct model_duty {
    const char *model;
    uint32_t batch;               /* at which it was measured; 0: it has none */
    struct duty duty;             /* on one GPU, alone */
    uint32_t mem_mib;             /* of GPU memory; 0: not known */
};
extern const struct model_duty duty_catalogue[];             /* ends with a NULL model */
const struct model_duty *duty_find(const struct sharing *s, const char *model);    /* its own come first; NULL: not known */
