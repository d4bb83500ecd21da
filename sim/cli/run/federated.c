/* federated.c - see federated.h. */
#include "sim/cli/run/federated.h"

#include "sim/base/memory.h"
#include "sim/cli/frame/interrupt.h"
#include "sim/cli/frame/term.h"
#include "sim/cli/run/play.h"
#include "sim/cli/run/settings.h"
#include "sim/cli/run/show.h"
#include "sim/federation/router.h"
#include "sim/results/results.h"
#include "sim/results/version.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== A plan for each member, with the same jobs ==== */

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
            return error_set(
                err, "run: --set: %s: for a federation want MEMBER.KEY=VALUE, or a key of its file",
                given->text[k]);
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
    const char *what = o->stream > 0         ? "--stream"
                       : o->snapshot_ns >= 0 ? "--snapshot"
                       : o->switches.n       ? "--switch-policy"
                                             : NULL;
    if (what)
        return error_set(err, "run: %s: %s is a federation, which has no %s", what, o->cluster,
                         what);
    if (!strcmp(p->base.trace.path, "-"))
        return error_set(
            err,
            "run: --trace: %s is a federation, each member of which reads the trace: want a file, not standard input",
            o->cluster);
    return 0;
}

static int64_t federated_gpus(const struct federated_plan *p)
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
    p->base.policy_text = chosen_text(p->base.policy.policy->name, p->base.policy.policy->params,
                                      p->base.policy.params);
    p->base.placer_text = chosen_text(p->base.placer.placer->name, p->base.placer.placer->params,
                                      p->base.placer.params);
    if (refuse(p, err))
        return EXIT_USAGE;
    p->federation = federation_read(o->cluster, &(struct cluster_settings){ o->set.n, o->set.text },
                                    &why);
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
        if (status != EXIT_OK)        /* messages about files begin with the place in the file */
            status == EXIT_USAGE ? error_set(err, "%s: member %s: %s", o->cluster,
                                             p->federation->member[i].name, why.text)
                                 : error_set(err, "%s", why.text);
    }
    return status;
}

/* ---- The whole as text ---- */

static bool is_kept(const char *line)
{
    static const char *const omitted[] = { "  file:", "outputs:", "check:", "quantiles:", "  period_s:" };
    for (size_t i = 0; i < sizeof omitted / sizeof *omitted; i++)
        if (!strncmp(line, omitted[i], strlen(omitted[i])))
            return false;
    return true;
}

/* The member's own configuration after its seed, indented. */
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
        if (is_kept(line))
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
    fprintf(f, "# The effective configuration of a federation, run by gpuyard %s.\npolicy:\n",
            version_text());
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
    settings_put_quantiles(f, &p->base.quantiles);
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

/* ==== Members played side by side, then the whole ==== */

struct playing {
    const struct federated_plan *plan;
    struct federated_played *to;
    struct router *router;
    /* [n + 1]: of the members, then of the whole; NULL: nothing is written */
    struct results **results;
    const char **name;            /* [n] */
    struct federated federated;   /* complete when all have been played */
};

static struct results_setup setup_of_whole(const struct playing *g, int argc, char *const *argv)
{
    const struct federated_plan *p = g->plan;
    const struct plan *first = &p->member[0].plan;
    return (struct results_setup){
        .directory = p->base.directory,
        .outputs = p->outputs & 1u << OUTPUT_SUMMARY,
        .origin = { .argc = argc, .argv = argv, .cluster_path = p->options->cluster,
                    .cluster_sha256 = p->federation->sha256,
                    .trace_path = first->trace.path, .trace_format = first->trace.format->name,
                    .trace_sha256 = first->trace_sha256,
                    .policy_text = p->options->policy, .placement_text = p->options->placement,
                    .settings_yaml = p->settings_yaml,
                    .skipped_rows = first->workload->n_skipped, .federated = &g->federated },
    };
}

/* The results of the whole are committed last: its manifest shows that all members are complete. */
static struct results *results_of_whole(const struct playing *g, int argc, char *const *argv)
{
    const struct plan *first = &g->plan->member[0].plan;
    const struct results_setup where = setup_of_whole(g, argc, argv);
    return results_new(&where, first->cluster, first->workload);
}

/* Members are compared as parts of the whole. */
static int check_all(const struct playing *g, int argc, char *const *argv, struct error *err)
{
    const struct federated_plan *p = g->plan;
    const struct results_setup whole = setup_of_whole(g, argc, argv);
    int result = p->outputs ? results_check(&whole, p->options->directory, p->options->force, err)
                            : 0;
    for (size_t i = 0; i < p->federation->n && result == 0; i++)
        result = play_check(&(struct play_setup){ .plan = &p->member[i].plan, .argc = argc,
                                                  .argv = argv }, err);
    return result;
}

static int open_all(struct playing *g, int argc, char *const *argv, struct error *err)
{
    size_t n = g->plan->federation->n;
    int result = 0;
    if (!g->plan->outputs)
        return 0;
    g->results = mem_new(n + 1, sizeof *g->results);
    for (size_t i = 0; i <= n && result == 0; i++) {
        const struct play_setup setup = { .plan = i < n ? &g->plan->member[i].plan : NULL,
                                          .argc = argc, .argv = argv };
        g->results[i] = i < n ? play_results(&setup) : results_of_whole(g, argc, argv);
        result = results_open(g->results[i], err);
    }
    return result;
}

static int execute(struct playing *g, const atomic_bool *interrupted, struct error *err)
{
    const struct federated_plan *p = g->plan;
    size_t n = p->federation->n;
    for (size_t i = 0; i < n; i++) {
        struct run_setup run = play_run_setup(&p->member[i].plan);
        run.interrupted = interrupted;
        run.part = router_part(g->router, (uint32_t)i);
        if (g->results)
            run.observer = results_observer(g->results[i]);
        g->to->run[i] = run_new(&run);
    }
    int result = router_execute(g->router, g->to->run, err);
    if (result == 0 && atomic_load(interrupted))
        result = error_set(err, "interrupted");
    for (size_t i = 0; i < n && result == 0; i++) {
        const struct sched *s = g->to->run[i];
        g->to->summary[i] = g->results ? summary_make_of(s, results_tallies(g->results[i], s)) : summary_make(s);
        notes_of_run(&g->to->notes[i], g->to->run[i]);
        if (g->results)
            result = results_write(g->results[i], g->to->run[i], g->to->summary[i], err);
    }
    if (result == 0)
        g->to->whole = summary_make_federated(&g->federated);
    if (result == 0 && g->results)
        result = results_write(g->results[n], g->to->run[0], g->to->whole, err);
    return result;
}

/* In reverse order, so that each removes the directory that it made. */
static int close_all(struct playing *g, int result, struct error *err)
{
    size_t n = g->plan->federation->n;
    for (size_t i = 0; g->results && result == 0 && i <= n; i++) {
        result = results_commit(g->results[i], err);
        g->results[i] = NULL;
    }
    for (size_t i = n + 1; g->results && i-- > 0;)
        if (g->results[i])
            results_discard(g->results[i]);
    free(g->results);
    return result;
}

int federated_play(const struct federated_plan *p, int argc, char *const *argv,
                   struct federated_played *to, struct error *err)
{
    const struct federation *f = p->federation;
    struct playing g = { .plan = p, .to = to, .router = router_new(f,
                                                                   p->member[0].plan.workload->n_jobs) };
    *to = (struct federated_played){ f->n, mem_new(f->n, sizeof *to->run),
                                     .summary = mem_new(f->n, sizeof *to->summary),
                                     .notes = mem_new(f->n, sizeof *to->notes) };
    g.name = mem_new(f->n, sizeof *g.name);
    for (size_t i = 0; i < f->n; i++)
        g.name[i] = f->member[i].name;
    g.federated = (struct federated){ f->n, (const struct sched *const *)to->run, g.name,
                                      (const struct summary *const *)to->summary };
    bool refused = check_all(&g, argc, argv, err) != 0;
    const atomic_bool *interrupted = interrupt_guard(NULL);
    int result = refused ? -1 : open_all(&g, argc, argv, err);
    if (result == 0)
        result = execute(&g, interrupted, err);
    interrupt_hold();
    result = close_all(&g, result, err);
    interrupt_end();
    to->router = g.router;        /* the runs refer to it */
    free(g.name);
    if (refused)
        return EXIT_USAGE;
    if (result == RUN_BAD_INPUT)
        return EXIT_INPUT;
    if (result)
        return atomic_load(interrupted) ? EXIT_INTERRUPTED : EXIT_FAILED;
    return EXIT_OK;
}

void federated_played_free(struct federated_played *p)
{
    for (size_t i = 0; i < p->n; i++) {
        summary_free(p->summary[i]);
        notes_free(&p->notes[i]);
        run_free(p->run[i]);
    }
    free(p->notes);
    router_free(p->router);
    summary_free(p->whole);
    free(p->run);
    free(p->summary);
}

/* ==== Results for people ==== */

static void put_row(const struct summary *m, const char *label, const char *scope, double jobs)
{
    char wait[HUMAN_MAX], p90[HUMAN_MAX], jct[HUMAN_MAX], used[SHOW_NUMBER];
    double cost = summary_value(m, "cost_usd", scope);
    fputs("  ", stdout);
    text_pad(stdout, label, 16);
    printf("%9.0f%14s%14s%14s%11s", jobs,
           human_time(wait, summary_value(m, "wait_mean_s", scope)),
           human_time(p90, summary_value(m, "wait_p90_s", scope)),
           human_time(jct, summary_value(m, "jct_mean_s", scope)),
           show_percent(used, summary_value(m, "util_alloc", scope)));
    if (isnan(cost))
        printf("%14s\n", "-");
    else
        printf("%14.2f\n", cost);
}

static void warn_of(const char *name, const struct run_totals *t)
{
    if (t->rejected || t->never_started || t->deadlocked || t->cut_off)
        warn("member %s: %" PRIu32 " rejected, %" PRIu32 " never started, %" PRIu32
             " in a deadlock, %" PRIu32 " running and %" PRIu32 " waiting at the cut-off",
             name, t->rejected, t->never_started, t->deadlocked, t->running, t->pending);
}

void federated_show(const struct federated_plan *p, const struct federated_played *played)
{
    const struct federation *f = p->federation;
    for (size_t i = 0; i < f->n; i++) {
        if (!p->options->quiet)
            warn_of(f->member[i].name, run_totals(played->run[i]));
        show_notes(&played->notes[i], f->member[i].name, p->options->quiet);
    }
    if (p->options->quiet)
        return;
    fputs("federation ", stdout);
    text_put(stdout, f->name, SIZE_MAX);
    printf(", %s, %s\n\n  %-16s%9s%14s%14s%14s%11s%14s\n", p->base.policy_text,
           p->base.placer_text, "", "jobs", "wait mean", "wait p90",
           "completion", "allocated", "cost USD");
    for (size_t i = 0; i < f->n; i++) {
        char *scope = NULL;
        size_t length;
        FILE *s = mem_stream(&scope, &length);
        fprintf(s, "member=%s", f->member[i].name);
        mem_stream_end(s, &scope);
        put_row(played->whole, f->member[i].name, scope,
                summary_value(played->whole, "jobs_routed", scope));
        free(scope);
    }
    put_row(played->whole, "all", "all", summary_value(played->whole, "jobs_submitted", "all"));
    fputs("\nresults in ", stdout);
    text_put(stdout, p->base.directory, SIZE_MAX);
    putchar('\n');
}
