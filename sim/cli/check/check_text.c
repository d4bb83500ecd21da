/* check_text.c - the reports of check.h as text of at most 80 columns. */
#include "sim/cli/check/check.h"

#include "sim/cli/frame/term.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LABEL = 16, NAME_MIN = 10, NAME_MAX_WIDTH = 24, ROWS_MAX = 40 };

static double number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *string(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static void line(const char *label, const char *text)
{
    text_wrap(stdout, text, (size_t)printf("  %s", label), LABEL, TERM_WIDTH);
}

/* ---- tables ---- */

enum cell_kind { CELL_COUNT, CELL_HOURS, CELL_GPUS, CELL_SHARE, CELL_TIME };
struct table_column {
    const char *head, *key;
    int width;
    enum cell_kind kind;
};

static void put_value(int width, enum cell_kind kind, double value)
{
    char text[HUMAN_MAX] = "-";
    if (kind == CELL_TIME)
        human_time(text, value);
    else if (!isnan(value) && kind == CELL_SHARE)
        snprintf(text, sizeof text, value < 1e6 ? "%.1f%%" : "%.2g", 100 * value);
    else if (!isnan(value) && fabs(value) >= 1e9)
        snprintf(text, sizeof text, "%.4g", value);
    else if (!isnan(value))
        snprintf(text, sizeof text, "%.*f", kind == CELL_HOURS || value != floor(value), value);
    printf("%*s", width, text);
}

static size_t name_width(const json_t *rows, const char *key)
{
    size_t longest = NAME_MIN, i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        size_t n = text_width(string(row, key));
        longest = n > longest ? n : longest;
    }
    return longest < NAME_MAX_WIDTH ? longest : NAME_MAX_WIDTH;
}

/* The first column holds names. After ROWS_MAX rows the number of the others follows. */
static void table(const json_t *rows, const char *head, const char *key,
                  const struct table_column *columns)
{
    size_t width = name_width(rows, key), i;
    json_t *row;
    printf("\n  ");
    text_pad(stdout, head, width);
    for (const struct table_column *c = columns; c->head; c++)
        printf("%*s", c->width, c->head);
    putchar('\n');
    json_array_foreach(rows, i, row)
    {
        if (i == ROWS_MAX) {
            printf("  ... and %zu more\n", json_array_size(rows) - i);
            break;
        }
        printf("  ");
        text_pad(stdout, string(row, key), width);
        for (const struct table_column *c = columns; c->head; c++)
            put_value(c->width, c->kind, number(row, c->key));
        putchar('\n');
    }
}

/* ---- traces ---- */

/* A time of the trace as a date if the trace has dates, else as seconds. */
static const char *when(char to[48], const json_t *arrivals, double s)
{
    double origin = number(arrivals, "origin_unix_s");
    struct tm date;
    time_t at = (time_t)floor((isnan(origin) ? 0 : origin) + s);
    if (!isnan(origin) && gmtime_r(&at, &date))
        strftime(to, 48, "%Y-%m-%d %H:%M:%S UTC", &date);
    else
        snprintf(to, 48, "%.15g s", s);
    return to;
}

static void show_arrivals(const json_t *a)
{
    char text[256], span[HUMAN_MAX], gap[HUMAN_MAX], from[48];
    snprintf(text, sizeof text, "over %s from %s", human_time(span, number(a, "span_s")),
             when(from, a, number(a, "first_s")));
    line("submitted", text);
    snprintf(text, sizeof text, "%s on average, CV %.2f", human_time(gap, number(a, "gap_mean_s")),
             number(a, "gap_cv"));
    line("gaps", isnan(number(a, "gap_cv")) ? "none" : text);
    double most = number(a, "busiest_hour_jobs");
    snprintf(text, sizeof text, "%.0f job%s in the hour from %s", most, most == 1 ? "" : "s",
             when(from, a, number(a, "busiest_hour_from_s")));
    line("busiest hour", text);
}

static void show_summaries(const json_t *list)
{
    static const struct table_column times[] = { { "jobs", "n", 10, CELL_COUNT },
                                                 { "mean", "mean", 11, CELL_TIME },
                                                 { "p50", "p50", 11, CELL_TIME },
                                                 { "p90", "p90", 11, CELL_TIME },
                                                 { "p99", "p99", 11, CELL_TIME },
                                                 { "max", "max", 11, CELL_TIME },
                                                 { NULL, NULL, 0, 0 } };
    size_t i;
    json_t *row;
    printf("\n  %-*s", NAME_MIN, "");
    for (const struct table_column *c = times; c->head; c++)
        printf("%*s", c->width, c->head);
    putchar('\n');
    json_array_foreach(list, i, row)
    {
        printf("  ");
        text_pad(stdout, string(row, "name"), NAME_MIN);
        for (const struct table_column *c = times; c->head; c++)
            put_value(c->width, c->kind == CELL_TIME && !*string(row, "unit") ? CELL_GPUS : c->kind,
                      number(row, c->key));
        putchar('\n');
    }
}

static void show_trace(const json_t *t)
{
    static const struct table_column columns[] = { { "jobs", "jobs", 10, CELL_COUNT },
                                                   { "GPU h", "gpu_h", 14, CELL_HOURS },
                                                   { NULL, NULL, 0, 0 } };
    char text[256];
    snprintf(text, sizeof text, "%.0f, of format %s", number(t, "jobs"), string(t, "format"));
    line("jobs", text);
    show_arrivals(json_object_get(t, "arrivals"));
    snprintf(text, sizeof text, "%.1f h", number(t, "gpu_h"));
    line("GPU time", text);
    show_summaries(json_object_get(t, "summaries"));
    table(json_object_get(t, "classes"), "class", "class", columns);
}

/* ---- clusters ---- */

static const char *gbps(char to[32], const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (json_is_number(v))
        snprintf(to, 32, "%.6g GB/s", json_number_value(v));
    else
        snprintf(to, 32, "unlimited");
    return to;
}

static void put_checkpoints(const json_t *report, char *to, size_t size)
{
    const json_t *o = json_object_get(report, "checkpoints"), *gib = json_object_get(o, "gib");
    const json_t *interval = json_object_get(o, "interval_s"),
                 *alone = json_object_get(o, "one_node_alone_s");
    size_t n = 0;
    if (json_is_number(interval))
        n += (size_t)snprintf(to + n, size - n, "every %.6g s of progress",
                              json_number_value(interval));
    else if (strcmp(json_string_value(json_object_get(o, "interval")), "stated"))
        n += (size_t)snprintf(
            to + n, size - n, "at %s's interval",
            strcmp(json_string_value(json_object_get(o, "interval")), "daly") ? "Young" : "Daly");
    else
        n += (size_t)snprintf(to + n, size - n, "when a job is stopped");
    if (json_is_number(gib))
        n += (size_t)snprintf(to + n, size - n, ", %.6g GiB", json_number_value(gib));
    else
        n += (size_t)snprintf(to + n, size - n, ", 14 bytes for each parameter of the model");
    if (alone)
        n += (size_t)snprintf(to + n, size - n, ", %.6g s from one node alone",
                              json_number_value(alone));
    snprintf(to + n, size - n, ", %.6g%% of it blocking",
             100 * json_number_value(json_object_get(o, "blocking")));
}

static void put_storage(const json_t *report, char *to, size_t size)
{
    const json_t *o = json_object_get(report, "storage");
    char read[32], write[32], node_read[32], node_write[32], all[32];
    double cache = json_number_value(json_object_get(o, "cache_gib"));
    int n = snprintf(to, size, "%s read, %s written; by a node %s and %s",
                     gbps(read, o, "read_gbps"), gbps(write, o, "write_gbps"),
                     gbps(node_read, o, "node_read_gbps"), gbps(node_write, o, "node_write_gbps"));
    if (json_object_get(o, "gbps"))
        n += snprintf(to + n, size - (size_t)n, "; %s in all, shared max-min fairly",
                      gbps(all, o, "gbps"));
    if (cache > 0)
        snprintf(to + n, size - (size_t)n, "; a node keeps %.6g GiB", cache);
}

static void put_power(const json_t *report, char *to, size_t size)
{
    static const struct { const char *key, *before, *of; } caps[] = {
        { "cap_w", "cap ", "" }, { "rack_cap_w", "", " a rack" }, { "row_cap_w", "", " a row" },
    };
    const json_t *p = json_object_get(report, "power");
    size_t n = (size_t)snprintf(to, size, "%.1f kW idle, %.1f kW at most",
                                json_number_value(json_object_get(p, "idle_w")) / 1000,
                                json_number_value(json_object_get(p, "full_w")) / 1000);
    for (size_t i = 0; i < sizeof caps / sizeof caps[0]; i++) {
        const json_t *cap = json_object_get(p, caps[i].key);
        if (json_is_number(cap))
            n += (size_t)snprintf(to + n, size - n, ", %s%.1f kW%s", caps[i].before, json_number_value(cap) / 1000, caps[i].of);
    }
}

static void put_pools(const json_t *report, char *to, size_t size)
{
    size_t i, n = 0;
    json_t *pool;
    to[0] = '\0';
    json_array_foreach(json_object_get(report, "pools"), i, pool) if (n < size - 100)
            n += (size_t)snprintf(to + n, size - n, "%s%.40s %lld to %lld%s", i ? ", " : "",
                                  json_string_value(json_object_get(pool, "group")),
                                  (long long)json_integer_value(json_object_get(pool, "min")),
                                  (long long)json_integer_value(json_object_get(pool, "max")),
                                  json_is_true(json_object_get(pool, "spot")) ? " spot" : "");
}

static void show_failures(const json_t *f, double gpus)
{
    char text[256] = "", node[HUMAN_MAX], job[HUMAN_MAX];
    size_t n = 0;
    if (!isnan(number(f, "node_mttf_h")))
        n += (size_t)snprintf(text + n, sizeof text - n, "a node of 8 GPUs every %s",
                              human_time(node, 3600 * number(f, "node_mttf_h")));
    if (!isnan(number(f, "job_mttf_h")))
        n += (size_t)snprintf(text + n, sizeof text - n, "%sa job of all %.0f GPU%s every %s",
                              n ? ", " : "", gpus, plural_ending(gpus),
                              human_time(job, 3600 * number(f, "job_mttf_h")));
    if (number(f, "given") > 0)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%.0f given", n ? "; " : "",
                              number(f, "given"));
    if (number(f, "planned") > 0)
        snprintf(text + n, sizeof text - n, "%s%.0f planned outages", n ? "; " : "",
                 number(f, "planned"));
    line("failures", text);
}

/* Of a list of nodes, with a group for each node or model, only the GPU types are shown. */
static void show_groups(const json_t *groups)
{
    static const struct table_column columns[] = { { "nodes", "nodes", 10, CELL_COUNT },
                                                   { "GPUs", "gpus", 10, CELL_COUNT },
                                                   { "GPUs each", "gpus_per_node", 14,
                                                     CELL_COUNT },
                                                   { NULL, NULL, 0, 0 } };
    if (json_array_size(groups) > 1 && json_array_size(groups) <= ROWS_MAX)
        table(groups, "group", "group", columns);
}

static void show_sections(const json_t *sections)
{
    size_t i;
    const json_t *s;
    if (json_array_size(sections))
        printf("\n  sections, with every value that holds:\n");
    json_array_foreach(sections, i, s) line(string(s, "section"), string(s, "settings"));
}

static void show_cluster(const json_t *c)
{
    static const struct table_column columns[] = { { "nodes", "nodes", 10, CELL_COUNT },
                                                   { "GPUs", "gpus", 10, CELL_COUNT },
                                                   { "largest node", "largest_node", 14,
                                                     CELL_COUNT },
                                                   { NULL, NULL, 0, 0 } };
    static const struct table_column instances[] = { { "nodes", "nodes", 10, CELL_COUNT },
                                                     { "instances", "instances", 11, CELL_COUNT },
                                                     { "count GPUs", "gpus", 12, CELL_COUNT },
                                                     { NULL, NULL, 0, 0 } };
    static const struct {
        const char *key, *label;
    } counts[] = { { "racks", "racks" },
                   { "pods", "pods" },
                   { "queues", "queues" },
                   { "nodes_without_gpus", "without GPUs" } };
    char text[128];
    line("cluster", string(c, "name"));
    snprintf(text, sizeof text, "%.0f with %.0f GPU%s", number(c, "nodes"), number(c, "gpus"),
             plural_ending(number(c, "gpus")));
    line("nodes", text);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        snprintf(text, sizeof text, "%.0f", number(c, counts[i].key));
        if (number(c, counts[i].key) > 0)
            line(counts[i].label, text);
    }
    const char *level;
    json_t *domains;
    json_object_foreach(json_object_get(c, "levels"), level, domains) {
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(domains));
        line(level, text);
    }
    char long_text[400];
    if (json_object_get(c, "checkpoints")) {
        put_checkpoints(c, long_text, sizeof long_text);
        line("checkpoints", long_text);
    }
    if (json_object_get(c, "storage")) {
        put_storage(c, long_text, sizeof long_text);
        line("storage", long_text);
    }
    if (json_object_get(c, "power")) {
        put_power(c, long_text, sizeof long_text);
        line("power", long_text);
    }
    if (json_object_get(c, "pools")) {
        put_pools(c, long_text, sizeof long_text);
        line("pools", long_text);
    }
    if (json_object_get(c, "failures"))
        show_failures(json_object_get(c, "failures"), number(c, "gpus"));
    show_groups(json_object_get(c, "groups"));
    table(json_object_get(c, "gpu_types"), "GPU type", "gpu_type", columns);
    if (json_object_get(c, "mig"))
        table(json_object_get(c, "mig"), "MIG profile", "profile", instances);
    show_sections(json_object_get(c, "sections"));
}

static void show_demand(const json_t *d)
{
    static const struct table_column types[] = {
        { "jobs", "jobs", 9, CELL_COUNT },          { "GPU h", "gpu_h", 12, CELL_HOURS },
        { "GPUs", "gpus", 8, CELL_COUNT },          { "offered", "offered_load", 10, CELL_SHARE },
        { "largest", "largest_job_gpus", 9, CELL_GPUS }, { NULL, NULL, 0, 0 },
    };
    static const struct table_column queues[] = {
        { "jobs", "jobs", 8, CELL_COUNT },
        { "GPU h", "gpu_h", 11, CELL_HOURS },
        { "GPUs", "gpus", 7, CELL_COUNT },
        { "offered", "offered_load", 9, CELL_SHARE },
        { "largest", "largest_job_gpus", 8, CELL_GPUS },
        { "limit", "limit_gpus", 7, CELL_GPUS },
        { NULL, NULL, 0, 0 },
    };
    char text[256];
    printf("\n");
    snprintf(text, sizeof text, "%.150s: %.0f GPU%s on %.0f node%s", string(d, "cluster"),
             number(d, "gpus"), plural_ending(number(d, "gpus")), number(d, "nodes"),
             plural_ending(number(d, "nodes")));
    line("on", text);
    double offered = number(d, "offered_load");
    snprintf(text, sizeof text, "%.1f%% of all GPUs over the span of arrivals", 100 * offered);
    line("offered load",
         isnan(offered) ? "none: all jobs arrive at once, or there are no GPUs" : text);
    size_t n = (size_t)snprintf(text, sizeof text, "job of %.6g GPU%s",
                                number(d, "largest_job_gpus"), plural_ending(number(d, "largest_job_gpus")));
    if (number(d, "largest_task_gpus") > 0)
        n += (size_t)snprintf(text + n, sizeof text - n, ", task of %.0f",
                              number(d, "largest_task_gpus"));
    else if (number(d, "largest_job_gpus") > 1)
        n += (size_t)snprintf(text + n, sizeof text - n, ", in any split");
    snprintf(text + n, sizeof text - n, "; the largest node has %.0f",
             number(d, "largest_node_gpus"));
    line("largest", text);
    const json_t *progress = json_object_get(d, "progress");
    if (json_is_object(progress)) {
        snprintf(text, sizeof text, "%s, known for %.0f of %.0f job%s; for the others: %s",
                 string(progress, "model"), number(progress, "known_jobs"),
                 number(progress, "jobs"), plural_ending(number(progress, "jobs")),
                 string(progress, "unknown"));
        line("progress", text);
    }
    table(json_object_get(d, "gpu_types"), "GPU type", "gpu_type", types);
    table(json_object_get(d, "queues"), "queue", "queue", queues);
}

/* ---- experiments ---- */

static void put_values(size_t at, const json_t *list)
{
    char text[4096];
    size_t i, n = 0;
    const json_t *value;
    json_array_foreach(list, i, value)
        if (n < sizeof text)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? ", " : "",
                                  json_string_value(value));
    text_wrap(stdout, text, at, LABEL, TERM_WIDTH);
}

static void show_experiment(const json_t *report)
{
    size_t i;
    const json_t *axis;
    printf("  %-*s%s\n", LABEL - 2, "experiment",
           json_string_value(json_object_get(report, "name")));
    printf("  %-*s%lld of %lld combinations\n", LABEL - 2, "points",
           (long long)json_integer_value(json_object_get(report, "points")),
           (long long)json_integer_value(json_object_get(report, "combinations")));
    json_array_foreach(json_object_get(report, "axes"), i, axis)
    {
        put_values((size_t)printf("  %s", json_string_value(json_object_get(axis, "name"))),
                   json_object_get(axis, "values"));
    }
}

/* ---- a file ---- */

static void show_warnings_of(const json_t *report)
{
    size_t i;
    json_t *w, *list = json_object_get(report, "warnings");
    if (json_array_size(list))
        putchar('\n');
    json_array_foreach(list, i, w) line("warning", json_string_value(w));
}

static void show_federation(const json_t *file)
{
    size_t i;
    const json_t *m;
    printf("  federation    %s, route %s\n", string(file, "name"), string(file, "route"));
    json_array_foreach(json_object_get(file, "members"), i, m)
        printf("  %-14s%s%s%s\n", i ? "" : "members", string(m, "name"),
               json_string_value(json_object_get(m, "policy")) ? ", policy " : "",
               json_string_value(json_object_get(m, "policy"))
                   ? json_string_value(json_object_get(m, "policy"))
                   : "");
}

void check_as_text(const json_t *file)
{
    const json_t *demand;
    size_t i;
    text_put(stdout, string(file, "file"), TERM_WIDTH);
    putchar('\n');
    if (!strcmp(string(file, "kind"), "trace"))
        show_trace(file);
    else if (!strcmp(string(file, "kind"), "experiment"))
        show_experiment(file);
    else if (!strcmp(string(file, "kind"), "federation"))
        show_federation(file);
    else
        show_cluster(file);
    show_warnings_of(file);
    json_array_foreach(json_object_get(file, "demand"), i, demand)
    {
        show_demand(demand);
        show_warnings_of(demand);
    }
}
