/* federated_plan.c - a federation about to be run: every member a plan of its own, with the same jobs. See federated.h. */
#include "sim/cli/run/federated.h"

#include "sim/cli/run/settings.h"
#include "sim/base/memory.h"
#include "sim/federation/router.h"
#include "sim/results/version.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Members ---- */

static char *directory_of(const struct federated_plan *p)
{
    const struct run_options *o = p->options;
    char *path = NULL;
    size_t length;
    if (o->directory)
        return mem_text(o->directory, strlen(o->directory));
    FILE *f = mem_stream(&path, &length);
    fprintf(f, "results/%s-%s-%s", p->federation->name, p->base.policy_text, p->base.placer_text);
    mem_stream_end(f, &path);
    for (char *c = path + strlen("results/"); *c; c++)
        if (*c == ':' || *c == ',' || *c == '/' || *c == ' ')
            *c = '-';
    return path;
}

static int own_settings(struct federated_plan *p, struct error *err)
{
    const struct federation *f = p->federation;
    const struct option_texts *given = &p->options->set;
    for (size_t i = 0; i < f->n; i++)
        p->member[i].set = mem_new(given->n + 1, sizeof *p->member[i].set);
    for (size_t k = 0; k < given->n; k++) {
        bool taken = federation_has_key(given->text[k]);
        for (size_t i = 0; i < f->n && !taken; i++) {
            struct federated_member *m = &p->member[i];
            const char *rest = federation_setting(&f->member[i], given->text[k]);
            if (rest)
                m->set[m->options.set.n++] = rest;
            taken = rest != NULL;
        }
        if (!taken)
            return error_set(err, "run: --set: %s: of a federation want MEMBER.KEY=VALUE, or a key of its file", given->text[k]);
    }
    for (size_t i = 0; i < f->n; i++)
        p->member[i].options.set.text = p->member[i].set;
    return 0;
}

static void begin_member(struct federated_plan *p, size_t i)
{
    struct federated_member *m = &p->member[i];
    const struct federation_member *of = &p->federation->member[i];
    size_t length;
    FILE *f = mem_stream(&m->directory, &length);
    fprintf(f, "%s/%s", p->base.directory, of->name);
    mem_stream_end(f, &m->directory);
    m->options = *p->options;
    m->options.cluster = of->cluster;
    m->options.directory = m->directory;
    m->options.set = (struct option_texts){ 0 };
    if (of->policy)
        m->options.policy = of->policy;
}

static int refuse(const struct federated_plan *p, struct error *err)
{
    const struct run_options *o = p->options;
    const char *what = o->stream > 0 ? "--stream" : o->snapshot_ns >= 0 ? "--snapshot" : o->switches.n ? "--switch-policy" : NULL;
    if (what)
        return error_set(err, "run: %s: %s is a federation, which has no %s", what, o->cluster, what);
    if (!strcmp(p->base.trace.path, "-"))
        return error_set(err, "run: --trace: %s is a federation, each member of which reads the trace: want a file, not standard input", o->cluster);
    return 0;
}

int64_t federated_gpus(const struct federated_plan *p)
{
    int64_t gpus = 0;
    for (size_t i = 0; i < p->federation->n; i++)
        gpus += p->member[i].plan.cluster->gpus;
    return gpus;
}

int federated_plan_read(struct federated_plan *p, const struct run_options *o, struct error *err)
{
    struct error why = { "" };
    *p = (struct federated_plan){ .options = o };
    int status = plan_look_up(&p->base, o, err);
    if (status != EXIT_OK)
        return status;
    p->outputs = p->base.outputs;
    p->base.policy_text = chosen_text(p->base.policy.policy->name, p->base.policy.policy->params, p->base.policy.params);
    p->base.placer_text = chosen_text(p->base.placer.placer->name, p->base.placer.placer->params, p->base.placer.params);
    if (refuse(p, err))
        return EXIT_USAGE;
    p->federation = federation_read(o->cluster, &(struct cluster_settings){ o->set.n, o->set.text }, &why);
    if (!p->federation) {
        bool by_setting = !strncmp(why.text, "--set: ", strlen("--set: "));
        error_set(err, "%s%s", by_setting ? "run: " : "", why.text);
        return by_setting ? EXIT_USAGE : EXIT_INPUT;
    }
    p->base.directory = directory_of(p);
    p->member = mem_new(p->federation->n, sizeof *p->member);
    for (size_t i = 0; i < p->federation->n; i++)
        begin_member(p, i);
    if (own_settings(p, err))
        return EXIT_USAGE;
    for (size_t i = 0; i < p->federation->n && status == EXIT_OK; i++) {
        status = plan_look_up(&p->member[i].plan, &p->member[i].options, &why);
        if (status == EXIT_OK)
            status = plan_read_cluster(&p->member[i].plan, &why);
        if (status != EXIT_OK)        /* of a file the place comes first */
            status == EXIT_USAGE ? error_set(err, "%s: member %s: %s", o->cluster, p->federation->member[i].name, why.text)
                                 : error_set(err, "%s", why.text);
    }
    return status;
}

/* ---- The whole as text ---- */

static bool kept(const char *line)
{
    static const char *const passed_over[] = { "  file:", "outputs:", "check:", "  period_s:" };
    for (size_t i = 0; i < sizeof passed_over / sizeof *passed_over; i++)
        if (!strncmp(line, passed_over[i], strlen(passed_over[i])))
            return false;
    return true;
}

/* What the member's own says from behind its seed on, indented. */
static void put_member(FILE *f, const struct federation_member *m, const char *yaml)
{
    settings_put_text(f, "  - name", m->name);
    if (m->policy)
        settings_put_text(f, "    policy", m->policy);
    const char *line = strstr(yaml, "\nseed:");
    line = line ? strchr(line + 1, '\n') : NULL;
    while (line && *++line) {
        const char *end = strchr(line, '\n');
        int length = (int)(end ? (size_t)(end - line) : strlen(line));
        if (kept(line))
            fprintf(f, "    %.*s\n", length, line);
        line = end;
    }
}

static char *settings_of(const struct federated_plan *p)
{
    const struct federation *of = p->federation;
    char *text = NULL;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    fprintf(f, "# The effective configuration of a federation, run by gpuyard %s.\npolicy:\n", version_text());
    settings_put_text(f, "  given", p->options->policy);
    fputs("placement:\n", f);
    settings_put_text(f, "  given", p->options->placement);
    fprintf(f, "seed: %" PRId64 "\nfederation:\n", p->options->seed);
    settings_put_text(f, "  name", of->name);
    settings_put_text(f, "  file", of->path);
    fprintf(f, "  sha256: %s\n  route: %s\n", of->sha256, route_name[of->route]);
    if (of->route == ROUTE_SPILL)
        fprintf(f, "  limit_s: %.15g\n", seconds(of->limit_ns));
    if (of->route != ROUTE_QUEUE)
        fprintf(f, "  first_run_s: %.15g\n", seconds(of->first_run_ns));
    fputs(of->n_queues ? "  queues:\n" : "", f);
    for (size_t i = 0; i < of->n_queues; i++) {
        settings_put_text(f, "    - queue", of->queue[i].name);
        settings_put_text(f, "      member", of->member[of->queue[i].member].name);
    }
    if (of->others != ID_NONE)
        settings_put_text(f, "  others", of->member[of->others].name);
    fputs("members:\n", f);
    for (size_t i = 0; i < of->n; i++)
        put_member(f, &of->member[i], p->member[i].plan.settings_yaml);
    mem_stream_end(f, &text);
    return text;
}

int federated_plan_settle(struct federated_plan *p, struct error *err)
{
    int status = EXIT_OK;
    for (size_t i = 0; i < p->federation->n && status == EXIT_OK; i++) {
        struct plan *m = &p->member[i].plan;
        m->gpus = federated_gpus(p);
        status = plan_read_trace(m, err);
        if (status == EXIT_OK)
            status = plan_shape(m, err);
        if (status == EXIT_OK)
            plan_settle(m);
        m->outputs = p->outputs ? m->outputs : 0;
    }
    if (status != EXIT_OK)
        return status;
    const struct plan *first = &p->member[0].plan;
    if (router_check(p->federation, first->cluster, first->workload, err))
        return EXIT_INPUT;
    p->settings_yaml = settings_of(p);
    return EXIT_OK;
}

void federated_plan_free(struct federated_plan *p)
{
    for (size_t i = 0; p->member && i < p->federation->n; i++) {
        plan_free(&p->member[i].plan);
        free(p->member[i].directory);
        free(p->member[i].set);
    }
    free(p->member);
    free(p->settings_yaml);
    plan_free(&p->base);
    federation_free(p->federation);
}
