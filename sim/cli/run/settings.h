/* settings.h - everything that decides a run as one YAML text. */
#pragma once
#include "sim/cli/run/plan.h"

#include <stdio.h>

/* The effective configuration; the caller frees it. */
char *settings_yaml(const struct plan *p);
void settings_put_text(FILE *f, const char *key, const char *text);    /* a line `key: "text"` */
