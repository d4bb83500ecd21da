/* notes.c - see notes.h. */
#include "sim/results/notes.h"

#include "sim/base/memory.h"
#include "sim/base/suggest.h"
#include "sim/workload/requests.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *s_if_many(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* ==== Of the inputs ==== */

/* What a note may look at. workload: NULL, or bound. */
struct inputs { const struct cluster *cluster; const struct workload *workload; };

static node_id first_node(const struct cluster *c, uint32_t gpu_model)
{
    node_id n = 0;
    while (n < c->n_nodes && cluster_node_type(c, n)->gpu_model != gpu_model)
        n++;
    return n;
}

static void put_list(FILE *text, const struct cluster *c, const uint32_t *model, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        fprintf(text, "%s'%.60s'", !i ? "" : i + 1 == n ? " and " : ", ",
                intern_text(c->gpu_models, model[i]));
}

enum { LISTED_MAX = 8 };

/* Jobs with GPUs that do not name the GPU models they run on. */
static uint32_t jobs_of_any_model(const struct workload *w)
{
    uint32_t n = 0;
    for (job_id j = 0; j < w->n_jobs; j++) {
        const struct shape *shape = &w->shape[w->facts[j].ask->shape];
        n += shape->gpu_type == ID_NONE && request_gpus(&shape->ask) > 0;
    }
    return n;
}

static bool equal_gpu_models(const struct inputs *in, FILE *text)
{
    const struct cluster *c = in->cluster;
    uint32_t model[LISTED_MAX], n = 0;
    for (uint32_t m = 0; m < intern_count(c->gpu_models); m++)
        if (first_node(c, m) < c->n_nodes && n++ < LISTED_MAX)
            model[n - 1] = m;
    uint32_t jobs = in->workload ? jobs_of_any_model(in->workload) : 0;
    if (c->rates || n < 2 || (in->workload && !jobs))
        return false;
    fputs("GPU models ", text);
    put_list(text, c, model, n < LISTED_MAX ? n : LISTED_MAX);
    fprintf(text, "%s are equally fast", n > LISTED_MAX ? ", ..." : "");
    if (jobs)
        fprintf(text, " for the %" PRIu32 " job%s that name%s none of them", jobs, s_if_many(jobs),
                jobs == 1 ? "s" : "");
    fputs(": the cluster file has no section 'progress'", text);
    return true;
}

/* Entries whose name goes on with '-' after this one ("A100": "A100-SXM4-80"), else the nearest. */
static void put_nearest_gpus(FILE *text, const char *name)
{
    struct suggestion near = { .typed = name };
    size_t length = strlen(name);
    unsigned n = 0;
    for (const struct gpu_model *g = gpu_catalogue; g->name; g++) {
        suggest_offer(&near, g->name);
        if (strncmp(g->name, name, length) == 0 && g->name[length] == '-')
            fprintf(text, "%s'%s'", n++ ? " or " : "; did you mean ", g->name);
    }
    if (!n && near.best)
        fprintf(text, "; did you mean '%s'", near.best);
    fputs(n || near.best ? "?" : "", text);
}

static bool unknown_gpu_model(const struct inputs *in, FILE *text)
{
    const struct cluster *c = in->cluster;
    uint32_t unknown[LISTED_MAX], n = 0;
    for (uint32_t m = 0; m < intern_count(c->gpu_models); m++)
        if (!c->gpu_known[m] && strcmp(intern_text(c->gpu_models, m), GPU_MODEL_UNNAMED) != 0 &&
            first_node(c, m) < c->n_nodes && n++ < LISTED_MAX)
            unknown[n - 1] = m;
    if (!n)
        return false;
    fprintf(text, "gpu_model%s ", s_if_many(n));
    put_list(text, c, unknown, n < LISTED_MAX ? n : LISTED_MAX);
    fprintf(text, "%s %s not in the catalogue ('gpuyard list gpus'): of memory, speed and power "
                  "only what the cluster file says is known",
            n > LISTED_MAX ? ", ..." : "", n == 1 ? "is" : "are");
    put_nearest_gpus(text, intern_text(c->gpu_models, unknown[0]));
    return true;
}

static const struct remark_of_inputs {
    const char *name;
    bool (*find)(const struct inputs *in, FILE *text);       /* true: it applies, text is written */
} of_inputs[] = {
    { "unknown-gpu-model", unknown_gpu_model },
    { "equal-gpu-models", equal_gpu_models },
};

/* ==== Of a run ==== */

static bool refused_requests(const struct sched *s, FILE *text)
{
    const struct run_totals *t = run_totals(s);
    uint64_t n = 0;
    for (unsigned i = 0; i < SCHED_RESULTS; i++)
        n += t->refused[i];
    if (!n)
        return false;
    fprintf(text, "%" PRIu64 " request%s of policy %s refused", n, s_if_many(n),
            run_setup_of(s)->policy->name);
    for (unsigned i = 0, k = 0; i < SCHED_RESULTS; i++)
        if (t->refused[i])
            fprintf(text, "%s %" PRIu64 " %s", k++ ? "," : ":", t->refused[i],
                    sched_result_name[i]);
    return true;
}

static bool sight_refused(const struct sched *s, FILE *text)
{
    uint64_t n = run_totals(s)->sight_refused;
    if (n)
        fprintf(text,
                "%" PRIu64 " question%s of policy %s for a true run time refused: it does not "
                "declare SEES_RUN_TIME",
                n, s_if_many(n), run_setup_of(s)->policy->name);
    return n > 0;
}

static const struct remark_of_run {
    const char *name;
    bool (*find)(const struct sched *s, FILE *text);
} of_run[] = {
    { "refused-requests", refused_requests },
    { "refused-run-times", sight_refused },
};

/* ==== The list ==== */

/* Takes the text if it is one. */
static void add(struct notes *to, const char *name, char *text, bool applies)
{
    if (!applies) {
        free(text);
        return;
    }
    mem_grow(&to->note, &to->capacity, to->n, sizeof *to->note);
    to->note[to->n++] = (struct note){ name, text };
}

void notes_of_inputs(struct notes *to, const struct cluster *c, const struct workload *w)
{
    const struct inputs in = { c, w };
    for (size_t i = 0; i < sizeof of_inputs / sizeof *of_inputs; i++) {
        char *text = NULL;
        size_t length;
        FILE *f = mem_stream(&text, &length);
        bool applies = of_inputs[i].find(&in, f);
        mem_stream_end(f, &text);
        add(to, of_inputs[i].name, text, applies);
    }
}

void notes_of_run(struct notes *to, const struct sched *s)
{
    const struct run_setup *setup = run_setup_of(s);
    notes_of_inputs(to, setup->cluster, setup->workload);
    for (size_t i = 0; i < sizeof of_run / sizeof *of_run; i++) {
        char *text = NULL;
        size_t length;
        FILE *f = mem_stream(&text, &length);
        bool applies = of_run[i].find(s, f);
        mem_stream_end(f, &text);
        add(to, of_run[i].name, text, applies);
    }
}

void notes_free(struct notes *n)
{
    for (size_t i = 0; i < n->n; i++)
        free(n->note[i].text);
    free(n->note);
    *n = (struct notes){ 0 };
}
