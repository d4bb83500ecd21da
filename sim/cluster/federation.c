/* federation.c - see federation.h. */
#include "sim/cluster/federation.h"

#include "sim/io/config.h"
#include "sim/base/memory.h"
#include "sim/base/units.h"

#include <stdlib.h>
#include <string.h>


struct keys {
    const char *name, *others;
    struct config_value members, queues;
    int route;
    int64_t limit_ns, first_run_ns;
};
const char *const route_name[] = { "queue", "least-wait", "spill", NULL };
/* clang-format off */
#define AT(field) .at = offsetof(struct keys, field)
static const struct config_key keys[] = {
    { .name = "federation",  .type = CONFIG_TEXT, AT(name), .required = true },
    { .name = "members",     .type = CONFIG_LIST, AT(members), .required = true },
    { .name = "route",       .type = CONFIG_CHOICE, AT(route), .words = route_name, .required = true },
    { .name = "queues",      .type = CONFIG_MAPPING, AT(queues) },
    { .name = "others",      .type = CONFIG_TEXT, AT(others) },
    { .name = "limit_s",     CONFIG_SECONDS, AT(limit_ns) },
    { .name = "first_run_s", CONFIG_SECONDS, AT(first_run_ns) },
    { 0 },
};
#define MEMBER(field) .at = offsetof(struct federation_member, field)
static const struct config_key member_keys[] = {
    { .name = "name",    .type = CONFIG_TEXT, MEMBER(name), .required = true },
    { .name = "cluster", .type = CONFIG_TEXT, MEMBER(cluster), .required = true },
    { .name = "policy",  .type = CONFIG_TEXT, MEMBER(policy) },
    { 0 },
};
/* clang-format on */

/* ---- What it is ---- */

bool federation_recognise(const char *head, size_t length)
{
    static const char key[] = "federation:";
    for (size_t at = 0; at < length;) {
        if (length - at >= sizeof key - 1 && !memcmp(head + at, key, sizeof key - 1))
            return true;
        const char *end = memchr(head + at, '\n', length - at);
        bool passed = head[at] == '#' || head[at] == '\n' || head[at] == '\r' ||
                      (length - at > 2 && !memcmp(head + at, "---", 3));
        if (!passed || !end)
            return false;
        at = (size_t)(end - head) + 1;
    }
    return false;
}

bool federation_is(const char *path)
{
    struct error ignored = { "" };
    struct input *in = input_look(path);
    size_t length = 0;
    const char *head = in ? input_peek(in, &length, &ignored) : NULL;
    bool is = head && federation_recognise(head, length);
    input_close(in);
    return is;
}

bool federation_has_key(const char *setting)
{
    size_t n = strcspn(setting, ".=");
    for (const struct config_key *k = keys; k->name; k++)
        if (strlen(k->name) == n && !memcmp(k->name, setting, n))
            return true;
    return false;
}

const char *federation_setting(const struct federation_member *m, const char *text)
{
    size_t n = strlen(m->name);
    return !strncmp(text, m->name, n) && text[n] == '.' ? text + n + 1 : NULL;
}

/* ---- Reading ---- */

static uint32_t member_named(const struct federation *f, const char *name)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (!strcmp(f->member[i].name, name))
            return i;
    return ID_NONE;
}

static int read_member(struct federation *f, struct config_value item, const char *folder,
                       struct error *err)
{
    struct federation_member m = { .name = NULL };
    if (!config_is_mapping(item))
        return config_error(item, err, "want a mapping with name and cluster");
    if (config_fields(item, member_keys, &m, err))
        return -1;
    struct config_value name = config_look(item, "name");
    if (strchr(m.name, '/') || *m.name == '.' || strpbrk(m.name, ".="))
        return config_error(name, err, "want a name without '/', '.' and '=', got '%s'", m.name);
    if (federation_has_key(m.name))
        return config_error(name, err, "want a name that is no key of the file, got '%s'", m.name);
    if (m.policy && strcspn(m.policy, "/") < strcspn(m.policy, ":"))
        return config_error(config_look(item, "policy"), err,
                            "want a policy that is built in, got '%s'", m.policy);
    if (member_named(f, m.name) != ID_NONE)
        return config_error(name, err, "'%s' is there twice", m.name);
    char *path = input_beside(folder, m.cluster);
    m.cluster = arena_text(f->memory, path, strlen(path));
    free(path);
    f->member[f->n++] = m;
    return 0;
}

static int read_members(struct federation *f, struct config_value list, const char *folder,
                        struct error *err)
{
    struct config_walk walk = { .of = list };
    struct config_value item;
    size_t n = config_count(list);
    if (n < 1 || n > FEDERATION_MEMBERS_MAX)
        return config_error(list, err, "want 1 to %d members, got %zu", FEDERATION_MEMBERS_MAX, n);
    f->member = arena_alloc(f->memory, n * sizeof *f->member);
    while (config_next(&walk, &item))
        if (read_member(f, item, folder, err))
            return -1;
    return 0;
}

static int find_member(const struct federation *f, struct config_value at, const char *name,
                       uint32_t *to, struct error *err)
{
    *to = member_named(f, name);
    return *to != ID_NONE ? 0 : config_error(at, err, "no member is called '%s'", name);
}

static int read_queues(struct federation *f, const struct keys *k, struct error *err)
{
    static const struct config_key as = { .type = CONFIG_TEXT };
    struct config_walk walk = { .of = k->queues };
    struct config_value pair;
    f->queue = arena_alloc(f->memory, (config_count(k->queues) + 1) * sizeof *f->queue);
    while (config_next(&walk, &pair)) {
        struct federation_queue *q = &f->queue[f->n_queues++];
        const char *member;
        if (config_key_text(pair, &q->name, err) || config_scalar(pair, &as, &member, err) ||
            find_member(f, pair, member, &q->member, err))
            return -1;
    }
    return k->others ? find_member(f, config_look(config_root(f->config), "others"), k->others,
                                   &f->others, err)
                     : 0;
}

/* Keys of another route would have no effect: they are errors. */
static int check_route(const struct federation *f, const struct keys *k, struct error *err)
{
    struct config_value root = config_root(f->config);
    static const char *const of_queue[] = { "queues", "others" };
    for (size_t i = 0; i < 2; i++)
        if (f->route != ROUTE_QUEUE && config_given(config_look(root, of_queue[i])))
            return config_error(config_look(root, of_queue[i]), err,
                                "belongs to route queue, and this one is %s", route_name[f->route]);
    if (f->route != ROUTE_SPILL && config_given(config_look(root, "limit_s")))
        return config_error(config_look(root, "limit_s"), err,
                            "belongs to route spill, and this one is %s", route_name[f->route]);
    if (f->route == ROUTE_QUEUE && !config_given(k->queues) && !k->others)
        return config_error(config_look(root, "route"), err, "route queue wants queues or others");
    return 0;
}

static int read_all(struct federation *f, struct error *err)
{
    const char *slash = strrchr(f->path, '/');
    const char *folder =
        slash ? arena_text(f->memory, f->path, slash > f->path ? (size_t)(slash - f->path) : 1)
              : "";
    struct keys k = { .first_run_ns = 3600 * NS_PER_S };
    if (config_fields(config_root(f->config), keys, &k, err) ||
        read_members(f, k.members, folder, err))
        return -1;
    f->name = k.name;
    f->route = (enum route)k.route;
    f->limit_ns = k.limit_ns;
    f->first_run_ns = k.first_run_ns;
    return read_queues(f, &k, err) || check_route(f, &k, err) ? -1 : 0;
}

static int apply(struct config *c, const struct cluster_settings *set, struct error *err)
{
    for (size_t i = 0; set && i < set->n; i++) {
        const char *equals = strchr(set->text[i], '=');
        if (!federation_has_key(set->text[i]))
            continue;
        if (!equals)
            return error_set(err, "--set: want KEY=VALUE, got '%s'", set->text[i]);
        char *path = mem_text(set->text[i], (size_t)(equals - set->text[i]));
        int result = config_set(c, path, equals + 1, err);
        free(path);
        if (result)
            return -1;
    }
    return 0;
}

struct federation *federation_read(const char *path, const struct cluster_settings *set,
                                   struct error *err)
{
    struct input *in = input_open(path, err);
    if (!in)
        return NULL;
    struct federation *f = mem_new(1, sizeof *f);
    f->memory = arena_new();
    f->path = arena_text(f->memory, path, strlen(path));
    f->others = ID_NONE;
    f->config = config_read(in, err);
    bool well = f->config && input_sha256(in, f->sha256, err) == 0 &&
                apply(f->config, set, err) == 0 && read_all(f, err) == 0;
    input_close(in);
    if (well)
        return f;
    federation_free(f);
    return NULL;
}

void federation_free(struct federation *f)
{
    if (!f)
        return;
    config_free(f->config);
    arena_free(f->memory);
    free(f);
}

uint32_t federation_member_of(const struct federation *f, const char *queue)
{
    for (size_t i = 0; i < f->n_queues; i++)
        if (!strcmp(f->queue[i].name, queue))
            return f->queue[i].member;
    return f->others;
}
