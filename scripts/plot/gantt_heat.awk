# gantt_heat.awk - too many GPUs for a lane each: what share of each node's GPUs is held, over time. Beyond max_rows
# nodes several neighbours share a row. Writes heat (column row percent) and facts.gp; on a terminal `out` itself.

function read_nodes(    f, n, per)
{
    csv_open(dir "/nodes.csv", "node gpus")
    while (csv_next(dir "/nodes.csv", f))
        if (f[at["gpus"]] > 0) {
            node[n++] = f[at["node"]]
            size[f[at["node"]]] = f[at["gpus"]]
            lanes += f[at["gpus"]]
        }
    per = int((n + max_rows - 1) / max_rows)
    rows = int((n + per - 1) / per)
    for (k = 0; k < n; k++) {
        row[node[k]] = int(k / per)
        gpus[int(k / per)] += size[node[k]]
        if (k % per == 0)
            name[int(k / per)] = node[k]
    }
    return per
}

# Both files are in order of time, so their edges (header, first and last row) tell the span, if the first event is
# known and the last row is what it seems. Else all rows do.
function read_span(    f, start, end, pieces)
{
    if ((getline start < "first") > 0) {
        csv_open("first", "time_s")
        csv_next("first", f)
        start = f[at["time_s"]]
        csv_open("last", "end_s")
        csv_next("last", f)
        csv_next("last", f)
        end = f[at["end_s"]]
        if (start ~ /^-?[0-9.]+$/ && end ~ /^-?[0-9.]+$/ && end - start > 0) {
            t0 = start + 0
            t1 = end + 0
            return
        }
    }
    csv_open(dir "/intervals.csv", "start_s end_s")
    while (csv_next(dir "/intervals.csv", f)) {
        start = f[at["start_s"]] + 0
        end = f[at["end_s"]] + 0
        if (!pieces++ || start < t0)
            t0 = start
        if (pieces == 1 || end > t1)
            t1 = end
    }
    if (t1 <= t0 && !failed)
        fail(dir "/intervals.csv: no interval holds a GPU for any time")
}

# Edges go to their own bins, what lies between them to a running sum, so that long holds cost no more.
function read_holds(    f, a, b, x, y, r, held, c_start, c_end, c_gpus, c_node, c_milli, scale)
{
    csv_open(dir "/intervals.csv", "start_s end_s gpus node gpu_milli")
    c_start = at["start_s"]
    c_end = at["end_s"]
    c_gpus = at["gpus"]
    c_node = at["node"]
    c_milli = at["gpu_milli"]
    scale = bins / (t1 - t0)
    while (csv_next(dir "/intervals.csv", f)) {
        held = f[c_gpus] * f[c_milli] / 1000
        a = (f[c_start] - t0) * scale
        b = (f[c_end] - t0) * scale
        if (a < 0)
            a = 0
        if (b > bins)
            b = bins
        if (b <= a || !held)
            continue
        r = row[f[c_node]] * (bins + 2)
        x = int(a)
        y = int(b)
        if (x == y) {
            part[r + x] += held * (b - a)
            continue
        }
        part[r + x] += held * (x + 1 - a)
        part[r + y] += held * (b - y)
        change[r + x + 1] += held
        change[r + y] -= held
    }
}

BEGIN {
    getline dir < "dirs"
    getline label < "labels"
    term = format == "term"
    max_rows = term ? 18 : 200
    bins = term ? columns - 15 : 400
    per = read_nodes()
    read_span()
    read_holds()
    unit = axis_unit(t1 - t0)
    unit_s = unit_seconds(unit)
    title = label ": share of " (per > 1 ? "the GPUs of " per " nodes each" : "each node's GPUs") " in use"
    subtitle = "(" commas(lanes) " GPUs" (kind == "nodes" ? "" : ", too many for a lane each") ")"
    if (term) {
        print "  " title > "out"
        print "  " subtitle "; 0 to 9 are tenths, # is all" > "out"
    }
    for (r = 0; r < rows; r++) {
        whole = 0
        line = sprintf("%12s |", "node " name[r])
        for (x = 0; x < bins; x++) {
            k = r * (bins + 2) + x
            whole += change[k]
            share = (whole + part[k]) / gpus[r]
            if (term)
                line = line (share < 0.0005 ? "." : share > 0.9995 ? "#" : int(share * 10))
            else
                for (k = r; k == r || k < 2 && rows == 1; k++)     # an image needs two rows
                    printf "%.6f %d %.3f\n", (x + 0.5) / bins * (t1 - t0) / unit_s, k, share * 100 > "heat"
        }
        if (term)
            print line > "out"
    }
    if (term) {
        print pad("", 14) time_scale(t1 - t0, bins) > "out"
        exit
    }
    row_px = rows <= 20 ? 24 : rows <= 50 ? 12 : rows <= 100 ? 7 : 4
    for (r = 0; r < rows; r += step) {
        step = row_px >= 13 ? 1 : int(13 / row_px) + 1
        printf "set ytics add (%s %.1f)\n", quoted_tic("node " name[r]), (rows == 1 ? 0.5 : r) > "tics.gp"
    }
    printf "title_text = %s\nend = %.9f\nunit = '%s'\nlanes = %d\nlane_px = %d\nview = 'heat'\nbin_s = '%s'\n", quoted(title " " subtitle),
        (t1 - t0) / unit_s, unit, (rows == 1 ? 2 : rows), row_px, human((t1 - t0) / bins) > "facts.gp"
}
