# ledger.awk - where all GPU time went, by the accounts of nodes.csv: bars (from, to, row, colour, text) for each run and facts.gp; on
# a terminal the text `out` itself.

BEGIN {
    n = split("useful start save checkpoint gang idle fault lost free down", account, " ")
    split("useful work|starting|saving to leave|writing checkpoints|incomplete gangs|idle in sessions|after a fault|lost work|free|out of service", meaning, "|")
    split("009e73 56b4e9 0072b2 332288 e69f00 f0e442 cc79a7 d55e00 d9d9d9 595959", shade, " ")
    while ((getline text < "labels") > 0) {
        label[++runs] = format == "term" ? clean(text, int(columns / 2)) : text
        getline dir < "dirs"
        file = dir "/nodes.csv"
        csv_open(file, "useful_gpu_s free_gpu_s")
        while (csv_next(file, f))
            for (k = 1; k <= n; k++)
                if ((account[k] "_gpu_s") in at) {
                    gpu_s[runs, k] += f[at[account[k] "_gpu_s"]]
                    total[runs] += f[at[account[k] "_gpu_s"]]
                    all[k] += f[at[account[k] "_gpu_s"]]
                }
        split("", at)
        if (!(total[runs] > 0) && !failed)
            fail(file ": no GPU time")
    }
    longest = longest_of(label, runs)
    for (k = 1; k <= n; k++)
        if (all[k] > 0) {
            printf "account%d = %s\naccount_colour%d = %d\n", ++shown, quoted(meaning[k]), shown, rgb_number(shade[k]) > "facts.gp"
            if (format == "term")
                marks = marks pad("", 2) substr("#sScgixL.-", k, 1) " " meaning[k]
        }
    for (i = 1; i <= runs; i++) {
        from = 0
        line = ""
        room = columns - longest - 5
        for (k = 1; k <= n; k++) {
            share = gpu_s[i, k] / total[i] * 100
            if (share <= 0)
                continue
            colour_of = rgb_number(shade[k])
            printf "%.6f %.6f %d %d \"%s\" %d\n", from, from + share, i, colour_of, share < 3.5 ? "" : sprintf("%.1f", share),
                is_dark(colour_of) ? 16777215 : 0 > "bars"
            from += share
            while (length(line) < int(from / 100 * room + 0.5))
                line = line substr("#sScgixL.-", k, 1)
        }
        if (format == "term")
            printf "  %s |%s|\n", pad(label[i], longest), line > "out"
        label[i] = label[i] ": " commas(total[i] / 3600) " GPU h"
        printf "label%d = %s\n", i, quoted_tic(label[i]) > "facts.gp"
    }
    if (format == "term") {
        printf "\n" > "out"
        wrap(marks)
    }
    printf "n = %d\nshown = %d\nlongest = %d\n", runs, shown, longest_of(label, runs) > "facts.gp"
}

# Entries that begin with two blanks, as many on a line as there is room.
function wrap(text,    entry, k, count, line)
{
    count = split(text, entry, /  /)
    for (k = 2; k <= count; k++) {
        if (length(line) + length(entry[k]) + 2 > columns) {
            print line > "out"
            line = ""
        }
        line = line "  " entry[k]
    }
    print line > "out"
}
