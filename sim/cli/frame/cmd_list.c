/* cmd_list.c - gpuyard list: what there is. */
#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/list.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { FORMAT_TEXT, FORMAT_JSON };
static const char *const formats[] = { "text", "json", NULL };
static const char *const topics[] = { "policies", "placers", "formats", "workloads", "gpus", "mig", "duties", "goodput", "nodes", "metrics", "columns", NULL };

struct list_options { int format; };
static const struct list_options defaults = { .format = FORMAT_TEXT };
static const struct option options[] = {
    { .name = "format", .letter = 'f', .argument = "FORMAT", .kind = OPTION_WORD, .help = "text, the default, or json",
      .at = offsetof(struct list_options, format), .words = formats },
    { 0 },
};

static int list_run(const struct invocation *in)
{
    const struct list_options *o = in->options;
    const struct listing *l = listings;
    char text[DID_YOU_MEAN];
    while (l->name && strcmp(l->name, in->operands.text[0]))
        l++;
    if (!l->name)
        return complain(EXIT_USAGE, "no list of %s", did_you_mean(text, in->operands.text[0], topics,
                                                                  "see 'gpuyard list --help'"));
    json_t *list = l->make();
    if (o->format == FORMAT_JSON) {
        json_dumpf(list, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
        putchar('\n');
    } else
        list_as_text(list);
    json_decref(list);
    return EXIT_OK;
}

const struct command cmd_list = {
    .name = "list",
    .summary = "show what there is: policies, placers, formats, workloads, gpus, mig, duties, goodput, nodes, metrics or columns",
    .set = { .name = "list", .options = options, .operands = "policies|placers|formats|workloads|gpus|mig|duties|goodput|nodes|metrics|columns",
             .min_operands = 1, .max_operands = 1 },
    .words = topics,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = list_run,
};
