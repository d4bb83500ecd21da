# utilisation.awk - GPUs over time in bands (bands.awk): stack.I (time, then the bands' cumulative sums from the bottom), capacity.I
# (time, total, up, making progress) and facts.gp. Where less make progress than are allocated (start-up, saving, incomplete
# gangs) a line shows it. Bands that are not parts of all GPUs are `bare`: without these lines. On a terminal: cells, a letter for each column and row of panel I.

function read_capacity(i,    f, now, time, up)
{
    steps_begin(t0, t1[i], width)
    csv_open(dir[i] "/timeseries.csv", "time_s gpus_total gpus_up gpus_busy")
    while (csv_next(dir[i] "/timeseries.csv", f)) {
        now = f[at["gpus_total"]] " " f[at["gpus_up"]]
        if (now == up) {
            steps_set("busy", f[at["time_s"]], f[at["gpus_busy"]])
            continue
        }
        up = now
        steps_set("total", f[at["time_s"]], f[at["gpus_total"]])
        steps_set("up", f[at["time_s"]], f[at["gpus_up"]])
        steps_set("busy", f[at["time_s"]], f[at["gpus_busy"]])
        if (f[at["gpus_total"]] + 0 > most[i])
            most[i] = f[at["gpus_total"]] + 0
        if (f[at["gpus_up"]] + 0 != f[at["gpus_total"]] + 0)
            down = 1
    }
    steps_end("capacity_steps." i)
    if (steps_integral["busy"] < 0.98 * allocated[i])
        idle = by == "queue" || by == "class"
    if (allocated[i] > 0)
        together[i] /= allocated[i]
    if (steps_integral["up"] > 0) {
        allocated[i] /= steps_integral["up"]
        busy[i] = steps_integral["busy"] / steps_integral["up"]
    }
}

function write_sums(file, time, held, keys,    k, sum, line)
{
    line = sprintf("%.9f", time / unit_s)
    for (k = 1; k <= keys; k++) {
        sum += held[k] > 1e-6 ? held[k] : 0
        line = line sprintf(" %.9g", sum)
    }
    if (sum > highest)
        highest = sum
    print line > file
}

function write_stack(i,    row, f, k, held, value, time)
{
    while ((getline row < ("band_steps." i)) > 0) {
        split(row, f, " ")
        if (time != "" && f[1] != time)
            write_sums("stack." i, time, held, bands)
        time = f[1]
        k = rank[number[i, f[2]]]
        held[k] += f[3] - value[f[2]]
        value[f[2]] = f[3]
    }
    write_sums("stack." i, time, held, bands)
    write_sums("stack." i, t1[i] - t0, held, bands)
}

function write_capacity(i,    row, f, c, time)
{
    while ((getline row < ("capacity_steps." i)) > 0) {
        split(row, f, " ")
        if (time != "" && f[1] != time)
            printf "%.9f %s %s %s\n", time / unit_s, c[1], c[2], c[3] > ("capacity." i)
        time = f[1]
        c[f[2]] = f[3]
    }
    printf "%.9f %s %s %s\n", time / unit_s, c[1], c[2], c[3] > ("capacity." i)
    printf "%.9f %s %s %s\n", (t1[i] - t0) / unit_s, c[1], c[2], c[3] > ("capacity." i)
}

# For a terminal: the letters of the panel, at the middle of each character cell.
function write_cells(i, rows,    row, f, k, x, next_x, high)
{
    printf "" > ("cells." i)
    while ((getline row < ("stack." i)) > 0) {
        split(row, f, " ")
        next_x = int(f[1] * unit_s / width + 0.5)
        for (; high != "" && x < next_x; x++)       # until a change the last row goes on
            write_column("cells." i, x, high, rows)
        x = next_x
        high = row
    }
}
function write_column(file, x, row, rows,    f, y, k)
{
    split(row, f, " ")
    for (y = 0.5; y < rows; y++) {
        for (k = 1; k <= bands && f[k + 1] <= y * most_all / rows; k++) ;
        if (k <= bands)
            print x + 0.5, y, letter(k), colour_number(k) > file
    }
}
function letter(k)    { return substr("abcdefghij", k, 1) }

# Queues and their letters, as many on a line as there is room.
function write_legend(    k, text, used)
{
    for (k = 1; k <= bands; k++) {
        text = "  " letter(k) " " name[k]
        if (used && used + length(text) > columns - 8) {
            printf "\n" > "legend"
            used = 0
        }
        printf "%s%s", used ? "" : "      ", text > "legend"
        used += length(text)
    }
    printf "\n" > "legend"
}

function title_of(i)
{
    if (by == "free")
        return label[i] ": " percent(allocated[i]) " of the GPU time free, " percent(together[i]) " of that 8 or more together"
    return label[i] ": " percent(allocated[i]) " of the GPU time allocated" \
        (idle || by == "state" ? ", " percent(busy[i]) " making progress" : "")
}

BEGIN {
    steps_runs()
    # Steps on a terminal are as wide as a character.
    width = format == "term" ? (t1_all - t0) / (columns - 10) : rows > 1200 ? (t1_all - t0) / 500 : 0
    panel_rows = runs == 1 ? lines - 8 : 8
    bare = by == "free" || by == "sessions"
    levels = by == "free" ? "free GPUs" : by == "sessions" ? "sessions" : "GPUs"
    for (i = 1; i <= runs; i++) {
        read_bands(i)
        read_capacity(i)
    }
    rank_bands()
    for (k = 1; k <= bands; k++)
        printf "queue%d = %s\nqueue_colour%d = %d\n", k, quoted(name[k]), k, hue[k] > "facts.gp"
    for (i = 1; i <= runs; i++) {
        highest = 0
        write_stack(i)
        close("stack." i)
        if (bare)
            most[i] = highest > 1 ? int(highest + 0.999) : 1
        if (most[i] > most_all)
            most_all = most[i]
        print "most" i " = " most[i] > "facts.gp"
    }
    for (i = 1; i <= runs; i++) {
        write_capacity(i)
        if (format == "term")
            write_cells(i, panel_rows)
        print "panel" i " = " quoted(title_of(i)) > "facts.gp"
    }
    if (format == "term")
        write_legend()
    printf "n = %d\nbands = %d\nlongest = %d\nmost = %.9g\nend = %.9f\nunit = '%s'\nunit_s = %d\ndown = %d\nidle = %d\nbare = %d\nlevels = '%s'\nmean_over = '%s'\npanel_rows = %d\n",
        runs, bands, longest_of(name, bands), most_all, (t1_all - t0) / unit_s, unit, unit_s, down && by != "state" && !bare, idle, bare, levels,
        width ? human(width) : "", panel_rows > "facts.gp"
}
