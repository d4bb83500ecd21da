/* session_run.c - plays a case through run_new() and run_execute() with the policy quota, and compares what each pass decided.
 *
 * A round is a pass: one at 0 s, 1 s, ... What it decided happens in between: a started job runs, an evicted job has
 * left (or stays releasing, if the case says so), a job with a tentative allocation waits. Passes
 * that the run leaves out, since nothing has changed, would have decided the same. A task is
 *   Binding     started in this pass         Running     held before, and still
 *   Pipelined   tentative, on what others leave           Releasing   held before and evicted, or leaving still
 *   Pending     otherwise, also if it was refused because no node could ever take it
 * steady_state: all five actions, compared as they are between the rounds, after rounds_until_match of them and after each of
 * the rounds_after_match that follow. single_action: that action alone, compared as the pass leaves them. */
#include "policies/registry.h"
#include "sim/engine/params.h"
#include "sim/workload/record.h"
#include "tests/conformance/session.h"

#include <math.h>
#include <string.h>

enum task_state { PENDING, BINDING, RUNNING, RELEASING, PIPELINED, TASK_STATES };
static const char *const state_name[TASK_STATES] = { "Pending", "Binding", "Running", "Releasing", "Pipelined" };
struct seen { enum task_state state; struct piece at; };    /* at: not when Pending; gpu_mask 0 at first: any */
struct play {
    struct session *session;
    const struct sched *sched;
    bool steady;
    uint32_t until, rounds;       /* compared after `until` of them, and from there on after each */
    uint32_t done;
    struct seen seen[TASKS_MOST];
    struct seen tentative[TASKS_MOST];           /* of this pass */
    struct { uint32_t idle, releasing; } node[NODES_MOST];      /* GPUs */
    uint32_t calls[3];            /* binds, evictions, pipelines of this round */
    int result;
    struct why why;
};

/* ---- What a round came to ---- */

static bool held(const struct seen *x) { return x->state == BINDING || x->state == RUNNING; }

static void see_task(struct play *p, job_id j, uint32_t k, const struct piece *now)
{
    const struct session_job *job = &p->session->job[j];
    struct seen *x = &p->seen[job->first + k], *tentative = &p->tentative[job->first + k];
    bool had = held(x), stays = had && now && now->node == x->at.node && (now->gpu_mask == x->at.gpu_mask || !x->at.gpu_mask);
    p->calls[0] += now && !stays;
    p->calls[1] += had && !stays;
    p->calls[2] += tentative->state == PIPELINED && !(x->state == PIPELINED && x->at.node == tentative->at.node);
    if (now)
        *x = (struct seen){ stays ? RUNNING : BINDING, *now };
    else if (had)
        x->state = RELEASING;
    if (tentative->state == PIPELINED)
        *x = *tentative;
}

static void see(struct play *p)
{
    const struct sched *s = p->sched;
    for (job_id j = 0; j < p->session->n_jobs; j++) {
        enum job_state state = job_state(s, j);
        const struct placement *has = state == JOB_RUNNING || state == JOB_GATHERING || state == JOB_CLAIMED ? job_placement(s, j) : NULL;
        for (uint32_t k = 0; k < p->session->job[j].n; k++)
            see_task(p, j, k, placement_task(has, k));
    }
    const struct view *idle = sched_view(s, FREE_IDLE), *later = sched_view(s, FREE_OR_RELEASING);
    for (node_id n = 0; n < p->session->n_nodes; n++) {
        p->node[n].idle = view_node(idle, n).whole;
        p->node[n].releasing = view_node(later, n).whole - p->node[n].idle;
    }
}

static void settle(struct play *p)
{
    for (job_id j = 0; j < p->session->n_jobs; j++)
        for (uint32_t k = 0; k < p->session->job[j].n; k++) {
            struct seen *x = &p->seen[p->session->job[j].first + k];
            if (x->state == BINDING)
                x->state = RUNNING;
            else if (x->state == PIPELINED || (x->state == RELEASING && !p->session->job[j].stays))
                x->state = PENDING;
        }
    memset(p->tentative, 0, sizeof p->tentative);
    memset(p->calls, 0, sizeof p->calls);
}

/* ---- Comparing ---- */

static const char *node_of(const struct play *p, const struct seen *x)
{
    return x->state == PENDING ? "no node" : p->session->node[x->at.node];
}

/* Labels name devices of a node: the same label is the same device, another label another one. */
struct devices { const char *label[TASKS_MOST]; node_id node[TASKS_MOST]; uint64_t mask[TASKS_MOST]; uint32_t n; };

static bool device_fits(struct devices *d, const char *label, node_id node, uint64_t mask)
{
    for (uint32_t i = 0; i < d->n; i++)
        if (d->node[i] == node && (!strcmp(d->label[i], label)) != (d->mask[i] == mask))
            return false;
    if (d->n < TASKS_MOST) {
        d->label[d->n] = label;
        d->node[d->n] = node;
        d->mask[d->n++] = mask;
    }
    return true;
}

static bool devices_fit(struct devices *d, const json_t *labels, const struct piece *at)
{
    uint64_t left = at->gpu_mask;
    size_t i;
    const json_t *label;
    json_array_foreach(labels, i, label) {
        uint64_t one = left & (~left + 1);
        if (one && !device_fits(d, json_string_value(label), at->node, one))
            return false;
        left &= left - 1;
    }
    return true;
}

/* A task that waits keeps in the source the name of the node that the case gave it. The devices
 * of tentative shares are not compared: the source leaves them the labels of devices
 * where they could not even fit. */
static int compare_task(const struct play *p, const json_t *want, uint32_t task, struct devices *d)
{
    const struct seen *x = &p->seen[task];
    const char *state = text_of(want, "state"), *node = text_of(want, "node"), *id = text_of(p->session->task[task], "id");
    bool shared = x->state != PENDING && x->state != PIPELINED && x->at.milli < MILLI_ALL;
    const char *named = text_of(p->session->task[task], "node");
    if (x->state == PENDING && node && named && !strcmp(node, named))
        node = NULL;
    if (strcmp(state, state_name[x->state]) != 0 || (node && strcmp(node, node_of(p, x)) != 0))
        return because(CASE_FAILED, p->why, "round %u: task %s: want %s%s%s, got %s on %s", p->done, id, state, node ? " on " : "",
                       node ? node : "", state_name[x->state], node_of(p, x));
    if (shared && !devices_fit(d, json_object_get(want, "gpu_groups"), &x->at))
        return because(CASE_FAILED, p->why, "round %u: task %s: want the GPU that is called so, got 0x%llx of %s", p->done, id,
                       (unsigned long long)x->at.gpu_mask, node_of(p, x));
    return CASE_PASSED;
}

static int64_t accepted_milli(const struct play *p, uint32_t task)
{
    const struct seen *x = &p->seen[task];
    return x->state == PENDING ? 0 : (int64_t)x->at.gpus * x->at.milli;
}

/* Sums over the tasks of a job, or one task: what was asked for, and what was given (while it
 * holds anything: the source leaves the sum of a placement that it undid). */
static int compare_sums(const struct play *p, const json_t *want, const struct session_job *job, uint32_t from, uint32_t n)
{
    static const struct { const char *key, *each; } sums[] = { { "cpu_milli", "cpu_milli_per_task" },
                                                               { "memory_bytes", "memory_bytes_per_task" } };
    double gpus = 0, accepted = 0;
    const json_t *wanted = json_object_get(want, "gpus_requested_total"), *given = json_object_get(want, "gpus_accepted");
    for (uint32_t k = from; k < from + n; k++) {
        gpus += task_gpus(job->json, p->session->task[k]);
        accepted += (double)accepted_milli(p, k) / MILLI_ALL;
    }
    if (wanted && fabs(gpus - json_number_value(wanted)) > 1e-9)
        return because(CASE_FAILED, p->why, "job %s: want %g GPUs asked for, got %g", job->name, json_number_value(wanted), gpus);
    if (given && accepted > 0 && fabs(accepted - json_number_value(given)) > 1e-9)
        return because(CASE_FAILED, p->why, "job %s: want %g GPUs given, got %g", job->name, json_number_value(given), accepted);
    for (size_t i = 0; i < 2; i++) {
        const json_t *sum = json_object_get(want, sums[i].key);
        double got = n * number_of(job->json, sums[i].each);
        if (sum && json_number_value(sum) != got)
            return because(CASE_FAILED, p->why, "job %s: %s: want %.0f, got %.0f", job->name, sums[i].key, json_number_value(sum), got);
    }
    return CASE_PASSED;
}

static int compare_jobs(const struct play *p, const json_t *expect, struct devices *d)
{
    static const char *const known[] = { "state", "node", "gpus_requested_total", "gpus_accepted", "gpu_groups", "cpu_milli",
                                         "memory_bytes", "last_start_older_than_seconds", "gpu_groups_not_checked", NULL };
    int result = CASE_PASSED;
    for (job_id j = 0; j < p->session->n_jobs && result == CASE_PASSED; j++) {
        const struct session_job *job = &p->session->job[j];
        const json_t *whole = json_object_get(json_object_get(expect, "jobs"), job->name);
        if (whole && (result = only_known(whole, "an expectation's", known, p->why)) == CASE_PASSED)
            result = compare_sums(p, whole, job, job->first, job->n);
        for (uint32_t k = job->first; k < job->first + job->n && result == CASE_PASSED; k++) {
            const json_t *one = json_object_get(json_object_get(expect, "tasks"), text_of(p->session->task[k], "id"));
            const json_t *start = json_object_get(one, "last_start_older_than_seconds");
            result = whole ? compare_task(p, whole, k, d) : CASE_PASSED;
            if (!one || result != CASE_PASSED || (result = only_known(one, "an expectation's", known, p->why)) != CASE_PASSED)
                continue;
            result = compare_task(p, one, k, d);
            if (result == CASE_PASSED)
                result = compare_sums(p, one, job, k, 1);
            if (start && result == CASE_PASSED && sched_now(p->sched) - job_last_start_ns(p->sched, j) <= ns_of_seconds(json_number_value(start)))
                result = because(CASE_FAILED, p->why, "job %s: want a start %g s ago", job->name, json_number_value(start));
        }
    }
    return result;
}

static int compare_nodes(const struct play *p, const json_t *expect)
{
    const char *name;
    json_t *want;
    json_object_foreach(json_object_get(expect, "nodes"), name, want) {
        node_id n = session_node(p->session, name);
        uint32_t idle = (uint32_t)number_of(want, "idle_gpus"), releasing = (uint32_t)number_of(want, "releasing_gpus");
        if (n == ID_NONE || idle != p->node[n].idle || releasing != p->node[n].releasing)
            return because(CASE_FAILED, p->why, "round %u: node %s: want %u GPUs idle and %u releasing, got %u and %u", p->done, name,
                           idle, releasing, n == ID_NONE ? 0 : p->node[n].idle, n == ID_NONE ? 0 : p->node[n].releasing);
    }
    return CASE_PASSED;
}

static int compare_calls(const struct play *p, const json_t *expect)
{
    static const char *const call[] = { "binds", "evictions", "pipelines" };
    for (size_t i = 0; i < 3; i++) {
        const json_t *most = json_object_get(json_object_get(expect, "max_calls"), call[i]);
        if (most && p->calls[i] > json_number_value(most))
            return because(CASE_FAILED, p->why, "round %u: want at most %g %s, got %u", p->done, json_number_value(most), call[i],
                           p->calls[i]);
    }
    return CASE_PASSED;
}

/* Devices that are in use at the start have the names that the case gave them. */
static void name_devices(const struct session *s, struct devices *d)
{
    for (job_id j = 0; j < s->n_jobs; j++) {
        uint32_t running = workload_extra(s->workload, j)->running;
        const struct job_running *r = running ? &s->workload->running[running - 1] : NULL;
        for (uint32_t k = 0; r && k < r->n; k++) {
            struct piece at = { .node = r->on[k].node, .gpu_mask = r->on[k].gpu_mask };
            devices_fit(d, json_object_get(s->task[s->job[j].first + k], "gpu_groups"), &at);
        }
    }
}

/* A round is over: counted, compared. */
static void close_round(struct play *p)
{
    static struct devices d;
    const json_t *expect = json_object_get(p->session->json, "expect");
    p->done++;
    if (p->result == CASE_PASSED)
        p->result = compare_calls(p, expect);
    if (p->steady)
        settle(p);
    if (p->result != CASE_PASSED || p->done < p->until)
        return;
    d.n = 0;
    name_devices(p->session, &d);
    p->result = compare_jobs(p, expect, &d);
    if (p->result == CASE_PASSED)
        p->result = compare_nodes(p, expect);
}

/* ---- Playing ---- */

static void note_tentative(void *self, job_id j, const struct placement *where)
{
    struct play *p = self;
    for (size_t i = 0; i < where->n; i++)
        p->tentative[p->session->job[j].first + where->piece[i].task] = (struct seen){ PIPELINED, where->piece[i] };
}

static void note_instant(void *self, const struct sched *s)
{
    struct play *p = self;
    int64_t now = sched_now(s);
    if (now % PERIOD_NS != 0)
        return;
    while (p->done < now / PERIOD_NS && p->done < p->rounds)
        close_round(p);
    if (p->done >= p->rounds)
        return;
    see(p);
    close_round(p);
}

static const struct policy *policy_called(const char *name)
{
    size_t i = 0;
    while (builtin_policies[i] && strcmp(builtin_policies[i]->name, name) != 0)
        i++;
    return builtin_policies[i];
}

static const struct placer *placer_called(const char *name)
{
    size_t i = 0;
    while (builtin_placers[i] && strcmp(builtin_placers[i]->name, name) != 0)
        i++;
    return builtin_placers[i];
}

/* The defaults of the source, but for what its test harness sets: no grace for stale gangs, no
 * bound of consolidation. */
static int settings_of(const struct policy *policy, const json_t *c, char *text, size_t size, struct why why)
{
    static const struct { const char *theirs, *ours; } actions[] = { { "allocate", "allocate" }, { "consolidation", "consolidation" },
        { "reclaim", "reclaim" }, { "preempt", "preempt" }, { "stalegangeviction", "stale" } };
    size_t known = 0, length = (size_t)snprintf(text, size, "stale_s=0,consolidation_victims=-1");
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        bool on = false;
        size_t k;
        const json_t *action;
        json_array_foreach(json_object_get(c, "actions"), k, action)
            on = on || !strcmp(json_string_value(action), actions[i].theirs);
        known += on;
        const struct param *x = policy->params;
        while (x->name && strcmp(x->name, actions[i].ours) != 0)
            x++;
        const char *value = x->options ? (on ? "yes" : "no") : (on ? "1" : "0");
        length += (size_t)snprintf(text + length, size - length, ",%s=%s", actions[i].ours, value);
    }
    return known == json_array_size(json_object_get(c, "actions")) ? CASE_PASSED : because(CASE_SKIPPED, why, "an action that is not known");
}

/* Plugins other than the default: how devices and nodes are chosen. */
static int placing_of(const json_t *c, const char **placer, const char **devices, struct why why)
{
    const json_t *plugin;
    size_t i;
    *placer = "pack";
    *devices = "devices=pack";
    json_array_foreach(json_object_get(json_object_get(c, "config"), "plugins"), i, plugin) {
        const char *name = text_of(plugin, "name"), *key;
        json_t *value;
        if (!strcmp(name, "gpuspread"))
            *devices = "devices=spread";
        else if (strcmp(name, "gpupack") != 0 && strcmp(name, "nodeplacement") != 0)
            return because(CASE_SKIPPED, why, "plugin %s", name);
        json_object_foreach(json_object_get(plugin, "arguments"), key, value) {
            if (strstr(key, "GPU") && json_is_string(value))
                *placer = !strcmp(json_string_value(value), "spread") ? "spread" : "pack";
        }
    }
    return CASE_PASSED;
}

/* What the first tasks of j are before the first round. */
static void begin_as(struct play *p, job_id j, enum task_state state, const struct held_at *on, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        p->seen[p->session->job[j].first + k] = (struct seen){ state,
            { .node = on[k].node, .task = k, .gpu_mask = on[k].gpu_mask, .milli = MILLI_ALL } };    /* until it is seen */
}

static int play(struct play *p, const struct policy *policy, struct why why)
{
    const json_t *c = p->session->json;
    double params[32] = { 0 }, placing[8] = { 0 };
    struct error err = { "" };
    char settings[256];
    const char *placer_name, *devices;
    if (settings_of(policy, c, settings, sizeof settings, why) != CASE_PASSED || placing_of(c, &placer_name, &devices, why) != CASE_PASSED)
        return CASE_SKIPPED;
    const struct placer *placer = placer_called(placer_name);
    if (policy->params_size > sizeof params || placer->params_size > sizeof placing ||
        params_parse(policy->params, policy->params_size, settings, "policy quota", params, &err) != 0 ||
        params_parse(placer->params, placer->params_size, devices, placer_name, placing, &err) != 0)
        return because(CASE_SKIPPED, why, "%s", err.text);
    struct sched *s = run_new(&(struct run_setup){
        .cluster = p->session->cluster, .workload = p->session->workload, .policy = policy, .policy_params = params,
        .placer = placer, .placer_params = placing, .check = true,
        .until_ns = (p->rounds - 1) * PERIOD_NS + LEAVING_NS / 2,
        .observer = { .self = p, .instant = note_instant, .tentative = note_tentative },
    });
    p->sched = s;
    for (job_id j = 0; j < p->session->n_jobs; j++) {
        const struct workload *w = p->session->workload;
        uint32_t running = workload_extra(w, j)->running;
        const struct job_running *r = running ? &w->running[running - 1] : NULL;
        const struct record_place *promised = promised_place(w, j);
        if (r)
            begin_as(p, j, r->leaving_ns < 0 ? RUNNING : RELEASING, r->on, r->n);
        if (promised)
            begin_as(p, j, PIPELINED, promised->on, promised->n);
    }
    int failed = run_execute(s, &err);
    while (p->done < p->rounds)
        close_round(p);
    if (failed && p->result == CASE_PASSED)
        p->result = because(CASE_FAILED, why, "the run failed: %s", err.text);
    run_free(s);
    return p->result;
}

int session_case(const json_t *c, struct why why)
{
    static struct session session;
    static struct play p;
    const struct policy *policy = policy_called("quota");
    int result = policy ? session_build(&session, c, why) : because(CASE_SKIPPED, why, "no policy quota");
    if (result == CASE_PASSED) {
        uint32_t until = (uint32_t)number_of(c, "rounds_until_match");
        memset(&p, 0, sizeof p);
        p.session = &session;
        p.steady = !strcmp(text_of(c, "mode"), "steady_state");
        p.until = p.steady ? until : 1;
        p.rounds = p.until + (p.steady ? (uint32_t)number_of(c, "rounds_after_match") : 0);
        p.why = why;
        result = play(&p, policy, why);
    }
    if (policy)
        session_end(&session);
    return result;
}
