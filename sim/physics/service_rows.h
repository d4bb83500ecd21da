/* service_rows.h - services.csv: a row for each service and interval of its statistics. */
#pragma once
#include "sim/io/output.h"
#include "sim/serving/figures.h"

struct service_row {              /* an interval of a service that is over */
    const char *name;
    uint32_t wanted, placed, ready;    /* replicas at its end */
    const struct serving_figures *figures;
};
extern const char *const service_columns[];                  /* ends with NULL */
void service_row(struct output *o, const void *row);          /* a struct service_row */
