/* flavor_file.c - flavors of a cluster file, and the quotas of queues in them: see
 * cluster_reader.h. */
#include "sim/cluster/cluster_reader.h"

#include "sim/base/memory.h"

#include <string.h>

#define FLAVORS_MOST 64
#define GROUPS_MOST  16

struct file_flavor { const char *name; struct config_value labels, taints, tolerations; };
struct file_quota { const char *flavor; int group; struct flavor_quota quota; };

/* clang-format off */
#define FLAVOR(field) offsetof(struct file_flavor, field)
#define SHARE(field)  offsetof(struct file_quota, quota.field)
#define AMOUNT        .type = CONFIG_PARTS, .most = QUOTA_MOST, .word = "unlimited", .word_value = UNLIMITED
static const struct config_key flavor_keys[] = {
    { .name = "name",        .type = CONFIG_TEXT,    .at = FLAVOR(name), .required = true },
    { .name = "node_labels", .type = CONFIG_MAPPING, .at = FLAVOR(labels) },
    { .name = "taints",      .type = CONFIG_LIST,    .at = FLAVOR(taints) },
    { .name = "tolerations", .type = CONFIG_LIST,    .at = FLAVOR(tolerations) },
    { 0 },
};
static const struct config_key quota_keys[] = {
    { .name = "flavor",      .type = CONFIG_TEXT,    .at = offsetof(struct file_quota, flavor), .required = true },
    { .name = "group",       .type = CONFIG_INTEGER, .at = offsetof(struct file_quota, group), .most = GROUPS_MOST - 1 },
    { .name = "deserved_gpus",              AMOUNT, .at = SHARE(nominal.gpu_milli), .scale = 1000 },
    { .name = "deserved_cpus",              AMOUNT, .at = SHARE(nominal.cpu_milli), .scale = 1000 },
    { .name = "deserved_memory_gib",        AMOUNT, .at = SHARE(nominal.mem_mib), .scale = 1024 },
    { .name = "borrowing_limit_gpus",       AMOUNT, .at = SHARE(borrowing.gpu_milli), .scale = 1000 },
    { .name = "borrowing_limit_cpus",       AMOUNT, .at = SHARE(borrowing.cpu_milli), .scale = 1000 },
    { .name = "borrowing_limit_memory_gib", AMOUNT, .at = SHARE(borrowing.mem_mib), .scale = 1024 },
    { .name = "lending_limit_gpus",         AMOUNT, .at = SHARE(lending.gpu_milli), .scale = 1000 },
    { .name = "lending_limit_cpus",         AMOUNT, .at = SHARE(lending.cpu_milli), .scale = 1000 },
    { .name = "lending_limit_memory_gib",   AMOUNT, .at = SHARE(lending.mem_mib), .scale = 1024 },
    { 0 },
};
static const char *const borrow_words[] = {
    [BORROW_STOPS] = "may-stop-search", [BORROW_TRIES_NEXT] = "try-next-flavor", NULL,
};
static const char *const preempt_words[] = {
    [PREEMPT_TRIES_NEXT] = "try-next-flavor", [PREEMPT_STOPS] = "may-stop-search", NULL,
};
static const char *const preference_words[] = {
    [BORROWING_OVER_PREEMPTION] = "borrowing-over-preemption",
    [PREEMPTION_OVER_BORROWING] = "preemption-over-borrowing", NULL,
};
static const struct config_key fungibility_keys[] = {
    { .name = "when_can_borrow",  .type = CONFIG_CHOICE, .at = offsetof(struct fungibility, when_can_borrow), .words = borrow_words },
    { .name = "when_can_preempt", .type = CONFIG_CHOICE, .at = offsetof(struct fungibility, when_can_preempt), .words = preempt_words },
    { .name = "preference",       .type = CONFIG_CHOICE, .at = offsetof(struct fungibility, preference), .words = preference_words },
    { 0 },
};
/* clang-format on */

static uint32_t flavor_named(const struct cluster_reader *r, const char *name)
{
    for (uint32_t f = 0; f < r->n_flavors; f++)
        if (!strcmp(r->flavor[f].name, name))
            return f;
    return ID_NONE;
}

int flavors_read(struct cluster_reader *r, struct config_value list)
{
    struct flavor *all = arena_alloc(r->memory, (config_count(list) + 1) * sizeof *all);
    r->flavor = all;
    if (config_count(list) > FLAVORS_MOST)
        return config_error(list, r->err, "want at most %d flavors", FLAVORS_MOST);
    struct config_walk w = { .of = list };
    for (struct config_value entry; config_next(&w, &entry); r->n_flavors++) {
        struct file_flavor f = { .name = NULL };
        struct flavor *to = &all[r->n_flavors];
        *to = (struct flavor){ "", "", "", "" };
        if (config_fields(entry, flavor_keys, &f, r->err) ||
            texts_read(r, f.labels, TEXT_LABELS, &to->labels) ||
            texts_read(r, f.taints, TEXT_TAINTS, &to->taints) ||
            texts_read(r, f.tolerations, TEXT_TOLERATIONS, &to->tolerations))
            return -1;
        if (flavor_named(r, f.name) != ID_NONE)
            return config_error(entry, r->err, "flavor '%s' is given twice", f.name);
        to->name = f.name;
    }
    return 0;
}

/* A resource is in one group, a flavor once in a group. */
static int check_quota(const struct queue_facts *q, struct config_value entry, const char *name,
                       struct error *err)
{
    const struct flavor_quota *new = &q->flavor_quota[q->n_flavor_quotas - 1];
    for (uint32_t i = 0; i + 1 < q->n_flavor_quotas; i++) {
        const struct flavor_quota *old = &q->flavor_quota[i];
        bool both = (old->nominal.gpu_milli != UNLIMITED && new->nominal.gpu_milli != UNLIMITED) ||
                    (old->nominal.cpu_milli != UNLIMITED && new->nominal.cpu_milli != UNLIMITED) ||
                    (old->nominal.mem_mib != UNLIMITED && new->nominal.mem_mib != UNLIMITED);
        if (old->group == new->group && old->flavor == new->flavor)
            return config_error(entry, err, "flavor '%s' is given twice in group %u", name,
                                new->group);
        if (old->group != new->group && both)
            return config_error(entry, err, "want a resource in one group only, got it in %u and %u",
                                old->group, new->group);
    }
    return 0;
}

int flavor_quotas_read(struct cluster_reader *r, struct config_value list, struct queue_facts *q)
{
    struct flavor_quota *all = arena_alloc(r->memory, (config_count(list) + 1) * sizeof *all);
    struct config_walk w = { .of = list };
    q->flavor_quota = all;
    for (struct config_value entry; config_next(&w, &entry);) {
        struct file_quota f = { .quota = { .nominal = { -2, UNLIMITED, UNLIMITED },
                                           .borrowing = { UNLIMITED, UNLIMITED, UNLIMITED },
                                           .lending = { UNLIMITED, UNLIMITED, UNLIMITED } } };
        if (config_fields(entry, quota_keys, &f, r->err))
            return -1;
        bool others = f.quota.nominal.cpu_milli != UNLIMITED || f.quota.nominal.mem_mib != UNLIMITED;
        if (f.quota.nominal.gpu_milli < UNLIMITED)        /* unsaid: none, or not of this group */
            f.quota.nominal.gpu_milli = others && f.group ? UNLIMITED : 0;
        f.quota.group = (uint32_t)f.group;
        f.quota.flavor = flavor_named(r, f.flavor);
        if (f.quota.flavor == ID_NONE)
            return config_error(entry, r->err, "there is no flavor '%s'", f.flavor);
        all[q->n_flavor_quotas++] = f.quota;
        if (check_quota(q, entry, f.flavor, r->err))
            return -1;
    }
    return 0;
}

int fungibility_read(struct cluster_reader *r, struct config_value section, struct fungibility *to)
{
    return config_given(section) ? config_fields(section, fungibility_keys, to, r->err) : 0;
}
