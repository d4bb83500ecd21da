/* conformance.h - what a case is put to: each kind of case has a function, and finds what it
 * needs in the JSON.
 *
 * 0: all that the case demands holds. 1: something differs. 2: skipped, it cannot be asked here.
 * Of the last two `why` tells. */
#pragma once
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { CASE_PASSED, CASE_FAILED, CASE_SKIPPED };
struct why { char *text; size_t size; };

__attribute__((format(printf, 3, 4))) static inline int because(int what, struct why why, const char *format, ...)
{
    va_list more;
    va_start(more, format);
    vsnprintf(why.text, why.size, format, more);
    va_end(more);
    return what;
}

static inline double number_of(const json_t *o, const char *key) { return json_number_value(json_object_get(o, key)); }
static inline const char *text_of(const json_t *o, const char *key) { return json_string_value(json_object_get(o, key)); }

/* division.c and rules.c: the pure rules of guaranteed quota */
int division_case(const json_t *c, struct why why);
int gate_case(const json_t *c, struct why why);
int reason_case(const json_t *c, struct why why);
int scenario_case(const json_t *c, struct why why);
int order_case(const json_t *c, struct why why);

/* session_run.c: one or several passes of the policy quota */
int session_case(const json_t *c, struct why why);

/* kueue_books.c: shares, the order of heads, what a head reserves */
int kueue_shares_case(const json_t *c, struct why why);
int kueue_order_case(const json_t *c, struct why why);
int kueue_reserve_case(const json_t *c, struct why why);

/* kueue_tas.c: domains of pod sets */
int kueue_tas_case(const json_t *c, struct why why);
/* kueue_flavors.c: which flavors a workload gets; which of two outcomes is better */
int kueue_flavors_case(const json_t *c, struct why why);
int kueue_preference_case(const json_t *c, struct why why);

/* kueue_cycle.c: one cycle of admission */
int kueue_cycle_case(const json_t *c, struct why why);
/* kueue_local.c: cycles of a queue with local queues, by past use */
int kueue_local_case(const json_t *c, struct why why);

/* control.c: makes one demand of a case wrong. false: it has none */
bool contradict(json_t *c);
