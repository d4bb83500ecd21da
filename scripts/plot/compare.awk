# compare.awk - metrics of runs side by side, from summary.csv, scope all: a bar for each run, or the mean over a group of runs
# that differ in the seed, with its 95 % confidence interval (Student's t). Writes bars.M (mean, row, text, half width) for each of
# `metrics` and facts.gp; on a terminal the text `out` itself.

function read_runs(    text, f, m, run)
{
    while ((getline text < "groups") > 0) {
        split(text, f, "\t")
        g = f[1]
        label[g] = format == "term" ? clean(f[2], int(columns / 2)) : f[2]
        groups = g > groups ? g + 0 : groups
        size[g]++
        getline dir < "dirs"
        csv_open(dir "/summary.csv", "metric scope value unit")
        while (csv_next(dir "/summary.csv", f))
            for (m = 1; m <= shown; m++)
                if (f[at["metric"]] == metric_of(metric[m]) && f[at["scope"]] == scope_of(metric[m]) && f[at["value"]] != "") {
                    n[m, g]++
                    value[m, g, n[m, g]] = f[at["value"]] + 0
                    sum[m, g] += f[at["value"]]
                    unit[m] = f[at["unit"]]
                    found[m] = 1
                }
    }
    for (m = 1; m <= shown; m++)
        if (!found[m] && !failed)
            fail("summary.csv: no run has a value of " metric_of(metric[m]) " with scope " scope_of(metric[m]))
}

function estimate(m, g,    k, mean, squares)
{
    mean = sum[m, g] / n[m, g]
    for (k = 1; k <= n[m, g]; k++)
        squares += (value[m, g, k] - mean) ^ 2
    half[m, g] = n[m, g] > 1 ? t_quantile(n[m, g] - 1) * sqrt(squares / (n[m, g] - 1) / n[m, g]) : 0
    sum[m, g] = mean
    if (mean + half[m, g] > most[m])
        most[m] = mean + half[m, g]
    if (mean < least[m])
        least[m] = mean
}

function say(m, g,    plus, times)
{
    plus = half[m, g] > 0
    if (unit[m] == "%")
        return sprintf("%.1f", sum[m, g] * 100) (plus ? sprintf(" ± %.1f", half[m, g] * 100) : "") " %"
    if (times_of[m]) {
        if (!plus)
            return human(sum[m, g])
        times = axis_unit(sum[m, g] / 2)
        return short(sum[m, g] / unit_seconds(times), 3) " ± " short(half[m, g] / unit_seconds(times), 2) " " times
    }
    return short(sum[m, g], 4) (plus ? " ± " short(half[m, g], 2) : "") (unit[m] == "" ? "" : " " unit[m])
}

BEGIN {
    shown = split(metrics, metric, ",")
    read_runs()
    for (g = 1; g <= groups; g++) {
        many = many || size[g] > 1
        if (size[g] > 1)
            label[g] = label[g] " (" size[g] " runs)"
    }
    longest = longest_of(label, groups)
    for (m = 1; m <= shown; m++) {
        for (g = 1; g <= groups; g++)
            if (n[m, g])
                estimate(m, g)
        times_of[m] = unit[m] == "s"
        if (is_share(metric[m]))
            unit[m] = "%"
        axis = unit[m] == "%" ? "%" : times_of[m] ? axis_unit(most[m]) : unit[m] == "" ? " " : unit[m]
        scale = unit[m] == "%" ? 0.01 : times_of[m] ? unit_seconds(axis) : 1
        if (format == "term") {
            print (m > 1 ? "\n" : "") "  " title_of(metric[m]) > "out"
            room = columns - longest - (many ? 24 : 16)
            if (room < 10)
                room = 10
        }
        for (g = 1; g <= groups; g++) {
            known = n[m, g] > 0
            text = known ? say(m, g) : "no value"
            if (format == "term") {
                count = known && most[m] > 0 && sum[m, g] > 0 ? int(sum[m, g] / most[m] * room + 0.5) : 0
                for (bar = ""; length(bar) < count; ) bar = bar "#"
                if (ansi)
                    bar = "\033[" (31 + (g - 1) % 6) "m" bar "\033[0m"
                printf "  %s |%s %s\n", pad(label[g], longest), bar, text > "out"
            } else
                printf "%.9g %d \"%s\" %.9g\n", known ? sum[m, g] / scale : 0, g, text, half[m, g] / scale > ("bars." m)
        }
        printf "title%d = %s\nunit%d = %s\nmost%d = %.9g\nleast%d = %.9g\n", m, quoted(title_of(metric[m])), m, quoted(axis), m,
            most[m] / scale, m, least[m] / scale > "facts.gp"
    }
    if (many && format == "term")
        print "\n  mean over the runs of each, and the 95 % confidence interval of it" > "out"
    for (g = 1; g <= groups; g++)
        printf "label%d = %s\n", g, quoted_tic(label[g]) > "facts.gp"
    printf "n = %d\npanels = %d\nmany = %d\nlongest = %d\n", groups, shown, many, longest > "facts.gp"
}
