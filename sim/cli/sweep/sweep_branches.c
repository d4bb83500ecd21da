/* sweep_branches.c - points that differ only in what their policy gives way to, and when: their common past is run once, up to the
 * first of these times, and each goes on from there in a process of its own. See sweep.h.
 *
 * The run is made with room for the policies of all of them (sim/engine/switch.c), which changes nothing of what comes of it; where it
 * could not be, or would (a policy that resizes jobs adds metrics), nothing is shared. Nor is it where results are kept: files that
 * grow as the run goes on belong to one run. */
#include "sim/cli/frame/interrupt.h"
#include "sim/cli/run/play.h"
#include "sim/cli/sweep/sweep.h"
#include "sim/base/memory.h"
#include "sim/study/point_file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_LONG = 4096 };

struct branch { struct point_command command; struct plan plan; size_t first; };    /* first: of its switches in the list */
struct past {
    size_t first, n;              /* points of the grid */
    struct branch *branch;
    struct policy_switch *list;   /* of all branches, none with a time: struct run_setup borrows it */
    size_t n_switches;
    struct sched *run;            /* NULL: nothing can be shared */
};

/* ---- Who belongs together ---- */

bool sweep_shares_past(const struct sweep *s, size_t a, size_t b)
{
    for (size_t i = 0; i < s->experiment->n_axes; i++)
        if (s->experiment->axis[i].kind != AXIS_BRANCH && s->grid->point[a].value[i] != s->grid->point[b].value[i])
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

/* false: one of them is not even defined well; it will say so by itself. */
static bool look_up(const struct sweep *s, struct past *p, const struct plan *by, int64_t *earliest_ns)
{
    p->branch = mem_new(p->n, sizeof *p->branch);
    for (size_t i = 0; i < p->n; i++) {
        struct error ignored = { "" };
        struct branch *b = &p->branch[i];
        b->first = p->n_switches;
        if (point_command_make(&b->command, s->experiment, &s->grid->point[p->first + i], NULL, NULL, &ignored) != EXIT_OK ||
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
    run_free(p->run);             /* each of them will say why */
    p->run = NULL;
    return p;
}

/* ---- The futures ---- */

/* In a process of its own. */
static int go_on(const struct sweep *s, const struct past *p, size_t point, const struct plan *plan, struct error *err)
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

static int in_a_process(const struct sweep *s, const struct past *p, size_t point, const struct plan *plan, struct error *err)
{
    int ends[2], status = 0;
    if (pipe(ends) != 0)
        return EXIT_FAILED;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);             /* who is stopped for taking too long takes it along */
        status = go_on(s, p, point, plan, err);
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
        kill(getpid(), WTERMSIG(status));             /* lost alone, as if it had been this process */
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

bool sweep_branch(const struct sweep *s, struct shaped *shaped, size_t point, const struct plan *plan, int *status, struct error *err)
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
    *status = in_a_process(s, p, point, plan, err);
    return true;
}
