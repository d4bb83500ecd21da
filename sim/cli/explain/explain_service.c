/* explain_service.c - the story of one inference service: requests, latency, replicas wanted and
 * placed, what the replicas waited for, the worst intervals; as JSON and as text. See explain.h.
 *
 * A row of services.csv tells of the interval that it ends: from the row before it, for the first
 * one as long as its requests took to arrive at its rate. Replicas are the jobs SERVICE/0,
 * SERVICE/1, ... of the class inference. */
#include "sim/cli/explain/explain.h"
#include "sim/cli/explain/paragraph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORST = 3, LABEL = 16 };

/* missed: requests served too late or dropped */
struct interval { double from_s, until_s, rate_per_s, missed, slo, wanted, placed; };
struct service_story {
    const char *name;
    json_t *story, *metrics;
    double last_s, first_s, span_s, wanted_s, placed_s, ready_s, short_s, most_wanted, most_placed;
    bool any;
    struct interval worst[WORST];
    int64_t waits_ns[WAIT_REASONS], wait_ns, preemptions, restarts, gpu_milli;
    uint64_t replicas;
};

/* ==== The story ==== */

static void take_worst(struct service_story *t, const struct interval *x)
{
    size_t at = WORST;
    while (at > 0 && t->worst[at - 1].missed < x->missed)
        at--;
    if (at == WORST || x->missed <= 0)
        return;
    memmove(&t->worst[at + 1], &t->worst[at], (WORST - 1 - at) * sizeof *t->worst);
    t->worst[at] = *x;
}

static int take_service(void *self, const struct csv_service *x, struct error *err)
{
    struct service_story *t = self;
    (void)err;
    if (strcmp(x->name, t->name) != 0)
        return 0;
    double at_s = (double)x->time_ns / (double)NS_PER_S;
    double first = x->rate_per_s > 0 ? x->arrived / x->rate_per_s : 0;
    double from_s = t->any ? t->last_s : at_s - first, dt = at_s - from_s;
    double came = x->served + x->dropped, met = isnan(x->slo_attainment) ? 1 : x->slo_attainment;
    t->first_s = t->any ? t->first_s : from_s;
    t->any = true;
    t->last_s = at_s;
    t->span_s += dt;
    t->wanted_s += x->wanted * dt;
    t->placed_s += x->placed * dt;
    t->ready_s += x->ready * dt;
    t->short_s += x->placed < x->wanted ? dt : 0;
    t->most_wanted = fmax(t->most_wanted, x->wanted);
    t->most_placed = fmax(t->most_placed, x->placed);
    take_worst(t, &(struct interval){ from_s, at_s, x->rate_per_s, came * (1 - met),
                                      x->slo_attainment, x->wanted, x->placed });
    return 0;
}

static int take_job(void *self, const struct csv_job *j, struct error *err)
{
    struct service_story *t = self;
    size_t n = strlen(t->name);
    (void)err;
    if (strcmp(j->class, "inference") != 0 || strncmp(j->name, t->name, n) != 0 ||
        j->name[n] != '/' || strspn(j->name + n + 1, "0123456789") != strlen(j->name + n + 1))
        return 0;
    if (t->replicas++ == 0)
        put_text(t->story, "queue", j->queue);
    t->gpu_milli = j->gpu_milli;
    for (unsigned i = 0; i < WAIT_REASONS; i++)
        t->waits_ns[i] += j->waits_ns[i];
    t->wait_ns += j->wait_ns;
    t->preemptions += j->preemptions;
    t->restarts += j->restarts;
    return 0;
}

static int take_metric(void *self, const struct csv_metric *m, struct error *err)
{
    struct service_story *t = self;
    (void)err;
    if (strncmp(m->scope, "service=", strlen("service=")) == 0 &&
        strcmp(m->scope + strlen("service="), t->name) == 0)
        put_number(t->metrics, m->name, m->value);
    return 0;
}

static void put_worst(const struct service_story *t)
{
    json_t *list = put_list(t->story, "worst");
    for (size_t i = 0; i < WORST && t->worst[i].missed > 0; i++) {
        const struct interval *x = &t->worst[i];
        json_t *one = add_entry(list);
        put_number(one, "start_s", x->from_s);
        put_number(one, "end_s", x->until_s);
        put_number(one, "rate_per_s", x->rate_per_s);
        put_number(one, "missed", x->missed);
        put_number(one, "slo_attainment", x->slo);
        put_number(one, "replicas_wanted", x->wanted);
        put_number(one, "replicas_placed", x->placed);
    }
}

static void put_replicas(const struct service_story *t)
{
    json_t *story = t->story;
    double span_s = t->span_s > 0 ? t->span_s : (double)NAN;
    put_count(story, "replicas", t->replicas);
    put_gpus(story, "gpus", t->gpu_milli);
    put_number(story, "start_s", t->first_s);
    put_number(story, "span_s", t->span_s);
    put_number(story, "wanted_mean", t->wanted_s / span_s);
    put_number(story, "wanted_most", t->most_wanted);
    put_number(story, "placed_mean", t->placed_s / span_s);
    put_number(story, "placed_most", t->most_placed);
    put_number(story, "ready_mean", t->ready_s / span_s);
    put_number(story, "short_s", t->short_s);
    put_seconds(story, "wait_s", t->wait_ns);
    put_waits(story, t->waits_ns);
    put_count(story, "preemptions", (uint64_t)t->preemptions);
    put_count(story, "restarts", (uint64_t)t->restarts);
}

json_t *explain_service(const char *directory, const char *name, struct error *err)
{
    struct service_story t = { .name = name, .story = json_object() };
    put_text(t.story, "service", name);
    put_origin(t.story, directory);
    json_t *missing = put_list(t.story, "missing");
    json_object_set_new(t.story, "metrics", t.metrics = json_object());
    int jobs = explain_read(directory, &(struct row_reader){ .self = &t, .job = take_job }, err);
    int rows = jobs < 0 ? -1 : explain_read(directory, &(struct row_reader){ .self = &t,
        .service = take_service }, err);
    int metrics = rows < 0 ? -1 : explain_read(directory, &(struct row_reader){ .self = &t,
        .metric = take_metric }, err);
    if (metrics > 0)
        json_array_append_new(missing, json_string("summary.csv"));
    put_replicas(&t);
    put_worst(&t);
    if (metrics >= 0)
        return t.story;
    json_decref(t.story);
    return NULL;
}

/* ==== As text ==== */

static void print_head(const json_t *story)
{
    struct paragraph p;
    char when[INSTANT_MAX];
    double n = story_number(story, "replicas");
    FILE *to = paragraph_begin(&p);
    fputs("service ", to);
    write_name(to, story_text(story, "service"));
    if (*story_text(story, "queue")) {
        fputs(" of queue ", to);
        write_name(to, story_text(story, "queue"));
    }
    fprintf(to, ": %.0f replica%s of ", n, plural_ending(n));
    write_gpus(to, story_number(story, "gpus"));
    fputs(", over ", to);
    write_duration(to, story_number(story, "span_s"));
    fprintf(to, " from %s", instant_text(when, story, story_number(story, "start_s")));
    paragraph_end(&p, "", 2);
}

static void print_requests(const json_t *story)
{
    const json_t *m = json_object_get(story, "metrics");
    struct paragraph p;
    double met = story_number(m, "slo_attainment"), minutes = story_number(m, "slo_minutes_kept"),
           mean = story_number(m, "latency_mean_s");
    FILE *to = paragraph_begin(&p);
    if (!isnan(story_number(m, "requests_arrived")))
        fprintf(to, "%.0f arrived, %.0f served, %.0f dropped, %.0f unfinished",
                story_number(m, "requests_arrived"), story_number(m, "requests_served"),
                story_number(m, "requests_dropped"), story_number(m, "requests_unfinished"));
    paragraph_end(&p, "requests", LABEL);
    to = paragraph_begin(&p);
    if (!isnan(met))
        fprintf(to, "met by %.1f%% of the requests", 100 * met);
    if (!isnan(met) && !isnan(minutes))
        fprintf(to, ", in %.1f%% of the minutes by enough of them", 100 * minutes);
    paragraph_end(&p, "objective", LABEL);
    to = paragraph_begin(&p);
    if (!isnan(mean))
        fprintf(to, "%.3g s on average, median %.3g s, 99th percentile %.3g s", mean,
                story_number(m, "latency_p50_s"), story_number(m, "latency_p99_s"));
    paragraph_end(&p, "latency", LABEL);
}

static void print_replicas(const json_t *story)
{
    const json_t *m = json_object_get(story, "metrics");
    struct paragraph p;
    double duty = story_number(m, "replica_duty"), short_s = story_number(story, "short_s"),
           wait_s = story_number(story, "wait_s"), stops = story_number(story, "preemptions"),
           again = story_number(story, "restarts");
    FILE *to = paragraph_begin(&p);
    fprintf(to, "%.1f wanted on average and %.0f at most, %.1f placed and %.0f at most, %.1f ready",
            story_number(story, "wanted_mean"), story_number(story, "wanted_most"),
            story_number(story, "placed_mean"), story_number(story, "placed_most"),
            story_number(story, "ready_mean"));
    if (!isnan(duty))
        fprintf(to, "; ready ones were busy for %.1f%% of their time", 100 * duty);
    paragraph_end(&p, "replicas", LABEL);
    to = paragraph_begin(&p);
    if (short_s > 0) {
        fputs("fewer replicas than wanted for ", to);
        write_duration(to, short_s);
    } else {
        fputs("never", to);
    }
    paragraph_end(&p, "short", LABEL);
    to = paragraph_begin(&p);
    if (wait_s > 0) {
        write_duration(to, wait_s);
        fputs(", its replicas added up", to);
    } else {
        fputs("not at all", to);
    }
    paragraph_end(&p, "waited", LABEL);
    print_waits(story, LABEL + 2);
    to = paragraph_begin(&p);
    if (stops > 0 || again > 0)
        fprintf(to, "its replicas were preempted %.0f time%s, and started again %.0f time%s", stops,
                plural_ending(stops), again, plural_ending(again));
    paragraph_end(&p, "stopped", LABEL);
}

static void print_worst(const json_t *story)
{
    const json_t *list = json_object_get(story, "worst");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *x = json_array_get(list, i);
        struct paragraph p;
        char when[INSTANT_MAX];
        double slo = story_number(x, "slo_attainment");
        FILE *to = paragraph_begin(&p);
        fprintf(to, "%s: for ", instant_text(when, story, story_number(x, "start_s")));
        write_duration(to, story_number(x, "end_s") - story_number(x, "start_s"));
        fprintf(to, " %.4g requests/s, %.0f missed the objective", story_number(x, "rate_per_s"),
                story_number(x, "missed"));
        if (!isnan(slo))
            fprintf(to, ", %.1f%% met it", 100 * slo);
        fprintf(to, "; %.0f of %.0f replicas placed at its end", story_number(x, "replicas_placed"),
                story_number(x, "replicas_wanted"));
        paragraph_end(&p, i ? "" : "worst", LABEL);
    }
}

void explain_service_text(const json_t *story)
{
    print_head(story);
    putchar('\n');
    print_requests(story);
    print_replicas(story);
    print_worst(story);
    print_missing(story);
}
