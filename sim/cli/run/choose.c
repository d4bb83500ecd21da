/* choose.c - see choose.h. */
#include "sim/cli/run/choose.h"

#include "policies/registry.h"
#include "sim/base/memory.h"
#include "sim/base/suggest.h"
#include "sim/engine/params.h"
#include "sim/run/plugin.h"
#include "sim/results/results.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH_MAX      INT64_C(1000000000)
#define EVERY_MAX_S   INT64_C(3153600000)    /* 100 years */

#define usage(...) (error_set(__VA_ARGS__), EXIT_USAGE)

/* ---- Policies and placers ---- */

struct spec { char *name; const char *params; bool plugin; };    /* params NULL: none */

/* Parameters begin at the first ':' after the last '/', as a path may hold colons. */
static struct spec split(const char *text)
{
    const char *slash = strrchr(text, '/'), *colon = strchr(slash ? slash : text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    return (struct spec){ mem_text(text, length), colon ? colon + 1 : NULL, slash != NULL };
}

/* other: what else has that name; NULL: nothing. */
static int unknown(const char *kind, const char *list, const char *typed, struct suggestion near,
                   const char *other, struct error *err)
{
    size_t length = strlen(typed);
    if (other)
        return usage(err, "no %s '%s': it is a %s", kind, typed, other);
    if (length > 3 && !strcmp(typed + length - 3, ".so"))
        return usage(err, "no %s '%s': the name of a plugin has a '/': want './%s'", kind, typed,
                     typed);
    if (near.best)
        return usage(err, "no %s '%s', did you mean '%s'?", kind, typed, near.best);
    return usage(err, "no %s '%s', see 'gpuyard list %s'", kind, typed, list);
}

static bool is_policy(const char *name)
{
    for (size_t i = 0; builtin_policies[i]; i++)
        if (!strcmp(builtin_policies[i]->name, name))
            return true;
    return false;
}

static bool is_placer(const char *name)
{
    for (size_t i = 0; builtin_placers[i]; i++)
        if (!strcmp(builtin_placers[i]->name, name))
            return true;
    return false;
}

static const struct policy *find_policy(const struct spec *spec, int *status, struct error *err)
{
    struct suggestion near = { .typed = spec->name };
    *status = EXIT_INPUT;
    if (spec->plugin)
        return plugin_policy(spec->name, err);
    for (size_t i = 0; builtin_policies[i]; i++) {
        if (!strcmp(builtin_policies[i]->name, spec->name))
            return builtin_policies[i];
        suggest_offer(&near, builtin_policies[i]->name);
    }
    *status = unknown("policy", "policies", spec->name, near,
                      is_placer(spec->name) ? "placer, want it with --placement" : NULL, err);
    return NULL;
}

static const struct placer *find_placer(const struct spec *spec, int *status, struct error *err)
{
    struct suggestion near = { .typed = spec->name };
    *status = EXIT_INPUT;
    if (spec->plugin)
        return plugin_placer(spec->name, err);
    for (size_t i = 0; builtin_placers[i]; i++) {
        if (!strcmp(builtin_placers[i]->name, spec->name))
            return builtin_placers[i];
        suggest_offer(&near, builtin_placers[i]->name);
    }
    *status = unknown("placer", "placers", spec->name, near,
                      is_policy(spec->name) ? "policy, want it with --policy" : NULL, err);
    return NULL;
}

static int read_params(const char *kind, const char *name, const struct param *list, size_t size,
                       const char *text, void **params, struct error *err)
{
    char subject[128];
    snprintf(subject, sizeof subject, "%s %s", kind, name);
    *params = mem_new(1, size + 1);
    return params_parse(list, size, text, subject, *params, err) ? EXIT_USAGE : EXIT_OK;
}

int choose_policy(const char *text, struct chosen_policy *to, struct error *err)
{
    struct spec spec = split(text);
    int status;
    const struct policy *p = to->policy = find_policy(&spec, &status, err);
    if (p)
        status = read_params("policy", p->name, p->params, p->params_size, spec.params, &to->params,
                             err);
    if (p && status == EXIT_OK)
        to->clairvoyant = (p->needs | (p->also_needs ? p->also_needs(to->params) : 0)) &
                          SEES_RUN_TIME;
    free(spec.name);
    return status;
}

int choose_placer(const char *text, struct chosen_placer *to, struct error *err)
{
    struct spec spec = split(text);
    int status;
    const struct placer *p = to->placer = find_placer(&spec, &status, err);
    if (p)
        status = read_params("placer", p->name, p->params, p->params_size, spec.params, &to->params,
                             err);
    free(spec.name);
    return status;
}

char *chosen_text(const char *name, const struct param *list, const void *params)
{
    char *text = NULL;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    fputs(name, f);
    char before = ':';
    for (const struct param *p = list; p && p->name; p++) {
        char value[64];
        double now;
        memcpy(&now, (const char *)params + p->at, sizeof now);
        if (now == p->default_value)
            continue;
        params_show(p, params, value, sizeof value);
        fprintf(f, "%c%s=%s", before, p->name, value);
        before = ',';
    }
    mem_stream_end(f, &text);
    return text;
}

/* ---- Traces ---- */

static bool is_word(const char *text)
{
    const char *c = text;
    while (isalnum((unsigned char)*c) || *c == '-' || *c == '_')
        c++;
    return c > text && !*c;
}

static const struct trace_format *format_at(const char *text, size_t length)
{
    char name[64];
    if (length >= sizeof name)
        return NULL;
    memcpy(name, text, length);
    name[length] = '\0';
    return trace_format_find(name);
}

/* The last colon with a format after it, up to the end or to a colon with options; NULL: there
 * is none. */
static const char *find_format(const char *text, const struct trace_format **format)
{
    const char *found = NULL;
    for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
        size_t length = strcspn(colon + 1, ":");
        const struct trace_format *f = format_at(colon + 1, length);
        if (f && (!colon[1 + length] || f->options)) {
            found = colon;
            *format = f;
        }
    }
    return found;
}

/* A path that does not exist and seems to end in a format. */
static int check_unknown_format(const char *text, struct error *err)
{
    const char *end = strchr(text, '=') ? strrchr(text, ':') : NULL;
    end = end ? end : text + strlen(text);
    const char *colon = end;
    while (colon > text && *--colon != ':')
        ;
    char *name = colon < end && *colon == ':' ? mem_text(colon + 1, (size_t)(end - colon - 1))
                                              : NULL;
    int status = EXIT_OK;
    if (name && is_word(name) && access(text, F_OK) != 0) {
        struct suggestion near = { .typed = name };
        for (size_t i = 0; trace_formats[i]; i++)
            suggest_offer(&near, trace_formats[i]->name);
        if (trace_format_find(name))
            status = usage(err, "format %s takes no options, got '%s'", name, end + 1);
        else if (near.best)
            status = usage(err, "no format '%s', did you mean '%s'?", name, near.best);
        else
            status = usage(err, "no format '%s', see 'gpuyard list formats'", name);
    }
    free(name);
    return status;
}

/* One "NAME=VALUE". */
static int take_trace_option(struct chosen_trace *to, char *text, struct error *err)
{
    const struct trace_format *f = to->format;
    char *equals = strchr(text, '='), names[256] = "";
    size_t k = 0, n = 0;
    if (equals)
        *equals = '\0';
    for (k = 0; f->options[k].name && strcmp(f->options[k].name, text) != 0; k++)
        if (n < sizeof names)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", k ? ", " : "",
                                  f->options[k].name);
    if (!f->options[k].name)
        return usage(err, "format %s: no option '%s': want one of %s", f->name, text, names);
    if (!equals || !equals[1])
        return usage(err, "format %s: %s: want %s=VALUE", f->name, text, text);
    if (to->value[k])
        return usage(err, "format %s: %s is given twice", f->name, text);
    to->value[k] = equals + 1;
    return EXIT_OK;
}

int choose_trace(const char *command, const char *text, struct chosen_trace *to, struct error *err)
{
    *to = (struct chosen_trace){ .seed = 1 };
    const char *colon = find_format(text, &to->format);
    if (colon == text)
        return usage(err, "%s: want TRACE[:FORMAT], got '%s'", command, text);
    if (!colon) {
        to->path = mem_text(text, strlen(text));
        return check_unknown_format(text, err);
    }
    to->path = mem_text(text, (size_t)(colon - text));
    const char *given = strchr(colon + 1, ':');
    int status = EXIT_OK;
    if (given)
        to->values = mem_text(given + 1, strlen(given + 1));
    for (char *one = to->values, *next; one && status == EXIT_OK; one = next) {
        next = strchr(one, ',');
        if (next)
            *next++ = '\0';
        status = take_trace_option(to, one, err);
    }
    return status;
}

void chosen_trace_free(struct chosen_trace *t)
{
    free(t->path);
    free(t->values);
    *t = (struct chosen_trace){ 0 };
}

static struct trace_source source_of(const struct chosen_trace *t, bool sizes_only)
{
    return (struct trace_source){ .path = t->path, .format = t->format, .sizes_only = sizes_only, .seed = t->seed,
                                  .cluster_gpus = t->cluster_gpus, .resident_bytes = t->resident_bytes,
                                  .value = t->format && t->format->options ? t->value : NULL };
}

struct workload *chosen_trace_read(const struct chosen_trace *t, bool sizes_only,
                                   const struct trace_format **used, char sha256[65],
                                   struct error *err)
{
    const struct trace_source from = source_of(t, sizes_only);
    return trace_read_source(&from, used, sha256, err);
}

struct trace_reading *chosen_trace_begin(const struct chosen_trace *t, const char *const *queue, uint32_t n_queues,
                                         const struct trace_format **used)
{
    struct trace_source from = source_of(t, false);
    from.queue = queue;
    from.n_queues = n_queues;
    from.pods = t->pods;
    return trace_reading_begin(&from, used);
}

struct workload *chosen_jobs_read(const struct chosen_trace *t, const struct trace_format **used,
                                  char sha256[65], struct error *err)
{
    struct workload *w = chosen_trace_read(t, false, used, sha256, err);
    if (!w || w->n_jobs)
        return w;
    error_set(err, "%s: want jobs, got only services or sessions", t->path);
    workload_free(w);
    return NULL;
}

/* ---- Lists and pairs ---- */

static int add_output(const char *name, unsigned *outputs, struct error *err)
{
    struct suggestion near = { .typed = name };
    for (unsigned f = 0; f < OUTPUT_FILES; f++) {
        if (!strcmp(output_name[f], name)) {
            *outputs |= 1u << f;
            return EXIT_OK;
        }
        suggest_offer(&near, output_name[f]);
    }
    if (!strcmp(name, "all") || !strcmp(name, "default")) {
        *outputs |= *name == 'a' ? (1u << OUTPUT_FILES) - 1 : OUTPUTS_DEFAULT;
        return EXIT_OK;
    }
    if (near.best)
        return usage(err, "run: --outputs: no output '%s', did you mean '%s'?", name, near.best);
    char all[DID_YOU_MEAN] = "";
    for (unsigned f = 0; f < OUTPUT_FILES; f++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s, ", output_name[f]);
    return usage(err, "run: --outputs: no output '%s', want some of %sall, default", name, all);
}

int choose_outputs(const char *text, unsigned *outputs, struct error *err)
{
    char *copy = mem_text(text, strlen(text));
    int status = EXIT_OK;
    *outputs = 0;
    for (char *name = copy, *next; name && status == EXIT_OK; name = next) {
        next = strchr(name, ',');
        if (next)
            *next++ = '\0';
        status = add_output(name, outputs, err);
    }
    free(copy);
    return status;
}

int choose_estimates(const char *text, struct estimates *estimates, struct error *err)
{
    struct error why = { "" };
    return estimates_read(text, estimates, &why) == 0
               ? EXIT_OK
               : usage(err, "run: --estimates: %s", why.text);
}

int choose_retiming(const char *text, uint32_t *batch, int64_t *every_ns, struct error *err)
{
    const char *colon = strchr(text, ':');
    int64_t n = 0;
    if (!colon || !integer_parse(text, (size_t)(colon - text), &n) || n < 1 || n > BATCH_MAX  ||
        !decimal_parse(colon + 1, strlen(colon + 1), NS_PER_S, every_ns) || *every_ns < 0 ||
        *every_ns > EVERY_MAX_S * NS_PER_S)
        return usage(
            err, "run: --retime: want BATCH:SECONDS, jobs and the time between batches, got '%s'",
            text);
    *batch = (uint32_t)n;
    return EXIT_OK;
}
