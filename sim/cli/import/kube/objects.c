/* objects.c - see site.h: files and folders, lists and snapshots of objects, and what nothing asked
 * for. */
#include "sim/cli/import/kube/site.h"
#include "sim/io/input.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FOLDERS_MOST 16 /* in each other */

static const struct known {
    const char *group, *kind;
    kube_taker *take;
    bool namespaced;
} known[] = {
    { "", "Node", take_node, false },
    { "", "Pod", take_pod, true },
    { "", "ResourceQuota", take_resource_quota, true },
    { "batch", "Job", take_job, true },
    { "scheduling.k8s.io", "PriorityClass", take_priority_class, false },
    { "scheduling.run.ai", "Queue", take_queue, false },
    { "scheduling.run.ai", "PodGroup", take_pod_group, true },
    { "kai.scheduler", "Topology", take_topology, false },
    { "kueue.x-k8s.io", "ClusterQueue", take_cluster_queue, false },
    { "kueue.x-k8s.io", "Cohort", take_cohort, false },
    { "kueue.x-k8s.io", "LocalQueue", take_local_queue, true },
    { "kueue.x-k8s.io", "ResourceFlavor", take_flavor, false },
    { "kueue.x-k8s.io", "Topology", take_topology, false },
    { "kueue.x-k8s.io", "WorkloadPriorityClass", take_workload_priority_class, false },
    { "kueue.x-k8s.io", "Workload", take_workload, true },
};
/* Lists of a snapshot of KAI-Scheduler: their items have no kind
 * (NVIDIA/KAI-Scheduler:pkg/scheduler/plugins/snapshot/snapshot.go, RawKubernetesObjects). */
static const struct raw {
    const char *key, *group, *kind;
} raw_lists[] = {
    { "pods", "", "Pod" },
    { "nodes", "", "Node" },
    { "queues", "scheduling.run.ai", "Queue" },
    { "podGroups", "scheduling.run.ai", "PodGroup" },
    { "priorityClasses", "scheduling.k8s.io", "PriorityClass" },
    { "topologies", "kai.scheduler", "Topology" },
};

struct kube_site *kube_site_new(void)
{
    struct kube_site *s = mem_new(1, sizeof *s);
    s->names = intern_new();
    s->read = intern_new();
    s->memory = arena_new();
    s->latest_ns = NO_TIME;
    return s;
}

void kube_site_free(struct kube_site *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n_workloads; i++)
        free(s->workloads[i].place);
    for (size_t i = 0; i < s->n_cluster_queues; i++)
        free(s->cluster_queues[i].quota);
    free(s->nodes);
    free(s->pods);
    free(s->jobs);
    free(s->podgroups);
    free(s->workloads);
    free(s->classes);
    free(s->workload_classes);
    free(s->queues);
    free(s->cluster_queues);
    free(s->local_queues);
    free(s->flavors);
    free(s->topologies);
    free(s->resource_quotas);
    remarks_free(&s->remarks);
    remarks_free(&s->unread);
    intern_free(s->names);
    intern_free(s->read);
    arena_free(s->memory);
    free(s);
}

/* ---- what nothing asked for ---- */

static void note_unread(struct kube_site *s, const struct kube_value *object,
                        const struct kube_value *v, const char *kind)
{
    char path[KUBE_PATH_MOST];
    for (const struct kube_value *c = v->child; c; c = c->next) {
        if (c->seen) {
            note_unread(s, object, c, kind);
        } else if (c->kind != KUBE_NOTHING && (c->kind == KUBE_SCALAR || c->child)) {
            kube_path(object, c, false, path);
            remark(&s->unread, "%s: %s", kind, path);
        }
    }
}

/* ---- one object ---- */

static const struct known *find_kind(const char *group, size_t length, const char *kind)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].group) == length && !memcmp(known[i].group, group, length) &&
            !strcmp(known[i].kind, kind))
            return &known[i];
    return NULL;
}

/* metadata.name, or generateName and a number. */
static const char *name_of(struct kube_site *s, struct kube_reader *r, struct kube_value *o)
{
    char text[300];
    struct kube_value *meta = kube_metadata(r, o);
    const char *name = kube_text(r, meta, "name"), *prefix;
    if (name && *name)
        return name;
    prefix = kube_text(r, meta, "generateName");
    if (!prefix || !*prefix) {
        kube_error(r, meta ? meta : o, "want a name, key 'name' is %s", name ? "empty" : "missing");
        return NULL;
    }
    snprintf(text, sizeof text, "%.250s%zu", prefix, s->n_objects);
    return intern_text(s->names, intern_add(s->names, text, strlen(text)));
}

static void take_known(struct kube_site *s, struct kube_reader *r, struct kube_value *o,
                       const struct known *k)
{
    const char *name = name_of(s, r, o),
               *ns = k->namespaced ? kube_text(r, kube_metadata(r, o), "namespace") : "";
    char key[800];
    if (!name)
        return;
    ns = ns && *ns ? ns : "default";
    snprintf(key, sizeof key, "%s %s %.250s/%.250s", k->group, k->kind, ns, name);
    uint32_t before = intern_count(s->read);
    if (intern_add(s->read, key, strlen(key)) < before) {
        remark(&s->remarks, "left out: objects of kind %s that were read before", k->kind);
        return;
    }
    s->n_objects++;
    (void)kube_get(r, o, "apiVersion");
    (void)kube_get(r, o, "kind");
    k->take(s, r, o, ns, name);
    if (!r->err->text[0])
        note_unread(s, o, o, k->kind);
}

static void take_object(struct kube_site *s, struct kube_reader *r, struct kube_value *o,
                        const char *version, const char *kind);

/* A List, or a PodList and the like, with items that may lack their kind. */
static void take_list(struct kube_site *s, struct kube_reader *r, struct kube_value *o,
                      const char *version, const char *kind)
{
    char one[128];
    snprintf(one, sizeof one, "%.*s", (int)(strlen(kind) - 4), kind);
    for (struct kube_value *i = kube_first(kube_list(r, o, "items")); i && !r->err->text[0];
         i = kube_next(i))
        take_object(s, r, i, version, *one ? one : NULL);
}

static bool is_list(const char *kind)
{
    size_t length = strlen(kind);
    return length >= 4 && length < 100 && !strcmp(kind + length - 4, "List");
}

static void take_object(struct kube_site *s, struct kube_reader *r, struct kube_value *o,
                        const char *version, const char *kind)
{
    const char *own_kind = kube_text(r, o, "kind"), *own_version = kube_text(r, o, "apiVersion");
    kind = own_kind ? own_kind : kind;
    version = own_version ? own_version : version;
    if (r->err->text[0])
        return;
    if (!kind || !version) {
        kube_error(r, o, "want an object of Kubernetes, key '%s' is missing",
                   kind ? "apiVersion" : "kind");
        return;
    }
    const char *slash = strchr(version, '/');
    const struct known *k = find_kind(version, slash ? (size_t)(slash - version) : 0, kind);
    if (k)
        take_known(s, r, o, k);
    else if (is_list(kind) && kube_list(r, o, "items"))
        take_list(s, r, o, version, kind);
    else if (!strcmp(kind, "Configuration") && !strncmp(version, "config.kueue.x-k8s.io/", 22))
        take_kueue_config(s, r, o, "", "");
    else if (!r->err->text[0])
        remark(&s->remarks, "left out: objects of kind %.60s (%.60s)", kind, version);
}

/* ---- a snapshot of KAI-Scheduler ---- */

static void take_raw(struct kube_site *s, struct kube_reader *r, struct kube_value *list)
{
    const struct raw *known_list = NULL;
    for (size_t i = 0; i < sizeof raw_lists / sizeof *raw_lists; i++)
        if (!strcmp(raw_lists[i].key, list->key))
            known_list = &raw_lists[i];
    if (list->kind != KUBE_LIST) {
        kube_error(r, list, "want a list");
        return;
    }
    for (struct kube_value *o = kube_first(list); o && !r->err->text[0]; o = kube_next(o)) {
        if (known_list)
            take_known(s, r, o,
                       find_kind(known_list->group, strlen(known_list->group), known_list->kind));
        else
            remark(&s->remarks, "left out: %.60s of the snapshot", list->key);
    }
}

static void take_snapshot(struct kube_site *s, struct kube_reader *r, struct kube_value *root,
                          struct kube_value *raw)
{
    for (struct kube_value *list = kube_first(raw); list && !r->err->text[0];
         list = kube_next(list))
        take_raw(s, r, list);
    kube_see(raw); /* each object has told what was not read of it */
    struct kube_value *config = kube_map(r, root, "config");
    if (config)
        take_kai_config(s, r, config, "", "");
    if (!r->err->text[0])
        note_unread(s, root, root, "snapshot");
}

static void take_document(void *self, struct kube_reader *r, struct kube_value *root)
{
    struct kube_site *s = self;
    struct kube_value *raw = root->kind == KUBE_MAPPING ? kube_map(r, root, "rawObjects") : NULL;
    if (root->kind != KUBE_MAPPING)
        kube_error(r, root, "want an object of Kubernetes, got %s",
                   root->kind == KUBE_LIST ? "a list" : "a text");
    else if (raw)
        take_snapshot(s, r, root, raw);
    else
        take_object(s, r, root, NULL, NULL);
}

/* ---- files ---- */

static bool ends_with(const char *name, size_t length, const char *end)
{
    size_t n = strlen(end);
    return length > n && !memcmp(name + length - n, end, n);
}

static bool is_wanted(const char *name)
{
    size_t length = strlen(name);
    if (ends_with(name, length, ".gz"))
        length -= 3;
    else if (ends_with(name, length, ".zst"))
        length -= 4;
    return ends_with(name, length, ".json") || ends_with(name, length, ".yaml") ||
           ends_with(name, length, ".yml") || ends_with(name, length, ".zip");
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names in a folder, sorted; those that begin with a point are no part of it. */
static int names_in(const char *path, char ***name, size_t *n, struct error *err)
{
    size_t capacity = 0;
    DIR *d = opendir(path);
    if (!d)
        return error_set(err, "%s: %s", path, strerror(errno));
    for (const struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        mem_grow(name, &capacity, *n, sizeof **name);
        (*name)[(*n)++] = mem_text(e->d_name, strlen(e->d_name));
    }
    closedir(d);
    if (*n)
        qsort(*name, *n, sizeof **name, by_name);
    return 0;
}

static int read_one(struct kube_site *s, const char *path, struct error *err)
{
    struct kube_reader r = { .names = s->names, .err = err };
    s->n_files++;
    return kube_read_file(&r, path, take_document, s);
}

static int read_below(struct kube_site *s, const char *path, unsigned depth, struct error *err)
{
    char **name = NULL;
    size_t n = 0;
    if (depth == FOLDERS_MOST)
        return error_set(err, "%s: want at most %d folders in each other", path, FOLDERS_MOST);
    int result = names_in(path, &name, &n, err);
    for (size_t i = 0; i < n; i++) {
        char *below = input_beside(path, name[i]);
        struct stat about;
        if (result == 0 && stat(below, &about) != 0)
            result = error_set(err, "%s: %s", below, strerror(errno));
        if (result == 0 && S_ISDIR(about.st_mode))
            result = read_below(s, below, depth + 1, err);
        else if (result == 0 && is_wanted(name[i]))
            result = read_one(s, below, err);
        else if (result == 0)
            s->n_other_files++;
        free(below);
        free(name[i]);
    }
    free(name);
    return result;
}

int kube_site_read(struct kube_site *s, const char *path, struct error *err)
{
    struct stat about;
    if (strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return read_below(s, path, 0, err);
    return read_one(s, path, err);
}

int kube_site_read_bytes(struct kube_site *s, char *text, size_t length, const char *name,
                         struct error *err)
{
    struct kube_reader r = { .file = name, .names = s->names, .err = err };
    s->n_files++;
    return kube_read_bytes(&r, text, length, take_document, s);
}
