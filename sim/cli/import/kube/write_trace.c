/* write_trace.c - the jobs of a Kubernetes cluster as native traces: see kubernetes.h.
 *
 * What runs and waits is submitted at 0, the moment of the dump, in the order in which it was
 * created; a job that runs began before. How long it takes is a guess: until its deadline; else as
 * long again as it has run, or, if it waits, the run time of the command. What has ended is
 * submitted when it was created, and took as long as it did. */
#include "sim/base/units.h"
#include "sim/cli/import/kube/kubernetes.h"
#include "sim/cluster/labels.h"
#include "sim/cluster/mig.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char header[] =
    "job_id,submit_s,duration_s,gpus,group,tasks,min_tasks,cpus_per_task,mem_gib_per_task,gpu_"
    "milli,"
    "gpu_share_mem_gib,mig,queue,user,priority,preemptible,estimate_s,status,topology,"
    "node_selector,affinity,tolerations,running_on,started_s,recorded_wait_s,slices,podset_group,"
    "pod_labels,pod_affinity,pod_anti_affinity,pod_spread\n";

#define LONGEST_NS (INT64_C(3153600000) * NS_PER_S) /* 100 years, the longest of a cluster file */

struct writing {
    struct kube_import *im;
    struct output *o;
    struct intern *ids;
    bool ended;
    int64_t origin_ns;
};

/* ---- the order ---- */

struct key {
    int64_t created_ns;
    const char *key;
    uint32_t unit;
};

static int by_creation(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->created_ns != y->created_ns)
        return x->created_ns < y->created_ns ? -1 : 1;
    return strcmp(x->key, y->key);
}

/* What the trace says once for all pods of a job: of those that have GPUs. */
static const struct kube_ask *shared_ask(const struct kube_unit *u)
{
    for (size_t g = 0; g < u->n_groups; g++)
        if (u->group[g].ask->gpus)
            return u->group[g].ask;
    return u->group[0].ask;
}

static bool is_sayable(const struct kube_unit *u)
{
    const struct kube_ask *all = shared_ask(u);
    for (size_t g = 0; g < u->n_groups; g++) {
        const struct kube_ask *ask = u->group[g].ask;
        if (ask->gpus && (ask->share_mem_mib != all->share_mem_mib ||
                          strcmp(ask->mig ? ask->mig : "", all->mig ? all->mig : "") != 0))
            return false;
    }
    return true;
}

static bool is_wanted(struct writing *w, const struct kube_unit *u)
{
    if (u->state == KUBE_LEFT || (u->state == KUBE_ENDED) != w->ended)
        return false;
    if (!is_sayable(u)) {
        remark(&w->im->s->remarks, "left out: jobs whose pods differ in MIG profile or in a share "
                                   "of a GPU by memory");
        return false;
    }
    for (size_t g = 0; g < u->n_groups; g++) {
        const struct kube_ask *ask = u->group[g].ask;
        if (ask->mig && !mig_profile(ask->mig)) {
            remark(&w->im->s->remarks, "left out: jobs of MIG profile %.60s, which is none",
                   ask->mig);
            return false;
        }
    }
    return true;
}

static struct key *keys_of(struct writing *w, size_t *n)
{
    const struct kube_jobs *j = &w->im->jobs;
    struct key *key = mem_new(j->n + 1, sizeof *key);
    *n = 0;
    for (uint32_t i = 0; i < j->n; i++)
        if (is_wanted(w, &j->unit[i]))
            key[(*n)++] = (struct key){ j->unit[i].created_ns == NO_TIME ? w->im->now_ns
                                                                         : j->unit[i].created_ns,
                                        intern_text(j->keys, i), i };
    if (*n)
        qsort(key, *n, sizeof *key, by_creation);
    return key;
}

/* ---- times ---- */

static int64_t duration_of(const struct writing *w, const struct kube_unit *u)
{
    int64_t limit = u->deadline_ns, ran = 0, round;
    if (u->state == KUBE_ENDED)
        return u->finished_ns > u->started_ns ? u->finished_ns - u->started_ns : 0;
    if (u->state == KUBE_RUNS && u->started_ns != NO_TIME && u->started_ns < w->im->now_ns)
        ran = w->im->now_ns - u->started_ns;
    if (limit != NO_TIME)
        return limit > ran ? limit - ran : 0;
    round = ran ? 2 * ran : w->im->how.run_time_ns;
    return round <= LONGEST_NS / u->rounds ? round * u->rounds - ran : LONGEST_NS;
}

static void put_seconds(struct writing *w, int64_t ns)
{
    if (ns != NO_TIME)
        out_seconds(w->o, ns);
    out_char(w->o, ',');
}

/* ---- cells ---- */

static void put_text(struct writing *w, const char *text)
{
    out_csv(w->o, text ? text : "");
    out_char(w->o, ',');
}

/* "namespace/name"; the second of that id also has its kind. */
static void id_of(struct writing *w, const struct kube_unit *u, const char *key, char id[800])
{
    snprintf(id, 800, "%.250s/%.250s", u->ns, u->name);
    uint32_t before = intern_count(w->ids);
    if (intern_add(w->ids, id, strlen(id)) < before)
        snprintf(id, 800, "%.790s", key);
}

static void put_number(struct writing *w, int64_t value, int64_t nothing)
{
    if (value != nothing)
        out_integer(w->o, value);
    out_char(w->o, ',');
}

static void put_gib(struct writing *w, int64_t mib)
{
    if (mib)
        out_printf(w->o, "%.16g", (double)mib / 1024);
    out_char(w->o, ',');
}

/* Groups of a PodGroup without subgroups are parts of one group, the job. */
static bool has_column(const struct kube_unit *u, const struct kube_group *g)
{
    return u->n_groups > 1 || (g->path && strcmp(g->path, ".") != 0);
}

static void put_size(struct writing *w, const struct kube_unit *u, const struct kube_group *g,
                     size_t number)
{
    const struct kube_ask *ask = g->ask, *all = shared_ask(u);
    out_printf(w->o, "%" PRId64 ",", ask->gpus * g->n);
    if (has_column(u, g) && g->path)
        out_csv(w->o, g->path);
    else if (has_column(u, g))
        out_printf(w->o, "%zu%s%s", number, g->name ? "-" : "", g->name ? g->name : "");
    out_printf(w->o, ",%" PRId64 ",", g->n);
    put_number(w, g->least > 0 && g->least < g->n ? g->least : 0, 0);
    out_decimal(w->o, ask->cpu_milli, 1000);
    out_char(w->o, ',');
    put_gib(w, ask->mem_mib);
    put_number(w, ask->gpu_milli, 0);
    put_gib(w, all->share_mem_mib);
    put_text(w, all->mig);
}

/* An inner group: no tasks, only a level. */
static void put_no_size(struct writing *w, const struct kube_unit *u, const char *path)
{
    const struct kube_ask *all = shared_ask(u);
    out_text(w->o, "0,");
    put_text(w, path);
    out_text(w->o, ",,,,,");
    put_gib(w, all->share_mem_mib);
    put_text(w, all->mig);
}

/* Which groups of a job something is said of: those below a path ("." all), or one. */
struct scope {
    const char *path; /* NULL: the group */
    const struct kube_group *group;
};

static bool is_of(const struct scope *scope, const struct kube_group *g)
{
    size_t n = scope->path ? strlen(scope->path) : 0;
    if (!scope->path)
        return g == scope->group;
    return !strcmp(scope->path, ".") ||
           (g->path && !strncmp(g->path, scope->path, n) && (!g->path[n] || g->path[n] == '/'));
}

/* The nodes that tasks of the scope run on, one after the other; NULL: no more. Begins with
 * { 0, 0 }. */
struct walk {
    size_t g, t;
};
static const struct kube_node *next_node(const struct writing *w, const struct kube_unit *u,
                                         const struct scope *scope, struct walk *at)
{
    for (; u->state == KUBE_RUNS && at->g < u->n_groups; at->g++, at->t = 0) {
        const struct kube_group *g = &u->group[at->g];
        if (is_of(scope, g) && g->running && at->t < g->n_tasks)
            return &w->im->s->nodes[g->task[at->t++].node];
    }
    return NULL;
}

/* The API server gives each pod these, by itself
 * (kubernetes/kubernetes:plugin/pkg/admission/defaulttolerationseconds). */
static bool is_usual(const char *item, size_t n)
{
    static const char *const items[] = { "node.kubernetes.io/not-ready:NoExecute@300",
                                         "node.kubernetes.io/unreachable:NoExecute@300" };
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (strlen(items[i]) == n && !memcmp(items[i], item, n))
            return true;
    return false;
}

/* Also of taints that no node has: a reservation of the cluster file may bring one for a time. */
static void own_tolerations(const char *all, struct intern *own)
{
    for (const char *at = all; *at; at += strspn(at, ";")) {
        size_t length = strcspn(at, ";");
        if (!is_usual(at, length))
            intern_add(own, at, length);
        at += length;
    }
}

/* Taints that the job runs beside: these do not stop what runs. Of several tolerations of a taint
 * the first counts. */
static void guess_tolerations(const struct writing *w, const struct kube_unit *u,
                              const struct scope *scope, const char *all, struct intern *own)
{
    struct remarks *remarks = &w->im->s->remarks;
    const struct kube_node *n;
    for (struct walk walk = { 0, 0 }; (n = next_node(w, u, scope, &walk)) != NULL;)
        for (const char *at = n->taints; *at; at += strspn(at, ";")) {
            char taint[600];
            snprintf(taint, sizeof taint, "%.*s", (int)strcspn(at, ";"), at);
            at += strcspn(at, ";");
            if (taints_tolerated(taint, all)) {
                if (taint_tolerated_s(taint, all) != INT64_MAX)
                    remark(remarks, "left out: that jobs leave nodes that have a taint NoExecute "
                                    "already, some seconds after it came (tolerationSeconds)");
                continue;
            }
            intern_add(own, taint, strlen(taint));
            remark(remarks, "guessed: jobs that run beside a taint that they do not tolerate may "
                            "run there again");
        }
}

static void put_tolerations(struct writing *w, const struct kube_unit *u, const struct scope *scope,
                            const char *all)
{
    struct intern *own = intern_new();
    guess_tolerations(w, u, scope, all, own);
    own_tolerations(all, own);
    for (uint32_t i = 0; i < intern_count(own); i++) {
        out_text(w->o, i ? ";" : "");
        out_text(w->o, intern_text(own, i));
    }
    out_char(w->o, ',');
    intern_free(own);
}

/* Whether the nodes that it runs on have the labels that it asks for: they may have changed. */
static bool is_where_it_may(struct writing *w, const struct kube_unit *u, const struct scope *scope,
                            const struct kube_ask *wish)
{
    bool holds = true;
    const struct kube_node *n;
    for (struct walk walk = { 0, 0 }; (n = next_node(w, u, scope, &walk)) != NULL;) {
        char *labels = kube_node_labels(w->im, n);
        holds &= selector_holds(wish->selector, labels) && affinity_holds(wish->affinity, labels);
        free(labels);
    }
    if (!holds)
        remark(&w->im->s->remarks,
               "left out: selectors of jobs that run on nodes without these labels");
    return holds;
}

/* Whether all its nodes have one value of the label, or nothing of it runs. */
static bool is_within(const struct writing *w, const struct kube_unit *u, const struct scope *scope,
                      const char *label)
{
    const char *first = NULL;
    const struct kube_node *n;
    for (struct walk walk = { 0, 0 }; (n = next_node(w, u, scope, &walk)) != NULL;) {
        const char *value = kube_node_label(n, label);
        if (!value || (first && strcmp(first, value) != 0))
            return false;
        first = value;
    }
    return true;
}

/* The level of the trace, and whether it must be one such domain; NULL: none. */
static const char *topology_of(struct writing *w, const struct kube_unit *u,
                               const struct scope *scope, const char *required,
                               const char *preferred, bool *must)
{
    struct remarks *remarks = &w->im->s->remarks;
    const char *label = required && *required ? required : preferred;
    if (!label || !*label)
        return NULL;
    const char *level = kube_level(w->im, label);
    *must = label == required;
    if (*must && preferred && *preferred)
        remark(remarks, "left out: preferred topology levels of jobs that require one");
    if (!level)
        remark(remarks, "left out: topology level %.60s, which no topology has", label);
    if (!level || !*must || is_within(w, u, scope, label))
        return level;
    remark(remarks,
           "left out: topology of jobs that run in several domains of the level that they require");
    return NULL;
}

static void put_level(struct writing *w, const char *level, bool must)
{
    if (level)
        out_printf(w->o, "%s:%s", must ? "required" : "preferred", level);
    out_char(w->o, ',');
}

static const struct kube_subgroup *subgroup_at(const struct kube_podgroup *p, const char *path)
{
    for (size_t i = 0; p && i < p->n_subgroups; i++)
        if (!strcmp(p->subgroup[i].path, path))
            return &p->subgroup[i];
    return NULL;
}

/* Of a group of pods: what its subgroup, its PodGroup without subgroups, or its pods ask for. */
static void put_group_topology(struct writing *w, const struct kube_unit *u,
                               const struct kube_group *g, const struct kube_ask *wish)
{
    const struct kube_podgroup *p = u->podgroup;
    struct scope scope = { g->path, g };
    const struct kube_subgroup *sub = g->path ? subgroup_at(p, g->path) : NULL;
    const char *required = wish->required, *preferred = wish->preferred;
    bool must = false;
    if (p && g->path) {
        required = sub ? sub->required : p->n_subgroups ? NULL : p->required;
        preferred = sub ? sub->preferred : p->n_subgroups ? NULL : p->preferred;
    }
    const char *level = topology_of(w, u, &scope, required, preferred, &must);
    put_level(w, level, must);
}

/* ---- pod sets ---- */

/* Each layer finer than the one before, and a part of it. */
static void put_slices(struct writing *w, const struct kube_unit *u, const struct kube_group *g)
{
    const struct kube_ask *wish = kube_wishes(u, g);
    const char *around = wish->required ? wish->required : wish->preferred;
    int outer = around ? kube_level_rank(w->im, kube_level(w->im, around)) - 1 : 0;
    int64_t pods = g->n;
    bool any = false;
    for (size_t k = 0; k < g->ask->n_slices; k++) {
        const struct kube_slice *layer = &g->ask->slice[k];
        const char *level = kube_level(w->im, layer->level);
        int rank = kube_level_rank(w->im, level);
        if (rank < 1 || rank <= outer || !layer->size || pods % layer->size) {
            remark(&w->im->s->remarks,
                   "left out: slices without a size or of no level of the topology below that of "
                   "the job, or that the pods do not fill");
            continue;
        }
        out_printf(w->o, "%s%s:%" PRId64, any ? ";" : "", level, layer->size);
        any = true;
        outer = rank;
        pods = layer->size;
    }
}

/* The number of the pair, from 1. */
static void put_set_group(struct writing *w, const struct kube_unit *u, size_t g)
{
    const char *name = u->group[g].ask->set_group;
    size_t alike = 0, first = g, other = g;
    for (size_t k = u->n_groups; name && k-- > 0;) {
        const char *its = u->group[k].ask->set_group;
        if (!its || strcmp(its, name) != 0)
            continue;
        alike++;
        first = k;
        other = k != g ? k : other;
    }
    if (!name || (u->n_groups == 1 && alike == 1))
        return;
    const struct kube_group *leader = &u->group[u->group[g].n == 1 ? g : other];
    if (alike == 2 && leader->n == 1 && !leader->ask->n_slices)
        out_printf(w->o, "%zu", first + 1);
    else
        remark(&w->im->s->remarks,
               "left out: groups of pod sets that are not a leader of one pod and workers");
}

static void put_running(struct writing *w, const struct kube_unit *u)
{
    bool any = false;
    for (size_t g = 0; g < u->n_groups && u->state == KUBE_RUNS; g++) {
        const struct kube_group *group = &u->group[g];
        for (size_t t = 0; t < group->n_tasks && group->running; t++)
            for (int64_t i = 0; i < group->task[t].times; i++) {
                out_text(w->o, any ? ";" : "");
                out_integer(w->o, w->im->number[group->task[t].node]);
                if (group->task[t].gpus) {
                    out_char(w->o, ':');
                    out_bits(w->o, group->task[t].gpus);
                }
                any = true;
            }
    }
    out_char(w->o, ',');
    if (any && u->started_ns != NO_TIME && u->started_ns <= w->im->now_ns)
        out_seconds(w->o, u->started_ns - w->im->now_ns);
    out_char(w->o, ',');
}

/* ---- rows ---- */

static void put_head(struct writing *w, const struct kube_unit *u, const char *id,
                     int64_t created_ns)
{
    put_text(w, id);
    put_seconds(w, w->ended ? created_ns - w->origin_ns : 0);
    put_seconds(w, duration_of(w, u));
}

static void put_owner(struct writing *w, const struct kube_unit *u)
{
    put_text(w, u->queue);
    put_text(w, u->ns);
    out_printf(w->o, "%" PRId32 ",%s,", u->priority, u->preemptible ? "yes" : "no");
    put_seconds(w, u->deadline_ns);
    out_printf(w->o, "%s,", u->failed && w->ended ? "failed" : "completed");
}

static void put_past(struct writing *w, const struct kube_unit *u, int64_t created_ns)
{
    put_running(w, u);
    if (w->ended && u->started_ns >= created_ns)
        out_seconds(w->o, u->started_ns - created_ns);
    out_char(w->o, ',');
}

static void put_pods(struct writing *w, const struct kube_unit *u)
{
    out_char(w->o, ',');
    kube_put_pod_terms(w->im, w->o, u, shared_ask(u));
    out_char(w->o, '\n');
}

static void put_row(struct writing *w, const struct kube_unit *u, const char *id,
                    int64_t created_ns, size_t g)
{
    const struct kube_group *group = &u->group[g];
    const struct kube_ask *wish = kube_wishes(u, group);
    struct scope scope = { NULL, group };
    put_head(w, u, id, created_ns);
    put_size(w, u, group, g);
    put_owner(w, u);
    put_group_topology(w, u, group, wish);
    bool may = is_where_it_may(w, u, &scope, wish);
    put_text(w, may ? wish->selector : "");
    put_text(w, may ? wish->affinity : "");
    put_tolerations(w, u, &scope, wish->tolerations);
    put_past(w, u, created_ns);
    put_slices(w, u, group);
    out_char(w->o, ',');
    put_set_group(w, u, g);
    put_pods(w, u);
}

/* A PodGroup, or a subgroup, that has subgroups below it and asks for a level. */
static void put_inner(struct writing *w, const struct kube_unit *u, const char *id,
                      int64_t created_ns, const char *path, const char *required,
                      const char *preferred)
{
    struct scope scope = { path, NULL };
    bool must = false, pods = false;
    for (size_t g = 0; g < u->n_groups; g++)
        pods |= is_of(&scope, &u->group[g]);
    const char *level = pods ? topology_of(w, u, &scope, required, preferred, &must) : NULL;
    if (!level)
        return;
    put_head(w, u, id, created_ns);
    put_no_size(w, u, path);
    put_owner(w, u);
    put_level(w, level, must);
    out_text(w->o, ",,,");
    put_past(w, u, created_ns);
    out_char(w->o, ',');
    put_pods(w, u);
}

static void put_job(struct writing *w, const struct kube_unit *u, const char *id,
                    int64_t created_ns)
{
    const struct kube_podgroup *p = u->podgroup;
    if (p && p->n_subgroups)
        put_inner(w, u, id, created_ns, ".", p->required, p->preferred);
    for (size_t i = 0; p && i < p->n_subgroups; i++)
        if (p->subgroup[i].inner)
            put_inner(w, u, id, created_ns, p->subgroup[i].path, p->subgroup[i].required,
                      p->subgroup[i].preferred);
    for (size_t g = 0; g < u->n_groups; g++)
        put_row(w, u, id, created_ns, g);
}

static void count_unit(struct kube_import *im, const struct kube_unit *u)
{
    struct remarks *remarks = &im->s->remarks;
    im->ended += u->state == KUBE_ENDED;
    im->running += u->state == KUBE_RUNS;
    im->waiting += u->state == KUBE_WAITS;
    if (u->state == KUBE_RUNS && u->deadline_ns == NO_TIME)
        remark(remarks, "guessed: a job that runs without a deadline runs as long again as it has "
                        "run");
    if (u->state == KUBE_WAITS && u->deadline_ns == NO_TIME)
        remark(remarks, "guessed: a job that waits without a deadline takes %.10g s (--run-time)",
               seconds(im->how.run_time_ns));
}

size_t kube_put_jobs(struct kube_import *im, struct output *o, bool ended)
{
    struct writing w = { .im = im, .o = o, .ids = intern_new(), .ended = ended };
    size_t n;
    struct key *key = keys_of(&w, &n);
    w.origin_ns = n ? key[0].created_ns : 0;
    out_text(o, header);
    for (size_t i = 0; i < n; i++) {
        const struct kube_unit *u = &im->jobs.unit[key[i].unit];
        char id[800];
        id_of(&w, u, key[i].key, id);
        put_job(&w, u, id, key[i].created_ns);
        count_unit(im, u);
    }
    intern_free(w.ids);
    free(key);
    return n;
}
