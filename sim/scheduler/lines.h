/* lines.h - ordered sets of jobs: a sub-line per shape, each with the time that its jobs have waited, by reason. Policies
 * see the contract's (policy.h). */
#pragma once
#include "sim/base/fetch.h"
#include "sim/engine/state.h"

/* Counts time per reason, for a whole group at once. */
struct wait_clock {
    uint8_t why;                  /* runs on since then; WAIT_GROUP: none. A walk over many reads it: it is near what stands before */
    uint16_t counted;             /* reasons with a total, bit by bit: few of all */
    int64_t since_ns;
    int64_t total[WAIT_REASONS];  /* up to since_ns */
};

struct line_place { struct line_key key; job_id job; };       /* where a job stands */
struct line_entry {
    struct ordered_link link;     /* in its sub-line */
    struct line_place at;
    uint32_t sub;                 /* sub-line, global number */
    uint32_t next_of_job;         /* of the other lines that the job is in */
    uint8_t own_why;              /* of the job; without a timeline not kept */
    uint8_t marks, common_marks;  /* of the policy; those that all of its subtree have */
    int64_t reserved_ns;          /* its estimate while it waits for WAIT_RESERVED, else INT64_MIN. Without a timeline:
                                     always INT64_MIN */
    int64_t least_reserved_ns;    /* of its subtree */
};
/* What a walk reads of those that it passes by lies in one line of the cache. */
struct sub_line {
    struct ordered_link link;     /* in its line, by the place of its first entry */
    uint32_t next, previous;      /* in that order; ORDERED_NONE: none. A walk that climbed the tree would guess each of its branches */
    struct line_place first;      /* a copy of that */
    int64_t need_milli;
    /* where the total of a kind says all of the shape (placing_by_totals), and no limit is in play: of which it needs so much; ID_NONE:
       elsewhere */
    uint32_t kind;
    bool told_full;               /* with a timeline: the first job waits with its group, and that for WAIT_GPUS */
    uint32_t line;
    shape_id shape;
    struct ordered entries;
    struct { uint64_t walk; int64_t ns; } too_long;    /* that walk leaves out jobs that are reserved for no less */
    struct wait_clock clock;      /* WAIT_GROUP: the line's runs instead */
    int64_t line_at_handover[WAIT_REASONS];    /* the line's totals when it took over: of reasons that these count */
};
struct sub_slot { shape_id shape; uint32_t number; };
enum { FEW_SUBS = 8 };
struct line {
    struct sched *s;
    uint32_t number;
    uint32_t length;
    struct ordered subs;          /* those that are not empty */
    uint64_t version;             /* of its order */
    struct sub_slot *sub_of_shape;    /* [sub_capacity] open addressing; number ID_NONE: free */
    uint32_t sub_capacity, sub_count;
    struct sub_slot few[FEW_SUBS];    /* the first table: of thousands of lines most have a few shapes, and are in no near cache */
    struct wait_clock clock;
};

/* Written by lines.c; waiting.c writes the clocks, line_walk.c what is of walks. */
struct lines {
    struct line **line;
    size_t n_lines, line_capacity;
    struct line_entry *entry;     /* of all lines */
    size_t n_entries, entry_capacity;
    uint32_t free_entry;          /* chained through next_of_job */
    struct sub_line *sub;         /* of all lines, by their global numbers */
    size_t n_subs, sub_capacity;
    uint64_t n_walks;             /* so far */
    uint64_t n_reserved;          /* how often reserved_ns of an entry changed */
    bool marks;                   /* the policy has marked some job: for good */
};

/* Prefetch: the first entry of a job; once that is there, its sub-line. */
static inline void line_entry_fetch(const struct sched *s, const struct live *l)
{
    if (l->entry != ID_NONE)
        fetch_lines(&s->lines->entry[l->entry], sizeof(struct line_entry));
}

static inline void sub_line_fetch(const struct sched *s, const struct live *l)
{
    if (l->entry != ID_NONE)
        fetch_lines(&s->lines->sub[s->lines->entry[l->entry].sub], offsetof(struct sub_line, clock.total));
}

/* The order of a line. */
static inline bool line_place_before(const struct line_place *a, const struct line_place *b)
{
    if (a->key.major != b->key.major)
        return a->key.major < b->key.major;
    if (a->key.minor != b->key.minor)
        return a->key.minor < b->key.minor;
    if (a->key.time_ns != b->key.time_ns)
        return a->key.time_ns < b->key.time_ns;
    return a->job < b->job;
}

bool line_entry_before(const void *sched, uint32_t a, uint32_t b);
struct ordered_space line_entries(const struct sched *s);
struct ordered_space line_subs(const struct sched *s);
void sub_line_tell(const struct sched *s, struct sub_line *sub);          /* whether it has been told that it is full may have changed */
uint32_t sub_line_of(const struct line *l, shape_id shape);               /* ID_NONE: no job of it ever stood there */
void line_entries_reserve(struct sched *s, const struct live *l);         /* its own reason has changed */
void line_restore(struct line *l, job_id j, struct line_key k, unsigned place);    /* as before a line_remove */
void lines_forget(struct sched *s, job_id j);                             /* out of every line */
void lines_begin(struct sched *s);
void lines_end(struct sched *s);

/* waiting.c - of all that stand in a sub-line */
void wait_clock_set(struct wait_clock *c, int64_t now_ns, enum wait_reason why);
void sub_line_reason(struct sched *s, struct sub_line *sub, enum wait_reason why);
void sub_line_blocked(struct sched *s, uint32_t sub, enum wait_reason why);    /* line_blocked() of its shape */
