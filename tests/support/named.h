/* named.h - policies and placers as a command line names them:
 * "priority:preempt=yes,blocking=skip", "pack". */
#pragma once
#include "policies/registry.h"
#include "sim/engine/params.h"

#include <assert.h>
#include <string.h>

struct named_policy {
    const struct policy *policy;
    double params[48]; /* a parameter struct consists of doubles */
};

static inline struct named_policy policy_named(const char *text)
{
    struct named_policy named = { 0 };
    struct error err = { "" };
    size_t n = strcspn(text, ":"), i = 0;
    while (builtin_policies[i] &&
           (strlen(builtin_policies[i]->name) != n || strncmp(builtin_policies[i]->name, text, n)))
        i++;
    named.policy = builtin_policies[i];
    assert(named.policy && named.policy->params_size <= sizeof named.params);
    int result = params_parse(named.policy->params, named.policy->params_size, text[n] ? text + n + 1 : NULL, text,
                              named.params, &err);
    assert(result == 0);
    (void)result;
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

struct named_placer {
    const struct placer *placer;
    double params[8];
};

static inline struct named_placer placer_with(const char *text)
{
    struct named_placer named = { 0 };
    struct error err = { "" };
    char name[64];
    size_t n = strcspn(text, ":");
    assert(n < sizeof name);
    memcpy(name, text, n);
    name[n] = '\0';
    named.placer = placer_named(name);
    assert(named.placer->params_size <= sizeof named.params);
    int result = params_parse(named.placer->params, named.placer->params_size, text[n] ? text + n + 1 : NULL, text,
                              named.params, &err);
    assert(result == 0);
    (void)result;
    return named;
}
