/* sessions.h - interactive sessions in a run: see sessions.c. */
#pragma once
#include "sim/io/output.h"
#include "sim/engine/state.h"
#include "sim/results/results.h"
#include "sim/results/summary_builder.h"
#include "sim/sessions/session_life.h"

struct session_run {
    const struct sessions *group;
    struct session_life life;
    job_id   job;
    event_id event;               /* when something comes next; 0: nobody knows */
    bool     begun;               /* submitted, in its own eyes */
    bool     asks_again;          /* as soon as its job has left what it held in its former life */
    bool     started_up;          /* it has, and does not know yet */
    enum session_spent counted;   /* among those in `now` */
};
struct sessions_run {
    uint32_t n;
    struct session_run *one;      /* [n] by submit time, then group */
    uint32_t *of_job;             /* [n_on_demand] ID_NONE: none */
    uint32_t now[SESSION_SPENTS + 1];     /* how many spend the present instant on what; the last: have yet to come, or are over */
};

/* sessions_results.c */
extern const char *const session_columns[];                  /* of sessions.csv */
void sessions_rows(struct output *o, const struct sched *s);
extern const struct metric_kind session_metrics[];
void sessions_summarise(struct summary_builder *k);
extern const char *const session_node_columns[], *const session_series_columns[];
void session_node_row(struct output *o, const struct sched *s, node_id n);
void session_series_row(struct output *o, const struct sched *s);
