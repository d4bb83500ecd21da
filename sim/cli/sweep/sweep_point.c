/* sweep_point.c - one point of an experiment, in a worker process. See sweep.h.
 *
 * Points that differ only in --switch-policy are a family. The past up to their first switch is
 * simulated once, in a run that has room for the policies of all of them (sim/engine/switch.c),
 * which changes no result; each point continues in a process of its own. No past is shared if a
 * policy resizes jobs (which adds metrics), if policies cannot be combined, or if runs are kept,
 * as their files grow during the run. */
#include "sim/cli/sweep/sweep.h"

#include "sim/base/memory.h"
#include "sim/cli/frame/interrupt.h"
#include "sim/cli/run/federated.h"
#include "sim/cli/run/play.h"
#include "sim/study/point_file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ==== Branches: points that differ only in their --switch-policy ==== */

enum { PATH_LONG = 4096 };

/* first: index of its switches in the list */
struct branch { struct point_command command; struct plan plan; size_t first; };
struct past {
    size_t first, n;              /* points of the grid */
    struct branch *branch;
    struct policy_switch *list;   /* of all branches, without times; struct run_setup borrows it */
    size_t n_switches;
    struct sched *run;            /* NULL: no past can be shared */
};

/* ---- Families ---- */

bool sweep_shares_past(const struct sweep *s, size_t a, size_t b)
{
    for (size_t i = 0; i < s->experiment->n_axes; i++)
        if (s->experiment->axis[i].kind != AXIS_BRANCH &&
            s->grid->point[a].value[i] != s->grid->point[b].value[i])
            return false;
    return true;
}

static void find_family(const struct sweep *s, size_t point, struct past *p)
{
    size_t end = point + 1;
    for (p->first = point; p->first > 0 && sweep_shares_past(s, p->first - 1, point);)
        p->first--;
    while (end < s->grid->n && sweep_shares_past(s, end, point))
        end++;
    p->n = end - p->first;
}

static bool resizes(const struct policy *p, const void *params)
{
    return (p->needs | (p->also_needs ? p->also_needs(params) : 0)) & RESIZES;
}

/* ---- The past ---- */

/* false: a point is not valid, which its own run will report. */
static bool look_up(const struct sweep *s, struct past *p, const struct plan *by,
                    int64_t *earliest_ns)
{
    p->branch = mem_new(p->n, sizeof *p->branch);
    for (size_t i = 0; i < p->n; i++) {
        struct error ignored = { "" };
        struct branch *b = &p->branch[i];
        b->first = p->n_switches;
        if (point_command_make(&b->command, s->experiment, &s->grid->point[p->first + i], NULL,
                               NULL, &ignored) != EXIT_OK ||
            plan_look_up(&b->plan, &b->command.options, &ignored) != EXIT_OK)
            return false;
        struct policy_switch *own;
        b->plan.cluster = by->cluster;
        own = plan_switch_list(&b->plan);
        b->plan.cluster = NULL;
        p->list = mem_resize(p->list, p->n_switches + b->plan.n_switches + 1, sizeof *p->list);
        for (size_t k = 0; k < b->plan.n_switches; k++) {
            *earliest_ns = own[k].time_ns < *earliest_ns ? own[k].time_ns : *earliest_ns;
            own[k].time_ns = TIME_NEVER;
            p->list[p->n_switches++] = own[k];
        }
        free(own);
    }
    return true;
}

static bool can_be_shared(const struct past *p, const struct run_setup *setup)
{
    struct error ignored = { "" };
    bool any = resizes(setup->policy, setup->policy_params);
    for (size_t i = 0; i < p->n_switches; i++)
        any |= resizes(p->list[i].policy, p->list[i].params);
    return !any && run_check_policies(setup, &ignored) == 0;
}

static void past_free(struct past *p)
{
    if (!p)
        return;
    run_free(p->run);
    for (size_t i = 0; p->branch && i < p->n; i++) {
        plan_free(&p->branch[i].plan);
        point_command_free(&p->branch[i].command);
    }
    free(p->branch);
    free(p->list);
    free(p);
}

static struct past *past_new(const struct sweep *s, size_t point, const struct plan *plan)
{
    struct past *p = mem_new(1, sizeof *p);
    struct error ignored = { "" };
    int64_t earliest_ns = TIME_NEVER;
    find_family(s, point, p);
    if (p->n < 2 || !look_up(s, p, plan, &earliest_ns) || earliest_ns == TIME_NEVER)
        return p;
    struct run_setup setup = play_run_setup(plan);
    setup.interrupted = interrupt_guard(NULL);
    setup.switches = p->list;
    setup.n_switches = p->n_switches;
    if (!can_be_shared(p, &setup))
        return p;
    p->run = run_new(&setup);
    if (run_until(p->run, earliest_ns, &ignored) == 0)
        return p;
    run_free(p->run);             /* the run of each point reports the error */
    p->run = NULL;
    return p;
}

/* ---- The futures ---- */

/* In a process of its own. */
static int run_future(const struct sweep *s, const struct past *p, size_t point,
                      const struct plan *plan, struct error *err)
{
    const struct branch *b = &p->branch[point - p->first];
    char points[PATH_LONG];
    for (size_t i = 0; i < b->plan.n_switches; i++)
        run_switch_at(p->run, b->first + i, b->plan.change[i].time_ns);
    int result = run_execute(p->run, err);
    if (atomic_load(run_setup_of(p->run)->interrupted))
        return EXIT_INTERRUPTED;
    if (result)
        return result == RUN_BAD_INPUT ? EXIT_INPUT : EXIT_FAILED;
    snprintf(points, sizeof points, "%s/points", s->directory);
    struct summary *m = summary_make(p->run);
    result = point_file_write(points, s->key[point], plan->settings_yaml, m, err);
    summary_free(m);
    return result ? EXIT_FAILED : EXIT_OK;
}

static int run_branch_process(const struct sweep *s, const struct past *p, size_t point,
                              const struct plan *plan, struct error *err)
{
    int ends[2], status = 0;
    if (pipe(ends) != 0)
        return EXIT_FAILED;
    pid_t child = fork();
    if (child == 0) {
        /* if the worker is killed, so is this process */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        status = run_future(s, p, point, plan, err);
        if (status != EXIT_OK && write(ends[1], err->text, strlen(err->text)) < 0)
            _exit(EXIT_FAILED);
        _exit(status);
    }
    close(ends[1]);
    ssize_t n = child < 0 ? -1 : read(ends[0], err->text, sizeof err->text - 1);
    err->text[n > 0 ? n : 0] = '\0';
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return EXIT_FAILED;
    if (WIFSIGNALED(status))
        /* the worker ends in the same way, so that only this point is lost */
        kill(getpid(), WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

static bool run_branch(const struct sweep *s, struct shaped *shaped, size_t point,
                       const struct plan *plan, int *status, struct error *err)
{
    struct past *p = shaped->past;
    if (s->outputs)
        return false;
    if (!p || point < p->first || point >= p->first + p->n) {
        past_free(p);
        p = shaped->past = past_new(s, point, plan);
    }
    if (!p->run)
        return false;
    *status = run_branch_process(s, p, point, plan, err);
    return true;
}

/* ==== Points ==== */

/* ---- Shared inputs ---- */

/* Estimates, streams and workloads of laws are drawn from the seed. */
static bool seed_shapes(const struct sweep *s, const struct point *p)
{
    const struct experiment *e = s->experiment;
    const struct read_trace *t = &s->trace[p->value[s->of[AXIS_TRACE]]];
    if (!t->workload[0] && !t->workload[1])
        return true;
    for (size_t i = 0; i < e->n_axes; i++)
        if (e->axis[i].kind == AXIS_OPTION &&
            (!strcmp(e->axis[i].key, "estimates") || !strcmp(e->axis[i].key, "stream")))
            return true;
    return false;
}

bool sweep_shapes_alike(const struct sweep *s, size_t first, size_t second)
{
    const struct point *a = &s->grid->point[first], *b = &s->grid->point[second];
    for (size_t i = 0; i < s->experiment->n_axes; i++) {
        enum axis_kind kind = s->experiment->axis[i].kind;
        if (kind < AXIS_POLICY && (kind != AXIS_SEED || seed_shapes(s, a)) &&
            a->value[i] != b->value[i])
            return false;
    }
    return true;
}

/* ---- One run ---- */

static int check_unchanged(const struct plan *plan, const struct read_trace *t, struct error *err)
{
    char all_sha256[65];
    provenance_sha256(&plan->trace_files, all_sha256);
    if (!strcmp(all_sha256, t->all_sha256))
        return EXIT_OK;
    error_set(err, "%s: this file, or a file that it names, changed since the sweep began",
              plan->trace.path);
    return EXIT_INPUT;
}

/* Workloads of laws are drawn here, so that the workers draw them in parallel. */
static int read_trace(const struct sweep *s, const struct point *p, struct plan *plan,
                      struct error *err)
{
    const struct read_trace *t = &s->trace[p->value[s->of[AXIS_TRACE]]];
    plan->workload = t->workload[plan->options->stream > 0];
    if (!plan->workload) {
        int status = plan_read_trace(plan, err);
        return status == EXIT_OK ? check_unchanged(plan, t, err) : status;
    }
    memcpy(plan->trace_sha256, t->sha256, sizeof t->sha256);
    plan->trace_files = t->files;
    plan->trace.format = t->format;
    return EXIT_OK;
}

static int read_with_settings(const struct read_cluster *c, struct plan *plan, struct error *err)
{
    int status = plan_read_cluster(plan, err);
    if (status == EXIT_OK && strcmp(plan->cluster_sha256, c->sha256) != 0) {
        error_set(err, "%s: this file changed since the sweep began", plan->options->cluster);
        status = EXIT_INPUT;
    }
    return status;
}

static int shape(const struct sweep *s, const struct point *p, struct plan *plan, struct error *err)
{
    int status = read_trace(s, p, plan, err);
    return status == EXIT_OK ? plan_shape(plan, err) : status;
}

static int prepare(const struct sweep *s, struct shaped *shaped, size_t point, struct plan *plan,
                   struct error *err)
{
    const struct point *p = &s->grid->point[point];
    const struct read_cluster *c = &s->cluster[p->value[s->of[AXIS_CLUSTER]]];
    const struct read_trace *t = &s->trace[p->value[s->of[AXIS_TRACE]]];
    int status = EXIT_OK;
    plan->cluster = shaped->workload ? shaped->cluster : c->cluster;
    memcpy(plan->cluster_sha256, c->sha256, sizeof c->sha256);
    if (shaped->workload) {
        plan->workload = shaped->workload;
        plan->cluster_files = shaped->cluster_files;
        plan->trace_files = shaped->trace_files;
        plan->until_ns = shaped->until_ns;
        memcpy(plan->trace_sha256, t->sha256, sizeof t->sha256);
        plan->trace.format = t->format;
    } else {
        if (plan->options->set.n)
            status = read_with_settings(c, plan, err);
        else
            plan->cluster_files = c->files;
        if (status == EXIT_OK)
            status = shape(s, p, plan, err);
    }
    if (status != EXIT_OK)
        return status;
    *shaped = (struct shaped){ plan->cluster,     plan->workload, plan->cluster_files,
                               plan->trace_files, plan->until_ns, point,
                               shaped->past };
    plan_settle(plan);
    plan->outputs = s->outputs ? plan->outputs : 0;
    return EXIT_OK;
}

/* A signal now only sets the flag, so that the result is written; the next run ends at once. */
static int keep(const struct sweep *s, size_t point, const char *settings_yaml,
                const struct summary *m, struct error *err)
{
    char points[PATH_LONG];
    snprintf(points, sizeof points, "%s/points", s->directory);
    interrupt_guard(NULL);
    return point_file_write(points, s->key[point], settings_yaml, m, err) ? EXIT_FAILED : EXIT_OK;
}

/* Each member reads its inputs; nothing is shared. */
static int run_federation(const struct sweep *s, size_t point, const struct point_command *c,
                          struct error *err)
{
    const struct point *p = &s->grid->point[point];
    const char *cluster = s->cluster[p->value[s->of[AXIS_CLUSTER]]].sha256;
    struct federated_plan plan;
    struct federated_played played = { 0 };
    int status = federated_plan_read(&plan, &c->options, err);
    plan.outputs = s->outputs ? plan.outputs : 0;
    if (status == EXIT_OK)
        status = federated_plan_settle(&plan, err);
    if (status == EXIT_OK && strcmp(plan.federation->sha256, cluster) != 0) {
        error_set(err, "%s: this file changed since the sweep began", c->options.cluster);
        status = EXIT_INPUT;
    }
    if (status == EXIT_OK)
        status = check_unchanged(&plan.member[0].plan, &s->trace[p->value[s->of[AXIS_TRACE]]], err);
    if (status == EXIT_OK)
        status = federated_play(&plan, c->argc, c->argv, &played, err);
    if (status == EXIT_OK)
        status = keep(s, point, plan.settings_yaml, played.whole, err);
    federated_played_free(&played);
    federated_plan_free(&plan);
    return status;
}

static int run_point(const struct sweep *s, struct shaped *shaped, size_t point, struct error *err)
{
    struct point_command c;
    struct plan plan = { .options = NULL };
    struct played played = { .run = NULL };
    char path[PATH_LONG];
    snprintf(path, sizeof path, "%s/runs/%s", s->directory, s->grid->point[point].name);
    int status = point_command_make(&c, s->experiment, &s->grid->point[point],
                                    s->outputs ? path : NULL, s->outputs, err);
    c.options.load_gpus = s->load_gpus;
    c.options.also = &s->quantiles;
    if (status == EXIT_OK &&
        !s->cluster[s->grid->point[point].value[s->of[AXIS_CLUSTER]]].cluster) {
        status = run_federation(s, point, &c, err);
        point_command_free(&c);
        return status;
    }
    if (status == EXIT_OK)
        status = plan_look_up(&plan, &c.options, err);
    if (status == EXIT_OK)
        status = prepare(s, shaped, point, &plan, err);
    bool branched = status == EXIT_OK && run_branch(s, shaped, point, &plan, &status, err);
    if (status == EXIT_OK && !branched)
        status = play(&(struct play_setup){ .plan = &plan, .argc = c.argc, .argv = c.argv },
                      &played, err);
    if (status == EXIT_OK && !branched)
        status = keep(s, point, plan.settings_yaml, played.summary, err);
    played_free(&played);
    plan.cluster = NULL;              /* kept for the next point; freed with the process */
    plan.workload = NULL;
    plan.cluster_files = plan.trace_files = (struct provenance){ NULL, 0, 0 };
    plan_free(&plan);
    point_command_free(&c);
    return status;
}

bool sweep_work(const struct sweep *s, struct shaped *shaped, size_t point)
{
    struct error err = { "" };
    char points[PATH_LONG];
    if (shaped->workload && !sweep_shapes_alike(s, shaped->point, point))
        abort();                      /* batches hold only points that are alike */
    int status = run_point(s, shaped, point, &err);
    if (status == EXIT_INTERRUPTED)
        _exit(EXIT_INTERRUPTED);
    if (status == EXIT_OK)
        return true;
    /* if it cannot be written, the missing result is reported at the end */
    struct error ignored = { "" };
    snprintf(points, sizeof points, "%s/points", s->directory);
    point_file_write_failure(points, s->key[point], err.text, &ignored);
    return false;
}
