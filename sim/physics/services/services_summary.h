/* services_summary.h - metrics of inference services: of each, and of all together (scope
 * class=inference), of requests by adapter (scope adapter=SERVICE/NUMBER; 0 is the base model; of
 * the first ADAPTER_SCOPES, and adapter=SERVICE/rest) and by model (model=SERVICE/NAME).
 * docs/outputs.md tells what each is. */
#pragma once
#include "sim/results/summary_builder.h"
#include "sim/serving/figures.h"
#include "sim/serving/llm/group_counts.h"
#include "sim/serving/service.h"

struct service_result {           /* of a service that is over */
    const struct service *service;
    const struct serving_figures *figures;
    uint64_t starts;              /* replicas that became ready after a start-up */
    const struct group_counts *by_group;
};
enum { ADAPTER_SCOPES = 20 };
extern const struct metric_kind services_metrics[];
void services_summary_put(struct summary_builder *b, const struct service_result *of, size_t n);
