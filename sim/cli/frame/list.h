/* list.h - what there is, as JSON; `gpuyard list` shows it as that or as text made from it. */
#pragma once
#include <jansson.h>

/* Each gives a new array of objects. Those with a "summary" or "columns" read as entries, the others as a table. */
struct listing { const char *name, *summary; json_t *(*make)(void); };
extern const struct listing listings[];                      /* ends with a NULL name */
