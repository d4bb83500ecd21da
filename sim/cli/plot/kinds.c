/* kinds.c - the list of kind.h as tables. */
#include "sim/cli/plot/kind.h"

#define TABLE(name, help) &name##_kind,
#define NAME(name, help)  #name,
#define SUMMARY(name, help) help,
const struct kind *const plot_kinds[] = { EACH_PLOT_KIND(TABLE) NULL };
const char *const plot_kind_names[] = { EACH_PLOT_KIND(NAME) NULL };
const char *const plot_kind_summaries[] = { EACH_PLOT_KIND(SUMMARY) NULL };
