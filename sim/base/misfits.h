/* misfits.h - questions to a profile that were answered with no, for later ones that ask for no
 * less.
 *
 * A question (`need`, `length`, `before`): from which start t on is `need` free over the whole of
 * [t, t + length), where nothing is looked at from `before` on? A misfit says that no t in [after,
 * until) is one. Then none is for a question of at least that need and that length, unless it
 * stops earlier: with a `before` below the misfit's, only starts of which the whole length ends by
 * it are known.
 *
 * When less is taken from some time on, only what ends by then stays known; more that is taken
 * changes nothing. The MISFITS_KEPT that were noted or helped last are kept. What is not known
 * costs a search, never another answer. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define MISFITS_KEPT 12u

struct misfit { int64_t need, length, before, after, until; };
struct misfits { struct misfit known[MISFITS_KEPT]; size_t n; };    /* {} knows nothing */
/* length, before, until INT64_MAX: without bound */
void    misfits_note(struct misfits *m, struct misfit no);
/* No t in [after, the answer) is a start; at least `after`. The search for more ends at
 * `enough`. */
int64_t misfits_until(struct misfits *m, int64_t need, int64_t length, int64_t before,
                      int64_t after, int64_t enough);
/* Less is taken from that time on; INT64_MIN: at any time. */
void    misfits_freed(struct misfits *m, int64_t from);
