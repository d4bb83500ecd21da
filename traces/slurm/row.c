/* row.c - a line of the log as a row: its cells. See log.h. */
#include "sim/base/memory.h"
#include "sim/base/utf8.h"
#include "traces/formats/dates.h"
#include "traces/slurm/log.h"

#include <string.h>
#include <strings.h>

#define TIME_WANT   "seconds since 1970, or a time like 2026-01-05T10:00:00, or Unknown"
#define LIMIT_WANT  SPAN_WANT ", or Partition_Limit"
#define AMOUNT_WANT "a whole number up to 1000000000"
#define AMOUNT_MAX  INT64_C(1000000000)
#define MEMORY_MAX  (INT64_C(1) << 50)            /* MiB, of a job */
#define EPOCH_END   (INT64_C(36525) * 86400)      /* 100 years: the end of 2069 */

struct line {
    struct slurm_log *log;
    const struct log_columns *c;
    const struct row *row;
    struct error *err;
};

static struct cell cell_of(const struct line *l, enum log_column k)
{
    return l->c->at[k] == TABLE_NO_COLUMN ? (struct cell){ "", 0 } : l->row->cell[l->c->at[k]];
}

static int wrong(const struct line *l, enum log_column k, const char *want)
{
    return cell_error(l->row, l->c->at[k], want, l->err);
}

static bool is(struct cell c, const char *word)
{
    return strcasecmp(c.text, word) == 0;
}

/* Nothing, as sacct writes it. */
static bool is_none(struct cell c)
{
    return !c.length || is(c, "Unknown") || is(c, "None") || is(c, "N/A") || is(c, "(null)") ||
           is(c, "None assigned");
}

static uint32_t name_of(struct line *l, struct cell c)
{
    return is_none(c) ? INTERN_NONE : intern_add(l->log->names, c.text, c.length);
}

static bool digits(struct cell c, size_t most, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < c.length; i++) {
        if (c.text[i] < '0' || c.text[i] > '9')
            return false;
        *value = *value * 10 + (uint64_t)(c.text[i] - '0');
    }
    return c.length && c.length <= most;
}

/* ---- times ---- */

static bool local_time(struct line *l, struct cell c, int64_t *seconds)
{
    char text[32];
    int64_t ns;
    if (c.length < 19 || c.length >= sizeof text || (c.text[10] != 'T' && c.text[10] != ' '))
        return false;
    memcpy(text, c.text, c.length);
    text[10] = ' ';
    if (!date_parse(text, c.length, &ns))
        return false;
    *seconds = ns / NS_PER_S;
    if (c.length == 19) {         /* no zone of its own */
        *seconds -= l->log->how.zone_s;
        l->log->n.local_times = 1;
    }
    return *seconds >= 0;
}

static int take_moment(struct line *l, enum log_column k, int64_t *seconds)
{
    struct cell c = cell_of(l, k);
    uint64_t value;
    *seconds = NO_TIME;
    if (is_none(c))
        return 0;
    if (digits(c, 10, &value) && value < EPOCH_END)
        *seconds = value ? (int64_t)value : NO_TIME;
    else if (!local_time(l, c, seconds))
        return wrong(l, k, TIME_WANT);
    if (*seconds > l->log->latest_s && (k == C_SUBMIT || k == C_START || k == C_END))
        l->log->latest_s = *seconds;
    return 0;
}

static int take_span(struct line *l, enum log_column k, int64_t unit_s, int64_t *seconds)
{
    struct cell c = cell_of(l, k);
    int64_t value;
    if (is_none(c) || *seconds >= 0)
        return 0;
    if (!span_parse(c.text, c.length, unit_s, &value) || value == SPAN_UNLIMITED)
        return wrong(l, k, "a length of time like 90, 30:00 or 1-12:30:00");
    *seconds = value;
    return 0;
}

static int take_limit(struct line *l, enum log_column k, int64_t *seconds)
{
    struct cell c = cell_of(l, k);
    if (is_none(c) || *seconds != LIMIT_UNSAID)
        return 0;
    if (is(c, "Partition_Limit"))
        *seconds = LIMIT_PARTITION;
    else if (!span_parse(c.text, c.length, 60, seconds))
        return wrong(l, k, LIMIT_WANT);
    else
        *seconds = span_whole_minutes(*seconds);
    return 0;
}

static int take_times(struct line *l, struct log_row *r)
{
    int64_t suspended = -1;
    if (take_moment(l, C_SUBMIT, &r->submit_s) || take_moment(l, C_ELIGIBLE, &r->eligible_s) ||
        take_moment(l, C_START, &r->start_s) || take_moment(l, C_END, &r->end_s) ||
        take_span(l, C_ELAPSED_RAW, 1, &r->elapsed_s) ||
        take_span(l, C_ELAPSED, 1, &r->elapsed_s) || take_span(l, C_SUSPENDED, 1, &suspended) ||
        take_limit(l, C_LIMIT_RAW, &r->limit_s) || take_limit(l, C_LIMIT, &r->limit_s))
        return -1;
    r->suspended_s = suspended > 0 ? suspended : 0;
    return 0;
}

/* ---- states ---- */

static const struct state_word { const char *word; enum log_state state; } states[] = {
    { "COMPLETED", LOG_COMPLETED },     { "FAILED", LOG_FAILED },
    { "CANCELLED", LOG_CANCELLED },     { "TIMEOUT", LOG_TIMEOUT },
    { "OUT_OF_MEMORY", LOG_FAILED },    { "NODE_FAIL", LOG_NODE_FAIL },
    { "RUNNING", LOG_RUNNING },         { "PENDING", LOG_WAITING },
    { "PREEMPTED", LOG_PREEMPTED },     { "REQUEUED", LOG_BROKEN_OFF },
    { "REQUEUE_HOLD", LOG_BROKEN_OFF }, { "SPECIAL_EXIT", LOG_BROKEN_OFF },
    { "BOOT_FAIL", LOG_FAILED },        { "DEADLINE", LOG_TIMEOUT },
    { "SUSPENDED", LOG_RUNNING },       { "COMPLETING", LOG_RUNNING },
    { "STAGE_OUT", LOG_RUNNING },       { "SIGNALING", LOG_RUNNING },
    { "STOPPED", LOG_RUNNING },         { "CONFIGURING", LOG_WAITING },
    { "REVOKED", LOG_WAITING },         { "RESIZING", LOG_RESIZED },
};
enum { STATES = sizeof states / sizeof *states, PREFIX_LEAST = 6 };

/* The word up to the first blank ("CANCELLED by 0"); with '+' at its end it was cut off. */
static int take_state(struct line *l, struct log_row *r)
{
    struct cell c = cell_of(l, C_STATE);
    size_t length = strcspn(c.text, " "), found = STATES, n = 0;
    bool cut = length > PREFIX_LEAST && c.text[length - 1] == '+';
    length -= cut;
    for (size_t i = 0; i < STATES && n < 2; i++)
        if (strncasecmp(states[i].word, c.text, length) == 0 && length >= PREFIX_LEAST &&
            (cut || strlen(states[i].word) == length)) {
            found = i;
            n++;
        }
    if (n != 1)
        return wrong(l, C_STATE, "a state of Slurm, like COMPLETED, FAILED or CANCELLED by 1000");
    r->state = (uint8_t)states[found].state;
    return 0;
}

/* ---- ids ---- */

/* "12", "12_3", "12_[4-9%2]", "12+1"; behind the number nothing else. */
static int take_number(struct line *l, struct log_row *r)
{
    enum log_column k = l->c->at[C_JOBID] != TABLE_NO_COLUMN ? C_JOBID : C_RAW;
    struct cell c = cell_of(l, k), raw = cell_of(l, C_RAW), part;
    static const char want[] = "an id like 12, 12_3, 12+1 or 12_[4-9]";
    size_t n = strspn(c.text, "0123456789");
    if (!digits((struct cell){ c.text, n }, 18, &r->raw))
        return wrong(l, k, want);
    part = (struct cell){ c.text + n + 1, c.length - n - (c.length > n) };
    uint64_t value;
    if (c.text[n] == '_' && part.text[0] == '[')
        r->tasks_waiting = true;
    else if (c.text[n] == '+' && digits(part, 9, &value))
        r->component = (uint32_t)value + 1;
    else if (c.text[n] && (c.text[n] != '_' || !digits(part, 18, &value)))
        return wrong(l, k, want);
    if (raw.length && !digits(raw, 18, &r->raw))
        return wrong(l, C_RAW, "the number of a job");
    r->id = arena_text(l->log->memory, c.text, c.length);
    return 0;
}

/* ---- sizes ---- */

static const struct log_size unsaid = { -1, -1, -1, -1, -1 };

static void size_of_tres(struct line *l, const struct tres *t, struct log_size *to, uint32_t *type,
                         struct log_row *r)
{
    *to = (struct log_size){ t->gpus, t->cpus, t->nodes, t->mem_mib,
                             t->shards > 0 || t->mps <= 0 ? t->shards : t->mps };
    if (t->types == 1)
        *type = intern_add(l->log->names, t->type, t->type_length);
    r->several_types |= t->types > 1;
    l->log->n.resources_unread += t->others > 0;
}

static int take_tres(struct line *l, enum log_column k, struct log_size *to, uint32_t *type,
                     struct log_row *r)
{
    struct cell c = cell_of(l, k);
    struct tres t;
    if (!tres_parse(c.text, c.length, &t))
        return wrong(l, k, TRES_WANT);
    if (t.cpus > AMOUNT_MAX || t.nodes > AMOUNT_MAX || t.gpus > AMOUNT_MAX || t.shards > AMOUNT_MAX)
        return wrong(l, k, "amounts up to 1000000000");
    size_of_tres(l, &t, to, type, r);
    return 0;
}

/* AllocGRES and ReqGRES are for each node. */
static int take_gres(struct line *l, enum log_column k, struct log_size *to, uint32_t *type,
                     struct log_row *r)
{
    struct cell c = cell_of(l, k);
    struct tres t;
    if (is_none(c) || to->gpus >= 0)
        return 0;
    if (!gres_parse(c.text, c.length, &t))
        return wrong(l, k, GRES_WANT);
    if (t.gpus > AMOUNT_MAX)
        return wrong(l, k, "amounts up to 1000000000");
    if (t.gpus >= 0)
        to->gpus = t.gpus * (to->nodes > 0 ? to->nodes : 1);
    if (to->gpus > AMOUNT_MAX)
        return wrong(l, k, "up to 1000000000 GPUs on all its nodes");
    if (t.types == 1)
        *type = intern_add(l->log->names, t.type, t.type_length);
    r->several_types |= t.types > 1;
    return 0;
}

/* An amount that its TRES column did not say; 0 is none. */
static int take_amount(struct line *l, enum log_column k, int64_t *to)
{
    struct cell c = cell_of(l, k);
    struct tres t;
    if (is_none(c) || *to >= 0)
        return 0;
    char text[32] = "cpu=";
    if (c.length > 20)
        return wrong(l, k, AMOUNT_WANT);
    memcpy(text + 4, c.text, c.length + 1);
    if (!tres_parse(text, 4 + c.length, &t) || t.cpus > AMOUNT_MAX)
        return wrong(l, k, AMOUNT_WANT);
    if (t.cpus > 0)
        *to = t.cpus;
    return 0;
}

/* ReqMem before 21.08 is "4Gn" of each node or "4Gc" of each CPU. */
static int take_memory(struct line *l, struct log_size *to)
{
    struct cell c = cell_of(l, C_REQ_MEM);
    int64_t each, times = 1;
    if (is_none(c) || to->mem_mib >= 0 || l->c->at[C_REQ_TRES] != TABLE_NO_COLUMN)
        return 0;
    char last = c.text[c.length - 1];
    if (last == 'n' || last == 'c')
        times = last == 'n' ? to->nodes : to->cpus;
    if (!mem_parse(c.text, c.length - (last == 'n' || last == 'c'), &each))
        return wrong(l, C_REQ_MEM, "memory like 62.50G, 4Gn or 4Gc");
    if (__builtin_mul_overflow(each, times > 0 ? times : 1, &to->mem_mib) ||
        to->mem_mib > MEMORY_MAX)
        return wrong(l, C_REQ_MEM, "memory that a machine can have");
    return 0;
}

static int take_sizes(struct line *l, struct log_row *r)
{
    r->alloc = r->asked = unsaid;
    if (take_tres(l, C_ALLOC_TRES, &r->alloc, &r->alloc_type, r) ||
        take_tres(l, C_REQ_TRES, &r->asked, &r->asked_type, r) ||
        take_amount(l, C_ALLOC_NODES, &r->alloc.nodes) ||
        take_amount(l, C_NNODES, &r->alloc.nodes) || take_amount(l, C_REQ_NODES, &r->asked.nodes) ||
        take_amount(l, C_NNODES, &r->asked.nodes) || take_amount(l, C_ALLOC_CPUS, &r->alloc.cpus) ||
        take_amount(l, C_NCPUS, &r->alloc.cpus) || take_amount(l, C_REQ_CPUS, &r->asked.cpus) ||
        take_gres(l, C_ALLOC_GRES, &r->alloc, &r->alloc_type, r) ||
        take_gres(l, C_REQ_GRES, &r->asked, &r->asked_type, r))
        return -1;
    l->log->memory_counts |= r->alloc.mem_mib > 0;
    return take_memory(l, &r->asked);
}

/* ---- the rest ---- */

/* The value of -d or --dependency among the words of the command. */
static struct cell dependency_of(struct cell c)
{
    static const char longer[] = "--dependency";
    for (const char *at = c.text; *at;) {
        size_t n = strcspn(at, " \t");
        const char *next = at + n + strspn(at + n, " \t");
        const char *value = NULL;
        if (n >= 2 && !memcmp(at, "-d", 2))
            value = n == 2 ? next : at + 2;
        else if (n >= sizeof longer - 1 && !memcmp(at, longer, sizeof longer - 1))
            value = at[sizeof longer - 1] == '=' ? at + sizeof longer
                    : n == sizeof longer - 1     ? next
                                                 : NULL;
        if (value && (!strncasecmp(value, "after", 5) || !strncasecmp(value, "singleton", 9)))
            return (struct cell){ value, strcspn(value, " \t") };
        at = next;
    }
    return (struct cell){ "", 0 };
}

static bool is_word(const char *at, size_t n, const char *word)
{
    return n == strlen(word) && !memcmp(at, word, n);
}

/* What the command says: of two words the last. Batch jobs alone are requeued, so that those of
 * srun and salloc are not. */
static enum log_requeue requeue_of(struct cell c)
{
    size_t n = strcspn(c.text, " \t"), name = n;
    enum log_requeue said = REQUEUE_UNSAID;
    while (name && c.text[name - 1] != '/')
        name--;
    if (is_word(c.text + name, n - name, "srun") || is_word(c.text + name, n - name, "salloc"))
        return REQUEUE_NO;
    for (const char *at = c.text; *at; at += n + strspn(at + n, " \t")) {
        n = strcspn(at, " \t");
        said = is_word(at, n, "--requeue")      ? REQUEUE_YES
               : is_word(at, n, "--no-requeue") ? REQUEUE_NO
                                                : said;
    }
    return said;
}

static int take_priority(struct line *l, struct log_row *r)
{
    struct cell c = cell_of(l, C_PRIORITY);
    uint64_t value;
    if (is_none(c))
        return 0;
    if (!digits(c, 10, &value) || value > UINT32_MAX)
        return wrong(l, C_PRIORITY, "a whole number up to 4294967295");
    r->priority = (int64_t)value;
    return 0;
}

/* "code:signal" */
static int take_exit(struct line *l, struct log_row *r)
{
    struct cell c = cell_of(l, C_EXIT);
    uint64_t code, signal = 0;
    size_t n = strcspn(c.text, ":");
    if (is_none(c))
        return 0;
    if (!digits((struct cell){ c.text, n }, 9, &code) ||
        (c.text[n] && !digits((struct cell){ c.text + n + 1, c.length - n - 1 }, 9, &signal)))
        return wrong(l, C_EXIT, "an exit code and a signal, like 0:0");
    r->exit_code = (int32_t)code;
    r->exit_signal = (int32_t)signal;
    return 0;
}

static uint32_t scheduler_of(struct line *l)
{
    static const struct { const char *flag, *name; } known[] = {
        { "SchedMain", "main" }, { "SchedBackfill", "backfill" }, { "SchedSubmit", "submit" }
    };
    struct cell c = cell_of(l, C_FLAGS);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(c.text, known[i].flag))
            return intern_add(l->log->names, known[i].name, strlen(known[i].name));
    return INTERN_NONE;
}

/* Names become those of queues, partitions, ... of a cluster file. */
static int check_names(const struct line *l)
{
    static const enum log_column names[] = { C_USER, C_ACCOUNT, C_PARTITION, C_QOS };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct cell c = cell_of(l, names[i]);
        if (!text_is_line(c.text, c.length))
            return wrong(l, names[i], "a name without control characters");
    }
    return 0;
}

static int take_rest(struct line *l, struct log_row *r)
{
    struct cell depends = dependency_of(cell_of(l, C_SUBMIT_LINE));
    r->cluster = name_of(l, cell_of(l, C_CLUSTER));
    r->user = name_of(l, cell_of(l, C_USER));
    r->account = name_of(l, cell_of(l, C_ACCOUNT));
    r->partition = name_of(l, cell_of(l, C_PARTITION));
    r->qos = name_of(l, cell_of(l, C_QOS));
    r->constraints = name_of(l, cell_of(l, C_CONSTRAINTS));
    r->requeue = (uint8_t)requeue_of(cell_of(l, C_SUBMIT_LINE));
    r->dependency =
        depends.length ? intern_add(l->log->names, depends.text, depends.length) : INTERN_NONE;
    if (!l->log->how.details)
        return take_priority(l, r);
    r->nodes = name_of(l, cell_of(l, C_NODE_LIST));
    r->reason = name_of(l, cell_of(l, C_REASON));
    r->reservation = name_of(l, cell_of(l, C_RESERVATION));
    r->scheduler = scheduler_of(l);
    return take_priority(l, r) || take_exit(l, r) ? -1 : 0;
}

static const struct log_row empty = {
    .elapsed_s = -1, .limit_s = LIMIT_UNSAID, .asked_type = INTERN_NONE, .alloc_type = INTERN_NONE,
    .nodes = INTERN_NONE, .reason = INTERN_NONE, .reservation = INTERN_NONE,
    .scheduler = INTERN_NONE, .priority = -1, .exit_code = -1,
};

static int check_cells(const struct log_columns *c, const struct row *line, struct error *err)
{
    if (line->n == c->n || (c->open_end && line->n + 1 == c->n) ||
        (!c->open_end && line->n == c->n + 1 && line->cell[c->n].length == 0))
        return 0;
    return error_set(err, "%s:%zu: want %zu cells as in the header, got %zu%s", line->file,
                     line->line, c->n - c->open_end, line->n,
                     line->n > c->n ? ": a separator within a name? Leave JobName out of --format"
                                    : "");
}

int log_row_add(struct slurm_log *log, const struct log_columns *c, const struct row *line,
                struct error *err)
{
    struct line l = { log, c, line, err };
    struct log_row r = empty;
    if (check_cells(c, line, err) != 0)
        return -1;
    log->n.rows++;
    struct cell id = cell_of(&l, c->at[C_JOBID] != TABLE_NO_COLUMN ? C_JOBID : C_RAW);
    bool cut_off = memchr(id.text, '[', id.length);    /* "12_[1,...]" is no step */
    if (!cut_off && memchr(id.text, '.', id.length)) {
        log->n.steps++;
        return 0;
    }
    if (take_number(&l, &r) || take_state(&l, &r) || take_times(&l, &r) || take_sizes(&l, &r) ||
        check_names(&l) || take_rest(&l, &r))
        return -1;
    if (log->how.cluster && r.cluster != INTERN_NONE &&
        strcmp(intern_text(log->names, r.cluster), log->how.cluster) != 0) {
        log->n.other_cluster++;
        return 0;
    }
    r.line = (uint32_t)line->line;
    mem_grow(&log->row, &log->rows_capacity, log->n_rows, sizeof *log->row);
    log->row[log->n_rows++] = r;
    return 0;
}
