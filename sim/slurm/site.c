/* site.c - nodes and partitions: see site.h. */
#include "sim/slurm/site.h"

#include "sim/base/memory.h"
#include "sim/base/utf8.h"
#include "sim/slurm/hostlist.h"
#include "sim/slurm/span.h"
#include "sim/slurm/tres.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct slurm_site *site_new(void)
{
    struct slurm_site *s = mem_new(1, sizeof *s);
    s->names = intern_new();
    s->switches = intern_new();
    s->above = intern_new();
    s->memory = arena_new();
    return s;
}

void site_free(struct slurm_site *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n_remarks; i++)
        free(s->remark[i].text);
    free(s->remark);
    free(s->node);
    free(s->up);
    free(s->over);
    intern_free(s->names);
    intern_free(s->switches);
    intern_free(s->above);
    conf_free(&s->conf);
    arena_free(s->memory);
    free(s);
}

void site_remark(struct slurm_site *s, const char *format, ...)
{
    char text[512];
    va_list args;
    if (s->remarked)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    utf8_mend(text);
    for (size_t i = 0; i < s->n_remarks; i++)
        if (strcmp(s->remark[i].text, text) == 0) {
            s->remark[i].times++;
            return;
        }
    mem_grow(&s->remark, &s->remarks_capacity, s->n_remarks, sizeof *s->remark);
    s->remark[s->n_remarks++] = (struct site_remark){ mem_text(text, strlen(text)), 1 };
}

uint32_t site_node_find(const struct slurm_site *s, const char *name)
{
    return intern_find(s->names, name, strlen(name));
}

const char *site_key(const struct slurm_site *s, const char *key)
{
    const struct conf_pair *p = conf_global(&s->conf, key);
    return p ? p->value : NULL;
}

static const char *kept(struct slurm_site *s, const char *text)
{
    return arena_text(s->memory, text, strlen(text));
}

static bool in_list(const struct conf_pair *p, const char *const *keys)
{
    for (size_t i = 0; keys[i]; i++)
        if (conf_is(p, keys[i]))
            return true;
    return false;
}

/* ---- nodes ---- */

/* What a line says of each of its nodes. */
struct node_line {
    struct site_node node;
    int64_t boards, sockets, cores, threads, reserved_cores, reserved_mib;
    bool cpus_said;
    const struct conf_pair *hosts;
};
static const struct node_line node_nothing = {
    .node = { .type = "", .features = "", .mem_mib = 1, .weight = 1, .leaf = SITE_NONE },
    .boards = 1, .sockets = 1, .cores = 1, .threads = 1,
};

static int take_gres(struct slurm_site *s, const struct conf_pair *p, struct site_node *n,
                     struct error *err)
{
    struct tres t;
    if (conf_is_nothing(p->value))
        return 0;
    if (!gres_parse(p->value, strlen(p->value), &t))
        return conf_error(p, GRES_WANT, err);
    n->gpus = t.gpus > 0 ? t.gpus : 0;
    n->shards = t.shards > 0 ? t.shards : 0;
    if (n->gpus > 1024)
        return conf_error(p, "at most 1024 GPUs", err);
    if (t.types == 1)
        n->type = arena_text(s->memory, t.type, t.type_length);
    if (t.types > 1)
        site_remark(s, "nodes with GPUs of several types (%.60s) have no type", p->value);
    if (t.others || t.mps > 0)
        site_remark(s, "left out: Gres other than gpu and shard (%.60s)", p->value);
    return 0;
}

static void take_state(struct slurm_site *s, const struct conf_pair *p, struct site_node *n)
{
    static const char *const downs[] = { "DOWN", "DRAIN", "FAIL", "INVAL", "NOT_RESPONDING", NULL },
                      *const absents[] = { "FUTURE", "CLOUD", "POWERED_DOWN", NULL };
    char state[80] = "";
    for (size_t i = 0; p->value[i] && i + 1 < sizeof state; i++)
        state[i] = (char)toupper((unsigned char)p->value[i]);
    n->down = n->absent = false;
    for (size_t i = 0; downs[i]; i++)
        n->down |= strstr(state, downs[i]) != NULL;
    n->down |= *state && state[strlen(state) - 1] == '*';
    for (size_t i = 0; absents[i]; i++)
        n->absent |= strstr(state, absents[i]) != NULL;
    if (n->absent)
        site_remark(s, "nodes in state %.40s are left out", p->value);
}

/* Keys that change nothing here. */
static const char *const node_unread[] = {
    "TmpDisk", "Port", "NodeAddr", "NodeHostname", "TRESWeights", "Reason", "Procs", "CPUAlloc",
    "CPUEfctv", "CPULoad", "Arch", "AvailableFeatures", "AllocMem", "FreeMem", "Version", "OS",
    "Owner", "MCS_label", "Partitions", "BootTime", "SlurmdStartTime", "LastBusyTime", "CfgTRES",
    "AllocTRES", "CapWatts", "CurrentWatts", "AveWatts", "ExtSensorsJoules", "ExtSensorsWatts",
    "ExtSensorsTemp", "GresUsed", "GresDrain", "Comment", "Extra", "BcastAddr", "CoreSpecPlugin",
    "ResumeAfterTime", "InstanceId", "InstanceType", "CertToken", "Parameters", NULL
};

static int take_node_key(struct slurm_site *s, const struct conf_pair *p, struct node_line *l,
                         struct error *err)
{
    const struct { const char *key; int64_t *to, most; } numbers[] = {
        { "CPUs", &l->node.cpus, 1000000 }, { "CPUTot", &l->node.cpus, 1000000 },
        { "Boards", &l->boards, 1000 }, { "Sockets", &l->sockets, 10000 },
        { "SocketsPerBoard", &l->sockets, 10000 }, { "CoresPerSocket", &l->cores, 10000 },
        { "ThreadsPerCore", &l->threads, 1000 }, { "CoreSpecCount", &l->reserved_cores, 1000000 },
        { "RealMemory", &l->node.mem_mib, INT64_C(1) << 40 },
        { "MemSpecLimit", &l->reserved_mib, INT64_C(1) << 40 },
        { "Weight", &l->node.weight, INT64_C(4294967280) },
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (conf_is(p, numbers[i].key)) {
            l->cpus_said |= i < 2;
            return conf_integer(p, 0, numbers[i].most, numbers[i].to, err);
        }
    if (conf_is(p, "Gres"))
        return take_gres(s, p, &l->node, err);
    if (conf_is(p, "State"))
        take_state(s, p, &l->node);
    else if (conf_is(p, "Feature") || conf_is(p, "Features") || conf_is(p, "ActiveFeatures"))
        l->node.features = conf_is_nothing(p->value) ? "" : kept(s, p->value);
    else if (!conf_is(p, "NodeName") && !in_list(p, node_unread))
        site_remark(s, "left out: key %.40s of nodes", p->key);
    return 0;
}

struct adding { struct slurm_site *s; const struct node_line *line; struct error *err; };

static int add_node(void *self, const char *name, size_t length)
{
    struct adding *a = self;
    struct slurm_site *s = a->s;
    if (intern_find(s->names, name, length) != INTERN_NONE)
        return error_set(a->err, "%s:%zu:%zu: node '%.60s' is there twice", a->line->hosts->file,
                         a->line->hosts->line, a->line->hosts->column, name);
    intern_add(s->names, name, length);
    mem_grow(&s->node, &s->nodes_capacity, s->n_nodes, sizeof *s->node);
    s->node[s->n_nodes] = a->line->node;
    s->node[s->n_nodes++].name = arena_text(s->memory, name, length);
    return 0;
}

static int take_nodes(struct slurm_site *s, const struct conf *c, const struct conf_record *r,
                      struct node_line *defaults, struct error *err)
{
    const struct conf_pair *hosts = &c->pair[r->first];
    bool is_default = strcasecmp(hosts->value, "DEFAULT") == 0;
    struct node_line line = *defaults;
    int stopped;
    for (size_t i = 0; i < r->n; i++)
        if (take_node_key(s, &c->pair[r->first + i], &line, err) != 0)
            return -1;
    if (is_default) {
        *defaults = line;
        return 0;
    }
    line.hosts = hosts;
    if (!line.cpus_said)
        line.node.cpus = line.boards * line.sockets * line.cores * line.threads;
    line.node.cpus -= line.reserved_cores * line.threads;
    line.node.mem_mib -= line.reserved_mib;
    if (line.node.cpus < 0 || line.node.mem_mib < 0)
        return conf_error(hosts, "CoreSpecCount and MemSpecLimit below what the node has", err);
    struct adding a = { s, &line, err };
    const char *want = hostlist_each(hosts->value, strlen(hosts->value), add_node, &a, &stopped);
    return want ? conf_error(hosts, want, err) : stopped;
}

/* ---- partitions ---- */

static const struct site_partition partition_nothing = {
    .name = "", .qos = "", .tier = 1, .factor = 1, .max_time_s = SITE_UNLIMITED,
    .default_time_s = SITE_UNLIMITED, .max_nodes = SITE_UNLIMITED,
};

static const char *const partition_unread[] = {
    "PartitionName", "Nodes", "AllocNodes", "DisableRootJobs", "Hidden", "RootOnly", "TotalCPUs",
    "TotalNodes", "TRES", "Alternate", "NodeSets", "MaxCPUsPerSocket", NULL
};
/* Keys that would change a schedule, with the values that do not. */
static const struct { const char *key, *harmless; } partition_left[] = {
    { "AllowGroups", "ALL" }, { "AllowAccounts", "ALL" }, { "AllowQos", "ALL" },
    { "DenyAccounts", "" }, { "DenyQos", "" }, { "LLN", "NO" }, { "MaxCPUsPerNode", "UNLIMITED" },
    { "OverTimeLimit", "NONE" }, { "DefMemPerNode", "UNLIMITED" }, { "DefMemPerCPU", "UNLIMITED" },
    { "MaxMemPerNode", "UNLIMITED" }, { "MaxMemPerCPU", "UNLIMITED" }, { "JobDefaults", "(null)" },
    { "ExclusiveUser", "NO" }, { "ReqResv", "NO" }, { "SelectTypeParameters", "NONE" },
    { "TRESBillingWeights", "" }, { "CpuBind", "" }, { "PowerDownOnIdle", "NO" },
};

static bool is_yes(const char *value)
{
    return strcasecmp(value, "YES") == 0;
}

/* One word of the list: a mode, or one that adds to it. false: there is no such word. */
static bool read_preempt_word(struct slurm_site *s, const char *word, size_t length, bool *adds,
                              enum site_preempt *to)
{
    static const struct {
        const char *word;
        enum site_preempt mode;
        bool adds; /* and is no mode */
        const char *left_out;
    } modes[] = {
        { "OFF", SITE_PREEMPT_OFF, false, NULL },
        { "REQUEUE", SITE_PREEMPT_REQUEUE, false, NULL },
        { "CANCEL", SITE_PREEMPT_CANCEL, false, NULL },
        { "SUSPEND", SITE_PREEMPT_SUSPEND, false,
          "left out: PreemptMode SUSPEND: that suspended jobs give their CPUs to others; they keep "
          "their GPUs and memory, so that no job gets GPUs by it" },
        { "CLUSTER", SITE_PREEMPT_CLUSTER, false, NULL },
        { "GANG", SITE_PREEMPT_OFF, true, "left out: PreemptMode GANG: time slices" },
        { "WITHIN", SITE_PREEMPT_OFF, true,
          "left out: PreemptMode WITHIN: that jobs of one QOS stop each other" },
        { "PRIORITY", SITE_PREEMPT_OFF, true,
          "left out: PreemptMode PRIORITY: that only jobs of lower priority are stopped" },
    };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strlen(modes[i].word) == length && strncasecmp(word, modes[i].word, length) == 0) {
            *adds |= modes[i].adds;
            *to = modes[i].adds ? *to : modes[i].mode;
            if (modes[i].left_out)
                site_remark(s, "%s", modes[i].left_out);
            return true;
        }
    return false;
}

bool site_preempt_read(struct slurm_site *s, const char *words, enum site_preempt *to)
{
    bool adds = false;
    *to = SITE_PREEMPT_CLUSTER;
    for (const char *at = words;; at++) {
        size_t length = strcspn(at, ",");
        if (!read_preempt_word(s, at, length, &adds, to))
            return false;
        at += length;
        if (!*at)
            break;
    }
    if (adds && *to == SITE_PREEMPT_CLUSTER)
        *to = SITE_PREEMPT_OFF;
    return true;
}

static void leave_partition_key(struct slurm_site *s, const struct conf_pair *p)
{
    for (size_t i = 0; i < sizeof partition_left / sizeof *partition_left; i++)
        if (conf_is(p, partition_left[i].key)) {
            if (strcasecmp(p->value, partition_left[i].harmless) != 0 && !conf_is_nothing(p->value))
                site_remark(s, "left out: %.40s=%.60s of partitions", p->key, p->value);
            return;
        }
    if (!in_list(p, partition_unread))
        site_remark(s, "left out: key %.40s of partitions", p->key);
}

static int take_partition_key(struct slurm_site *s, const struct conf_pair *p,
                              struct site_partition *to, struct error *err)
{
    const struct { const char *key; int64_t *to; } numbers[] = {
        { "PriorityTier", &to->tier }, { "PriorityJobFactor", &to->factor },
        { "MinNodes", &to->min_nodes }, { "MaxNodes", &to->max_nodes }
    }, times[] = { { "MaxTime", &to->max_time_s }, { "DefaultTime", &to->default_time_s } };
    for (size_t i = 0; i < 4; i++)
        if (conf_is(p, numbers[i].key))
            return conf_is_nothing(p->value) ? 0 : conf_integer(p, 0, 65533, numbers[i].to, err);
    for (size_t i = 0; i < 2; i++)
        if (conf_is(p, times[i].key)) {
            if (!conf_is_nothing(p->value) && conf_span(p, 60, times[i].to, err) != 0)
                return -1;
            *times[i].to =
                conf_is_nothing(p->value) ? SITE_UNLIMITED : span_whole_minutes(*times[i].to);
            if (!*times[i].to && times[i].to == &to->default_time_s) {
                site_remark(s, "guessed: DefaultTime=0 of partitions is none");
                to->default_time_s = SITE_UNLIMITED;
            }
            return 0;
        }
    if (conf_is(p, "GraceTime"))
        return conf_span(p, 1, &to->grace_s, err);
    if (conf_is(p, "PreemptMode"))
        return site_preempt_read(s, p->value, &to->preempt)
                   ? 0
                   : conf_error(p, SITE_PREEMPT_WANT, err);
    if (conf_is(p, "Priority")) {
        if (conf_integer(p, 0, 65533, &to->tier, err) != 0)
            return -1;
        to->factor = to->tier;
    } else if (conf_is(p, "Default")) {
        to->is_default = is_yes(p->value);
    } else if (conf_is(p, "QOS")) {
        to->qos = conf_is_nothing(p->value) ? "" : kept(s, p->value);
    } else if (conf_is(p, "State")) {
        to->down = strcasecmp(p->value, "UP") != 0;
    } else if (conf_is(p, "OverSubscribe") || conf_is(p, "Shared")) {
        to->exclusive = strcasecmp(p->value, "EXCLUSIVE") == 0;
        if (!to->exclusive && strcasecmp(p->value, "NO") != 0)
            site_remark(s, "left out: OverSubscribe=%.40s of partitions, read as NO", p->value);
    } else {
        leave_partition_key(s, p);
    }
    return 0;
}

struct marking {
    struct slurm_site *s;
    const struct conf_pair *p;
    uint64_t bit;
    bool shown;
    const struct conf *conf;      /* its NodeSets */
    bool in_set;                  /* names are those of a NodeSet, which holds no other */
    struct error *err;
};

static bool has_feature(const struct site_node *n, const char *feature)
{
    size_t length = strlen(feature);
    for (const char *at = n->features; *at; at += strspn(at, ",")) {
        size_t own = strcspn(at, ",");
        if (own == length && memcmp(at, feature, own) == 0)
            return true;
        at += own;
    }
    return false;
}

static int mark_node(void *self, const char *name, size_t length);

/* Nodes with the feature of a NodeSet, and those that it names. -1 with err, 1: no such set. */
static int mark_set(struct marking *m, const char *name)
{
    const struct conf_record *r = NULL;
    for (size_t i = 0; i < m->conf->n_records; i++)
        if (m->conf->record[i].n && conf_is(&m->conf->pair[m->conf->record[i].first], "NodeSet") &&
            strcmp(m->conf->pair[m->conf->record[i].first].value, name) == 0)
            r = &m->conf->record[i];
    if (!r || m->in_set)
        return 1;
    const struct conf_pair *feature = conf_find(m->conf, r, "Feature"),
                           *nodes = conf_find(m->conf, r, "Nodes");
    struct marking inner = *m;
    int stopped = 0;
    for (size_t i = 0; i < m->s->n_nodes && feature; i++)
        if (has_feature(&m->s->node[i], feature->value))
            m->s->node[i].partitions |= m->bit;
    if (!nodes)
        return 0;
    inner.p = nodes;
    inner.in_set = true;
    const char *want =
        hostlist_each(nodes->value, strlen(nodes->value), mark_node, &inner, &stopped);
    return want ? conf_error(nodes, want, m->err) : stopped;
}

static int mark_node(void *self, const char *name, size_t length)
{
    struct marking *m = self;
    int found;
    uint32_t n = intern_find(m->s->names, name, length);
    if (n != INTERN_NONE) {
        m->s->node[n].partitions |= m->bit;
        return 0;
    }
    if (strcasecmp(name, "ALL") == 0) {
        for (size_t i = 0; i < m->s->n_nodes; i++)
            m->s->node[i].partitions |= m->bit;
        return 0;
    }
    if ((found = mark_set(m, name)) <= 0)
        return found;
    if (m->shown) {
        site_remark(m->s, "left out: nodes of partition that scontrol show node does not have");
        return 0;
    }
    return error_set(m->err, "%s:%zu:%zu: %s: want nodes of the site or ALL, got '%.60s'",
                     m->p->file, m->p->line, m->p->column, m->p->key, name);
}

static int take_partition(struct slurm_site *s, const struct conf *c, const struct conf_record *r,
                          struct site_partition *defaults, const struct conf_pair **default_nodes,
                          bool shown, struct error *err)
{
    const struct conf_pair *name = &c->pair[r->first], *nodes = conf_find(c, r, "Nodes");
    struct site_partition p = *defaults;
    int stopped = 0;
    for (size_t i = 0; i < r->n; i++)
        if (take_partition_key(s, &c->pair[r->first + i], &p, err) != 0)
            return -1;
    nodes = nodes ? nodes : *default_nodes;
    if (strcasecmp(name->value, "DEFAULT") == 0) {
        *defaults = p;
        *default_nodes = nodes;
        return 0;
    }
    if (!*name->value || strpbrk(name->value, "=!<>&|;:*, \t"))
        return conf_error(name, "a name without = ! < > & | ; : * , and spaces", err);
    if (s->n_partitions == SITE_PARTITIONS_MAX)
        return conf_error(name, "at most 64 partitions", err);
    for (size_t i = 0; i < s->n_partitions; i++)
        if (strcmp(s->partition[i].name, name->value) == 0)
            return conf_error(name, "a partition that is not there yet", err);
    p.name = kept(s, name->value);
    for (size_t i = 0; p.is_default && i < s->n_partitions; i++)
        if (s->partition[i].is_default) {
            site_remark(s, "of several default partitions the last is it");
            s->partition[i].is_default = false;
        }
    s->partition[s->n_partitions++] = p;
    if (!nodes || conf_is_nothing(nodes->value))
        return 0;
    struct marking m = { .s = s, .p = nodes, .bit = UINT64_C(1) << (s->n_partitions - 1),
                         .shown = shown, .conf = c, .err = err };
    const char *want = hostlist_each(nodes->value, strlen(nodes->value), mark_node, &m, &stopped);
    return want ? conf_error(nodes, want, err) : stopped;
}

/* ---- files ---- */

static int take_all_nodes(struct slurm_site *s, const struct conf *c, struct error *err)
{
    struct node_line defaults = node_nothing;
    for (size_t i = 0; i < c->n_records; i++) {
        const struct conf_record *r = &c->record[i];
        if (r->n && conf_is(&c->pair[r->first], "NodeName") &&
            take_nodes(s, c, r, &defaults, err) != 0)
            return -1;
    }
    return 0;
}

static int take_all_partitions(struct slurm_site *s, const struct conf *c, bool shown,
                               struct error *err)
{
    struct site_partition defaults = partition_nothing;
    const struct conf_pair *nodes = NULL;
    for (size_t i = 0; i < c->n_records; i++) {
        const struct conf_record *r = &c->record[i];
        if (r->n && conf_is(&c->pair[r->first], "PartitionName") &&
            take_partition(s, c, r, &defaults, &nodes, shown, err) != 0)
            return -1;
    }
    return 0;
}

/* Single keys that the import reads. */
static const char *const keys_read[] = {
    "ClusterName", "SchedulerType", "SchedulerParameters", "SelectTypeParameters", "PriorityType",
    "PriorityWeightAge", "PriorityWeightFairshare", "PriorityWeightJobSize",
    "PriorityWeightPartition", "PriorityWeightQOS", "PriorityWeightAssoc", "PriorityWeightTRES",
    "PriorityMaxAge", "PriorityDecayHalfLife", "PriorityCalcPeriod", "PriorityFavorSmall",
    "PreemptType", "PreemptMode", "OverTimeLimit", "JobRequeue", "NodeName", "PartitionName",
    "NodeSet", NULL
};

/* All other single keys in one remark. */
static void remark_unread(struct slurm_site *s)
{
    char list[400] = "";
    size_t n = 0;
    unsigned more = 0;
    for (size_t i = 0; i < s->conf.n_records; i++) {
        const struct conf_record *r = &s->conf.record[i];
        const struct conf_pair *p = r->n == 1 ? &s->conf.pair[r->first] : NULL;
        if (!p || in_list(p, keys_read) || conf_global(&s->conf, p->key) != p)
            continue;
        if (n + strlen(p->key) + 2 < sizeof list)
            n += (size_t)sprintf(list + n, "%s%s", n ? ", " : "", p->key);
        else
            more++;
    }
    if (more)
        site_remark(s, "not read of slurm.conf: %s and %u more", list, more);
    else if (n)
        site_remark(s, "not read of slurm.conf: %s", list);
}

int site_read_conf(struct slurm_site *s, const char *path, struct error *err)
{
    static const char *const lines[] = { "NodeName", "PartitionName", "NodeSet", NULL };
    if (conf_read(&s->conf, path, CONF_FILE, err) != 0)
        return -1;
    for (size_t i = 0; i < s->conf.n_records; i++) {
        const struct conf_record *r = &s->conf.record[i];
        if (r->n > 1 && !in_list(&s->conf.pair[r->first], lines))
            site_remark(s, "left out: line %.40s=%.60s", s->conf.pair[r->first].key,
                        s->conf.pair[r->first].value);
    }
    remark_unread(s);
    const struct conf_pair *mode = conf_global(&s->conf, "PreemptMode");
    if (mode && !site_preempt_read(s, mode->value, &s->preempt))
        return conf_error(mode, SITE_PREEMPT_WANT, err);
    return s->n_nodes || take_all_nodes(s, &s->conf, err) == 0
               ? (s->n_partitions ? 0 : take_all_partitions(s, &s->conf, false, err))
               : -1;
}

int site_read_nodes(struct slurm_site *s, const char *path, struct error *err)
{
    struct conf c = { 0 };
    int result = conf_read(&c, path, CONF_SHOWN, err) == 0 ? take_all_nodes(s, &c, err) : -1;
    if (result == 0 && !s->n_nodes)
        result =
            error_set(err, "%s: want lines of scontrol show node -o, got none with NodeName", path);
    conf_free(&c);
    return result;
}

int site_read_partitions(struct slurm_site *s, const char *path, struct error *err)
{
    struct conf c = { 0 };
    int result =
        conf_read(&c, path, CONF_SHOWN, err) == 0 ? take_all_partitions(s, &c, true, err) : -1;
    if (result == 0 && !s->n_partitions)
        result = error_set(
            err, "%s: want lines of scontrol show partition -o, got none with PartitionName", path);
    conf_free(&c);
    return result;
}
