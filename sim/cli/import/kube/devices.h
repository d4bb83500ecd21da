/* devices.h - what pods hold of their nodes. A job with a pod that does not fit on its node, by the
 * CPUs, memory and GPUs that are allocatable now, waits instead, and a remark says so.
 *
 * On nodes where pods share a GPU each pod holds GPUs by number: KAI labels all pods that share one
 * with a group, without saying which GPU it is. Groups get numbers in the order of jobs, then pods
 * with whole GPUs get the next ones. A share without a label goes to the first GPU with room, which
 * is a guess. Elsewhere a pod holds any GPUs of its node. */
#pragma once
#include "sim/cli/import/kube/kubernetes.h"

void kube_name_devices(struct kube_import *im);
