/* list.c - see list.h. */
#include "sim/cli/frame/list.h"

#include "policies/registry.h"
#include "sim/cli/plot/kind.h"
#include "sim/base/memory.h"
#include "sim/engine/params.h"
#include "sim/physics/physics.h"
#include "sim/results/quantiles.h"
#include "sim/results/rows.h"
#include "sim/results/summary.h"
#include "sim/cluster/catalogue.h"
#include "sim/models/sharing.h"
#include "sim/models/training/goodput.h"
#include "sim/cluster/mig.h"
#include "sim/models/training/training_models.h"
#include "traces/formats/format.h"
#include "traces/synth/synth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *number(double value)
{
    if (!isfinite(value))
        return json_null();
    return value == floor(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value)
                                                       : json_real(value);
}

static void set_text(json_t *o, const char *key, const char *text)
{
    json_object_set_new(o, key, text ? json_string(text) : json_null());
}

static json_t *entry(json_t *list, const char *name, const char *summary)
{
    json_t *o = json_object();
    set_text(o, "name", name);
    set_text(o, "summary", summary);
    json_array_append_new(list, o);
    return o;
}

static json_t *words_of(const char *const *words)
{
    json_t *list = json_array();
    for (; *words; words++)
        json_array_append_new(list, json_string(*words));
    return list;
}

/* A choice has "words", a number "least" and "most" (null: no bound). */
static json_t *parameters(const struct param *params)
{
    json_t *list = json_array();
    for (const struct param *p = params; p && p->name; p++) {
        json_t *o = entry(list, p->name, p->summary);
        set_text(o, "unit", p->unit ? p->unit : "");
        if (p->options) {
            json_object_set_new(o, "words", words_of(p->options));
            set_text(o, "default", p->options[(size_t)p->default_value]);
            continue;
        }
        json_object_set_new(o, "least", number(p->min));
        json_object_set_new(o, "most", number(p->max));
        json_object_set_new(o, "default", number(p->default_value));
    }
    return list;
}

/* also_needs() depends on parameters: each word of each parameter is tried with the defaults of
 * the others. */
static unsigned possible_needs(const struct policy *p)
{
    unsigned needs = 0;
    double *params = mem_new(p->params_size / sizeof *params + 1, sizeof *params);
    struct error err = { "" };
    if (!p->also_needs || params_parse(p->params, p->params_size, NULL, p->name, params, &err)) {
        free(params);
        return 0;
    }
    for (const struct param *x = p->params; x && x->name; x++)
        for (size_t i = 0; x->options && x->options[i]; i++) {
            params[x->at / sizeof *params] = (double)i;
            needs |= p->also_needs(params);
            params[x->at / sizeof *params] = x->default_value;
        }
    free(params);
    return needs;
}

static json_t *needs_of(unsigned needs)
{
    json_t *list = json_array();
    if (needs & SEES_RUN_TIME)
        json_array_append_new(list, json_string("sees run time"));
    if (needs & SEES_RECORD)
        json_array_append_new(list, json_string("sees the starts of the log"));
    if (needs & SEES_RELEASING)
        json_array_append_new(list, json_string("sees GPUs that are being released"));
    return list;
}

static json_t *policies(void)
{
    json_t *list = json_array();
    for (size_t i = 0; builtin_policies[i]; i++) {
        const struct policy *p = builtin_policies[i];
        json_t *o = entry(list, p->name, p->summary);
        json_object_set_new(o, "parameters", parameters(p->params));
        json_object_set_new(o, "needs", needs_of(p->needs));
        json_object_set_new(o, "may_need", needs_of(possible_needs(p) & ~p->needs));
    }
    return list;
}

static json_t *placers(void)
{
    json_t *list = json_array();
    for (size_t i = 0; builtin_placers[i]; i++) {
        const struct placer *p = builtin_placers[i];
        json_t *o = entry(list, p->name, p->summary), *needs = json_array();
        json_object_set_new(o, "parameters", parameters(p->params));
        json_object_set_new(o, "needs", needs);
        if (p->needs & SEES_TENANTS)
            json_array_append_new(needs, json_string("sees which tenants hold GPUs of a node"));
        if (p->needs & SEES_TYPICAL)
            json_array_append_new(needs, json_string("sees typical requests of jobs"));
        if (p->needs & TIGHTEST_DOMAINS)
            json_array_append_new(
                needs, json_string("wants the tightest domain for jobs with a topology"));
        if (p->needs & CHOOSES_DOMAINS)
            json_array_append_new(
                needs, json_string("chooses the domains of jobs with a topology itself"));
        if (p->needs & PLACES_SETS)
            json_array_append_new(
                needs, json_string("places the pod sets of a job together: slices, leader and workers"));
        if (p->needs & DRAWS_NODES)
            json_array_append_new(
                needs, json_string("draws: how often it is asked changes what it answers later"));
    }
    return list;
}

static json_t *formats(void)
{
    json_t *list = json_array();
    for (size_t i = 0; trace_formats[i]; i++) {
        json_t *o = entry(list, trace_formats[i]->name, trace_formats[i]->summary),
               *options = json_array();
        for (const struct trace_option *t = trace_formats[i]->options; t && t->name; t++)
            entry(options, t->name, t->summary);
        json_object_set_new(o, "options", options);
    }
    return list;
}

static json_t *workloads(void)
{
    json_t *list = json_array();
    for (const struct synth_preset *p = synth_presets; p->name; p++)
        entry(list, p->name, p->summary);
    return list;
}

static json_t *gpus(void)
{
    json_t *list = json_array();
    for (const struct gpu_model *g = gpu_catalogue; g->name; g++) {
        json_t *o = json_object();
        set_text(o, "name", g->name);
        json_object_set_new(o, "mem_gib", number(g->mem_gib));
        json_object_set_new(o, "mem_gbps", number(g->mem_gbps));
        json_object_set_new(o, "nvlink_generation", number(g->nvlink_generation));
        json_object_set_new(o, "nvlink_gbps", number(g->nvlink_gbps));
        json_object_set_new(o, "pcie_gbps", number(g->pcie_gbps));
        json_object_set_new(o, "tdp_w", number(g->tdp_w));
        json_object_set_new(o, "idle_w", number(g->idle_w));
        json_object_set_new(o, "dense_tflops", number(g->dense_tflops));
        json_object_set_new(o, "kappa", number(g->kappa));
        json_object_set_new(o, "chi", number(g->chi > 0 ? g->chi : CHI_UNKNOWN));
        json_object_set_new(o, "mig_slices", number(g->mig_slices));
        json_object_set_new(o, "price_usd_per_h", number(g->price_usd_per_h));
        set_text(o, "source", g->source);
        json_array_append_new(list, o);
    }
    return list;
}

/* "0 2 4": the memory slices at which an instance may begin. */
static json_t *starts_of(uint8_t mask)
{
    char text[2 * MIG_MEMORY_SLICES + 1], *at = text;
    for (unsigned start = 0; start < MIG_MEMORY_SLICES; start++)
        if (mask >> start & 1)
            at += sprintf(at, at == text ? "%u" : " %u", start);
    return json_string(text);
}

static json_t *duties(void)
{
    json_t *list = json_array();
    for (const struct model_duty *d = duty_catalogue; d->model; d++) {
        json_t *o = json_object();
        set_text(o, "model", d->model);
        json_object_set_new(o, "batch", number(d->batch));
        json_object_set_new(o, "compute", number(d->duty.compute / (double)DUTY_ALL));
        json_object_set_new(o, "bandwidth", number(d->duty.bandwidth / (double)DUTY_ALL));
        json_object_set_new(o, "mem_mib", number(d->mem_mib));
        json_array_append_new(list, o);
    }
    return list;
}

/* Speedup of n GPUs on `nodes` nodes over one GPU, half way through training, rounded to
 * thousandths. */
static json_t *speedup(const struct goodput_model *m, const struct goodput_fit *f, uint32_t n,
                       uint32_t nodes)
{
    return json_real(
        floor(goodput_speedup(m, f, goodput_noise(m, .5), (struct replicas){ n, nodes }) * 1000 +
              .5) /
        1000);
}

static json_t *goodputs(void)
{
    json_t *list = json_array();
    for (const struct goodput_fit *f = goodput_fits; f->model; f++) {
        const struct goodput_model *m = goodput_model(f->model);
        json_t *o = json_object();
        set_text(o, "model", f->model);
        set_text(o, "gpu_model", f->gpu);
        json_object_set_new(o, "batch", json_real(m->first_batch));
        json_object_set_new(o, "max_batch", json_real(m->most_batch));
        json_object_set_new(o, "speedup_of_4", speedup(m, f, 4, 1));
        json_object_set_new(o, "speedup_of_16", speedup(m, f, 16, 2));
        json_object_set_new(o, "restart_s", json_real(m->restart_s));
        json_object_set_new(o, "rmsle", json_real(f->rmsle));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *mig_profiles(void)
{
    json_t *list = json_array();
    for (const struct mig_design *d = mig_catalogue; d->gpu_model; d++) {
        uint16_t profile = mig_profile(d->profile);
        json_t *o = json_object();
        set_text(o, "gpu_model", d->gpu_model);
        set_text(o, "profile", d->profile);
        json_object_set_new(o, "compute_slices", number(mig_g(profile)));
        json_object_set_new(o, "memory_slices", number(d->memory_slices));
        json_object_set_new(o, "memory_gb", number(mig_gb(profile)));
        json_object_set_new(o, "most_per_gpu", number(d->most));
        json_object_set_new(o, "starts", starts_of(d->starts));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *nodes(void)
{
    json_t *list = json_array();
    for (const struct node_design *n = node_catalogue; n->name; n++) {
        json_t *o = json_object();
        set_text(o, "name", n->name);
        set_text(o, "gpu_model", n->gpu_model);
        json_object_set_new(o, "gpus", number(n->gpus));
        json_object_set_new(o, "island_gpus",
                            number(n->island_gpus == ISLAND_IS_NODE ? n->gpus : n->island_gpus));
        json_object_set_new(o, "numa_nodes", number(n->numa_nodes));
        json_object_set_new(o, "cpus", number(n->cpus));
        json_object_set_new(o, "memory_gib", number(n->memory_gib));
        json_object_set_new(o, "nodes_per_rack", number(n->nodes_per_rack));
        json_object_set_new(o, "nics", number(n->nics));
        json_object_set_new(o, "nic_gbps", number(n->nic_gbps));
        json_object_set_new(o, "idle_w", number(n->idle_w));
        json_object_set_new(o, "most_w", number(n->most_w));
        set_text(o, "source", n->source);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *training_models(void)
{
    json_t *list = json_array();
    for (const struct training_model *m = training_catalogue; m->name; m++) {
        json_t *o = json_object();
        set_text(o, "name", m->name);
        json_object_set_new(o, "params_m", number(m->params / 1e6));
        json_object_set_new(o, "gradient_mb", number(m->gradient_bytes / 1e6));
        json_object_set_new(o, "all_to_all_mb", number(m->all_to_all_bytes / 1e6));
        json_object_set_new(o, "batch", number(m->batch));
        set_text(o, "batch_of", m->global_batch ? "job" : "gpu");
        json_object_set_new(o, "compute_s", number(m->compute_s));
        json_object_set_new(o, "tensor_parallel", number(m->tensor_parallel));
        json_object_set_new(o, "pipeline_parallel", number(m->pipeline_parallel));
        json_object_set_new(o, "layers", number(m->parallel.layers));
        json_object_set_new(o, "hidden", number(m->parallel.hidden));
        json_object_set_new(o, "memory_gib",
                            number(round(training_model_memory_gib(m) * 100) / 100));
        set_text(o, "communication", m->communication);
        set_text(o, "aliases", m->aliases ? m->aliases : "");
        set_text(o, "source", m->source);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *metrics(void)
{
    json_t *list = json_array();
    for (const struct metric_kind *m = metric_kinds; m->name; m++)
        set_text(entry(list, m->name, m->summary), "unit", m->unit);
    for (const struct run_model *const *of = physics_models; *of; of++)
        for (const struct metric_kind *m = (*of)->metrics; m && m->name; m++)
            set_text(entry(list, m->name, m->summary), "unit", m->unit);
    for (const struct metric_kind *m = quantile_patterns; m->name; m++)
        set_text(entry(list, m->name, m->summary), "unit", m->unit);
    return list;
}

/* Columns that models add to a file if they are on. */
static json_t *columns_of_models(enum output_file f)
{
    json_t *list = json_array();
    for (const struct run_model *const *m = physics_models; *m; m++) {
        const char *const *columns = rows_model_columns(*m, f);
        if (columns)
            json_object_set_new(entry(list, (*m)->name, (*m)->summary), "columns",
                                words_of(columns));
    }
    return list;
}

static json_t *columns(void)
{
    json_t *list = json_array();
    for (unsigned f = 0; f < OUTPUT_FILES; f++) {
        const char *const *own = rows_columns(f, physics_models);
        if (!own)
            continue;
        json_t *o = json_object();
        set_text(o, "name", output_name[f]);
        json_object_set_new(o, "columns", words_of(own));
        json_object_set_new(o, "of_models", columns_of_models(f));
        json_array_append_new(list, o);
    }
    return list;
}

/* The words of "a,b,c". */
static json_t *words_in(const char *text)
{
    json_t *list = json_array();
    while (*text) {
        size_t n = strcspn(text, ",");
        json_array_append_new(list, json_stringn(text, n));
        text += n + (text[n] == ',');
    }
    return list;
}

static json_t *plots(void)
{
    json_t *list = json_array();
    for (size_t i = 0; plot_kinds[i]; i++) {
        const struct kind *k = plot_kinds[i];
        json_t *o = entry(list, k->name, plot_kind_summaries[i]), *files = json_array();
        json_object_set_new(o, "directories", json_string(k->most == 1 ? "one" : "several"));
        json_object_set_new(o, "reads", files);
        for (size_t f = 0; f < KIND_FILES && k->file[f]; f++)
            json_array_append_new(files, json_stringn(k->file[f], strcspn(k->file[f], ":")));
        json_object_set_new(o, "csv", words_in(k->columns));
    }
    return list;
}

const struct listing listings[] = {
    { "policies", policies },
    { "placers", placers },
    { "formats", formats },
    { "workloads", workloads },
    { "gpus", gpus },
    { "mig", mig_profiles },
    { "duties", duties },
    { "goodput", goodputs },
    { "nodes", nodes },
    { "models", training_models },
    { "metrics", metrics },
    { "columns", columns },
    { "plots", plots },
    { NULL, NULL },
};
