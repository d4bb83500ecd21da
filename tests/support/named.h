/* named.h - policies and placers as a command line names them: "priority:preempt=yes,blocking=skip", "pack". */
#pragma once
#include "policies/registry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct named_policy {
    const struct policy *policy;
    double params[8];             /* a parameter struct consists of doubles */
};

static inline void named_set(const struct param *list, const char *text, double *params)
{
    for (const struct param *p = list; p && p->name; p++) {
        double *value = &params[p->at / sizeof(double)];
        *value = p->usual;
        size_t n = strlen(p->name);
        for (const char *at = text; *at; at += *at ? 1 : 0) {
            if (!strncmp(at, p->name, n) && at[n] == '=') {
                size_t length = strcspn(at + n + 1, ",");
                *value = p->words ? -1 : strtod(at + n + 1, NULL);
                for (int w = 0; p->words && p->words[w]; w++)
                    if (strlen(p->words[w]) == length && !strncmp(p->words[w], at + n + 1, length))
                        *value = w;
                assert(*value >= 0);
            }
            at += strcspn(at, ",");
        }
    }
}

static inline struct named_policy policy_named(const char *text)
{
    struct named_policy named = { 0 };
    size_t n = strcspn(text, ":");
    for (size_t i = 0; builtin_policies[i]; i++)
        if (strlen(builtin_policies[i]->name) == n && !strncmp(builtin_policies[i]->name, text, n))
            named.policy = builtin_policies[i];
    assert(named.policy && named.policy->params_size <= sizeof named.params);
    named_set(named.policy->params, text[n] ? text + n + 1 : "", named.params);
    return named;
}

static inline const struct placer *placer_named(const char *name)
{
    size_t i = 0;
    while (builtin_placers[i] && strcmp(builtin_placers[i]->name, name))
        i++;
    assert(builtin_placers[i]);
    return builtin_placers[i];
}
