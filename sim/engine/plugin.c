/* plugin.c - see plugin.h. What a table points to is trusted; that it is a table of ours is checked. */
#include "sim/engine/plugin.h"

#include <dlfcn.h>
#include <string.h>

/* NULL with err. The library is never closed: a run holds pointers into it, and so may an error message. */
static const void *symbol(const char *path, const char *name, const char *other, const char *other_kind,
                          struct error *err)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        size_t length = strlen(path);
        if (why && !strncmp(why, path, length) && !strncmp(why + length, ": ", 2))
            why += length + 2;            /* the path is said already */
        error_set(err, "%s: cannot load the plugin: %s", path, why ? why : "no reason given");
        return NULL;
    }
    const void *table = dlsym(library, name);
    if (!table && dlsym(library, other))
        error_set(err, "%s: has no symbol '%s': it is a %s", path, name, other_kind);
    else if (!table)
        error_set(err, "%s: has no symbol '%s'", path, name);
    return table;
}

/* Names stand in files, in names of directories and on command lines. */
static int check_name(const char *path, const char *table, const char *name, struct error *err)
{
    if (!name || !*name)
        return error_set(err, "%s: %s has no name", path, table);
    if (name[0] == '.' || name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")])
        return error_set(err, "%s: %s: name: want letters, digits, '-', '_' and '.', got '%s'", path, table, name);
    return 0;
}

static int check_params(const char *path, const char *table, const struct param *list, size_t size, struct error *err)
{
    for (const struct param *p = list; p && p->name; p++) {
        size_t words = 0;
        if (p->at % sizeof(double) || size < sizeof(double) || p->at > size - sizeof(double))
            return error_set(err, "%s: %s: parameter '%s' does not lie within params_size", path, table, p->name);
        while (p->options && p->options[words])
            words++;
        if (p->options ? !(p->default_value >= 0 && p->default_value < (double)words && p->default_value == (double)(size_t)p->default_value)
                     : !(p->default_value >= p->min && p->default_value <= p->max))
            return error_set(err, "%s: %s: parameter '%s': its default is not one of its values", path, table, p->name);
    }
    return 0;
}

static int check(const char *path, const char *table, unsigned abi, unsigned want, const char *name,
                 const struct param *params, size_t params_size, struct error *err)
{
    if (abi != want)               /* first: of another ABI, nothing else means anything */
        return error_set(err, "%s: %s has ABI %u, this program has %u: build it anew with its headers", path, table, abi,
                         want);
    return check_name(path, table, name, err) ? -1 : check_params(path, table, params, params_size, err);
}

const struct policy *plugin_policy(const char *path, struct error *err)
{
    static const char table[] = "policy_plugin";
    const struct policy *p = symbol(path, table, "placer_plugin", "placer", err);
    if (!p || check(path, table, p->abi, POLICY_ABI, p->name, p->params, p->params_size, err))
        return NULL;
    if (p->schedule)
        return p;
    error_set(err, "%s: %s has no schedule()", path, table);
    return NULL;
}

const struct placer *plugin_placer(const char *path, struct error *err)
{
    static const char table[] = "placer_plugin";
    const struct placer *p = symbol(path, table, "policy_plugin", "policy", err);
    if (!p || check(path, table, p->abi, PLACEMENT_ABI, p->name, p->params, p->params_size, err))
        return NULL;
    if (p->place)
        return p;
    error_set(err, "%s: %s has no place()", path, table);
    return NULL;
}
