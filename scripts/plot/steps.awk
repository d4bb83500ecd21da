# steps.awk - step functions of time, thinned out so that a run of any length makes a plot of a few hundred steps.
#
# steps_begin(t0, t1, width): width 0 keeps every change; else [t0, t1] is cut into steps of that width, each with the mean
# over it, so that areas stay right. Then steps_set(key, time, value) in order of time per key; a value holds until the next.
# steps_end(file) writes "time key-number value" for every change, by time; steps_key[1..steps_keys] are the keys
# and steps_integral[key] is the value x seconds. Times are relative to t0.

function steps_begin(t0, t1, width)
{
    steps_t0 = t0
    steps_span = t1 - t0
    steps_width = width
    steps_n = width > 0 ? int(steps_span / width) : 0
    if (width > 0 && steps_n * width < steps_span * (1 - 1e-12))
        steps_n++                   # the last one is shorter
    steps_keys = steps_out = 0
    split("", steps_key)
    split("", steps_number)
    split("", steps_integral)
    split("", steps_sum)
    split("", steps_since)
    split("", steps_value)
    split("", steps_row)
}

function steps_set(key, time, value,    t)
{
    t = time - steps_t0
    if (!(key in steps_number)) {
        steps_key[++steps_keys] = key
        steps_number[key] = steps_keys
        steps_integral[key] = 0
    } else
        steps_fill(key, steps_since[key], t, steps_value[key])
    steps_since[key] = t
    steps_value[key] = value
    if (!steps_n)
        steps_row[++steps_out] = sprintf("%.9f %d %.9g", t, steps_number[key], value)
}

function steps_fill(key, from, to, value,    a, b, k)
{
    if (to <= from || value == 0)
        return
    steps_integral[key] += value * (to - from)
    if (!steps_n)
        return
    a = int(from / steps_width)
    b = int(to / steps_width)
    if (a == b) {
        steps_sum[a, key] += value * (to - from)
        return
    }
    steps_sum[a, key] += value * ((a + 1) * steps_width - from)
    for (k = a + 1; k < b; k++)
        steps_sum[k, key] += value * steps_width
    steps_sum[b, key] += value * (to - b * steps_width)
}

function steps_end(file,    i, k, key, mean, before, width)
{
    for (i = 1; i <= steps_keys; i++)
        steps_fill(steps_key[i], steps_since[steps_key[i]], steps_span, steps_value[steps_key[i]])
    printf "" > file
    for (i = 1; i <= steps_out; i++)
        print steps_row[i] > file
    for (k = 0; k < steps_n; k++) {
        width = k + 1 < steps_n ? steps_width : steps_span - k * steps_width
        for (i = 1; i <= steps_keys; i++) {
            key = steps_key[i]
            mean = (k, key) in steps_sum ? steps_sum[k, key] / width : 0
            if (k == 0 || mean != before[i])
                printf "%.9f %d %.9g\n", k * steps_width, i, mean > file
            before[i] = mean
        }
    }
    close(file)
}

# What the runs on one time axis have in common. Sets runs, label[], dir[], t0 (the earliest start of all), t1[] and
# t1_all (their ends), unit, unit_s, and rows, the length of the longest file.
function steps_runs(    text, f, i)
{
    while ((getline text < "labels") > 0) {
        i = ++runs
        label[i] = text
        getline dir[i] < "dirs"
        getline text < ("rows." i)
        if (text + 0 > rows)
            rows = text + 0
        csv_open("edges." i, "time_s", dir[i] "/timeseries.csv")
        csv_next("edges." i, f)
        if (i == 1 || f[at["time_s"]] + 0 < t0)
            t0 = f[at["time_s"]] + 0
        csv_next("edges." i, f)
        t1[i] = f[at["time_s"]] + 0
        if (i == 1 || t1[i] > t1_all)
            t1_all = t1[i]
    }
    for (i = 1; i <= runs; i++)
        if (t1[i] <= t0)
            t1[i] = t0 + 1              # a run of no length: anything above zero will do
    if (t1_all <= t0)
        t1_all = t0 + 1
    unit = axis_unit(t1_all - t0)
    unit_s = unit_seconds(unit)
}
