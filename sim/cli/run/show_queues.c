/* show_queues.c - the queues of a run as a table: of a few, for many are a file's business. */
#include "sim/cli/run/show.h"
#include "sim/cli/frame/term.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { QUEUES_LEAST = 2, QUEUES_MOST = 20, NAME_LEAST = 8 };

/* From the most telling to the one that goes first where room is short. */
static const struct column {
    const char *head, *metric;
    int width;
    enum { A_COUNT, A_TIME, A_SHARE, SOME_HOURS } kind;
    size_t from_width;            /* of the terminal */
} columns[] = {
    { "jobs", "jobs_submitted", 9, A_COUNT, 48 },
    { "GPU h", "gpu_h_held", 11, SOME_HOURS, 60 },
    { "of all GPUs", "util_alloc", 13, A_SHARE, 72 },
    { "wait", "wait_mean_s", 11, A_TIME, 0 },
    { "completion", "jct_mean_s", 12, A_TIME, 0 },
    { "in quota", "quota_satisfaction", 10, A_SHARE, 80 },
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void put_value(const struct column *c, double value)
{
    char text[HUMAN_MAX];
    if (c->kind == A_TIME)
        printf("%*s", c->width, human_time(text, value));
    else if (isnan(value))
        printf("%*s", c->width, "-");
    else if (c->kind == A_SHARE)
        printf("%*.1f%%", c->width - 1, 100 * value);
    else
        printf("%*.*f", c->width, c->kind == SOME_HOURS, value);
}

/* Nobody has a quota: it would say how much of all that was asked for was held. */
static bool has_room(const struct shown *x, const struct column *c, size_t width)
{
    return width >= c->from_width && !(!strcmp(c->metric, "quota_satisfaction") && isnan(summary_value(x->summary, c->metric, "all")));
}

static size_t name_width(const struct shown *x, const char *const *name, size_t n, size_t width)
{
    size_t used = 2, longest = NAME_LEAST;
    for (size_t i = 0; i < COLUMNS; i++)
        used += has_room(x, &columns[i], width) ? (size_t)columns[i].width : 0;
    for (size_t i = 0; i < n; i++)
        longest = text_width(name[i]) > longest ? text_width(name[i]) : longest;
    size_t room = width > used + NAME_LEAST ? width - used : NAME_LEAST;
    return longest < room ? longest : room;
}

void show_queues(const struct shown *x, size_t width)
{
    const char *scope[QUEUES_MOST], *name[QUEUES_MOST];
    size_t n = 0;
    for (size_t i = 0; i < x->summary->n; i++) {
        const struct metric *m = &x->summary->metric[i];
        if (strcmp(m->kind->name, "jobs_submitted") || strncmp(m->scope, "queue=", 6))
            continue;
        if (n == QUEUES_MOST)
            return;
        scope[n] = m->scope;
        name[n++] = m->scope + strlen("queue=");
    }
    if (n < QUEUES_LEAST)
        return;
    size_t names = name_width(x, name, n, width);
    printf("\n  ");
    text_pad(stdout, "queue", names);
    for (size_t c = 0; c < COLUMNS; c++)
        if (has_room(x, &columns[c], width))
            printf("%*s", columns[c].width, columns[c].head);
    for (size_t i = 0; i < n; i++) {
        printf("\n  ");
        text_pad(stdout, name[i], names);
        for (size_t c = 0; c < COLUMNS; c++)
            if (has_room(x, &columns[c], width))
                put_value(&columns[c], summary_value(x->summary, columns[c].metric, scope[i]));
    }
    putchar('\n');
}
