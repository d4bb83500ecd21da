/* cluster_read.c - see cluster_file.h: opening the file and telling what it is. */
#include "sim/core/memory.h"
#include "sim/world/cluster_file.h"
#include "sim/world/node_list.h"
#include "sim/world/node_topology.h"

#include <stdlib.h>
#include <string.h>

/* "a/b/two-teams.yaml.gz" -> "two-teams". The caller frees it. */
static char *name_of_file(const char *path)
{
    static const char *const endings[] = { ".gz", ".zst", ".yaml", ".yml", ".json", ".csv" };
    if (strcmp(path, "-") == 0)
        return mem_text("stdin", strlen("stdin"));
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]);
        if (length > n && memcmp(name + length - n, endings[i], n) == 0)
            length -= n;
    }
    return mem_text(name, length);
}

static struct cluster *read_either(struct input *in, const char *name, const struct cluster_setting *set, size_t n, struct error *err)
{
    size_t length;
    const char *head = input_peek(in, &length, err);
    if (!head)
        return NULL;
    bool topology = node_topology_recognise(head, length);
    if ((topology || node_list_recognise(head, length)) && n) {
        error_set(err, "%s: a list of nodes has no %s to set", input_name(in), set->path);
        return NULL;
    }
    if (topology)
        return cluster_from_topology(in, name, err);
    if (node_list_recognise(head, length))
        return cluster_from_nodes(in, name, err);
    return node_list_refuses(head, length, input_name(in), err) ? NULL : cluster_from_yaml_with(in, name, set, n, err);
}

struct cluster *cluster_read(const char *path, char sha256[65], struct error *err)
{
    return cluster_read_with(path, NULL, 0, sha256, err);
}

struct cluster *cluster_read_with(const char *path, const struct cluster_setting *set, size_t n, char sha256[65], struct error *err)
{
    struct input *in = input_open(path, err);
    if (!in)
        return NULL;
    char *name = name_of_file(path);
    struct cluster *c = read_either(in, name, set, n, err);
    if (c && input_sha256(in, sha256, err) != 0) {
        cluster_free(c);
        c = NULL;
    }
    free(name);
    input_close(in);
    return c;
}
