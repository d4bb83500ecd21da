/* settings.h - --set, and everything that decides a run as one YAML text. */
#pragma once
#include "sim/cli/plan.h"

#include <stdio.h>

/* Each "KEY=VALUE" changes a setting of the cluster; EXIT_OK, or EXIT_USAGE with err. Those that are a place in its file
 * (config_put()) have been heeded by settings_read(). */
int settings_set(struct cluster *c, const struct option_texts *set, struct error *err);
struct cluster *settings_read(const char *path, const struct option_texts *set, char sha256[65], struct error *err);    /* NULL with err */
size_t settings_of_file(const struct option_texts *set);     /* how many are */
/* The effective configuration; the caller frees it. */
char *settings_yaml(const struct plan *p);
/* settings_storage.c - what of the preemption and the storage is not as free as it was. */
void settings_put_storage(FILE *f, const struct cluster *c);
