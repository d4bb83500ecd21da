# bands.awk - what utilisation.awk stacks, `by` queue, class, state (what becomes of all GPUs), free (how many of those that are
# free are free together), or sessions (what these do, not GPUs). The nine queues or classes with most GPU time over all runs have colours of their own, the others
# are one. Sets name[] and hue[] 1 .. bands, from the bottom, and rank[key] of number[run, step key].

# Queues without jobs are left out: they are inner nodes of the queue tree, and repeat what their children hold.
function read_queues(i,    f, has_jobs)
{
    csv_open(dir[i] "/jobs.csv", "queue")
    while (csv_next(dir[i] "/jobs.csv", f))
        has_jobs[f[at["queue"]]] = 1
    csv_open(dir[i] "/queues.csv", "time_s queue gpus_allocated")
    while (csv_next(dir[i] "/queues.csv", f))
        if (f[at["queue"]] in has_jobs)
            steps_set(f[at["queue"]], f[at["time_s"]], f[at["gpus_allocated"]])
    if (!steps_keys) {              # no queues in the file: the sum has to do
        csv_open(dir[i] "/timeseries.csv", "time_s gpus_allocated")
        while (csv_next(dir[i] "/timeseries.csv", f))
            steps_set("all queues", f[at["time_s"]], f[at["gpus_allocated"]])
    }
}

# held.I, in order of time: time, band, GPUs more or less.
function read_held(i,    row, f, held)
{
    while ((getline row < ("held." i)) > 0) {
        split(row, f, "\t")
        held[f[2]] += f[3]
        steps_set(f[2], f[1], held[f[2]] > 1e-9 ? held[f[2]] : 0)
    }
}

# Fixed bands, from the bottom.
function read_states(i,    f, k, wait, value)
{
    csv_open(dir[i] "/timeseries.csv", "time_s gpus_total gpus_up gpus_allocated gpus_busy jobs_waiting")
    while (csv_next(dir[i] "/timeseries.csv", f)) {
        wait = f[at["jobs_waiting"]] > 0
        value[1] = f[at["gpus_busy"]]
        value[2] = f[at["gpus_allocated"]] - f[at["gpus_busy"]]
        value[3] = wait ? f[at["gpus_up"]] - f[at["gpus_allocated"]] : 0
        value[4] = wait ? 0 : f[at["gpus_up"]] - f[at["gpus_allocated"]]
        value[5] = f[at["gpus_total"]] - f[at["gpus_up"]]
        for (k = 1; k <= 5; k++)
            if (value[k] > 0 || (k in steps_number))
                steps_set(k, f[at["time_s"]], value[k] > 1e-9 ? value[k] : 0)
    }
}

function read_sessions(i,    f, k, column, n)
{
    n = split("sessions_active sessions_idle sessions_starting sessions_queued sessions_released", column, " ")
    csv_open(dir[i] "/timeseries.csv", "time_s sessions_active sessions_idle sessions_starting sessions_queued sessions_released")
    while (csv_next(dir[i] "/timeseries.csv", f))
        for (k = 1; k <= n; k++)
            if (f[at[column[k]]] != steps_value[k])
                steps_set(k, f[at["time_s"]], f[at[column[k]]])
}

function read_bands(i,    k, key)
{
    steps_begin(t0, t1[i], width)
    if (by == "class" || by == "free")
        read_held(i)
    else if (by == "state")
        read_states(i)
    else if (by == "sessions")
        read_sessions(i)
    else
        read_queues(i)
    steps_end("band_steps." i)
    for (k = 1; k <= steps_keys; k++) {
        key = steps_key[k]
        number[i, k] = key
        if (!(key in gpu_s))
            order[++keys] = key
        gpu_s[key] += steps_integral[key]
        if (by != "state" || key <= 2)
            allocated[i] += steps_integral[key]
        if (by == "free" && key == 5)
            together[i] = steps_integral[key]
    }
}

function fixed_bands(keys_and_names, shades,    pair, one, shade, k, n)
{
    split(shades, shade, " ")
    n = split(keys_and_names, pair, "|")
    for (k = 1; k <= n; k++) {
        split(pair[k], one, "=")
        if (gpu_s[one[1]] > 0) {
            rank[one[1]] = ++bands
            name[bands] = one[2]
            hue[bands] = rgb_number(shade[k])
        }
    }
}

# The bands from the bottom, and their names and colours.
function rank_bands(    k)
{
    if (by == "state")
        fixed_bands("1=making progress|2=held without progress|3=free while jobs wait|4=free, nobody waits|5=out of service", \
            "009e73 e69f00 d55e00 d9d9d9 595959")
    else if (by == "free")
        fixed_bands("1=parts of shared GPUs|2=the only one|3=2 or 3 together|4=4 to 7 together|5=8 or more together", \
            "cc79a7 d55e00 e69f00 56b4e9 cccccc")
    else if (by == "sessions")
        fixed_bands("1=active|2=idle, hold GPUs|3=starting up|4=wait for GPUs|5=gave GPUs back", "009e73 e69f00 56b4e9 d55e00 d9d9d9")
    else
        largest_bands()
}

function largest_bands(    k)
{
    sort_down(order, keys, gpu_s)
    bands = keys > 10 ? 10 : keys
    for (k = 1; k <= keys; k++)
        rank[order[k]] = k <= 10 ? k : 10
    for (k = 1; k <= bands; k++) {
        name[k] = keys > 10 && k == 10 ? (keys - 9) " other " (by == "class" ? "classes" : "queues") : \
            order[k] == "" ? "(no " by ")" : clean(order[k])
        hue[k] = colour_number(k)
    }
}
