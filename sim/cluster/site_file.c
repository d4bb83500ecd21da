/* site_file.c - see site.h. */
#include "sim/cluster/site.h"

#include "sim/cluster/cluster_spec.h"
#include "sim/cluster/reservations/node_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MOST INT64_C(1000000000)

struct file_partition {
    struct partition_facts facts;
    const char *qos;
    struct config_value nodes;
    int state;
};
struct file_qos {
    struct qos_facts facts;
    struct config_value preempts;
};
struct file_account {
    struct association_facts facts;
    const char *qos;
    struct config_value users, accounts;
};

/* clang-format off */
#define PARTITION(field) offsetof(struct file_partition, field)
#define QOS(field)       offsetof(struct file_qos, field)
#define ACCOUNT(field)   offsetof(struct file_account, field)
#define LIMIT(text, place) \
    { .name = text, .type = CONFIG_PARTS, .scale = 1, .most = NUMBER_MOST, .word = "unlimited", .word_value = UNLIMITED, .at = place }
#define TIME_LIMIT(text, place) \
    { .name = text, CONFIG_SECONDS, .word = "unlimited", .word_value = TIME_NEVER, .at = place }
static const char *const preempt_words[] = { "cluster", "off",     "requeue",
                                             "cancel",  "suspend", NULL };
static const char *const state_words[] = { "up", "down", NULL };
static const struct config_key partition_keys[] = {
    { .name = "name", .type = CONFIG_TEXT, .at = PARTITION(facts.name), .required = true },
    { .name = "nodes", .type = CONFIG_ANY, .at = PARTITION(nodes), .required = true },
    { .name = "default", .type = CONFIG_FLAG, .at = PARTITION(facts.usual) },
    { .name = "tier", .type = CONFIG_REAL, .at = PARTITION(facts.tier), .most = 65533 },
    { .name = "factor", .type = CONFIG_REAL, .at = PARTITION(facts.factor), .most = 65533 },
    TIME_LIMIT("max_time_s", PARTITION(facts.max_time_ns)),
    { .name = "default_time_s", CONFIG_SECONDS, .at = PARTITION(facts.default_time_ns), .above_least = true },
    LIMIT("min_nodes", PARTITION(facts.min_nodes)),
    LIMIT("max_nodes", PARTITION(facts.max_nodes)),
    { .name = "preempt_mode", .type = CONFIG_CHOICE, .at = PARTITION(facts.preempt), .words = preempt_words },
    { .name = "grace_s", CONFIG_SECONDS, .at = PARTITION(facts.grace_ns) },
    { .name = "qos", .type = CONFIG_TEXT, .at = PARTITION(qos) },
    { .name = "state", .type = CONFIG_CHOICE, .at = PARTITION(state), .words = state_words },
    { 0 },
};
static const struct config_key qos_keys[] = {
    { .name = "name", .type = CONFIG_TEXT, .at = QOS(facts.name), .required = true },
    { .name = "priority", .type = CONFIG_REAL, .at = QOS(facts.priority), .most = NUMBER_MOST },
    LIMIT("group_gpus", QOS(facts.group_gpus)), LIMIT("group_jobs", QOS(facts.group_jobs)),
    LIMIT("max_gpus_per_job", QOS(facts.max_gpus_per_job)), LIMIT("max_gpus_per_user", QOS(facts.max_gpus_per_user)),
    LIMIT("max_gpus_per_account", QOS(facts.max_gpus_per_account)),
    LIMIT("max_jobs_per_user", QOS(facts.max_jobs_per_user)), LIMIT("max_jobs_per_account", QOS(facts.max_jobs_per_account)),
    LIMIT("min_gpus", QOS(facts.min_gpus)),
    TIME_LIMIT("max_time_s", QOS(facts.max_time_ns)),
    { .name = "preempts", .type = CONFIG_LIST, .at = QOS(preempts) },
    { .name = "preempt_mode", .type = CONFIG_CHOICE, .at = QOS(facts.preempt), .words = preempt_words },
    { .name = "grace_s", CONFIG_SECONDS, .at = QOS(facts.grace_ns) },
    { .name = "no_reserve", .type = CONFIG_FLAG, .at = QOS(facts.no_reserve) },
    { 0 },
};
#define ASSOCIATION_KEYS                                                                              \
    { .name = "name", .type = CONFIG_TEXT, .at = ACCOUNT(facts.name), .required = true },             \
    { .name = "shares", .type = CONFIG_REAL, .at = ACCOUNT(facts.shares), .most = NUMBER_MOST },      \
    { .name = "priority", .type = CONFIG_REAL, .at = ACCOUNT(facts.priority), .most = NUMBER_MOST },  \
    LIMIT("group_gpus", ACCOUNT(facts.group_gpus)), LIMIT("group_jobs", ACCOUNT(facts.group_jobs)),   \
    LIMIT("max_gpus_per_job", ACCOUNT(facts.max_gpus_per_job)), LIMIT("max_jobs", ACCOUNT(facts.max_jobs)), \
    TIME_LIMIT("max_time_s", ACCOUNT(facts.max_time_ns)),                                             \
    { .name = "default_qos", .type = CONFIG_TEXT, .at = ACCOUNT(qos) }
static const struct config_key user_keys[] = { ASSOCIATION_KEYS, { 0 } };
static const struct config_key account_keys[] = {
    ASSOCIATION_KEYS,
    { .name = "users", .type = CONFIG_LIST, .at = ACCOUNT(users) },
    { .name = "accounts", .type = CONFIG_LIST, .at = ACCOUNT(accounts) },
    { 0 },
};
static const struct config_key as_text = { .type = CONFIG_TEXT };
/* clang-format on */

struct site_reader {
    const struct site_given *given;
    struct arena *memory;
    struct partition_facts *partition;
    struct qos_facts *qos;
    struct association_facts *association;
    uint32_t n_partitions, n_qos, n_associations, n_nodes;
    size_t capacity;
    struct error *err;
};

static const char *keep(struct site_reader *r, const char *text)
{
    return arena_text(r->memory, text, strlen(text));
}

/* ---- QOS ---- */

static uint32_t qos_named(const struct site_reader *r, const char *name)
{
    for (uint32_t q = 0; q < r->n_qos; q++)
        if (!strcmp(r->qos[q].name, name))
            return q;
    return ID_NONE;
}

static int find_qos(struct site_reader *r, struct config_value at, const char *name, uint32_t *to)
{
    *to = name ? qos_named(r, name) : ID_NONE;
    return name && *to == ID_NONE ? config_error(at, r->err, "there is no QOS '%s'", name) : 0;
}

static int read_preempts(struct site_reader *r, struct config_value list, struct qos_facts *q)
{
    uint64_t *bits = arena_alloc(r->memory, (r->n_qos / 64 + 1) * sizeof *bits);
    struct config_walk w = { .of = list };
    for (struct config_value v; config_next(&w, &v);) {
        const char *name = NULL;
        uint32_t other;
        if (config_scalar(v, &as_text, &name, r->err) || find_qos(r, v, name, &other))
            return -1;
        bits[other / 64] |= UINT64_C(1) << other % 64;
    }
    q->preempts = bits;
    return 0;
}

static int read_qos(struct site_reader *r)
{
    struct config_value list = r->given->qos;
    struct config_walk w = { .of = list };
    struct config_value *preempts = mem_new(config_count(list) + 1, sizeof *preempts);
    int result = 0;
    r->qos = arena_alloc(r->memory, (config_count(list) + 1) * sizeof *r->qos);
    for (struct config_value v; result == 0 && config_next(&w, &v);) {
        struct file_qos f = { .facts = { .group_gpus = UNLIMITED, .group_jobs = UNLIMITED,
                                         .max_gpus_per_job = UNLIMITED, .max_gpus_per_user = UNLIMITED,
                                         .max_gpus_per_account = UNLIMITED, .max_jobs_per_user = UNLIMITED,
                                         .max_jobs_per_account = UNLIMITED, .max_time_ns = TIME_NEVER } };
        result = config_fields(v, qos_keys, &f, r->err);
        if (result == 0 && qos_named(r, f.facts.name) != ID_NONE)
            result = config_error(v, r->err, "QOS '%s' is there already", f.facts.name);
        if (result)
            break;
        f.facts.name = keep(r, f.facts.name);
        preempts[r->n_qos] = f.preempts;
        r->qos[r->n_qos++] = f.facts;
    }
    for (uint32_t q = 0; result == 0 && q < r->n_qos; q++)
        result = read_preempts(r, preempts[q], &r->qos[q]);
    free(preempts);
    return result;
}

/* ---- Partitions ---- */

static int read_partition(struct site_reader *r, struct config_value v)
{
    struct file_partition f = { .facts = { .tier = 1, .factor = 1, .max_time_ns = TIME_NEVER,
                                           .default_time_ns = TIME_NEVER, .max_nodes = UNLIMITED } };
    if (config_fields(v, partition_keys, &f, r->err) || find_qos(r, v, f.qos, &f.facts.qos))
        return -1;
    if (strpbrk(f.facts.name, "=!<>&|;:*, "))
        return config_error(v, r->err, "want a name without = ! < > & | ; : * , and spaces");
    for (uint32_t p = 0; p < r->n_partitions; p++)
        if (!strcmp(r->partition[p].name, f.facts.name))
            return config_error(v, r->err, "partition '%s' is there already", f.facts.name);
    uint64_t *nodes = arena_alloc(r->memory, (r->n_nodes / 64 + (size_t)1) * sizeof *nodes);
    if (node_set_read(f.nodes, r->given->group, r->given->n_groups, nodes, r->err))
        return -1;
    f.facts.nodes = nodes;
    f.facts.down = f.state > 0;
    f.facts.name = keep(r, f.facts.name);
    r->partition[r->n_partitions++] = f.facts;
    return 0;
}

static int read_partitions(struct site_reader *r)
{
    struct config_value list = r->given->partitions;
    struct config_walk w = { .of = list };
    r->partition = arena_alloc(r->memory, (config_count(list) + 1) * sizeof *r->partition);
    for (struct config_value v; config_next(&w, &v);)
        if (read_partition(r, v))
            return -1;
    uint32_t usual = 0, k = 0;
    for (uint32_t p = 0; p < r->n_partitions; p++)
        if (r->partition[p].usual) {
            usual++;
            k = p;
        }
    if (usual > 1)
        return config_error(list, r->err, "want one default partition, got '%s' besides another",
                            r->partition[k].name);
    if (!usual && r->n_partitions)
        r->partition[0].usual = true;
    return 0;
}

/* ---- Accounts ---- */

static int read_association(struct site_reader *r, struct config_value v,
                            const struct config_key *keys, uint32_t parent, bool user,
                            struct file_account *f)
{
    *f = (struct file_account){ .facts = { .parent = parent, .user = user, .shares = 1,
                                           .group_gpus = UNLIMITED, .group_jobs = UNLIMITED,
                                           .max_gpus_per_job = UNLIMITED, .max_jobs = UNLIMITED,
                                           .max_time_ns = TIME_NEVER } };
    if (config_fields(v, keys, f, r->err) || find_qos(r, v, f->qos, &f->facts.qos))
        return -1;
    for (uint32_t a = 0; a < r->n_associations; a++)
        if (r->association[a].user == user && !strcmp(r->association[a].name, f->facts.name) &&
            (!user || r->association[a].parent == parent))
            return config_error(v, r->err, "%s '%s' is there already", user ? "user" : "account",
                                f->facts.name);
    f->facts.name = keep(r, f->facts.name);
    mem_grow(&r->association, &r->capacity, r->n_associations, sizeof *r->association);
    r->association[r->n_associations++] = f->facts;
    return 0;
}

static int read_accounts(struct site_reader *r, struct config_value list, uint32_t parent)
{
    struct config_walk w = { .of = list };
    for (struct config_value v, u; config_next(&w, &v);) {
        struct file_account f, ignored;
        uint32_t self = r->n_associations;
        if (read_association(r, v, account_keys, parent, false, &f))
            return -1;
        struct config_walk users = { .of = f.users };
        while (config_next(&users, &u))
            if (read_association(r, u, user_keys, self, true, &ignored))
                return -1;
        if (read_accounts(r, f.accounts, self))
            return -1;
    }
    return 0;
}

/* What an account has and those below it have not: limits of each user, and the QOS. */
static void inherit(struct association_facts *all, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct association_facts *a = &all[i];
        if (a->parent == ID_NONE)
            continue;
        const struct association_facts *up = &all[a->parent];
        a->max_jobs = a->max_jobs == UNLIMITED ? up->max_jobs : a->max_jobs;
        a->max_gpus_per_job = a->max_gpus_per_job == UNLIMITED ? up->max_gpus_per_job : a->max_gpus_per_job;
        a->max_time_ns = a->max_time_ns == TIME_NEVER ? up->max_time_ns : a->max_time_ns;
        a->qos = a->qos == ID_NONE ? up->qos : a->qos;
    }
}

/* ---- All ---- */

static const uint32_t *weights(struct site_reader *r, bool *any)
{
    uint32_t *weight = arena_alloc(r->memory, (r->n_nodes + (size_t)1) * sizeof *weight);
    node_id n = 0;
    *any = false;
    for (size_t g = 0; g < r->given->n_groups; g++)
        for (uint32_t i = 0; i < r->given->group[g].count; i++, n++) {
            weight[n] = r->given->group[g].weight ? r->given->group[g].weight : 1;
            *any |= weight[n] != 1;
        }
    return weight;
}

int site_read(const struct site_given *given, struct arena *memory, const struct site **to,
              struct error *err)
{
    struct site_reader r = { .given = given, .memory = memory, .err = err };
    *to = NULL;
    for (size_t g = 0; g < given->n_groups; g++)
        r.n_nodes += given->group[g].count;
    bool weighted;
    const uint32_t *weight = weights(&r, &weighted);
    int result = read_qos(&r) || read_partitions(&r) || read_accounts(&r, given->accounts, ID_NONE)
                     ? -1 : 0;
    struct association_facts *kept =
        arena_alloc(memory, (r.n_associations + (size_t)1) * sizeof *kept);
    if (r.n_associations)
        memcpy(kept, r.association, r.n_associations * sizeof *kept);
    free(r.association);
    if (result || (!weighted && !r.n_partitions && !r.n_qos && !r.n_associations))
        return result;
    inherit(kept, r.n_associations);
    struct site *site = arena_alloc(memory, sizeof *site);
    *site = (struct site){ .n_partitions = r.n_partitions, .n_qos = r.n_qos,
                           .n_associations = r.n_associations, .partition = r.partition,
                           .qos = r.qos, .association = kept, .weight = weight };
    *to = site;
    return 0;
}

void site_labels(const struct site *site, node_id n, FILE *f)
{
    for (uint32_t p = 0; site && p < site->n_partitions; p++)
        if (partition_has(&site->partition[p], n))
            fprintf(f, ";partition.%s=", site->partition[p].name);
}

bool site_same_partitions(const struct site *site, node_id a, node_id b)
{
    for (uint32_t p = 0; site && p < site->n_partitions; p++)
        if (partition_has(&site->partition[p], a) != partition_has(&site->partition[p], b))
            return false;
    return true;
}
