/* cmd_synth.c - gpuyard synth: jobs drawn from the laws of a workload file or of a preset, as a
 * native trace. */
#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/out_path.h"
#include "sim/cli/frame/term.h"
#include "sim/io/input.h"
#include "sim/cluster/cluster_file.h"
#include "traces/native/native.h"
#include "traces/synth/synth.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define LOAD_MAX 100

struct synth_options {
    const char *preset, *cluster, *output;
    int64_t seed, jobs;
    double load;
    bool dump_config, quiet;
};
static const struct synth_options defaults = { .seed = 1 };

#define AT(field) .at = offsetof(struct synth_options, field)
static const struct option options[] = {
    { .name = "preset", .argument = "NAME", .kind = OPTION_TEXT, AT(preset),
      .help = "a workload that is built in instead of a file: 'gpuyard list workloads'" },
    { .name = "seed", .argument = "N", .kind = OPTION_INTEGER, AT(seed), .max = INT64_MAX,
      .help = "seed of all draws, 1 by default" },
    { .name = "jobs", .argument = "N", .kind = OPTION_INTEGER, AT(jobs), .min = 1,
      .max = SYNTH_JOBS_MAX,
      .help = "number of jobs, instead of that of the file; a larger N begins with the same "
              "jobs, unless the load is calibrated as realised" },
    { .name = "load", .argument = "X", .kind = OPTION_RATIO, AT(load), .max = LOAD_MAX,
      .help = "target load, instead of that of the file: 0.8 is 80 % of the GPUs" },
    { .name = "cluster", .letter = 'c', .argument = "CLUSTER", .kind = OPTION_TEXT, AT(cluster),
      .values = VALUES_FILE,
      .help = "the load refers to the GPUs of this cluster, instead of those of the file" },
    { .name = "output", .letter = 'o', .argument = "FILE", .kind = OPTION_TEXT, AT(output),
      .values = VALUES_FILE,
      .help = "where to write it, compressed if it ends in .gz or .zst; standard output by "
              "default, and for -" },
    { .name = "dump-config", .kind = OPTION_FLAG, AT(dump_config),
      .help = "write the workload file with all its keys, as a start for another one, and stop" },
    { .name = "quiet", .letter = 'q', .kind = OPTION_FLAG, AT(quiet), .help = "no report" },
    { 0 },
};

/* ---- input ---- */

static int find_preset(const char *name, const struct synth_preset **to)
{
    const char *names[32] = { NULL };
    char text[DID_YOU_MEAN];
    for (size_t i = 0; synth_presets[i].name; i++) {
        names[i] = synth_presets[i].name;
        if (!strcmp(names[i], name)) {
            *to = &synth_presets[i];
            return EXIT_OK;
        }
    }
    return complain(EXIT_USAGE, "synth: no preset %s",
                    did_you_mean(text, name, names, "see 'gpuyard list workloads'"));
}

static int use_cluster(const struct synth_options *o, struct synth_spec *s, struct error *err)
{
    char sha256[65];
    struct cluster *c = o->cluster ? cluster_read(o->cluster, NULL, sha256, err) : NULL;
    if (c)
        s->load.gpus = (double)c->gpus;
    cluster_free(c);
    return o->cluster && !c ? -1 : 0;
}

/* ---- output ---- */

static void report(const struct synth_spec *s, const struct workload *w,
                   const struct synth_report *r)
{
    double days = seconds(w->facts[w->n_jobs - 1].submit_ns - w->facts[0].submit_ns) / 86400;
    fprintf(stderr,
            "gpuyard: %s: %" PRIu32 " job%s in %.4g day%s, %.6g arrivals/h of %.4g job%s each",
            s->name, w->n_jobs, plural_ending(w->n_jobs), days, plural_ending(days), r->rate_per_h,
            r->jobs_per_arrival, plural_ending(r->jobs_per_arrival));
    if (r->gpus > 0) {
        fprintf(stderr, ", %.6g GPU-s a job", r->gpu_s_per_job);
        if (r->relative_error > 0)
            fprintf(stderr, " +- %.2g %%", 100 * r->relative_error);
        fprintf(stderr, "; load of %.10g GPUs: %.4g expected, %.6g realised", r->gpus,
                r->load_expected, r->load_realised);
    }
    fprintf(stderr, "; drawn %016" PRIx64 "\n", r->drawn);
    if (s->n_sessions || s->services)
        complain(EXIT_OK,
                 "%s: a trace cannot hold its %s: want the workload file for 'gpuyard run -t'",
                 s->name,
                 !s->services    ? "sessions"
                 : s->n_sessions ? "services and sessions"
                                 : "services");
}

static int write_jobs(const struct synth_options *o, const char *file, const struct synth_spec *s,
                      struct error *err)
{
    const struct synth_wish wish = { .seed = (uint64_t)o->seed, .jobs = (uint32_t)o->jobs };
    struct synth_report r;
    struct workload *w = workload_new();
    int status = EXIT_INPUT;
    if (synth_generate(s, &wish, file, w, &r, err) == 0 && workload_finish(w, file, err) == 0) {
        struct output *out = out_path_open(o->output, err);
        status = out && native_write(out, w, err) == 0 && output_commit(out, err) == 0
                     ? EXIT_OK
                     : EXIT_FAILED;
        if (status == EXIT_OK && !o->quiet)
            report(s, w, &r);
    }
    workload_free(w);
    return status;
}

static int write_config(const struct synth_options *o, const struct synth_spec *s,
                        struct error *err)
{
    struct output *out = out_path_open(o->output, err);
    if (!out)
        return EXIT_FAILED;
    synth_spec_write(out, s);
    return output_commit(out, err) == 0 ? EXIT_OK : EXIT_FAILED;
}

static int synth(const struct synth_options *o, struct input *in, struct error *err)
{
    struct synth_spec *s = in ? synth_spec_read(in, err) : NULL;
    int status = EXIT_INPUT;
    if (s && (s->trace || !s->n_classes))
        error_set(err, "%s: want laws of jobs, got none", input_name(in));
    else if (s && o->dump_config && s->services)
        error_set(err, "%s: services cannot be written: want the file without them",
                  input_name(in));
    else if (s && use_cluster(o, s, err) == 0) {
        if (o->load > 0) {
            s->load.target = o->load;
            s->rate_per_h = 0;
        }
        if (o->jobs)
            s->jobs = (uint32_t)o->jobs;
        status = o->dump_config ? write_config(o, s, err) : write_jobs(o, input_name(in), s, err);
    }
    synth_spec_free(s);
    return status;
}

static int synth_run(const struct invocation *in)
{
    const struct synth_options *o = in->options;
    const struct synth_preset *preset = NULL;
    struct error err = { "" };
    if (!o->preset == !in->operands.n)
        return complain(EXIT_USAGE, "synth: want either a workload file or --preset");
    if (o->preset && find_preset(o->preset, &preset) != EXIT_OK)
        return EXIT_USAGE;
    struct input *input = preset ? input_from_bytes(preset->text, strlen(preset->text),
                                                    preset->name, &err)
                                 : input_open(in->operands.text[0], &err);
    int status = synth(o, input, &err);
    input_close(input);
    return err.text[0] ? complain(status, "%s", err.text) : status;
}

const struct command cmd_synth = {
    .name = "synth",
    .summary = "draw jobs from the laws of a workload file, as a native trace",
    .details = "Reports the number of jobs, their rate and their load on standard error. The "
               "same seed gives the same bytes; 'drawn' is a hash of all draws.\n"
               "\n"
               "'gpuyard run -t WORKLOAD.yaml' draws the jobs itself, with the seed of the run, "
               "and with a load of its cluster unless the file has the key 'gpus'.",
    .set = { .name = "synth", .options = options, .operands = "[WORKLOAD.yaml]", .min_operands = 0,
             .max_operands = 1 },
    .operand_values = VALUES_FILE,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = synth_run,
};
