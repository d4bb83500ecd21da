/* describe_jobs.h - a workload as text, one line a job, so that a test can say in a string what it expects:
 *
 *     NAME SUBMIT+DURATION TASKSxGPUS [what is not the default...]      "any8": 8 GPUs, split in any way
 *
 * A job whose tasks differ: "2x8 ... & 1x4 ...", with groups "2x8 ... @a & 1x4 ... @b/c", and then what its groups have:
 * "b/c(min=1 required=rack)"; where its tasks may go: "2x8 selector:zone=a & 1x4 affinity:zone=b". */
#pragma once
#include "sim/workload/workload.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct description { char text[4096]; size_t n; };

__attribute__((format(printf, 2, 3))) static void say(struct description *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    d->n += (size_t)vsnprintf(d->text + d->n, sizeof d->text - d->n, format, args);
    va_end(args);
    assert(d->n < sizeof d->text);
}

static void say_time(struct description *d, const char *before, int64_t ns)
{
    char text[DECIMAL_MAX];
    if (ns != TIME_NEVER)
        say(d, "%s%.*s", before, (int)decimal_format(text, ns, NS_PER_S), text);
}

static void say_request(struct description *d, const struct request *r)
{
    if (r->tasks == SPLIT_ANY)
        say(d, " any%u", r->gpus);
    else
        say(d, " %ux%u", r->tasks, r->gpus);
    if (r->gpu_milli != MILLI_ALL)
        say(d, " milli=%u", r->gpu_milli);
    if (r->mig) {
        char name[MIG_NAME_MAX];
        say(d, " mig=%s", mig_name(r->mig, name));
    }
    if (r->cpu_milli)
        say(d, " cpu=%" PRId64, r->cpu_milli);
    if (r->mem_mib)
        say(d, " mib=%" PRId64, r->mem_mib);
    if (r->required_level != LEVEL_ANY)
        say(d, " required=%s", level_text(&level_names_usual, r->required_level));
    if (r->preferred_level != LEVEL_ANY)
        say(d, " preferred=%s", level_text(&level_names_usual, r->preferred_level));
    for (uint32_t i = 0; r->set && i < r->set->n_slices; i++)
        say(d, " %s%s:%u", i ? "" : "slices=", level_text(&level_names_usual, r->set->slice[i].level), r->set->slice[i].tasks);
    if (r->set && r->set->together)
        say(d, " together=%u", r->set->together);
    assert(r->job == ID_NONE && r->try_first == ID_NONE && !r->task);
}

/* Where the tasks of one run of several may go. */
static void say_nodes(struct description *d, const struct workload *w, const struct request *r)
{
    const struct shape *s = &w->shape[r->shape];
    const uint32_t wish[] = { s->selector, s->affinity, s->tolerations };
    static const char *const name[] = { "selector", "affinity", "tolerations" };
    for (size_t i = 0; i < 3; i++)
        if (wish[i] != ID_NONE)
            say(d, " %s:%s", name[i], intern_text(w->wishes, wish[i]));
}

/* All runs; how many tasks they have. */
static uint32_t say_runs(struct description *d, const struct workload *w, const struct job_facts *f)
{
    uint32_t tasks = 0;
    for (const struct request *r = f->ask; r; r = r->next) {
        assert(r->first_task == tasks && &w->shape[r->shape].ask == r && w->shape[r->shape].group == f->group);
        assert(!r->next || r->tasks != SPLIT_ANY);
        tasks = r->tasks == SPLIT_ANY ? 1 : tasks + r->tasks;
        if (r != f->ask)
            say(d, " &");
        say_request(d, r);
        if (f->n_groups)
            say(d, " @%s", f->group[r->group].name);
        if (f->ask->next)
            say_nodes(d, w, r);
    }
    return tasks;
}

static void say_groups(struct description *d, const struct job_facts *f)
{
    for (uint32_t g = 0; g < f->n_groups; g++) {
        const struct task_group *x = &f->group[g];
        uint32_t tasks = 0;
        for (const struct request *r = f->ask; r; r = r->next)
            tasks += r->group == g ? r->tasks : 0;
        assert(g ? x->parent < g : x->parent == ID_NONE);
        if (x->min_tasks == tasks && x->required_level == LEVEL_ANY && x->preferred_level == LEVEL_ANY)
            continue;
        say(d, " %s(", x->name);
        if (x->min_tasks != tasks)
            say(d, "min=%u", x->min_tasks);
        if (x->required_level != LEVEL_ANY)
            say(d, "required=%s", level_text(&level_names_usual, x->required_level));
        if (x->preferred_level != LEVEL_ANY)
            say(d, "preferred=%s", level_text(&level_names_usual, x->preferred_level));
        say(d, ")");
    }
}

/* The type of all runs, or that of each. */
static void say_types(struct description *d, const struct workload *w, const struct job_facts *f)
{
    uint32_t first = w->shape[f->ask->shape].gpu_type;
    bool alike = true;
    for (const struct request *r = f->ask; r; r = r->next)
        alike = alike && w->shape[r->shape].gpu_type == first;
    for (const struct request *r = f->ask; r && !(alike && (r != f->ask || first == ID_NONE)); r = r->next) {
        uint32_t type = w->shape[r->shape].gpu_type;
        say(d, "%s%s", r == f->ask ? " type=" : "+", type == ID_NONE ? "any" : intern_text(w->gpu_types, type));
    }
}

static void say_job(struct description *d, const struct workload *w, job_id j)
{
    static const char *const classes[] = { "training", "inference", "interactive", "batch" };
    static const char *const fates[] = { "completed", "failed", "cancelled" };
    const struct job_facts *f = &w->facts[j];
    const struct job_truth *t = &w->truth[j];
    const struct job_extra *x = workload_extra(w, j);
    const struct shape *s = &w->shape[f->ask->shape];
    assert(&s->ask == f->ask && s->pin == ID_NONE);
    say(d, "%s", t->name);
    say_time(d, " ", f->submit_ns);
    say_time(d, "+", t->duration_ns);
    uint32_t tasks = say_runs(d, w, f);
    say_groups(d, f);
    say_types(d, w, f);
    if (*intern_text(w->queue_names, f->queue))
        say(d, " queue=%s", intern_text(w->queue_names, f->queue));
    if (f->user != ID_NONE)
        say(d, " user=%s", intern_text(w->users, f->user));
    if (f->min_tasks != tasks)
        say(d, " min=%u", f->min_tasks);
    struct job_sizes z = workload_sizes(w, (job_id)(f - w->facts));
    if (f->sizing && (z.max != z.usual || z.min != f->min_tasks))
        say(d, " sizes=%u-%u%s", z.min, z.max, z.moldable ? " moldable" : "");
    if (f->max_down)
        say(d, " max_unavailable=%u", f->max_down - 1);
    if (f->priority)
        say(d, " priority=%d", f->priority);
    if (f->class != CLASS_TRAINING)
        say(d, " %s", classes[f->class]);
    if (!f->preemptible)
        say(d, " fixed");
    say_time(d, " estimate=", t->estimate_ns);
    say_time(d, " deadline=", f->deadline_ns);
    if (f->model != ID_NONE)
        say(d, " model=%s", intern_text(w->models, f->model));
    if (s->gpu_mem_mib)
        say(d, " gpu_mib=%u", s->gpu_mem_mib);
    if (s->used_mem_mib)
        say(d, " used_mib=%u", s->used_mem_mib);
    if (x->duty.compute != DUTY_UNSAID)
        say(d, " duty=%u", x->duty.compute);
    if (x->duty.bandwidth != DUTY_UNSAID)
        say(d, " bandwidth=%u", x->duty.bandwidth);
    if (s->share_mem_mib)
        say(d, " share_mib=%u", s->share_mem_mib);
    if (x->data_mib)
        say(d, " data_mib=%u", x->data_mib);
    struct own_input input = workload_input(w, j);
    if (input.data_set != ID_NONE)
        say(d, " set=%s", workload_data_set(w, input.data_set));
    if (input.epochs)
        say(d, " epochs=%u", input.epochs);
    if (input.image != ID_NONE)
        say(d, " image=%s", workload_image(w, input.image));
    static const char *const hows[] = { [AFTER_ANY] = "after", [AFTER_OK] = "afterok", [AFTER_NOT_OK] = "afternotok",
                                        [AFTER_START] = "afterstart" };
    for (uint32_t i = w->depends_first ? w->depends_first[j] : 0; w->depends_first && i < w->depends_first[j + 1]; i++)
        say(d, " %s%s=%s", w->depends_how[i] & DEPENDS_OR ? "or-" : "", hows[depends_how(w->depends_how[i])],
            w->truth[w->depends_on[i]].name);
    if (w->turn && w->turn[j].name != ID_NONE && !w->turn[j].most)
        say(d, " singleton=%s", intern_text(w->wishes, w->turn[j].name));
    if (w->turn && w->turn[j].name != ID_NONE && w->turn[j].most)
        say(d, " limit=%u:%s", w->turn[j].most, intern_text(w->wishes, w->turn[j].name));
    if (x->overhead) {
        static const char *const names[] = { " checkpoint=", " interval=", " save=", " grace=", " restart=" };
        struct own_overhead own = workload_overhead(w, x->overhead);
        const int64_t part[] = { own.checkpoint < 0 ? -1 : own.checkpoint * NS_PER_S, own.interval_ns, own.save_ns, own.grace_ns,
                                 own.restart_ns };
        for (size_t i = 0; i < sizeof part / sizeof *part; i++)
            if (part[i] >= 0)
                say_time(d, names[i], part[i]);
        if (own.checkpoint_mib >= 0)
            say(d, " checkpoint_mib=%" PRId64, own.checkpoint_mib);
        if (own.most_stops > 0)
            say(d, " max_requeues=%" PRId64, own.most_stops - 1);
    }
    struct own_site site = workload_site(w, x->site);
    const char *const site_of[] = { " partition=", " qos=", " account=" };
    const uint32_t named[] = { site.partition, site.qos, site.account };
    for (size_t i = 0; x->site && i < 3; i++)
        if (named[i] != ID_NONE)
            say(d, "%s%s", site_of[i], intern_text(w->wishes, named[i]));
    if (x->site && site.nice)
        say(d, " nice=%d", site.nice);
    for (uint32_t i = 0; x->running && i < w->running[x->running - 1].n; i++) {
        const struct held_at *at = &w->running[x->running - 1].on[i];
        say(d, " on=%u:%u:%" PRIx64, at->node, at->gpus, at->gpu_mask);
    }
    if (x->running && w->running[x->running - 1].ran_ns >= 0)
        say_time(d, " ran=", w->running[x->running - 1].ran_ns);
    if (x->running && w->running[x->running - 1].leaving_ns >= 0)
        say_time(d, " leaving=", w->running[x->running - 1].leaving_ns);
    if (t->fate != FATE_COMPLETED)
        say(d, " %s", fates[t->fate]);
    say(d, "\n");
}

static void describe_jobs(struct description *d, const struct workload *w)
{
    d->n = 0;
    for (job_id j = 0; j < w->n_jobs; j++)
        say_job(d, w, j);
}
