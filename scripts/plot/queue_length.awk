# queue_length.awk - jobs.I and gpus.I (time, how many wait) of each run, thinned by steps.awk, and facts.gp.

function read_waiting(i, column, file,    f, row, c, time, value)
{
    steps_begin(t0, t1[i], width)
    csv_open(dir[i] "/timeseries.csv", "time_s " column)
    while (csv_next(dir[i] "/timeseries.csv", f))
        if (f[at[column]] != value) {
            value = f[at[column]]
            steps_set(column, f[at["time_s"]], value)
        }
    steps_end("steps")
    while ((getline row < "steps") > 0) {
        split(row, c, " ")
        printf "%.9f %s\n", c[1] / unit_s, c[3] > (file "." i)
        if (c[3] + 0 > most[file])
            most[file] = c[3] + 0
    }
    close("steps")
    printf "%.9f %s\n", (t1[i] - t0) / unit_s, c[3] > (file "." i)
    mean[file, i] = steps_integral[column] / (t1[i] - t0)
}

function short(x)    { return x < 100 ? sprintf("%.3g", x) : commas(x) }

BEGIN {
    steps_runs()
    width = format == "term" ? (t1_all - t0) / (columns - 10) : rows > 6000 ? (t1_all - t0) / 800 : 0
    for (i = 1; i <= runs; i++) {
        read_waiting(i, "jobs_waiting", "jobs")
        read_waiting(i, "gpus_waiting", "gpus")
        printf "title%d = %s\njobs_mean%d = '%s'\ngpus_mean%d = '%s'\n", i, quoted(format == "term" ? clean(label[i], columns - 45) : label[i]), i, short(mean["jobs", i]), i,
            short(mean["gpus", i]) > "facts.gp"
    }
    printf "n = %d\nend = %.9f\nunit = '%s'\nmean_over = '%s'\njobs_most = %.9g\ngpus_most = %.9g\n", runs,
        (t1_all - t0) / unit_s, unit, width ? human(width) : "", most["jobs"], most["gpus"] > "facts.gp"
}
