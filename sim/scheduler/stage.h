/* stage.h - what a pass stages: verbs change state, indexes and books at once.
 *
 * What a job was before the pass is kept when it is first touched. The undo log is written only once a mark was set; pass.c rolls it
 * back, and carries out what is staged at the end of the pass. */
#pragma once
#include "sim/engine/state.h"

enum undo_kind { UNDO_JOB, UNDO_TAKE, UNDO_GIVE, UNDO_HELD, UNDO_PENDING, UNDO_WAKE, UNDO_PUSH, UNDO_REMOVE,
                 UNDO_MARK, UNDO_OWN, UNDO_SUB, UNDO_MEMORY_TAKE, UNDO_MEMORY_GIVE, UNDO_LINE, UNDO_HOLD_ADD, UNDO_HOLD_DROP,
                 UNDO_TENTATIVE };
struct undo {
    uint8_t kind, why, mode;
    int8_t sign;
    job_id job;
    uint32_t number;              /* of a sub-line or line */
    union {
        struct staged staged;
        struct { struct view *view; const struct placement *p; } piece;
        struct line_key key;
        int64_t time_ns;
        struct { int64_t start_ns, end_ns; struct placement *p; } hold;
        struct amount size;
    } u;
};
/* Written by stage.c, and emptied by pass.c at the end of a pass. */
struct stage {
    struct undo *undo;            /* the log, since the first mark */
    size_t n_undo, undo_capacity;
    bool marked;                  /* a mark is set: changes are logged */
    uint32_t *touched;            /* live slots, in the order of first touch */
    size_t n_touched, touched_capacity;
    struct { struct placement *p; uint32_t live; } *copy;     /* placements made in this pass, and for which slot */
    size_t n_copies, copy_capacity;
};

void stage_begin(struct sched *s);
void stage_end(struct sched *s);
struct undo *undo_log(struct sched *s, enum undo_kind kind, job_id j);
static inline struct undo *undo_add(struct sched *s, enum undo_kind kind, job_id j)    /* NULL: no mark is set */
{
    return s->stage->marked ? undo_log(s, kind, j) : NULL;
}
void stage_touch(struct sched *s, struct live *l);
bool stage_take_if_free(struct sched *s, struct view *v, job_id j, const struct placement *p);
void stage_take(struct sched *s, struct view *v, job_id j, const struct placement *p);    /* v NULL: does nothing */
void stage_give(struct sched *s, struct view *v, job_id j, const struct placement *p);
void stage_held(struct sched *s, job_id j, struct amount size, int sign);
void stage_pending(struct sched *s, job_id j, struct amount size, int sign);
/* It waits for that no more, and holds this: as stage_pending() and stage_held(), at once. */
void stage_served(struct sched *s, job_id j, struct amount waited_for, struct amount held);
struct staged stage_copy(const struct sched *s, const struct live *l);
void stage_restore(struct sched *s, struct live *l, struct staged to);
void stage_state(struct sched *s, struct live *l, enum job_state state, struct placement *held, bool stopping);
/* Kept until the pass ends, and dropped then unless j holds it or plans it. Returns p. */
struct placement *placement_stage(struct sched *s, job_id j, struct placement *p);
