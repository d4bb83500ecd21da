/* conformance.c - puts facts about what real schedulers decide (../shared/conformance/README.md)
 * to the code that runs here.
 *
 * conformance DIR[:DIR...]: a line a case, in the order of the folders and the file names; of each
 * kind how many passed, failed and were skipped, what it demands and reached; the sum last. Each case that passes is put once more with one demand made wrong, and
 * must then fail: otherwise it counts as failed. Fails if a kind reaches less than its share, if
 * a file cannot be read, or if the index promises cases that are not there. */
#include "tests/conformance/conformance.h"
#include "tests/conformance/kueue.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILES_MOST = 500, PATH_MOST = 1024 };

static int kueue(const json_t *c, struct why why) { return kueue_case(c, why.text, why.size); }

/* The share of the cases that must hold: all that lies in a folder, or of one group. */
static struct kind {
    const char *group;
    double percent;
    int (*ask)(const json_t *c, struct why why);
    unsigned count[3];            /* passed, failed, skipped */
} kinds[] = {
    { "unit/fair-share-division", 100, division_case, { 0 } }, { "unit/can-reclaim", 100, gate_case, { 0 } },
    { "unit/reclaim-strategy", 100, reason_case, { 0 } },      { "unit/reclaim-hierarchy", 100, scenario_case, { 0 } },
    { "unit/queue-order", 100, order_case, { 0 } },            { "kueue/fair-preemption", 100, kueue, { 0 } },
    { "kueue/hierarchical-preemption", 100, kueue, { 0 } },    { "kueue/classical-preemption", 95, kueue, { 0 } },
    { "steady_state", 99, session_case, { 0 } },               { "single_action", 99, session_case, { 0 } },
    { "second/tas", 100, kueue_tas_case, { 0 } },              { "second", 100, session_case, { 0 } },
    { "kueue/fair-shares", 100, kueue_shares_case, { 0 } },
    { "kueue/order", 100, kueue_order_case, { 0 } },           { "kueue/reserve", 100, kueue_reserve_case, { 0 } },
    { "kueue/cycle", 97, kueue_cycle_case, { 0 } },            { "kueue/fair-cycle", 97, kueue_cycle_case, { 0 } },
    { "kueue/local-queue-fairness", 100, kueue_local_case, { 0 } }, { "kueue-tas/assignment", 100, kueue_tas_case, { 0 } },
    { "kueue-tas/balanced", 100, kueue_tas_case, { 0 } },      { "kueue-tas/preferred-affinity", 100, kueue_tas_case, { 0 } },
    { "kueue/flavors", 97, kueue_flavors_case, { 0 } },        { "kueue/flavor-preference", 100, kueue_preference_case, { 0 } },
    { "kueue-tas/cycle", 97, kueue_cycle_case, { 0 } },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct kind *kind_of(const char *group)
{
    for (size_t k = 0; k < KINDS; k++)
        if (!strncmp(group, kinds[k].group, strlen(kinds[k].group)))
            return &kinds[k];
    return NULL;
}

/* Does it see what is wrong? */
static bool sees(const json_t *c, const struct kind *kind)
{
    char text[1024] = "";
    json_t *wrong = json_deep_copy(c);
    bool seen = contradict(wrong) && kind->ask(wrong, (struct why){ text, sizeof text }) == CASE_FAILED;
    json_decref(wrong);
    return seen;
}

static unsigned put(const json_t *c, struct kind *kind)
{
    static const char *const verdict[] = { "ok", "FAILED", "skipped" };
    char text[1024] = "";
    int what = kind->ask(c, (struct why){ text, sizeof text });
    if (what == CASE_PASSED && !sees(c, kind))
        what = because(CASE_FAILED, (struct why){ text, sizeof text }, "passes with a wrong demand, too");
    printf("%s %s%s%s\n", verdict[what], text_of(c, "id"), *text ? ": " : "", text);
    kind->count[what]++;
    return what == CASE_PASSED;
}

/* The cases of a file; -1: it is none, or has none. */
static int put_file(const char *dir, const char *path, bool *bad)
{
    json_error_t err;
    json_t *file = json_load_file(path, 0, &err);
    const char *group = file ? text_of(file, "group") : NULL;
    const json_t *cases = json_object_get(file, "cases"), *c;
    struct kind *kind = group ? kind_of(group) : NULL;
    size_t i, n = json_array_size(cases), passed = 0;
    if (!file) {
        printf("%s:%d:%d: %s\n", path, err.line, err.column, err.text);
        *bad = true;
    }
    if (cases && !kind) {
        printf("%s: %s: no such kind of case is known here\n", path + strlen(dir) + 1, group ? group : "no group");
        *bad = true;
    }
    if (!cases || !kind) {
        json_decref(file);
        return -1;
    }
    json_array_foreach(cases, i, c) passed += put(c, kind);
    printf("%s: %zu of %zu\n", group, passed, n);
    json_decref(file);
    return (int)n;
}

/* ---- The folder ---- */

struct files { char path[FILES_MOST][PATH_MOST]; int cases[FILES_MOST]; size_t n; };

static void collect(struct files *f, const char *dir)
{
    struct dirent **entry;
    int n = scandir(dir, &entry, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[PATH_MOST];
        struct stat is;
        size_t length = strlen(entry[i]->d_name);
        int fits = snprintf(path, sizeof path, "%s/%s", dir, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.' && fits > 0 && fits < PATH_MOST && stat(path, &is) == 0) {
            if (S_ISDIR(is.st_mode))
                collect(f, path);
            else if (length > 5 && !strcmp(entry[i]->d_name + length - 5, ".json") && f->n < FILES_MOST)
                memcpy(f->path[f->n++], path, sizeof path);
        }
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
}

/* What index.json says of the files, if there is one. */
static bool indexed(const struct files *f, const char *dir)
{
    char path[PATH_MOST + 16];
    const char *name;
    json_t *count;
    bool good = true;
    snprintf(path, sizeof path, "%s/index.json", dir);
    json_t *index = json_load_file(path, 0, NULL), *files = json_object_get(index, "files");
    json_object_foreach(files, name, count) {
        int found = 0;
        for (size_t i = 0; i < f->n; i++)
            if (!strcmp(f->path[i] + strlen(dir) + 1, name))
                found = f->cases[i];
        if (found != json_integer_value(count)) {
            printf("index.json: %s: want %d cases, got %d\n", name, (int)json_integer_value(count), found);
            good = false;
        }
    }
    json_decref(index);
    return good;
}

/* Cases that fail although their kind reaches its share. */
static unsigned judge(bool *bad)
{
    unsigned missed = 0;
    for (size_t k = 0; k < KINDS; k++) {
        const struct kind *kind = &kinds[k];
        unsigned n = kind->count[CASE_PASSED] + kind->count[CASE_FAILED] + kind->count[CASE_SKIPPED];
        if (!n)
            continue;
        double reached = 100. * kind->count[CASE_PASSED] / n;
        bool enough = reached >= kind->percent;
        printf("%-30s %3u passed, %2u failed, %2u skipped, %5.1f %%, wanted %g %%%s\n", kind->group, kind->count[CASE_PASSED],
               kind->count[CASE_FAILED], kind->count[CASE_SKIPPED], reached, kind->percent, enough ? "" : ": MISSED");
        missed += enough ? kind->count[CASE_FAILED] : 0;
        *bad = *bad || !enough;
    }
    return missed;
}

/* false: it is not there. */
static bool put_folder(const char *dir, bool *bad)
{
    static struct files files;
    struct stat is;
    files.n = 0;
    if (stat(dir, &is) != 0) {
        printf("skipped: %s is not there: say where the cases are, `make conformance CASES=DIR[:DIR...]`\n", dir);
        return false;
    }
    collect(&files, dir);
    for (size_t i = 0; i < files.n; i++)
        files.cases[i] = put_file(dir, files.path[i], bad);
    *bad = !indexed(&files, dir) || *bad;
    return true;
}

int main(int argc, char **argv)
{
    unsigned sum[3] = { 0 };
    bool bad = false;
    char *dirs = strdup(argc > 1 ? argv[1] : "../shared/conformance"), *rest = dirs;
    setvbuf(stdout, NULL, _IOLBF, 0);    /* the last line before a case that hangs is shown */
    for (const char *dir; (dir = strtok_r(rest, ":", &rest));)
        sum[CASE_SKIPPED] += !put_folder(dir, &bad);
    free(dirs);
    for (size_t k = 0; k < KINDS; k++)
        for (size_t w = 0; w < 3; w++)
            sum[w] += kinds[k].count[w];
    printf("\n");
    unsigned missed = judge(&bad);
    printf("%u missed: failed, while their kind reaches its share\n", missed);
    printf("%u passed, %u failed, %u skipped\n", sum[CASE_PASSED], sum[CASE_FAILED], sum[CASE_SKIPPED]);
    return bad;
}
