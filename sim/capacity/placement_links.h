/* placement_links.h - the network links that a placement crosses, for max-min sharing: models.md 1.4, 2.4.
 *
 * Links are numbered: the NICs of node n together are link n; the uplink of rack or pod d is link n_nodes + d. A placement on one
 * unit (placement_form.h) crosses none. On several it crosses the NICs of each of its nodes, the uplinks of its racks if these
 * are several, and those of its pods likewise. Nodes of an island across nodes are taken to spread what leaves it over all
 * their NICs, which are then not listed. */
#pragma once
#include "sim/capacity/placement_form.h"
#include "sim/models/network/rate_rules.h"

uint32_t placement_links(const struct cluster *c);           /* how many numbers there are */
/* [placement_links()] bytes a second per direction, as they are really got; INFINITY: not known, or no such link. */
void   placement_link_rates(const struct cluster *c, const struct fabric *fabric, double *bps);
/* Ascending. Room: 3 x the pieces. Returns how many. */
size_t placement_links_of(const struct cluster *c, const struct placement *p, struct form_scratch *scratch, uint32_t *link);
