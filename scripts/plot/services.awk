# services.awk - inference services over time, from services.csv: service.K (time, requests arrived a second, p50, p99, kept %,
# replicas wanted, ready) for the four services with most requests, and facts.gp.
#
# Long runs are cut into equal steps: of the requests in a step the rate and the share that kept the SLO are exact; a percentile is
# the mean of those of its intervals, weighted by requests.

function survey(    f, k, s, before)
{
    csv_open(file, "time_s service arrived served dropped")
    while (csv_next(file, f)) {
        s = f[at["service"]]
        if (!(s in requests))
            order[++services] = s
        requests[s] += f[at["arrived"]]
        if (first == "")
            first = f[at["time_s"]] + 0
        else if (!interval && f[at["time_s"]] + 0 > first)
            interval = f[at["time_s"]] - first
        last = f[at["time_s"]] + 0
    }
    if (!services)
        fail(file ": no rows")
    interval = interval > 0 ? interval : 60
    t0 = first - interval
    sort_down(order, services, requests)
    shown = services > 4 ? 4 : services
    for (k = 1; k <= shown; k++)
        number[order[k]] = k
}

function add(what, k, b, amount, weight)
{
    if (amount == "" || weight <= 0)
        return
    total[what, k, b] += amount * weight
    of[what, k, b] += weight
}
function mean(what, k, b)    { return of[what, k, b] > 0 ? sprintf("%.9g", total[what, k, b] / of[what, k, b]) : "NaN" }

function read_services(    f, k, b)
{
    csv_open(file, "time_s service arrived served dropped latency_p50_s latency_p99_s slo_attainment replicas_wanted replicas_ready")
    while (csv_next(file, f)) {
        if (!(f[at["service"]] in number))
            continue
        k = number[f[at["service"]]]
        b = int((f[at["time_s"]] - interval / 2 - t0) / width)
        add("rate", k, b, f[at["arrived"]] / interval, 1)
        add("p50", k, b, f[at["latency_p50_s"]], f[at["served"]])
        add("p99", k, b, f[at["latency_p99_s"]], f[at["served"]])
        add("kept", k, b, f[at["slo_attainment"]], f[at["served"]] + f[at["dropped"]])
        add("wanted", k, b, f[at["replicas_wanted"]], 1)
        add("ready", k, b, f[at["replicas_ready"]], 1)
        if (f[at["slo_attainment"]] != "") {
            kept[k] += f[at["slo_attainment"]] * (f[at["served"]] + f[at["dropped"]])
            ended[k] += f[at["served"]] + f[at["dropped"]]
        }
    }
}

function higher(value, name)
{
    if (value != "NaN" && value + 0 > most[name])
        most[name] = value + 0
    if (value != "NaN" && value > 0 && (!(name in least) || value + 0 < least[name]))
        least[name] = value + 0
    return value
}

BEGIN {
    getline file < "dirs"
    file = file "/services.csv"
    getline label < "labels"
    survey()
    span = last - t0
    wide = format == "term" ? columns - 12 : 300
    width = span / interval > wide ? span / wide : interval
    read_services()
    unit = axis_unit(span)
    bins = int(span / width + 0.999999)
    for (k = 1; k <= shown; k++) {
        for (b = 0; b < bins; b++)
            printf "%.9g %s %s %s %s %s %s\n", b * width / unit_seconds(unit), higher(mean("rate", k, b), "rate" k), higher(mean("p50", k, b), "latency"),
                higher(mean("p99", k, b), "latency"), (mean("kept", k, b) == "NaN" ? "NaN" : mean("kept", k, b) * 100),
                higher(mean("wanted", k, b), "replicas" k), higher(mean("ready", k, b), "replicas" k) > ("service." k)
        text = clean(order[k], shown > 2 ? 22 : 34)
        printf "most_rate%d = %.9g\nmost_replicas%d = %.9g\n", k, most["rate" k], k, most["replicas" k] > "facts.gp"
        printf "name%d = %s\nsaid%d = %s\n", k, quoted(text), k, quoted(commas(requests[order[k]]) " requests" \
            (ended[k] > 0 ? ", " share_kept(kept[k] / ended[k]) " kept the SLO" : "")) > "facts.gp"
    }
    printf "n = %d\nothers = %d\nend = %.9g\nunit = '%s'\nmean_over = %s\nheading = %s\n", shown, services - shown, span / unit_seconds(unit), unit,
        quoted(human(width)), quoted(label (services > shown ? "; the " shown " services with most requests, of " services : "")) > "facts.gp"
    printf "most_latency = %.9g\nleast_latency = %.9g\n", most["latency"], ("latency" in least ? least["latency"] : 0.001) > "facts.gp"
}
function share_kept(share)    { return share > 0.99 && share < 0.99995 ? sprintf("%.2f %%", share * 100) : sprintf("%.1f %%", share * 100) }
