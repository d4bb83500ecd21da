/* run_line.h - the last line of the report of an import: the run that comes closest. */
#pragma once
#include "sim/io/output.h"

/* trace: a file in that folder; NULL: no job was written, and the line names none. policy:
 * NAME:PARAMETERS and, behind it, other options of the run. */
void import_put_run(struct output *o, const char *directory, const char *trace, const char *policy);
