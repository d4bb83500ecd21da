# csv.awk - reads a CSV file by the names of its columns. Load it before the program that uses it.
#
# BEGIN { csv_open(file, "job_id start_s"); while (csv_next(file, f)) use(f[at["start_s"]]) }
# Quoted fields may hold commas, doubled quotes and line ends. POSIX awk only.

function fail(text)
{
    printf "plot.sh: %s\n", text | "cat 1>&2"
    close("cat 1>&2")
    failed = 1
    exit 3
}

# Reads the header: at[name] becomes the number of that column. Errors call the file `known_as`, if given.
function csv_open(file, wanted, known_as,    n, i, name, f)
{
    known_as = known_as == "" ? file : known_as
    close(file)
    split("", at)
    n = csv_next(file, f)
    if (!n)
        fail(known_as ": empty or unreadable")
    for (i = 1; i <= n; i++)
        at[f[i]] = i
    n = split(wanted, name, " ")
    for (i = 1; i <= n; i++)
        if (!(name[i] in at))
            fail(known_as ": no column " name[i])
}

# The next row as f[1..n]; returns n, or 0 at the end. The common row without quotes is fast.
function csv_next(file, f,    line, more)
{
    if ((getline line < file) <= 0)
        return 0
    sub(/\r$/, "", line)
    if (!index(line, "\""))
        return split(line, f, ",")
    while (csv_quotes(line) % 2 && (getline more < file) > 0)
        line = line "\n" more
    return csv_split(line, f)
}

function csv_quotes(line)
{
    return gsub(/"/, "\"", line)
}

function csv_split(line, f,    n, end)
{
    for (n = 0; ; line = substr(line, end + 1)) {
        f[++n] = ""
        if (substr(line, 1, 1) == "\"") {
            line = substr(line, 2)
            while ((end = index(line, "\"")) && substr(line, end + 1, 1) == "\"") {
                f[n] = f[n] substr(line, 1, end)
                line = substr(line, end + 2)
            }
            f[n] = f[n] substr(line, 1, end ? end - 1 : length(line))
            line = end ? substr(line, end + 1) : ""
        }
        end = index(line, ",")
        if (!end) {
            f[n] = f[n] line
            return n
        }
        f[n] = f[n] substr(line, 1, end - 1)
    }
}
