/* dependencies.c - see workload_builder.h. What a trace says becomes job numbers once all jobs are
 * read and sorted.
 *
 *   list  = entry { ";" entry }     all must be met
 *         | entry { "?" entry }     one is enough
 *   entry = job_id                  the same as afterany:job_id
 *         | outcome ":" job_id { ":" job_id }
 *         | "aftercorr" ":" array         of task ARRAY2_i: afterok:array_i
 *         | "singleton" [ ":" name ]
 *         | "limit" ":" number ":" name
 *   outcome = "afterok" | "afternotok" | "afterany" | "after"
 *
 * Slurm's words (sbatch --dependency); its "," between entries does for ";" in an entry that is not
 * itself a job_id. What is a job_id as it stands means that job: names with any of these signs keep
 * what they meant. */
#include "sim/base/memory.h"
#include "sim/workload/workload_builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dependencies_note(struct workload *w, const char *list, size_t length, size_t line)
{
    struct workload_builder *b = w->builder;
    mem_grow(&b->wait, &b->waits_capacity, b->n_waits, sizeof *b->wait);
    b->wait[b->n_waits++] = (struct job_waits){ w->truth[w->n_jobs - 1].name,
                                                arena_text(w->memory, list, length), line };
}

/* ---- names ---- */

struct named {
    const char *name;
    job_id job;
};

static int by_name(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    return strcmp(a->name, b->name);
}

static struct named *all_names(const struct workload *w)
{
    uint32_t n = workload_all(w);
    struct named *all = mem_new(n, sizeof *all);
    for (job_id j = 0; j < n; j++)
        all[j] = (struct named){ w->truth[j].name, j };
    qsort(all, n, sizeof *all, by_name);
    return all;
}

static job_id job_named(const struct workload *w, const struct named *all, const char *name)
{
    const struct named key = { name, 0 },
                       *found = bsearch(&key, all, workload_all(w), sizeof *all, by_name);
    return found ? found->job : ID_NONE;
}

/* ---- the lists ---- */

const char *const depends_how_name[DEPENDS_HOWS] = { "afterany", "afterok", "afternotok",
                                                     "after" };
#define AFTERCORR "aftercorr"
#define SINGLETON "singleton"
#define LIMIT     "limit"

struct line_of {
    job_id job;
    const struct job_waits *wait;
};

static int by_job(const void *left, const void *right)
{
    const struct line_of *a = left, *b = right;
    return (a->job > b->job) - (a->job < b->job);
}

struct reading {
    struct workload *w;
    const struct named *all;
    const struct job_waits *wait; /* the list that is being read */
    job_id job;                   /* of this job */
    bool alternatives;            /* with '?' between its entries */
    const char *file;
    struct error *err;
    size_t n, on_capacity, how_capacity;
};

static int wrong(const struct reading *r, const char *what, const char *got)
{
    return error_set(r->err, "%s:%zu: depends_on: %s, got '%.100s'", r->file, r->wait->line, what, got);
}

static int depend(struct reading *r, job_id on, enum depends_how how)
{
    struct workload *w = r->w;
    if (r->n == UINT32_MAX - 1)
        return error_set(r->err, "%s: want less than 4294967295 dependencies", r->file);
    mem_grow(&w->depends_on, &r->on_capacity, r->n, sizeof *w->depends_on);
    mem_grow(&w->depends_how, &r->how_capacity, r->n, sizeof *w->depends_how);
    w->depends_on[r->n] = on;
    w->depends_how[r->n++] = (uint8_t)(how | (r->alternatives ? DEPENDS_OR : 0));
    return 0;
}

static int read_name(struct reading *r, const char *name, enum depends_how how)
{
    job_id on = job_named(r->w, r->all, name);
    if (on == ID_NONE)
        return error_set(r->err, "%s:%zu: depends_on: no job has the job_id '%.100s'", r->file,
                         r->wait->line, name);
    if (on >= r->w->n_jobs)
        return wrong(r, "want jobs of the trace, as others come and go in the run", name);
    return depend(r, on, how);
}

/* "a:b" behind an outcome: one job of that name, else several. */
static int read_names(struct reading *r, char *names, enum depends_how how)
{
    if (job_named(r->w, r->all, names) != ID_NONE)
        return read_name(r, names, how);
    for (char *end; (end = strchr(names, ':')); names = end + 1) {
        *end = '\0';
        if (read_name(r, names, how))
            return -1;
    }
    return read_name(r, names, how);
}

static int take_turn(struct reading *r, const char *name, size_t length, uint32_t most)
{
    struct workload *w = r->w;
    if (r->job >= w->n_jobs)
        return wrong(r, "want no singleton or limit of a service", r->wait->waits_for);
    if (r->alternatives)
        return wrong(r, "want no '?' beside singleton or limit", r->wait->waits_for);
    if (!w->turn) {
        w->turn = mem_new(w->n_jobs, sizeof *w->turn);
        for (job_id j = 0; j < w->n_jobs; j++)
            w->turn[j].name = ID_NONE;
    }
    if (w->turn[r->job].name != ID_NONE)
        return wrong(r, "want one singleton or limit", r->wait->waits_for);
    w->turn[r->job] = (struct own_turn){ intern_add(w->wishes, name, length), most };
    return 0;
}

static int read_singleton(struct reading *r, const char *name)
{
    if (r->w->facts[r->job].user == ID_NONE)
        return wrong(r, "want a user, too, of whom one job runs at a time", r->wait->waits_for);
    return take_turn(r, name, strlen(name), 0);
}

/* "2:name" */
static int read_limit(struct reading *r, const char *text)
{
    size_t digits = strspn(text, "0123456789");
    unsigned long most = strtoul(text, NULL, 10);
    if (!digits || digits > 9 || !most || text[digits] != ':' || !text[digits + 1])
        return wrong(r, "want limit:NUMBER:NAME with a number from 1 to 999999999", r->wait->waits_for);
    return take_turn(r, text + digits + 1, strlen(text + digits + 1), (uint32_t)most);
}

/* The task of that array with the index of this one: what stands behind the last '_'. */
static int read_corresponding(struct reading *r, const char *array)
{
    const char *own = r->w->truth[r->job].name, *index = strrchr(own, '_');
    if (!index || !index[1] || index[1 + strspn(index + 1, "0123456789")])
        return wrong(r, "aftercorr wants a job_id that ends in _INDEX, as tasks of an array have", own);
    size_t size = strlen(array) + strlen(index) + 1;
    char *task = mem_new(size, 1);
    snprintf(task, size, "%s%s", array, index);
    int result = read_name(r, task, AFTER_OK);
    free(task);
    return result;
}

/* Behind `word` and a ':', or NULL. */
static char *behind(char *entry, const char *word)
{
    size_t n = strlen(word);
    return strncmp(entry, word, n) == 0 && entry[n] == ':' ? entry + n + 1 : NULL;
}

static char *behind_outcome(char *entry, enum depends_how *how)
{
    char *names = NULL;
    for (unsigned i = 0; !names && i < DEPENDS_HOWS; i++) {
        names = behind(entry, depends_how_name[i]);
        *how = names ? (enum depends_how)i : *how;
    }
    return names;
}

static int read_entry(struct reading *r, char *entry)
{
    enum depends_how how = AFTER_ANY;
    if (job_named(r->w, r->all, entry) != ID_NONE)
        return read_name(r, entry, AFTER_ANY);
    char *names = behind(entry, SINGLETON);
    if (names || strcmp(entry, SINGLETON) == 0)
        return read_singleton(r, names ? names : "");
    names = behind(entry, LIMIT);
    if (names)
        return read_limit(r, names);
    names = behind(entry, AFTERCORR);
    if (names)
        return read_corresponding(r, names);
    names = behind_outcome(entry, &how);
    return names ? read_names(r, names, how) : read_name(r, entry, AFTER_ANY);
}

/* An entry that is a job_id may have any of the signs in its name. */
static int read_entries(struct reading *r, char *list, const char *signs)
{
    for (bool more = true; more;) {
        size_t n = strcspn(list, (const char[]){ *signs, '\0' });
        more = list[n] != '\0';
        list[n] = '\0';
        bool whole = !signs[1] || job_named(r->w, r->all, list) != ID_NONE || !strchr(list, signs[1]);
        if (whole ? read_entry(r, list) : read_entries(r, list, signs + 1))
            return -1;
        list += n + 1;
    }
    return 0;
}

static int read_list(struct reading *r, char *list)
{
    bool is_name = job_named(r->w, r->all, list) != ID_NONE;
    r->alternatives = !is_name && !strchr(list, ';') && strchr(list, '?');
    if (r->alternatives && strchr(list, ','))
        return wrong(r, "want ';' or '?' between entries, not both", list);
    return read_entries(r, list, r->alternatives ? "?" : ";,");
}

/* ---- turns ---- */

static int by_turn(const void *left, const void *right)
{
    const struct turn *a = left, *b = right;
    if (a->user != b->user)
        return a->user < b->user ? -1 : 1;
    if (a->name != b->name)
        return a->name < b->name ? -1 : 1;
    if (a->runs != b->runs)
        return a->runs ? -1 : 1;
    return a->job < b->job ? -1 : a->job > b->job;
}

struct turn *workload_turns(const struct workload *w, uint32_t *n)
{
    *n = 0;
    if (!w->turn)
        return NULL;
    struct turn *turn = mem_new(w->n_jobs, sizeof *turn);
    for (job_id j = 0; j < w->n_jobs; j++) {
        struct own_turn own = w->turn[j];
        if (own.name != ID_NONE)
            turn[(*n)++] = (struct turn){ own.most ? ID_NONE : w->facts[j].user, own.name,
                                          own.most ? own.most : 1, workload_extra(w, j)->running != 0, j };
    }
    qsort(turn, *n, sizeof *turn, by_turn);
    return turn;
}

job_id *workload_before(const struct workload *w)
{
    uint32_t n;
    struct turn *turn = workload_turns(w, &n);
    if (!turn)
        return NULL;
    job_id *before = mem_new(w->n_jobs, sizeof *before);
    for (job_id j = 0; j < w->n_jobs; j++)
        before[j] = ID_NONE;
    for (uint32_t i = 1; i < n; i++)
        if (turn[i].most == 1 && turn_same_line(&turn[i], &turn[i - 1]))
            before[turn[i].job] = turn[i - 1].job;
    free(turn);
    return before;
}

static int check_turns(const struct reading *r, const struct line_of *line)
{
    uint32_t n, i = 1;
    struct turn *turn = workload_turns(r->w, &n);
    while (i < n && (turn[i].most == turn[i - 1].most || !turn_same_line(&turn[i], &turn[i - 1])))
        i++;
    int result = 0;
    if (i < n) {
        while (line->job != turn[i].job)
            line++;
        result = error_set(r->err, "%s:%zu: depends_on: want one limit of '%.100s', got %u and %u",
                           r->file, line->wait->line, intern_text(r->w->wishes, turn[i].name),
                           (unsigned)turn[i - 1].most, (unsigned)turn[i].most);
    }
    free(turn);
    return result;
}

/* ---- circles ---- */

/* All that a job waits for: its dependencies, and the job with the turn before its own. */
struct waits_for {
    const struct workload *w;
    const job_id *before;         /* NULL: no turns */
};

static uint32_t edges_of(const struct waits_for *f, job_id j)
{
    return f->w->depends_first[j + 1] - f->w->depends_first[j] +
           (f->before && f->before[j] != ID_NONE);
}

static job_id edge_of(const struct waits_for *f, job_id j, uint32_t i)
{
    uint32_t own = f->w->depends_first[j + 1] - f->w->depends_first[j];
    return i < own ? f->w->depends_on[f->w->depends_first[j] + i] : f->before[j];
}

/* Those that no job waits for any more are taken away, again and again: left[j] > 0 for the rest.
 * Kahn, Communications of the ACM 5(11), 1962. */
static void take_away(const struct waits_for *f, uint32_t *left)
{
    uint32_t n_jobs = f->w->n_jobs, n_edges = 0, taken = 0, found = 0;
    uint32_t *first = mem_new((size_t)n_jobs + 2, sizeof *first);
    job_id *free_of = mem_new(n_jobs, sizeof *free_of);
    for (job_id j = 0; j < n_jobs; j++) {
        left[j] = edges_of(f, j);
        n_edges += left[j];
        for (uint32_t i = 0; i < left[j]; i++)
            first[edge_of(f, j, i) + 2]++;
        if (!left[j])
            free_of[found++] = j;
    }
    job_id *waits = mem_new(n_edges, sizeof *waits);
    for (job_id j = 0; j < n_jobs; j++)
        first[j + 2] += first[j + 1];
    for (job_id j = 0; j < n_jobs; j++)
        for (uint32_t i = 0; i < left[j]; i++)
            waits[first[edge_of(f, j, i) + 1]++] = j;
    for (; taken < found; taken++)
        for (uint32_t i = first[free_of[taken]]; i < first[free_of[taken] + 1]; i++)
            if (--left[waits[i]] == 0)
                free_of[found++] = waits[i];
    free(first);
    free(waits);
    free(free_of);
}

/* The jobs that remain wait for a cycle; following what they wait for from one of them, for as many
 * steps as there are jobs, ends in a cycle. */
static job_id in_a_circle(const struct workload *w)
{
    job_id *before = workload_before(w), at = ID_NONE;
    struct waits_for f = { w, before };
    uint32_t *left = mem_new(w->n_jobs, sizeof *left);
    take_away(&f, left);
    for (job_id j = 0; j < w->n_jobs && at == ID_NONE; j++)
        at = left[j] ? j : ID_NONE;
    for (job_id step = 0; at != ID_NONE && step < w->n_jobs; step++) {
        uint32_t i = 0;
        while (!left[edge_of(&f, at, i)])
            i++;
        at = edge_of(&f, at, i);
    }
    free(left);
    free(before);
    return at;
}

static int check_circles(const struct workload *w, const struct line_of *line, const char *file,
                         struct error *err)
{
    job_id j = in_a_circle(w);
    if (j == ID_NONE)
        return 0;
    while (line->job != j)
        line++;
    return error_set(err, "%s:%zu: depends_on: job '%.100s' would wait for itself", file,
                     line->wait->line, w->truth[j].name);
}

static int read_all(struct reading *r, const struct line_of *line, size_t n)
{
    struct workload *w = r->w;
    size_t k = 0;
    int result = 0;
    uint32_t all = workload_all(w);
    w->depends_first = mem_new((size_t)all + 1, sizeof *w->depends_first);
    for (job_id j = 0; j < all; j++) {
        w->depends_first[j] = (uint32_t)r->n;
        if (k == n || line[k].job != j || result)
            continue;
        r->job = j;
        r->wait = line[k++].wait;
        result = read_list(r, arena_text(w->memory, r->wait->waits_for, strlen(r->wait->waits_for)));
    }
    w->depends_first[all] = (uint32_t)r->n;
    return result;
}

int dependencies_resolve(struct workload *w, const char *file, struct error *err)
{
    struct workload_builder *b = w->builder;
    if (!b->n_waits)
        return 0;
    struct named *all = all_names(w);
    struct line_of *line = mem_new(b->n_waits, sizeof *line);
    for (size_t i = 0; i < b->n_waits; i++)
        line[i] = (struct line_of){ job_named(w, all, b->wait[i].name), &b->wait[i] };
    qsort(line, b->n_waits, sizeof *line, by_job);
    struct reading r = { .w = w, .all = all, .file = file, .err = err };
    int result = read_all(&r, line, b->n_waits);
    if (result == 0)
        result = check_turns(&r, line);
    if (result == 0)
        result = check_circles(w, line, file, err);
    free(all);
    free(line);
    return result;
}

/* ---- a part of the jobs ---- */

/* A dependency on a job that is not kept is met. */
static bool meets_all(const struct workload *w, const job_id *now, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++)
        if (now[w->depends_on[i]] == ID_NONE && w->depends_how[i] & DEPENDS_OR)
            return true;
    return false;
}

void dependencies_keep(struct workload *w, const bool *keep)
{
    if (!w->depends_first)
        return;
    job_id *now = mem_new(workload_all(w), sizeof *now), kept = 0;
    for (job_id j = 0; j < workload_all(w); j++)    /* those on demand stay behind the others */
        now[j] = j >= w->n_jobs || keep[j] ? kept++ : ID_NONE;
    uint32_t at = 0, begin = 0;
    for (job_id j = 0; j < workload_all(w); j++) {
        uint32_t end = w->depends_first[j + 1];
        bool met = meets_all(w, now, begin, end);
        if (now[j] != ID_NONE)
            w->depends_first[now[j]] = at;
        if (now[j] != ID_NONE && j < w->n_jobs && w->turn)
            w->turn[now[j]] = w->turn[j];
        for (uint32_t i = begin; now[j] != ID_NONE && !met && i < end; i++)
            if (now[w->depends_on[i]] != ID_NONE) {
                w->depends_how[at] = w->depends_how[i];
                w->depends_on[at++] = now[w->depends_on[i]];
            }
        begin = end;
    }
    w->depends_first[kept] = at;
    free(now);
}
