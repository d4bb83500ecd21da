/* reservations.c - see reservations.h. */
#include "sim/cluster/reservations/reservations.h"

#include "sim/base/memory.h"
#include "sim/cluster/labels.h"
#include "sim/cluster/reservations/closure_file.h"
#include "sim/cluster/reservations/node_set.h"

#include <string.h>

struct file_reservation {
    const char *name, *taint;
    struct file_closure when;
    struct config_value nodes, queues, users, accounts, partitions;
};

/* clang-format off */
#define RESERVED(field) offsetof(struct file_reservation, field)
#define NAMES(key) { .name = #key, .type = CONFIG_LIST, .at = RESERVED(key) }
static const struct config_key keys[] = {
    { .name = "name", .type = CONFIG_TEXT, .at = RESERVED(name), .required = true },
    { .name = "nodes", .type = CONFIG_ANY, .at = RESERVED(nodes), .required = true },
    { .name = "taint", .type = CONFIG_TEXT, .at = RESERVED(taint) },
    CLOSURE_KEYS(RESERVED(when)),
    NAMES(queues), NAMES(users), NAMES(accounts), NAMES(partitions),
    { 0 },
};
static const struct config_key as_text = { .type = CONFIG_TEXT };
/* clang-format on */

/* ---- Names ---- */

typedef bool known_name(const struct reservations_given *given, const char *name);

static bool known_queue(const struct reservations_given *given, const char *name)
{
    for (size_t q = 0; q < given->n_queues; q++)
        if (!strcmp(given->queue[q].facts.name, name))
            return true;
    return given->n_queues == 0;
}

static bool any_user(const struct reservations_given *given, const char *name)
{
    (void)given;
    (void)name;
    return true;
}

static bool known_account(const struct reservations_given *given, const char *name)
{
    for (uint32_t a = 0; given->site && a < given->site->n_associations; a++)
        if (!given->site->association[a].user && !strcmp(given->site->association[a].name, name))
            return true;
    return false;
}

static bool known_partition(const struct reservations_given *given, const char *name)
{
    for (uint32_t p = 0; given->site && p < given->site->n_partitions; p++)
        if (!strcmp(given->site->partition[p].name, name))
            return true;
    return false;
}

static int read_names(const struct reservations_given *given, struct config_value list,
                      known_name *known, const char *what, struct arena *memory,
                      struct reserved_names *to, struct error *err)
{
    struct config_walk w = { .of = list };
    const char **name = arena_alloc(memory, (config_count(list) + 1) * sizeof *name);
    for (struct config_value v; config_next(&w, &v); to->n++) {
        if (config_scalar(v, &as_text, &name[to->n], err))
            return -1;
        if (!known(given, name[to->n]))
            return config_error(v, err, "the cluster has no %s '%s'", what, name[to->n]);
        name[to->n] = arena_text(memory, name[to->n], strlen(name[to->n]));
    }
    to->name = name;
    return 0;
}

/* ---- The section ---- */

static int read_nodes(const struct reservations_given *given, struct config_value entry,
                      struct config_value v, struct arena *memory, const uint64_t **to,
                      struct error *err)
{
    size_t words = 1, n = 0, set = 0;
    for (size_t g = 0; g < given->n_groups; g++)
        n += given->group[g].count;
    words += n / 64;
    uint64_t *nodes = arena_alloc(memory, words * sizeof *nodes);
    if (node_set_read(v, given->group, given->n_groups, nodes, err))
        return -1;
    for (size_t w = 0; w < words; w++)
        set += (size_t)__builtin_popcountll(nodes[w]);
    *to = nodes;
    return set ? 0 : config_error(entry, err, "want at least one node");
}

static bool has_effect(const char *taint, const char *effect)
{
    const char *own = taint ? strchr(taint, ':') : NULL;
    return own && !strcmp(own + 1, effect);
}

/* `running` is `stop` but for a taint that stops nothing. */
static int default_running(struct config_value taint, int *running, struct error *err)
{
    static const struct config_key text = { .type = CONFIG_TEXT };
    const char *word = NULL;
    if (config_given(taint) && config_scalar(taint, &text, &word, err))
        return -1;
    *running = has_effect(word, "NoSchedule");
    return 0;
}

/* One taint, which may be tolerated. */
static int read_taint(struct config_value v, const struct file_reservation *f, struct arena *memory,
                      struct reservation *to, struct error *err)
{
    if (!f->taint)
        return 0;
    bool executes = has_effect(f->taint, "NoExecute");
    if (taints_wrong(f->taint) || strchr(f->taint, ';') ||
        !(executes || has_effect(f->taint, "NoSchedule")))
        return config_error(v, err,
                            "taint: want key[=value]:NoExecute or key[=value]:NoSchedule, got '%s'",
                            f->taint);
    if (config_count(f->queues) + config_count(f->users) + config_count(f->accounts) +
        config_count(f->partitions))
        return config_error(v, err, "want a taint, or queues, users, accounts and partitions");
    if (!executes && !to->when.keeps)
        return config_error(config_look(v, "running"), err,
                            "want 'keep', as a taint NoSchedule stops nothing, got 'stop'");
    to->taint = arena_text(memory, f->taint, strlen(f->taint));
    return 0;
}

static int read_one(const struct reservations_given *given, struct config_value v,
                    struct arena *memory, struct reservation *to, struct error *err)
{
    struct file_reservation f = { .name = NULL };
    if (default_running(config_look(v, "taint"), &f.when.running, err) ||
        config_fields(v, keys, &f, err) || closure_complete(v, &f.when, "reservation", err))
        return -1;
    if (strpbrk(f.name, "=!<>&|;:*, "))
        return config_error(v, err, "want a name without = ! < > & | ; : * , and spaces");
    to->name = arena_text(memory, f.name, strlen(f.name));
    to->when = f.when.is;
    if (read_taint(v, &f, memory, to, err))
        return -1;
    if (read_nodes(given, v, f.nodes, memory, &to->nodes, err) ||
        read_names(given, f.queues, known_queue, "queue", memory, &to->queues, err) ||
        read_names(given, f.users, any_user, "user", memory, &to->users, err) ||
        read_names(given, f.accounts, known_account, "account", memory, &to->accounts, err))
        return -1;
    return read_names(given, f.partitions, known_partition, "partition", memory, &to->partitions,
                      err);
}

int reservations_read(const struct reservations_given *given, struct arena *memory,
                      const struct reservations **to, struct error *err)
{
    struct config_walk w = { .of = given->list };
    size_t n = config_count(given->list);
    *to = NULL;
    if (n == 0)
        return 0;
    struct reservations *all = arena_alloc(memory, sizeof *all);
    struct reservation *at = arena_alloc(memory, n * sizeof *at);
    for (struct config_value v; config_next(&w, &v); all->n++) {
        if (read_one(given, v, memory, &at[all->n], err))
            return -1;
        for (uint32_t k = 0; k < all->n; k++)
            if (!strcmp(at[k].name, at[all->n].name))
                return config_error(v, err, "reservation '%s' is there already", at[k].name);
    }
    all->at = at;
    *to = all;
    return 0;
}

void reservations_labels(const struct reservations *r, node_id n, FILE *f)
{
    for (uint32_t k = 0; r && k < r->n; k++)
        if (node_set_has(r->at[k].nodes, n))
            fprintf(f, ";reservation.%s=", r->at[k].name);
}

bool reservations_same(const struct reservations *r, node_id a, node_id b)
{
    for (uint32_t k = 0; r && k < r->n; k++)
        if (node_set_has(r->at[k].nodes, a) != node_set_has(r->at[k].nodes, b))
            return false;
    return true;
}
