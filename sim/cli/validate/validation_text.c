/* validation_text.c - a validation for people and for programs. */
#include "sim/cli/frame/term.h"
#include "sim/cli/validate/validation.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- The sentence ---- */

const char *validation_sentence(char to[SENTENCE_MAX], const struct validation *v)
{
    const struct agreement *a = &v->all;
    static const char *const advice[] = {
        [TRUST_NONE] = ("it does not follow the cluster: trust neither its waits nor which jobs "
                        "wait"),
        [TRUST_ORDER] = ("jobs wait in nearly the same order: compare policies with it, but do not "
                         "take its waits for those of the cluster"),
        [TRUST_WAITS] = "it may stand for the cluster",
    };
    char change[128];
    if (isnan(a->change.value))
        snprintf(change, sizeof change, "no job waited in the record");
    else if (fabs(a->change.value) < 5e-4)
        snprintf(change, sizeof change, "the mean wait is the same");
    else if (a->change.value > 2)
        snprintf(change, sizeof change, "the mean wait is %.3g times as long (%.3g to %.3g)",
                 1 + a->change.value, 1 + a->change.bounds.low, 1 + a->change.bounds.high);
    else
        snprintf(change, sizeof change, "the mean wait is %.3g %% %s (%.3g to %.3g %%)",
                 100 * fabs(a->change.value), a->change.value > 0 ? "longer" : "shorter",
                 100 * a->change.bounds.low, 100 * a->change.bounds.high);
    snprintf(to, SENTENCE_MAX, "Against the record %s, and the ranks of waits agree by %.2f (%.2f to %.2f): %s.",
             change, a->rank.value, a->rank.bounds.low, a->rank.bounds.high,
             advice[agreement_trust(a)]);
    return to;
}

/* ---- The measures ---- */

static struct with_bounds scaled(struct with_bounds x, double by)
{
    return (struct with_bounds){ by * x.value, { by * x.bounds.low, by * x.bounds.high } };
}

void validation_measures(const struct validation *v,
                         struct validation_measure to[VALIDATION_MEASURES])
{
    const struct agreement *a = &v->all;
    const struct validation_measure all[VALIDATION_MEASURES] = {
        { "change of the mean", "%", scaled(a->change, 100), true },
        { "agreement of ranks", "", a->rank, true },
        { "mean error / mean wait", "", a->error, true },
        { "within 60 s or 10 %", "%", scaled(a->near, 100), true },
        { "distance of distributions", "", { a->distance, { NAN, NAN } }, false },
    };
    memcpy(to, all, sizeof all);
}

/* ---- Text ---- */

static void put_measures(FILE *to, const struct validation *v)
{
    struct validation_measure m[VALIDATION_MEASURES];
    validation_measures(v, m);
    for (size_t i = 0; i < VALIDATION_MEASURES; i++) {
        fprintf(to, "  %-28s %8.3g", m[i].name, m[i].at.value);
        if (m[i].bounded)
            fprintf(to, " %1s  (%.3g to %.3g)", m[i].unit, m[i].at.bounds.low, m[i].at.bounds.high);
        fputc('\n', to);
    }
}

static void put_times(FILE *to, const char *name, double was_s, double is_s)
{
    char was[HUMAN_MAX], is[HUMAN_MAX];
    fprintf(to, "  %-28s %10s %10s\n", name, human_time(was, was_s), human_time(is, is_s));
}

static void put_groups(FILE *to, const struct wait_groups *g, const char *heading)
{
    fprintf(to, "\n  %-20s %9s %10s %10s %10s\n", heading, "jobs", "recorded", "simulated", "error");
    for (size_t i = 0; i < g->n; i++) {
        const struct wait_group *x = &g->group[i];
        char was[HUMAN_MAX], is[HUMAN_MAX], error[HUMAN_MAX];
        fputs("  ", to);
        text_pad(to, *x->name ? x->name : "(none)", 20);
        fprintf(to, " %9zu %10s %10s %10s\n", x->jobs, human_time(was, x->was_mean_s),
                human_time(is, x->is_mean_s), human_time(error, x->error_s));
    }
}

void validation_text(FILE *to, const struct validation *v)
{
    const struct agreement *a = &v->all;
    char line[SENTENCE_MAX], block[HUMAN_MAX];
    unsigned width = term_width(STDOUT_FILENO);
    text_wrap(to, validation_sentence(line, v), 0, 0, width);
    fprintf(to, "\n\n  %-28s %10s %10s\n", "wait until the first start", "recorded", "simulated");
    put_times(to, "mean", a->was_mean_s, a->is_mean_s);
    for (unsigned i = 0; i < QUANTILES_TOLD; i++) {
        char name[32];
        snprintf(name, sizeof name, "%.3g %% wait at most", 100 * v->quantile[i].p);
        put_times(to, name, v->quantile[i].was_s, v->quantile[i].is_s);
    }
    fputc('\n', to);
    put_measures(to, v);
    if (v->hours) {
        fprintf(to, "  %-28s %8.3g %%  recorded, %.3g %% simulated\n", "GPUs in use", 100 * v->was_share,
                100 * v->is_share);
        fprintf(to, "  %-28s %8.3g points, correlation %.2f\n", "error by hour", 100 * v->hour_error,
                v->hour_correlation);
    }
    put_groups(to, &v->groups[BY_SIZE], "GPUs of the job");
    put_groups(to, &v->groups[BY_QUEUE], "queue");
    put_groups(to, &v->groups[BY_HOUR], v->dated ? "hour of submit, UTC" : "hour of submit");
    snprintf(line, sizeof line,
             "Of %zu jobs in %zu blocks of %s; bounds are those of 95 %%. %zu jobs started in the "
             "record alone, %zu in the simulation alone.",
             a->pairs, a->blocks, human_time(block, a->block_s), v->only_recorded, v->only_simulated);
    fputc('\n', to);
    text_wrap(to, line, 0, 0, width);
    fputc('\n', to);
}

/* ---- JSON ---- */

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *bounded(struct with_bounds x)
{
    return json_pack("{so so so}", "value", number(x.value), "low", number(x.bounds.low), "high",
                     number(x.bounds.high));
}

static json_t *groups_json(const struct wait_groups *g)
{
    json_t *list = json_array();
    for (size_t i = 0; i < g->n; i++) {
        const struct wait_group *x = &g->group[i];
        json_array_append_new(
            list, json_pack("{ss sI so so so}", g->by, x->name, "jobs", (json_int_t)x->jobs,
                            "recorded_mean_s", number(x->was_mean_s), "simulated_mean_s",
                            number(x->is_mean_s), "error_mean_s", number(x->error_s)));
    }
    return list;
}

json_t *validation_json(const struct validation *v)
{
    static const char *const trust[] = { "none", "order", "waits" };
    const struct agreement *a = &v->all;
    char line[SENTENCE_MAX];
    json_t *quantiles = json_array();
    for (unsigned i = 0; i < QUANTILES_TOLD; i++)
        json_array_append_new(quantiles, json_pack("{so so so}", "p", number(v->quantile[i].p),
                                                   "recorded_s", number(v->quantile[i].was_s),
                                                   "simulated_s", number(v->quantile[i].is_s)));
    json_t *o = json_pack(
        "{ss ss ss ss sI sI so sI sI so so}", "recorded", v->recorded, "simulated", v->simulated,
        "verdict", validation_sentence(line, v), "trust", trust[agreement_trust(a)], "jobs", (json_int_t)a->pairs, "blocks",
        (json_int_t)a->blocks, "block_s", number(a->block_s), "only_recorded",
        (json_int_t)v->only_recorded, "only_simulated", (json_int_t)v->only_simulated,
        "recorded_mean_s", number(a->was_mean_s), "simulated_mean_s", number(a->is_mean_s));
    json_object_set_new(o, "quantiles", quantiles);
    json_object_set_new(o, "change", bounded(a->change));
    json_object_set_new(o, "rank_correlation", bounded(a->rank));
    json_object_set_new(o, "error", bounded(a->error));
    json_object_set_new(o, "near", bounded(a->near));
    json_object_set_new(o, "distance", number(a->distance));
    json_object_set_new(o, "utilisation",
                        json_pack("{sI so so so so}", "hours", (json_int_t)v->hours, "recorded",
                                  number(v->was_share), "simulated", number(v->is_share),
                                  "error_mean", number(v->hour_error), "correlation",
                                  number(v->hour_correlation)));
    json_object_set_new(o, "by_size", groups_json(&v->groups[BY_SIZE]));
    json_object_set_new(o, "by_queue", groups_json(&v->groups[BY_QUEUE]));
    json_object_set_new(o, "by_hour", groups_json(&v->groups[BY_HOUR]));
    return o;
}
