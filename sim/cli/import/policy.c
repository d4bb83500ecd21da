/* policy.c - the policy that comes closest to the scheduling keys of a slurm.conf. */
#include "sim/base/memory.h"
#include "sim/cli/import/import.h"
#include "sim/slurm/span.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A key of slurm.conf as a parameter; `plain`: its name in policy multifactor, NULL: none. */
static const struct weight { const char *key, *name, *plain; int64_t unit_s; } weights[] = {
    { "PriorityWeightAge", "w_age", "w_age", 0 },
    { "PriorityWeightFairshare", "w_fairshare", "w_fairshare", 0 },
    { "PriorityWeightJobSize", "w_jobsize", "w_size", 0 },
    { "PriorityWeightPartition", "w_partition", NULL, 0 },
    { "PriorityWeightQOS", "w_qos", NULL, 0 },
    { "PriorityWeightAssoc", "w_assoc", NULL, 0 },
    { "PriorityMaxAge", "max_age_s", "max_age_s", 60 },
    { "PriorityDecayHalfLife", "half_life_s", "half_life_s", 60 },
    { "PriorityCalcPeriod", "calc_period_s", "calc_period_s", 60 },
};
/* Slurm's weights are 0 unless they are said; those of `multifactor` are not. */
static const char *const plain_zero[] = { "w_age", "w_fairshare", "w_size", NULL };

static bool is(const char *value, const char *word)
{
    return value && strcasecmp(value, word) == 0;
}

static void put_number(FILE *f, struct import *im, const struct weight *w)
{
    const struct conf_pair *p = conf_global(&im->site->conf, w->key);
    const char *name = im->plain ? w->plain : w->name;
    int64_t value;
    struct error unused = { "" };
    if (!p)
        return;
    bool read = w->unit_s ? span_parse(p->value, strlen(p->value), w->unit_s, &value) && value >= 0
                          : conf_integer(p, 0, UINT32_MAX, &value, &unused) == 0;
    if (read && name)
        fprintf(f, ",%s=%" PRId64, name, value);
    else if (!read || value)
        site_remark(im->site, "left out: %s=%.40s", w->key, p->value);
}

static void put_tres_weight(FILE *f, struct import *im)
{
    const char *value = site_key(im->site, "PriorityWeightTRES");
    const char *gpu = value ? strstr(value, "gres/gpu=") : NULL;
    if (gpu)
        fprintf(f, ",w_tres_gpu=%" PRId64, (int64_t)strtoll(gpu + 9, NULL, 10));
    if (value && (!gpu || strchr(value, ',')))
        site_remark(im->site, "left out: PriorityWeightTRES other than gres/gpu (%.60s)", value);
}

static void put_weights(FILE *f, struct import *im)
{
    for (size_t i = 0; im->plain && plain_zero[i]; i++) {
        bool said = false;
        for (size_t k = 0; k < sizeof weights / sizeof *weights; k++)
            said |= weights[k].plain && !strcmp(weights[k].plain, plain_zero[i]) &&
                    conf_global(&im->site->conf, weights[k].key);
        if (!said)
            fprintf(f, ",%s=0", plain_zero[i]);
    }
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        put_number(f, im, &weights[i]);
    put_tres_weight(f, im);
    if (!im->plain && is(site_key(im->site, "PriorityFavorSmall"), "YES"))
        fputs(",favor_small=yes", f);
}

/* SchedulerParameters: "bf_interval=30,bf_continue". */
static void put_parameters(FILE *f, struct import *im, const char *list)
{
    static const char *const numbers[] = {
        "bf_interval", "bf_window", "bf_resolution", "bf_max_job_test", "bf_max_job_part",
        "bf_max_job_user", "bf_max_job_start", "bf_min_age_reserve", "bf_min_prio_reserve",
        "bf_window_linear", "default_queue_depth", "partition_job_depth", "batch_sched_delay",
        "sched_interval", "preempt_reorder_count", NULL
    }, *const flags[] = { "bf_one_resv_per_job", "assoc_limit_stop", "preempt_strict_order",
                          "preempt_youngest_first", NULL };
    for (const char *at = list; *at; at += strspn(at, ", ")) {
        size_t length = strcspn(at, ", "), name = strcspn(at, "=, ");
        bool known = false;
        for (size_t i = 0; numbers[i]; i++)
            known |= strlen(numbers[i]) == name && !memcmp(numbers[i], at, name) && at[name] == '=';
        if (known && !im->plain)
            fprintf(f, ",%.*s", (int)length, at);
        for (size_t i = 0; flags[i] && !known; i++)
            if (strlen(flags[i]) == length && !memcmp(flags[i], at, length)) {
                known = true;
                if (!im->plain)
                    fprintf(f, ",%s=yes", flags[i]);
            }
        if (!known || im->plain)
            site_remark(im->site, "left out: SchedulerParameters %.*s",
                        length > 60 ? 60 : (int)length, at);
        at += length;
    }
}

static void put_preemption(FILE *f, struct import *im)
{
    const char *type = site_key(im->site, "PreemptType");
    bool partition = is(type, "preempt/partition_prio"), qos = is(type, "preempt/qos");
    if (!partition && !qos)
        return;
    if (im->plain) {
        site_remark(im->site, "left out with --plain: %s", type);
        return;
    }
    static const char *const words[] = { [SITE_PREEMPT_CLUSTER] = "off",
                                         [SITE_PREEMPT_OFF] = "off",
                                         [SITE_PREEMPT_REQUEUE] = "requeue",
                                         [SITE_PREEMPT_CANCEL] = "cancel",
                                         [SITE_PREEMPT_SUSPEND] = "suspend" };
    const char *mode = words[im->site->preempt];
    fprintf(f, ",preempt=%s,preempt_mode=%s", partition ? "partition" : "qos", mode);
    if (!strcmp(mode, "off"))
        site_remark(im->site, "guessed: no job is stopped: Slurm does not start with PreemptType "
                              "and a PreemptMode without REQUEUE, CANCEL or SUSPEND");
}

char *import_policy(struct import *im)
{
    char *text = NULL;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    const char *scheduler = site_key(im->site, "SchedulerType"),
               *parameters = site_key(im->site, "SchedulerParameters");
    bool weighted = is(site_key(im->site, "PriorityType"), "priority/multifactor");
    bool backfill = !is(scheduler, "sched/builtin");
    if (im->plain && !weighted) {
        fputs(backfill ? "easy" : "fifo", f);
    } else if (im->plain) {
        fputs("multifactor:blocking=skip", f);
        put_weights(f, im);
        site_remark(im->site,
                    "with --plain: multifactor passes by jobs that do not fit, without the "
                    "reservations of Slurm's backfill");
    } else {
        fprintf(f, "slurm:scheduler=%s,priority=%s", backfill ? "backfill" : "builtin",
                weighted ? "multifactor" : "basic");
        if (weighted)
            put_weights(f, im);
    }
    put_parameters(f, im, parameters ? parameters : "");
    put_preemption(f, im);
    mem_stream_end(f, &text);
    return text;
}
