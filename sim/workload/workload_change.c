/* workload_change.c - see workload.h: the order of jobs, other submit times, totals as gangs,
 * streams. */
#include "sim/base/fetch.h"
#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/base/second.h"
#include "sim/workload/requests.h"
#include "sim/workload/shapes.h"
#include "sim/workload/workload_builder.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIE, SUBMIT, ON_DEMAND, WORDS }; /* the last one decides, where it is equal the one before */
struct key {
    uint64_t word; /* of those above the one that is sorted by, as its distance from the least */
    job_id from;   /* the order in the file, which also makes the order total */
};

static int64_t word_of(const struct workload *w, job_id j, size_t word)
{
    const int64_t *tie = w->builder->tie;
    if (word == TIE)
        return tie ? tie[j] : 0;
    return word == SUBMIT ? w->facts[j].submit_ns : w->truth[j].on_demand;
}

static bool comes_after(const struct workload *w, job_id a, job_id b)
{
    for (size_t i = WORDS; i-- > 0;) {
        int64_t of_a = word_of(w, a, i), of_b = word_of(w, b, i);
        if (of_a != of_b)
            return of_a > of_b;
    }
    return false;
}

/* most traces are sorted */
static bool in_order(const struct workload *w)
{
    for (job_id j = 1; j < w->n_jobs; j++) {
        workload_pass(w, j);
        if (comes_after(w, j - 1, j))
            return false;
    }
    return true;
}

enum { DIGIT_BITS = 12, DIGITS = 1 << DIGIT_BITS };

static size_t digit_of(const struct key *k, unsigned shift)
{
    return k->word >> shift & (DIGITS - 1);
}

/* Those of equal digits keep their order. */
static void order_by(unsigned shift, const struct key *key, size_t n, struct key *to)
{
    size_t place[DIGITS] = { 0 }, before = 0;
    for (size_t i = 0; i < n; i++)
        place[digit_of(&key[i], shift)]++;
    for (size_t i = 0; i < DIGITS; i++) {
        size_t some = place[i];
        place[i] = before;
        before += some;
    }
    for (size_t i = 0; i < n; i++)
        to[place[digit_of(&key[i], shift)]++] = key[i];
}

/* Of one word: the least, how far the most lies above it, and the number of low bits in which all are equal. */
struct range { uint64_t least, width; unsigned equal_bits; };

static struct range range_of(const struct workload *w, size_t word)
{
    const int64_t first = word_of(w, 0, word);
    int64_t min = first, max = first;
    uint64_t differ = 0;
    for (job_id j = 1; j < w->n_jobs; j++) {
        int64_t value = word_of(w, j, word);
        min = value < min ? value : min;
        max = value > max ? value : max;
        differ |= (uint64_t)value ^ (uint64_t)first;
    }
    return (struct range){ (uint64_t)min, (uint64_t)max - (uint64_t)min, differ ? (unsigned)__builtin_ctzll(differ) : 0 };
}

/* Digit by digit, the one that decides least first, but for bits in which no two keys differ: a trace out of order may be so all over, as one in the order of ends. Takes the keys, in the order of the file, of which there is one at least. */
static struct key *sorted(const struct workload *w, struct key *key)
{
    size_t n = w->n_jobs;
    struct key *to = mem_resize(NULL, n, sizeof *to);
    for (size_t word = 0; word < WORDS; word++) {
        const struct range r = range_of(w, word);
        for (size_t i = 0; i < n && r.width; i++)
            key[i].word = (uint64_t)word_of(w, key[i].from, word) - r.least;
        for (unsigned shift = r.equal_bits; shift < 64 && r.width >> shift; shift += DIGIT_BITS) {
            order_by(shift, key, n, to);
            struct key *ordered = to;
            to = key;
            key = ordered;
        }
    }
    free(to);
    return key;
}

/* The row that comes to a place lies anywhere: it is fetched so many places of the cycle before it moves. */
enum { PLACES_AHEAD = 8, ROW_MOST = 128 };

/* Permutes in place, cycle by cycle, as the arrays are large. A place that is done points to itself in `from`. */
static inline __attribute__((always_inline)) void permute(char *rows, size_t size, job_id *from, job_id n)
{
    char kept[ROW_MOST];
    for (job_id first = 0; first < n; first++) {
        if (from[first] == first)
            continue;
        memcpy(kept, rows + first * size, size);
        job_id to = first, ahead = first;
        for (unsigned i = 0; i < PLACES_AHEAD; i++)
            ahead = from[ahead];
        for (job_id next; (next = from[to]) != first; to = next) {
            ahead = from[ahead];
            fetch_both_ends(rows + ahead * size, size);
            memcpy(rows + to * size, rows + next * size, size);
            from[to] = to;
        }
        memcpy(rows + to * size, kept, size);
        from[to] = to;
    }
}

static_assert(sizeof(struct job_facts) <= ROW_MOST && sizeof(struct job_truth) <= ROW_MOST, "a row is kept");

/* Each with an order of its own, which it uses up. */
struct permuting { struct workload *w; job_id *from; };

static void *permute_truth(void *self)
{
    const struct permuting *p = self;
    permute((char *)p->w->truth, sizeof *p->w->truth, p->from, p->w->n_jobs);
    return NULL;
}

static void permute_both(struct workload *w, job_id *from)
{
    enum { WORTH_A_THREAD = 1 << 16 };
    const size_t bytes = w->n_jobs * sizeof *from;
    struct permuting of_truth = { w, memcpy(mem_resize(NULL, w->n_jobs, sizeof *from), from, bytes) };
    pthread_t second;
    bool side_by_side = !w->one_thread && w->n_jobs >= WORTH_A_THREAD && second_start(&second, permute_truth, &of_truth);
    permute((char *)w->facts, sizeof *w->facts, from, w->n_jobs);
    if (side_by_side)
        pthread_join(second, NULL);
    else
        permute_truth(&of_truth);
    free(of_truth.from);
}

void workload_sort(struct workload *w)
{
    if (in_order(w))
        return;
    struct key *key = mem_resize(NULL, w->n_jobs, sizeof *key);
    for (job_id j = 0; j < w->n_jobs; j++)
        key[j].from = j;
    key = sorted(w, key);
    job_id *from = mem_resize(NULL, w->n_jobs, sizeof *from);
    for (job_id j = 0; j < w->n_jobs; j++)
        from[j] = key[j].from;
    free(key);
    permute_both(w, from);
    free(from);
}

void workload_keep(struct workload *w, const bool *keep)
{
    job_id kept = 0;
    dependencies_keep(w, keep);
    for (job_id j = 0; j < w->n_jobs; j++) {
        if (!keep[j])
            continue;
        w->facts[kept] = w->facts[j];
        w->truth[kept++] = w->truth[j];
    }
    assert(kept > 0);
    memmove(&w->facts[kept], &w->facts[w->n_jobs], w->n_on_demand * sizeof *w->facts);
    memmove(&w->truth[kept], &w->truth[w->n_jobs], w->n_on_demand * sizeof *w->truth);
    w->n_jobs = kept;
}

/* ---- other submit times ---- */

static int64_t capped(int64_t ns)
{
    return ns < WORKLOAD_END_NS ? ns : WORKLOAD_END_NS - 1;
}

static void set_submit(struct job_facts *f, int64_t ns)
{
    if (f->deadline_ns != TIME_NEVER)
        f->deadline_ns += ns - f->submit_ns; /* all below 100 years: no overflow */
    f->submit_ns = ns;
}

void workload_rebase(struct workload *w)
{
    int64_t first = TIME_NEVER;
    for (job_id j = 0; j < w->n_jobs; j++) {
        workload_pass(w, j);
        if (w->facts[j].submit_ns < first)
            first = w->facts[j].submit_ns;
    }
    for (job_id j = 0; j < w->n_jobs; j++) {
        workload_pass(w, j);
        set_submit(&w->facts[j], w->facts[j].submit_ns - first);
    }
    if (w->n_jobs)
        w->origin_ns = (w->origin_ns == TIME_NEVER ? 0 : w->origin_ns) + first;
}

void workload_retime_batches(struct workload *w, uint32_t batch, int64_t every_ns)
{
    assert(batch > 0 && every_ns >= 0);
    for (job_id j = 0; j < w->n_jobs; j++) {
        int64_t ns;
        workload_pass(w, j);
        if (__builtin_mul_overflow(every_ns, j / batch, &ns))
            ns = WORKLOAD_END_NS;
        set_submit(&w->facts[j], capped(ns));
    }
}

/* ns / load, rounded half up. A double is whole x 2^-shift, so for any load from 2^-12 to 2^53 this
 * is exact: a trace of more than 104 days has more nanoseconds than a double has bits. */
static int64_t divided(int64_t ns, double load)
{
    int exponent;
    int128_t whole = (int128_t)ldexp(frexp(load, &exponent), 53);
    int shift = 53 - exponent;
    if (shift < 0 || shift > 64) {
        double quotient = floor((double)ns / load + 0.5);
        return quotient < (double)WORKLOAD_END_NS ? (int64_t)quotient : WORKLOAD_END_NS;
    }
    int128_t quotient = (((int128_t)ns << shift) + whole / 2) / whole;
    return quotient < WORKLOAD_END_NS ? (int64_t)quotient : WORKLOAD_END_NS;
}

void workload_scale_load(struct workload *w, double load)
{
    assert(load > 0 && isfinite(load));
    for (job_id j = 0; j < w->n_jobs; j++) {
        workload_pass(w, j);
        set_submit(&w->facts[j], capped(divided(w->facts[j].submit_ns, load)));
    }
}

/* ---- a stream to be packed ---- */

struct named { const char *name; job_id job; };

static int by_name(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->job > b->job) - (a->job < b->job);
}

static struct named *shuffled(const struct workload *w, uint64_t seed)
{
    struct named *job = mem_new(w->n_jobs, sizeof *job);
    struct random order;
    for (job_id j = 0; j < w->n_jobs; j++)
        job[j] = (struct named){ w->truth[j].name, j };
    qsort(job, w->n_jobs, sizeof *job, by_name);
    random_init(&order, seed, "stream order", 0);
    for (job_id left = w->n_jobs; left > 1; left--) {
        job_id k = (job_id)random_below(&order, left);
        struct named last = job[left - 1];
        job[left - 1] = job[k];
        job[k] = last;
    }
    return job;
}

static int64_t demand_of(const struct workload *w, job_id j)
{
    return request_gpu_milli(w->facts[j].ask);
}

/* ---- Jobs as they come ---- */

struct stream {
    struct workload *from;
    uint32_t n;
    size_t facts_capacity, truth_capacity;
    struct job_facts *facts;
    struct job_truth *truth;
    uint32_t *times;              /* [jobs of the trace] how often each has come */
};

static const char *name_of_draw(struct workload *w, const char *name, uint32_t times)
{
    if (times == 1)
        return name;
    size_t size = strlen(name) + 16;
    char *text = mem_new(size, 1);
    size_t length = (size_t)snprintf(text, size, "%s+%" PRIu32, name, times);
    const char *kept = arena_text(w->memory, text, length);
    free(text);
    return kept;
}

static void come(struct stream *s, job_id j)
{
    bulk_grow(&s->facts, &s->facts_capacity, s->n, sizeof *s->facts, workload_resident(s->from, sizeof *s->facts));
    bulk_grow(&s->truth, &s->truth_capacity, s->n, sizeof *s->truth, workload_resident(s->from, sizeof *s->truth));
    if (bulk_turns(s->n)) {
        bulk_fill(s->facts, s->n, sizeof *s->facts);
        bulk_fill(s->truth, s->n, sizeof *s->truth);
    }
    struct job_facts *f = &s->facts[s->n];
    struct job_truth *t = &s->truth[s->n++];
    *f = s->from->facts[j];
    *t = s->from->truth[j];
    f->submit_ns = (int64_t)s->n * NS_PER_S;
    f->deadline_ns = t->estimate_ns = TIME_NEVER;
    t->duration_ns = ENDLESS_NS;
    struct job_extra extra = *workload_extra(s->from, j);
    extra.running = 0;
    t->extra = workload_extra_add(s->from, &extra);
    t->name = name_of_draw(s->from, t->name, ++s->times[j]);
}

int workload_stream(struct workload *w, int64_t gpu_milli, uint64_t seed, struct error *err)
{
    if (w->n_on_demand)
        return error_set(err, "a stream is of jobs alone, got some that a run submits itself");
    struct named *job = shuffled(w, seed);
    struct stream s = { .from = w, .times = mem_new(w->n_jobs, sizeof *s.times) };
    struct random draws;
    int64_t asked = 0;
    bool endless = true;
    for (job_id j = 0; j < w->n_jobs && endless; j++)
        endless = demand_of(w, j) == 0;
    random_init(&draws, seed, "stream draws", 0);
    for (uint32_t k = 0; !endless; k++) {
        job_id j = job[k < w->n_jobs ? k : (uint32_t)random_below(&draws, w->n_jobs)].job;
        if (asked + demand_of(w, j) > gpu_milli || s.n == ID_NONE - 1)
            break;
        asked += demand_of(w, j);
        come(&s, j);
    }
    free(job);
    free(s.times);
    if (s.n == 0) {
        bulk_free(s.facts);
        bulk_free(s.truth);
        return error_set(err, endless ? "a stream wants jobs that ask for GPUs, got none"
                                      : "a stream wants room for its first job");
    }
    bulk_free(w->facts);
    bulk_free(w->truth);
    free(w->depends_first);
    free(w->depends_on);
    free(w->depends_how);
    free(w->turn);
    w->depends_first = NULL;
    w->depends_on = NULL;
    w->depends_how = NULL;
    w->turn = NULL;
    bulk_filled(s.facts);
    bulk_filled(s.truth);
    w->facts = s.facts;
    w->truth = s.truth;
    w->n_jobs = s.n;
    return 0;
}
