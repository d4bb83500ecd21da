/* write_site.c - the sections of a cluster file that policy slurm reads: partitions, qos, accounts
 * and time_limits. See import.h. */
#include "sim/cli/import/import.h"

#include <inttypes.h>
#include <string.h>

bool import_has_qos(const struct import *im, const char *name)
{
    for (size_t i = 0; i < im->accounts.n_qos; i++)
        if (!strcmp(im->accounts.qos[i].name, name))
            return true;
    return false;
}

/* A name among the QOS; of another a remark. */
static bool is_qos(struct import *im, const char *name)
{
    if (import_has_qos(im, name))
        return true;
    site_remark(im->site, "left out: QOS %.60s, which is not among the QOS", name);
    return false;
}

static void put_limit(struct output *o, const char *key, int64_t value)
{
    if (value != SITE_UNLIMITED)
        out_printf(o, ", %s: %" PRId64, key, value);
}

static void put_preempt(struct output *o, enum site_preempt mode)
{
    static const char *const words[] = { [SITE_PREEMPT_OFF] = "\"off\"",
                                         [SITE_PREEMPT_REQUEUE] = "requeue",
                                         [SITE_PREEMPT_CANCEL] = "cancel",
                                         [SITE_PREEMPT_SUSPEND] = "suspend" };
    if (mode != SITE_PREEMPT_CLUSTER)
        out_printf(o, ", preempt_mode: %s", words[mode]);
}

static void put_partition_nodes(struct import *im, struct output *o, uint32_t p)
{
    bool any = false;
    if (im->all_partitions >> p & 1) {
        out_text(o, ", nodes: all");
        return;
    }
    out_text(o, ", nodes: {");
    for (uint32_t i = 0, end; i < im->n_present; i = end) {
        end = import_group_end(im, i);
        if (!(im->site->node[im->order[i]].partitions >> p & 1))
            continue;
        out_text(o, any ? ", " : " ");
        import_group_name(im, o, i, end);
        out_text(o, ": all");
        any = true;
    }
    out_text(o, " }");
}

static void put_partitions(struct import *im, struct output *o)
{
    if (!im->site->n_partitions)
        return;
    out_text(o, "partitions:\n");
    for (uint32_t p = 0; p < im->site->n_partitions; p++) {
        const struct site_partition *x = &im->site->partition[p];
        out_text(o, "  - { name: ");
        out_quoted(o, x->name);
        put_partition_nodes(im, o, p);
        out_printf(o, "%s, tier: %" PRId64 ", factor: %" PRId64,
                   x->is_default ? ", default: true" : "", x->tier, x->factor);
        put_limit(o, "max_time_s", x->max_time_s);
        put_limit(o, "default_time_s", x->default_time_s);
        put_limit(o, "min_nodes", x->min_nodes ? x->min_nodes : SITE_UNLIMITED);
        put_limit(o, "max_nodes", x->max_nodes);
        put_preempt(o, x->preempt);
        put_limit(o, "grace_s", x->grace_s ? x->grace_s : SITE_UNLIMITED);
        if (*x->qos && is_qos(im, x->qos)) {
            out_text(o, ", qos: ");
            out_quoted(o, x->qos);
        }
        if (x->exclusive)
            site_remark(im->site, "left out: OverSubscribe=EXCLUSIVE of partitions: whole nodes");
        out_text(o, x->down ? ", state: down }\n" : " }\n");
    }
}

static void put_preempts(struct import *im, struct output *o, const char *list)
{
    bool any = false;
    for (const char *name; (name = import_next_name(im, &list));) {
        if (!is_qos(im, name))
            continue;
        out_text(o, any ? ", " : ", preempts: [ ");
        out_quoted(o, name);
        any = true;
    }
    out_text(o, any ? " ]" : "");
}

static void put_qos(struct import *im, struct output *o)
{
    for (size_t i = 0; i < im->accounts.n_qos; i++) {
        const struct slurm_qos *q = &im->accounts.qos[i];
        out_text(o, i ? "  - { name: " : "qos:\n  - { name: ");
        out_quoted(o, q->name);
        out_printf(o, ", priority: %" PRId64, q->priority > 0 ? q->priority : 0);
        put_limit(o, "group_gpus", q->group_gpus);
        put_limit(o, "group_jobs", q->group_jobs);
        put_limit(o, "max_gpus_per_job", q->max_gpus_per_job);
        put_limit(o, "max_gpus_per_user", q->max_gpus_per_user);
        put_limit(o, "max_gpus_per_account", q->max_gpus_per_account);
        put_limit(o, "max_jobs_per_user", q->max_jobs_per_user);
        put_limit(o, "max_jobs_per_account", q->max_jobs_per_account);
        put_limit(o, "max_time_s", q->max_time_s);
        put_limit(o, "min_gpus", q->min_gpus);
        put_limit(o, "grace_s", q->grace_s ? q->grace_s : SITE_UNLIMITED);
        put_preempt(o, q->preempt);
        put_preempts(im, o, q->preempts);
        out_text(o, q->no_reserve ? ", no_reserve: true }\n" : " }\n");
    }
}

static void put_assoc(struct import *im, struct output *o, const struct slurm_assoc *x)
{
    out_text(o, "{ name: ");
    out_quoted(o, x->name);
    if (x->shares == SHARES_OF_PARENT)
        site_remark(im->site, "guessed: Fairshare=parent of an account or user is one share");
    out_printf(o, ", shares: %" PRId64, x->shares == SHARES_OF_PARENT ? 1 : x->shares);
    put_limit(o, "group_gpus", x->group_gpus);
    put_limit(o, "group_jobs", x->group_jobs);
    put_limit(o, "max_gpus_per_job", x->max_gpus_per_job);
    put_limit(o, "max_jobs", x->max_jobs);
    put_limit(o, "max_time_s", x->max_time_s);
    if (x->priority > 0)
        out_printf(o, ", priority: %" PRId64, x->priority);
    if (x->is_user && *x->default_qos && is_qos(im, x->default_qos)) {
        out_text(o, ", default_qos: ");
        out_quoted(o, x->default_qos);
    }
}

/* An account with its users and the accounts below it, on one line. */
static void put_account(struct import *im, struct output *o, uint32_t k)
{
    const struct slurm_accounts *a = &im->accounts;
    put_assoc(im, o, &a->assoc[k]);
    for (int users = 1; users >= 0; users--) {
        bool any = false;
        for (uint32_t i = 0; i < a->n_assocs; i++) {
            if (a->assoc[i].is_user != users || a->assoc[i].parent != k)
                continue;
            out_text(o, any ? ", " : users ? ", users: [ " : ", accounts: [ ");
            any = true;
            if (!users) {
                put_account(im, o, i);
                continue;
            }
            put_assoc(im, o, &a->assoc[i]);
            out_text(o, " }");
        }
        out_text(o, any ? " ]" : "");
    }
    out_text(o, " }");
}

static void put_accounts(struct import *im, struct output *o)
{
    bool any = false;
    for (uint32_t k = 0; k < im->accounts.n_assocs; k++) {
        if (im->accounts.assoc[k].is_user || im->accounts.assoc[k].parent != SITE_NONE)
            continue;
        out_text(o, any ? "  - " : "accounts:\n  - ");
        any = true;
        put_account(im, o, k);
        out_char(o, '\n');
    }
}

static void put_time_limits(struct import *im, struct output *o)
{
    const struct conf_pair *over = conf_global(&im->site->conf, "OverTimeLimit");
    struct error unused = { "" };
    int64_t minutes = 0;
    if (over && conf_integer(over, 0, 65533, &minutes, &unused) != 0)
        site_remark(im->site, "left out: OverTimeLimit=%.40s", over->value);
    out_printf(o, "time_limits: { enforce: true, over_s: %" PRId64 ", check_s: 30 }\n",
               minutes * 60);
}

void import_batch_site(struct import *im, struct output *o)
{
    put_partitions(im, o);
    put_qos(im, o);
    put_accounts(im, o);
    put_time_limits(im, o);
}
