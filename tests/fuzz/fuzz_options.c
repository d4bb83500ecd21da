/* fuzz_options.c - any lines as the arguments of the program, up to but not including what the
 * command then does. */
#include "policies/registry.h"
#include "sim/cli/commands.h"
#include "sim/cli/run/plan.h"
#include "sim/cluster/cluster_file.h"
#include "sim/base/memory.h"
#include "sim/engine/params.h"
#include "tests/fuzz/fuzz.h"

enum { ARGUMENTS_MOST = 64 };

static void asked(int status, const struct error *err)
{
    FUZZ_MUST(status == EXIT_OK || status == EXIT_USAGE || status == EXIT_INPUT);
    fuzz_said(status != EXIT_OK, err);
}

/* A text with a '/' would load whatever file that is. */
static void names(const struct run_options *o)
{
    struct error err = { "" };
    struct chosen_policy policy = { 0 };
    struct chosen_placer placer = { 0 };
    if (!strchr(o->policy, '/')) {
        int status = choose_policy(o->policy, &policy, &err);
        asked(status, &err);
        if (status == EXIT_OK) { /* what it is called, says the same again */
            struct chosen_policy again = { 0 };
            char *text = chosen_text(policy.policy->name, policy.policy->params, policy.params);
            FUZZ_MUST(choose_policy(text, &again, &err) == EXIT_OK && again.policy == policy.policy);
            FUZZ_MUST(!memcmp(again.params, policy.params, policy.policy->params_size));
            free(again.params);
            free(text);
        }
        free(policy.params);
    }
    err.text[0] = '\0';
    if (!strchr(o->placement, '/'))
        asked(choose_placer(o->placement, &placer, &err), &err);
    free(placer.params);
}

static void values(const struct run_options *o)
{
    struct error err = { "" };
    struct chosen_trace trace = { 0 };
    unsigned outputs;
    uint32_t batch;
    int64_t every_ns;
    struct estimates estimates;
    asked(choose_trace("run", o->trace, &trace, &err), &err);
    chosen_trace_free(&trace);
    err.text[0] = '\0';
    asked(choose_outputs(o->outputs ? o->outputs : "all", &outputs, &err), &err);
    err.text[0] = '\0';
    asked(choose_retiming(o->retime ? o->retime : "1:1", &batch, &every_ns, &err), &err);
    err.text[0] = '\0';
    asked(choose_estimates(o->estimates ? o->estimates : "trace", &estimates, &err), &err);
}

static void settings(const struct run_options *o)
{
    struct error err = { "" };
    struct group_spec group = { .name = "a", .count = 1, .gpus = 1, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    struct cluster *c = cluster_build("c", &group, 1, NULL, 0, &err);
    asked(cluster_add_sections(c, "settings", &(struct cluster_settings){ o->set.n, o->set.text }, &err), &err);
    FUZZ_MUST(c->period_ns >= 0 && c->overhead.grace_ns >= 0 && c->overhead.interval_ns >= 0);
    cluster_free(c);
}

static void parse(const struct command *command, int argc, char **argv)
{
    struct error err = { "" };
    struct operands operands = { 0 };
    void *options = mem_new(1, command->options_size);
    if (command->options_size)
        memcpy(options, command->defaults, command->options_size);
    enum options_result result = options_parse(&command->set, argc, argv, options, &operands, &err);
    fuzz_said(result == OPTIONS_WRONG, &err);
    if (result == OPTIONS_OK && !strcmp(command->name, "run")) {
        names(options);
        values(options);
        settings(options);
    }
    options_free(&command->set, options, &operands);
    free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char *argv[ARGUMENTS_MOST + 1] = { NULL }, *text = mem_text((const char *)bytes, length);
    int argc = 0;
    for (char *line = text, *next; line && argc < ARGUMENTS_MOST; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        argv[argc++] = line;
    }
    const struct command *command = command_find(commands, argv[0]);
    if (command)
        parse(command, argc, argv);
    free(text);
    return 0;
}
