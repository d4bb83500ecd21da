/* cmd_validate.c - gpuyard validate: how far a simulated run agrees with what the cluster did. */
#include "sim/base/units.h"
#include "sim/cli/frame/cli.h"
#include "sim/cli/validate/validation.h"

struct validate_options { int64_t block_ns; int64_t seed; int format; };
static const struct validate_options defaults = { .block_ns = 86400 * NS_PER_S, .seed = 1 };
static const char *const formats[] = { "text", "json", NULL };
static const struct option options[] = {
    { .name = "format", .argument = "FORMAT", .kind = OPTION_WORD,
      .at = offsetof(struct validate_options, format), .words = formats,
      .help = "text, the default, or json" },
    { .name = "block", .argument = "SECONDS", .kind = OPTION_SECONDS,
      .at = offsetof(struct validate_options, block_ns), .min = 1, .max = 1000000000,
      .help = "jobs submitted within so long of each other are drawn together for the bounds; a "
              "day by default, and at most a tenth of the trace" },
    { .name = "seed", .argument = "N", .kind = OPTION_INTEGER,
      .at = offsetof(struct validate_options, seed), .min = 0, .max = INT64_MAX,
      .help = "of these draws; 1 by default" },
    { 0 },
};

static int validate_run(const struct invocation *in)
{
    const struct validate_options *o = in->options;
    const char *recorded = in->operands.text[0], *simulated = in->operands.text[1];
    struct error err = { "" };
    struct pairs p;
    if (pairs_read(&p, recorded, simulated, &err)) {
        pairs_free(&p);
        return complain(EXIT_INPUT, "%s", err.text);
    }
    struct validation *v = validation_of(&p, recorded, simulated, (double)o->block_ns / NS_PER_S,
                                         (uint64_t)o->seed);
    if (o->format) {
        json_t *json = validation_json(v);
        json_dumpf(json, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
        fputc('\n', stdout);
        json_decref(json);
    } else
        validation_text(stdout, v);
    validation_free(v);
    pairs_free(&p);
    return EXIT_OK;
}

const struct command cmd_validate = {
    .name = "validate",
    .summary = "say how far a simulated run of a log agrees with what the cluster did",
    .details = "RECORDED is a run of the log by policy recorded, in which jobs start when the log "
               "says; SIMULATED a run of the same log by another policy. Waits are compared job "
               "by job: their mean, quantiles and ranks, by size, queue and hour of submission, "
               "and the GPUs in use hour by hour.\n"
               "The first sentence says what the simulation may stand for: for the waits of the "
               "cluster, if its mean wait is surely within 10 % and ranks surely agree by .9; for "
               "an order of policies, if ranks surely agree by .5; or for neither. Surely: both "
               "bounds of a block bootstrap of 95 %.",
    .set = { .name = "validate", .options = options, .operands = "RECORDED SIMULATED",
             .min_operands = 2, .max_operands = 2 },
    .operand_values = VALUES_DIRECTORY,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = validate_run,
};
