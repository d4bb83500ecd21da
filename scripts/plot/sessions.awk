# sessions.awk - what sessions.gp draws beside the bands of utilisation.awk and the curves of cdf.awk: marks.I (quantile of the time to
# start, per cent), bars.I (row, sessions, label) with how they ended, and facts.gp. On a terminal they are text under the legend.

# models.md 10.5: type 7. h counts from 0.
function quantile(i, p,    h, k, v, low, high)
{
    h = (started[i] - 1) * p
    while ((getline v < ("sorted." i)) > 0) {
        if (k == int(h))
            low = v
        if (k++ == int(h) + 1)
            high = v
    }
    close("sorted." i)
    return low + (h > int(h) ? (h - int(h)) * (high - low) : 0)
}

function read_run(i,    text, f)
{
    getline text < ("counts." i)
    split(text, f, " ")
    started[i] = f[1]
    any_started = any_started || started[i] > 0
    while ((getline text < ("ends." i)) > 0) {
        split(text, f, " ")
        value[i, f[1]] = f[2]
    }
    for (k = 1; k <= outcomes; k++)
        happened[k] += value[i, "ended_" outcome[k]]
}

# When the last of them is over. stack.I has cumulative sums.
function last_of(i,    row, f, n, before, last)
{
    while ((getline row < ("stack." i)) > 0) {
        n = split(row, f, " ")
        if (before > 0)
            last = f[1]
        before = f[n]
    }
    close("stack." i)
    return last + 0
}

function times(n, what)    { return n ? what " " (n == 1 ? "once" : commas(n) " times") : "" }

# P99 of at least a thousand, as in summary.csv.
function said_of_starts(i,    k, text, start_s)
{
    printf "" > ("marks." i)
    for (k = 1; k <= 3 && started[i]; k++) {
        start_s = quantile(i, p[k] / 100)
        printf "%.9g %s\n", (start_s > least ? start_s : least), p[k] > ("marks." i)
        if (p[k] < 99 || started[i] >= 1000)
            text = text (text == "" ? "" : ", ") "P" p[k] " " human(start_s)
    }
    if (value[i, "preemptions"])
        text = text "; " times(value[i, "preemptions"], "lost GPUs")
    if (value[i, "releases"])
        text = text "; " times(value[i, "releases"], "gave GPUs back")
    sub(/^; /, "", text)
    return text
}

function title_of(i,    text)
{
    text = (format == "term" ? clean(label[i], columns - 48) : label[i]) ": " commas(value[i, "sessions"]) (value[i, "sessions"] == 1 ? " session" : " sessions")
    if (value[i, "decided"] > 0)
        text = text ", " percent(value[i, "met"] / value[i, "decided"]) " started in time"
    if (value[i, "held"] > 0 && format != "term")
        text = text "; active " percent(value[i, "active"] / value[i, "held"]) " of " commas(value[i, "held"] / 3600) " GPU h held, idle " \
            percent(value[i, "idle"] / value[i, "held"])
    return text
}

function write_bars(i,    k, row, n)
{
    for (k = 1; k <= outcomes; k++)
        if (happened[k]) {
            n = value[i, "ended_" outcome[k]] + 0
            most = n > most ? n : most
            printf "%.6f %d \"%s\"\n", ++row + (runs == 1 ? 0 : (i - (runs + 1) / 2) * 0.8 / runs), n,
                (n ? commas(n) " (" percent(n / value[i, "sessions"]) ")" : "0") > ("bars." i)
        }
}

function say(text,    words, n, k, line)
{
    n = split(text, words, " ")
    for (k = 1; k <= n; k++) {
        if (line != "" && length(line) + 1 + length(words[k]) > columns - 8) {
            print "      " line >> "legend"
            line = "  "
        }
        line = line (line == "" || line == "  " ? "" : " ") words[k]
    }
    print "      " line >> "legend"
}
function say_run(i, starts,    k, ends, text)
{
    for (k = 1; k <= outcomes; k++)
        if (value[i, "ended_" outcome[k]])
            ends = ends ", " commas(value[i, "ended_" outcome[k]]) " " outcome[k]
    text = value[i, "held"] > 0 ? "; active " percent(value[i, "active"] / value[i, "held"]) " of " commas(value[i, "held"] / 3600) " GPU h held" : ""
    say(clean(label[i], columns - 48) ": " (started[i] ? "time to start " : "") starts (starts == "" ? "" : "; ") substr(ends, 3) text)
}

BEGIN {
    outcomes = split("closed culled expired abandoned lost open", outcome, " ")
    split("50 90 99", p, " ")
    while ((getline text < "facts.gp") > 0)
        if (sub(/^least = /, "", text))
            least = text + 0
        else if (match(text, /^title[0-9]+ = /))
            title_of_curve[substr(text, 6, RLENGTH - 8) + 0] = substr(text, RLENGTH + 2)
    close("facts.gp")
    while ((getline text < "labels") > 0) {
        label[++runs] = text
        read_run(runs)
    }
    for (i = 1; i <= runs; i++) {
        starts = said_of_starts(i)
        over = last_of(i) > over ? last_of(i) : over
        write_bars(i)
        title = title_of(i)
        widest = length(title) > widest ? length(title) : widest
        legend = length(title_of_curve[i]) + length(starts) + 2
        widest = legend > widest ? legend : widest
        printf "panel%d = %s\nstarted%d = %d\nstarts%d = %s\n", i, quoted(title), i, started[i], i, quoted(starts) >> "facts.gp"
        if (format == "term")
            say_run(i, starts)
    }
    for (k = 1; k <= outcomes; k++)
        if (happened[k])
            printf "ended%d = '%s'\n", ++row, outcome[k] >> "facts.gp"
    printf "rows = %d\nmost_ended = %d\nany_started = %d\nwidest = %d\n", row, most, any_started, widest >> "facts.gp"
    if (format != "term" && over > 0)
        printf "end = %.9f\n", over >> "facts.gp"
}
