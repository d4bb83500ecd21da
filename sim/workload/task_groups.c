/* task_groups.c - see task_groups.h. */
#include "sim/workload/task_groups.h"

#include "sim/base/memory.h"
#include "sim/workload/pod_sets.h"
#include "sim/workload/workload_builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct group_trees {
    struct intern *texts;         /* a tree as one text */
    struct grown { struct task_group *group; uint32_t n; } *tree;
    size_t capacity;
};

struct group_trees *group_trees_new(void)
{
    struct group_trees *t = mem_new(1, sizeof *t);
    t->texts = intern_new();
    return t;
}

void group_trees_free(struct group_trees *t)
{
    if (!t)
        return;
    intern_free(t->texts);
    free(t->tree);
    free(t);
}

void group_trees_map_levels(struct group_trees *t, const level_map map)
{
    for (uint32_t i = 0; i < intern_count(t->texts); i++)
        for (struct task_group *g = t->tree[i].group; g < t->tree[i].group + t->tree[i].n; g++) {
            g->required_level = map[g->required_level];
            g->preferred_level = map[g->preferred_level];
        }
}

/* ---- The tree of one job, in the making ---- */

/* The parts that have tasks, in the order of tasks. */
struct job_groups {
    size_t n_runs;
    const struct task_row **run;  /* [n_runs] */
    uint32_t *group_of;           /* [n_runs] */
    const struct pod_set **set;   /* [n_runs] */
    uint32_t min_tasks;           /* of all leaves */
    uint32_t n_groups;            /* 0: only the root */
    const struct task_group *group;    /* the same pointer for equal trees */
    uint8_t required_level, preferred_level;    /* of the root */
};

static void job_groups_free(struct job_groups *g)
{
    free(g->run);
    free(g->group_of);
    free(g->set);
}

struct node {
    const char *path;             /* not ended: length counts */
    size_t length;
    uint32_t parent, min_tasks, parts;
    uint8_t required_level, preferred_level;
    bool inner;
};
struct making {
    const char *file;
    struct error *err;
    struct node node[GROUPS_MAX];
    uint32_t n;
};

static int wrong(const struct making *m, const struct task_row *part, const char *want)
{
    return error_set(m->err, "%s:%zu: group: want %s, got '%.100s'", m->file, part->line, want,
                     part->group);
}

static uint32_t find(const struct making *m, const char *path, size_t length)
{
    uint32_t g = 1;
    while (g < m->n && !(m->node[g].length == length && !memcmp(m->node[g].path, path, length)))
        g++;
    return g;
}

/* The group of that path, and those around it. */
static int enter(struct making *m, const struct task_row *part, uint32_t *g)
{
    *g = 0;
    if (!strcmp(part->group, "."))
        return 0;
    for (size_t length = 0, from = 0;; from = length + 1) {
        length = from + strcspn(part->group + from, "/");
        if (length == from || (length == from + 1 && part->group[from] == '.'))
            return wrong(m, part, "'.', or names with '/' between them");
        uint32_t parent = *g;
        *g = find(m, part->group, length);
        if (*g == GROUPS_MAX)
            return wrong(m, part, "at most 999 groups in a job");
        m->node[parent].inner = true;
        if (*g == m->n)
            m->node[m->n++] =
                (struct node){ part->group, length, parent, 0, 0, LEVEL_ANY, LEVEL_ANY, false };
        if (!part->group[length])
            return 0;
    }
}

static int take_levels(struct making *m, const struct task_row *part, uint32_t g)
{
    struct node *n = &m->node[g];
    bool same =
        n->required_level == part->required_level && n->preferred_level == part->preferred_level;
    if (n->parts++ && !same)
        return error_set(m->err, "%s:%zu: topology: want the same in all rows of group '%.100s'",
                         m->file, part->line, part->group);
    n->required_level = part->required_level;
    n->preferred_level = part->preferred_level;
    return 0;
}

static uint32_t tasks_of(const struct task_row *part)
{
    return part->tasks ? part->tasks : 1;
}

static int check_size(const struct making *m, const struct task_row *part)
{
    if (part->min_tasks > tasks_of(part))
        return error_set(m->err, "%s:%zu: min_tasks: want at most as many as tasks (%u), got %u",
                         m->file, part->line, tasks_of(part), part->min_tasks);
    if (part->gpus && (part->gpu_milli < 1 || part->gpu_milli > MILLI_ALL))
        return error_set(m->err, "%s:%zu: gpu_milli: want from 1 to %u, got %u", m->file,
                         part->line, MILLI_ALL, part->gpu_milli);
    if (part->cpu_milli < 0 || part->mem_mib < 0)
        return error_set(m->err, "%s:%zu: want CPUs and memory of at least 0", m->file, part->line);
    return 0;
}

static bool same_wish(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Of an inner group: it may use no nodes itself, but may repeat what all rows of the job say. */
static int check_inner_nodes(const struct making *m, const struct task_row *part,
                             const struct job_row *row)
{
    bool says = !same_wish(part->selector, NULL) || !same_wish(part->affinity, NULL) ||
                !same_wish(part->tolerations, NULL);
    for (size_t i = 0; says && i < row->n_parts; i++)
        if (!same_wish(part->selector, row->part[i].selector) ||
            !same_wish(part->affinity, row->part[i].affinity) ||
            !same_wish(part->tolerations, row->part[i].tolerations))
            return error_set(m->err,
                             "%s:%zu: node_selector, affinity, tolerations: want them in the rows "
                             "with tasks, got some of group '%.100s', which has groups below it",
                             m->file, part->line, part->group);
    return 0;
}

static int check_inner(const struct making *m, const struct task_row *part)
{
    if (part->gpus || part->tasks || part->cpu_milli || part->mem_mib)
        return error_set(m->err,
                         "%s:%zu: want no GPUs, tasks, CPUs or memory of group '%.100s', as it has "
                         "groups below it",
                         m->file, part->line, part->group);
    if (part->required_level == LEVEL_ANY && part->preferred_level == LEVEL_ANY)
        return error_set(m->err,
                         "%s:%zu: topology: want one of group '%.100s', as it has groups below it",
                         m->file, part->line, part->group);
    return 0;
}

/* By group, then as given. */
static void order_runs(struct job_groups *to, uint32_t n_groups)
{
    const struct task_row **run = mem_new(to->n_runs, sizeof *run);
    uint32_t *group_of = mem_new(to->n_runs, sizeof *group_of);
    size_t *from = mem_new(n_groups + 1, sizeof *from);
    for (size_t i = 0; i < to->n_runs; i++)
        from[to->group_of[i] + 1]++;
    for (uint32_t g = 0; g < n_groups; g++)
        from[g + 1] += from[g];
    for (size_t i = 0; i < to->n_runs; i++) {
        size_t k = from[to->group_of[i]]++;
        run[k] = to->run[i];
        group_of[k] = to->group_of[i];
    }
    free(from);
    job_groups_free(to);
    to->run = run;
    to->group_of = group_of;
}

static int take_parts(struct making *m, const struct job_row *row, struct job_groups *to)
{
    uint64_t tasks = 0;
    if (row->n_parts > GROUPS_MAX)
        return error_set(m->err, "%s:%zu: want at most %d rows of a job", m->file,
                         row->part[GROUPS_MAX].line, GROUPS_MAX);
    uint32_t *group_of = mem_new(row->n_parts, sizeof *group_of);
    to->run = mem_new(row->n_parts, sizeof *to->run);
    to->group_of = mem_new(row->n_parts, sizeof *to->group_of);
    for (size_t i = 0; i < row->n_parts && !m->err->text[0]; i++)
        if (enter(m, &row->part[i], &group_of[i]) == 0)
            take_levels(m, &row->part[i], group_of[i]);
    for (size_t i = 0; i < row->n_parts && !m->err->text[0]; i++) {
        const struct task_row *part = &row->part[i];
        struct node *n = &m->node[group_of[i]];
        if ((n->inner ? check_inner(m, part) : check_size(m, part)) != 0 ||
            (n->inner && check_inner_nodes(m, part, row) != 0) || n->inner)
            continue;
        to->group_of[to->n_runs] = group_of[i];
        to->run[to->n_runs++] = part;
        n->min_tasks += part->min_tasks ? part->min_tasks : tasks_of(part);
        to->min_tasks += part->min_tasks ? part->min_tasks : tasks_of(part);
        tasks += tasks_of(part);
        if (tasks >= SPLIT_ANY)
            error_set(m->err, "%s:%zu: tasks: want less than %u in all", m->file, part->line,
                      SPLIT_ANY);
    }
    free(group_of);
    for (uint32_t g = 0; g < m->n && !m->err->text[0]; g++)
        if (!m->node[g].inner && !m->node[g].parts)
            error_set(m->err, "%s:%zu: group: want rows with tasks", m->file, row->part[0].line);
    return m->err->text[0] ? -1 : 0;
}

/* ---- Each tree once ---- */

static const struct task_group *intern_tree(struct workload *w, const struct making *m)
{
    struct group_trees *t = w->trees;
    char *text = NULL;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    for (uint32_t g = 1; g < m->n; g++)
        fprintf(f, "%zu:%.*s,%" PRIu32 ",%" PRIu32 ",%u,%u;", m->node[g].length,
                (int)m->node[g].length, m->node[g].path, m->node[g].parent, m->node[g].min_tasks,
                m->node[g].required_level, m->node[g].preferred_level);
    fprintf(f, "%u,%u", m->node[0].required_level, m->node[0].preferred_level);
    mem_stream_end(f, &text);
    uint32_t known = intern_count(t->texts), id = intern_add(t->texts, text, length);
    free(text);
    if (id < known)
        return t->tree[id].group;
    struct task_group *tree = arena_alloc(w->memory, m->n * sizeof *tree);
    for (uint32_t g = 0; g < m->n; g++) {
        const struct node *n = &m->node[g];
        tree[g] = (struct task_group){ g ? arena_text(w->memory, n->path, n->length) : ".",
                                       g ? n->parent : ID_NONE, n->inner ? 0 : n->min_tasks,
                                       n->required_level, n->preferred_level };
    }
    mem_grow(&t->tree, &t->capacity, id, sizeof *t->tree);
    t->tree[id] = (struct grown){ tree, m->n };
    return tree;
}

/* Each row is a group of its own just below the job, which asks for no level. */
static bool stand_alone(const struct making *m)
{
    bool alone = m->n > 1 && m->node[0].required_level == LEVEL_ANY &&
                 m->node[0].preferred_level == LEVEL_ANY;
    for (uint32_t g = 1; g < m->n; g++)
        alone = alone && m->node[g].parent == 0 && m->node[g].parts == 1;
    return alone;
}

static int make_groups(struct workload *w, const struct job_row *row, const char *file,
                       struct job_groups *to, struct error *err)
{
    struct making *m = mem_new(1, sizeof *m);
    *to = (struct job_groups){ .n_groups = 0 };
    m->file = file;
    m->err = err;
    m->node[m->n++] = (struct node){ ".", 1, ID_NONE, 0, 0, LEVEL_ANY, LEVEL_ANY, false };
    int result = take_parts(m, row, to);
    if (result == 0) {
        order_runs(to, m->n);
        to->required_level = m->node[0].required_level;
        to->preferred_level = m->node[0].preferred_level;
        if (m->n > 1) {
            to->n_groups = m->n;
            to->group = intern_tree(w, m);
        }
        to->set = mem_new(to->n_runs, sizeof *to->set);
        result = pod_sets_of_runs(w, to->run, to->n_runs, stand_alone(m), file, to->set, err);
    }
    free(m);
    return result;
}

/* ---- The chain of runs ---- */

static struct request request_of(const struct job_groups *g, size_t run, uint32_t first_task,
                                 const struct job_row *row)
{
    const struct task_row *part = g->run[run];
    return (struct request){
        .job = ID_NONE,
        .tasks = tasks_of(part),
        .first_task = first_task,
        .group = g->group_of[run],
        .gpus = part->gpus,
        .gpu_milli = job_row_milli(row, part->gpus, part->gpu_milli),
        .mig = part->gpus ? row->mig : 0,
        .required_level = g->required_level,
        .preferred_level = g->preferred_level,
        .cpu_milli = part->cpu_milli,
        .mem_mib = part->mem_mib,
        .max_per_node = row->max_per_node,
        .set = g->set[run],
        .try_first = ID_NONE,
    };
}

/* Which nodes it may use: its own words, or those of the job. */
static void take_nodes(struct workload *w, struct shape *to, const struct shape *job,
                       const struct task_row *part)
{
    to->selector = part->selector ? workload_wish(w, part->selector) : job->selector;
    to->affinity = part->affinity ? workload_wish(w, part->affinity) : job->affinity;
    to->tolerations = part->tolerations ? workload_wish(w, part->tolerations) : job->tolerations;
}

/* The last run first: each is a shape with all that follows. */
int task_groups_shape(struct workload *w, const struct job_row *row, struct shape common,
                      const char *file, shape_id *shape, uint32_t *min_tasks, struct error *err)
{
    struct job_groups groups;
    int result = make_groups(w, row, file, &groups, err);
    uint32_t first_task = 0;
    const struct shape job = common;
    for (size_t i = 0; result == 0 && i < groups.n_runs; i++)
        first_task += tasks_of(groups.run[i]);
    for (size_t i = groups.n_runs; result == 0 && i-- > 0; common.next = *shape) {
        first_task -= tasks_of(groups.run[i]);
        common.n_groups = groups.n_groups;
        common.group = groups.group;
        common.gpu_mem_mib = groups.run[i]->gpus ? row->gpu_mem_mib : 0;
        common.share_mem_mib = groups.run[i]->gpus ? row->share_mem_mib : 0;
        common.used_mem_mib = groups.run[i]->gpus ? row->used_mem_mib : 0;
        take_nodes(w, &common, &job, groups.run[i]);
        common.gpu_type = groups.run[i]->gpu_type_length
                              ? intern_add(w->gpu_types, groups.run[i]->gpu_type,
                                           groups.run[i]->gpu_type_length)
                              : job.gpu_type;
        common.ask = request_of(&groups, i, first_task, row);
        *shape = shapes_add(w->builder->shapes, &common);
    }
    *min_tasks = groups.min_tasks;
    job_groups_free(&groups);
    return result;
}
