/* kueue_tas.h - the pod sets of a workload put to policies/kueue/topology.h. */
#pragma once
#include "tests/conformance/kueue_nodes.h"

/* got: for each pod set that was looked at what a case would expect of it; of a `why` the number
 * of its enum tas_result as `result`. */
struct question { struct topo *t; struct topo_setting set; json_t *got; };

/* Of a group the smaller one leads. What is placed is taken in t. false: one has no place, and
 * those after it are not looked at. */
bool tas_ask_all(struct question *q, const json_t *pod_sets);
/* New places for what was on the first of the workload's `failed_nodes`; those without one keep
 * what they have. */
bool tas_replace_all(struct question *q, const json_t *workload, const json_t *pod_sets);
