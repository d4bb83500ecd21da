/* federated_show.c - what came of a federation, for people. See federated.h. */
#include "sim/cli/run/federated.h"

#include "sim/cli/run/show.h"
#include "sim/cli/frame/term.h"
#include "sim/base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void put_row(const struct summary *m, const char *label, const char *scope, double jobs)
{
    char wait[HUMAN_MAX], p90[HUMAN_MAX], jct[HUMAN_MAX], used[SHOW_NUMBER];
    double cost = summary_value(m, "cost_usd", scope);
    printf("  %-16s%9.0f%14s%14s%14s%11s", label, jobs, human_time(wait, summary_value(m, "wait_mean_s", scope)),
           human_time(p90, summary_value(m, "wait_p90_s", scope)), human_time(jct, summary_value(m, "jct_mean_s", scope)),
           show_percent(used, summary_value(m, "util_alloc", scope)));
    if (isnan(cost))
        printf("%14s\n", "-");
    else
        printf("%14.2f\n", cost);
}

static void warn_of(const char *name, const struct run_totals *t)
{
    if (t->rejected || t->never_started || t->deadlocked || t->cut_off)
        warn("member %s: %" PRIu32 " rejected, %" PRIu32 " never started, %" PRIu32 " in a deadlock, %" PRIu32 " running and %" PRIu32
             " waiting at the cut-off", name, t->rejected, t->never_started, t->deadlocked, t->running, t->pending);
}

void federated_show(const struct federated_plan *p, const struct federated_played *played)
{
    const struct federation *f = p->federation;
    printf("federation %s, %s, %s\n\n  %-16s%9s%14s%14s%14s%11s%14s\n", f->name, p->base.policy_text, p->base.placer_text, "", "jobs", "wait mean", "wait p90",
           "completion", "allocated", "cost USD");
    for (size_t i = 0; i < f->n; i++)
        warn_of(f->member[i].name, run_totals(played->run[i]));
    for (size_t i = 0; i < f->n; i++) {
        char *scope = NULL;
        size_t length;
        FILE *s = mem_stream(&scope, &length);
        fprintf(s, "member=%s", f->member[i].name);
        mem_stream_end(s, &scope);
        put_row(played->whole, f->member[i].name, scope, summary_value(played->whole, "jobs_routed", scope));
        free(scope);
    }
    put_row(played->whole, "all", "all", summary_value(played->whole, "jobs_submitted", "all"));
    printf("\nresults in %s\n", p->base.directory);
}
