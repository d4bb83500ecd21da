/* kv_links.h - the way of KV caches between the pools of a service, over the links of the cluster:
 * models.md 4.11.
 *
 * On with a section `fabric` beside `progress`, of services that run request by request and have
 * pools (sim/serving/llm/handover.h). What goes from a replica to another has the bandwidth that
 * their GPUs have between them: inside a node that of NVLink or PCIe, beyond it that of their NICs
 * and of the uplinks of racks and pods, as a job that trains on both (2.1, 2.4). With `contention:
 * maxmin` the service is one job among those that share links, on all its ready replicas. It sends
 * in the part of its time that its bytes of the last minute take at its share, those of one node of
 * the smaller pool. 0 at first. What the cluster says nothing of has kv_gb_per_s. */
#pragma once
#include "sim/engine/state.h"
#include "sim/serving/serving.h"

struct kv_links;
/* NULL: not of this service. first: job of replica 0; the ids of others follow. The way is then the
 * only bound of `of`, unless it says its kv_gb_per_s. */
struct kv_links *kv_links_new(struct sched *s, struct service *of, job_id first, uint32_t most);
void kv_links_free(struct kv_links *k);     /* NULL: does nothing, as in all below */
/* A replica is about to serve on `on`, or (NULL) has ceased to. */
void kv_links_ready(struct kv_links *k, struct serving *v, uint32_t replica,
                    const struct placement *on);
/* A minute is over, or whatever time: what it has sent in it. */
void kv_links_sent(struct kv_links *k, double seconds);
void kv_links_over(struct kv_links *k);                      /* the service has ended */
