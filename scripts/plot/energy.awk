# energy.awk - power.I (time, kW) of each run, thinned by steps.awk, and facts.gp, with what summary.csv says of the energy.

function read_summary(i,    f)
{
    csv_open(dir[i] "/summary.csv", "metric scope value")
    while (csv_next(dir[i] "/summary.csv", f))
        if (f[at["scope"]] == "all")
            value[i, f[at["metric"]]] = f[at["value"]]
}

function read_power(i,    f, row, c)
{
    steps_begin(t0, t1[i], width)
    csv_open(dir[i] "/timeseries.csv", "time_s")
    if (!("power_w" in at))
        fail(dir[i] "/timeseries.csv: no column power_w: the cluster file had no section power")
    while (csv_next(dir[i] "/timeseries.csv", f))
        if (f[at["power_w"]] != "")
            steps_set("power", f[at["time_s"]], f[at["power_w"]] / 1000)
    steps_end("steps")
    while ((getline row < "steps") > 0) {
        split(row, c, " ")
        printf "%.9f %s\n", c[1] / unit_s, c[3] > ("power." i)
        if (c[3] + 0 > most)
            most = c[3] + 0
    }
    close("steps")
    printf "%.9f %s\n", (t1[i] - t0) / unit_s, c[3] > ("power." i)
}

function short(x)    { return x < 100 ? sprintf("%.3g", x) : commas(x) }

BEGIN {
    steps_runs()
    width = format == "term" ? (t1_all - t0) / (columns - 10) : rows > 6000 ? (t1_all - t0) / 800 : 0
    for (i = 1; i <= runs; i++) {
        read_summary(i)
        read_power(i)
        text = short(value[i, "energy_kwh"]) " kWh"
        if (value[i, "power_peak_w"] != "")
            text = text ", at most " short(value[i, "power_peak_w"] / 1000) " kW"
        if (value[i, "carbon_kg"] > 0)
            text = text ", " short(value[i, "carbon_kg"]) " kg CO2"
        print "title" i " = " quoted((format == "term" ? clean(label[i], columns - 18 - length(text)) : label[i]) ": " text) > "facts.gp"
    }
    printf "n = %d\nend = %.9f\nunit = '%s'\nmean_over = '%s'\nmost = %.9g\n", runs, (t1_all - t0) / unit_s, unit,
        width ? human(width) : "", most > "facts.gp"
}
