/* pod_sets.c - see pod_sets.h. */
#include "sim/workload/pod_sets.h"

#include "sim/base/memory.h"
#include "sim/workload/asked_levels.h"

#include <stdlib.h>
#include <string.h>

#define SLICES_WANT                                                                                \
    "LEVEL:TASKS, several with ';' between them, LEVEL being node, island or a level above the node"

struct pod_sets {
    struct intern *bytes;
    struct pod_set **set;
    size_t capacity;
};

struct pod_sets *pod_sets_new(void)
{
    struct pod_sets *t = mem_new(1, sizeof *t);
    t->bytes = intern_new();
    return t;
}

void pod_sets_free(struct pod_sets *t)
{
    if (!t)
        return;
    intern_free(t->bytes);
    free(t->set);
    free(t);
}

/* s is zero where nothing is set. */
static const struct pod_set *add(struct workload *w, const struct pod_set *s)
{
    struct pod_sets *t = w->pod_sets;
    uint32_t known = intern_count(t->bytes);
    uint32_t id = intern_add(t->bytes, (const char *)s, sizeof *s);
    if (id < known)
        return t->set[id];
    struct pod_set *kept = arena_alloc(w->memory, sizeof *kept);
    *kept = *s;
    mem_grow(&t->set, &t->capacity, id, sizeof *t->set);
    return t->set[id] = kept;
}

/* ---- Slices ---- */

struct at {
    const char *file;
    size_t line;
    struct error *err;
};

static int wrong(struct at at, const char *text, const char *want)
{
    return error_set(at.err, "%s:%zu: slices: want %s, got '%.100s'", at.file, at.line, want, text);
}

/* From fine to coarse; an island spans nodes. */
static unsigned rank_of(uint32_t level)
{
    return level == LEVEL_ISLAND ? 1 : level <= LEVEL_NODE ? 0 : level;
}

/* As far as it is known yet what the levels are. */
static bool is_coarser(uint32_t a, uint32_t b)
{
    return a < LEVEL_NAMED && b < LEVEL_NAMED && rank_of(a) > rank_of(b);
}

static uint32_t level_around(const struct pod_set *s)
{
    return s->required_level != LEVEL_ANY ? s->required_level : s->preferred_level;
}

static bool in_order(const struct pod_set *s)
{
    bool good = !s->n_slices || level_around(s) == LEVEL_ANY ||
                !is_coarser(s->slice[0].level, level_around(s));
    for (uint32_t i = 1; i < s->n_slices; i++)
        good = good && is_coarser(s->slice[i - 1].level, s->slice[i].level);
    return good;
}

bool pod_sets_map_levels(struct pod_sets *t, const level_map map)
{
    bool good = true;
    for (uint32_t id = 0; id < intern_count(t->bytes); id++) {
        struct pod_set *s = t->set[id];
        s->required_level = map[s->required_level];
        s->preferred_level = map[s->preferred_level];
        for (uint32_t i = 0; i < s->n_slices; i++)
            s->slice[i].level = map[s->slice[i].level];
        good = good && in_order(s);
    }
    return good;
}

static int take_slice(struct workload *w, const char *text, const char *part, size_t length,
                      uint32_t tasks, struct pod_set *to, struct at at)
{
    const char *colon = memchr(part, ':', length);
    size_t name = colon ? (size_t)(colon - part) : 0;
    const struct set_slice *outer = to->n_slices ? &to->slice[to->n_slices - 1] : NULL;
    uint32_t level = name ? workload_level(w, part, name, at.file, at.line) : LEVEL_ANY;
    int64_t size = 0;
    if (name && level == LEVEL_ANY)
        return wrong(at, text, workload_level_want(w, part, name, SLICES_WANT));
    if (level == LEVEL_ANY || level == LEVEL_NUMA || level == LEVEL_CLUSTER ||
        !integer_parse(colon + 1, length - name - 1, &size) || size < 1 || size >= SPLIT_ANY)
        return wrong(at, text, SLICES_WANT);
    bool known = outer && level < LEVEL_NAMED && outer->level < LEVEL_NAMED;
    if (known && !is_coarser(outer->level, level))
        return wrong(at, text, "each level finer than the one before");
    if ((outer ? outer->tasks : tasks) % size)
        return wrong(at, text, outer ? "each size a part of the one before"
                                     : "tasks that are whole slices");
    to->slice[to->n_slices++] = (struct set_slice){ level, (uint32_t)size };
    return 0;
}

static int take_slices(struct workload *w, const char *text, uint32_t tasks, struct pod_set *to,
                       struct at at)
{
    for (size_t from = 0, length; text[from]; from += length + (text[from + length] == ';')) {
        length = strcspn(text + from, ";");
        if (take_slice(w, text, text + from, length, tasks, to, at) != 0)
            return -1;
    }
    uint32_t level = level_around(to);
    if (to->n_slices && level != LEVEL_ANY && is_coarser(to->slice[0].level, level))
        return wrong(at, text, "slices at the level of the topology or below it");
    return 0;
}

static uint32_t tasks_of(uint32_t tasks)
{
    return tasks ? tasks : 1;
}

static void begin(struct pod_set *s, uint8_t required_level, uint8_t preferred_level)
{
    memset(s, 0, sizeof *s);      /* its bytes are compared */
    s->required_level = required_level;
    s->preferred_level = preferred_level;
}

int pod_set_of_job(struct workload *w, const struct job_row *row, const char *file, size_t line,
                   const struct pod_set **set, struct error *err)
{
    struct pod_set s;
    *set = NULL;
    if (!row->slices || !*row->slices)
        return 0;
    begin(&s, row->required_level, row->preferred_level);
    if (take_slices(w, row->slices, tasks_of(row->tasks), &s, (struct at){ file, line, err }) != 0)
        return -1;
    *set = add(w, &s);
    return 0;
}

/* ---- Several sets ---- */

static bool has_text(const char *text)
{
    return text && *text;
}

static bool same_group(const struct task_row *a, const struct task_row *b)
{
    return has_text(a->podset_group) && has_text(b->podset_group) &&
           !strcmp(a->podset_group, b->podset_group);
}

/* Run i and the other of its podset_group, if it has one. */
static int check_group(const struct task_row *const *run, size_t n, size_t i, struct at at)
{
    const char *want = NULL;
    const struct task_row *row = run[i], *other = NULL;
    size_t alike = 0;
    for (size_t k = 0; k < n; k++) {
        other = k != i && same_group(row, run[k]) ? run[k] : other;
        alike += k != i && same_group(row, run[k]);
    }
    if (!has_text(row->podset_group))
        return 0;
    if (alike != 1)
        want = "two rows of the job";
    else if (tasks_of(row->tasks) != 1 && tasks_of(other->tasks) != 1)
        want = "a single task in one of the two rows";
    else if (row->required_level != other->required_level ||
             row->preferred_level != other->preferred_level)
        want = "the same topology in both rows";
    else if (has_text(row->slices) && tasks_of(row->tasks) == 1 && tasks_of(other->tasks) > 1)
        want = "no slices of the single task";
    return want ? error_set(at.err, "%s:%zu: podset_group: want %s, got '%.100s'", at.file, at.line,
                            want, row->podset_group)
                : 0;
}

/* Of run i, by those before it. */
static uint32_t number_of(const struct task_row *const *run, const struct pod_set **set, size_t i)
{
    uint32_t most = 0;
    for (size_t k = 0; k < i && has_text(run[i]->podset_group); k++) {
        if (same_group(run[k], run[i]))
            return set[k]->together;
        most = set[k]->together > most ? set[k]->together : most;
    }
    return has_text(run[i]->podset_group) ? most + 1 : 0;
}

int pod_sets_of_runs(struct workload *w, const struct task_row *const *run, size_t n, bool alone,
                     const char *file, const struct pod_set **set, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct task_row *row = run[i];
        struct at at = { file, row->line, err };
        struct pod_set s;
        set[i] = NULL;
        if (!alone && (has_text(row->slices) || has_text(row->podset_group)))
            return error_set(err,
                             "%s:%zu: %s: want each row a group of its own just below the job, and "
                             "no topology of the job itself",
                             file, row->line, has_text(row->slices) ? "slices" : "podset_group");
        if (!alone)
            continue;
        begin(&s, row->required_level, row->preferred_level);
        s.together = number_of(run, set, i);
        if (check_group(run, n, i, at) != 0 ||
            (has_text(row->slices) &&
             take_slices(w, row->slices, tasks_of(row->tasks), &s, at) != 0))
            return -1;
        set[i] = add(w, &s);
    }
    return 0;
}
