/* spec_write.c - a workload as a file that reads back as the same. */
#include "traces/native/native.h"
#include "traces/synth/spec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ==== values ==== */

static void put(struct output *o, const char *before, double value)
{
    out_text(o, before);
    out_double(o, value);
}

/* In single quotes; quotes in the name are doubled. */
static void put_name(struct output *o, const char *name)
{
    out_char(o, '\'');
    for (; *name; name++) {
        if (*name == '\'')
            out_char(o, '\'');
        out_char(o, *name);
    }
    out_char(o, '\'');
}

static void put_list(struct output *o, const char *before, const double *value, size_t n)
{
    out_text(o, before);
    for (size_t i = 0; i < n; i++)
        put(o, i ? ", " : "[", value[i]);
    out_text(o, "]");
}

static void put_milli(struct output *o, int64_t gpu_milli)
{
    out_decimal(o, gpu_milli, MILLI_ALL);
}

static void put_sizes(struct output *o, const struct synth_class *c)
{
    for (size_t i = 0; i < c->n_sizes; i++) {
        out_text(o, i ? ", " : "    gpus: { ");
        put_milli(o, c->size[i].gpu_milli);
        put(o, ": ", c->size[i].share);
    }
    out_text(o, " }\n");
}

/* ==== jobs ==== */

static void put_names(struct output *o, const char *before, const struct synth_names *names)
{
    out_text(o, before);
    for (size_t i = 0; i < names->n; i++) {
        out_text(o, i ? ", " : "{ ");
        put_name(o, names->name[i]);
        put(o, ": ", names->weight[i]);
    }
    out_text(o, " }\n");
}

/* ---- laws ---- */

/* The scale is 1: only laws of fates are scaled, and those are not written. */
static void put_part(struct output *o, const struct law_part *p)
{
    static const struct { const char *law, *a, *b; } words[] = {
        [LAW_FIXED] = { "fixed, value_s: ", "", NULL },
        [LAW_EXPONENTIAL] = { "exponential, mean_s: ", "", NULL },
        [LAW_LOGNORMAL] = { "lognormal, mu: ", "", ", sigma: " },
        [LAW_WEIBULL] = { "weibull, shape: ", "", ", scale_s: " },
        [LAW_GAMMA] = { "gamma, shape: ", "", ", scale_s: " },
        [LAW_LOG_UNIFORM] = { "log-uniform, from_s: ", "", ", to_s: " },
    };
    if (p->kind == LAW_EMPIRICAL) {
        put_list(o, "empirical, values_s: ", p->values->value, p->values->n);
        return;
    }
    put(o, words[p->kind].law, p->a);
    if (words[p->kind].b)
        put(o, words[p->kind].b, p->b);
}

static bool is_hyper_gamma(const struct law *l)
{
    return l->n == 2 && l->part[0].kind == l->part[1].kind &&
           (l->part[0].kind == LAW_GAMMA || l->part[0].kind == LAW_LOG2_GAMMA);
}

static void put_durations(struct output *o, const struct synth_durations *d)
{
    const struct law *l = &d->law;
    out_text(o, "{ law: ");
    if (d->mean_s > 0) {
        put(o, "lognormal, mean_s: ", d->mean_s);
        put(o, ", median_s: ", d->median_s);
    } else if (is_hyper_gamma(l)) {
        put(o, "hyper-gamma, p: ", l->part[0].weight);
        put(o, ", shape_1: ", l->part[0].a);
        put(o, ", scale_1: ", l->part[0].b);
        put(o, ", shape_2: ", l->part[1].a);
        put(o, ", scale_2: ", l->part[1].b);
        out_text(o, l->part[0].kind == LAW_LOG2_GAMMA ? ", of: log2" : ", of: time");
        put(o, ", p_per_log2_gpus: ", d->p_per_log2_gpus);
    } else if (l->n == 1) {
        put_part(o, &l->part[0]);
    } else {
        out_text(o, "mix, parts: [");
        for (size_t i = 0; i < l->n; i++) {
            put(o, i ? ",\n      { weight: " : "\n      { weight: ", l->part[i].weight);
            out_text(o, ", law: ");
            put_part(o, &l->part[i]);
            out_text(o, " }");
        }
        out_text(o, " ]");
    }
    put(o, ",\n      least_s: ", d->least_s);
    put(o, ", most_s: ", d->most_s);
    out_text(o, " }\n");
}

/* ---- classes ---- */

static void put_fates(struct output *o, const struct synth_fates *f)
{
    static const struct { int fate; const char *name; } order[] = {
        { FATE_COMPLETED, "completed" }, { FATE_CANCELLED, "cancelled" }, { FATE_FAILED, "failed" },
    };
    out_text(o, "    fates:\n");
    for (int i = 0; i < SYNTH_FATES; i++) {
        out_text(o, "      ");
        out_text(o, order[i].name);
        put(o, ": { share: ", f->share[order[i].fate]);
        put(o, ", multiple: ", f->multiple[order[i].fate]);
        if (order[i].fate == FATE_FAILED) {
            put(o, ", early: ", f->early);
            put(o, ", early_median_s: ", f->early_median_s);
            put(o, ", early_sigma: ", f->early_sigma);
        }
        out_text(o, " }\n");
    }
    for (size_t k = 0; k < f->n_by_gpus; k++) {
        out_text(o, k ? ",\n        " : "      by_gpus: {\n        ");
        put_milli(o, f->by_gpus[k].gpu_milli);
        for (int i = 0; i < SYNTH_FATES; i++)
            put(o, i ? ", " : ": [", f->by_gpus[k].share[order[i].fate]);
        out_text(o, k + 1 == f->n_by_gpus ? "] }\n" : "]");
    }
}

static void put_class(struct output *o, const struct synth_class *c)
{
    out_text(o, "  - class: ");
    out_text(o, native_classes[c->class]);
    put(o, "\n    share: ", c->share);
    out_char(o, '\n');
    put_sizes(o, c);
    if (c->mean_gpus > 0) {
        put(o, "    mean_gpus: ", c->mean_gpus);
        out_char(o, '\n');
    }
    out_text(o, "    node_gpus: ");
    out_integer(o, c->node_gpus);
    out_text(o, c->by_node ? "\n    split: node" : "\n    split: any");
    out_text(o, "\n    cpus_per_gpu: ");
    out_decimal(o, c->cpu_milli, 1000);
    put(o, "\n    memory_gib_per_gpu: ", (double)c->mem_mib / 1024);
    out_text(o, "\n    durations: ");
    put_durations(o, &c->durations);
    if (c->spearman_given || c->n_sizes > 1) {
        put(o, "    spearman: ", c->spearman);
        out_char(o, '\n');
    }
    put_fates(o, &c->fates);
    put(o, "    slowdown: ", c->slowdown);
    out_text(o, "\n    priority: ");
    out_integer(o, c->priority);
    out_text(o, c->preemptible ? "\n    preemptible: true" : "\n    preemptible: false");
    out_text(o, c->sweeps ? "\n    sweeps: true\n" : "\n    sweeps: false\n");
    if (c->gpu_types.n)
        put_names(o, "    gpu_types: ", &c->gpu_types);
    if (c->models.n)
        put_names(o, "    models: ", &c->models);
}

/* ==== sessions ==== */

static void put_law(struct output *o, const char *name, const struct session_law *l)
{
    out_text(o, name);
    put_durations(
        o, &(struct synth_durations){ .law = l->law, .least_s = l->least_s, .most_s = l->most_s });
}

static void put_time(struct output *o, const char *before, int64_t ns)
{
    out_text(o, before);
    out_seconds(o, ns);
}

static void put_group(struct output *o, const struct session_spec *s)
{
    out_text(o, "    users: ");
    out_integer(o, s->users);
    if (s->rate_per_h > 0)
        put(o, "\n    rate_per_h: ", s->rate_per_h);
    else
        put(o, "\n    per_user_weekday: ", s->per_user_weekday);
    put_list(o, "\n    daily: ", s->daily, 24);
    put_list(o, "\n    weekly: ", s->weekly, 7);
    out_char(o, '\n');
}

static void put_wants(struct output *o, const struct session_wants *w, const char *indent,
                      const char *comma)
{
    static const char *const key[SESSION_WANTS] = { [SESSION_GPU_TYPES] = "gpu_types: ",
                                                    [SESSION_MIGS] = "mig: ",
                                                    [SESSION_MODELS] = "models: " };
    for (int i = 0; i < SESSION_WANTS; i++)
        if (w->of[i].n) {
            out_text(o, indent);
            out_text(o, comma);
            put_names(o, key[i], &w->of[i]);
        }
}

static void put_asks(struct output *o, const struct synth_sessions *g)
{
    if (!g->list) {
        put_sizes(o, &g->asks);
        put_wants(o, &g->wants, "    ", "");
    }
    out_text(o, "    node_gpus: ");
    out_integer(o, g->asks.node_gpus);
    out_text(o, "\n    cpus_per_gpu: ");
    out_decimal(o, g->asks.cpu_milli, 1000);
    put(o, "\n    memory_gib_per_gpu: ", (double)g->asks.mem_mib / 1024);
    if (g->queue) {
        out_text(o, "\n    queue: ");
        put_name(o, g->queue);
    }
    out_text(o, "\n    priority: ");
    out_integer(o, g->asks.priority);
    out_text(o, g->asks.preemptible ? "\n    preemptible: true\n" : "\n    preemptible: false\n");
}

static void put_kinds(struct output *o, const struct synth_sessions *g)
{
    const struct session_spec *s = &g->is;
    for (size_t i = 0; i < s->n_kinds; i++) {
        const struct session_kind *k = &s->kind[i];
        put(o, i ? "      }, { share: " : "    kinds: [ { share: ", k->share);
        put(o, ", forgotten: ", k->forgotten);
        put_law(o, ",\n      length: ", &k->length);
        if (k->thinks) {
            put_law(o, "      , think: ", &k->think);
            put_law(o, "      , run: ", &k->run);
        }
        if (g->kind)
            put_wants(o, &g->kind[i], "      ", ", ");
    }
    if (s->n_kinds)
        out_text(o, "      } ]\n");
}

static void put_laws(struct output *o, const struct synth_sessions *g)
{
    const struct session_spec *s = &g->is;
    put_law(o, "    length: ", &s->length);
    put_law(o, "    think: ", &s->think);
    put_law(o, "    run: ", &s->run);
    put_kinds(o, g);
    put(o, "    forgotten: ", s->forgotten);
    out_char(o, '\n');
}

static void put_ways(struct output *o, const struct session_spec *s)
{
    static const char *const cull[] = {
        [CULL_OFF] = "off", [CULL_RELEASE] = "release", [CULL_KILL] = "kill"
    };
    put_law(o, "    patience: ", &s->patience);
    out_text(o, "    culling: { cull: ");
    out_text(o, cull[s->culling.how]);
    put_time(o, ", release_s: ", s->culling.release_ns);
    put_time(o, ", delete_s: ", s->culling.delete_ns);
    put_time(o, ", period_s: ", s->culling.period_ns);
    put(o, " }\n    cap_s: ", s->cap_s);
    put(o, "\n    start_up: { least_s: ", s->start_least_s);
    put(o, ", most_s: ", s->start_most_s);
    put(o, " }\n    slo: { start_s: ", s->slo_s);
    put(o, ", share: ", s->slo_share);
    put(o, " }\n    duty: ", s->duty);
    out_char(o, '\n');
}

static void put_sessions(struct output *o, const struct synth_spec *s)
{
    if (s->n_sessions)
        out_text(o, "sessions:\n");
    for (size_t i = 0; i < s->n_sessions; i++) {
        const struct synth_sessions *g = &s->sessions[i];
        out_text(o, "  - group: ");
        put_name(o, g->is.name);
        out_char(o, '\n');
        if (g->list) {
            out_text(o, "    recorded: ");
            put_name(o, g->recorded);
            out_char(o, '\n');
        } else {
            put_group(o, &g->is);
            put_laws(o, g);
        }
        put_asks(o, g);
        put_ways(o, &g->is);
    }
}

/* ==== the whole ==== */

static void put_load(struct output *o, const struct synth_load *l)
{
    put(o, "load: { target: ", l->target);
    if (l->gpus > 0)
        put(o, ", gpus: ", l->gpus);
    put(o, ", availability: ", l->availability);
    put(o, ", reserved_gpus: ", l->reserved_gpus);
    out_text(o, l->realised ? ", calibrate: realised }\n" : ", calibrate: expected }\n");
}

static void put_arrivals(struct output *o, const struct synth_spec *s)
{
    const struct arrival_law *a = &s->arrivals;
    static const char *const words[] = {
        [ARRIVE_POISSON] = "poisson", [ARRIVE_HYPER] = "hyper", [ARRIVE_MMPP] = "mmpp"
    };
    out_text(o, "arrivals:\n  law: ");
    out_text(o, words[a->kind]);
    if (a->kind == ARRIVE_HYPER)
        put(o, "\n  c2: ", a->c2);
    if (a->kind == ARRIVE_MMPP) {
        put(o, "\n  burst_ratio: ", a->burst_ratio);
        put(o, "\n  burst_s: ", a->burst_s);
        put(o, "\n  calm_s: ", a->calm_s);
    }
    if (s->rate_per_h > 0)
        put(o, "\n  rate_per_h: ", s->rate_per_h);
    put_list(o, "\n  daily: ", s->daily, 24);
    put_list(o, "\n  weekly: ", s->weekly, 7);
    put(o, "\n  growth_per_day: ", s->growth_per_day);
    out_char(o, '\n');
    if (s->sweeps.probability <= 0)
        return;
    put(o, "  sweeps: { probability: ", s->sweeps.probability);
    put(o, ", mean_jobs: ", s->sweeps.mean_jobs);
    put(o, ", within_s: ", s->sweeps.within_s);
    out_text(o, s->sweeps.same_run_time ? ", run_times: same }\n" : ", run_times: own }\n");
}

static void put_start(struct output *o, int64_t start_ns)
{
    char text[32];
    time_t at = (time_t)(start_ns / NS_PER_S);
    struct tm tm;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&at, &tm));
    out_text(o, "start: ");
    out_text(o, text);
    out_char(o, '\n');
}

void synth_spec_write(struct output *o, const struct synth_spec *s)
{
    out_text(o, "workload: ");
    put_name(o, s->name);
    out_char(o, '\n');
    if (s->start_ns != TIME_NEVER)
        put_start(o, s->start_ns);
    if (s->jobs) {
        out_text(o, "jobs: ");
        out_integer(o, s->jobs);
        out_char(o, '\n');
    }
    if (s->span_s > 0) {
        put(o, "span_s: ", s->span_s);
        out_char(o, '\n');
    }
    if (s->load.target > 0)
        put_load(o, &s->load);
    if (s->n_classes)
        put_arrivals(o, s);
    if (s->retries.most) {
        put(o, "retries: { probability: ", s->retries.probability);
        out_text(o, ", most: ");
        out_integer(o, s->retries.most);
        put(o, ", median_s: ", s->retries.median_s);
        put(o, ", sigma: ", s->retries.sigma);
        out_text(o, " }\n");
    }
    out_text(o, "users: { count: ");
    out_integer(o, s->users);
    put(o, ", zipf: ", s->users_zipf);
    put_names(o, " }\nprojects:\n  shares: ", &s->projects);
    char estimates[ESTIMATES_TEXT];
    estimates_show(&s->estimates, estimates);
    out_text(o, "estimates: '");
    out_text(o, estimates);
    out_text(o, s->n_classes ? "'\nclasses:\n" : "'\n");
    for (size_t c = 0; c < s->n_classes; c++)
        put_class(o, &s->class[c]);
    put_sessions(o, s);
}
