/* loads.c - how a cluster and its services bear what arrives.
 *
 * arrived_load: the GPUs that are allocated over those that have been asked for so far, both as a
 * share of all GPUs, at every instant at which a job arrives, once what happens then is done. Where
 * no job ends this is the figure of Weng et al., "Beware of Fragmentation" (USENIX ATC 2023): how
 * much of a cluster is allocated before the rest is of no use. Jobs are all rows of jobs.csv. It is
 * among all plots of runs to which at most LOADS_MOST times their GPUs arrive. Where more arrives,
 * what is allocated rises and falls with jobs that end: then the figure has means over time, each
 * from the arrival of one MEANS-th of all that arrives to that of the next, at the load by then.
 *
 * service_load: goodput and latency of inference services over the requests a second that arrive.
 * The intervals of services.csv are put into equal steps of that rate: goodput is the requests a
 * second that kept the SLO, over all time of a step; latency the mean of the 99th percentiles of
 * its intervals, by requests served. Intervals without arrivals are left out. */
#include "sim/base/intern.h"
#include "sim/cli/plot/kind.h"
#include "sim/cli/plot/rows.h"
#include "sim/cli/plot/words.h"
#include "sim/cli/plot/xy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOADS_MOST = 3, POINTS_MOST = 800, MEANS = 100, RATE_STEPS = 20 };

/* ---- What has arrived ---- */

struct arrival { double at_s, gpus; };
struct level_row { double at_s, total, allocated; };
struct arrived {
    struct arrival *job;
    size_t jobs, job_capacity;
    struct level_row *row;
    size_t rows, row_capacity;
};

static void on_job(void *self, const struct fields *f)
{
    struct arrived *a = self;
    if (isnan(f->number[0]) || isnan(f->number[1]))
        return;
    mem_grow(&a->job, &a->job_capacity, a->jobs, sizeof *a->job);
    a->job[a->jobs++] = (struct arrival){ f->number[0], f->number[1] };
}

static void on_level(void *self, const struct fields *f)
{
    struct arrived *a = self;
    mem_grow(&a->row, &a->row_capacity, a->rows, sizeof *a->row);
    a->row[a->rows++] = (struct level_row){ f->number[0], f->number[1], f->number[2] };
}

static int by_arrival(const void *x, const void *y)
{
    const struct arrival *a = x, *b = y;
    return a->at_s != b->at_s ? (a->at_s > b->at_s) - (a->at_s < b->at_s)
                              : (a->gpus > b->gpus) - (a->gpus < b->gpus);
}

static int arrived_read(struct arrived *a, const char *path, struct error *err)
{
    static const char *const of_jobs[] = { "submit_s", "gpus", NULL };
    static const char *const of_levels[] = { "time_s", "gpus_total", "gpus_allocated", NULL };
    if (rows_read(path, "jobs.csv", of_jobs, on_job, a, err) ||
        rows_read(path, "timeseries.csv", of_levels, on_level, a, err))
        return -1;
    if (!a->jobs || !a->rows)
        return error_set(err, "%s/%s: no %s", path, a->jobs ? "timeseries.csv" : "jobs.csv",
                         a->jobs ? "rows" : "jobs");
    qsort(a->job, a->jobs, sizeof *a->job, by_arrival);
    return 0;
}

static void arrived_free(struct arrived *a)
{
    free(a->job);
    free(a->row);
}

static double asked_in_all(const struct arrived *a)
{
    double all = 0;
    for (size_t i = 0; i < a->jobs; i++)
        all += a->job[i].gpus;
    return all;
}

static bool is_long(const struct arrived *a)
{
    return asked_in_all(a) > LOADS_MOST * a->row[0].total;
}

/* The percentage of all GPUs that is allocated, the mean from one time to another, or, where these
 * are equal, then. *row is the row of the first time, and goes on with it. */
static double mean_allocated(const struct arrived *a, size_t *row, double from_s, double to_s)
{
    double sum = 0;
    while (*row + 1 < a->rows && a->row[*row + 1].at_s <= from_s)
        ++*row;
    const struct level_row *first = &a->row[*row];
    if (!(to_s > from_s))
        return 100 * first->allocated / first->total;
    for (size_t k = *row; k < a->rows && a->row[k].at_s < to_s; k++) {
        double begin_s = fmax(from_s, a->row[k].at_s),
               end_s = k + 1 < a->rows ? fmin(to_s, a->row[k + 1].at_s) : to_s;
        sum += 100 * a->row[k].allocated / a->row[k].total * (end_s - begin_s);
    }
    return sum / (to_s - from_s);
}

/* Rows as many as can be seen, each of an instant; or means. Returns the load at the end. */
static double put_arrived(const struct arrived *a, struct table *t)
{
    double asked = 0, all = asked_in_all(a), last = -INFINITY, last_s = a->job[0].at_s, most = 0;
    bool means = is_long(a);
    double step = all / (means ? MEANS : POINTS_MOST);
    if (means)
        last = 0;
    else
        table_numbers(t, 3, (double[]){ 0, 0, last_s });
    for (size_t i = 0, row = 0; i < a->jobs; i++) {
        double at_s = a->job[i].at_s;
        asked += a->job[i].gpus;
        if (i + 1 < a->jobs && (a->job[i + 1].at_s == at_s || asked - last < step))
            continue;
        double allocated = mean_allocated(a, &row, means ? last_s : at_s, at_s);
        last = asked;
        last_s = at_s;
        most = 100 * asked / a->row[row].total;
        table_numbers(t, 3, (double[]){ most, allocated, at_s });
    }
    return most;
}

/* What the line is, where it is of instants, of means, or of both. */
static const char *const arrived_notes[2][2] = {
    { "", "broken line: all GPUs asked for are allocated" },
    { "means over time, of a hundredth of the load each",
      "broken line: all asked for; of long runs means over time" },
};

static int make_arrived(const struct kind *k, const struct plot_request *r, struct figure *f,
                        struct error *err)
{
    const char **name = arena_alloc(figure_memory(f), r->n * sizeof *name);
    struct xy xy = { .title = "GPUs allocated against the GPUs that have been asked for",
                     .x_name = "arrived load (% of all GPUs)",
                     .lines = r->n,
                     .panels = 1,
                     .name = name };
    bool any_long = false, any_short = false;
    (void)k;
    for (size_t i = 0; i < r->n; i++) {
        struct arrived a = { .jobs = 0 };
        int result = arrived_read(&a, r->run[i].path, err);
        name[i] = r->run[i].label;
        if (result == 0) {
            struct table *t = figure_table(f, "arrived_percent,allocated_percent,time_s", "xy1_%zu",
                                           i + 1);
            table_label(t, "run", r->run[i].label);
            xy.high = fmax(xy.high, put_arrived(&a, t));
            any_long = any_long || is_long(&a);
            any_short = any_short || !is_long(&a);
        }
        arrived_free(&a);
        if (result)
            return -1;
    }
    xy.diagonal = any_short ? 100 : 0;
    xy.note = arrived_notes[any_long][any_short];
    xy.panel[0] = xy_panel("GPUs allocated (%)", 0, 100, false);
    xy_facts(f, &xy);
    return 0;
}

static bool few_arrive(const char *directory)
{
    struct arrived a = { .jobs = 0 };
    struct error err = { "" };
    bool few = arrived_read(&a, directory, &err) == 0 && !is_long(&a);
    arrived_free(&a);
    return few;
}

const struct kind arrived_load_kind = {
    .name = "arrived_load",
    .one_seed = true,
    .least = 1,
    .most = XY_LINES_MOST,
    .file = { "jobs.csv", "timeseries.csv" },
    .columns = "run,time_s,arrived_percent,allocated_percent",
    .script = "xy.gp",
    .make = make_arrived,
    .shows = few_arrive,
};

/* ---- Services ---- */

struct interval { uint32_t service; double arrived, ended, served, kept, p99_s; };
struct served {
    struct intern *names;
    struct interval *one;
    size_t n, capacity;
    double first_s, length_s; /* of an interval; NaN and 0 before they are known */
};
enum { TIME_S, SERVICE, ARRIVED, SERVED, DROPPED, LATENCY_P99, ATTAINMENT };

static double known(double x)
{
    return isnan(x) ? 0 : x;
}

static void on_interval(void *self, const struct fields *f)
{
    struct served *s = self;
    const double *x = f->number;
    if (isnan(s->first_s))
        s->first_s = x[TIME_S];
    else if (s->length_s <= 0 && x[TIME_S] > s->first_s)
        s->length_s = x[TIME_S] - s->first_s;
    if (!(x[ARRIVED] > 0))
        return;
    double ended = known(x[SERVED]) + known(x[DROPPED]);
    mem_grow(&s->one, &s->capacity, s->n, sizeof *s->one);
    s->one[s->n++] = (struct interval){ intern_add(s->names, f->text[SERVICE],
                                                   strlen(f->text[SERVICE])),
                                        x[ARRIVED], ended, known(x[SERVED]),
                                        known(x[ATTAINMENT]) * ended, x[LATENCY_P99] };
}

struct rate_step { double arrived, intervals, kept, p99_s, served; };
struct load_bounds { double x, rate, p99_least, p99_most; };

static void widen(struct load_bounds *b, double rate, double goodput, double p99_s)
{
    b->x = fmax(b->x, rate);
    b->rate = fmax(b->rate, goodput);
    b->p99_least = p99_s > 0 ? fmin(b->p99_least, p99_s) : b->p99_least;
    b->p99_most = fmax(b->p99_most, p99_s);
}

static void put_service(const struct served *s, uint32_t service, struct figure *f, const char *run,
                        size_t line, struct load_bounds *b)
{
    struct rate_step step[RATE_STEPS] = { { 0 } };
    double least = INFINITY, most = 0;
    struct table *t[2];
    for (size_t p = 0; p < 2; p++) {
        t[p] = figure_table(f, p ? "requests_per_s,latency_p99_s" : "requests_per_s,goodput_per_s",
                            "xy%zu_%zu", p + 1, line);
        table_label(t[p], "run", run);
        table_label(t[p], "service", intern_text(s->names, service));
    }
    for (size_t i = 0; i < s->n; i++)
        if (s->one[i].service == service) {
            least = fmin(least, s->one[i].arrived);
            most = fmax(most, s->one[i].arrived);
        }
    for (size_t i = 0; i < s->n; i++) {
        const struct interval *one = &s->one[i];
        if (one->service != service)
            continue;
        size_t at = most > least ? (size_t)((one->arrived - least) / (most - least) * RATE_STEPS) : 0;
        struct rate_step *to = &step[at < RATE_STEPS ? at : RATE_STEPS - 1];
        to->arrived += one->arrived;
        to->intervals++;
        to->kept += one->kept;
        if (!isnan(one->p99_s)) {
            to->p99_s += one->p99_s * one->served;
            to->served += one->served;
        }
    }
    for (size_t k = 0; k < RATE_STEPS; k++) {
        if (!(step[k].intervals > 0))
            continue;
        double time_s = step[k].intervals * s->length_s, rate = step[k].arrived / time_s;
        double goodput = step[k].kept / time_s;
        double p99_s = step[k].served > 0 ? step[k].p99_s / step[k].served : (double)NAN;
        table_numbers(t[0], 2, (double[]){ rate, goodput });
        table_numbers(t[1], 2, (double[]){ rate, p99_s });
        widen(b, rate, goodput, p99_s);
    }
}

static int make_served(const struct kind *k, const struct plot_request *r, struct figure *f,
                       struct error *err)
{
    static const char *const columns[] = { "time_s",  "$service",      "arrived",        "served",
                                           "dropped", "latency_p99_s", "slo_attainment", NULL };
    const char *name[XY_LINES_MOST];
    struct xy xy = { .title = "Services: goodput and latency by the rate of requests",
                     .x_name = "requests a second that arrive",
                     .points = true,
                     .panels = 2,
                     .name = name };
    struct load_bounds b = { 0, 0, INFINITY, 0 };
    size_t left_out = 0;
    (void)k;
    for (size_t i = 0; i < r->n; i++) {
        struct served s = { .names = intern_new(), .first_s = (double)NAN };
        int result = rows_read(r->run[i].path, "services.csv", columns, on_interval, &s, err);
        s.length_s = s.length_s > 0 ? s.length_s : 60;
        if (result == 0 && !s.n)
            result = error_set(err, "%s/services.csv: no request", r->run[i].path);
        for (uint32_t v = 0; v < intern_count(s.names) && result == 0; v++) {
            if (xy.lines == XY_LINES_MOST) {
                left_out++;
                continue;
            }
            const char *own = name_clean(figure_memory(f), intern_text(s.names, v), NAME_WIDE);
            name[xy.lines++] = r->n > 1 ? words(figure_memory(f), "%s: %s", r->run[i].label, own)
                                        : own;
            put_service(&s, v, f, r->run[i].label, xy.lines, &b);
        }
        intern_free(s.names);
        free(s.one);
        if (result)
            return -1;
    }
    if (left_out)
        xy.note = words(figure_memory(f), "%zu more services are not shown", left_out);
    xy.high = b.x;
    xy.panel[0] = xy_panel("goodput (requests/s)", 0, b.rate, false);
    xy.panel[1] = xy_panel("latency, P99 (s)", b.p99_least, b.p99_most, true);
    xy_facts(f, &xy);
    return 0;
}

const struct kind service_load_kind = {
    .name = "service_load",
    .one_seed = true,
    .least = 1,
    .most = SIZE_MAX,
    .file = { "services.csv" },
    .columns = "run,service,requests_per_s,goodput_per_s,latency_p99_s",
    .script = "xy.gp",
    .make = make_served,
};
