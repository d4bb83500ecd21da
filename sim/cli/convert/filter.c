/* filter.c - see filter.h. */
#include "sim/cli/convert/filter.h"

#include "sim/base/memory.h"
#include "sim/base/suggest.h"
#include "sim/workload/requests.h"
#include "traces/formats/dates.h"
#include "traces/native/native.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- times ---- */

static int parse_time(const struct workload *w, const char *command, const char *option, const char *text, int64_t *ns,
                      struct error *err)
{
    static const char midnight[] = " 00:00:00";
    char whole[64];
    int64_t date_ns;
    snprintf(whole, sizeof whole, "%.40s%s", text, strchr(text, ' ') ? "" : midnight);
    if (decimal_parse(text, strlen(text), NS_PER_S, ns))
        return 0;
    if (!date_parse(whole, strlen(whole), &date_ns))
        return error_set(err, "%s: --%s: want seconds, or a date like 2017-10-09 or '2017-10-09 07:01:55', got '%s'",
                         command, option, text);
    if (w->origin_ns == TIME_NEVER)
        return error_set(err, "%s: --%s: want seconds, as this trace tells no dates, got '%s'", command, option, text);
    *ns = date_ns - w->origin_ns;
    return 0;
}

/* ---- names ---- */

/* Marks in wanted[] the numbers of the names in a list with commas. */
static int parse_names(const struct intern *known, const char *command, const char *option, const char *list,
                       bool *wanted, struct error *err)
{
    for (const char *name = list; name; name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL) {
        size_t length = strcspn(name, ",");
        uint32_t number = intern_find(known, name, length);
        if (number != INTERN_NONE) {
            wanted[number] = true;
            continue;
        }
        char *typed = mem_text(name, length);
        struct suggestion near = { .typed = typed };
        for (uint32_t i = 0; i < intern_count(known); i++)
            suggest_offer(&near, intern_text(known, i));
        if (near.best && *near.best)
            error_set(err, "%s: --%s: no job has '%s', did you mean '%s'?", command, option, typed, near.best);
        else
            error_set(err, "%s: --%s: no job has '%s'", command, option, typed);
        free(typed);
        return -1;
    }
    return 0;
}

static struct intern *class_names(void)
{
    struct intern *t = intern_new();
    for (size_t i = 0; native_classes[i]; i++)
        intern_add(t, native_classes[i], strlen(native_classes[i]));
    return t;
}

/* ---- jobs ---- */

struct filter {
    int64_t since_ns, until_ns;
    bool *queue, *user, *class; /* NULL: all */
};

static bool fits(const struct filter_options *f, const struct filter *p, const struct job_facts *j)
{
    int64_t gpus = request_gpus(j->ask);
    return j->submit_ns >= p->since_ns && j->submit_ns < p->until_ns && gpus >= f->min_gpus && gpus <= f->max_gpus &&
           (!p->queue || p->queue[j->queue]) && (!p->user || (j->user != ID_NONE && p->user[j->user])) &&
           (!p->class || p->class[j->class]);
}

static int prepare(const struct filter_options *f, const char *command, const struct workload *w, struct filter *p,
                   struct error *err)
{
    const struct {
        const char *option, *list;
        struct intern *known;
        bool **wanted;
    } lists[] = { { "queue", f->queues, w->queue_names, &p->queue },
                  { "user", f->users, w->users, &p->user },
                  { "class", f->classes, class_names(), &p->class } };
    int result = 0;
    if ((f->since && parse_time(w, command, "since", f->since, &p->since_ns, err) != 0) ||
        (f->until && parse_time(w, command, "until", f->until, &p->until_ns, err) != 0))
        result = -1;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && result == 0; i++) {
        if (!lists[i].list)
            continue;
        *lists[i].wanted = mem_new(intern_count(lists[i].known) + 1, sizeof **lists[i].wanted);
        result = parse_names(lists[i].known, command, lists[i].option, lists[i].list, *lists[i].wanted, err);
    }
    intern_free(lists[2].known);
    return result;
}

int filter_apply(const struct filter_options *f, const char *command, struct workload *w, struct error *err)
{
    struct filter p = { .since_ns = INT64_MIN, .until_ns = INT64_MAX };
    bool *keep = mem_new(w->n_jobs, sizeof *keep);
    int64_t kept = 0;
    int result = prepare(f, command, w, &p, err);
    for (job_id j = 0; j < w->n_jobs && result == 0; j++) {
        keep[j] = kept < f->limit && fits(f, &p, &w->facts[j]);
        kept += keep[j];
    }
    if (result == 0 && kept == 0)
        result = error_set(err, "%s: none of the %" PRIu32 " jobs is left", command, w->n_jobs);
    if (result == 0)
        workload_keep(w, keep);
    free(keep);
    free(p.queue);
    free(p.user);
    free(p.class);
    return result == 0 ? EXIT_OK : EXIT_USAGE;
}
