/* settings.h - everything that decides a run as one YAML text. */
#pragma once
#include "sim/cli/run/plan.h"

#include <stdio.h>

/* The effective configuration; the caller frees it. */
char *settings_yaml(const struct plan *p);
void settings_put_text(FILE *f, const char *key, const char *text);    /* a line `key: "text"` */
/* settings_storage.c - what of the preemption and the storage is not as free as it was. */
void settings_put_storage(FILE *f, const struct cluster *c);
