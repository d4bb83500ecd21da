/* plan_switches.c - the policies that a run goes over to, each at its time. See plan.h. */
#include "sim/cli/run/plan.h"
#include "sim/base/memory.h"
#include "sim/engine/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_one(const char *text, struct plan_switch *to, struct error *err)
{
    const char *colon = strchr(text, ':');
    if (!colon || !colon[1] || !decimal_parse(text, (size_t)(colon - text), NS_PER_S, &to->time_ns) || to->time_ns < 0) {
        error_set(err, "run: --switch-policy: want TIME:POLICY[:KEY=VALUE,...] with TIME in seconds, got '%s'", text);
        return EXIT_USAGE;
    }
    return choose_policy(colon + 1, &to->to, err);
}

/* In the order of their times; a policy and its parameters may come again. */
static int in_order(const struct plan *p, struct error *err)
{
    for (size_t i = 1; i < p->n_switches; i++)
        if (p->change[i].time_ns <= p->change[i - 1].time_ns)
            return error_set(err, "run: --switch-policy: want ascending times, got %.15g after %.15g", seconds(p->change[i].time_ns),
                             seconds(p->change[i - 1].time_ns));
    return 0;
}

/* What one of them does not exclude for another. */
static int go_together(const struct plan *p, struct error *err)
{
    struct policy_switch *list = plan_switch_list(p);
    struct error why = { "" };
    const struct run_setup setup = { .policy = p->policy.policy, .policy_params = p->policy.params, .switches = list,
                                     .n_switches = p->n_switches };
    int result = run_check_policies(&setup, &why);
    free(list);
    return result ? error_set(err, "run: --switch-policy: %s", why.text) : 0;
}

int plan_look_up_switches(struct plan *p, struct error *err)
{
    const struct option_texts *given = &p->options->switches;
    p->change = mem_new(given->n + 1, sizeof *p->change);
    for (size_t i = 0; i < given->n; i++) {
        p->n_switches++;
        int status = read_one(given->text[i], &p->change[i], err);
        if (status != EXIT_OK)
            return status;
        struct plan_switch *c = &p->change[i];
        c->text = chosen_text(c->to.policy->name, c->to.policy->params, c->to.params);
    }
    return in_order(p, err) || go_together(p, err) ? EXIT_USAGE : EXIT_OK;
}

struct policy_switch *plan_switch_list(const struct plan *p)
{
    struct policy_switch *list = mem_new(p->n_switches + 1, sizeof *list);
    for (size_t i = 0; i < p->n_switches; i++) {
        const struct plan_switch *c = &p->change[i];
        bool said = p->cluster && p->cluster->period_said;
        list[i] = (struct policy_switch){ c->time_ns, c->to.policy, c->to.params, said ? p->cluster->period_ns : c->to.policy->period_ns };
    }
    return list;
}

char *plan_policies_text(const struct plan *p)
{
    char *text = NULL;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    fprintf(f, "%s%s", p->policy_text, p->policy.clairvoyant || estimates_know_truth(&p->estimates) ? " (clairvoyant)" : "");
    for (size_t i = 0; i < p->n_switches; i++)
        fprintf(f, ", from %.15g s on %s%s", seconds(p->change[i].time_ns), p->change[i].text, p->change[i].to.clairvoyant ? " (clairvoyant)" : "");
    mem_stream_end(f, &text);
    return text;
}

void plan_free_switches(struct plan *p)
{
    for (size_t i = 0; i < p->n_switches; i++) {
        free(p->change[i].to.params);
        free(p->change[i].text);
    }
    free(p->change);
}
