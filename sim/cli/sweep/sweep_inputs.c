/* sweep_inputs.c - the experiment, the inputs of all its runs, and the keys of its points. See
 * sweep.h. */
#include "sim/cli/run/federated.h"
#include "sim/cli/sweep/sweep.h"

#include "sim/io/provenance.h"
#include "sim/base/memory.h"
#include "sim/results/quantiles.h"
#include "sim/results/version.h"
#include "sim/cluster/cluster_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The experiment ---- */

int sweep_read(struct sweep *s, const char *path, struct error *err)
{
    *s = (struct sweep){ .experiment = experiment_read(path, err), .lock = -1 };
    if (!s->experiment || point_command_check(s->experiment, err) != EXIT_OK)
        return EXIT_INPUT;
    for (size_t i = 0; i < s->experiment->n_axes; i++)
        if (!s->experiment->axis[i].key)
            s->of[s->experiment->axis[i].kind] = i;
    s->grid = grid_new(s->experiment, err);
    return s->grid ? EXIT_OK : EXIT_INPUT;
}

static const struct axis *axis_of(const struct sweep *s, enum axis_kind kind)
{
    return &s->experiment->axis[s->of[kind]];
}

void sweep_free(struct sweep *s)
{
    for (size_t i = 0; s->cluster && i < axis_of(s, AXIS_CLUSTER)->n; i++) {
        provenance_free(&s->cluster[i].files);
        cluster_free(s->cluster[i].cluster);
    }
    for (size_t i = 0; s->trace && i < axis_of(s, AXIS_TRACE)->n; i++) {
        provenance_free(&s->trace[i].files);
        workload_free(s->trace[i].workload[0]);
        workload_free(s->trace[i].workload[1]);
    }
    for (size_t i = 0; s->key && i < s->grid->n; i++)
        free(s->key[i]);
    if (s->lock >= 0)
        close(s->lock);
    free(s->cluster);
    free(s->trace);
    free(s->plugin_sha256);
    free(s->key);
    sweep_list_free(s->list);
    grid_free(s->grid);
    experiment_free(s->experiment);
}

/* ---- Files ---- */

/* Of a federation only the number of GPUs is kept. */
static int read_cluster(const char *path, struct read_cluster *to, struct error *err)
{
    if (!federation_is(path)) {
        to->cluster = cluster_read(path, NULL, to->sha256, err);
        to->gpus = to->cluster ? to->cluster->gpus : 0;
        return to->cluster ? 0 : -1;
    }
    struct federation *f = federation_read(path, NULL, err);
    int result = f ? 0 : -1;
    for (size_t i = 0; f && i < f->n && result == 0; i++) {
        char sha256[65];
        struct cluster *c = cluster_read(f->member[i].cluster, NULL, sha256, err);
        to->gpus += c ? c->gpus : 0;
        result = c ? 0 : -1;
        cluster_free(c);
    }
    if (result == 0)
        memcpy(to->sha256, f->sha256, sizeof to->sha256);
    federation_free(f);
    return result;
}

static int read_clusters(struct sweep *s, struct error *err)
{
    const struct axis *a = axis_of(s, AXIS_CLUSTER);
    s->cluster = mem_new(a->n, sizeof *s->cluster);
    for (size_t i = 0; i < a->n; i++) {
        struct read_cluster *c = &s->cluster[i];
        provenance_begin(&c->files);
        int result = read_cluster(a->value[i].text, c, err);
        provenance_end();
        provenance_sha256(&c->files, c->all_sha256);
        if (result)
            return EXIT_INPUT;
    }
    return EXIT_OK;
}

static int find_base(struct sweep *s, struct error *err)
{
    const struct experiment *e = s->experiment;
    struct option_texts set = { 0, mem_new(e->n_axes + 1, sizeof *set.text) };
    s->load_gpus = s->cluster[0].gpus;
    for (size_t i = 0; i < e->n_axes; i++)
        if (e->axis[i].kind == AXIS_SETTING && e->axis[i].n == 1) {
            char *text = NULL;
            size_t length;
            FILE *f = mem_stream(&text, &length);
            fprintf(f, "%s=%s", e->axis[i].key, e->axis[i].value[0].text);
            mem_stream_end(f, &text);
            set.text[set.n++] = text;
        }
    struct error why = { "" };
    char sha256[65];
    struct cluster *c =
        set.n && s->cluster[0].cluster
            ? cluster_read(axis_of(s, AXIS_CLUSTER)->value[0].text,
                           &(struct cluster_settings){ set.n, set.text }, sha256, &why)
            : NULL;
    s->load_gpus = c ? c->gpus : s->load_gpus;
    cluster_free(c);
    for (size_t i = 0; i < set.n; i++)
        free((char *)set.text[i]);
    free(set.text);
    return why.text[0] ? error_set(err, "%s: %s", e->name, why.text) : 0;
}

static int read_trace(struct sweep *s, size_t i, bool sizes_only, struct error *err)
{
    struct read_trace *t = &s->trace[i];
    struct chosen_trace chosen;
    int status = choose_trace("trace", axis_of(s, AXIS_TRACE)->value[i].text, &chosen, err);
    chosen.cluster_gpus = (double)s->load_gpus;
    provenance_begin(&t->files);
    if (status == EXIT_OK && !(t->workload[sizes_only] = chosen_trace_read(
                                   &chosen, sizes_only, &t->format, t->sha256, err)))
        status = EXIT_INPUT;
    provenance_end();
    provenance_sha256(&t->files, t->all_sha256);
    t->load_of_cluster = status == EXIT_OK && t->workload[sizes_only]->load_of_cluster;
    if (status == EXIT_OK && t->workload[sizes_only]->drawn) {
        workload_free(t->workload[sizes_only]);
        t->workload[sizes_only] = NULL;
    }
    chosen_trace_free(&chosen);
    return status;
}

static bool other_settings(const struct sweep *s, const struct point *p, const struct point *before)
{
    for (size_t i = 0; before && i < s->experiment->n_axes; i++)
        if ((s->experiment->axis[i].kind == AXIS_CLUSTER ||
             s->experiment->axis[i].kind == AXIS_SETTING) &&
            p->value[i] != before->value[i])
            return true;
    return !before;
}

static int check_federated(const struct run_options *o, struct error *why)
{
    struct federated_plan p;
    int status = federated_plan_read(&p, o, why);
    federated_plan_free(&p);
    return status;
}

/* The command line of a point tells which inputs it needs; so all command lines are checked
 * before any run. */
static int read_for_point(struct sweep *s, const struct point *p, const struct point *before,
                          struct error *err)
{
    struct point_command c;
    struct plan plan = { .options = NULL };
    struct error why = { "" };
    uint32_t trace = p->value[s->of[AXIS_TRACE]];
    int status = point_command_make(&c, s->experiment, p, NULL, s->outputs, &why);
    if (status == EXIT_OK)
        status = plan_look_up(&plan, &c.options, &why);
    if (status == EXIT_OK && !s->cluster[p->value[s->of[AXIS_CLUSTER]]].cluster)
        status = check_federated(&c.options, &why);
    else if (status == EXIT_OK && c.options.set.n && other_settings(s, p, before))
        status = plan_read_cluster(&plan, &why);
    if (status == EXIT_OK && (plan.cluster || !c.options.set.n))
        s->sizes_differ |= (plan.cluster ? plan.cluster->gpus
                                         : s->cluster[p->value[s->of[AXIS_CLUSTER]]].gpus) !=
                           s->load_gpus;
    if (status != EXIT_OK) {
        error_set(err, "%s: point %u (%s): %s", s->experiment->name, p->number, p->name, why.text);
        status = EXIT_INPUT;
    } else if (!s->trace[trace].sha256[0] || (!s->trace[trace].workload[c.options.stream > 0] &&
                                              s->trace[trace].workload[c.options.stream <= 0]))
        status = read_trace(s, trace, c.options.stream > 0, err);
    plan_free(&plan);
    point_command_free(&c);
    return status;
}

/* Points that differ only in the seed, the slowest axis, need the same inputs and are checked
 * once. */
static int read_for_points(struct sweep *s, struct error *err)
{
    size_t of_a_seed = 1;
    int status = EXIT_OK;
    for (size_t i = 1; i < s->experiment->n_axes; i++)
        of_a_seed *= s->experiment->axis[i].n;
    bool *seen = mem_new(of_a_seed, sizeof *seen);
    const struct point *before = NULL;
    for (size_t i = 0; i < s->grid->n && status == EXIT_OK; i++) {
        const struct point *p = &s->grid->point[i];
        if (seen[p->number % of_a_seed])
            continue;
        seen[p->number % of_a_seed] = true;
        status = read_for_point(s, p, before, err);
        before = p;
    }
    free(seen);
    return status;
}

/* "./mine.so:key=value": the file of a plugin is an input. */
static int read_plugins(struct sweep *s, struct error *err)
{
    const struct axis *both[] = { axis_of(s, AXIS_POLICY), axis_of(s, AXIS_PLACEMENT) };
    size_t k = 0;
    s->plugin_sha256 = mem_new(both[0]->n + both[1]->n, sizeof *s->plugin_sha256);
    for (size_t b = 0; b < 2; b++)
        for (size_t i = 0; i < both[b]->n; i++, k++) {
            const char *text = both[b]->value[i].text, *slash = strrchr(text, '/');
            if (!slash)
                continue;
            char *path = mem_text(text, (size_t)(slash - text) + strcspn(slash, ":"));
            struct input *in = input_open(path, err);
            int result = in ? input_sha256(in, s->plugin_sha256[k], err) : -1;
            input_close(in);
            free(path);
            if (result)
                return EXIT_INPUT;
        }
    return EXIT_OK;
}

/* ---- Keys ---- */

static void put_trace(FILE *f, const struct sweep *s, uint32_t v)
{
    const char *text = axis_of(s, AXIS_TRACE)->value[v].text;
    fprintf(f, "%s %s %s", s->trace[v].all_sha256, s->trace[v].format->name,
            text + strcspn(text, ":"));
    if (s->trace[v].load_of_cluster)
        fprintf(f, " of %" PRId64 " GPUs", s->load_gpus);
}

static void put_axis(FILE *f, const struct sweep *s, const struct point *p, size_t axis)
{
    const struct axis *a = &s->experiment->axis[axis];
    uint32_t v = p->value[axis];
    fprintf(f, "%s: ", a->name);
    if (a->kind == AXIS_CLUSTER)
        fputs(s->cluster[v].all_sha256, f);
    else if (a->kind == AXIS_TRACE)
        put_trace(f, s, v);
    else if (v != VALUE_IDLE)
        fputs(a->value[v].text, f);
    if (a->kind == AXIS_POLICY || a->kind == AXIS_PLACEMENT)
        fprintf(f, " %s",
                s->plugin_sha256[v + (a->kind == AXIS_PLACEMENT ? axis_of(s, AXIS_POLICY)->n : 0)]);
    putc('\n', f);
}

/* Hashes of inputs, and texts of all other values as given. */
static char *key_of(const struct sweep *s, const struct point *p)
{
    char *text = NULL, *key = mem_new(65, 1);
    size_t length;
    FILE *f = mem_stream(&text, &length);
    fprintf(f, "gpuyard %s %s %d\n", version_text(), version_commit(), SCHEMA_VERSION);
    for (size_t i = 0; i < s->experiment->n_axes; i++)
        put_axis(f, s, p, i);
    quantiles_write(f, &s->quantiles);
    mem_stream_end(f, &text);
    digest_sha256(text, strlen(text), key);
    free(text);
    return key;
}

int sweep_read_inputs(struct sweep *s, struct error *err)
{
    int status = read_clusters(s, err);
    s->trace = mem_new(axis_of(s, AXIS_TRACE)->n, sizeof *s->trace);
    if (status == EXIT_OK && find_base(s, err))
        status = EXIT_INPUT;
    if (status == EXIT_OK)
        status = read_for_points(s, err);
    if (status == EXIT_OK)
        status = read_plugins(s, err);
    if (status != EXIT_OK)
        return status;
    s->key = mem_new(s->grid->n, sizeof *s->key);
    for (size_t i = 0; i < s->grid->n; i++)
        s->key[i] = key_of(s, &s->grid->point[i]);
    s->list = sweep_list_new(s->experiment, s->grid, s->key);
    return EXIT_OK;
}
