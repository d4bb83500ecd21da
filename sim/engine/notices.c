/* notices.c - see notices.h. */
#include "sim/engine/notices.h"

#include <stdlib.h>

void notices_begin(struct sched *s)
{
    s->notices = arena_alloc(s->memory, sizeof *s->notices);
}

void notices_end(struct sched *s)
{
    free(s->notices->notice);
}

void notice_add(struct sched *s, enum notice kind, job_id j, enum stop_cause why)
{
    struct notices *n = s->notices;
    mem_grow(&n->notice, &n->capacity, n->n, sizeof *n->notice);
    n->notice[n->n].kind = (uint8_t)kind;
    n->notice[n->n].why = (uint8_t)why;
    n->notice[n->n++].job = j;
}

void notices_forget(struct sched *s)
{
    s->notices->n = 0;
}

bool notice_next(struct sched *s, size_t *i, struct notice_of *next)
{
    const struct notices *n = s->notices;
    if (*i == n->n)
        return false;
    *next = (struct notice_of){ n->notice[*i].kind, n->notice[*i].why, n->notice[*i].job };
    ++*i;
    return true;
}
