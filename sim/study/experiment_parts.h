/* experiment_parts.h - between experiment.c, which reads the keys, and the files that read what stands behind them. */
#pragma once
#include "sim/study/experiment.h"

enum list_kind { LIST_SEEDS, LIST_TRACES, LIST_CLUSTERS, LIST_POLICIES, LIST_PLACEMENTS, KINDS_WITH_KEY };
struct reading {
    struct experiment *of;
    const char *folder;           /* of the file; "": here */
    size_t axes, values;          /* capacities: of the axes, of the values of the last one */
};

/* Each 0, or -1 with err. A list that is absent is its default. */
int experiment_read_list(struct reading *r, enum list_kind kind, struct config_value v, struct error *err);
int experiment_read_parameters(struct reading *r, struct config_value v, struct error *err);
int experiment_read_exclusions(struct reading *r, struct config_value v, struct error *err);    /* after all axes */

struct axis *experiment_add_axis(struct reading *r, enum axis_kind kind, const char *name, const char *key, struct config_value v);
const char *experiment_beside(struct reading *r, const char *path);
struct arena;
const char *experiment_label_of_path(struct arena *memory, const char *path);    /* "a/week.csv.zst:swf" -> "week" */
