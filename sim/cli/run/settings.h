/* settings.h - the effective configuration of a run: everything that decides it, as one YAML text.
 *
 * Costs of checkpoints, starts and storage have keys only if they are not zero. */
#pragma once
#include "sim/cli/run/plan.h"

#include <stdio.h>

char *settings_yaml(const struct plan *p);    /* the caller frees it */
void settings_put_text(FILE *f, const char *key, const char *text);    /* a line `key: "text"` */
