# quota.awk - each queue's allocation against its deserved quota and its fair share, one panel a queue. Writes queue.K (time,
# GPUs held within the quota, held, asked for, fair share) for panel K and facts.gp; on a terminal the text `out` itself.
#
# Queues stand in the order of summary.csv, which has those with jobs, and those above them, by the cluster file. Of more
# than fifteen those with the most demand are shown.

function read_summary(    f, q)
{
    csv_open(dir[1] "/summary.csv", "metric scope value")
    while (csv_next(dir[1] "/summary.csv", f))
        if (substr(f[at["scope"]], 1, 6) == "queue=") {
            q = substr(f[at["scope"]], 7)
            if (!((q, "known") in value))
                order[++queues] = q
            value[q, "known"] = 1
            value[q, f[at["metric"]]] = f[at["value"]]
        }
}

function choose(    f, q, k, n, by_demand, last, now)
{
    csv_open(dir[1] "/queues.csv", "time_s queue gpus_allocated gpus_deserved gpus_demand gpus_fair_share")
    while (csv_next(dir[1] "/queues.csv", f)) {
        q = f[at["queue"]]
        now = f[at["time_s"]] - t0
        asked[q] += demand[q] * (now - last[q])
        demand[q] = f[at["gpus_demand"]]
        last[q] = now
        deserved[q] = f[at["gpus_deserved"]]
    }
    for (k = 1; k <= queues; k++)
        by_demand[k] = order[k]
    sort_down(by_demand, queues, asked)
    for (k = 1; k <= queues && k <= 15; k++)
        shown[by_demand[k]] = 1
    for (k = 1; k <= queues; k++)
        if (order[k] in shown)
            panel[++panels] = order[k]
    for (k = 1; k <= panels; k++)
        number[panel[k]] = k
}

function read_queues(    f, q, held)
{
    steps_begin(t0, t1[1], width)
    csv_open(dir[1] "/queues.csv", "time_s")
    while (csv_next(dir[1] "/queues.csv", f)) {
        q = f[at["queue"]]
        if (!(q in shown))
            continue
        held = f[at["gpus_allocated"]] + 0
        put(q, "within", f[at["time_s"]], deserved[q] != "" && held > deserved[q] + 0 ? deserved[q] + 0 : held)
        put(q, "held", f[at["time_s"]], held)
        put(q, "asked", f[at["time_s"]], f[at["gpus_demand"]])
        if (f[at["gpus_fair_share"]] != "") {
            put(q, "fair", f[at["time_s"]], f[at["gpus_fair_share"]])
            fair[q] = 1
        }
    }
    steps_end("steps")
}
function put(q, what, time, gpus)
{
    if ((q, what) in now && now[q, what] == gpus)
        return
    now[q, what] = gpus
    steps_set(q SUBSEP what, time, gpus)
}

# A row whenever one of a queue's four changes.
function write_panels(    row, f, c, k, q, time)
{
    for (k = 1; k <= panels; k++) {
        most[panel[k]] = deserved[panel[k]] + 0
        printf "" > ("queue." k)
    }
    while ((getline row < "steps") > 0) {
        split(row, f, " ")
        split(steps_key[f[2]], c, SUBSEP)
        q = c[1]
        if ((q in time) && time[q] != f[1])
            write_row(q, time[q])
        time[q] = f[1]
        level[q, c[2]] = f[3]
        if ((c[2] == "held" || c[2] == "fair") && f[3] > most[q])
            most[q] = f[3] + 0
    }
    for (k = 1; k <= panels; k++) {
        if (panel[k] in time)
            write_row(panel[k], time[panel[k]])
        write_row(panel[k], t1[1] - t0)
    }
}
function write_row(q, time)
{
    printf "%.9f %.9g %.9g %.9g %s\n", time / unit_s, level[q, "within"], level[q, "held"], level[q, "asked"],
        (q in fair) ? sprintf("%.9g", level[q, "fair"]) : "NaN" > ("queue." number[q])
}

function nearly(share)    # all but a little is not all
{
    return share > 0.99 && share < 0.99995 ? sprintf("%.2f %%", share * 100) : percent(share)
}

function title_of(q,    text)
{
    text = clean(q == "" ? "(no queue)" : q, panels > 8 && format != "term" ? 18 : 28)
    if (deserved[q] == "")
        return text ": no quota"
    if (deserved[q] + 0 == 0)
        return text ": no quota of its own"
    text = text ": quota " sprintf("%.6g", deserved[q])
    return text (value[q, "quota_satisfaction"] == "" ? "" : ", " nearly(value[q, "quota_satisfaction"]) " satisfied")
}

# On a terminal: six rows of cells, and the quota as a row of its own colour.
function write_text(    k, q, row, f, x, next_x, wide, y, line, high, cell, c)
{
    wide = columns - 10
    for (k = 1; k <= panels; k++) {
        q = panel[k]
        high = most[q] > 0 ? most[q] : 1
        split("", cell)
        x = 0
        c[2] = c[3] = c[4] = 0
        while ((getline row < ("queue." k)) > 0) {
            split(row, f, " ")
            next_x = int(f[1] * unit_s / width + 0.5)
            for (; x < next_x && x < wide; x++)
                for (y = 1; y <= 6; y++)
                    cell[x, y] = mark(c, (y - 0.5) * high / 6, q, high, y)
            for (y = 2; y <= 4; y++)
                c[y] = f[y] + 0
        }
        print (k > 1 ? "\n" : "") "  " title_of(q) > "out"
        for (y = 6; y >= 1; y--) {
            line = ""
            for (x = 0; x < wide; x++)
                line = line ((x, y) in cell ? cell[x, y] : " ")
            printf "%s %s\n", pad(y == 6 ? sprintf("%.4g", high) : y == 1 ? "0" : "", -7) " |", line > "out"
        }
    }
    print "\n" pad("", 9) time_scale(t1[1] - t0, wide) > "out"
    print "  # held within the quota   + held beyond it" (columns < 74 ? "\n" : " ") "  . asked for   - the quota" > "out"
    if (queues > panels)
        print "  " queues - panels " more queues with less demand are not shown" > "out"
}
function mark(c, gpus, q, high, y)
{
    if (c[2] >= gpus) return "#"
    if (c[3] >= gpus) return "+"
    if (deserved[q] != "" && deserved[q] > (y - 1) * high / 6 && deserved[q] <= y * high / 6) return "-"
    return c[4] >= gpus ? "." : " "
}

BEGIN {
    steps_runs()
    read_summary()
    choose()
    if (!panels && !failed)
        fail(dir[1] "/queues.csv: no queue with jobs")
    across = panels <= 3 ? 1 : panels <= 8 ? 2 : 3
    width = format == "term" ? (t1_all - t0) / (columns - 10) : rows > 600 ? (t1_all - t0) / (720 / across) : 0
    read_queues()
    write_panels()
    for (k = 1; k <= panels; k++) {
        q = panel[k]
        printf "title%d = %s\ndeserved%d = %s\nmost%d = %.9g\nfair%d = %d\n", k, quoted(title_of(q)), k,
            deserved[q] == "" ? "NaN" : sprintf("%.9g", deserved[q]), k, most[q], k, (q in fair) > "facts.gp"
        any_fair = any_fair || (q in fair)
        any_quota = any_quota || deserved[q] != ""
        close("queue." k)
    }
    heading = label[1] (queues > panels ? "; the " panels " queues with the most demand, of " queues : "")
    printf "n = %d\nacross = %d\nend = %.9f\nunit = '%s'\nmean_over = '%s'\nany_fair = %d\nany_quota = %d\nheading = %s\n", panels, across,
        (t1[1] - t0) / unit_s, unit, width ? human(width) : "", any_fair, any_quota, quoted(heading) > "facts.gp"
    if (format == "term")
        write_text()
}
