/* request_queue.c - see request_queue.h: an event loop of its own. At one instant: timeouts, ends
 * (smallest replica first), arrivals, begins of steps. */
#include "sim/serving/request_queue.h"
#include "sim/base/random.h"
#include "sim/serving/llm/handover.h"
#include "sim/serving/tally.h"

#include <assert.h>
#include <string.h>

struct request_queue {
    const struct service *s;
    uint64_t seed;                /* of the choices of RANDOM2 */
    struct demand *demand;
    struct requests_present present;
    struct request_lines common;  /* CENTRAL: all that wait; else those before there is a replica */
    struct replica *replica;      /* [n_replicas] by id */
    uint32_t n_replicas;
    uint32_t *ready_ids;          /* [ready] ascending */
    uint32_t *takers, n_takers;   /* of them, those that take new requests */
    uint32_t ready, busy;
    uint32_t *due, n_due;         /* of TIME_ENGINE: replicas that may begin a step now */
    uint64_t turn;                /* of ROUND_ROBIN */
    uint64_t blocks;              /* of KV cache in use */
    struct handover handover;
    double gone_gpu_s, taken_gpu_s;     /* of replicas that stopped; up to the interval */
    uint64_t waiting, in_service;
    struct tournament events, loads;    /* by replica: next event; its requests, if it takes any */
    int64_t now_ns;
    struct tally interval, total; /* total: up to the interval */
    struct slo_window window;
    struct group_counts by_group;
};

struct request_queue *request_queue_new(const struct service *s, uint64_t seed)
{
    struct request_queue *q = mem_new(1, sizeof *q);
    q->s = s;
    q->seed = hash_bytes(s->name, strlen(s->name), seed);
    q->demand = demand_new(s, seed);
    q->present = requests_none();
    q->common = request_lines_none();
    q->window.end_ns = SLO_WINDOW_NS;
    q->handover = handover_of(&s->time.engine);
    q->by_group = group_counts_of(s->time.engine.weights.n);
    tournament_grow(&q->events, 2);
    tournament_grow(&q->loads, 2);
    return q;
}

void request_queue_free(struct request_queue *q)
{
    if (!q)
        return;
    for (uint32_t i = 0; i < q->n_replicas; i++)
        replica_free(&q->replica[i]);
    demand_free(q->demand);
    tally_free(&q->interval);
    tally_free(&q->total);
    tournament_free(&q->events);
    tournament_free(&q->loads);
    handover_free(&q->handover);
    group_counts_free(&q->by_group);
    free(q->present.at);
    free(q->replica);
    free(q->ready_ids);
    free(q->takers);
    free(q->due);
    free(q);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void settle(struct request_queue *q, int64_t now_ns)
{
    int64_t passed_ns = now_ns - q->now_ns;
    q->interval.replica_ns += (int128_t)passed_ns * q->ready;
    q->interval.busy_ns += (int128_t)passed_ns * q->busy;
    q->interval.concurrency_ns += (int128_t)passed_ns * (int64_t)q->in_service;
    q->interval.kv_block_ns += (int128_t)passed_ns * (int64_t)q->blocks;
    q->now_ns = now_ns;
    slo_window_move(&q->window, &q->s->slo, now_ns, &q->interval);
}

/* ---- replicas ---- */

/* Updates both trees after a change of the replica. */
static void refresh(struct request_queue *q, uint32_t id)
{
    const struct replica *r = &q->replica[id];
    int64_t next_ns = replica_next_ns(r, q->s), load = TOURNAMENT_NONE;
    if (q->s->dispatch == DISPATCH_CENTRAL) {
        load = replica_is_free(r, q->s) ? r->in_service : TOURNAMENT_NONE;
    } else if (r->ready) {
        load = r->role == ROLE_DECODE ? TOURNAMENT_NONE : (int64_t)r->in_service + replica_waiting(r);
        next_ns = earlier(next_ns, replica_timeout_ns(r, q->s, &q->present));
        if (replica_is_free(r, q->s))
            next_ns = earlier(next_ns, request_lines_batch_ns(&r->own, q->s, &q->present));
    }
    tournament_set(&q->events, id, next_ns);
    tournament_set(&q->loads, id, load);
    handover_refresh(&q->handover, r, id);
}

static void begin(struct request_queue *q, uint32_t id, struct request_lines *from)
{
    struct replica *r = &q->replica[id];
    uint32_t before = r->in_service;
    replica_begin(r, q->s, &q->present, from, q->now_ns);
    if (before == 0) {
        q->busy++;
        r->busy_since_ns = q->now_ns;
    }
    q->in_service += r->in_service - before;
    q->waiting -= r->in_service - before;
}

/* ---- replicas that run step by step ---- */

static bool by_steps(const struct request_queue *q)
{
    return q->s->time.kind == TIME_ENGINE;
}

/* A step begins once all that arrives at this instant is there. */
static void is_due(struct request_queue *q, uint32_t id)
{
    struct replica *r = &q->replica[id];
    if (r->due || r->ranks.end_ns != TIME_NEVER)
        return;
    r->due = true;
    q->due[q->n_due++] = id;
}

static void begin_step(struct request_queue *q, uint32_t id)
{
    struct replica *r = &q->replica[id];
    const struct llm_batching *b = &q->s->time.engine;
    uint32_t before = r->in_service;
    r->due = false;
    q->blocks -= llm_ranks_used(&r->ranks, b);
    if (r->ready)
        llm_ranks_begin(&r->ranks, b, r->clock, r->speed, &q->present, q->now_ns, &q->interval);
    q->blocks += llm_ranks_used(&r->ranks, b);
    r->in_service = llm_ranks_running(&r->ranks);
    if (before == 0 && r->in_service > 0) {
        q->busy++;
        r->busy_since_ns = q->now_ns;
    }
    q->in_service = q->in_service + r->in_service - before;
    q->waiting = q->waiting + before - r->in_service;
    refresh(q, id);
}

static void begin_steps(struct request_queue *q)
{
    for (uint32_t i = 0; i < q->n_due; i++)
        begin_step(q, q->due[i]);
    q->n_due = 0;
}

static double gpu_s_so_far(const struct request_queue *q)
{
    double sum = q->gone_gpu_s;
    for (uint32_t i = 0; i < q->ready; i++)
        sum += llm_ranks_work(&q->replica[q->ready_ids[i]].ranks, q->now_ns).busy_s;
    return sum;
}

static void serve_own(struct request_queue *q, uint32_t id)
{
    struct replica *r = &q->replica[id];
    if (by_steps(q))
        is_due(q, id);
    while (!by_steps(q) && replica_would_begin(r, q->s, &q->present, &r->own, q->now_ns))
        begin(q, id, &r->own);
    refresh(q, id);
}

static void serve_common(struct request_queue *q)
{
    while (q->waiting && tournament_key(&q->loads) != TOURNAMENT_NONE) {
        uint32_t id = tournament_item(&q->loads);
        if (!replica_would_begin(&q->replica[id], q->s, &q->present, &q->common, q->now_ns))
            return;
        begin(q, id, &q->common);
        refresh(q, id);
    }
}

/* ---- requests ---- */

/* Drawn by the number of the request: the same for every policy. */
static uint32_t shorter_of_two(const struct request_queue *q, uint64_t number)
{
    struct random luck;
    if (q->n_takers == 1)
        return q->takers[0];
    random_init(&luck, q->seed, "dispatch", number);
    uint32_t a = (uint32_t)random_below(&luck, q->n_takers),
             b = (uint32_t)random_below(&luck, q->n_takers - 1);
    b += b >= a;
    uint32_t low = q->takers[a < b ? a : b], high = q->takers[a < b ? b : a];
    return q->loads.key[high] < q->loads.key[low] ? high : low;
}

/* How well a replica is prepared: leading ids of the prompt that it has, or how near its weights
 * are; of models 0 where as many requests are as may run at once. */
static uint32_t known_to(const struct request_queue *q, uint32_t id,
                         const struct service_request *ask)
{
    const struct llm_ranks *r = &q->replica[id].ranks;
    if (q->s->dispatch == DISPATCH_PREFIX)
        return llm_ranks_leading(r, ask);
    bool full = q->s->dispatch == DISPATCH_MODEL && q->loads.key[id] >= service_slots(q->s);
    return full ? 0 : llm_ranks_near(r, &q->s->time.engine, ask->set);
}

/* The replica that is prepared best; of several that with the fewest requests. */
static uint32_t knows_most(const struct request_queue *q, const struct service_request *ask)
{
    uint32_t best = q->takers[0], most = 0;
    for (uint32_t i = 0; i < q->n_takers; i++) {
        uint32_t id = q->takers[i], known = known_to(q, id, ask);
        if (i > 0 && (known < most || (known == most && q->loads.key[id] >= q->loads.key[best])))
            continue;
        best = id;
        most = known;
    }
    return best;
}

static uint32_t replica_for(struct request_queue *q, uint32_t request)
{
    switch (q->s->dispatch) {
    case DISPATCH_RANDOM2:
        return shorter_of_two(q, q->present.at[request].number);
    case DISPATCH_ROUND_ROBIN:
        return q->takers[q->turn++ % q->n_takers];
    case DISPATCH_PREFIX: case DISPATCH_ADAPTER: case DISPATCH_MODEL:
        return knows_most(q, &q->present.at[request].ask);
    default:
        return tournament_item(&q->loads);
    }
}

/* Puts a waiting request into its line. */
static void dispatch(struct request_queue *q, uint32_t request)
{
    if (q->s->dispatch == DISPATCH_CENTRAL || q->n_takers == 0) {
        request_lines_insert(&q->present, &q->common, request);
        return;
    }
    uint32_t id = replica_for(q, request);
    replica_take(&q->replica[id], &q->present, request);
    serve_own(q, id);
}

static void drop(struct request_queue *q, uint32_t request)
{
    q->interval.dropped++;
    q->window.ended++;
    q->waiting--;
    group_counts_dropped(&q->by_group, &q->present.at[request]);
    requests_leave(&q->present, request);
}

static void arrive(struct request_queue *q, const struct service_request *ask)
{
    uint32_t request = requests_enter(&q->present, ask, demand_taken(q->demand));
    demand_take(q->demand);
    q->interval.arrived++;
    q->waiting++;
    group_counts_arrived(&q->by_group, &q->present.at[request]);
    if (by_steps(q) &&
        !llm_batching_fits(&q->s->time.engine, ask->prompt_tokens, ask->output_tokens, ask->set)) {
        q->interval.rejected++;
        drop(q, request);
        return;
    }
    dispatch(q, request);
    if (q->s->dispatch == DISPATCH_CENTRAL)
        serve_common(q);
}

static void served(struct request_queue *q, uint32_t request)
{
    const struct present *r = &q->present.at[request];
    bool kept = tally_served(&q->interval, q->s, r, q->now_ns);
    group_counts_served(&q->by_group, r, q->now_ns, kept);
    q->window.kept += kept;
    q->window.ended++;
    q->in_service--;
    requests_leave(&q->present, request);
}

/* ---- events ---- */

static int64_t common_next_ns(const struct request_queue *q)
{
    if (q->waiting == 0)
        return TIME_NEVER;
    int64_t next_ns = request_lines_timeout_ns(&q->common, q->s, &q->present);
    if (tournament_key(&q->loads) != TOURNAMENT_NONE && q->s->dispatch == DISPATCH_CENTRAL)
        next_ns = earlier(next_ns, request_lines_batch_ns(&q->common, q->s, &q->present));
    return next_ns;
}

static void common_event(struct request_queue *q)
{
    if (request_lines_timeout_ns(&q->common, q->s, &q->present) <= q->now_ns)
        drop(q, request_line_pop(&q->present, &q->common.fresh));
    else
        serve_common(q);
}

static void end_step(struct request_queue *q, uint32_t id)
{
    struct replica *r = &q->replica[id];
    const struct llm_batching *b = &q->s->time.engine;
    q->blocks -= llm_ranks_used(&r->ranks, b);
    llm_ranks_end(&r->ranks, b, &q->present, &q->interval);
    for (uint32_t request; (request = llm_ranks_pop(&r->ranks, &q->present)) != NO_REQUEST;)
        served(q, request);
    if (r->role == ROLE_PREFILL)
        handover_park(&q->handover, r, id, &q->present);
    q->blocks += llm_ranks_used(&r->ranks, b);
    r->in_service = llm_ranks_running(&r->ranks);
}

/* ---- prompts that are read by one replica, and continued by another ---- */

static void send(struct request_queue *q)
{
    handover_send(&q->handover, &q->s->time.engine, q->replica, &q->present, q->now_ns, &q->blocks);
}

static void transfer_event(struct request_queue *q)
{
    struct transfer come;
    if (!handover_step(&q->handover, &q->s->time.engine, q->replica, &q->present, q->now_ns, &q->blocks,
                    &come))
        return;
    struct replica *to = &q->replica[come.to];
    if (to->in_service == 0) {
        q->busy++;
        to->busy_since_ns = q->now_ns;
    }
    to->in_service = llm_ranks_running(&to->ranks);
    is_due(q, come.from);
    is_due(q, come.to);
    refresh(q, come.from);
    refresh(q, come.to);
}

static void replica_event(struct request_queue *q, uint32_t id)
{
    struct replica *r = &q->replica[id];
    bool was_busy = r->in_service > 0;
    uint32_t late = replica_pop_timed_out(r, q->s, &q->present, q->now_ns);
    if (late != NO_REQUEST) {
        drop(q, late);
    } else {
        if (by_steps(q) && r->ranks.end_ns == q->now_ns)
            end_step(q, id);
        for (uint32_t request;
             !by_steps(q) &&
             (request = replica_end(r, q->s, &q->present, q->now_ns)) != NO_REQUEST;)
            served(q, request);
        if (was_busy && r->in_service == 0) {
            q->busy--;
            r->busy_ns += q->now_ns - r->busy_since_ns;
        }
    }
    refresh(q, id);
    if (q->s->dispatch == DISPATCH_CENTRAL)
        serve_common(q);
    else
        serve_own(q, id);
    send(q);
}

void request_queue_advance(struct request_queue *q, int64_t to_ns)
{
    for (;;) {
        const struct service_request *ask = demand_next(q->demand);
        int64_t arrival_ns = ask ? ask->time_ns : TIME_NEVER, common_ns = common_next_ns(q);
        int64_t transfer_ns = transfers_next_ns(&q->handover.transfers),
                event_ns = earlier(earlier(common_ns, transfer_ns), tournament_key(&q->events));
        if (q->n_due > 0 && q->now_ns < to_ns && earlier(event_ns, arrival_ns) > q->now_ns)
            begin_steps(q);
        else if (event_ns <= arrival_ns && event_ns <= to_ns && event_ns != TIME_NEVER) {
            settle(q, event_ns);
            if (common_ns == event_ns)
                common_event(q);
            else if (transfer_ns == event_ns)
                transfer_event(q);
            else
                replica_event(q, tournament_item(&q->events));
        } else if (arrival_ns < to_ns && arrival_ns < event_ns) {
            settle(q, arrival_ns);
            arrive(q, ask);
        } else {
            break;
        }
    }
    settle(q, to_ns);
}

/* ---- replicas start and stop ---- */

static void make_room(struct request_queue *q, uint32_t id)
{
    if (id < q->n_replicas)
        return;
    q->replica = mem_resize(q->replica, id + 1, sizeof *q->replica);
    q->ready_ids = mem_resize(q->ready_ids, id + 1, sizeof *q->ready_ids);
    q->takers = mem_resize(q->takers, id + 1, sizeof *q->takers);
    q->due = mem_resize(q->due, id + 1, sizeof *q->due);
    while (q->n_replicas <= id) {
        q->replica[q->n_replicas] = replica_new(q->s, 1);
        q->replica[q->n_replicas++].ready = false;
    }
    tournament_grow(&q->events, id + 1);
    tournament_grow(&q->loads, id + 1);
    tournament_grow(&q->handover.decoders, id + 1);
}

static void list_ready(struct request_queue *q)
{
    q->ready = q->n_takers = 0;
    for (uint32_t i = 0; i < q->n_replicas; i++) {
        if (q->replica[i].ready)
            q->ready_ids[q->ready++] = i;
        if (q->replica[i].ready && q->replica[i].role != ROLE_DECODE)
            q->takers[q->n_takers++] = i;
    }
}

/* Dispatches all in `from` again, in the order of arrival. */
static void dispatch_again(struct request_queue *q, struct request_lines *from)
{
    struct request_lines all = *from;
    *from = request_lines_none();
    for (uint32_t request; (request = request_lines_pop(&q->present, &all)) != NO_REQUEST;)
        dispatch(q, request);
    if (q->s->dispatch == DISPATCH_CENTRAL)
        serve_common(q);
}

void request_queue_replica_ready(struct request_queue *q, uint32_t id, double speed)
{
    make_room(q, id);
    assert(!q->replica[id].ready && speed > 0);
    bool due = q->replica[id].due;
    replica_free(&q->replica[id]);
    q->replica[id] = replica_new(q->s, speed);
    q->replica[id].due = due;
    q->replica[id].ready = false;
    q->replica[id].role = (uint8_t)handover_role(&q->s->time.engine, q->replica, q->n_replicas);
    q->replica[id].ready = true;
    list_ready(q);
    refresh(q, id);
    dispatch_again(q, &q->common);
    send(q);
}

/* A replica that stopped freed blocks of others. */
static void look_again(struct request_queue *q)
{
    for (uint32_t i = 0; i < q->ready; i++) {
        is_due(q, q->ready_ids[i]);
        refresh(q, q->ready_ids[i]);
    }
    send(q);
}

void request_queue_replica_gone(struct request_queue *q, uint32_t id)
{
    struct replica *r = &q->replica[id];
    assert(id < q->n_replicas && r->ready);
    struct request_lines lost = request_lines_none();
    q->gone_gpu_s += llm_ranks_work(&r->ranks, q->now_ns).busy_s;
    if (by_steps(q))
        handover_leave(&q->handover, &q->s->time.engine, q->replica, id, &q->present, q->now_ns,
                    &q->blocks);
    q->blocks -= by_steps(q) ? llm_ranks_used(&r->ranks, &q->s->time.engine) : 0;
    uint32_t here = r->in_service + llm_ranks_parked(&r->ranks);
    q->busy -= r->in_service > 0;
    q->in_service -= here;
    q->waiting += here;
    replica_give_up(r, &q->present, &lost);
    list_ready(q);
    refresh(q, id);
    if (q->s->lost == LOST_DROP)
        for (uint32_t request; (request = request_lines_pop(&q->present, &lost)) != NO_REQUEST;)
            drop(q, request);
    dispatch_again(q, &lost);
    if (by_steps(q))
        look_again(q);
}

void request_queue_replica_speed(struct request_queue *q, uint32_t id, double speed)
{
    assert(id < q->n_replicas && q->replica[id].ready && speed > 0);
    replica_set_speed(&q->replica[id], q->s, speed, q->now_ns);
    refresh(q, id);
}

void request_queue_replica_clock(struct request_queue *q, uint32_t id, double clock)
{
    assert(id < q->n_replicas && q->replica[id].ready && clock > 0);
    q->replica[id].clock = clock;
}

struct replica_work request_queue_replica_work(const struct request_queue *q, uint32_t id)
{
    const struct replica *r = &q->replica[id];
    assert(id < q->n_replicas && r->ready);
    if (by_steps(q))
        return llm_ranks_work(&r->ranks, q->now_ns);
    int64_t busy_ns = r->busy_ns + (r->in_service ? q->now_ns - r->busy_since_ns : 0);
    return (struct replica_work){ .busy_s = seconds(busy_ns) };
}

/* ---- results ---- */

static struct tally so_far(const struct request_queue *q)
{
    struct tally all = { 0 };
    tally_add(&all, &q->total);
    tally_add(&all, &q->interval);
    return all;
}

struct serving_load request_queue_load(const struct request_queue *q)
{
    const struct tally *a = &q->total, *b = &q->interval;
    return (struct serving_load){
        .at_ns = q->now_ns, .ready = q->ready,
        .waiting = (double)q->waiting, .in_service = (double)q->in_service,
        .arrived = (double)(a->arrived + b->arrived), .served = (double)(a->served + b->served),
        .dropped = (double)(a->dropped + b->dropped),
        .replica_s = (double)(a->replica_ns + b->replica_ns) / NS_PER_S,
        .busy_s = by_steps(q) ? gpu_s_so_far(q) : (double)(a->busy_ns + b->busy_ns) / NS_PER_S,
        .concurrency_s = (double)(a->concurrency_ns + b->concurrency_ns) / NS_PER_S,
        .kv_s = by_steps(q) ? (double)(a->kv_block_ns + b->kv_block_ns) / NS_PER_S /
                                  llm_batching_blocks(&q->s->time.engine)
                            : 0,
        .tokens = (double)(a->output_tokens + b->output_tokens),
        .first_token_s = (double)(a->first_token.sum_ns + b->first_token.sum_ns) / NS_PER_S,
        .per_token_s = (double)(a->per_token.sum_ns + b->per_token.sum_ns) / NS_PER_S,
    };
}

struct serving_figures request_queue_take_figures(struct request_queue *q)
{
    double gpu_s = gpu_s_so_far(q);
    struct serving_figures f = tally_figures(&q->interval, q->s, q->now_ns,
                                             q->waiting + q->in_service, gpu_s - q->taken_gpu_s);
    q->taken_gpu_s = gpu_s;
    tally_add(&q->total, &q->interval);
    tally_clear(&q->interval, q->now_ns);
    return f;
}

struct serving_figures request_queue_total(const struct request_queue *q)
{
    struct tally all = so_far(q);
    slo_window_count(&q->window, &q->s->slo, &all);
    struct serving_figures f = tally_figures(&all, q->s, q->now_ns, q->waiting + q->in_service,
                                             gpu_s_so_far(q));
    tally_free(&all);
    return f;
}

void request_queue_paths(struct request_queue *q, const struct transfer_paths *paths)
{
    q->handover.transfers.paths = *paths;
    transfers_look_again(&q->handover.transfers, q->now_ns);
}

double request_queue_sent_bytes(const struct request_queue *q)
{
    return q->handover.transfers.begun_bytes;
}

uint64_t request_queue_drawn(const struct request_queue *q)
{
    return demand_drawn(q->demand);
}

const struct group_counts *request_queue_by_group(const struct request_queue *q)
{
    return &q->by_group;
}
