/* plugin.h - policies and placers from outside the tree: a shared object with one data symbol.
 *
 * A .so exports `const struct policy policy_plugin` or `const struct placer placer_plugin` (or both). A message of its own for each thing
 * that can be wrong: cannot be opened (and dlerror's reason), no such symbol, another ABI, no name, no schedule() or
 * place(). What is returned stays loaded until the program ends. NULL with err. */
#pragma once
#include "sim/base/error.h"
#include "sim/contract/policy.h"

const struct policy *plugin_policy(const char *path, struct error *err);
const struct placer *plugin_placer(const char *path, struct error *err);
