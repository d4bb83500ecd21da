/* leaf.c - the lines of a leaf: waiting jobs by shape, and victim candidates; what is known of them
 * is kept until they change. */
#include "policies/kai/jobs/heads.h"
#include "policies/kai/search/search.h"
#include "policies/kai/jobs/reasons.h"

struct line_key quota_key(const struct sched *s, job_id j, size_t held)
{
    const struct job_facts *f = job_facts(s, j);
    uint32_t tasks = f->ask->tasks == SPLIT_ANY && held ? 1 : (uint32_t)held;
    return (struct line_key){ -f->priority,
                              tasks < f->min_tasks    ? 0
                              : tasks == f->min_tasks ? 1
                                                      : 2,
                              f->submit_ns };
}

static bool is_stale(const struct leaf *l, shape_id shape)
{
    bool is = false;
    for (uint32_t i = 0; l->heads == HEADS_BUT_FEW && i < l->n_stale && !is; i++)
        is = l->stale[i] == shape;
    return is;
}

/* A job of that shape has come or gone. */
static void head_changed(struct quota_state *q, queue_id leaf, shape_id shape)
{
    struct leaf *l = &q->leaf[leaf];
    heads_changed(q, leaf);
    if (l->heads == HEADS_KNOWN)
        l->n_stale = 0;
    if (l->heads == HEADS_UNKNOWN || is_stale(l, shape))
        return;
    l->heads = l->n_stale < STALE_KNOWN ? HEADS_BUT_FEW : HEADS_UNKNOWN;
    if (l->heads == HEADS_BUT_FEW)
        l->stale[l->n_stale++] = shape;
}

/* The head of that shape is known, and stands before j. */
static bool is_behind_head(const struct leaf *l, job_id j, struct line_key key, shape_id shape)
{
    if (l->heads == HEADS_UNKNOWN || is_stale(l, shape))
        return false;
    for (size_t i = 0; i < l->n_heads; i++)
        if (l->head_shape[i] == shape)
            return line_key_before(l->head[i].key, l->head[i].job, key, j);
    return false;
}

static void head_out(struct leaf *l, shape_id shape)
{
    size_t at = 0;
    while (at < l->n_heads && l->head_shape[at] != shape)
        at++;
    if (at == l->n_heads)
        return;
    array_close(l->head_shape, l->n_heads, at, sizeof *l->head_shape);
    array_close(l->head, l->n_heads--, at, sizeof *l->head);
}

/* What its job wants. Where all want the same, it is not read. */
static void head_wants(struct sched *s, const struct quota_state *q, struct shape_head *h)
{
    const struct admission_check *check = &q->check[h->shape];
    if (quota_all_want_same(q, check)) {
        h->tasks = h->min_tasks = check->min_tasks;
        h->alike = check->ask->alike;
        h->ask = check->min_ask;
        return;
    }
    const struct job_facts *f = job_facts(s, h->job);
    struct wanted w = quota_wanted(s, h->job, NULL);
    h->firm = !f->preemptible;
    h->tasks = w.n;
    h->min_tasks = f->min_tasks;
    h->alike = f->ask->alike;
    h->ask = w.amount;
}

static void head_in(struct sched *s, const struct quota_state *q, struct leaf *l, shape_id shape)
{
    struct shape_head h = { .shape = shape };
    if (!line_first_of(l->waiting, shape, &h.job, &h.key))
        return;
    head_wants(s, q, &h);
    l->head = array_grown(sched_alloc, s, l->head, &l->heads_capacity, l->n_heads, sizeof *l->head);
    l->head_shape = array_grown(sched_alloc, s, l->head_shape, &l->head_shapes_capacity, l->n_heads,
                                sizeof *l->head_shape);
    size_t at = l->n_heads++;
    for (; at > 0 && line_key_before(h.key, h.job, l->head[at - 1].key, l->head[at - 1].job);
         at--) {
        l->head[at] = l->head[at - 1];
        l->head_shape[at] = l->head_shape[at - 1];
    }
    l->head[at] = h;
    l->head_shape[at] = shape;
}

void leaf_heads(struct sched *s, const struct quota_state *q, struct leaf *l)
{
    if (l->heads == HEADS_BUT_FEW) {
        for (uint32_t i = 0; i < l->n_stale; i++)
            head_out(l, l->stale[i]);
        for (uint32_t i = 0; i < l->n_stale; i++)
            head_in(s, q, l, l->stale[i]);
    } else if (l->heads == HEADS_UNKNOWN) {
        l->n_heads = 0;
        for (size_t i = 0; i < l->n_shapes; i++)
            if (l->shape[i].waiting)
                head_in(s, q, l, l->shape[i].shape);
    }
    l->heads = HEADS_KNOWN;
}

const struct quota_standing *leaf_standing(const struct quota_state *q, queue_id i,
                                           struct shape_head *h)
{
    if (h->stood != q->leaf[i].stood)
        quota_stand(&h->standing, &q->queue[i], &h->ask, NULL, &q->total);
    h->stood = q->leaf[i].stood;
    return &h->standing;
}

/* By the heads, without a look at any of them: those before j are the jobs before it. */
static void walk_by_heads(struct line_walk *w, const struct leaf *l, job_id j)
{
    job_id i;
    for (size_t k = 0; line_next(w, &i) && i != j; k++)
        line_skip_shape(w, l->head[k].shape);
}

void leaf_walk_to(struct sched *s, const struct quota_state *q, struct line_walk *w,
                  const struct leaf *l, job_id j)
{
    if (l->acted != q->pass && l->heads == HEADS_KNOWN) {
        walk_by_heads(w, l, j);
        return;
    }
    for (job_id i; line_next(w, &i) && i != j;) {
        const struct quota_job *own = job_own(s, i);
        if (own->pass != q->pass)      /* else it joined the line in this pass */
            line_skip_shape(w, job_facts(s, i)->ask->shape);
    }
}

struct victim_candidate leaf_candidate_of(struct sched *s, const struct quota_state *q, job_id j,
                                          struct line_key key)
{
    const struct job_facts *f = job_facts(s, j);
    const struct placement *has = quota_has(s, q, j);
    struct victim_candidate v = { .job = j, .key = key, .has = has };
    if (!has)
        return v;
    v.holds = quota_of_placement(s, j, has);
    v.surplus = (f->ask->tasks == SPLIT_ANY ? 1 : has->n) > f->min_tasks;
    return v;
}

void quota_grew(struct sched *s, struct quota_state *q, job_id j)
{
    candidates_renew(s, q, &q->leaf[job_facts(s, j)->queue].candidates);
    quota_standing_changed(q, job_facts(s, j)->queue);
}

void quota_joins(struct sched *s, struct quota_state *q, job_id j)
{
    const struct job_facts *f = job_facts(s, j);
    bool elastic = f->ask->tasks != SPLIT_ANY && f->min_tasks < request_tasks(f->ask);
    for (const struct request *run = f->ask; run; run = run->next)
        q->shares = q->shares || (run->gpus > 0 && run->gpu_milli < MILLI_ALL);
    q->min_priority = min_i32(q->min_priority, f->priority);
    q->max_priority = max_i32(q->max_priority, f->priority);
    q->odd = q->odd || !f->preemptible || f->n_groups > 0 || elastic || q->leaf[f->queue].limited;
    quota_pods_arrived(s, q, j);
}

void quota_enter_waiting(struct sched *s, struct quota_state *q, job_id j)
{
    struct quota_job *own = job_own(s, j);
    struct leaf *l = &q->leaf[job_facts(s, j)->queue];
    shape_id shape = job_facts(s, j)->ask->shape;
    for (size_t at = 0; at < 128; at += 64)
        __builtin_prefetch((const char *)l->waiting + at);
    __builtin_prefetch(l->shape);
    const struct placement *has = job_placement(s, j);
    struct line_key key = quota_key(s, j, has ? has->n : 0);
    quota_leave_waiting(s, q, j);
    own->whole = !has;
    if (own->whole)
        quota_count_shape(s, q, j, 1);
    line_fetch(l->waiting, shape);
    if (has || !is_behind_head(l, j, key, shape))
        head_changed(q, job_facts(s, j)->queue, shape);
    line_push(l->waiting, j, key);
    own->waits = true;
    if (q->odd)
        told_joined(s, q, j);
    l->growing += !own->whole;
    q->growing += !own->whole;
    l->report_due = true;
    if (job_state(s, j) != JOB_GATHERING) {
        quota_leave_broken(s, q, j);
    } else if (!own->broken) {
        line_push(q->broken, j, (struct line_key){ .time_ns = sched_now(s) });
        own->broken = true;
    }
    quota_changed(q, job_facts(s, j)->queue);
}

void quota_leave_waiting(struct sched *s, struct quota_state *q, job_id j)
{
    struct quota_job *own = job_own(s, j);
    if (!own->waits)
        return;
    struct leaf *l = &q->leaf[job_facts(s, j)->queue];
    if (own->marks)
        told_leaves(s, q, j);
    line_remove(l->waiting, j);
    head_changed(q, job_facts(s, j)->queue, job_facts(s, j)->ask->shape);
    own->waits = false;
    l->growing -= !own->whole;
    q->growing -= !own->whole;
    if (own->whole)
        quota_count_shape(s, q, j, -1);
    quota_changed(q, job_facts(s, j)->queue);
}

void quota_enter_running(struct sched *s, struct quota_state *q, job_id j)
{
    struct quota_job *own = job_own(s, j);
    const struct placement *has = quota_has(s, q, j);
    if (!job_facts(s, j)->preemptible || !has)
        return;
    struct leaf *l = &q->leaf[job_facts(s, j)->queue];
    if (own->runs)
        candidates_remove(s, q, &l->candidates, j);
    candidates_add(s, q, &l->candidates, j, quota_key(s, j, has->n));
    q->n_running += !own->runs;
    quota_standing_changed(q, job_facts(s, j)->queue);
    own->runs = true;
}

void quota_leave_running(struct sched *s, struct quota_state *q, job_id j)
{
    struct quota_job *own = job_own(s, j);
    struct leaf *l = &q->leaf[job_facts(s, j)->queue];
    if (!own->runs)
        return;
    candidates_remove(s, q, &l->candidates, j);
    q->n_running--;
    l->leaving -= own->leaves;
    own->leaves = false;
    quota_standing_changed(q, job_facts(s, j)->queue);
    own->runs = false;
}

void quota_leave_broken(struct sched *s, struct quota_state *q, job_id j)
{
    struct quota_job *own = job_own(s, j);
    if (own->broken)
        line_remove(q->broken, j);
    own->broken = false;
}

void quota_mark_acted(struct sched *s, struct quota_state *q, job_id j)
{
    queue_id leaf = job_facts(s, j)->queue;
    struct quota_job *own = job_own(s, j);
    struct leaf *l = &q->leaf[leaf];
    if (is_told(own))
        told_alone(s, q, j);
    if (own->pass != q->pass && own->waits && own->whole)
        quota_shape_acted(s, q, j);
    if (own->runs && !quota_has(s, q, j) && !own->leaves) {
        own->leaves = true;
        l->leaving++;
    }
    if (l->acted != q->pass) {
        q->acted[q->n_acted++] = leaf;
        l->acted = q->pass;
        l->n_turns = 0;
    }
    if (own->pass != q->pass && l->n_turns++ < TURNS_KNOWN)
        l->turn[l->n_turns - 1] = j;
    own->pass = q->pass;
}

bool quota_had_turn(struct sched *s, const struct quota_state *q, const struct leaf *l, job_id j)
{
    if (l->acted != q->pass)
        return false;
    if (l->n_turns > TURNS_KNOWN)
        return ((const struct quota_job *)job_own(s, j))->pass == q->pass;
    bool had = false;
    for (uint32_t i = 0; i < l->n_turns && !had; i++)
        had = l->turn[i] == j;
    return had;
}

bool quota_is_plain(const struct quota_state *q)
{
    return !q->odd && q->growing == 0;
}

void quota_pass_begins(struct quota_state *q)
{
    size_t n = 0;
    for (size_t i = 0; i < q->n_acted; i++)
        if (q->leaf[q->acted[i]].leaving > 0)
            q->acted[n++] = q->acted[i];
    q->n_acted = n;
    q->pass++;
    q->placements++;
    q->changes++;
    for (size_t i = 0; i < n; i++) {
        q->leaf[q->acted[i]].acted = q->pass;
        q->leaf[q->acted[i]].n_turns = 0;
    }
}
