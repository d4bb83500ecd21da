/* choose.c - see choose.h. */
#include "sim/cli/choose.h"

#include "policies/registry.h"
#include "sim/core/memory.h"
#include "sim/core/suggest.h"
#include "sim/run/params.h"
#include "sim/run/plugin.h"
#include "sim/run/results.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH_MOST     INT64_C(1000000000)
#define EVERY_MOST_S   INT64_C(3153600000)    /* 100 years */

static int usage(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int usage(struct error *err, const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_set(err, "%s", text);
    return EXIT_USAGE;
}

/* ---- Policies and placers ---- */

struct spec { char *name; const char *params; bool plugin; };    /* params NULL: none */

/* Parameters begin at the first ':' behind the last '/', for a path may hold colons, too. */
static struct spec split(const char *text)
{
    const char *slash = strrchr(text, '/'), *colon = strchr(slash ? slash : text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    return (struct spec){ mem_text(text, length), colon ? colon + 1 : NULL, slash != NULL };
}

static int unknown(const char *kind, const char *list, const char *typed, struct suggestion near, struct error *err)
{
    if (near.best)
        return usage(err, "no %s '%s', did you mean '%s'?", kind, typed, near.best);
    return usage(err, "no %s '%s', see 'gpuyard list %s'", kind, typed, list);
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
    *status = unknown("policy", "policies", spec->name, near, err);
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
    *status = unknown("placer", "placers", spec->name, near, err);
    return NULL;
}

static int read_params(const char *kind, const char *name, const struct param *list, size_t size, const char *text,
                       void **params, struct error *err)
{
    char who[128];
    snprintf(who, sizeof who, "%s %s", kind, name);
    *params = mem_new(1, size + 1);
    return params_parse(list, size, text, who, *params, err) ? EXIT_USAGE : EXIT_OK;
}

int choose_policy(const char *text, struct chosen_policy *to, struct error *err)
{
    struct spec spec = split(text);
    int status;
    const struct policy *p = to->policy = find_policy(&spec, &status, err);
    if (p)
        status = read_params("policy", p->name, p->params, p->params_size, spec.params, &to->params, err);
    if (p && status == EXIT_OK)
        to->clairvoyant = (p->needs | (p->also_needs ? p->also_needs(to->params) : 0)) & SEES_RUN_TIME;
    free(spec.name);
    return status;
}

int choose_placer(const char *text, struct chosen_placer *to, struct error *err)
{
    struct spec spec = split(text);
    int status;
    const struct placer *p = to->placer = find_placer(&spec, &status, err);
    if (p)
        status = read_params("placer", p->name, p->params, p->params_size, spec.params, &to->params, err);
    free(spec.name);
    return status;
}

char *chosen_text(const char *name, const struct param *list, const void *params)
{
    char *text = NULL;
    size_t length;
    FILE *f = open_memstream(&text, &length);
    if (!f)
        return mem_text(name, strlen(name));
    fputs(name, f);
    char before = ':';
    for (const struct param *p = list; p && p->name; p++) {
        char value[64];
        double now;
        memcpy(&now, (const char *)params + p->at, sizeof now);
        if (now == p->usual)
            continue;
        params_show(p, params, value, sizeof value);
        fprintf(f, "%c%s=%s", before, p->name, value);
        before = ',';
    }
    fclose(f);
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

int choose_trace(const char *text, struct chosen_trace *to, struct error *err)
{
    const char *colon = strrchr(text, ':');
    to->format = colon ? trace_format_find(colon + 1) : NULL;
    if (to->format && colon == text)
        return usage(err, "run: --trace: want TRACE[:FORMAT], got '%s'", text);
    if (colon && !to->format && is_word(colon + 1) && access(text, F_OK) != 0) {
        struct suggestion near = { .typed = colon + 1 };
        for (size_t i = 0; trace_formats[i]; i++)
            suggest_offer(&near, trace_formats[i]->name);
        if (near.best)
            return usage(err, "no format '%s', did you mean '%s'?", colon + 1, near.best);
        return usage(err, "no format '%s', see 'gpuyard list formats'", colon + 1);
    }
    to->path = mem_text(text, to->format ? (size_t)(colon - text) : strlen(text));
    return EXIT_OK;
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
    return estimates_read(text, estimates, &why) == 0 ? EXIT_OK : usage(err, "run: --estimates: %s", why.text);
}

int choose_retiming(const char *text, uint32_t *batch, int64_t *every_ns, struct error *err)
{
    const char *colon = strchr(text, ':');
    int64_t n = 0;
    if (!colon || !integer_parse(text, (size_t)(colon - text), &n) || n < 1 || n > BATCH_MOST ||
        !decimal_parse(colon + 1, strlen(colon + 1), NS_PER_S, every_ns) || *every_ns < 0 ||
        *every_ns > EVERY_MOST_S * NS_PER_S)
        return usage(err, "run: --retime: want BATCH:SECONDS, jobs and the time between batches, got '%s'", text);
    *batch = (uint32_t)n;
    return EXIT_OK;
}
