# words.awk - names, numbers, times and colours for people. Load it before the program that uses it.

# A name on one line, not endlessly long: 40 letters unless told, at least 12.
function clean(name, most)
{
    most = !most ? 40 : most < 12 ? 12 : most
    gsub(/[\001-\037\177]+/, " ", name)
    if (length(name) <= most)
        return name
    name = substr(name, 1, most - 2)
    sub(/[\300-\367][\200-\277]*$/, "", name)      # perhaps half a letter
    return name ".."
}

# The same as a gnuplot string: only a quote is special between single quotes.
function quoted(text)
{
    gsub(/'/, "''", text)
    return "'" text "'"
}

# Labels of tics are formats.
function quoted_tic(text)
{
    gsub(/%/, "%%", text)
    return quoted(text)
}

# 70000 -> 70,000
function commas(n,    text, out)
{
    text = sprintf("%.0f", n)
    for (out = ""; length(text) > 3; text = substr(text, 1, length(text) - 3))
        out = "," substr(text, length(text) - 2) out
    return text out
}

# A duration in the unit a person would use: 90 -> 90 s, 5400 -> 1.5 h
function human(s)
{
    if (s == 0)    return "0 s"
    if (s < 0.1)   return sprintf("%.3g ms", s * 1000)
    if (s < 120)   return sprintf("%.3g s", s)
    if (s < 7200)  return sprintf("%.3g min", s / 60)
    if (s < 172800) return sprintf("%.3g h", s / 3600)
    return s < 86400000 ? sprintf("%.3g d", s / 86400) : sprintf("%.0f d", s / 86400)
}

# The unit for an axis as long as span seconds.
function axis_unit(span)   { return span <= 180 ? "s" : span <= 10800 ? "min" : span <= 259200 ? "h" : "d" }
function unit_seconds(u)   { return u == "s" ? 1 : u == "min" ? 60 : u == "h" ? 3600 : 86400 }

# Under a row of `wide` characters: start, middle and end of a span.
function time_scale(span, wide,    unit, end, half)
{
    unit = axis_unit(span)
    end = sprintf("%.3g %s", span / unit_seconds(unit), unit)
    half = int(wide / 2)
    return pad("0", half) pad(sprintf("%.3g", span / 2 / unit_seconds(unit)), wide - half - length(end)) end
}

function percent(share)    { return share > 0 && share < 0.01 ? sprintf("%.2g %%", share * 100) : sprintf("%.0f %%", share * 100) }

# Colours a colour-blind reader can tell apart (Paul Tol, "muted"; grey for the rest), as rrggbb. For letters on a
# terminal, dark or light, his "bright".
function colour(k,    c)
{
    split(format == "term" ? "4477aa ee6677 228833 ccbb44 66ccee aa3377 ee7733 009988 997700" : \
        "332288 88ccee 44aa99 ddcc77 cc6677 117733 aa4499 999933 882255", c, " ")
    return k < 1 || k > 9 ? "bbbbbb" : c[k]
}
function colour_number(k)    { return rgb_number(colour(k)) }
function rgb_number(rgb,    i, n)
{
    for (i = 1; i <= 6; i++)
        n = n * 16 + index("0123456789abcdef", substr(rgb, i, 1)) - 1
    return n
}

function is_dark(rgb)
{
    return int(rgb / 65536) * 0.30 + int(rgb / 256) % 256 * 0.59 + rgb % 256 * 0.11 < 140
}

# Text with blanks up to a width; a negative one puts them before it.
function pad(text, width,    w)
{
    for (w = width < 0 ? -width : width; length(text) < w; )
        text = width < 0 ? " " text : text " "
    return text
}

# Orders order[1..n] by value[], most first; equal ones stay in order.
function sort_down(order, n, value,    a, b, k)
{
    for (a = 2; a <= n; a++) {
        k = order[a]
        for (b = a - 1; b >= 1 && value[order[b]] < value[k]; b--)
            order[b + 1] = order[b]
        order[b + 1] = k
    }
}

function longest_of(list, n,    k, most)
{
    for (k = 1; k <= n; k++)
        if (length(list[k]) > most)
            most = length(list[k])
    return most + 0
}
