/* check_cluster.c - a cluster alone: nodes, GPU types, MIG, checkpoints, storage, power, pools,
 * failures. See check.h. */
#include "sim/cli/check/check.h"

#include "sim/capacity/headroom.h"
#include "sim/cluster/pools.h"
#include "sim/models/failures.h"
#include "sim/models/power.h"
#include "sim/models/overhead.h"

#include <stdio.h>
#include <string.h>

/* ---- Nodes ---- */

static json_t *gpu_types(const struct cluster *c)
{
    json_t *list = json_array();
    for (uint32_t m = 0; m < intern_count(c->gpu_models); m++) {
        json_int_t nodes = 0, gpus = 0, largest = 0;
        for (node_id n = 0; n < c->n_nodes; n++) {
            const struct node_type *t = cluster_node_type(c, n);
            if (t->gpu_model != m)
                continue;
            nodes++;
            gpus += cluster_node_milli(c, n) / MILLI_ALL;
            largest = t->gpus > largest ? t->gpus : largest;
        }
        json_array_append_new(list, json_pack("{s:o, s:I, s:I, s:I}", "gpu_type",
                                              check_name(intern_text(c->gpu_models, m)), "nodes",
                                              nodes, "gpus", gpus, "largest_node", largest));
    }
    return list;
}

/* In the order of the file. */
static json_t *groups(const struct cluster *c)
{
    json_t *list = json_array();
    for (node_id first = 0, end; first < c->n_nodes; first = end) {
        const struct node_type *t = cluster_node_type(c, first);
        for (end = first + 1; end < c->n_nodes && c->group_of[end] == c->group_of[first];)
            end++;
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:I, s:I, s:I}", "group",
                            check_name(c->group_name[c->group_of[first]]), "gpu_type",
                            t->gpu_model == ID_NONE
                                ? json_null()
                                : check_name(intern_text(c->gpu_models, t->gpu_model)),
                            "nodes", (json_int_t)(end - first), "gpus",
                            (json_int_t)(end - first) * cluster_node_milli(c, first) / MILLI_ALL,
                            "gpus_per_node", (json_int_t)c->group_gpus[c->group_of[first]]));
    }
    return list;
}

/* Every section that is given, with the values that hold. */
static json_t *sections(const struct cluster *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->n_sections; i++)
        json_array_append_new(list, json_pack("{s:s, s:o}", "section", c->section[i].name,
                                              "settings", check_name(c->section[i].text)));
    return list;
}

static json_t *row_named(json_t *list, const char *key, const char *name)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(json_string_value(json_object_get(json_array_get(list, i), key)), name) == 0)
            return json_array_get(list, i);
    json_t *row = json_pack("{s:o}", key, check_name(name));
    json_array_append_new(list, row);
    return row;
}

static void add_to(json_t *row, const char *key, int64_t n)
{
    json_object_set_new(row, key, json_integer(json_integer_value(json_object_get(row, key)) + n));
}

/* Instances by profile and kind of MIG, in the order of the file. */
static json_t *instances(const struct cluster *c)
{
    json_t *list = json_array();
    for (uint32_t k = 0; k < c->n_kinds; k++) {
        const struct node_kind *kind = &c->kind[k];
        char name[MIG_NAME_MAX], label[2 * MIG_NAME_MAX];
        if (!kind->mig)
            continue;
        snprintf(label, sizeof label, "%s %s", mig_name(kind->mig, name),
                 c->type[kind->type].mig_single    ? "single"
                 : c->type[kind->type].mig_dynamic ? "dynamic"
                                                   : "mixed");
        json_t *row = row_named(list, "profile", label);
        add_to(row, "nodes", kind->n_nodes);
        add_to(row, "instances", (int64_t)kind->n_nodes * kind->gpus);
        add_to(row, "gpus", (int64_t)kind->n_nodes * kind->gpus * kind->slot_milli / MILLI_ALL);
    }
    return list;
}

static json_int_t domains_of(const struct cluster *c, enum level l)
{
    json_int_t n = 0;
    for (domain_id d = 0; d < c->n_domains; d++)
        n += c->domain[d].level == l;
    return n;
}

static json_t *hours_between(double per_s)
{
    return per_s > 0 ? json_real(1 / per_s / 3600) : json_null();
}

static json_t *failures_of(const struct cluster *c)
{
    const struct failures *f = c->failures;
    return json_pack("{s:o, s:o, s:I, s:I}", "node_mttf_h", hours_between(failures_node_rate(f, 8)),
                     "job_mttf_h", hours_between(failures_job_rate(f, (double)c->gpus)), "given",
                     (json_int_t)f->n_given, "planned", (json_int_t)f->n_planned);
}

/* ---- Checkpoints and storage ---- */

static json_t *bandwidth(int64_t bytes_per_s)
{
    return bytes_per_s == STORAGE_UNLIMITED ? json_string("unlimited")
                                            : json_real((double)bytes_per_s / 1e9);
}

static const char *checkpoint_interval(const struct overhead *p)
{
    return p->interval_ns != INTERVAL_AUTO ? "stated"
           : p->interval_law == LAW_YOUNG  ? "young"
                                           : "daly";
}

static json_t *checkpoints_of(const struct cluster *c)
{
    const struct overhead *p = &c->overhead;
    bool of_model = p->checkpoint_bytes == CHECKPOINT_OF_MODEL;
    json_t *o = json_pack("{s:s, s:f, s:f}", "interval", checkpoint_interval(p), "blocking",
                          p->blocking, "fixed_s", seconds(p->write_ns));
    json_object_set_new(o, "interval_s",
                        p->interval_ns > 0 ? json_real(seconds(p->interval_ns)) : json_null());
    json_object_set_new(o, "gib",
                        of_model ? json_string("model")
                                 : json_real((double)p->checkpoint_bytes / (1 << 30)));
    if (!of_model)
        json_object_set_new(
            o, "one_node_alone_s",
            json_real(
                seconds(p->write_ns + storage_write_ns(&c->storage, p->checkpoint_bytes, 1, 1))));
    return o;
}

static json_t *storage_of(const struct storage *s)
{
    json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:f, s:s}", "read_gbps", bandwidth(s->read_bps),
                          "write_gbps", bandwidth(s->write_bps), "node_read_gbps",
                          bandwidth(s->node_read_bps), "node_write_gbps",
                          bandwidth(s->node_write_bps), "cache_gib", (double)s->cache_mib / 1024,
                          "contention", s->contention == CONTENTION_MAXMIN ? "maxmin" : "none");
    if (s->contention == CONTENTION_MAXMIN)
        json_object_set_new(o, "gbps", bandwidth(s->all_bps));
    return o;
}

static void put_storage(json_t *report, const struct cluster *c)
{
    bool writes = c->overhead.checkpoint != CHECKPOINT_NONE && overhead_writes(&c->overhead);
    if (writes)
        json_object_set_new(report, "checkpoints", checkpoints_of(c));
    if (c->storage.on || writes)
        json_object_set_new(report, "storage", storage_of(&c->storage));
}

/* ---- Power and node pools ---- */

static double watts(int128_t nw)
{
    return (double)nw / (double)NW_PER_W;
}

static json_t *cap(int64_t nw)
{
    return nw == INT64_MAX ? json_null() : json_real(watts(nw));
}

static void put_power(json_t *report, const struct cluster *c)
{
    if (c->power)
        json_object_set_new(report, "power",
                            json_pack("{s:f, s:f, s:o, s:o, s:o}", "idle_w",
                                      watts(cluster_idle_nw(c, 0, c->n_nodes)), "full_w",
                                      watts(cluster_full_nw(c)), "cap_w", cap(c->power->cap_nw), "rack_cap_w",
                                      cap(c->power->rack_cap_nw), "row_cap_w", cap(c->power->row.nw)));
    json_t *pools = json_array();
    for (uint32_t g = 0, n = 0; c->pool && g < c->n_groups; g++) {
        node_id first = n;
        while (n < c->n_nodes && c->group_of[n] == g)
            n++;
        if (c->pool[g].is)
            json_array_append_new(
                pools, json_pack("{s:s, s:I, s:I, s:b}", "group", c->group_name[g], "min",
                                 (json_int_t)c->pool[g].min, "max", (json_int_t)(n - first), "spot",
                                 c->pool[g].reclaims_per_day > 0));
    }
    if (json_array_size(pools))
        json_object_set(report, "pools", pools);
    json_decref(pools);
}

/* Further out than pods. */
static void put_levels(json_t *report, const struct cluster *c)
{
    json_t *levels = json_object();
    for (uint32_t k = level_names_usual.n; k < c->levels.n; k++)
        json_object_set_new(levels, c->levels.name[k], json_integer(domains_of(c, LEVEL_RACK + k)));
    if (json_object_size(levels))
        json_object_set(report, "levels", levels);
    json_decref(levels);
}

/* ---- The report ---- */

json_t *check_cluster(const struct cluster *c)
{
    json_int_t cpu_only = 0;
    for (node_id n = 0; n < c->n_nodes; n++)
        cpu_only += cluster_node_gpus(c, n) == 0;
    json_t *report = json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:[]}", "name",
                               check_name(c->name), "nodes", (json_int_t)c->n_nodes, "gpus",
                               (json_int_t)c->gpus, "nodes_without_gpus", cpu_only, "racks",
                               domains_of(c, LEVEL_RACK), "pods", domains_of(c, LEVEL_POD),
                               "queues", (json_int_t)(c->queues_from_trace ? 0 : c->n_queues),
                               "gpu_types", gpu_types(c), "warnings");
    put_levels(report, c);
    json_object_set_new(report, "groups", groups(c));
    json_object_set_new(report, "sections", sections(c));
    json_t *mig = instances(c);
    if (json_array_size(mig))
        json_object_set(report, "mig", mig);
    json_decref(mig);
    put_storage(report, c);
    put_power(report, c);
    if (c->failures)
        json_object_set_new(report, "failures", failures_of(c));
    check_notes(report, c, NULL);
    return report;
}
