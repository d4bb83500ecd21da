/* run_options.c - the options of `gpuyard run`, which a point of a sweep has as well. See
 * plan.h. */
#include "sim/cli/run/plan.h"

#include <stddef.h>

#define AT(field)   .at = offsetof(struct run_options, field)
#define IN_CONFIG   .instead = "config"

const struct run_options run_defaults = { .policy = "fifo", .placement = "pack", .seed = 1,
                                          .load = 1, .snapshot_ns = -1, .resident_mib = 32 };

static const char *const output_words[] = { "all",        "default",  "jobs",   "intervals",
                                            "timeseries", "queues",   "nodes",  "summary",
                                            "services",   "sessions", "events", NULL };
const struct option run_option_table[] = {
    { .name = "cluster", .letter = 'c', .argument = "CLUSTER", .kind = OPTION_TEXT, AT(cluster),
      .required = true,
      .help = "cluster file: YAML or a published list of nodes (openb, PAI, spot), plain, .gz or "
              ".zst; - is standard input. Or a federation file: several clusters and a rule that "
              "routes jobs to them", .values = VALUES_FILE, IN_CONFIG },
    { .name = "trace", .letter = 't', .argument = "TRACE[:FORMAT]", .kind = OPTION_TEXT, AT(trace),
      .required = true,
      .help = "trace file, plain, .gz or .zst; - is standard input. Without FORMAT the format is "
              "recognised by the first bytes; options of a format follow it: "
              "TRACE:gavel:table=FILE,gpu=v100. A workload file is a trace as well: its jobs are "
              "drawn from its laws",
      .values = VALUES_FILE, IN_CONFIG },
    { .name = "config", .argument = "FILE", .kind = OPTION_TEXT, AT(config),
      .help = "run what --dump-config has written, all of it: to the same bytes, if nothing in it "
              "was changed. Only options for files and messages go with it",
      .values = VALUES_FILE },
    { .name = "policy", .letter = 'p', .argument = "POLICY[:KEY=VALUE,...]", .kind = OPTION_TEXT,
      AT(policy),
      .help = "scheduling policy, fifo by default; a name with a '/' is a plugin",
      .values = VALUES_POLICY, IN_CONFIG },
    { .name = "placement", .argument = "PLACER[:KEY=VALUE,...]", .kind = OPTION_TEXT, AT(placement),
      .help = "placer, which chooses the GPUs, pack by default; a name with a '/' is a plugin",
      .values = VALUES_PLACER, IN_CONFIG },
    { .name = "output", .letter = 'o', .argument = "DIR", .kind = OPTION_TEXT, AT(directory),
      .help = "directory of the results; by default results/POLICY-PLACER, with the parameters "
              "that differ from their defaults. Results of an earlier run there are replaced, "
              "in the default directory only those of the same command",
      .values = VALUES_DIRECTORY },
    { .name = "outputs", .argument = "LIST", .kind = OPTION_TEXT, AT(outputs),
      .words = output_words,
      .help = "files to write, separated by commas: jobs, intervals, timeseries, queues, nodes, "
              "summary, services and sessions (if the workload has any), events; or all; or "
              "default, all but events. The manifest is always written" },
    { .name = "seed", .argument = "N", .kind = OPTION_INTEGER, AT(seed), .max = INT64_MAX,
      .help = "seed of all random numbers, 1 by default", IN_CONFIG },
    { .name = "until", .argument = "SECONDS", .kind = OPTION_SECONDS, AT(until_ns),
      .max = CONFIG_TIME_MAX_S,
      .help = "stop at that simulated time; 0, the default, runs to the end", IN_CONFIG },
    { .name = "warmup", .argument = "N", .kind = OPTION_INTEGER, AT(warmup), .max = UINT32_MAX,
      .help = "no mean and no quantile of times includes the first N jobs, as the cluster is "
              "still filling up. 'gpuyard warmup' computes N", IN_CONFIG },
    { .name = "quantiles", .argument = "LIST", .kind = OPTION_TEXT, AT(quantiles),
      .help = "further metrics of the summary, separated by commas: jct_pNN_s, wait_pNN_s, "
              "slowdown_pNN and bounded_slowdown_pNN, NN from 1 to 99, like wait_p95_s", IN_CONFIG },
    { .name = "load", .argument = "X", .kind = OPTION_RATIO, AT(load), .max = 1000000,
      .help = "divide all submit times by X: 2 is twice the load", IN_CONFIG },
    { .name = "pods", .argument = "N", .kind = OPTION_INTEGER, AT(pods), .max = 1000000,
      .help = "split a job with only a total of GPUs into a gang of tasks of N GPUs and one with "
              "the remainder: 20 with N = 8 into 8, 8 and 4; 0, the default: any split", IN_CONFIG },
    { .name = "retime", .argument = "BATCH:SECONDS", .kind = OPTION_TEXT, AT(retime),
      .help = "let BATCH jobs arrive at once every SECONDS, in the order of the trace; after "
              "--load", IN_CONFIG },
    { .name = "estimates", .argument = "HOW", .kind = OPTION_TEXT, AT(estimates),
      .help = "estimates of run times: trace, the default, as submitted; perfect; a factor of "
              "the run time; uniform:F, drawn from 1 to 1 + F times the run time; "
              "lognormal:SIGMA, the run time times a factor with median 1; buckets, rounded up "
              "to common requests; user-last2, the mean of the user's last two run times; or "
              "group-quantile[:Q], a quantile of the user's run times by GPUs", IN_CONFIG },
    { .name = "stream", .argument = "PERCENT", .kind = OPTION_RATIO, AT(stream), .max = 100000,
      .help = "packing study: the jobs of the trace in random order, then drawn with repetition "
              "until they ask for PERCENT of the GPUs; one arrives each second and none ends. "
              "Times of the trace do not matter, and jobs that never ran are included", IN_CONFIG },
    { .name = "sample-s", .argument = "SECONDS", .kind = OPTION_SECONDS, AT(sample_ns),
      .max = CONFIG_TIME_MAX_S,
      .help = "at most one row for each such interval in timeseries and queues; 0, the default: "
              "a row at every change", IN_CONFIG },
    { .name = "set", .argument = "KEY=VALUE", .kind = OPTION_TEXTS, AT(set),
      .help = "set a key of the cluster file: keys joined by dots, an item of a list by its name "
              "or its number from 0: period_s=10, preemption.restart_s=60, nodes.a100.count=12, "
              "queues.team.deserved_gpus=32; may be given several times", IN_CONFIG },
    { .name = "switch-policy", .argument = "TIME:POLICY[:KEY=VALUE,...]", .kind = OPTION_TEXTS,
      AT(switches),
      .help = "replace the policy at that simulated time, in seconds. The new policy knows the "
              "jobs that wait or run then, but no state of the old one; may be given several "
              "times, with ascending times. The same policy with the same parameters changes "
              "nothing", IN_CONFIG },
    { .name = "snapshot", .argument = "TIME", .kind = OPTION_SECONDS, AT(snapshot_ns),
      .max = CONFIG_TIME_MAX_S,
      .help = "also write snapshot.csv, a trace that begins at that simulated time with the "
              "running jobs on their nodes, the waiting jobs and the later ones: a run of it "
              "continues from there, under any policy", IN_CONFIG },
    { .name = "resident-mib", .argument = "N", .kind = OPTION_RATIO, AT(resident_mib),
      .max = 1 << 20,
      .help = "where the largest table with a row for each job takes more than N MiB, 32 "
              "by default (466,033 jobs), all such tables lie in files without names in TMPDIR, else "
              "/var/tmp, so that memory does not grow with the jobs. The results are the same" },
    { .name = "check", .kind = OPTION_FLAG, AT(check),
      .help = "recompute the indexes at every instant: slow, for tests" },
    { .name = "dump-config", .kind = OPTION_FLAG, AT(dump_config),
      .help = "write the full effective configuration as YAML, with every section of the cluster "
              "and every default, and stop; --config runs it" },
    { .name = "force", .kind = OPTION_FLAG, AT(force),
      .help = "replace files that gpuyard has not written, and in the default directory the "
              "results of another experiment; never an input" },
    { .name = "quiet", .letter = 'q', .kind = OPTION_FLAG, AT(quiet),
      .help = "no summary, no progress, no warnings but of requests of the policy that were refused" },
    { .name = "verbose", .letter = 'v', .kind = OPTION_FLAG, AT(verbose),
      .help = "report what was read and how many events were simulated" },
    { 0 },
};
