/* settings.h - the effective configuration of a run: everything that decides it, as one YAML text.
 *
 * `cluster.settings` is the cluster file as it holds: with --set, and with the default of every key
 * of its sections. A list of nodes is told by its file alone. dumped.h reads the text again, and
 * what it then runs has the same text. */
#pragma once
#include "sim/cli/run/plan.h"

#include <stdio.h>

char *settings_yaml(const struct plan *p);    /* the caller frees it */
void settings_put_quantiles(FILE *f, const struct quantiles_wanted *w);    /* a line, if there are any */
void settings_put_text(FILE *f, const char *key, const char *text);    /* a line `key: "text"` */
