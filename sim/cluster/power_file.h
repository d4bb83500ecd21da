/* power_file.h - sections `power` and `prices` of a cluster file.
 *
 *   power:
 *     pue: 1.2
 *     carbon_file: grid.csv      # see hourly.h; as from the working directory. Or a constant:
 *                                # carbon_g_per_kwh: 400
 *     off_after_s: 600           # idle nodes are then powered off, and boot in wake_s
 *     cap_w: 40000               # and rack_cap_w: no start with a worst case above it, or with
 *                                # cap_by: clocks lower clocks; or row_cap_w with cap_by: rows
 *     groups: { mine: { node_idle_w: 700, gpu_idle_w: 50, gpu_tdp_w: 350 } }
 *   prices:
 *     bill: capacity             # or allocated
 *     groups: { mine: { gpu_usd_per_h: 1.20 } }
 *
 * A value of a group comes before that of the section, and that before the catalogue. A value found
 * nowhere is an error. */
#pragma once
#include "sim/io/config.h"
#include "sim/cluster/cluster.h"
#include "sim/models/power.h"

/* Set c->power and c->tariff, in the cluster's memory; an absent section: leave them NULL. 0, or -1
 * with err. */
int power_read(struct config_value section, struct cluster *c, struct error *err);
int tariff_read(struct config_value section, struct cluster *c, struct error *err);
