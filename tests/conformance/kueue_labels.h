/* kueue_labels.h - labels, selectors, affinities, taints and tolerations of a case in the short
 * texts of sim/cluster/labels.h. A text begins as { 0 }; more is added with ';' between. */
#pragma once
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { TEXT_MOST = 2048 };
struct text { char of[TEXT_MOST]; size_t n; };

/* {KEY: VALUE} */
void say_pairs(struct text *t, const json_t *labels);
/* A list of taints, or of tolerations; one without a key tolerates all. */
void say_taints(struct text *t, const json_t *list);
/* {required: [[NEED]], preferred: [NEED with weight]}; the latter if wanted. */
void say_affinity(struct text *t, const json_t *affinity, bool preferred);
