/* params.h - parameters of a policy or placer from "key=value,key=value" and back. */
#pragma once
#include "sim/base/error.h"
#include "sim/contract/placement.h"

/* Fills `out` (a parameter struct, `size` bytes) with the defaults of `list`, then with `text` (NULL or "": none). `owner`
 * names it in messages: "policy fifo: no parameter 'bloking': want one of scope, blocking; did you mean 'blocking'?",
 * "policy fifo: blocking: want strict or skip, got 'yes'", "... want a number from 0 to 1, got '7'", a key given twice.
 * 0, or -1 with err. */
int params_parse(const struct param *list, size_t size, const char *text, const char *owner, void *out, struct error *err);
/* A parameter struct of its own: a copy of `given`, or the defaults if that is NULL. */
struct arena;
void *params_complete(struct arena *memory, const struct param *list, size_t size, const void *given);
/* The value of one parameter as text, for manifests and listings: a word, or the number. `to` holds at least 32 bytes. */
void params_show(const struct param *p, const void *params, char *to, size_t size);
