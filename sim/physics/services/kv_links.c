/* kv_links.c - see kv_links.h. */
#include "sim/physics/services/kv_links.h"

#include "sim/capacity/placement_rate.h"
#include "sim/models/network/rate_rules.h"
#include "sim/physics/parallel.h"
#include "sim/physics/physics.h"
#include "sim/physics/traffic.h"
#include "sim/serving/deployment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kv_links {
    struct sched *s;
    struct serving *serving;      /* NULL: none yet, or over */
    job_id job;
    uint32_t n;
    struct placement **on;        /* [n] of a ready replica, own: at the cut-off jobs leave before the
                                     service is over; else NULL */
    struct sender *sender;        /* NULL: alone, or on no link that is shared */
    struct traffic_law law;
    double unknown_bps;           /* of a way that the cluster says nothing of */
    double part;                  /* of the nodes: the smaller pool */
    double bytes_before, bytes_per_s;     /* of all up to the last minute; of it and node */
    uint32_t nodes;               /* of all ready replicas */
};

static bool over_links(const struct sched *s, const struct service *of)
{
    const struct rate_rules *rules = s->cluster->rates;
    return rules && rules->fabric.said && of->time.kind == TIME_ENGINE &&
           llm_batching_splits(&of->time.engine);
}

/* ---- Ways ---- */

static struct placement *both_of(const struct placement *a, const struct placement *b)
{
    size_t n = a->n + b->n;
    struct placement *both = mem_new(1, sizeof *both + n * sizeof both->piece[0]);
    both->n = n;
    memcpy(both->piece, a->piece, a->n * sizeof a->piece[0]);
    memcpy(both->piece + a->n, b->piece, b->n * sizeof b->piece[0]);
    return both;
}

static struct placement *copy_of(const struct placement *p)
{
    return both_of(p, &(const struct placement){ 0 });
}

static double path_bps(void *self, uint32_t from, uint32_t to)
{
    struct kv_links *k = self;
    struct placement *both = both_of(k->on[from], k->on[to]);
    double bps = placement_path_bps(rates_by_placement(k->s), both,
                                    k->sender ? k->sender->at.share : NULL);
    free(both);
    return bps > 0 ? bps : k->unknown_bps;
}

static void look_again(struct kv_links *k)
{
    serving_advance(k->serving, k->s->now_ns);
    serving_paths(k->serving, &(struct transfer_paths){ path_bps, k });
}

/* ---- Links that others use, too ---- */

static double sends(void *self, struct sender *x)
{
    const struct kv_links *k = self;
    double bps = x->form.link_bps[REACH_CLUSTER];
    return bps > 0 ? fmin(1, k->bytes_per_s / bps) : 1;
}

static void share_changed(void *self, struct sender *x)
{
    struct kv_links *k = self;
    (void)x;
    look_again(k);
}

static struct placement *all_of(const struct kv_links *k)
{
    size_t n = 0;
    for (uint32_t i = 0; i < k->n; i++)
        n += k->on[i] ? k->on[i]->n : 0;
    struct placement *all = mem_new(1, sizeof *all + n * sizeof all->piece[0]);
    for (uint32_t i = 0; i < k->n; i++)
        for (size_t x = 0; k->on[i] && x < k->on[i]->n; x++)
            all->piece[all->n++] = k->on[i]->piece[x];
    return all;
}

static void enter(struct kv_links *k)
{
    struct traffic *t = rates_traffic(k->s);
    struct placement_rates *rates = rates_by_placement(k->s);
    struct placement *all = all_of(k);
    k->sender = NULL;
    struct placement_form f = placement_rate_form(rates, ID_NONE, all);
    k->nodes = f.units;
    if (t && f.units > 1)
        k->sender = traffic_enter(t, k->job, all, &f, placement_nic_bps(rates, &f));
    if (k->sender)
        k->sender->law = &k->law;
    free(all);
}

static void leave(struct kv_links *k)
{
    if (k->sender)
        traffic_leave(rates_traffic(k->s), k->sender);
    k->sender = NULL;
}

/* ---- As it goes ---- */

struct kv_links *kv_links_new(struct sched *s, struct service *of, job_id first, uint32_t most)
{
    struct llm_pools *pools = &of->time.engine.pools;
    if (of->mode != SERVICE_REQUESTS || !over_links(s, of))
        return NULL;
    struct kv_links *k = mem_new(1, sizeof *k);
    double prefill = pools->prefill, decode = pools->decode;
    *k = (struct kv_links){ .s = s,
                            .job = first,
                            .n = most,
                            .law = { sends, share_changed, k },
                            .unknown_bps = pools->bytes_per_s,
                            .part = fmin(prefill, decode) / (prefill + decode) };
    if (!pools->bytes_per_s_said)
        pools->bytes_per_s = INFINITY;
    k->on = mem_new(most, sizeof *k->on);
    return k;
}

void kv_links_free(struct kv_links *k)
{
    if (!k)
        return;
    for (uint32_t i = 0; i < k->n; i++)
        free(k->on[i]);
    free(k->on);
    free(k);
}

void kv_links_ready(struct kv_links *k, struct serving *v, uint32_t replica,
                    const struct placement *on)
{
    if (!k)
        return;
    k->serving = v;
    free(k->on[replica]);
    k->on[replica] = on ? copy_of(on) : NULL;
    leave(k);
    enter(k);
    look_again(k);
}

void kv_links_sent(struct kv_links *k, double seconds)
{
    if (!k || !k->serving)
        return;
    double bytes = serving_sent_bytes(k->serving), before = k->bytes_per_s;
    k->bytes_per_s = (bytes - k->bytes_before) / seconds / fmax(1, k->part * k->nodes);
    k->bytes_before = bytes;
    if (k->sender && k->bytes_per_s != before)
        traffic_touch(rates_traffic(k->s), k->sender);
}

void kv_links_over(struct kv_links *k)
{
    if (!k)
        return;
    leave(k);
    k->serving = NULL;
}

/* ---- What is said ---- */

static bool wanted(const struct sched *s)
{
    const struct deployments *all = s->workload->services;
    size_t i = 0;
    while (all && i < all->n && !over_links(s, &all->of[i].service))
        i++;
    return all && i < all->n;
}

static bool fluid_off_links(const struct sched *s, FILE *text)
{
    const struct deployments *all = s->workload->services;
    size_t i = 0;
    while (i < all->n &&
           !(all->of[i].service.mode == SERVICE_FLUID && over_links(s, &all->of[i].service)))
        i++;
    if (i < all->n)
        fprintf(text,
                "in mode fluid KV caches between pools go at their kv_gb_per_s, not over the links "
                "of 'fabric'; the first such service is '%.100s'",
                all->of[i].service.name);
    return i < all->n;
}

const struct run_model kv_links_model = {
    .place = PLACE_OF(kv_links_model),
    .name = "kv-links",
    .summary = "KV caches between the pools of a service go over the links of the cluster",
    .wanted = wanted,
    .remark_name = "kv-caches-off-links",
    .remark = fluid_off_links,
};
