/* registry.h - the policies and placers that are built in: one line each in builtin.c. */
#pragma once
#include "sim/contract/policy.h"

extern const struct policy *const builtin_policies[];    /* ends with NULL */
extern const struct placer *const builtin_placers[];     /* ends with NULL */
