/* jobs.c - see jobs.h: units and the pods that they have. Queues and priorities are in claims.c. */
#include "sim/cli/import/kube/jobs.h"
#include "sim/cli/import/kube/claims.h"
#include "sim/cli/import/kube/groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct making {
    struct kube_site *s;
    struct kube_jobs *j;
    struct intern *jobs, *podgroups,
        *workloads;       /* "ns/name": positions in the arrays of the site */
    struct intern *owned; /* "ns/Kind/name" of owners of workloads */
    uint32_t *owned_by;   /* [owned] position of the workload */
    size_t owned_capacity;
    bool *has_pods; /* [jobs of the site] some pod of it is of a unit */
    bool cpu_jobs;
};

static uint32_t add_key(struct intern *t, const char *a, const char *b, const char *c)
{
    char key[800];
    snprintf(key, sizeof key, "%.250s/%.250s/%.250s", a, b, c);
    return intern_add(t, key, strlen(key));
}

static uint32_t find_key(const struct intern *t, const char *a, const char *b, const char *c)
{
    char key[800];
    snprintf(key, sizeof key, "%.250s/%.250s/%.250s", a, b, c);
    return intern_find(t, key, strlen(key));
}

static void index_all(struct making *m)
{
    struct kube_site *s = m->s;
    for (size_t i = 0; i < s->n_jobs; i++)
        add_key(m->jobs, s->jobs[i].ns, "", s->jobs[i].name);
    for (size_t i = 0; i < s->n_podgroups; i++)
        add_key(m->podgroups, s->podgroups[i].ns, "", s->podgroups[i].name);
    for (size_t i = 0; i < s->n_workloads; i++) {
        const struct kube_workload *w = &s->workloads[i];
        add_key(m->workloads, w->ns, "", w->name);
        if (!w->owner.kind)
            continue;
        uint32_t n = intern_count(m->owned),
                 k = add_key(m->owned, w->ns, w->owner.kind, w->owner.name);
        if (k < n)
            continue; /* the first one */
        mem_grow(&m->owned_by, &m->owned_capacity, n, sizeof *m->owned_by);
        m->owned_by[k] = (uint32_t)i;
    }
    for (size_t i = 0; i < s->n_nodes; i++)
        intern_add(m->j->nodes, s->nodes[i].name, strlen(s->nodes[i].name));
}

/* ---- which unit ---- */

static struct kube_unit *unit_of(struct making *m, const char *ns, const char *kind,
                                 const char *name)
{
    struct kube_jobs *j = m->j;
    uint32_t k = add_key(j->keys, ns, kind, name);
    if (k < j->n)
        return &j->unit[k];
    mem_grow(&j->unit, &j->capacity, j->n, sizeof *j->unit);
    j->unit[j->n++] = (struct kube_unit){ .ns = ns,
                                          .name = name,
                                          .lone = !strcmp(kind, "Pod"),
                                          .created_ns = NO_TIME,
                                          .started_ns = NO_TIME,
                                          .finished_ns = NO_TIME,
                                          .deadline_ns = NO_TIME,
                                          .rounds = 1 };
    return &j->unit[j->n - 1];
}

/* Through the Jobs that were read; no more steps than there are, as owners could be a ring. */
static struct kube_owner topmost(struct making *m, const char *ns, struct kube_owner owner)
{
    for (int steps = 0; steps < 8 && owner.kind && !strcmp(owner.kind, "Job"); steps++) {
        uint32_t k = find_key(m->jobs, ns, "", owner.name);
        if (k == INTERN_NONE || !m->s->jobs[k].owner.kind)
            break;
        owner = m->s->jobs[k].owner;
    }
    return owner;
}

static const struct kube_workload *workload_of(struct making *m, const char *ns,
                                               struct kube_owner owner)
{
    uint32_t k = owner.kind ? find_key(m->owned, ns, owner.kind, owner.name) : INTERN_NONE;
    return k == INTERN_NONE ? NULL : &m->s->workloads[m->owned_by[k]];
}

static bool is_one_of(const char *text, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        if (!strcmp(words[i], text))
            return true;
    return false;
}

static struct kube_unit *unit_of_workload(struct making *m, const struct kube_workload *w)
{
    struct kube_unit *u = unit_of(m, w->ns, "Workload", w->name);
    u->workload = w;
    if (w->owner.kind && !strcmp(w->owner.kind, "Job")) {
        uint32_t k = find_key(m->jobs, w->ns, "", w->owner.name);
        u->job = k == INTERN_NONE ? u->job : &m->s->jobs[k];
    }
    return u;
}

static struct kube_unit *unit_of_owner(struct making *m, const char *ns, struct kube_owner owner)
{
    const struct kube_workload *w = workload_of(m, ns, owner);
    if (w)
        return unit_of_workload(m, w);
    struct kube_unit *u = unit_of(m, ns, owner.kind, owner.name);
    uint32_t k = !strcmp(owner.kind, "Job") ? find_key(m->jobs, ns, "", owner.name) : INTERN_NONE;
    if (k != INTERN_NONE)
        u->job = &m->s->jobs[k];
    else if (strcmp(owner.kind, "Job") != 0)
        remark(&m->s->remarks, "guessed: the pods of one %.60s are one job", owner.kind);
    return u;
}

static struct kube_unit *unit_of_pod(struct making *m, const struct kube_pod *p)
{
    static const char *const alone[] = { "ReplicaSet", "StatefulSet", "ReplicationController",
                                         "Deployment", NULL };
    struct kube_site *s = m->s;
    uint32_t k;
    if (p->podgroup) {
        struct kube_unit *u = unit_of(m, p->ns, "PodGroup", p->podgroup);
        k = find_key(m->podgroups, p->ns, "", p->podgroup);
        u->podgroup = k == INTERN_NONE ? NULL : &s->podgroups[k];
        if (k == INTERN_NONE)
            remark(&s->remarks, "guessed: pods of a PodGroup that was not read run all together");
        return u;
    }
    if (p->workload) {
        k = find_key(m->workloads, p->ns, "", p->workload);
        return k == INTERN_NONE ? unit_of(m, p->ns, "Workload", p->workload)
                                : unit_of_workload(m, &s->workloads[k]);
    }
    struct kube_owner top = topmost(m, p->ns, p->owner), self = { "Pod", p->name };
    const struct kube_workload *own = workload_of(m, p->ns, self);
    if (own)
        return unit_of_workload(m, own);
    if (!top.kind || is_one_of(top.kind, alone))
        return unit_of(m, p->ns, "Pod", p->name);
    return unit_of_owner(m, p->ns, top);
}

/* ---- background ---- */

static bool is_background(const struct making *m, const struct kube_pod *p)
{
    static const char *const daemons[] = { "DaemonSet", "Node", NULL };
    if (p->reservation || (p->owner.kind && is_one_of(p->owner.kind, daemons)))
        return true;
    if (p->ask.gpus || m->cpu_jobs || p->podgroup || p->workload || p->queue || p->local_queue)
        return false;
    struct kube_owner top = topmost((struct making *)m, p->ns, p->owner);
    uint32_t k = p->owner.kind && !strcmp(p->owner.kind, "Job")
                     ? find_key(m->jobs, p->ns, "", p->owner.name)
                     : INTERN_NONE;
    if (k != INTERN_NONE && (m->s->jobs[k].queue || m->s->jobs[k].local_queue))
        return false;
    return !workload_of((struct making *)m, p->ns, top);
}

static uint32_t node_of(const struct making *m, const char *name)
{
    uint32_t n = name ? intern_find(m->j->nodes, name, strlen(name)) : INTERN_NONE;
    return n == INTERN_NONE || m->s->nodes[n].not_ready ? NO_NODE : n;
}

static bool is_alive(const struct kube_pod *p)
{
    return p->phase != POD_SUCCEEDED && p->phase != POD_FAILED;
}

static void take_off(struct making *m, const struct kube_pod *p)
{
    uint32_t n = node_of(m, p->node);
    if (!is_alive(p) || n == NO_NODE) {
        remark(&m->s->remarks,
               "left out: pods without GPUs and without a queue, of DaemonSets or of "
               "nodes, that have ended or are on no node that is ready");
        return;
    }
    m->j->background++;
    m->j->taken_cpu_milli[n] += p->ask.cpu_milli;
    m->j->taken_mem_mib[n] += p->ask.mem_mib;
    if (p->ask.gpus && !p->reservation)
        remark(&m->s->remarks, "left out: GPUs of pods of DaemonSets and of nodes themselves");
}

/* ---- pods into groups ---- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool asks_same(const struct kube_unit *u, const struct kube_ask *a, const struct kube_ask *b)
{
    bool nodes = same_text(a->selector, b->selector) && same_text(a->affinity, b->affinity) &&
                 same_text(a->tolerations, b->tolerations);
    return (nodes || u->workload || u->job) && a->cpu_milli == b->cpu_milli &&
           a->mem_mib == b->mem_mib && a->gpus == b->gpus && a->gpu_milli == b->gpu_milli &&
           a->share_mem_mib == b->share_mem_mib && same_text(a->mig, b->mig);
}

static struct kube_group *group_of(struct kube_unit *u, const struct kube_ask *ask,
                                   const char *name, const char *path)
{
    for (size_t g = 0; g < u->n_groups; g++)
        if (asks_same(u, u->group[g].ask, ask) && same_text(u->group[g].name, name) &&
            same_text(u->group[g].path, path))
            return &u->group[g];
    mem_grow(&u->group, &u->groups_capacity, u->n_groups, sizeof *u->group);
    u->group[u->n_groups++] =
        (struct kube_group){ .name = name, .path = path, .ask = ask, .pod = NO_NODE };
    return &u->group[u->n_groups - 1];
}

#define OF_NO_SUBGROUP "_"
/* The path of the pod in its PodGroup. */
static const char *path_in(const struct kube_podgroup *g, const struct kube_pod *p)
{
    if (!g || !g->n_subgroups)
        return g ? "." : NULL;
    for (size_t i = 0; p->subgroup && i < g->n_subgroups; i++)
        if (!g->subgroup[i].inner && !strcmp(g->subgroup[i].name, p->subgroup))
            return g->subgroup[i].path;
    return OF_NO_SUBGROUP;
}

static void add_pods(struct kube_group *g, uint32_t pod, uint32_t node, int64_t times)
{
    if (g->pod == NO_NODE)
        g->pod = pod;
    g->n += times;
    if (node == NO_NODE)
        return;
    g->running += times;
    mem_grow(&g->task, &g->capacity, g->n_tasks, sizeof *g->task);
    g->task[g->n_tasks++] = (struct kube_task){ .node = node, .pod = pod, .times = times };
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a == NO_TIME || (b != NO_TIME && b < a) ? b : a;
}

/* Of the Job that the pod is of: the other pods of the Job are of the same unit. */
static void note_job(struct making *m, const struct kube_pod *p, struct kube_unit *u)
{
    uint32_t k = p->owner.kind && !strcmp(p->owner.kind, "Job")
                     ? find_key(m->jobs, p->ns, "", p->owner.name)
                     : INTERN_NONE;
    if (k == INTERN_NONE)
        return;
    m->has_pods[k] = true;
    if (!u->job && p->podgroup)
        u->job = &m->s->jobs[k];
}

static void add_pod(struct making *m, uint32_t k)
{
    struct kube_site *s = m->s;
    struct kube_pod *p = &s->pods[k];
    if (is_background(m, p)) {
        take_off(m, p);
        return;
    }
    struct kube_unit *u = unit_of_pod(m, p);
    const char *path = path_in(u->podgroup, p);
    note_job(m, p, u);
    u->created_ns = earlier(u->created_ns, p->created_ns);
    if (!is_alive(p)) {
        if (!u->lone)
            return;
        u->failed = p->phase == POD_FAILED;
        u->started_ns = p->started_ns;
        u->finished_ns = p->finished_ns;
        u->ended = true;
        add_pods(group_of(u, &p->ask, p->podset, path), k, NO_NODE, 1);
        return;
    }
    if (p->leaving)
        remark(&s->remarks, "left out: that pods are being deleted: they run on");
    uint32_t node = node_of(m, p->node);
    if (path && !strcmp(path, OF_NO_SUBGROUP) && node == NO_NODE) {
        remark(&s->remarks, "left out: pods that wait and are of no subgroup of their PodGroup, "
                            "which KAI does not start");
        return;
    }
    if (p->node && node == NO_NODE)
        remark(&s->remarks, "pods on nodes that are not in the cluster file wait instead");
    if (node != NO_NODE)
        u->started_ns =
            earlier(u->started_ns, p->started_ns != NO_TIME ? p->started_ns : p->created_ns);
    if (p->ask.deadline_ns != NO_TIME)
        u->deadline_ns = p->ask.deadline_ns;
    struct kube_group *g = group_of(u, &p->ask, p->podset, path);
    if (!kube_same_terms(g->ask, &p->ask))
        remark(&s->remarks, "guessed: terms between pods, where pods of one group differ in them, "
                            "are those of its first");
    add_pods(g, k, node, 1);
}

/* ---- what objects say of pods that were not read ---- */

static void add_missing(struct kube_group *g, int64_t wanted)
{
    g->n = wanted > g->n ? wanted : g->n;
}

static void finish_job(struct making *m, struct kube_unit *u)
{
    const struct kube_job *b = u->job;
    int64_t all = b->completions ? b->completions : b->parallelism, tasks = b->parallelism,
            left = b->finished_ns != NO_TIME || b->succeeded >= all ? all : all - b->succeeded;
    if (left < tasks)
        tasks = left;
    if (!u->workload && !u->podgroup) {
        struct kube_group *g = u->n_groups ? &u->group[0] : group_of(u, &b->ask, NULL, NULL);
        if (u->n_groups == 1)
            add_missing(g, tasks);
        g->least = u->n_groups == 1 ? b->min_parallelism : 0;
        if (b->parallelism > 1)
            remark(&m->s->remarks,
                   "guessed: the pods of a Job without PodGroup or Workload make progress only "
                   "together");
    }
    if (tasks && left > tasks) {
        u->rounds = (uint32_t)((left + tasks - 1) / tasks);
        remark(&m->s->remarks, "guessed: a Job with more completions than pods takes that many "
                               "rounds of their run time");
    }
    u->created_ns = b->created_ns != NO_TIME ? b->created_ns : u->created_ns;
    u->deadline_ns = b->deadline_ns != NO_TIME ? b->deadline_ns : u->deadline_ns;
    if (b->finished_ns != NO_TIME) {
        u->started_ns = b->started_ns;
        u->finished_ns = b->finished_ns;
        u->failed = b->failed;
        u->ended = true;
        u->rounds = 1;
    }
}

/* Pods by topology assignment, of a workload, if none of its pods were read. */
static void place_podset(struct making *m, const struct kube_workload *w, uint32_t k,
                         struct kube_group *g)
{
    for (size_t i = 0; i < w->n_places; i++) {
        int64_t room = w->podset[k].count - g->n, pods = w->place[i].pods;
        if (w->place[i].podset == k && room > 0)
            add_pods(g, NO_NODE, node_of(m, w->place[i].host), pods < room ? pods : room);
    }
}

static void finish_workload(struct making *m, struct kube_unit *u)
{
    const struct kube_workload *w = u->workload;
    bool bare = u->n_groups == 0, placed = bare && w->admitted && w->finished_ns == NO_TIME;
    for (uint32_t k = 0; k < w->n_podsets; k++) {
        const struct kube_podset *p = &w->podset[k];
        struct kube_group *g = NULL;
        if (bare && p->count) {
            g = group_of(u, &p->ask, p->name, NULL);
            place_podset(m, w, k, g);
        } else if (u->n_groups == 1 && w->n_podsets == 1) {
            g = &u->group[0];
        }
        if (g) {
            add_missing(g, p->count);
            g->least = p->min_count;
        }
    }
    if (placed && !w->n_places)
        remark(&m->s->remarks, "admitted Workloads without pods and without a node wait instead");
    u->created_ns = w->created_ns != NO_TIME ? w->created_ns : u->created_ns;
    u->deadline_ns = w->deadline_ns != NO_TIME ? w->deadline_ns : u->deadline_ns;
    if (w->admitted_ns != NO_TIME)
        u->started_ns = w->admitted_ns;
    if (w->finished_ns != NO_TIME) {
        u->finished_ns = w->finished_ns;
        u->failed = w->failed;
        u->ended = true;
    }
}

static void finish_unit(struct making *m, struct kube_unit *u)
{
    int64_t running = 0;
    if (u->podgroup && u->podgroup->created_ns != NO_TIME)
        u->created_ns = u->podgroup->created_ns;
    if (u->workload)
        finish_workload(m, u);
    if (u->job)
        finish_job(m, u);
    kube_groups_order(m->s, u);
    for (size_t i = 0; i < u->n_groups; i++)
        running += u->group[i].running;
    u->state = u->ended ? KUBE_ENDED : running ? KUBE_RUNS : KUBE_WAITS;
    int64_t pods = 0;
    for (size_t i = 0; i < u->n_groups; i++)
        pods += u->group[i].n;
    if (u->n_groups && !pods) {
        u->state = KUBE_LEFT;
        remark(&m->s->remarks, "left out: jobs that want no pods");
    } else if (!u->n_groups ||
               (u->ended && (u->started_ns == NO_TIME || u->finished_ns == NO_TIME))) {
        u->state = KUBE_LEFT;
        remark(&m->s->remarks, "left out: jobs that have ended, of which nothing says when they "
                               "began and ended");
    } else if (u->state == KUBE_WAITS && u->workload && u->workload->inactive) {
        u->state = KUBE_LEFT;
        remark(&m->s->remarks, "left out: Workloads that are not active");
    }
}

/* ---- all ---- */

static void add_objects(struct making *m)
{
    struct kube_site *s = m->s;
    for (size_t i = 0; i < s->n_podgroups; i++)
        if (find_key(m->j->keys, s->podgroups[i].ns, "PodGroup", s->podgroups[i].name) ==
            INTERN_NONE)
            remark(&s->remarks, "left out: PodGroups without pods");
    for (size_t i = 0; i < s->n_workloads; i++)
        (void)unit_of_workload(m, &s->workloads[i]);
    for (size_t i = 0; i < s->n_jobs; i++) {
        const struct kube_job *b = &s->jobs[i];
        struct kube_owner self = { "Job", b->name }, top = topmost(m, b->ns, b->owner);
        bool queued = b->queue || b->local_queue, wanted = b->ask.gpus || queued || m->cpu_jobs;
        if (m->has_pods[i] ||
            (top.kind && find_key(m->j->keys, b->ns, top.kind, top.name) != INTERN_NONE))
            continue;
        if (b->suspended && !queued && !workload_of(m, b->ns, self)) {
            remark(&s->remarks, "left out: suspended Jobs without a queue");
            continue;
        }
        if (workload_of(m, b->ns, self))
            (void)unit_of_owner(m, b->ns, self);
        else if (!wanted)
            remark(&s->remarks, "left out: Jobs without GPUs and without a queue");
        else if (!workload_of(m, b->ns, top))
            (void)unit_of_owner(m, b->ns, self);
    }
}

void kube_jobs_make(struct kube_site *s, struct kube_jobs *j, bool cpu_jobs)
{
    struct making m = { .s = s,
                        .j = j,
                        .jobs = intern_new(),
                        .podgroups = intern_new(),
                        .workloads = intern_new(),
                        .owned = intern_new(),
                        .cpu_jobs = cpu_jobs };
    j->keys = intern_new();
    j->nodes = intern_new();
    m.has_pods = mem_new(s->n_jobs + 1, sizeof *m.has_pods);
    j->taken_cpu_milli = mem_new(s->n_nodes + 1, sizeof *j->taken_cpu_milli);
    j->taken_mem_mib = mem_new(s->n_nodes + 1, sizeof *j->taken_mem_mib);
    index_all(&m);
    for (size_t i = 0; i < s->n_pods; i++)
        add_pod(&m, (uint32_t)i);
    add_objects(&m);
    for (size_t i = 0; i < j->n; i++) {
        finish_unit(&m, &j->unit[i]);
        kube_claim(s, j, &j->unit[i]);
    }
    intern_free(m.jobs);
    intern_free(m.podgroups);
    intern_free(m.workloads);
    intern_free(m.owned);
    free(m.owned_by);
    free(m.has_pods);
}

void kube_jobs_free(struct kube_jobs *j)
{
    for (size_t i = 0; i < j->n; i++) {
        for (size_t g = 0; g < j->unit[i].n_groups; g++)
            free(j->unit[i].group[g].task);
        free(j->unit[i].group);
    }
    free(j->unit);
    intern_free(j->keys);
    intern_free(j->nodes);
    free(j->taken_cpu_milli);
    free(j->taken_mem_mib);
    *j = (struct kube_jobs){ 0 };
}

const struct kube_ask *kube_wishes(const struct kube_unit *u, const struct kube_group *g)
{
    const struct kube_workload *w = u->workload;
    for (uint32_t k = 0; w && k < w->n_podsets; k++)
        if (w->n_podsets == 1 || same_text(w->podset[k].name, g->name))
            return &w->podset[k].ask;
    return u->job && u->n_groups == 1 ? &u->job->ask : g->ask;
}
