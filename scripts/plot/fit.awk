# fit.awk - fit.csv (panel,series,x,y) as curves PANEL.SERIES for fit.gp; those on a logarithmic axis begin at its edge, as high as
# what lies below.

function curve(name, n, low, high,    out, count, i, line_of, xy, start)
{
    out = name "." n
    start = at_zero[name, n] + 0
    count = split(rows[name, n], line_of, "\n")
    for (i = 1; i < count; i++) {
        split(line_of[i], xy, " ")
        if (xy[1] + 0 > low)
            break
        start = xy[2]
    }
    print low, start > out
    for (; i < count; i++)
        print line_of[i] > out
    print high, 100 > out
    close(out)
}

function hours(n,    out, count, i, line_of, xy)
{
    out = "hour." n
    count = split(rows["hour", n], line_of, "\n")
    for (i = 1; i < count; i++)
        print line_of[i] > out
    split(line_of[count - 1], xy, " ")
    print 24, xy[2] > out
    close(out)
}

BEGIN {
    FS = ","
    getline file < "dirs"
    file = file "/fit.csv"
    getline line < file
    while ((getline < file) > 0) {
        n = $2 == "trace" ? 1 : 2
        if ($1 != "hour" && $3 + 0 <= 0) {
            at_zero[$1, n] = $4
            continue
        }
        if (!($1 in first) || $3 + 0 < first[$1])
            first[$1] = $3 + 0
        if (!($1 in last) || $3 + 0 > last[$1])
            last[$1] = $3 + 0
        rows[$1, n] = rows[$1, n] $3 " " $4 "\n"
    }
    panels = split("run gpus gap", panel, " ")
    for (p = 1; p <= panels; p++) {
        name = panel[p]
        low = name in first ? first[name] : 0.1
        high = name in last ? last[name] : 1
        low = name == "gpus" ? low * 0.8 : low < 0.01 ? 0.01 : low
        high = (high > low ? high : low * 10) * 1.15
        print name "_least = " low "; " name "_most = " high > "facts.gp"
        curve(name, 1, low, high)
        curve(name, 2, low, high)
    }
    hours(1)
    hours(2)
}
