/* meta_combos.h - combinations: policies x placers x words of the policy's parameters. */
#pragma once
#include "policies/registry.h"
#include "sim/engine/params.h"
#include "tests/support/choices.h"
#include "tests/unit/test_core.h"

#include <stdio.h>
#include <string.h>

enum { META_PARAMS = 48, META_COMBOS = 1024 };

struct meta_combo {
    const struct policy *policy;
    const struct placer *placer;
    double params[META_PARAMS];
    char name[400];
};

static inline const struct param *meta_param(const struct policy *p, const char *name)
{
    for (const struct param *q = p->params; q && q->name; q++)
        if (!strcmp(q->name, name))
            return q;
    return NULL;
}

/* Is the word parameter `name` of this combination `word`? A policy without it: no. */
static inline bool meta_is(const struct meta_combo *c, const char *name, const char *word)
{
    const struct param *q = meta_param(c->policy, name);
    return q && q->options && !strcmp(q->options[(size_t)c->params[q->at / sizeof(double)]], word);
}

static inline void meta_name(struct meta_combo *c)
{
    int n = snprintf(c->name, sizeof c->name, "%s", c->policy->name);
    for (const struct param *q = c->policy->params; q && q->name; q++)
        if (q->options)
            n += snprintf(c->name + n, sizeof c->name - (size_t)n, ",%s=%s", q->name,
                          q->options[(size_t)c->params[q->at / sizeof(double)]]);
    snprintf(c->name + n, sizeof c->name - (size_t)n, " x %s", c->placer->name);
}

/* The next choice of words. false: that was the last, all are at their first again. */
static inline bool meta_next_words(const struct policy *p, double *params)
{
    for (const struct param *q = p->params; q && q->name; q++) {
        double *value = &params[q->at / sizeof(double)];
        if (!q->options)
            continue;
        if (q->options[(size_t)*value + 1]) {
            *value += 1;
            return true;
        }
        *value = 0;
    }
    return false;
}

/* The usual choice of words with every placer, those of tests/support/choices.h with the first.
 * A policy that places pod by pod, or by itself, hardly asks the placer: all with the first. */
static inline size_t meta_combos(struct meta_combo *list)
{
    size_t n = 0;
    for (size_t p = 0; builtin_policies[p]; p++) {
        struct meta_combo c = { .policy = builtin_policies[p] };
        struct error err = { "" };
        assert_true(c.policy->params_size <= sizeof c.params);
        assert_int_equal(params_parse(c.policy->params, c.policy->params_size, NULL, "", c.params, &err), 0);
        for (const struct param *q = c.policy->params; q && q->name; q++)
            if (q->options)
                c.params[q->at / sizeof(double)] = 0;
        bool pods = !strcmp(c.policy->name, "kube") || !strcmp(c.policy->name, "gang") ||
                    !strcmp(c.policy->name, "slurm");
        do {
            for (size_t k = 0; choice_is_played(c.policy, c.params) && builtin_placers[k]; k++) {
                if (k > 0 && (pods || choice_unusual(c.policy, c.params) > 0))
                    break;
                assert_true(n < META_COMBOS);
                c.placer = builtin_placers[k];
                meta_name(&c);
                list[n++] = c;
            }
        } while (meta_next_words(c.policy, c.params));
    }
    return n;
}

static inline bool meta_policy_is(const struct meta_combo *c, const char *name)
{
    return !strcmp(c->policy->name, name);
}

static inline bool meta_preempts(const struct meta_combo *c)
{
    const struct policy *p = c->policy;
    return (p->needs | (p->also_needs ? p->also_needs(c->params) : 0u)) & SEES_RELEASING;
}

/* Round robin: where a stop has a price, a job may never get anywhere. */
static inline bool meta_takes_turns(const struct meta_combo *c)
{
    return meta_is(c, "continuous", "yes");
}

/* Usage of the past, of all queues, orders the jobs. */
static inline bool meta_remembers(const struct meta_combo *c)
{
    return meta_policy_is(c, "multifactor") || meta_policy_is(c, "fair-tree");
}

static inline bool meta_strict_fifo_pool(const struct meta_combo *c)
{
    return meta_policy_is(c, "fifo") && meta_is(c, "scope", "pool") && meta_is(c, "blocking", "strict");
}
