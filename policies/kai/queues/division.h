/* division.h - a tree of queues, what each is owed, and how a cluster is divided among them:
 * guaranteed quota.
 *
 * Each resource is divided by itself. Top queues divide what the cluster has; the children of a
 * queue divide its fair share. Among siblings, three steps
 * (NVIDIA/KAI-Scheduler:pkg/scheduler/plugins/proportion/resource_division/resource_division.go):
 *   1  each gets min(deserved, requestable), whatever its priority. Deserved shares may sum to more
 *     than there is: then so do the fair shares, and nothing is left.
 *   2  the rest, the highest priority first: in rounds, each queue that is not satisfied may take
 *     rest x claim / sum of claims, in whole units only, or what it still wants if that is no more.
 *     Another round follows as long as a queue wanted less.
 *   3  what rounding left, the highest priority first: one unit each, the largest fraction lost
 *     first, then the older queue.
 * What rounding leaves over of a priority goes to the lower ones in step 2 before it goes to any
 * fraction of its own.
 *
 * claim = max(0, w + k (w - usage W)), w the weight over quota, W the sum of the weights of the
 * class that are not satisfied, usage a part of the cluster's capacity: a queue that has had more
 * than its weight lately gets less. Without usage it is w.
 *
 * Amounts are integers: a sum of thousandths of GPUs is compared exactly. Whole units are whole
 * GPUs, milli-CPUs and MiB (the source: bytes). Weights that are whole numbers divide exactly while
 * amount x weight < 2^53. */
#pragma once
#include "sim/contract/queues.h"
#include "sim/contract/util/minmax.h"

/* Units as in struct amount: milli, milli, MiB */
enum quota_resource { Q_GPU, Q_CPU, Q_MEM, Q_RESOURCES };
struct quota_amount { int64_t of[Q_RESOURCES]; };
struct quota_share {              /* of one queue and resource; a cache line */
    int64_t deserved, limit;      /* UNLIMITED */
    int64_t allocated, firm;      /* held; firm: the part that non-preemptible jobs hold */
    int64_t request;              /* allocated and pending */
    int64_t fair;                 /* fair share, computed */
    double weight, usage;         /* over quota; usage: decayed, as part of the capacity */
};
struct quota_queue {              /* [queue_id], the older the lower */
    struct quota_share of[Q_RESOURCES];
    int32_t priority;
    queue_id parent;              /* ID_NONE: a top queue; else lower than its children's ids */
    /* set by quota_arrange: siblings by priority, the highest first, then by age */
    queue_id first_child, next_sibling;
};
/* Scratch. */
struct quota_taker {
    struct quota_share *share;
    int64_t wants;
    int32_t priority;
    double weight, usage, claim, lost;
};

/* What is given in whole: a GPU, a milli-CPU, a MiB. */
extern const int64_t quota_unit[Q_RESOURCES];

struct quota_amount quota_amount(struct amount a);
struct amount quota_as_amount(const struct quota_amount *a);

/* Once, when parents and priorities are known. Returns the first top queue, ID_NONE if there is
 * none. */
queue_id quota_arrange(struct quota_queue *q, uint32_t n);

/* One resource among `first` and its siblings; returns what no queue takes. O(siblings), and O(n
 * log n) for step 3. scratch: one for each sibling. quota_divide_rest: steps 2 and 3 alone, on top
 * of the fair shares that there are. */
int64_t quota_divide(struct quota_queue *q, queue_id first, enum quota_resource r, int64_t total,
                     double k, struct quota_taker *scratch);
int64_t quota_divide_rest(struct quota_queue *q, queue_id first, enum quota_resource r,
                          int64_t rest, double k, struct quota_taker *scratch);

/* Every resource, down the whole tree. scratch: one for each queue. */
void quota_divide_tree(struct quota_queue *q, queue_id first_top,
                       const struct quota_amount *capacity, double k, struct quota_taker *scratch);
/* The fair shares of a queue and its siblings do not depend on whether it may have `requestable` or
 * `instead`: because they are the same, or because it is not satisfied, in any round of the
 * division, with either of them. */
bool quota_same_share(const struct quota_share *s, enum quota_resource r, int64_t requestable,
                      int64_t instead);

static inline int64_t quota_requestable(const struct quota_share *s)    /* min(limit, request) */
{
    return s->limit == UNLIMITED ? s->request : min_i64(s->limit, s->request);
}
/* What it may hold when all want more: the limit if deserved is unlimited, else min(limit,
 * max(deserved, fair)) */
static inline int64_t quota_allocatable(const struct quota_share *s)
{
    if (s->deserved == UNLIMITED)
        return s->limit;
    int64_t owed = max_i64(s->deserved, s->fair);
    return s->limit == UNLIMITED ? owed : min_i64(s->limit, owed);
}
