/* explain_queue_text.c - the story of one queue as text. */
#include "sim/cli/explain/explain.h"
#include "sim/cli/explain/paragraph.h"
#include "sim/cli/frame/term.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { LABEL = 16, NAME_MIN = 8, CELL = 15, ROWS_MAX = 20 };

static void print_head(const json_t *story)
{
    struct paragraph p;
    FILE *to = paragraph_begin(&p);
    double deserved = story_number(story, "deserved_gpus"), jobs = story_number(story, "jobs");
    fputs("queue ", to);
    write_name(to, story_text(story, "queue"));
    fputs(": ", to);
    if (isnan(deserved)) {
        fputs("no quota", to);
    } else {
        fputs("deserves ", to);
        write_gpus(to, deserved);
    }
    if (jobs > 0)
        fprintf(to, "; %.0f job%s, %.0f completed, over ", jobs, plural_ending(jobs),
                story_number(story, "completed"));
    else
        fputs("; no jobs of its own, over ", to);
    write_duration(to, story_number(story, "span_s"));
    paragraph_end(&p, "", 2);
}

static void print_means(const json_t *story)
{
    struct paragraph p;
    FILE *to = paragraph_begin(&p);
    double fair = story_number(story, "fair_share_gpus_mean");
    fprintf(to, "%.1f GPUs on average, and held %.1f", story_number(story, "demand_gpus_mean"),
            story_number(story, "held_gpus_mean"));
    if (!isnan(fair))
        fprintf(to, "; its fair share by the policy was %.1f", fair);
    paragraph_end(&p, "asked for", LABEL);
}

static void print_owed(const json_t *story)
{
    struct paragraph p;
    FILE *to = paragraph_begin(&p);
    double satisfied = story_number(story, "quota_satisfaction");
    char a[HOURS_MAX], b[HOURS_MAX];
    if (!isnan(satisfied))
        fprintf(to, "%s, its demand within its quota; it held %.1f%% of that, and lacked %s",
                gpu_hours_text(a, story_number(story, "owed_gpu_h")), 100 * satisfied,
                gpu_hours_text(b, story_number(story, "unmet_gpu_h")));
    paragraph_end(&p, "entitled to", LABEL);
    to = paragraph_begin(&p);
    if (!isnan(satisfied))
        fprintf(to, "%s above its quota, and left %s of the quota unused",
                gpu_hours_text(a, story_number(story, "borrowed_gpu_h")),
                gpu_hours_text(b, story_number(story, "unused_gpu_h")));
    paragraph_end(&p, "borrowed", LABEL);
}

static void print_short(const json_t *story)
{
    const json_t *s = json_object_get(story, "short"), *list = json_object_get(s, "longest");
    struct paragraph p;
    FILE *to = paragraph_begin(&p);
    double count = story_number(s, "count");
    if (count == 0) {
        fputs("never", to);
    } else if (count > 0) {
        fprintf(to, "of its quota %.0f time%s, until it held what it was entitled to: ", count,
                plural_ending(count));
        write_duration(to, story_number(s, "mean_s"));
        fputs(count > 1 ? " on average" : "", to);
    }
    paragraph_end(&p, "short", LABEL);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        char when[INSTANT_MAX];
        to = paragraph_begin(&p);
        write_duration(to, story_number(one, "s"));
        fprintf(to, " from %s%s", instant_text(when, story, story_number(one, "start_s")),
                json_is_true(json_object_get(one, "open")) ? ", still short at the end" : "");
        paragraph_end(&p, "", LABEL + 2);
    }
}

/* GPU time that other queues held above their quotas while this queue did not use all of its
 * quota, and while it was short of it. */
static void print_borrowers(const json_t *story)
{
    const json_t *list = json_object_get(story, "borrowers"), *row;
    size_t i, width = NAME_MIN, n = json_array_size(list);
    json_array_foreach(list, i, row)
    {
        size_t w = text_width(story_text(row, "queue"));
        width = w > width ? w : width;
    }
    size_t room = term_width(STDOUT_FILENO) > 2 + 2 * CELL + NAME_MIN
                      ? term_width(STDOUT_FILENO) - 2 - 2 * CELL
                      : NAME_MIN;
    width = width > room ? room : width;
    if (n) {
        putchar('\n');
        text_wrap(stdout, "GPU time of other queues above their quotas while this queue", 0, 2,
                  term_width(STDOUT_FILENO));
        printf("  %*s%*s%*s\n", (int)width, "", CELL, "had spare", CELL, "was short");
    }
    json_array_foreach(list, i, row)
    {
        if (i == ROWS_MAX) {
            printf("  ... and %zu more\n", n - i);
            break;
        }
        char unused[HOURS_MAX], lacking[HOURS_MAX];
        fputs("  ", stdout);
        text_pad(stdout, story_text(row, "queue"), width);
        printf("%*s%*s\n", CELL, gpu_hours_text(unused, story_number(row, "gpu_h_while_unused")),
               CELL, gpu_hours_text(lacking, story_number(row, "gpu_h_while_short")));
    }
}

static void put_stops(FILE *to, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        fputs(i ? ", " : "", to);
        write_name(to, story_text(json_array_get(list, i), "queue"));
        fprintf(to, " (%.0f)", story_number(json_array_get(list, i), "stops"));
    }
}

static void print_preemptions(const json_t *story)
{
    static const struct { const char *cause, *words; } causes[] = {
        { "reclaim", "for jobs of other queues" }, { "preempt", "for jobs of its own queue" },
        { "move", "to be moved" },
        { "broken", "because a task was stopped" }, { "policy",
                                                      "for reasons that the policy did not give" },
    };
    static const struct { const char *key, *words; } sides[] = {
        { "preempted_by", "by jobs of " }, { "preempted", "its own jobs preempted jobs of " },
    };
    const json_t *counts = json_object_get(story, "preemptions");
    struct paragraph p;
    FILE *to = paragraph_begin(&p);
    bool any = false;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (story_number(counts, causes[i].cause) > 0) {
            fprintf(to, "%s%.0f %s",
                    any ? ", " : "its jobs: ", story_number(counts, causes[i].cause),
                    causes[i].words);
            any = true;
        }
    if (json_is_object(counts) && !any)
        fputs("none of its jobs", to);
    paragraph_end(&p, "preempted", LABEL);
    for (size_t i = 0; i < 2; i++) {
        const json_t *list = json_object_get(story, sides[i].key);
        to = paragraph_begin(&p);
        if (json_array_size(list)) {
            fputs(sides[i].words, to);
            put_stops(to, list);
        }
        paragraph_end(&p, "", LABEL);
    }
}

static void print_jobs(const json_t *story)
{
    const json_t *waits = json_object_get(story, "worst_waits"),
                 *worst = json_object_get(story, "fairness_worst");
    struct paragraph p;
    FILE *to;
    for (size_t i = 0; i < json_array_size(waits); i++) {
        const json_t *w = json_array_get(waits, i);
        char when[INSTANT_MAX];
        to = paragraph_begin(&p);
        write_duration(to, story_number(w, "wait_s"));
        fputs(": job ", to);
        write_name(to, story_text(w, "job"));
        fputs(", ", to);
        write_gpus(to, story_number(w, "gpus"));
        fprintf(to, ", submitted at %s%s", instant_text(when, story, story_number(w, "submit_s")),
                json_is_true(json_object_get(w, "started")) ? "" : ", never started");
        paragraph_end(&p, i ? "" : "waited most", LABEL);
    }
    to = paragraph_begin(&p);
    if (!isnan(story_number(story, "fairness_kept"))) {
        fprintf(
            to,
            "%.1f%% of its jobs took no longer than on an equal share of the GPUs, one for each queue with jobs; the worst, ",
            100 * story_number(story, "fairness_kept"));
        write_name(to, story_text(worst, "job"));
        fprintf(to, ", %.2f times as long", story_number(worst, "finish_time_fairness"));
    }
    paragraph_end(&p, "fairness", LABEL);
}

void explain_queue_text(const json_t *story)
{
    print_head(story);
    putchar('\n');
    print_means(story);
    print_owed(story);
    print_short(story);
    print_borrowers(story);
    putchar('\n');
    print_preemptions(story);
    print_jobs(story);
    print_missing(story);
}
