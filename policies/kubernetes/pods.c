/* kube_pods.c - bound pods by node and by job, and what they are nominated for. */
#include "policies/kubernetes/kube.h"
#include "sim/contract/util/array.h"

void kube_pod_bound(struct sched *s, struct kube *k, job_id j, uint32_t task, node_id n, int64_t since_ns)
{
    struct kube_job *own = job_own(s, j);
    uint32_t i = k->free_pod;
    if (i != ID_NONE) {
        k->free_pod = k->pod[i].after;
    } else {
        k->pod = array_grown(sched_alloc, s, k->pod, &k->pod_capacity, k->n_pods, sizeof *k->pod);
        i = (uint32_t)k->n_pods++;
    }
    k->pod[i] = (struct pod){ j, task, n, since_ns, own->first_pod, k->on_node[n], ID_NONE };
    if (k->on_node[n] != ID_NONE)
        k->pod[k->on_node[n]].before = i;
    k->on_node[n] = own->first_pod = i;
}

void kube_pod_gone(struct kube *k, uint32_t i)
{
    struct pod *p = &k->pod[i];
    if (p->after != ID_NONE)
        k->pod[p->after].before = p->before;
    if (p->before != ID_NONE)
        k->pod[p->before].after = p->after;
    else
        k->on_node[p->node] = p->after;
    p->after = k->free_pod;
    k->free_pod = i;
}

void kube_pod_stopped(struct sched *s, struct kube *k, job_id j, uint32_t task)
{
    struct kube_job *own = job_own(s, j);
    uint32_t *link = &own->first_pod;
    while (k->pod[*link].task != task)
        link = &k->pod[*link].of_job;
    uint32_t i = *link;
    *link = k->pod[i].of_job;
    kube_pod_gone(k, i);
    queue_enter(s, &k->queue, j, task, own->epoch);    /* its controller makes it anew; stale if the job arrives again */
}

void kube_forget_nomination(struct kube *k, job_id j, uint32_t task)
{
    size_t kept = 0;
    for (size_t i = 0; i < k->n_nominations; i++)
        if (k->nomination[i].job != j || (task != ALL_PODS && k->nomination[i].task != task))
            k->nomination[kept++] = k->nomination[i];
    if (kept < k->n_nominations) {
        k->seen = UINT64_MAX;
        k->round++;
    }
    k->n_nominations = kept;
}
