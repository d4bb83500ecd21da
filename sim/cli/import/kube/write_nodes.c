/* write_nodes.c - the nodes of a Kubernetes cluster as groups of a cluster file: see kubernetes.h.
 *
 * Nodes are numbered by the levels of the topology and name, in the order of bytes. A group
 * is a run of nodes that are alike in all that is written, and in one rack. A label is written if a
 * job or flavor asks for its key: others change nothing. */
#include "sim/cli/import/kube/kubernetes.h"
#include "sim/cli/import/levels_text.h"
#include "sim/cluster/catalogue.h"
#include "sim/cluster/mig.h"
#include "sim/cluster/pod_terms.h"
#include "sim/io/config.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *kube_node_label(const struct kube_node *n, const char *key)
{
    for (uint32_t i = 0; key && i < n->n_labels; i++)
        if (!strcmp(n->label[i].key, key))
            return n->label[i].value;
    return NULL;
}

/* ---- which labels ---- */

/* Keys of "k=v;k" or "5:k=a|b&!k;k>3". */
static void ask_for(struct intern *keys, const char *texts)
{
    for (const char *at = texts; *at; at += strspn(at, ";&")) {
        size_t length = strcspn(at, ";&"), skip = strspn(at, "0123456789");
        const char *key = skip < length && at[skip] == ':' ? at + skip + 1 : at;
        key += *key == '!';
        size_t n = strcspn(key, "=!<>:;&");
        if (n)
            intern_add(keys, key, n);
        at += length;
    }
}

/* Terms between pods ask for labels of pods, and for the label of nodes that makes their domains.
 */
static void ask_by_terms(struct kube_import *im, const char *terms)
{
    struct pod_term_text term;
    for (const char *rest = terms; pod_term_next(&rest, false, &term);) {
        char *needs = mem_text(term.needs, term.needs_n);
        ask_for(im->pod_keys, needs);
        intern_add(im->labels, term.key, term.key_n);
        free(needs);
    }
}

/* A spread counts pods of one namespace. */
static void ask_by_spread(struct kube_import *im, const struct kube_ask *ask)
{
    struct pod_term_text term;
    for (const char *rest = ask->pod_spread; pod_term_next(&rest, true, &term);) {
        intern_add(im->pod_keys, KUBE_NAMESPACE, strlen(KUBE_NAMESPACE));
        intern_add(im->labels, term.key, term.key_n);
    }
    ask_for(im->pod_keys, ask->spread_labels);
}

static void collect_keys(struct kube_import *im)
{
    const struct kube_site *s = im->s;
    for (size_t u = 0; u < im->jobs.n; u++) {
        const struct kube_unit *unit = &im->jobs.unit[u];
        for (size_t g = 0; g < unit->n_groups && unit->state != KUBE_LEFT; g++) {
            ask_by_terms(im, unit->group[g].ask->pod_affinity);
            ask_by_terms(im, unit->group[g].ask->pod_anti_affinity);
            ask_by_spread(im, unit->group[g].ask);
            ask_for(im->labels, kube_wishes(unit, &unit->group[g])->selector);
            ask_for(im->labels, kube_wishes(unit, &unit->group[g])->affinity);
        }
    }
    for (size_t f = 0; f < s->n_flavors; f++)
        ask_for(im->labels, s->flavors[f].labels);
}

/* ---- the order of nodes ---- */

struct place {
    const struct kube_import *im;
    uint32_t node;
};

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const struct kube_site *s = x->im->s;
    int order = kube_level_order(x->im, x->node, y->node);
    order = order ? order : strcmp(s->nodes[x->node].name, s->nodes[y->node].name);
    return order ? order : x->node < y->node ? -1 : x->node > y->node;
}

static void number_nodes(struct kube_import *im)
{
    struct kube_site *s = im->s;
    struct place *place = mem_new(s->n_nodes + 1, sizeof *place);
    im->order = mem_new(s->n_nodes + 1, sizeof *im->order);
    im->number = mem_new(s->n_nodes + 1, sizeof *im->number);
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        im->number[i] = NO_NODE;
        if (s->nodes[i].not_ready)
            remark(&s->remarks, "left out: nodes that are not ready");
        else
            place[im->n_present++] = (struct place){ im, i };
    }
    qsort(place, im->n_present, sizeof *place, by_place);
    for (uint32_t i = 0; i < im->n_present; i++) {
        im->order[i] = place[i].node;
        im->number[place[i].node] = i;
    }
    free(place);
}

void kube_import_order(struct kube_import *im)
{
    im->labels = intern_new();
    im->pod_keys = intern_new();
    for (size_t i = 0; i < im->s->n_cluster_queues; i++)
        im->flavored |= im->s->cluster_queues[i].n_quotas > 0 && im->jobs.queues == QUEUES_KUEUE;
    collect_keys(im);
    kube_levels_choose(im);
    number_nodes(im);
}

void kube_import_free(struct kube_import *im)
{
    intern_free(im->labels);
    intern_free(im->pod_keys);
    kube_levels_free(im);
    free(im->order);
    free(im->number);
}

/* ---- GPU models ---- */

static const char *product_of(const struct kube_node *n)
{
    static const char *const keys[] = { "nvidia.com/gpu.product", "amd.com/gpu.product-name",
                                        "cloud.google.com/gke-accelerator" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = kube_node_label(n, keys[i]);
        if (value && strcmp(value, KUBE_EMPTY) != 0)
            return value;
    }
    return NULL;
}

/* "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb" is cut out of "NVIDIA-A100-SXM4-40GB". */
static size_t product_length(const char *product)
{
    const char *cut = strstr(product, "-MIG-"), *shared = strstr(product, "-SHARED");
    size_t length = strlen(product);
    if (cut)
        length = (size_t)(cut - product);
    if (shared && (size_t)(shared - product) < length)
        length = (size_t)(shared - product);
    return length;
}

/* Whether a word of `text` (between '-') begins with the word, and goes on with nothing or "GB". */
static bool has_word(const char *text, size_t length, const char *word, size_t n)
{
    for (size_t i = 0; i < length; i++) {
        if (i && text[i - 1] != '-')
            continue;
        size_t own = 0;
        while (i + own < length && text[i + own] != '-')
            own++;
        bool gb = own == n + 2 && !strncasecmp(text + i + n, "GB", 2);
        if ((own == n || gb) && !strncasecmp(text + i, word, n))
            return true;
    }
    return false;
}

/* Words of the catalogue's name that the product has; 0: not the first one. RTX-4090 needs both. */
static unsigned words_found(const char *product, size_t length, const char *model)
{
    unsigned found = 0;
    for (const char *at = model; *at; at += strspn(at, "-")) {
        size_t n = strcspn(at, "-");
        bool has = has_word(product, length, at, n);
        if (!has && (at == model || !strncmp(model, "RTX-", 4)))
            return 0;
        found += has;
        at += n;
    }
    return found;
}

static const struct gpu_model *model_like(const char *product, size_t length, bool *several)
{
    const struct gpu_model *best = NULL;
    unsigned most = 0;
    *several = false;
    for (const struct gpu_model *g = gpu_catalogue; g->name; g++) {
        unsigned found = words_found(product, length, g->name);
        if (found && found == most)
            *several = true;
        if (found > most) {
            most = found;
            best = g;
            *several = false;
        }
    }
    return best;
}

static void put_models(struct kube_import *im, FILE *f)
{
    struct intern *seen = intern_new();
    bool any = false, several;
    char name[256];
    for (uint32_t i = 0; i < im->n_present; i++) {
        const char *product = product_of(&im->s->nodes[im->order[i]]);
        size_t length = product ? product_length(product) : 0;
        if (!length || intern_find(seen, product, length) != INTERN_NONE)
            continue;
        intern_add(seen, product, length);
        const struct gpu_model *like = model_like(product, length, &several);
        snprintf(name, sizeof name, "%.*s", (int)(length < 200 ? length : 200), product);
        if (!like) {
            remark(&im->s->remarks, "GPU product %.80s is not in the catalogue (gpuyard list gpus)",
                   name);
            continue;
        }
        remark(&im->s->remarks, "guessed: GPU product %.80s is %s%s", name, like->name,
               several ? ", the first of several in the catalogue" : "");
        fputs(any ? ", { name: " : "gpu_models: [ { name: ", f);
        config_put_quoted(f, name);
        fprintf(f, ", like: %s }", like->name);
        any = true;
    }
    fputs(any ? " ]\n" : "", f);
    intern_free(seen);
}

/* ---- one node ---- */

void kube_put_labels(FILE *f, const char *key, const char *labels)
{
    bool any = false;
    for (const char *at = labels; *at; at += strspn(at, ";")) {
        char text[800];
        size_t length = strcspn(at, ";"), k = strcspn(at, "=");
        fprintf(f, "%s%s", any ? ", " : "", any ? "" : key);
        snprintf(text, sizeof text, "%.*s", (int)k, at);
        config_put_quoted(f, text);
        fputs(": ", f);
        snprintf(text, sizeof text, "%.*s", (int)(length - k - 1), at + k + 1);
        config_put_quoted(f, text);
        any = true;
        at += length;
    }
    fputs(any ? " }" : "", f);
}

void kube_put_texts(FILE *f, const char *key, const char *texts)
{
    bool any = false;
    for (const char *at = texts; *at; at += strspn(at, ";")) {
        char text[800];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(at, ";"), at);
        fprintf(f, "%s%s", any ? ", " : "", any ? "" : key);
        config_put_quoted(f, text);
        any = true;
        at += strcspn(at, ";");
    }
    fputs(any ? " ]" : "", f);
}

char *kube_node_labels(const struct kube_import *im, const struct kube_node *n)
{
    static const char marks[] = "=!<>&|;:*, \t";
    char *text = NULL;
    size_t length = 0;
    FILE *all = mem_stream(&text, &length);
    bool any = false;
    for (uint32_t i = 0; i < n->n_labels; i++) {
        const char *key = n->label[i].key, *value = n->label[i].value;
        if (intern_find(im->labels, key, strlen(key)) == INTERN_NONE || strpbrk(key, marks) ||
            strpbrk(value, marks))
            continue;
        fprintf(all, "%s%s=%s", any ? ";" : "", key, value);
        any = true;
    }
    mem_stream_end(all, &text);
    return text;
}

/* GPUs of a node that is cut: as the label says, else as few as hold the instances. */
static int64_t gpus_below(const struct kube_node *n, int64_t slices)
{
    const char *count = kube_node_label(n, "nvidia.com/gpu.count");
    int64_t gpus = count ? strtoll(count, NULL, 10) : 0;
    return gpus > 0 && gpus < 1000 ? gpus : (slices + MIG_COMPUTE_SLICES - 1) / MIG_COMPUTE_SLICES;
}

/* Profiles of "1g.5gb=7;2g.10gb=3" as a mapping; their compute slices. */
static int64_t put_mig(FILE *f, const char *mig)
{
    int64_t slices = 0;
    bool any = false;
    for (const char *at = mig; *at; at += strspn(at, ";")) {
        char name[64];
        size_t n = strcspn(at, "=");
        int64_t count = strtoll(at + n + 1, NULL, 10);
        snprintf(name, sizeof name, "%.*s", (int)(n < 60 ? n : 60), at);
        uint16_t profile = mig_profile(name);
        at += strcspn(at, ";");
        if (!profile)
            continue;
        fprintf(f, "%s%s: %" PRId64, any ? ", " : ", mig: { ", name, count);
        slices += count * mig_g(profile);
        any = true;
    }
    fputs(any ? " }" : "", f);
    return slices;
}

static bool asks_for_memory(const struct kube_import *im)
{
    for (size_t u = 0; u < im->jobs.n; u++)
        for (size_t g = 0; g < im->jobs.unit[u].n_groups; g++)
            if (im->jobs.unit[u].group[g].ask->share_mem_mib)
                return true;
    return false;
}

/* Of a GPU that is no model of the catalogue. */
static void put_gpu_memory(struct kube_import *im, FILE *f, const struct kube_node *n,
                           const char *product)
{
    bool unused;
    const char *label = kube_node_label(n, "nvidia.com/gpu.memory");
    int64_t mib = label ? strtoll(label, NULL, 10) : 0;
    if (product && model_like(product, product_length(product), &unused))
        return;
    if (mib > 0 && mib < 100000000)
        fprintf(f, ", gpu_memory_gib: %.10g", (double)mib / 1024);
    else if (asks_for_memory(im))
        remark(&im->s->remarks, "the memory of GPUs of some nodes is not known: jobs that ask for "
                                "a share of a GPU by memory want its gpu_memory_gib in the "
                                "cluster file");
}

/* Whole GPUs, or GPUs that are cut: all into instances of one profile that count as GPUs (strategy
 * single), or into instances with names of their own (mixed). Returns GPUs for the report. */
static int64_t put_gpus(struct kube_import *im, FILE *f, const struct kube_node *n)
{
    const char *product = product_of(n), *single = product ? strstr(product, "-MIG-") : NULL;
    char mig[256] = "", *text = NULL;
    size_t length = 0;
    snprintf(mig, sizeof mig, "%.200s", n->mig);
    if (single && n->gpus)
        snprintf(mig, sizeof mig, "%.40s=%" PRId64, single + 5, n->gpus);
    FILE *cut = mem_stream(&text, &length);
    int64_t slices = put_mig(cut, mig);
    mem_stream_end(cut, &text);
    int64_t gpus = slices ? gpus_below(n, slices) : n->gpus;
    if (slices && !single && n->gpus)
        remark(&im->s->remarks, "left out: whole GPUs of nodes with MIG instances");
    if (kube_node_label(n, "nvidia.com/gpu.replicas") && product && strstr(product, "-SHARED"))
        remark(&im->s->remarks,
               "guessed: a replica of a GPU that is shared by time slices is a GPU");
    fprintf(f, ", gpus: %" PRId64, gpus);
    if (product && gpus) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)product_length(product), product);
        fputs(", gpu_model: ", f);
        config_put_quoted(f, name);
    }
    if (gpus && !slices)
        put_gpu_memory(im, f, n, product);
    fprintf(f, "%s%s", text, slices && single ? ", mig_strategy: single" : "");
    free(text);
    return gpus;
}

static char *body_of(struct kube_import *im, uint32_t node)
{
    const struct kube_node *n = &im->s->nodes[node];
    int64_t cpu_milli = n->cpu_milli - im->jobs.taken_cpu_milli[node],
            mem_mib = n->mem_mib - im->jobs.taken_mem_mib[node];
    char *text = NULL;
    size_t length = 0;
    FILE *f = mem_stream(&text, &length);
    im->gpus += put_gpus(im, f, n);
    fprintf(f, ", cpus: %.10g, memory_gib: %.16g", (double)(cpu_milli > 0 ? cpu_milli : 0) / 1000,
            (double)(mem_mib > 0 ? mem_mib : 0) / 1024);
    char *labels = kube_node_labels(im, n);
    kube_put_labels(f, ", labels: { ", labels);
    free(labels);
    kube_put_texts(f, ", taints: [ ", n->taints);
    mem_stream_end(f, &text);
    return text;
}

/* ---- levels above the node ---- */

static bool same_domain(const void *self, uint32_t a, uint32_t b, uint32_t k)
{
    const struct kube_import *im = self;
    return kube_level_same(im, im->level[k], im->order[a], im->order[b]);
}

static void put_place(struct kube_import *im, FILE *f, uint32_t i, struct level_counts *counted)
{
    struct level_places p = { .n_nodes = im->n_present, .same = same_domain, .self = im };
    for (; p.levels.n < im->n_levels; p.levels.n++)
        p.levels.name[p.levels.n] = kube_level(im, im->topology->level[im->level[p.levels.n]]);
    if (im->n_levels && !same_domain(im, i, i, 0))
        remark(&im->s->remarks,
               "guessed: a node without the topology's labels is a rack of its own");
    char *text = level_place_text(&p, i, counted);
    fputs(text, f);
    free(text);
}

/* ---- all ---- */

static void put_nodes(struct kube_import *im, FILE *f)
{
    char **body = mem_new(im->n_present + 1, sizeof *body), name[512];
    struct level_counts counted = { 0 };
    for (uint32_t i = 0; i < im->n_present; i++)
        body[i] = body_of(im, im->order[i]);
    fputs("nodes:\n", f);
    for (uint32_t i = 0, end; i < im->n_present; i = end) {
        for (end = i + 1; end < im->n_present && !strcmp(body[i], body[end]) &&
                          (im->n_levels == 0 || same_domain(im, i, end, 0));)
            end++;
        snprintf(name, sizeof name, "%.250s%s%.250s", im->s->nodes[im->order[i]].name,
                 end - i > 1 ? "-" : "", end - i > 1 ? im->s->nodes[im->order[end - 1]].name : "");
        fputs("  - { group: ", f);
        config_put_quoted(f, name);
        fprintf(f, ", count: %" PRIu32 "%s", end - i, body[i]);
        put_place(im, f, i, &counted);
        fputs(" }\n", f);
    }
    for (uint32_t i = 0; i < im->n_present; i++)
        free(body[i]);
    free(body);
}

void kube_put_cluster(struct kube_import *im, FILE *f)
{
    fputs("name: kubernetes\n", f);
    put_models(im, f);
    put_nodes(im, f);
    kube_put_flavors(im, f);
    kube_put_queues(im, f);
}
