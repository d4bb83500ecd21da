# sweep.awk - metrics of sweep.csv over one of its parameters: line.M.L (x, mean, low, high) for metric M and line L, and facts.gp.
# A line is a combination of the other parameters that vary; mean and 95 % interval (Student's t) are over all seeds of a point.
#
# The axis is `x_column`, else the first parameter with more than one value that are all numbers; if there is none, the first with
# more than one value, whose values stand side by side.

function read_header(    k, name)
{
    csv_open(file, "name metric scope value unit seed")
    for (k = at["name"] + 1; k < at["metric"]; k++)
        for (name in at)
            if (at[name] == k && name != "seed")
                parameter[++parameters] = name
}

function survey(    f, k, v)
{
    read_header()
    while (csv_next(file, f))
        for (k = 1; k <= parameters; k++) {
            v = f[at[parameter[k]]]
            if (!((k, v) in known)) {
                known[k, v] = ++values[k]
                value[k, values[k]] = v
                words[k] = words[k] || v !~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/
            }
        }
}

function choose_axis(    k)
{
    for (k = 1; k <= parameters; k++)
        if (x_column != "" ? parameter[k] == x_column : values[k] > 1 && !words[k])
            return k
    if (x_column != "") {
        fail(file ": no parameter " x_column)
        exit 3
    }
    for (k = 1; k <= parameters; k++)
        if (values[k] > 1)
            return k
    return 1
}

function line_of(f,    k, text)
{
    for (k = 1; k <= parameters; k++)
        if (k != x && values[k] > 1)
            text = text (text == "" ? "" : ", ") (words[k] ? "" : parameter[k] " = ") f[at[parameter[k]]]
    return text == "" ? clean(label) : clean(text, 60)
}

function read_values(    f, m, l, p, v)
{
    read_header()
    while (csv_next(file, f))
        for (m = 1; m <= panels; m++) {
            if (f[at["metric"]] != metric_of(metric[m]) || f[at["scope"]] != scope_of(metric[m]) || f[at["value"]] == "")
                continue
            text = line_of(f)
            if (!(text in number)) {
                number[text] = ++lines_n
                name[lines_n] = text
            }
            l = number[text]
            p = known[x, f[at[parameter[x]]]]
            n[m, l, p]++
            v = f[at["value"]] + 0
            sum[m, l, p] += v
            squares[m, l, p] += v * v
            unit[m] = f[at["unit"]]
            found[m] = 1
        }
    for (m = 1; m <= panels; m++)
        if (!found[m] && !failed)
            fail(file ": no value of " metric_of(metric[m]) " with scope " scope_of(metric[m]))
}

# Points from left to right, with the mean and its interval in units of the axis.
function write_panel(m,    l, p, k, c, mean, variance, times)
{
    for (l = 1; l <= lines_n; l++)
        for (p = 1; p <= values[x]; p++)
            if (n[m, l, p]) {
                c = n[m, l, p]
                mean = sum[m, l, p] / c
                variance = c > 1 ? (squares[m, l, p] - c * mean * mean) / (c - 1) : 0
                half[l, p] = variance > 0 ? t_quantile(c - 1) * sqrt(variance / c) : 0
                middle[l, p] = mean
                if (mean + half[l, p] > most[m])
                    most[m] = mean + half[l, p]
                if (mean < least[m])            # where none is below zero the axis begins there, though intervals may not
                    least[m] = mean - half[l, p]
            }
    times = unit[m] == "s"
    unit[m] = is_share(metric_of(metric[m])) ? "%" : times ? axis_unit(most[m]) : unit[m]
    scale = unit[m] == "%" ? 0.01 : times ? unit_seconds(unit[m]) : 1
    for (l = 1; l <= lines_n; l++) {
        printf "" > ("line." m "." l)
        for (k = 1; k <= values[x]; k++) {
            p = order[k]
            if (n[m, l, p])
                printf "%.9g %.9g %.9g %.9g\n", position[p], middle[l, p] / scale, (middle[l, p] - half[l, p]) / scale,
                    (middle[l, p] + half[l, p]) / scale > ("line." m "." l)
        }
        close("line." m "." l)
    }
    printf "title%d = %s\nunit%d = %s\nmost%d = %.9g\nleast%d = %.9g\n", m, quoted(title_of(metric[m])), m, quoted(unit[m]), m,
        most[m] / scale, m, least[m] / scale > "facts.gp"
}

# Where the values stand on the axis, and in what order.
function place(    p, a, k, low, high)
{
    for (p = 1; p <= values[x]; p++) {
        position[p] = words[x] ? p : value[x, p] + 0
        order[p] = p
        for (a = p; a > 1 && position[order[a - 1]] > position[order[a]]; a--) {
            k = order[a]
            order[a] = order[a - 1]
            order[a - 1] = k
        }
    }
    low = position[order[1]]
    high = position[order[values[x]]]
    printf "low = %.9g\nhigh = %.9g\nlogarithmic = %d\nwords = %d\nplaces = %d\n", low, high, (low > 0 && high / low >= 30), words[x],
        values[x] > "facts.gp"
    for (p = 1; p <= values[x]; p++)
        printf "place%d = %s\n", p, quoted_tic(clean(value[x, p], 20)) > "facts.gp"
}

BEGIN {
    getline file < "dirs"
    file = file "/sweep.csv"
    getline label < "labels"
    panels = split(metrics, metric, ",")
    survey()
    if (!parameters || !values[1])
        fail(file ": no rows")
    x = choose_axis()
    read_values()
    place()
    for (m = 1; m <= panels; m++) {
        split("", half)
        split("", middle)
        write_panel(m)
    }
    for (p in n)
        seeds = n[p] > seeds ? n[p] : seeds
    for (l = 1; l <= lines_n; l++)
        printf "name%d = %s\n", l, quoted(name[l]) > "facts.gp"
    printf "n = %d\npanels = %d\nseeds = %d\nx_name = %s\nlongest = %d\n", lines_n, panels, seeds, quoted(clean(parameter[x])),
        longest_of(name, lines_n) > "facts.gp"
}
