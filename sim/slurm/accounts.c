/* accounts.c - see accounts.h. */
#include "sim/slurm/accounts.h"

#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/base/utf8.h"
#include "sim/io/input.h"
#include "sim/io/table_in.h"
#include "sim/slurm/span.h"
#include "sim/slurm/tres.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NUMBER_MOST 1000000000 /* a cluster file has no more */

/* A key with its value, and where it stands. */
struct given { const char *key, *value, *file; size_t line, column; };
struct reading {
    struct slurm_accounts *to;
    struct slurm_site *remarks;
    uint32_t parent;              /* dump: of the family that is being read */
    const char **column;          /* tables: names of the header */
    size_t n_columns;
    bool qos;
};

static int wrong(const struct given *g, const char *want, struct error *err)
{
    return error_set(err, "%s:%zu:%zu: %.40s: want %s, got '%.40s'", g->file, g->line, g->column,
                     g->key, want, g->value);
}

static bool is(const struct given *g, const char *key)
{
    return strcasecmp(g->key, key) == 0;
}

static int take_number(const struct given *g, int64_t *to, struct error *err)
{
    int64_t value;
    if (!integer_parse(g->value, strlen(g->value), &value) || value < -1 ||
        (value > NUMBER_MOST && value != SHARES_OF_PARENT))
        return wrong(g, "a whole number from -1 to 1000000000", err);
    *to = value;
    return 0;
}

/* Whether all GPUs of the site are of that type. */
static bool is_only_type(const struct slurm_site *s, const char *type, size_t length)
{
    for (size_t i = 0; i < s->n_nodes; i++) {
        const char *own = s->node[i].type;
        if (s->node[i].gpus && (strlen(own) != length || strncasecmp(own, type, length) != 0))
            return false;
    }
    return true;
}

/* The GPUs of a limit of TRES; other resources are left out, and so are GPUs of one type, where
 * the site has others. "=-1" takes a limit away. */
static int take_gpus(struct slurm_site *s, const struct given *g, int64_t *to, struct error *err)
{
    struct tres t;
    char *text = mem_new(strlen(g->value) + 1, 1);
    size_t n = 0;
    for (const char *at = g->value; *at; at += *at == ',') {
        size_t length = strcspn(at, ",");
        if (length <= 3 || memcmp(at + length - 3, "=-1", 3) != 0)
            n += (size_t)sprintf(text + n, "%s%.*s", n ? "," : "", (int)length, at);
        at += length;
    }
    bool read = tres_parse(text, n, &t);
    bool typed = read && t.typed && !(t.types == 1 && is_only_type(s, t.type, t.type_length));
    free(text);
    if (!read)
        return wrong(g, TRES_WANT, err);
    if (t.gpus > NUMBER_MOST)
        return wrong(g, "at most 1000000000 GPUs", err);
    if (t.gpus >= 0 && !typed)
        *to = t.gpus;
    if (t.cpus >= 0 || t.mem_mib >= 0 || t.nodes >= 0 || t.others)
        site_remark(s, "left out: limits of resources other than gres/gpu (%.40s=%.60s)", g->key,
                    g->value);
    if (typed || (t.types && !t.typed))
        site_remark(s, "left out: limits of GPUs of one type (%.40s=%.60s)", g->key, g->value);
    return 0;
}

static int take_time(const struct given *g, int64_t *to, struct error *err)
{
    return span_parse(g->value, strlen(g->value), 60, to) ? 0 : wrong(g, SPAN_WANT, err);
}

/* Keys that change nothing here. */
static bool is_harmless(const struct given *g)
{
    static const char *const keys[] = { "Cluster",
                                        "Account",
                                        "User",
                                        "Name",
                                        "Description",
                                        "Organization",
                                        "DefaultAccount",
                                        "QOS",
                                        "AdminLevel",
                                        "ParentName",
                                        "Par Name",
                                        "ID",
                                        "LFT",
                                        "RGT",
                                        "ParentID",
                                        "WCKeys",
                                        "DefaultWCKey",
                                        "Coordinators",
                                        "UsageThres",
                                        "UsageFactor",
                                        "LimitFactor",
                                        NULL };
    for (size_t i = 0; keys[i]; i++)
        if (is(g, keys[i]))
            return true;
    return false;
}

static int take_assoc_key(struct reading *r, const struct given *g, struct slurm_assoc *a,
                          struct error *err)
{
    if (!*g->value)
        return 0;
    if (is(g, "Fairshare") || is(g, "Share") || is(g, "RawShares")) {
        a->shares = SHARES_OF_PARENT;
        int result = strcasecmp(g->value, "parent") == 0 ? 0 : take_number(g, &a->shares, err);
        a->shares = a->shares < 0 ? 1 : a->shares; /* -1: what an account has by default */
        return result;
    }
    if (is(g, "GrpTRES"))
        return take_gpus(r->remarks, g, &a->group_gpus, err);
    if (is(g, "MaxTRES") || is(g, "MaxTRESPerJob"))
        return take_gpus(r->remarks, g, &a->max_gpus_per_job, err);
    if (is(g, "GrpJobs"))
        return take_number(g, &a->group_jobs, err);
    if (is(g, "MaxJobs"))
        return take_number(g, &a->max_jobs, err);
    if (is(g, "MaxWall") || is(g, "MaxWallDurationPerJob"))
        return take_time(g, &a->max_time_s, err);
    if (is(g, "Priority"))
        return take_number(g, &a->priority, err);
    if (is(g, "DefaultQOS") || is(g, "Def QOS"))
        a->default_qos = arena_text(r->to->memory, g->value, strlen(g->value));
    else if (is(g, "Partition"))
        site_remark(r->remarks, "left out: that an association is of one partition (%.60s)",
                    g->value);
    else if (!is_harmless(g))
        site_remark(r->remarks, "left out: key %.40s of associations", g->key);
    return 0;
}

static int take_qos_key(struct reading *r, const struct given *g, struct slurm_qos *q,
                        struct error *err)
{
    const struct { const char *key, *other; int64_t *to;
    } gpus[] = { { "GrpTRES", "GrpTRES", &q->group_gpus },
                 { "MaxTRES", "MaxTRESPerJob", &q->max_gpus_per_job },
                 { "MaxTRESPU", "MaxTRESPerUser", &q->max_gpus_per_user },
                 { "MaxTRESPA", "MaxTRESPerAccount", &q->max_gpus_per_account },
                 { "MinTRES", "MinTRESPerJob", &q->min_gpus } },
      numbers[] = { { "Priority", "Priority", &q->priority },
                    { "GrpJobs", "GrpJobs", &q->group_jobs },
                    { "MaxJobsPU", "MaxJobsPerUser", &q->max_jobs_per_user },
                    { "MaxJobsPA", "MaxJobsPerAccount", &q->max_jobs_per_account } };
    if (!*g->value)
        return 0;
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++)
        if (is(g, gpus[i].key) || is(g, gpus[i].other))
            return take_gpus(r->remarks, g, gpus[i].to, err);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (is(g, numbers[i].key) || is(g, numbers[i].other))
            return take_number(g, numbers[i].to, err);
    if (is(g, "MaxWall"))
        return take_time(g, &q->max_time_s, err);
    if (is(g, "GraceTime"))
        return span_parse(g->value, strlen(g->value), 1, &q->grace_s) ? 0
                                                                      : wrong(g, SPAN_WANT, err);
    if (is(g, "Preempt"))
        q->preempts = arena_text(r->to->memory, g->value, strlen(g->value));
    else if (is(g, "Flags"))
        q->no_reserve = strstr(g->value, "NoReserve") != NULL;
    else if (is(g, "PreemptMode"))
        return site_preempt_read(r->remarks, g->value, &q->preempt)
                   ? 0
                   : wrong(g, SITE_PREEMPT_WANT, err);
    else if (!is_harmless(g))
        site_remark(r->remarks, "left out: key %.40s of QOS", g->key);
    return 0;
}

#define ACCOUNT (SITE_NONE - 1) /* no number of one: an account, wherever it is */
/* What an association is found by: an account by its name, a user by its name and its account. */
static char *key_of(const char *name, uint32_t below)
{
    size_t room = strlen(name) + sizeof "4294967295/";
    char *key = mem_new(room, 1);
    snprintf(key, room, "%" PRIu32 "/%s", below, name);
    return key;
}

/* It is not there yet. */
static void add_assoc(struct reading *r, const char *name, uint32_t parent, bool user)
{
    struct slurm_accounts *a = r->to;
    char *key = key_of(name, user ? parent : ACCOUNT);
    (void)intern_add(a->keys, key, strlen(key));
    free(key);
    mem_grow(&a->assoc, &a->assocs_capacity, a->n_assocs, sizeof *a->assoc);
    a->assoc[a->n_assocs] = (struct slurm_assoc){ .name = arena_text(a->memory, name, strlen(name)),
                                                  .default_qos = "",
                                                  .parent = parent,
                                                  .is_user = user,
                                                  .shares = 1,
                                                  .group_gpus = SITE_UNLIMITED,
                                                  .group_jobs = SITE_UNLIMITED,
                                                  .max_gpus_per_job = SITE_UNLIMITED,
                                                  .max_jobs = SITE_UNLIMITED,
                                                  .max_time_s = SITE_UNLIMITED };
    a->n_assocs++;
}

uint32_t account_find(const struct slurm_accounts *a, const char *name)
{
    char *key = key_of(name, ACCOUNT);
    uint32_t i = a->keys ? intern_find(a->keys, key, strlen(key)) : INTERN_NONE;
    free(key);
    return i == INTERN_NONE ? SITE_NONE : i;
}

/* A dump of several clusters, and a user with an association for each of several partitions, have
 * the same account or user more than once: the first one counts. */
static bool is_there(struct reading *r, const char *name, uint32_t parent, bool user)
{
    char *key = key_of(name, user ? parent : ACCOUNT);
    bool there = intern_find(r->to->keys, key, strlen(key)) != INTERN_NONE;
    free(key);
    if (there)
        site_remark(r->remarks, "left out: associations of an account or user that is there "
                                "already, of another cluster or partition");
    return there;
}

/* Index of the parent that is named; "" and root: SITE_NONE. */
static int parent_of(struct reading *r, const struct given *g, uint32_t *parent, struct error *err)
{
    *parent = account_find(r->to, g->value);
    if (*parent == SITE_NONE && *g->value && strcmp(g->value, "root") != 0)
        return wrong(g, "an account of a line above", err);
    return 0;
}

static int check_text(const struct row *row, struct error *err)
{
    for (size_t i = 0; i < row->n; i++)
        if (!text_is_line(row->cell[i].text, row->cell[i].length))
            return error_set(err, "%s:%zu: want text without control characters, got '%.40s'",
                             row->file, row->line, row->cell[i].text);
    return 0;
}

/* ---- a dump ---- */

/* The end of a value without quotes: a ':' that is not the one of "gres/gpu:a100=4", which sacctmgr
 * writes without quotes, too. */
static const char *plain_end(const char *at)
{
    bool named = false;           /* the type of a GRES may follow */
    for (const char *item = at; *at; at++) {
        if (*at == ',')
            item = at + 1;
        if (at == item)
            named = strncmp(item, "gres/", 5) == 0;
        named = named && *at != '=';
        if (*at == ':' && !named)
            break;
    }
    return at;
}

/* The next "Key='value'" or "Key=value" of a line, ended by ':' or its end; false: there is none.
 */
static int next_pair(const char *line, const char **at, struct given *g, char *text,
                     struct error *err)
{
    const char *equals = strchr(*at, '='), *end;
    g->column = (size_t)(*at - line) + 1;
    g->key = text;
    g->value = "";
    if (!equals)
        return error_set(err, "%s:%zu:%zu: want Key=Value, got '%.40s'", g->file, g->line,
                         g->column, *at);
    bool quoted = equals[1] == '\'';
    end = quoted ? strchr(equals + 2, '\'') : plain_end(equals + 1);
    if (!end)
        return error_set(err, "%s:%zu:%zu: want a closing quote", g->file, g->line,
                         (size_t)(equals + 1 - line) + 1);
    char *value = text + (equals - *at) + 1;
    memcpy(text, *at, (size_t)(equals - *at));
    value[-1] = '\0';
    size_t n = (size_t)(end - equals - 1 - quoted);
    memcpy(value, equals + 1 + quoted, n);
    value[n] = '\0';
    g->value = value;
    end += quoted;
    if (*end && *end != ':')
        return error_set(err, "%s:%zu:%zu: want ':' behind the value, got '%.40s'", g->file,
                         g->line, (size_t)(end - line) + 1, end);
    *at = end + (*end == ':');
    return 0;
}

static int take_dump_pairs(struct reading *r, const struct row *row, const char *line,
                           const char *at, size_t assoc, struct error *err)
{
    char *text = mem_new(strlen(at) + 2, 1);
    struct given g = { .file = row->file, .line = row->line };
    int result = 0;
    while (*at && result == 0) {
        result = next_pair(line, &at, &g, text, err);
        if (result == 0)
            result = take_assoc_key(r, &g, &r->to->assoc[assoc], err);
    }
    free(text);
    return result;
}

/* "Account - 'phys':Fairshare=60". */
static int on_dump_line(void *self, const struct row *row, struct error *err)
{
    struct reading *r = self;
    const char *line = row->cell[0].text, *quote, *close;
    if (*line == '#')
        return 0;
    if (check_text(row, err) != 0)
        return -1;
    size_t word = strcspn(line, " -");
    quote = strchr(line, '\'');
    close = quote ? strchr(quote + 1, '\'') : NULL;
    if (!close || strspn(line + word, " -") != (size_t)(quote - line) - word)
        return error_set(err,
                         "%s:%zu:1: want a line like Account - 'phys':Fairshare=60, got '%.40s'",
                         row->file, row->line, line);
    if (close == quote + 1)
        return error_set(err, "%s:%zu:%zu: want a name between the quotes", row->file, row->line,
                         (size_t)(quote - line) + 1);
    char *name = mem_text(quote + 1, (size_t)(close - quote - 1));
    struct given g = { "Parent", name, row->file, row->line, 1 };
    int result = 0;
    if (word == 6 && !memcmp(line, "Parent", 6)) {
        result = parent_of(r, &g, &r->parent, err);
    } else if ((word == 7 && !memcmp(line, "Account", 7)) ||
               (word == 4 && !memcmp(line, "User", 4))) {
        if (!is_there(r, name, r->parent, word == 4)) {
            add_assoc(r, name, r->parent, word == 4);
            result = take_dump_pairs(r, row, line, close + 1 + (close[1] == ':'),
                                     r->to->n_assocs - 1, err);
        }
    } else if (word != 7 || memcmp(line, "Cluster", 7) != 0) {
        result = error_set(err, "%s:%zu:1: want Cluster, Parent, Account or User, got '%.40s'",
                           row->file, row->line, line);
    }
    free(name);
    return result;
}

/* ---- tables ---- */

static struct given cell_of(const struct reading *r, const struct row *row, size_t i)
{
    size_t column = 1;
    for (size_t k = 0; k < i; k++)
        column += row->cell[k].length + 1;
    return (struct given){ r->column[i], row->cell[i].text, row->file, row->line, column };
}

static struct given cell_named(const struct reading *r, const struct row *row, const char *name)
{
    for (size_t i = 0; i < r->n_columns; i++)
        if (strcasecmp(r->column[i], name) == 0)
            return cell_of(r, row, i);
    return (struct given){ name, "", row->file, row->line, 1 };
}

static int take_table_header(struct reading *r, const struct row *row, struct error *err)
{
    const char *want = r->qos ? "Name" : "Account";
    bool found = false;
    r->n_columns = row->n;
    r->column = arena_alloc(r->to->memory, row->n * sizeof *r->column);
    for (size_t i = 0; i < row->n; i++) {
        r->column[i] = arena_text(r->to->memory, row->cell[i].text, row->cell[i].length);
        found |= strcasecmp(r->column[i], want) == 0;
    }
    return found
               ? 0
               : error_set(
                     err, "%s:%zu: want a header with a column %s: sacctmgr -P show %s, without -n",
                     row->file, row->line, want, r->qos ? "qos" : "assoc");
}

static int take_table_assoc(struct reading *r, const struct row *row, struct error *err)
{
    struct given user = cell_named(r, row, "User"), account = cell_named(r, row, "Account"),
                 above = cell_named(r, row, "ParentName");
    uint32_t parent;
    above = *above.value ? above : cell_named(r, row, "Par Name");
    if (!*account.value)
        return wrong(&account, "a value", err);
    if (strcmp(account.value, "root") == 0 && !*user.value)
        return 0;
    if (parent_of(r, *user.value ? &account : &above, &parent, err) != 0)
        return -1;
    if (is_there(r, *user.value ? user.value : account.value, parent, *user.value))
        return 0;
    add_assoc(r, *user.value ? user.value : account.value, parent, *user.value);
    size_t at = r->to->n_assocs - 1;
    for (size_t i = 0; i < r->n_columns; i++) {
        struct given g = cell_of(r, row, i);
        if (take_assoc_key(r, &g, &r->to->assoc[at], err) != 0)
            return -1;
    }
    return 0;
}

static int take_table_qos(struct reading *r, const struct row *row, struct error *err)
{
    struct given name = cell_named(r, row, "Name");
    struct slurm_qos q = { .name = arena_text(r->to->memory, name.value, strlen(name.value)),
                           .preempts = "" };
    int64_t *const limits[] = {
        &q.group_gpus,           &q.group_jobs,           &q.max_gpus_per_job,
        &q.max_gpus_per_user,    &q.max_gpus_per_account, &q.max_jobs_per_user,
        &q.max_jobs_per_account, &q.max_time_s,           &q.min_gpus
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        *limits[i] = SITE_UNLIMITED;
    if (!*name.value)
        return wrong(&name, "a value", err);
    for (size_t i = 0; i < r->to->n_qos; i++)
        if (!strcmp(r->to->qos[i].name, name.value))
            return wrong(&name, "a QOS that is not there yet", err);
    for (size_t i = 0; i < r->n_columns; i++) {
        struct given g = cell_of(r, row, i);
        if (take_qos_key(r, &g, &q, err) != 0)
            return -1;
    }
    mem_grow(&r->to->qos, &r->to->qos_capacity, r->to->n_qos, sizeof *r->to->qos);
    r->to->qos[r->to->n_qos++] = q;
    return 0;
}

static int on_table_line(void *self, const struct row *row, struct error *err)
{
    struct reading *r = self;
    if (check_text(row, err) != 0)
        return -1;
    if (!r->column)
        return take_table_header(r, row, err);
    if (row->n != r->n_columns)
        return error_set(err, "%s:%zu: want %zu cells as in the header, got %zu", row->file,
                         row->line, r->n_columns, row->n);
    return r->qos ? take_table_qos(r, row, err) : take_table_assoc(r, row, err);
}

static int read_file(struct slurm_accounts *a, struct slurm_site *remarks, const char *path,
                     bool qos, struct error *err)
{
    static const struct table_handler dump = { .on_row = on_dump_line },
                                      table = { .on_row = on_table_line };
    struct reading r = { .to = a, .remarks = remarks, .parent = SITE_NONE, .qos = qos };
    struct input *in = input_open(path, err);
    size_t length;
    const char *head = in ? input_peek(in, &length, err) : NULL;
    if (!a->memory) {
        a->memory = arena_new();
        a->keys = intern_new();
    }
    bool dumped =
        head && !qos &&
        (*head == '#' || (length > 7 && !memcmp(head, "Cluster -", length < 9 ? length : 9)));
    int result = !head ? -1
                       : table_read(in, (struct table_style){ .separator = dumped ? '\n' : '|' },
                                    dumped ? &dump : &table, &r, err);
    input_close(in);
    return result;
}

int accounts_read(struct slurm_accounts *a, struct slurm_site *remarks, const char *path,
                  struct error *err)
{
    return read_file(a, remarks, path, false, err);
}

int qos_read(struct slurm_accounts *a, struct slurm_site *remarks, const char *path,
             struct error *err)
{
    return read_file(a, remarks, path, true, err);
}

void accounts_free(struct slurm_accounts *a)
{
    free(a->assoc);
    free(a->qos);
    intern_free(a->keys);
    arena_free(a->memory);
    *a = (struct slurm_accounts){ 0 };
}
