/* pods.c - pods beside other pods for `quota`: where (anti-)affinity bars a task.
 *
 * The filter is that of Kubernetes (policies/common/beside.h), which KAI calls for each task on
 * each node (NVIDIA/KAI-Scheduler:pkg/scheduler/k8s_internal/predicates/predicates.go); the score
 * of preferred terms counts with pod_affinity=yes (plugins/podaffinity). A pod counts where it is:
 * held, tentative, placed by the attempt so far, and where a search made it leave, whole jobs until
 * they have left, single tasks until the pass ends (api/node_info/node_info.go adds a Releasing pod
 * like any other), also those of jobs that were leaving when they were submitted. So evicting pods
 * cures an anti-affinity at a later pass only. A task does not count against itself when a scenario
 * places it again. Spreads are not read: KAI does not call that plugin. Pods of other node pools
 * are not seen. Until a job with a term that counts has come, labels mean nothing. */
#include "policies/common/beside.h"
#include "policies/kai/places/places.h"

#include <string.h>

struct pod_here { job_id job; uint32_t task; node_id node; };
struct quota_pods {
    bool speak;                   /* some job has come with a term that counts */
    node_id n_nodes;
    job_id *job;                  /* [n_jobs] that have come and not ended, with labels or rules */
    size_t n_jobs, jobs_capacity;
    const struct pod_rules **says;    /* [n_says] each once, of jobs that came with such terms */
    size_t n_says, says_capacity;
    struct pod_here *leaving;     /* [n_leaving] of jobs that were stopped whole, or in this pass */
    size_t n_leaving, leaving_capacity;
    struct pod_here *here;        /* [n_here] that count, in this pass */
    size_t n_here, here_capacity;
    struct beside_room room;
    uint8_t *bars;                /* [n_nodes] of the task that is placed */
    int64_t *score;               /* [n_nodes] */
};

/* ---- Which pods count ---- */

static void add_here(struct sched *s, struct quota_pods *p, job_id j, uint32_t task, node_id n)
{
    p->here =
        array_grown(sched_alloc, s, p->here, &p->here_capacity, p->n_here, sizeof *p->here);
    p->here[p->n_here++] = (struct pod_here){ j, task, n };
}

static void add_placement(struct sched *s, struct quota_pods *p, job_id j,
                          const struct placement *has)
{
    for (size_t i = 0; has && i < has->n; i++)
        add_here(s, p, j, has->piece[i].task, has->piece[i].node);
}

static struct quota_pods *pods_of(struct sched *s, struct quota_state *q)
{
    if (q->pods)
        return q->pods;
    struct quota_pods *p = q->pods = sched_alloc(s, sizeof *p);
    node_id first;
    view_domain_nodes(sched_view(s, FREE_IDLE), 0, &first, &p->n_nodes);
    p->room = beside_room(s, p->n_nodes);
    p->bars = sched_alloc(s, p->n_nodes * sizeof *p->bars);
    p->score = sched_alloc(s, p->n_nodes * sizeof *p->score);
    return p;
}

bool quota_pods_say(const struct sched *s, job_id j, bool preferred)
{
    const struct pod_rules *r = job_pods(s, j);
    bool say = false;
    for (enum pod_terms kind = POD_AFFINITY; r && kind <= POD_ANTI_AFFINITY; kind++)
        for (uint32_t i = 0; i < r->n[kind]; i++)
            say = say || preferred || !r->term[kind][i].weight;
    return say;
}

/* ---- Which jobs rules concern ---- */

static void note_says(struct sched *s, struct quota_pods *p, const struct pod_rules *r)
{
    for (size_t i = 0; i < p->n_says; i++)
        if (p->says[i] == r)
            return;
    p->says =
        array_grown(sched_alloc, s, p->says, &p->says_capacity, p->n_says, sizeof *p->says);
    p->says[p->n_says++] = r;
}

/* It says something that counts of pods with these labels. */
static bool speaks_of(const struct pod_rules *r, const char *labels, bool preferred)
{
    bool speaks = false;
    for (enum pod_terms kind = POD_AFFINITY; kind <= POD_ANTI_AFFINITY; kind++)
        for (uint32_t i = 0; i < r->n[kind] && !speaks; i++)
            speaks = (preferred || (kind == POD_ANTI_AFFINITY && !r->term[kind][i].weight)) &&
                     pod_matches(r->term[kind][i].needs, labels);
    return speaks;
}

bool quota_pods_concern(struct sched *s, struct quota_state *q, job_id j)
{
    const struct quota_pods *p = q->pods;
    bool preferred = q->params->pod_affinity > 0;
    if (!p || !p->speak)
        return false;
    struct quota_job *own = job_own(s, j);
    own->pods_concern = own->pods_concern || quota_pods_say(s, j, preferred);
    for (; own->pods_heard < p->n_says && !own->pods_concern; own->pods_heard++)
        own->pods_concern =
            speaks_of(p->says[own->pods_heard], beside_rules(s, j)->labels, preferred);
    return own->pods_concern;
}

static void note_speech(struct sched *s, struct quota_state *q, job_id j)
{
    struct quota_pods *p = q->pods;
    if (quota_pods_say(s, j, q->params->pod_affinity > 0)) {
        p->speak = true;
        note_says(s, p, job_pods(s, j));
    }
    q->odd = q->odd || p->speak;  /* one place or none is no matter of the shape alone */
}

void quota_pods_arrived(struct sched *s, struct quota_state *q, job_id j)
{
    struct quota_job *own = job_own(s, j);
    own->pods_concern = false;
    own->pods_heard = 0;
    if (!job_pods(s, j) || own->pods_place)
        return;
    struct quota_pods *p = pods_of(s, q);
    p->job = array_grown(sched_alloc, s, p->job, &p->jobs_capacity, p->n_jobs, sizeof *p->job);
    p->job[p->n_jobs++] = j;
    own->pods_place = (uint32_t)p->n_jobs;
    note_speech(s, q, j);
}

void quota_pods_ended(struct sched *s, struct quota_state *q, job_id j)
{
    struct quota_job *own = job_own(s, j);
    struct quota_pods *p = q->pods;
    if (!own->pods_place)
        return;
    job_id last = p->job[--p->n_jobs];
    p->job[own->pods_place - 1] = last;
    ((struct quota_job *)job_own(s, last))->pods_place = own->pods_place;
    own->pods_place = 0;
}

/* What it says and where it is, of a job that the policy has not had yet. Whole nodes are of one
 * pool. */
static void add_leaver(struct sched *s, struct quota_state *q, job_id j)
{
    const struct placement *at = job_leaving(s, j);
    if (!job_pods(s, j) || (q->has_node && !q->has_node[at->piece[0].node]))
        return;
    struct quota_pods *p = pods_of(s, q);
    note_speech(s, q, j);
    if (p->speak)
        add_placement(s, p, j, at);
}

void quota_pods_begin(struct sched *s, struct quota_state *q)
{
    struct quota_pods *p = q->pods;
    const job_id *leaver;
    size_t left = 0, leavers = sched_early_leavers(s, &leaver);
    if (p)
        p->n_here = 0;
    for (size_t i = 0; i < leavers; i++)
        add_leaver(s, q, leaver[i]);
    if (!p)
        return;
    for (size_t i = 0; i < p->n_jobs && p->speak; i++)
        add_placement(s, p, p->job[i], job_placement(s, p->job[i]));
    for (size_t i = 0; i < p->n_leaving; i++)
        if (job_state(s, p->leaving[i].job) == JOB_RELEASING)
            p->leaving[left++] = p->leaving[i];
    p->n_leaving = left;
    for (size_t i = 0; i < left; i++)
        add_here(s, p, p->leaving[i].job, p->leaving[i].task, p->leaving[i].node);
}

void quota_pods_placed(struct sched *s, struct quota_state *q, job_id j, const struct placement *at)
{
    if (((struct quota_job *)job_own(s, j))->pods_place)
        add_placement(s, q->pods, j, at);
}

void quota_pods_started(struct sched *s, struct quota_state *q, job_id j,
                        const struct placement *at)
{
    if (!((struct quota_job *)job_own(s, j))->pods_place)
        return;
    quota_pods_placed(s, q, j, at);
    if (!q->pods->speak)
        return;
    q->version++;                 /* others may want to be beside it */
    sched_wake_at(s, sched_now(s) + 1);
}

void quota_pods_leave(struct sched *s, struct quota_state *q, job_id j, const struct piece *piece,
                      uint32_t n)
{
    struct quota_pods *p = q->pods;
    if (!((struct quota_job *)job_own(s, j))->pods_place)
        return;
    for (uint32_t i = 0; i < n; i++) {
        p->leaving = array_grown(sched_alloc, s, p->leaving, &p->leaving_capacity, p->n_leaving,
                                 sizeof *p->leaving);
        p->leaving[p->n_leaving++] = (struct pod_here){ j, piece[i].task, piece[i].node };
    }
}

void quota_pods_forget(struct sched *s, struct quota_state *q, job_id j, const struct placement *at)
{
    struct quota_pods *p = q->pods;
    size_t left = 0;
    if (!((struct quota_job *)job_own(s, j))->pods_place)
        return;
    for (size_t i = 0; i < p->n_here; i++) {
        const struct piece *promised = placement_task(at, p->here[i].task);
        if (p->here[i].job != j || !promised || promised->node != p->here[i].node)
            p->here[left++] = p->here[i];
    }
    p->n_here = left;
}

size_t quota_pods_mark(const struct quota_state *q)
{
    return q->pods ? q->pods->n_here : 0;
}

void quota_pods_rollback(struct quota_state *q, size_t mark)
{
    if (q->pods)
        q->pods->n_here = mark;
}

/* ---- An attempt ---- */

struct of_attempt { const struct attempt *a; uint32_t task; };

/* Those of the pass, but the task itself; then those that the attempt has placed. */
static bool next_pod(struct pod_walk *w, struct pod_there *pod)
{
    const struct of_attempt *of = w->of;
    const struct attempt *a = of->a;
    const struct quota_pods *p = a->pods;
    while (w->at < p->n_here) {
        const struct pod_here *h = &p->here[w->at++];
        if (h->job == a->job && h->task == of->task)
            continue;
        *pod = (struct pod_there){ h->node, job_pods(w->s, h->job) };
        return true;
    }
    const struct pod_rules *own = job_pods(w->s, a->job);
    uint32_t placed = w->at - (uint32_t)p->n_here;
    if (!own || placed >= a->n)
        return false;
    w->at++;
    *pod = (struct pod_there){ a->placed[placed].at.node, own };
    return true;
}

/* What bars a task of the attempt bars the next, too, and what is added is around the task placed
 * since: without a required affinity, for which a pod more means a node more, and while no pod of
 * the job is there that does not count for itself. */
static bool adds_up(const struct attempt *a, const struct pod_rules *r)
{
    bool adds = true;
    for (uint32_t i = 0; i < r->n[POD_AFFINITY]; i++)
        adds = adds && r->term[POD_AFFINITY][i].weight;
    for (size_t i = 0; i < a->pods->n_here && adds; i++)
        adds = a->pods->here[i].job != a->job;
    return adds;
}

void attempt_filter(struct attempt *a, uint32_t task)
{
    struct quota_pods *p = a->pods;
    if (!p)
        return;
    const struct of_attempt of = { a, task };
    const struct pod_rules *r = beside_rules(a->s, a->job);
    struct pod_walk pods = { .next = next_pod, .s = a->s, .of = &of };
    bool first = !a->barred;
    if (first)
        a->adds_up = adds_up(a, r);
    if (!first && a->adds_up && a->n >= a->filtered) {
        pods.at = (uint32_t)p->n_here + a->filtered;
    } else {
        memset(p->bars, 0, p->n_nodes * sizeof *p->bars);
        if (a->how->by_pods)
            memset(p->score, 0, p->n_nodes * sizeof *p->score);
    }
    a->filtered = a->n;
    beside_filter(p->room, r, pods, p->n_nodes, p->bars);
    a->barred = p->bars;
    if (!a->how->by_pods)
        return;
    beside_score(r, pods, p->n_nodes, p->score);
    a->beside = p->score;
}
