# compare.awk - utilisation, mean wait and mean completion time of each run, from summary.csv, scope all. Writes bars.M
# (value, row) for each metric M and facts.gp; on a terminal the text `out` itself.

BEGIN {
    split("util_alloc wait_mean_s jct_mean_s", metric, " ")
    title[1] = "GPU time allocated"
    title[2] = "mean time in the queue"
    title[3] = "mean job completion time"
    while ((getline text < "labels") > 0) {
        text = label[++runs] = format == "term" ? clean(text, int(columns / 2)) : text
        getline dir < "dirs"
        csv_open(dir "/summary.csv", "metric scope value unit")
        while (csv_next(dir "/summary.csv", f))
            for (m = 1; m <= 3; m++)
                if (f[at["metric"]] == metric[m] && f[at["scope"]] == "all" && f[at["value"]] != "") {
                    value[m, runs] = f[at["value"]] * (f[at["unit"]] ~ /^(%|percent)$/ ? 0.01 : 1)
                    found++
                    if (value[m, runs] > most[m])
                        most[m] = value[m, runs]
                }
        if (length(text) > longest)
            longest = length(text)
    }
    if (!found && !failed)
        fail(dir "/summary.csv: none of util_alloc, wait_mean_s, jct_mean_s with scope all")
    most[1] = most[1] > 1 ? most[1] : 1
    for (m = 1; m <= 3; m++) {
        unit[m] = m == 1 ? "%" : axis_unit(most[m])
        scale[m] = m == 1 ? 0.01 : unit_seconds(unit[m])
        if (format == "term") {
            print (m > 1 ? "\n" : "") "  " title[m] > "out"
            room = columns - longest - 16
            if (room < 10)
                room = 10
        }
        for (i = 1; i <= runs; i++) {
            known = (m, i) in value
            text = !known ? "no value" : m == 1 ? sprintf("%.1f %%", value[m, i] * 100) : human(value[m, i])
            if (format == "term") {
                n = known && most[m] > 0 ? int(value[m, i] / most[m] * room + 0.5) : 0
                for (bar = ""; length(bar) < n; ) bar = bar "#"
                if (ansi)
                    bar = "\033[" (31 + (i - 1) % 6) "m" bar "\033[0m"
                printf "  %s |%s %s\n", pad(label[i], longest), bar, text > "out"
            } else
                printf "%.9g %d %s\n", value[m, i] / scale[m], i, "\"" text "\"" > ("bars." m)
        }
        printf "title%d = %s\nunit%d = '%s'\nmost%d = %.9g\n", m, quoted(title[m]), m, unit[m], m, most[m] / scale[m] > "facts.gp"
    }
    for (i = 1; i <= runs; i++)
        printf "label%d = %s\n", i, quoted(label[i]) > "facts.gp"
    printf "n = %d\nlongest = %d\n", runs, longest > "facts.gp"
}
