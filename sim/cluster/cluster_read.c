/* cluster_read.c - see cluster_file.h: opening the file and telling what it is. */
#include "sim/base/memory.h"
#include "sim/cluster/cluster_file.h"
#include "sim/cluster/node_list.h"

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

static struct cluster *with(const struct cluster_settings *set, struct cluster *c, const char *path, struct error *err)
{
    if (!c || !set || !set->n || cluster_add_sections(c, path, set, err) == 0)
        return c;
    cluster_free(c);
    return NULL;
}

static struct cluster *read_either(struct input *in, const char *name, const struct cluster_settings *set, struct error *err)
{
    size_t length;
    const char *head = input_peek(in, &length, err);
    if (!head)
        return NULL;
    if (node_topology_recognise(head, length))
        return with(set, cluster_from_topology(in, name, err), input_name(in), err);
    if (node_list_recognise(head, length))
        return with(set, cluster_from_nodes(in, name, err), input_name(in), err);
    return node_list_refuses(head, length, input_name(in), err) ? NULL : cluster_from_yaml(in, name, set, err);
}

struct cluster *cluster_read(const char *path, const struct cluster_settings *set, char sha256[65], struct error *err)
{
    struct input *in = input_open(path, err);
    if (!in)
        return NULL;
    char *name = name_of_file(path);
    struct cluster *c = read_either(in, name, set, err);
    if (c && input_sha256(in, sha256, err) != 0) {
        cluster_free(c);
        c = NULL;
    }
    free(name);
    input_close(in);
    return c;
}
