/* groups.h - the groups of one job in the order of its tasks, as jobs.h says, and for each group of
 * a PodGroup its part of the minimum of its path. */
#pragma once
#include "sim/cli/import/kube/jobs.h"

void kube_groups_order(struct kube_site *s, struct kube_unit *u);
