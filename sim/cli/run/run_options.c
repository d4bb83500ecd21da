/* run_options.c - the options of `gpuyard run`, which a point of a sweep has as well. See plan.h. */
#include "sim/cli/run/plan.h"

#include <stddef.h>

#define TIME_MAX_S INT64_C(3153600000)    /* 100 years */
#define AT(field)   .at = offsetof(struct run_options, field)

const struct run_options run_defaults = { .policy = "fifo", .placement = "pack", .seed = 1, .load = 1, .snapshot_ns = -1 };

static const char *const output_words[] = { "all", "default", "jobs", "intervals", "timeseries", "queues", "nodes", "summary",
                                            "services", "sessions", "events", NULL };
const struct option run_option_table[] = {
    { .name = "cluster", .letter = 'c', .argument = "CLUSTER", .kind = OPTION_TEXT, AT(cluster), .required = true,
      .help = "file of the cluster, YAML or a published list of nodes (openb, PAI, spot), plain, .gz or .zst; - is standard input; or of a federation, several clusters "
              "and the rule by which jobs go to them", .values = VALUES_FILE },
    { .name = "trace", .letter = 't', .argument = "TRACE[:FORMAT]", .kind = OPTION_TEXT, AT(trace), .required = true,
      .help = "file of the jobs, plain, .gz or .zst; - is standard input. Without FORMAT it is told by the first bytes; "
              "options of a format follow it: TRACE:gavel:table=FILE,gpu=v100. A workload file is a trace, too: its jobs are "
              "drawn from its laws",
      .values = VALUES_FILE },
    { .name = "policy", .letter = 'p', .argument = "POLICY[:KEY=VALUE,...]", .kind = OPTION_TEXT, AT(policy),
      .help = "who runs next, fifo by default; with a '/' in it, a plugin", .values = VALUES_POLICY },
    { .name = "placement", .argument = "PLACER[:KEY=VALUE,...]", .kind = OPTION_TEXT, AT(placement),
      .help = "on which GPUs, pack by default; with a '/' in it, a plugin", .values = VALUES_PLACER },
    { .name = "output", .letter = 'o', .argument = "DIR", .kind = OPTION_TEXT, AT(directory),
      .help = "directory of the results; by default results/POLICY-PLACER, with those parameters that are not at their "
              "default",
      .values = VALUES_DIRECTORY },
    { .name = "outputs", .argument = "LIST", .kind = OPTION_TEXT, AT(outputs), .words = output_words,
      .help = "files to write, separated by commas: jobs, intervals, timeseries, queues, nodes, summary, services and sessions (where the "
              "workload has any), events; or all; or "
              "default, all but events. The manifest is always written" },
    { .name = "seed", .argument = "N", .kind = OPTION_INTEGER, AT(seed), .max = INT64_MAX,
      .help = "of all random numbers, 1 by default" },
    { .name = "until", .argument = "SECONDS", .kind = OPTION_SECONDS, AT(until_ns), .max = TIME_MAX_S,
      .help = "stop there, at that simulated time; 0, the default, goes on to the end" },
    { .name = "warmup", .argument = "N", .kind = OPTION_INTEGER, AT(warmup), .max = UINT32_MAX,
      .help = "the first N jobs that come run as the others do, but count in no mean and no quantile of times: the cluster is "
              "still filling up. 'gpuyard warmup' says how many" },
    { .name = "load", .argument = "X", .kind = OPTION_RATIO, AT(load), .max = 1000000,
      .help = "divide all submit times by X: 2 is twice the load" },
    { .name = "pods", .argument = "N", .kind = OPTION_INTEGER, AT(pods), .max = 1000000,
      .help = "a job of which only the total of GPUs is known becomes tasks of N GPUs and one with the rest, all or none: 20 "
              "with N = 8 are 8, 8 and 4; 0, the default: any split" },
    { .name = "retime", .argument = "BATCH:SECONDS", .kind = OPTION_TEXT, AT(retime),
      .help = "let BATCH jobs arrive at once every SECONDS, in the order of the trace; after --load" },
    { .name = "estimates", .argument = "HOW", .kind = OPTION_TEXT, AT(estimates),
      .help = "of run times: trace, the default, as submitted; perfect; a factor, that many times the run time; uniform:F, "
              "drawn from the run time to 1 + F times it; lognormal:SIGMA, with median 1 times it; buckets, rounded up to what "
              "people ask for; user-last2, the mean of the user's last two; or group-quantile[:Q], of the user's, by GPUs" },
    { .name = "stream", .argument = "PERCENT", .kind = OPTION_RATIO, AT(stream), .max = 100000,
      .help = "a packing study: the jobs in random order, then drawn again until they ask for PERCENT of the GPUs, one a "
              "second, and none leaves; times of the trace do not matter, and jobs that never ran count, too" },
    { .name = "sample-s", .argument = "SECONDS", .kind = OPTION_SECONDS, AT(sample_ns), .max = TIME_MAX_S,
      .help = "at most a row per that long in timeseries and queues; 0, the default: one at every change" },
    { .name = "set", .argument = "KEY=VALUE", .kind = OPTION_TEXTS, AT(set),
      .help = "as if the cluster file said so: keys with dots between them, of an item of a list its name or its number from 0: "
              "period_s=10, preemption.restart_s=60, nodes.a100.count=12, queues.team.deserved_gpus=32; may be given again" },
    { .name = "switch-policy", .argument = "TIME:POLICY[:KEY=VALUE,...]", .kind = OPTION_TEXTS, AT(switches),
      .help = "at that simulated time, in seconds, another policy takes over, and knows of the jobs that are there then, but nothing of "
              "what the one before has kept; may be given again, for a later time. To the same policy with the same parameters "
              "nothing changes" },
    { .name = "snapshot", .argument = "TIME", .kind = OPTION_SECONDS, AT(snapshot_ns), .max = TIME_MAX_S,
      .help = "write snapshot.csv besides, a trace that begins at that simulated time, with the jobs that run then where they are, those "
              "that wait and those to come: a run of it goes on from there, under any policy" },
    { .name = "check", .kind = OPTION_FLAG, AT(check), .help = "recompute the indexes at every instant: slow, for tests" },
    { .name = "dump-config", .kind = OPTION_FLAG, AT(dump_config),
      .help = "write the full effective configuration as YAML, and stop" },
    { .name = "quiet", .letter = 'q', .kind = OPTION_FLAG, AT(quiet), .help = "no summary, no progress, no warnings" },
    { .name = "verbose", .letter = 'v', .kind = OPTION_FLAG, AT(verbose), .help = "say what was read and done" },
    { 0 },
};
