# cdf.awk - from sorted.I and counts.I: curve.I with the cumulative share of jobs, thinned where nobody could see
# it, and facts.gp. The x axis is logarithmic, so it begins at `least`; what lies below is where the curve starts.

function power_of_ten(x,    p)
{
    for (p = 1; p > x; p /= 10) ;
    for (; p * 10 <= x; p *= 10) ;
    return p
}

BEGIN {
    smallest = biggest = 0
    while ((getline text < "labels") > 0) {
        label[++dirs] = text
        getline text < ("counts." dirs)
        split(text, c, " ")
        n[dirs] = c[1]
        zero[dirs] = c[2]
        unfinished[dirs] = c[3]
        while ((getline v < ("sorted." dirs)) > 0)
            if (v > 0 && (smallest == 0 || v + 0 < smallest)) {
                smallest = v + 0
                break
            }
        close("sorted." dirs)
    }
    for (i = 1; i <= dirs; i++) {
        file = "sorted." i
        rank = last_rank = 0
        last = ""
        while ((getline v < file) > 0) {
            if (rank && v != value && (rank - last_rank >= n[i] / 1500 || value > last * 1.005)) {
                print value, rank / n[i] > ("all." i)
                last = value
                last_rank = rank
            }
            value = v
            rank++
        }
        close(file)
        print value, 1 > ("all." i)
        close("all." i)
        if (value + 0 > biggest)
            biggest = value + 0
    }
    if (biggest == 0)
        smallest = biggest = 1
    least = smallest
    if (least < 1 && biggest >= 1000)
        least = 1                   # fractions of a second are of no interest then
    else if (least < biggest / 1e6)
        least = biggest / 1e6
    least = column ~ /_s$/ ? power_of_ten(least) : column == "bounded_slowdown" ? 1 : least * 0.9
    if (biggest <= least)
        biggest = least * 10
    biggest *= 1.15
    for (i = 1; i <= dirs; i++) {
        start = 0
        begun = 0
        while ((getline < ("all." i)) > 0)
            if ($1 <= least)
                start = $2
            else {
                if (!begun)
                    printf "%.9g %.9g\n", least, start * 100 > ("curve." i)
                begun = 1
                printf "%.9g %.9g\n", $1, $2 * 100 > ("curve." i)
            }
        if (!begun)
            printf "%.9g %.9g\n", least, 100 > ("curve." i)
        printf "%.9g 100\n", biggest > ("curve." i)
        close("curve." i)
        text = ": " commas(n[i]) " " (column == "time_to_start_s" ? "sessions" : "jobs")
        if (column == "wait_s")
            text = text ", " percent(1 - zero[i] / n[i]) " waited"
        if (unfinished[i])
            text = text ", " commas(unfinished[i]) (column == "time_to_start_s" ? " never started" : " unfinished" (columns ? "" : " left out"))
        # The dumb terminal cuts a legend at its beginning: the name gives way.
        text = (columns ? clean(label[i], columns - 17 - length(text)) : label[i]) text
        if (length(text) > longest)
            longest = length(text)
        print "title" i " = " quoted(text) >> "facts.gp"
    }
    printf "n = %d\nlongest = %d\nleast = %.9g\nbiggest = %.9g\ntimes = %d\n", dirs, longest, least, biggest, column ~ /_s$/ >> "facts.gp"
}
