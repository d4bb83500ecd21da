/* suspend.h - jobs that stand still where they are. */
#pragma once
#include "sim/engine/state.h"

void suspend_stage(struct sched *s, struct live *l, const struct placement *p);      /* only their memory is taken from now on */
void suspend_unstage(struct sched *s, struct live *l, const struct placement *p);    /* not even that */
enum sched_result suspend_drop(struct sched *s, struct live *l);          /* the verb */
void suspend_begins(struct sched *s, struct live *l, const struct placement *p);     /* truth: it has left p, but for its memory */
/* Truth: to its last checkpoint. cause as for job_departs(); why: of the interruption, or empty. */
void suspend_dropped(struct sched *s, struct live *l, unsigned cause, const char *why);
