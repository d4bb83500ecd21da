/* cmd_merge.c - gpuyard merge: shards of a sweep joined into one. */
#include "sim/cli/frame/term.h"
#include "sim/cli/frame/cli.h"
#include "sim/base/memory.h"
#include "sim/study/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct merge_options { const char *directory; bool force, quiet; };
static const struct merge_options defaults = { .directory = NULL };
static const struct option options[] = {
    { .name = "output", .letter = 'o', .argument = "DIR", .kind = OPTION_TEXT,
      .at = offsetof(struct merge_options, directory),
      .values = VALUES_DIRECTORY, .help = "directory of the whole sweep; by default results/NAME" },
    { .name = "force", .kind = OPTION_FLAG, .at = offsetof(struct merge_options, force),
      .help = "replace files that gpuyard has not written, and another experiment; never an "
              "input" },
    { .name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .at = offsetof(struct merge_options,
        quiet),
      .help = "no output on success" },
    { 0 },
};

static char *default_directory(const char *first, struct error *err)
{
    char *name = merge_name(first, err);
    size_t size = name ? strlen("results/") + strlen(name) + 1 : 0;
    char *path = name ? mem_new(size, 1) : NULL;
    if (path)
        snprintf(path, size, "results/%s", name);
    free(name);
    return path;
}

static int merge_run(const struct invocation *in)
{
    const struct merge_options *o = in->options;
    struct error err = { "" };
    struct merged count;
    char *to = o->directory ? mem_text(o->directory, strlen(o->directory))
                            : default_directory(in->operands.text[0], &err);
    int result = to ? merge_shards(in->operands.text, in->operands.n, to, o->force, &count,
                                     &err)
                      : -1;
    if (result == 0 && !o->quiet)
        printf("%zu point%s of %zu shard%s, %zu failed: results in ", count.points,
               plural_ending((double)count.points), in->operands.n,
               plural_ending((double)in->operands.n), count.failed);
    if (result == 0 && !o->quiet) {
        text_put(stdout, to, SIZE_MAX);
        putchar('\n');
    }
    free(to);
    if (result != 0)
        return complain(EXIT_INPUT, "merge: %s", err.text);
    return count.failed ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_merge = {
    .name = "merge",
    .summary = "join the shards of a sweep into one table",
    .details = "Directories of 'gpuyard sweep --shard'. All must be of the same experiment, "
               "inputs and version, and every point needs a result; where two have the same "
               "point, its results must agree. The exit status is that of the sweep: 1 if a run "
               "failed.",
    .set = { .name = "merge", .options = options, .operands = "DIR...", .min_operands = 1,
             .max_operands = SIZE_MAX },
    .operand_values = VALUES_DIRECTORY,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = merge_run,
};
