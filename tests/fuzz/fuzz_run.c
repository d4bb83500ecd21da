/* fuzz_run.c - a whole run: the first bytes choose policy, parameters, placer and cluster, the
 * rest is a native trace, or its jobs in eight bytes each.
 *
 * Whatever it is, the run comes to its end with every identity whole, and the same a second
 * time. */
#include "policies/registry.h"
#include "sim/base/memory.h"
#include "sim/engine/run.h"
#include "sim/models/overhead.h"
#include "tests/fuzz/fuzz.h"
#include "traces/formats/format.h"

enum { POLICY, PLACER, CLUSTER, PRICE, PERIOD, CUT, PARAMS, PACKED = PARAMS + 4, CHOICES, JOBS_MOST = 24, GPUS_MOST = 64,
       SMALL = 1 << 12 | 10, LARGE = 3 << 12 | 40 };    /* MIG profiles */

static const struct policy *policy_of(uint8_t choice)
{
    size_t n = 0;
    while (builtin_policies[n])
        n++;
    return builtin_policies[choice % n];
}

static const struct placer *placer_of(uint8_t choice)
{
    size_t n = 0;
    while (builtin_placers[n])
        n++;
    return builtin_placers[choice % n];
}

/* A word for each parameter that has words; the others keep their default. */
static void *params_of(const struct param *list, size_t size, const uint8_t *choice)
{
    char *params = mem_new(1, size + 1);
    for (const struct param *p = list; p && p->name; p++) {
        double value = p->default_value;
        size_t words = 0;
        while (p->options && p->options[words])
            words++;
        if (words)
            value = (double)(choice[(p - list) % 4] % words);
        memcpy(params + p->at, &value, sizeof value);
    }
    return params;
}

static struct cluster *cluster_of(const uint8_t *choice)
{
    static const struct overhead prices[] = {
        { .checkpoint = CHECKPOINT_NONE },
        { .checkpoint = CHECKPOINT_PERFECT, .grace_ns = 2 * NS_PER_S, .save_ns = NS_PER_S },
        { .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = 5 * NS_PER_S, .start_ns = NS_PER_S },
        { .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = 1, .save_ns = 7, .restart_ns = 3, .grace_ns = 30 * NS_PER_S },
        { .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = 3 * NS_PER_S, .save_ns = -1, .write_ns = NS_PER_S / 3, .checkpoint_bytes = 1 << 29,
          .blocking = .5, .grace_ns = NS_PER_S, .start_ns = START_BY_PARTS, .restart_ns = START_BY_PARTS },
    };
    struct error err = { "" };
    unsigned shape = choice[CLUSTER];
    static const struct mig_spec mixed[] = { { SMALL, 4 }, { LARGE, 2 } };
    struct group_spec group[] = {
        { .name = "a", .gpu_model = "A100", .count = 1 + shape % 4, .gpus = 8, .island_gpus = shape & 4 ? 4 : 0,
          .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX, .nodes_per_rack = shape & 8 ? 2 : 0, .gpu_mem_mib = 81920, .labels = "zone=a" },
        { .name = "b", .gpu_model = "T4", .count = 2, .gpus = 4, .gpu_mem_mib = 16384, .cpu_milli = 16000, .mem_mib = 65536,
          .counted = (shape & 32) != 0, .labels = "zone=b", .taints = "spot:NoSchedule;old:PreferNoSchedule" },
        { .name = "c", .gpu_model = "A100", .count = 2, .gpus = 2, .mig = mixed, .n_mig = shape & 8 ? 1 : 2,
          .mig_single = (shape & 8) != 0, .cpu_milli = 16000, .mem_mib = INT64_MAX, .labels = "zone=a" },
    };
    struct pin_spec pin = { .group = 0, .count = 1 };
    struct queue_spec queue[] = {
        { .facts = { .name = "y", .parent = ID_NONE, .weight = 1 } },
        { .facts = { .name = "x", .parent = ID_NONE, .weight = 1 }, .pins = &pin, .n_pins = 1 },
    };
    for (size_t q = 0; q < 2; q++)
        queue[q].facts.quota = (struct quota){ { 4000, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } };
    struct cluster *c = cluster_build("c", group, shape & 128 ? 3 : 1 + (shape >> 4 & 1), queue, shape & 64 ? 2 : 0, &err);
    fuzz_said(!c, &err);
    FUZZ_MUST(c);
    c->overhead = prices[choice[PRICE] < 200 ? choice[PRICE] % 4 : 4];
    c->storage.on = choice[PRICE] & 16;
    c->storage.contention = choice[PRICE] & 32 ? CONTENTION_MAXMIN : CONTENTION_NONE;
    c->storage.cache_mib = choice[PRICE] & 64 ? 4096 : 0;
    c->period_ns = choice[PERIOD] % 4 * NS_PER_S;
    return c;
}

/* The parts of what happened, in an order that matters. */
static uint64_t digest(const struct sched *s, uint32_t jobs)
{
    uint64_t sum = 0;
    for (job_id j = 0; j < jobs; j++) {
        struct job_result r = run_job(s, j);
        const int64_t parts[] = { (int64_t)r.state, (int64_t)r.outcome, r.start_ns, r.end_ns, r.wait_ns,
                                  r.run_ns, r.lost_ns, r.overhead_ns, r.preemptions, r.distance };
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            sum = sum * 1000003 + (uint64_t)parts[i];
    }
    return sum;
}

static uint64_t play(const uint8_t *choice, struct cluster *c, struct workload *w)
{
    const struct policy *policy = policy_of(choice[POLICY]);
    const struct placer *placer = placer_of(choice[PLACER]);
    struct error err = { "" };
    void *params = params_of(policy->params, policy->params_size, choice + PARAMS);
    void *placing = params_of(placer->params, placer->params_size, choice + PARAMS);
    struct run_setup setup = {
        .cluster = c, .workload = w, .policy = policy, .policy_params = params, .placer = placer, .placer_params = placing,
        .seed = choice[CUT], .until_ns = choice[CUT] & 1 ? choice[CUT] * NS_PER_S : 0, .check = true,
        .fruitless_most = 500,
    };
    struct sched *s = run_new(&setup);
    if (run_execute(s, &err)) {
        fprintf(stderr, "%s, %s: %s\n", policy->name, placer->name, err.text);
        bool stalls = strstr(err.text, " stalls: ") && !strcmp(placer->name, "consolidate"); /* see placers/consolidate.c */
        FUZZ_MUST(stalls || strstr(err.text, " is in a livelock "));
    }
    uint64_t sum = digest(s, w->n_jobs);
    run_free(s);
    free(params);
    free(placing);
    return sum;
}

/* What would only be slow is left out: many jobs, requests far beyond the cluster in many
 * pieces, endless checkpoints. */
static bool writes_often(const struct cluster *c, const struct workload *w, job_id j)
{
    struct own_overhead own = OWN_OVERHEAD_NONE;
    if (workload_extra(w, j)->overhead)
        own = workload_overhead(w, workload_extra(w, j)->overhead);
    struct overhead p = overhead_with(&c->overhead, &own);
    return p.checkpoint == CHECKPOINT_PERIODIC && overhead_writes(&p) && p.interval_ns && w->truth[j].duration_ns / p.interval_ns > 10000;
}

static int is_small(const struct cluster *c, const struct workload *w)
{
    for (job_id j = 0; j < w->n_jobs; j++)
        if (writes_often(c, w, j))
            return 0;
    for (job_id j = 0; j < w->n_jobs; j++)
        if (w->facts[j].ask->tasks != SPLIT_ANY && request_tasks(w->facts[j].ask) > GPUS_MOST)
            return 0;
    return w->n_jobs <= JOBS_MOST;
}

static struct workload *text_jobs(const uint8_t *bytes, size_t length, struct error *err)
{
    const struct trace_format *used;
    char sha256[65];
    struct input *in = input_from_bytes(bytes, length, "fuzz", err);
    struct workload *w = in ? trace_from_input(in, &(struct trace_source){ .format = trace_format_find("native") }, &used, sha256, err) : NULL;
    input_close(in);
    return w;
}

static struct job_row packed_job(const uint8_t *b, int64_t before_ns)
{
    static const char *const types[] = { "", "", "A100", "T4", "A100|T4", "T4|A100", "K80", "" };
    enum { SHARE = 0, SPLIT = 1, TASKS = 2 };
    struct job_row row = job_row_default;
    row.submit_ns = before_ns + b[0] % 8 * NS_PER_S;
    row.duration_ns = b[1] * (NS_PER_S / 4);
    row.estimate_ns = b[2] ? b[2] * (NS_PER_S / 4) : TIME_NEVER;
    unsigned kind = b[3] >> 6, size = b[3] & 63;
    row.tasks = kind >= TASKS ? 1 + (size & 3) : 0;
    row.gpus = kind == SHARE ? 1 : kind == SPLIT ? size / 2 : row.tasks * (size >> 2 & 15);
    row.gpu_milli = kind == SHARE ? 1 + size * 15 : MILLI_ALL;
    row.min_tasks = kind >= TASKS && b[7] & 4 ? 1 + (b[7] >> 4) % row.tasks : 0;
    row.priority = b[4] & 7;
    row.preemptible = b[4] & 8;
    row.queue = b[4] & 16 ? "x" : "y";
    row.queue_length = 1;
    row.gpu_type = types[b[4] >> 5];
    row.gpu_type_length = strlen(row.gpu_type);
    row.mig = b[4] >> 5 != 7 || kind == SHARE ? 0 : b[7] & 1 ? SMALL : LARGE;
    row.cpu_milli = (b[5] & 15) * 1000;
    row.mem_mib = (b[5] >> 4) * 1024;
    row.required_level = (b[6] & 15) <= LEVEL_CLUSTER ? b[6] & 15 : LEVEL_ANY;
    row.preferred_level = b[6] >> 4 <= LEVEL_CLUSTER ? b[6] >> 4 : LEVEL_ANY;
    row.fate = b[7] % 3;
    row.selector = b[7] & 8 ? b[7] & 16 ? "zone=a" : "zone=b" : NULL;
    row.tolerations = b[7] & 32 ? b[7] & 64 ? "*" : "spot" : NULL;
    row.max_per_node = row.tasks ? b[7] >> 7 : 0;
    return row;
}

/* The tasks in two to four runs, each one GPU smaller or larger than the one before, in groups
 * or not. */
static void pack_parts(struct job_row *row, const uint8_t *b, struct task_row *part)
{
    static const char *const paths[4][4] = { { ".", ".", ".", "." }, { "a", "b", "c", "d" }, { "a/x", "a/y", "b", "a" }, { "a", "b", ".", "" } };
    const char *const *path = paths[b[0] >> 3 & 3];
    size_t n = 2 + (b[0] >> 5 & 1);
    uint32_t gpus = row->gpus / row->tasks;
    for (size_t i = 0; i < 4; i++) {
        bool inner = (path == paths[2] && i == 3) || (path == paths[3] && i == 2);
        if ((i >= n && !inner) || (path == paths[2] && i == 1 && n == 2))
            continue;
        struct task_row *x = &part[row->n_parts++];
        *x = (struct task_row){ .group = path[i], .required_level = LEVEL_ANY, .preferred_level = LEVEL_ANY, .line = 1 };
        if (inner) {
            x->required_level = row->required_level == LEVEL_ANY ? LEVEL_RACK : row->required_level;
            continue;
        }
        x->gpus = gpus + (uint32_t)(b[7] >> i & 1);
        x->gpu_milli = row->gpu_milli;
        x->tasks = 1 + (b[6] >> i & 1);
        x->min_tasks = b[5] >> i & 1;
        x->cpu_milli = row->cpu_milli;
        x->mem_mib = row->mem_mib;
    }
    row->part = part;
}

static struct workload *packed_jobs(const uint8_t *bytes, size_t length, struct error *err)
{
    struct workload *w = workload_new();
    int64_t before_ns = 0;
    for (size_t i = 0; i + 8 <= length && i < 8 * JOBS_MOST; i += 8) {
        struct job_row row = packed_job(bytes + i, before_ns);
        struct task_row part[4];
        before_ns = row.submit_ns;
        if (row.tasks && bytes[i] >> 6 == 3)
            pack_parts(&row, bytes + i, part);
        FUZZ_MUST(workload_add(w, &row, "fuzz", i / 8 + 1, err) == 0);
    }
    if (workload_finish(w, "fuzz", err) == 0)
        return w;
    workload_free(w);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length < CHOICES)
        return -1;
    struct error err = { "" };
    struct workload *w = (bytes[PACKED] & 1 ? packed_jobs : text_jobs)(bytes + CHOICES, length - CHOICES, &err);
    fuzz_said(!w, &err);
    struct cluster *c = cluster_of(bytes);
    if (w && is_small(c, w) && run_bind(c, w, &err) == 0)
        FUZZ_MUST(play(bytes, c, w) == play(bytes, c, w));
    cluster_free(c);
    workload_free(w);
    return 0;
}
