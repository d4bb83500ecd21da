/* notes_unread.c - see notes_parts.h. */
#include "sim/results/notes_parts.h"

#include "sim/engine/params.h"
#include "sim/engine/state.h"
#include "sim/scheduler/placing.h"

static unsigned policy_reads(const struct policy *p, const void *params)
{
    struct arena *scratch = arena_new();
    unsigned reads = p->reads;
    if (p->also_reads)
        reads |= p->also_reads(params_complete(scratch, p->params, p->params_size, params));
    arena_free(scratch);
    return reads;
}

unsigned notes_policies_read(const struct run_setup *setup)
{
    unsigned reads = policy_reads(setup->policy, setup->policy_params);
    for (size_t i = 0; i < setup->n_switches; i++)
        reads |= policy_reads(setup->switches[i].policy, setup->switches[i].params);
    return reads;
}

bool notes_fabric_unread(const struct inputs *in, FILE *text)
{
    if (in->cluster->fabric_unread)
        fputs("'fabric' has no effect without 'progress': links slow nothing down", text);
    return in->cluster->fabric_unread;
}

/* The world does not enforce them. */
bool notes_pods_unread(const struct sched *s, FILE *text)
{
    const struct run_setup *setup = run_setup_of(s);
    unsigned reads = notes_policies_read(setup);
    bool beside = false, spread = false;
    for (shape_id i = 0; i < setup->workload->n_shapes; i++) {
        const struct pod_rules *r = pods_of_shape(s, i);
        beside |= r && !(reads & READS_PODS) && (r->n[POD_AFFINITY] || r->n[POD_ANTI_AFFINITY]);
        spread |= r && !(reads & READS_SPREADS) && r->n[POD_SPREAD];
    }
    if (beside || (spread && !(reads & READS_PODS)))
        fprintf(text, "policy %s does not read pod_affinity, pod_anti_affinity and pod_spread: they change no decision",
                setup->policy->name);
    else if (spread)
        fprintf(text, "policy %s does not read pod_spread: it changes no decision",
                setup->policy->name);
    return beside || spread;
}

/* Where the policy reads required ones. */
bool notes_preferences_unread(const struct sched *s, FILE *text)
{
    const struct run_setup *setup = run_setup_of(s);
    unsigned reads = notes_policies_read(setup);
    bool some = false;
    for (shape_id i = 0; i < setup->workload->n_shapes; i++) {
        const struct pod_rules *r = pods_of_shape(s, i);
        for (enum pod_terms kind = POD_AFFINITY; r && kind <= POD_ANTI_AFFINITY; kind++)
            for (uint32_t k = 0; k < r->n[kind]; k++)
                some = some || r->term[kind][k].weight;
    }
    if (!some || !(reads & READS_PODS) || (reads & READS_PREFERENCES))
        return false;
    fprintf(text,
            "policy %s with these parameters does not read preferred terms of pod_affinity and "
            "pod_anti_affinity: they change no decision",
            setup->policy->name);
    return true;
}

bool notes_promises_unread(const struct sched *s, FILE *text)
{
    const struct run_setup *setup = run_setup_of(s);
    bool some = false, said = setup->workload->n_extras > 1,
         read = notes_policies_read(setup) & READS_PROMISES;
    for (job_id j = 0; j < setup->workload->n_jobs && said && !read && !some; j++)
        some = workload_extra(setup->workload, j)->promised != 0;
    if (some)
        fprintf(text, "policy %s does not read promised_on: those jobs wait like any other",
                setup->policy->name);
    return some;
}

/* Other placers put a set wherever its level is. */
bool notes_sets_unread(const struct sched *s, FILE *text)
{
    const struct run_setup *setup = run_setup_of(s);
    bool some = false;
    for (shape_id i = 0; i < setup->workload->n_shapes && !(setup->placer->needs & PLACES_SETS); i++) {
        const struct pod_set *set = setup->workload->shape[i].ask.set;
        some |= set && (set->n_slices || set->together);
    }
    if (some)
        fprintf(text, "placer %s does not read slices and podset_group: they change no decision",
                setup->placer->name);
    return some;
}

/* Distances of section `progress` and uplinks of section `fabric` end at pods. */
bool notes_levels_unread(const struct inputs *in, FILE *text)
{
    const struct cluster *c = in->cluster;
    if (!c->rates || c->levels.n <= level_names_usual.n)
        return false;
    fprintf(text,
            "for the pace of jobs, places in one %s but in no one %s are as far apart as the "
            "cluster, and uplinks beyond that level are not modelled",
            c->levels.name[level_names_usual.n], c->levels.name[level_names_usual.n - 1]);
    return true;
}
