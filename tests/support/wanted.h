/* wanted.h - assertions with messages that name what differs: "job 7: node: want 3, got 5".
 *
 *   assert_wanted(3, p->piece[0].node, "job %u: node", j);
 *   assert_same_jobs(&a.job[j], &b.job[j], "fifo, seed 1: job %zu", j);    the first field that differs
 *
 *   assert_same_text(first, second, "written again: %s", name);            the first line that differs
 *
 * The first job is job 0, as in the workload. Header only. */
#pragma once
#include "sim/engine/run.h"
#include "tests/unit/test_core.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Both values are whole numbers; the text that names them is made only when they differ. */
#define assert_wanted(want, got, ...)                                                              \
    do {                                                                                           \
        int64_t want_ = (int64_t)(want), got_ = (int64_t)(got);                                    \
        if (want_ != got_) {                                                                       \
            char what_[320];                                                                       \
            snprintf(what_, sizeof what_, __VA_ARGS__);                                            \
            fail_msg("%s: want %" PRId64 ", got %" PRId64, what_, want_, got_);                    \
        }                                                                                          \
    } while (0)

/* Sets of GPUs, by mask. */
#define assert_wanted_mask(want, got, ...)                                                         \
    do {                                                                                           \
        uint64_t want_ = (want), got_ = (got);                                                     \
        if (want_ != got_) {                                                                       \
            char what_[320];                                                                       \
            snprintf(what_, sizeof what_, __VA_ARGS__);                                            \
            fail_msg("%s: want %#" PRIx64 ", got %#" PRIx64, what_, want_, got_);                  \
        }                                                                                          \
    } while (0)

/* Texts that end in '\0': the first line that differs, counted from 1. */
#define assert_same_text(want, got, ...)                                                           \
    do {                                                                                           \
        const char *want_ = (want), *got_ = (got);                                                 \
        unsigned line_ = 1;                                                                        \
        size_t n_ = strcspn(want_, "\n");                                                          \
        for (; *want_ && n_ == strcspn(got_, "\n") && !memcmp(want_, got_, n_) &&                  \
               want_[n_] == got_[n_]; line_++) {                                                   \
            want_ += n_ + (want_[n_] != 0);                                                        \
            got_ += n_ + (got_[n_] != 0);                                                          \
            n_ = strcspn(want_, "\n");                                                             \
        }                                                                                          \
        if (*want_ || *got_) {                                                                     \
            char what_[320];                                                                       \
            snprintf(what_, sizeof what_, __VA_ARGS__);                                            \
            fail_msg("%s: line %u: want '%.*s', got '%.*s'", what_, line_, (int)n_, want_,         \
                     (int)strcspn(got_, "\n"), got_);                                              \
        }                                                                                          \
    } while (0)

struct difference { char text[160]; };    /* "": none */

static inline bool differ(struct difference *d, const char *field, int64_t want, int64_t got)
{
    if (want != got)
        snprintf(d->text, sizeof d->text, "%s: want %" PRId64 ", got %" PRId64, field, want, got);
    return want != got;
}

static inline bool times_differ(struct difference *d, const char *field, int64_t want_ns, int64_t got_ns)
{
    if (want_ns != got_ns)
        snprintf(d->text, sizeof d->text, "%s: want %.9f s, got %.9f s", field, (double)want_ns / NS_PER_S,
                 (double)got_ns / NS_PER_S);
    return want_ns != got_ns;
}

/* The first field of a job's result that differs: times and outcome, reasons to wait, placement class. */
static inline struct difference job_difference(const struct job_result *want, const struct job_result *got)
{
    struct difference d = { "" };
    if (times_differ(&d, "starts", want->start_ns, got->start_ns) || times_differ(&d, "ends", want->end_ns, got->end_ns) ||
        times_differ(&d, "waits", want->wait_ns, got->wait_ns) || times_differ(&d, "runs", want->run_ns, got->run_ns) ||
        times_differ(&d, "lost", want->lost_ns, got->lost_ns) || differ(&d, "state", want->state, got->state) ||
        differ(&d, "outcome", want->outcome, got->outcome) ||
        differ(&d, "preemptions", want->preemptions, got->preemptions) ||
        differ(&d, "placement class", want->distance, got->distance))
        return d;
    for (unsigned r = 0; r < WAIT_REASONS; r++)
        if (times_differ(&d, wait_reason_name[r], want->waits[r], got->waits[r]))
            return d;
    return d;
}

#define assert_same_jobs(want, got, ...)                                                           \
    do {                                                                                           \
        struct difference d_ = job_difference(want, got);                                          \
        if (*d_.text) {                                                                            \
            char what_[320];                                                                       \
            snprintf(what_, sizeof what_, __VA_ARGS__);                                            \
            fail_msg("%s: %s", what_, d_.text);                                                    \
        }                                                                                          \
    } while (0)
