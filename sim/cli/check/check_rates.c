/* check_rates.c - of how many jobs it is known how fast a placement lets them train. */
#include "sim/cli/check/check.h"

#include "sim/base/memory.h"
#include "sim/models/network/rate_rules.h"
#include "sim/models/training/throughputs.h"
#include "sim/models/training/training_models.h"

#include <stdlib.h>

/* "progress": null where the cluster has no such section. */
void check_rates(const struct cluster *c, const struct workload *w, json_t *report)
{
    const struct rate_rules *r = c->rates;
    if (!r) {
        json_object_set_new(report, "progress", json_null());
        return;
    }
    uint32_t n = intern_count(w->models), unknown = ID_NONE;
    bool *known = mem_new(n + (size_t)1, sizeof *known);
    json_int_t jobs = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct training_model m;
        const char *name = intern_text(w->models, i);
        known[i] = training_model_find(c->models, name, &m) || (r->table && throughputs_model(r->table, name) != INTERN_NONE);
        unknown = known[i] || unknown != ID_NONE ? unknown : i;
    }
    for (job_id j = 0; j < w->n_jobs; j++)
        jobs += w->facts[j].model != ID_NONE && known[w->facts[j].model];
    free(known);
    json_object_set_new(report, "progress", json_pack("{s:s, s:s, s:I, s:I}", "model", rate_model_name[r->model], "unknown",
                                                      rate_model_name[r->unknown], "known_jobs", jobs, "jobs", (json_int_t)w->n_jobs));
    if (unknown != ID_NONE)
        check_warn(report, "training model '%.100s' is not known: want it among 'models', or as an alias of one that `gpuyard list "
                   "models` has", intern_text(w->models, unknown));
}
