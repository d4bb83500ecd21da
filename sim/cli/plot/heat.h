/* heat.h - which share of the GPUs of each node is held, over time: for clusters with too many GPUs
 * for a lane each.
 *
 * Time is cut into 400 steps, on a terminal one a character. Beyond 200 nodes (18) several
 * neighbours share a row. */
#pragma once
#include "sim/cli/plot/kind.h"

/* 0, or -1 with err. lanes: the kind would have drawn lanes, were there not too many GPUs. */
int heat_draw(const struct plot_request *r, bool lanes, struct figure *f, struct error *err);
/* "node 3" in at most `room` columns; of a long name as much as there is room for, without the
 * word. */
const char *node_label(struct arena *a, const char *name, size_t room);
/* How high a lane is drawn that should be `px` high: on paper the picture has a height of its own. */
double lane_height(const struct canvas *canvas, double px, size_t lanes);
