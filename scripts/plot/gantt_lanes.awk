# gantt_lanes.awk - a lane for each GPU: from `pieces`, in order of start, boxes (left right low high colour), texts
# (x y colour text), lines between nodes and facts.gp; on a terminal the text `out` itself. Lane 0 is on top.
#
# Colour is by queue if there are several, else by job. GPUs of counted nodes have no names: a piece gets the
# lowest lanes that are free. Jobs that share a GPU lie above each other in its lane.

function read_nodes(    f, k)
{
    lanes = 0
    csv_open(dir "/nodes.csv", "node gpus counted")
    while (csv_next(dir "/nodes.csv", f))
        if (f[at["gpus"]] > 0) {
            node[++nodes] = f[at["node"]]
            base[f[at["node"]]] = lanes
            gpus[f[at["node"]]] = f[at["gpus"]] + 0
            counted[f[at["node"]]] = f[at["counted"]] + 0
            lanes += f[at["gpus"]]
        }
}

# One pass to know the span, the queues by GPU time, and how much of it can be shown.
function survey(    row, f, ids, a)
{
    while ((getline row < "pieces") > 0) {
        split(row, f, "\t")
        pieces++
        if (pieces == 1)
            t0 = f[1] + 0
        if (f[2] + 0 > t1)
            t1 = f[2] + 0
        boxes_wanted += f[6] < 1000 || f[4] == "" ? f[5] : split(f[4], ids, " ")
        if (boxes_wanted > most_boxes && !cut && f[1] + 0 > t0)
            cut = f[1] + 0
        if (!cut)
            shown = pieces
        if (!(f[7] in gpu_s))
            order[++queues] = f[7]
        gpu_s[f[7]] += f[5] * f[6] * (f[2] - f[1])
    }
    close("pieces")
    whole = t1 - t0
    if (cut)
        t1 = cut
    sort_down(order, queues, gpu_s)
    for (a = 1; a <= queues; a++)
        rank[order[a]] = a < 10 ? a : 10
}

# A shade of the colour of its queue for each job, so that neighbours can be told apart.
function shade(hex, k,    i, part, n)
{
    for (i = 0; i < 3; i++) {
        part = (index(digits, substr(hex, 2 * i + 1, 1)) - 1) * 16 + index(digits, substr(hex, 2 * i + 2, 1)) - 1
        n = n * 256 + int(part + (255 - part) * k * 0.17)
    }
    return n
}

# One lane or several adjacent ones, of which it takes the part [low, high) of a GPU.
function box(from, to, lane, height, low, high, queue, job,    rgb, k)
{
    if (from >= t1)
        return
    if (to > t1)
        to = t1
    if (!(job in number))
        number[job] = jobs++
    k = queues > 1 ? rank[queue] : number[job] % 9 + 1
    if (term) {
        text_box(from, to, lane, height, queues > 1 ? substr("abcdefghij", k, 1) : substr(alphabet, number[job] % 52 + 1, 1), k)
        return
    }
    rgb = shade(colour(k), queues > 1 ? number[job] % 3 : 0)
    printf "%.9f %.9f %.4f %.4f %d\n", (from - t0) / unit_s, (to - t0) / unit_s, lane + low, lane + height - 1 + high, rgb > "boxes"
    boxes++
    if ((to - from) / (t1 - t0) * 800 > 7 * length(job) + 4 && (height - 1 + high - low) * lane_px >= 11)
        printf "%.9f %.4f %d \"%s\"\n", (from + to) / 2 / unit_s - t0 / unit_s, lane + (low + height - 1 + high) / 2,
            is_dark(rgb) ? 16777215 : 0, plain(job) > "texts"
}
function plain(text)
{
    gsub(/["\\]/, "'", text)
    return text
}

# Where in its lane a share fits: above those that are still there. Thousandths.
function share_at(lane, from, to, milli,    k, kept, low, moved)
{
    for (k = 1; k <= held[lane]; k++)
        if (held_end[lane, k] > from) {
            kept++
            held_end[lane, kept] = held_end[lane, k]
            held_low[lane, kept] = held_low[lane, k]
            held_high[lane, kept] = held_high[lane, k]
        }
    held[lane] = kept + 0
    do {
        moved = 0
        for (k = 1; k <= kept; k++)
            if (low < held_high[lane, k] && low + milli > held_low[lane, k]) {
                low = held_high[lane, k]
                moved = 1
            }
    } while (moved)
    if (low + milli > 1000)
        low = 1000 - milli                # no gap is large enough: let them overlap
    k = ++held[lane]
    held_end[lane, k] = to
    held_low[lane, k] = low
    held_high[lane, k] = low + milli
    return low
}

function draw_piece(f,    n, k, words, ends, first, lane, left, low, run)
{
    if (counted[f[3]]) {
        left = f[5]
        for (lane = base[f[3]]; left > 0 && lane < base[f[3]] + gpus[f[3]]; lane++) {
            if (busy[lane] > f[1] + 0) {
                if (run)
                    box(f[1] + 0, f[2] + 0, lane - run, run, 0, f[6] / 1000, f[7], f[8])
                run = 0
                continue
            }
            busy[lane] = f[2] + 0
            run++
            left--
        }
        if (run)
            box(f[1] + 0, f[2] + 0, lane - run, run, 0, f[6] / 1000, f[7], f[8])
        return
    }
    n = split(f[4], words, " ")
    for (k = 1; k <= n; k++) {
        first = words[k]
        left = 1
        if (split(words[k], ends, "-") == 2) {
            first = ends[1]
            left = ends[2] - ends[1] + 1
        }
        lane = base[f[3]] + first
        if (f[6] >= 1000)
            box(f[1] + 0, f[2] + 0, lane, left, 0, 1, f[7], f[8])
        else
            for (; left > 0; left--) {
                low = share_at(lane, f[1] + 0, f[2] + 0, f[6])
                box(f[1] + 0, f[2] + 0, lane++, 1, low / 1000, (low + f[6]) / 1000, f[7], f[8])
            }
    }
}

# ---- On a terminal ----
function text_box(from, to, lane, height, mark, k,    a, b, x, y)
{
    a = (from - t0) / (t1 - t0) * wide
    b = (to - t0) / (t1 - t0) * wide
    for (y = lane; y < lane + height; y++) {
        if (!((y, int(a)) in cell) && int(a) < wide) {    # shorter than a column: shown unless someone is there
            cell[y, int(a)] = mark
            cell_colour[y, int(a)] = k
        }
        for (x = int(a + 0.5); x + 0.5 < b && x < wide; x++) {
            cell[y, x] = mark
            cell_colour[y, x] = k
        }
    }
}
function inked(mark, k)
{
    return ansi ? sprintf("\033[%d;%dm%s\033[0m", k % 2, 31 + (k - 1) % 6, mark) : mark
}
function text_out(title, subtitle,    y, x, line, k, used, text)
{
    print "  " title > "out"
    if (subtitle)
        print "  " subtitle > "out"
    for (k = 1; k <= nodes; k++)
        for (y = base[node[k]]; y < base[node[k]] + gpus[node[k]]; y++) {
            line = sprintf("%12s |", (y == base[node[k]] ? "node " node[k] : "") \
                (counted[node[k]] ? "" : sprintf(" %3d", y - base[node[k]])))
            for (x = 0; x < wide; x++)
                line = line ((y, x) in cell ? inked(cell[y, x], cell_colour[y, x]) : ".")
            print line > "out"
        }
    print pad("", 14) time_scale(t1 - t0, wide) > "out"
    if (queues > 1) {
        for (k = 1; k <= queues && k <= 10; k++) {
            text = "  " substr("abcdefghij", k, 1) " " queue_name(k)
            if (used && used + length(text) > columns - 12) {
                printf "\n" > "legend"
                used = 0
            }
            printf "%s%s", used ? "" : "            ", text > "legend"
            used += length(text)
        }
        printf "\n" > "legend"
    }
}

function queue_name(k)
{
    return k == 10 && queues > 10 ? (queues - 9) " other queues" : order[k] == "" ? "(no queue)" : order[k]
}

BEGIN {
    digits = "0123456789abcdef"
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    getline dir < "dirs"
    getline label < "labels"
    term = format == "term"
    most_boxes = term ? 1000000 : 2000
    wide = columns - 15
    read_nodes()
    survey()
    if (!pieces && !failed)
        fail(dir "/intervals.csv: no interval holds a GPU for any time")
    unit = axis_unit(t1 - t0)
    unit_s = unit_seconds(unit)
    lane_px = lanes <= 16 ? 26 : lanes <= 40 ? 14 : lanes <= 80 ? 9 : lanes <= 140 ? 6 : 3.5
    printf "" > "boxes"
    printf "" > "texts"
    while ((getline row < "pieces") > 0 && ++read <= (cut ? shown : pieces)) {
        split(row, f, "\t")
        draw_piece(f)
    }
    title = label ": GPUs by " (queues > 1 ? "queue" : "job")
    subtitle = cut ? "the first " human(t1 - t0) " of " human(whole) " (" commas(shown) " of " commas(pieces) " holds)" : ""
    if (term) {
        text_out(title, subtitle)
        exit
    }
    for (k = 1; k <= nodes; k++) {
        printf "0 %d\n%.9f %d\n\n", base[node[k]], (t1 - t0) / unit_s, base[node[k]] > "lines"
        if (k == 1 || (base[node[k]] - last) * lane_px >= 13) {
            printf "set ytics add (%s %.1f)\n", quoted_tic("node " node[k]), base[node[k]] + gpus[node[k]] / 2 > "tics.gp"
            last = base[node[k]]
        }
    }
    bands = queues <= 1 ? 0 : queues < 10 ? queues : 10
    for (k = 1; k <= bands; k++)
        printf "queue%d = %s\nqueue_colour%d = %d\n", k, quoted(queue_name(k)), k, colour_number(k) > "facts.gp"
    printf "title_text = %s\nend = %.9f\nunit = '%s'\nlanes = %d\nlane_px = %.1f\nbands = %d\nboxes = %d\n",
        quoted(title (subtitle ? "; " subtitle : "")), (t1 - t0) / unit_s, unit, lanes, lane_px,
        bands, boxes > "facts.gp"
    print "view = 'lanes'" > "facts.gp"
}
