# fragmentation.awk - from `sorted` (frees.awk, by time, what is left first): how many GPUs are free, by how many are free
# together on their node. Prints time, band, GPUs more or less, with tabs between, as utilisation.awk reads them.
#
# What is free of a GPU that others share is a band of its own. GPUs out of service count as free. GPUs of counted nodes have no
# names: they are taken whole.

function band(free)    { return free >= 8 ? 5 : free >= 4 ? 4 : free >= 2 ? 3 : 2 }

# What a node adds to the bands, with the sign.
function count(n, sign,    b)
{
    if (free[n] > 0) {
        b = band(free[n])
        level[b] += sign * free[n]
    }
    level[1] += sign * parts[n]
}

function use_gpu(n, id, milli,    before, now)
{
    before = used[n, id] + 0
    now = before + milli
    used[n, id] = now
    free[n] += (now == 0) - (before == 0)
    parts[n] += (now > 0 && now < 1000 ? (1000 - now) / 1000 : 0) - (before > 0 && before < 1000 ? (1000 - before) / 1000 : 0)
}

function use(n, sign, ids, gpus, milli,    list, k, ends, id)
{
    if (ids == "") {
        free[n] -= sign * gpus
        return
    }
    for (k = split(ids, list, " "); k >= 1; k--) {
        split(list[k] "-" list[k], ends, "-")
        for (id = ends[1]; id <= ends[2] + 0; id++)
            use_gpu(n, id + 0, sign * milli)
    }
}

function tell(time,    b)
{
    for (b = 1; b <= 5; b++)
        if (level[b] - told[b] > 1e-9 || told[b] - level[b] > 1e-9) {
            printf "%s\t%s\t%.9g\n", time, b, level[b] - told[b]
            told[b] = level[b]
        }
}

BEGIN {
    getline dir < "file"
    csv_open(dir "/nodes.csv", "node gpus")
    while (csv_next(dir "/nodes.csv", f)) {
        free[f[at["node"]]] = f[at["gpus"]] + 0
        count(f[at["node"]], 1)
    }
    while ((getline row < "sorted") > 0) {
        split(row, f, "\t")
        if (time == "" || f[1] != time) {
            tell(time == "" ? f[1] : time)
            time = f[1]
        }
        count(f[3], -1)
        use(f[3], f[2], f[4], f[5], f[6])
        count(f[3], 1)
    }
    if (time != "")
        tell(time)
}
