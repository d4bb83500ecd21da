/* export.h - results of a run in the formats of other tools. A format is one file export_NAME.c
 * and one line in cmd_export.c.
 *
 * Memory grows with the number of jobs and nodes and with how often jobs were stopped; of perfetto
 * not with the number of rows. */
#pragma once
#include "sim/cli/frame/result_file.h"
#include "sim/io/output.h"

/* Each writes the results in the directory to o. 0, or -1 with err. */
typedef int exporter(const char *directory, struct output *o, struct error *err);
exporter export_perfetto, export_batsim, export_openmetrics;
