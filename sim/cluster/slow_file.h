/* slow_file.h - what section `failures` says of slow faults and of nodes in reserve.
 *
 *   failures:
 *     slow: { per_node_day: .005, paces: [[.9, .7], [.75, .2], [.5, .1]], scope: gpu, then: drain }
 *     faults: [{ kind: slow, node: 3, phi: .5, at_s: 100, detect_s: 200, then: none }]
 *     spares: { dgx: 2 }
 *
 * A fault that is given is one of its GPU if it names one, of its link with `scope: link`, else of
 * its node. */
#pragma once
#include "sim/cluster/cluster.h"
#include "sim/io/config.h"
#include "sim/models/failures.h"

int slow_read(struct config_value section, struct slow_law *to, struct error *err);
bool slow_given_is(struct config_value entry);               /* of `faults`: one of these */
/* appends it to f->slow.given, which has room */
int slow_given_read(struct config_value entry, struct cluster *c, struct slow_law *to,
                    struct error *err);
/* Where the slow faults of a run were, and its nodes in reserve; of a snapshot. Absent: nothing.
 * The first after the law and all given faults, the second after spares_read(). */
int slow_past_read(struct config_value section, struct slow_law *to, struct error *err);
int in_reserve_read(struct config_value list, struct cluster *c, struct failures *f,
                    struct error *err);
int spares_read(struct config_value section, struct cluster *c, struct failures *f,
                struct error *err);
