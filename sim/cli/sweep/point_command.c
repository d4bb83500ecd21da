/* point_command.c - see point_command.h. */
#include "sim/cli/sweep/point_command.h"

#include "sim/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWITCHES_MAX = 8 };       /* of a branch */
static const struct option_set run_set = { .name = "run", .options = run_option_table };

static void add(struct point_command *c, const char *text)
{
    c->argv[c->argc++] = arena_text(c->memory, text, strlen(text));
}

static void add_pair(struct point_command *c, const char *name, const char *value)
{
    char option[128];
    snprintf(option, sizeof option, "--%s", name);
    add(c, option);
    add(c, value);
}

static void add_setting(struct point_command *c, const char *key, const char *value)
{
    size_t size = strlen(key) + strlen(value) + 2;
    char *text = arena_alloc(c->memory, size);
    snprintf(text, size, "%s=%s", key, value);
    add_pair(c, "set", text);
}

/* ',' if the text has parameters already. */
static char before_parameter(const char *chosen)
{
    const char *slash = strrchr(chosen, '/');
    return strchr(slash ? slash : chosen, ':') ? ',' : ':';
}

/* "easy" or "easy:depth=2", with the parameters of the experiment appended. */
static void add_chosen(struct point_command *c, const struct experiment *e, const struct point *p,
                       size_t axis)
{
    const char *name = e->axis[axis].name, *text = point_text(e, p, axis);
    enum axis_kind parameters = e->axis[axis].kind == AXIS_POLICY ? AXIS_POLICY_PARAMETER
                                                                  : AXIS_PLACEMENT_PARAMETER;
    char *whole = NULL, before = before_parameter(text);
    size_t length;
    FILE *f = mem_stream(&whole, &length);
    fputs(text, f);
    for (size_t i = 0; i < e->n_axes; i++) {
        if (e->axis[i].kind != parameters || !point_text(e, p, i))
            continue;
        fprintf(f, "%c%s=%s", before, e->axis[i].key, point_text(e, p, i));
        before = ',';
    }
    mem_stream_end(f, &whole);
    add_pair(c, name, whole);
    free(whole);
}

/* "none", or "TIME:POLICY ..." separated by blanks. */
static void add_branch(struct point_command *c, const char *key, const char *value)
{
    if (!strcmp(value, "none"))
        return;
    for (size_t n = 0, length; n < SWITCHES_MAX && *(value += strspn(value, " "));
         n++, value += length) {
        length = n + 1 < SWITCHES_MAX ? strcspn(value, " ") : strlen(value);
        add_pair(c, key, arena_text(c->memory, value, length));
    }
}

static void add_axis(struct point_command *c, const struct experiment *e, const struct point *p,
                     size_t axis)
{
    const struct axis *a = &e->axis[axis];
    switch (a->kind) {
    case AXIS_SEED:
    case AXIS_TRACE:
    case AXIS_CLUSTER:
        add_pair(c, a->name, point_text(e, p, axis));
        break;
    case AXIS_SETTING:
        add_setting(c, a->key, point_text(e, p, axis));
        break;
    case AXIS_OPTION:
        add_pair(c, a->key, point_text(e, p, axis));
        break;
    case AXIS_BRANCH:
        add_branch(c, a->key, point_text(e, p, axis));
        break;
    case AXIS_POLICY:
    case AXIS_PLACEMENT:
        add_chosen(c, e, p, axis);
        break;
    case AXIS_POLICY_PARAMETER:
    case AXIS_PLACEMENT_PARAMETER:
        break;                    /* appended to the policy or placer */
    }
}

static int parse(struct point_command *c, struct error *err)
{
    c->options = run_defaults;
    c->options.quiet = true;
    c->options.resident_mib = 0;  /* points are processes that share a workload (bulk.h) */
    c->options.force = true;      /* the directory of the sweep has been checked */
    return options_parse(&run_set, c->argc - 1, c->argv + 1, &c->options, &c->operands, err) ==
                   OPTIONS_OK
               ? EXIT_OK
               : EXIT_USAGE;
}

static void begin(struct point_command *c, size_t axes)
{
    *c = (struct point_command){ .memory = arena_new() };
    c->argv = arena_alloc(c->memory, (2 * axes + 2 * SWITCHES_MAX + 8) * sizeof *c->argv);
    add(c, "gpuyard");
    add(c, "run");
}

int point_command_make(struct point_command *c, const struct experiment *e, const struct point *p,
                       const char *directory, const char *outputs, struct error *err)
{
    begin(c, e->n_axes);
    for (size_t i = 0; i < e->n_axes; i++)
        add_axis(c, e, p, i);
    if (outputs)
        add_pair(c, "outputs", outputs);
    if (directory)
        add_pair(c, "output", directory);
    return parse(c, err);
}

void point_command_free(struct point_command *c)
{
    options_free(&run_set, &c->options, &c->operands);
    arena_free(c->memory);
}

/* ---- Checks of values ---- */

/* A message of the command line at a place in the experiment, without the prefix of the command. */
static int complain_at(struct config_value place, const char *why, int status, struct error *err)
{
    static const char *const prefix[] = { "run: --set: ", "run: " };
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
        if (!strncmp(why, prefix[i], strlen(prefix[i])))
            why += strlen(prefix[i]);
    if (status == EXIT_OK)
        return EXIT_OK;
    config_error(place, err, "%s", why);
    return EXIT_INPUT;
}

static bool has(const struct param *list, const char *key)
{
    for (; list && list->name; list++)
        if (!strcmp(list->name, key))
            return true;
    return false;
}

/* *list, unless list is NULL: the parameters of the policy or placer. */
static int check_chosen(enum axis_kind kind, const char *text, struct config_value place,
                        const struct param **list, struct error *err)
{
    struct error why = { "" };
    struct chosen_policy policy = { .params = NULL };
    struct chosen_placer placer = { .params = NULL };
    int status = kind == AXIS_POLICY ? choose_policy(text, &policy, &why)
                                     : choose_placer(text, &placer, &why);
    free(policy.params);
    free(placer.params);
    if (status == EXIT_OK && list)
        *list = kind == AXIS_POLICY ? policy.policy->params : placer.placer->params;
    return complain_at(place, why.text, status, err);
}

static int check_parameter_of(const struct axis *a, const struct axis *owner, const char *chosen,
                              struct error *err)
{
    int status = EXIT_OK;
    for (size_t i = 0; i < a->n && status == EXIT_OK; i++) {
        size_t size = strlen(chosen) + strlen(a->key) + strlen(a->value[i].text) + 3;
        char *text = mem_new(size, 1);
        snprintf(text, size, "%s%c%s=%s", chosen, before_parameter(chosen), a->key,
                 a->value[i].text);
        status = check_chosen(owner->kind, text, a->value[i].place, NULL, err);
        free(text);
    }
    return status;
}

/* Which policies (or placers) have the parameter. */
static int check_parameter(const struct experiment *e, struct axis *a, struct error *err)
{
    const struct axis *owner = experiment_axis(
        e, a->kind == AXIS_POLICY_PARAMETER ? AXIS_POLICY : AXIS_PLACEMENT);
    size_t owners = 0;
    a->idle = mem_new(owner->n, sizeof *a->idle);
    for (size_t i = 0; i < owner->n; i++) {
        const struct param *list;
        const char *chosen = owner->value[i].text;
        if (check_chosen(owner->kind, chosen, owner->value[i].place, &list, err))
            return EXIT_INPUT;
        a->idle[i] = !has(list, a->key);
        owners += !a->idle[i];
        if (!a->idle[i] && check_parameter_of(a, owner, chosen, err))
            return EXIT_INPUT;
    }
    if (owners)
        return EXIT_OK;
    config_error(a->place, err, "%s: no %s of the experiment has a parameter '%s'", a->name,
                 owner->name, a->key);
    return EXIT_INPUT;
}

/* Options that have another key in an experiment, or make no sense in one. */
static bool is_reserved(const char *option)
{
    static const char *const reserved[] = { "cluster",  "trace",         "policy", "placement",
                                            "seed",     "set",           "output", "outputs",
                                            "snapshot", "switch-policy", "resident-mib", NULL };
    for (size_t i = 0; reserved[i]; i++)
        if (!strcmp(reserved[i], option))
            return true;
    return false;
}

static int check_option_name(const struct axis *a, struct error *err)
{
    const struct option *o = run_option_table;
    const char *names[64];
    char text[DID_YOU_MEAN];
    size_t n = 0;
    for (; o->name; o++) {
        if (is_reserved(o->name) || o->kind == OPTION_FLAG)
            continue;
        if (!strcmp(o->name, a->key))
            return EXIT_OK;
        names[n++] = o->name;
    }
    names[n] = NULL;
    config_error(
        a->place, err, "no option of a run %s",
        did_you_mean(
            text, a->key, names,
            "want load, estimates, until, ... ('gpuyard run --help'), or cluster.KEY, policy.KEY or "
            "placement.KEY"));
    return EXIT_INPUT;
}

/* One value of an option or a setting, with defaults for all others. */
static int check_value(const struct axis *a, size_t i, struct error *err)
{
    struct error why = { "" };
    struct point_command c;
    struct plan plan = { .options = NULL };
    begin(&c, 4);
    add_pair(&c, "cluster", "cluster");
    add_pair(&c, "trace", "trace");
    if (a->kind == AXIS_SETTING)
        add_setting(&c, a->key, a->value[i].text);
    else if (a->kind == AXIS_BRANCH)
        add_branch(&c, a->key, a->value[i].text);
    else
        add_pair(&c, a->key, a->value[i].text);
    int status = parse(&c, &why);
    if (status == EXIT_OK)
        status = plan_look_up(&plan, &c.options, &why);
    plan_free(&plan);
    point_command_free(&c);
    return complain_at(a->value[i].place, why.text, status, err);
}

static int check_trace(const struct axis_value *v, struct error *err)
{
    struct error why = { "" };
    struct chosen_trace trace;
    int status = choose_trace("trace", v->text, &trace, &why);
    chosen_trace_free(&trace);
    return complain_at(v->place, why.text, status, err);
}

static int check_axis(const struct experiment *e, struct axis *a, struct error *err)
{
    int status = EXIT_OK;
    if (a->kind == AXIS_POLICY_PARAMETER || a->kind == AXIS_PLACEMENT_PARAMETER)
        return check_parameter(e, a, err);
    if (a->kind == AXIS_OPTION)
        status = check_option_name(a, err);
    for (size_t i = 0; i < a->n && status == EXIT_OK; i++) {
        if (a->kind == AXIS_POLICY || a->kind == AXIS_PLACEMENT)
            status = check_chosen(a->kind, a->value[i].text, a->value[i].place, NULL, err);
        else if (a->kind == AXIS_OPTION || a->kind == AXIS_SETTING || a->kind == AXIS_BRANCH)
            status = check_value(a, i, err);
        else if (a->kind == AXIS_TRACE)
            status = check_trace(&a->value[i], err);
    }
    return status;
}

int point_command_check(struct experiment *e, struct error *err)
{
    int status = EXIT_OK;
    for (size_t i = 0; i < e->n_axes && status == EXIT_OK; i++)
        status = check_axis(e, &e->axis[i], err);
    return status;
}
