/* spec_reader.h - reading a workload file, for the files that do so.
 *
 *   spec_read.c           the top level, and calls of all others
 *   spec_read_jobs.c      classes, arrivals, users and projects; shares and lists of names
 *   spec_read_services.c  services, replicas, requests, service times, SLO; spec_read_scaler.c
 *                         their autoscaler, spec_read_llm.c the engine of an LLM
 *   spec_read_sessions.c  groups of interactive sessions
 *   law_read.c            a law
 * Each reads a mapping by a table of keys (config.h) into a struct file_..., checks it and fills
 * struct synth_spec. All return 0, or -1 with err. */
#pragma once
#include "sim/io/config.h"
#include "traces/synth/spec.h"

struct spec_reader {
    struct synth_spec *to;
    const char *file;
    struct error *err;
};
/* The keys of a class; at the top of the file they are the defaults of all classes. */
struct file_class {
    struct synth_class is;
    int class, split;
    struct config_value gpus, durations, fates, gpu_types, models;
};
/* clang-format off */
#define CLASS(field) offsetof(struct file_class, field)
#define REAL .type = CONFIG_REAL
#define TIME .type = CONFIG_REAL, .most = 1000000000, .above_least = true
/* from: offset of the struct file_class. */
#define CLASS_KEYS(from) \
    { .name = "gpus",               .type = CONFIG_MAPPING, .at = (from) + CLASS(gpus) }, \
    { .name = "mean_gpus",          REAL, .at = (from) + CLASS(is.mean_gpus), .most = 1000000, .above_least = true }, \
    { .name = "node_gpus",          .type = CONFIG_COUNT, .at = (from) + CLASS(is.node_gpus), .least = 1, .most = 1000000 }, \
    { .name = "split",              .type = CONFIG_CHOICE, .at = (from) + CLASS(split), .words = spec_split_words }, \
    { .name = "cpus_per_gpu",       .type = CONFIG_PARTS, .at = (from) + CLASS(is.cpu_milli), .scale = 1000, .most = 10000 }, \
    { .name = "memory_gib_per_gpu", .type = CONFIG_PARTS, .at = (from) + CLASS(is.mem_mib), .scale = 1024, .most = 10000 }, \
    { .name = "durations",          .type = CONFIG_MAPPING, .at = (from) + CLASS(durations) }, \
    { .name = "spearman",           REAL, .at = (from) + CLASS(is.spearman), .least = -1, .most = 1 }, \
    { .name = "fates",              .type = CONFIG_MAPPING, .at = (from) + CLASS(fates) }, \
    { .name = "slowdown",           REAL, .at = (from) + CLASS(is.slowdown), .most = 1000, .above_least = true }, \
    { .name = "priority",           .type = CONFIG_INTEGER, .at = (from) + CLASS(is.priority), .least = INT32_MIN, .most = INT32_MAX }, \
    { .name = "preemptible",        .type = CONFIG_FLAG, .at = (from) + CLASS(is.preemptible) }, \
    { .name = "sweeps",             .type = CONFIG_FLAG, .at = (from) + CLASS(is.sweeps) }, \
    { .name = "gpu_types",          .type = CONFIG_MAPPING, .at = (from) + CLASS(gpu_types) }, \
    { .name = "models",             .type = CONFIG_MAPPING, .at = (from) + CLASS(models) }
/* clang-format on */
extern const char *const spec_split_words[];
extern const struct config_key spec_class_keys[], spec_weight_key;

#define SPEC_NAMES_MAX 10000     /* of names, and of sizes */

/* a copy in the memory of the spec */
const char *spec_kept(const struct spec_reader *r, const char *text);
/* sum of shares: above 0 */
int spec_check_sum(struct config_value v, double sum, struct error *err);
/* absent: unchanged */
int spec_read_profile(struct config_value v, size_t n, double *to, struct error *err);
/* Sizes above a node are rounded up to whole nodes; equal sizes are merged. */
int spec_read_sizes(struct spec_reader *r, struct config_value v, struct synth_class *c);
int spec_read_names(struct spec_reader *r, struct config_value v, struct synth_names *to);
/* at: the mapping of the class, for errors of the whole class. */
int spec_read_class(struct spec_reader *r, struct config_value at, struct file_class *f,
                    struct synth_class *to);
/* Absent: unchanged; users and projects then have their defaults. */
int spec_read_arrivals(struct spec_reader *r, struct config_value v);
struct spec_arrivals { struct arrival_law law; double daily[24], weekly[7], growth_per_day; };
/* of a service */
int spec_read_request_arrivals(struct config_value v, struct spec_arrivals *to, struct error *err);
int spec_read_users(struct spec_reader *r, struct config_value users, struct config_value projects);
int spec_read_sessions(struct spec_reader *r, struct config_value list);    /* after the users */

struct deployment;
struct service;
int spec_read_services(struct spec_reader *r, struct config_value list);
/* s: has its mode and requests; row: its GPUs and their types, of which there then is one at least. */
int spec_read_llm(const struct spec_reader *r, struct config_value v, struct job_row *row,
                  struct service *s);
int spec_read_scaler(const struct spec_reader *r, struct config_value v, struct deployment *to);
