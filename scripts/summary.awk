# summary.awk - of a summary.csv, split at commas: v[metric] in all; times and counts for people.
$2 == "all" { v[$1] = $3 }
function span(s)
{
    return s < 120 ? sprintf("%.0f s", s) : s < 7200 ? sprintf("%.1f min", s / 60) : s < 172800 ? sprintf("%.1f h", s / 3600) : sprintf("%.1f d", s / 86400)
}
function count(n)
{
    n = sprintf("%.0f", n) + 0
    return n < 1000 ? n "" : count(int(n / 1000)) sprintf(",%03d", n % 1000)
}
