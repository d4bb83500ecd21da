/* elastic.c - see elastic.h. */
#include "sim/models/elastic.h"

#include "sim/base/units.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* clang-format off: tables */
#define SECONDS_MOST (INT64_C(100) * 366 * 86400)
#define POSITIVE .type = CONFIG_REAL, .above_least = true, .most = 1000000000
#define NOT_NEGATIVE .type = CONFIG_REAL, .most = 1000000000
static const char *const scalings[] = { "goodput", "linear", NULL };

struct section { struct elastic e; struct config_value models; };
#define SECTION(field) offsetof(struct section, field)
static const struct config_key section_keys[] = {
    { .name = "scaling", .type = CONFIG_CHOICE, .at = SECTION(e.scaling), .words = scalings },
    { .name = "restart_s",
      .type = CONFIG_PARTS,
      .at = SECTION(e.restart_ns),
      .scale = NS_PER_S,
      .most = SECONDS_MOST },
    { .name = "noise_steps",
      .type = CONFIG_COUNT,
      .at = SECTION(e.noise_steps),
      .least = 1,
      .most = 10000 },
    { .name = "reference_gpu", .type = CONFIG_TEXT, .at = SECTION(e.reference_gpu) },
    { .name = "models", .type = CONFIG_MAPPING, .at = SECTION(models) },
    { 0 },
};
struct model_entry { struct goodput_model m; struct config_value gpus; };
#define MODEL(field) offsetof(struct model_entry, field)
static const struct config_key model_keys[] = {
    { .name = "batch",       POSITIVE,     .at = MODEL(m.first_batch) },
    { .name = "max_batch",   POSITIVE,     .at = MODEL(m.most_batch) },
    { .name = "first_noise", POSITIVE,     .at = MODEL(m.first_noise) },
    { .name = "last_noise",  POSITIVE,     .at = MODEL(m.last_noise) },
    { .name = "restart_s",   NOT_NEGATIVE, .at = MODEL(m.restart_s) },
    { .name = "gpus",        .type = CONFIG_MAPPING, .at = MODEL(gpus) },
    { 0 },
};
#define FIT(field) offsetof(struct goodput_fit, field)
static const struct config_key fit_keys[] = {
    { .name = "grad_s", NOT_NEGATIVE, .at = FIT(grad_s) },
    { .name = "grad_s_per_sample", POSITIVE, .at = FIT(grad_s_per_sample) },
    { .name = "across_s", NOT_NEGATIVE, .at = FIT(across_s) },
    { .name = "across_s_per_replica", NOT_NEGATIVE, .at = FIT(across_s_per_replica) },
    { .name = "within_s", NOT_NEGATIVE, .at = FIT(within_s) },
    { .name = "within_s_per_replica", NOT_NEGATIVE, .at = FIT(within_s_per_replica) },
    { .name = "overlap", .type = CONFIG_REAL, .at = FIT(overlap), .least = 1, .most = 100 },
    { .name = "min_local", POSITIVE, .at = FIT(least_local) },
    { .name = "max_local", POSITIVE, .at = FIT(most_local) },
    { 0 },
};
/* clang-format on */

static const struct goodput_model *model_in(const struct goodput_model *list, const char *name)
{
    for (; list && list->name; list++)
        if (!strcasecmp(list->name, name))
            return list;
    return NULL;
}

static const struct goodput_fit *fit_in(const struct goodput_fit *list, const char *model,
                                        const char *gpu)
{
    for (; list && list->model; list++)
        if (!strcasecmp(list->model, model) && !strcasecmp(list->gpu, gpu))
            return list;
    return NULL;
}

static const struct goodput_fit *family_fit_in(const struct goodput_fit *list, const char *model,
                                               const char *gpu)
{
    for (; list && list->model; list++)
        if (!strcasecmp(list->model, model) && elastic_gpu_is(gpu, list->gpu))
            return list;
    return NULL;
}

static const struct goodput_model *alias_in(const struct goodput_model *list,
                                            const struct training_models *known, const char *name)
{
    struct training_model wanted, m;
    if (!training_model_find(known, name, &wanted))
        return NULL;
    for (; list && list->name; list++)
        if (training_model_find(known, list->name, &m) && !strcmp(m.name, wanted.name))
            return list;
    return NULL;
}

const struct goodput_model *elastic_model(const struct elastic *e,
                                          const struct training_models *known, const char *name)
{
    const struct goodput_model *m = model_in(e->model, name);
    if (!m)
        m = goodput_model(name);
    if (!m)
        m = alias_in(e->model, known, name);
    return m ? m : alias_in(goodput_models, known, name);
}

bool elastic_gpu_is(const char *gpu_model, const char *called)
{
    size_t n = strlen(called);
    return !strncasecmp(gpu_model, called, n) && (gpu_model[n] == '\0' || gpu_model[n] == '-');
}

const struct goodput_fit *elastic_fit(const struct elastic *e, const char *model, const char *gpu)
{
    const struct goodput_fit *f = fit_in(e->fit, model, gpu);
    if (!f)
        f = family_fit_in(e->fit, model, gpu);
    if (!f)
        f = goodput_fit(model, gpu);
    return f ? f : family_fit_in(goodput_fits, model, gpu);
}

static int read_fit(struct config_value v, const char *model, struct arena *memory,
                    struct goodput_fit *fit, struct error *err)
{
    const char *gpu = NULL;
    if (config_key_text(v, &gpu, err))
        return -1;
    const struct goodput_fit *known = goodput_fit(model, gpu);
    *fit = known ? *known : (struct goodput_fit){ .overlap = 1 };
    if (config_fields(v, fit_keys, fit, err))
        return -1;
    fit->model = model;
    fit->gpu = arena_text(memory, gpu, strlen(gpu));
    if (!(fit->grad_s_per_sample > 0 && fit->least_local > 0 && fit->most_local > 0))
        return config_error(
            v, err, "want grad_s_per_sample, min_local and max_local, for no such fit is known");
    return fit->most_local < 2 * fit->least_local
               ? config_error(v, err, "want max_local at least twice min_local")
               : 0;
}

static int read_model(struct config_value v, struct arena *memory, struct model_entry *to,
                      struct error *err)
{
    const char *name = NULL;
    if (config_key_text(v, &name, err))
        return -1;
    const struct goodput_model *known = goodput_model(name);
    *to = (struct model_entry){ .m = known ? *known : (struct goodput_model){ .restart_s = -1 } };
    if (config_fields(v, model_keys, to, err))
        return -1;
    to->m.name = arena_text(memory, name, strlen(name));
    if (!(to->m.first_batch > 0 && to->m.first_noise > 0 && to->m.last_noise > 0))
        return config_error(
            v, err,
            "want batch, max_batch, first_noise and last_noise, for no such model is known");
    return to->m.most_batch < to->m.first_batch
               ? config_error(v, err, "want max_batch to be at least batch")
               : 0;
}

static int read_models(struct config_value models, struct elastic *e, struct arena *memory,
                       struct error *err)
{
    size_t n = config_count(models), n_fits = 0, at = 0;
    struct model_entry *entry = arena_alloc(memory, (n + 1) * sizeof *entry);
    struct goodput_model *model = arena_alloc(memory, (n + 1) * sizeof *model);
    struct config_walk w = { .of = models };
    for (struct config_value v; config_next(&w, &v); at++) {
        if (read_model(v, memory, &entry[at], err))
            return -1;
        model[at] = entry[at].m;
        n_fits += config_count(entry[at].gpus);
    }
    struct goodput_fit *fit = arena_alloc(memory, (n_fits + 1) * sizeof *fit), *next = fit;
    for (size_t i = 0; i < n; i++) {
        struct config_walk gpus = { .of = entry[i].gpus };
        for (struct config_value v; config_next(&gpus, &v);)
            if (read_fit(v, model[i].name, memory, next++, err))
                return -1;
    }
    model[n].name = NULL;
    next->model = NULL;
    e->model = model;
    e->fit = fit;
    return 0;
}

int elastic_read(struct config_value section, struct elastic *to, struct arena *memory,
                 struct error *err)
{
    struct section s = { .e = ELASTIC_DEFAULT };
    if (config_fields(section, section_keys, &s, err) || read_models(s.models, &s.e, memory, err))
        return -1;
    if (s.e.reference_gpu)
        s.e.reference_gpu = arena_text(memory, s.e.reference_gpu, strlen(s.e.reference_gpu));
    s.e.given = true;
    *to = s.e;
    return 0;
}
