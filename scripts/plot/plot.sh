#!/bin/sh
# plot.sh [-m METRIC,...] [-x COLUMN] KIND FORMAT OUTFILE DIR... - one plot of one or more result directories. OUTFILE - is stdout.
#
# KIND.awk turns the CSV files into a few hundred rows, KIND.gp draws them; kinds that look alike share both (`prepare`, `draw`). On
# a terminal, quota, gantt, nodes, ledger and compare are text made by awk alone: gnuplot's dumb terminal draws no filled boxes.
# Needs a POSIX shell, awk, sort and gnuplot 5.4. Equal inputs give equal bytes.
# Exit: 0 ok, 1 the plot failed, 2 usage, 3 bad input.
set -u
LC_ALL=C
export LC_ALL

usage()
{
    [ $# -eq 0 ] || echo "plot.sh: $*" >&2
    echo "usage: plot.sh [-m METRIC,...] [-x COLUMN] KIND png|svg|pdf|term OUTFILE|- DIR...; KIND is one of:" >&2
    echo "    jct_cdf wait_cdf slowdown_cdf utilisation utilisation_class utilisation_state ledger queue_length quota" >&2
    echo "    fairness fragmentation energy services sessions gantt nodes compare sweep fit" >&2
    exit 2
}
bad_input()
{
    echo "plot.sh: $*" >&2
    exit 3
}

metrics=util_alloc,wait_mean_s,jct_mean_s
x_column=
while :; do
    case ${1:-} in
    -m) metrics=${2:-} ;;
    -x) x_column=${2:-} ;;
    *) break ;;
    esac
    shift 2
done
[ $# -ge 4 ] || usage
kind=$1 format=$2 outfile=$3
shift 3
draw=$kind
case $kind in
jct_cdf|wait_cdf|slowdown_cdf) files=jobs.csv ;;
utilisation)       files="timeseries.csv queues.csv jobs.csv" ;;
utilisation_class) files="timeseries.csv intervals.csv jobs.csv" draw=utilisation ;;
utilisation_state) files=timeseries.csv draw=utilisation ;;
fragmentation)     files="timeseries.csv intervals.csv nodes.csv" draw=utilisation ;;
queue_length)      files=timeseries.csv ;;
ledger)            files=nodes.csv ;;
quota)             files="queues.csv timeseries.csv summary.csv" ;;
fairness)          files="jobs.csv summary.csv" ;;
energy)            files="timeseries.csv summary.csv" ;;
gantt)             files="intervals.csv nodes.csv jobs.csv" ;;
nodes)             files="intervals.csv nodes.csv" draw=gantt ;;
services)          files=services.csv ;;
sessions)          files="sessions.csv timeseries.csv" ;;
compare)           files=summary.csv ;;
sweep)             files=sweep.csv ;;
fit)               files=fit.csv ;;
*)                 usage "unknown kind '$kind'" ;;
esac
case $format in png|svg|pdf|term) ;; *) usage "unknown format '$format'" ;; esac
case $kind in gantt|nodes|quota|services|sweep|fit) [ $# -eq 1 ] || usage "$kind shows one directory, got $#" ;; esac

for dir do
    [ -d "$dir" ] || bad_input "$dir: no such directory"
    for file in $files; do
        [ -f "$dir/$file" ] && [ -r "$dir/$file" ] || bad_input "$dir/$file: missing or unreadable ($kind needs it)"
    done
done

here=$(cd "$(dirname "$0")" && pwd) || exit 1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/gpuyard-plot.XXXXXX") || exit 1
part=
trap 'rm -rf "$tmp"; [ -z "$part" ] || rm -f "$part"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# A terminal gets its own size and, unless NO_COLOR says otherwise, colours; a file or a pipe gets 79 x 24 plain.
columns=${COLUMNS:-79} lines=24 ansi=0
case $columns in ''|*[!0-9]*) columns=79 ;; esac
[ "$columns" -ge 40 ] || columns=40
[ "$columns" -le 400 ] || columns=400
if [ "$outfile" = - ] && [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    ansi=1
fi

absolute()                # DIR, as awk in $tmp finds it
{
    case $1 in /*) printf '%s\n' "$1" ;; *) printf '%s\n' "$PWD/$1" ;; esac
}
# What the awk programs read: DIRS, one directory a line, and LABELS, one name a line.
for dir do
    absolute "$dir"
done > "$tmp/dirs"
awk_run()                 # PROGRAM [name=value...]: runs PROGRAM.awk, with what it builds on, in $tmp
{
    program=$1
    shift
    (
        cd "$tmp" || exit 1
        for pair do
            set -- "$@" -v "$pair"
            shift
        done
        case $program in utilisation|queue_length|quota|energy) set -- "$@" -f "$here/steps.awk" ;; esac
        case $program in compare|sweep) set -- "$@" -f "$here/metrics.awk" ;; esac
        [ "$program" != utilisation ] || set -- "$@" -f "$here/bands.awk"
        awk "$@" -f "$here/csv.awk" -f "$here/words.awk" -f "$here/$program.awk" < /dev/null
    )
}
edges()                   # FILE: header, first and last row, without reading all that lies between
{
    head -n 2 "$1"
    tail -n 1 "$1"
}
awk_run labels || exit

distributions()           # PROGRAM FILE COLUMN DIR...: of what PROGRAM prints of each FILE
{
    of=$1 file=$2 column=$3
    shift 3
    i=0
    for dir do
        i=$((i + 1))
        absolute "$dir/$file" > "$tmp/file"
        awk_run "$of" column="$column" i="$i" > "$tmp/unsorted" || exit
        sort -n "$tmp/unsorted" > "$tmp/sorted.$i"
    done
    room=0
    [ "$format" != term ] || room=$columns
    awk_run cdf column="$column" columns="$room" || exit
}
over_time()               # PROGRAM BY DIR...: levels that hold from one row to the next
{
    over=$1 by=$2
    shift 2
    i=0
    for dir do
        i=$((i + 1))
        rows=0
        for file in $files; do
            case $file in jobs.csv|summary.csv|nodes.csv) ;; *) rows=$((rows + $(wc -l < "$dir/$file"))) ;; esac
        done
        [ "$(head -n 2 "$dir/timeseries.csv" | wc -l)" -eq 2 ] || bad_input "$dir/timeseries.csv: no rows"
        echo "$rows" > "$tmp/rows.$i"
        edges "$dir/timeseries.csv" > "$tmp/edges.$i"
        absolute "$dir" > "$tmp/file"
        case $by in
        class)
            awk_run holds > "$tmp/unsorted" || exit
            sort -t "$tab" -k1,1n "$tmp/unsorted" > "$tmp/held.$i" ;;
        free)
            awk_run frees > "$tmp/unsorted" || exit
            sort -t "$tab" -k1,1n -k2,2n "$tmp/unsorted" > "$tmp/sorted"
            awk_run fragmentation > "$tmp/held.$i" || exit ;;
        esac
    done
    awk_run "$over" by="$by" format="$format" columns="$columns" lines="$lines" || exit
}
tab=$(printf '\t')

case $kind in
jct_cdf|wait_cdf)  distributions values jobs.csv "${kind%_cdf}_s" "$@" ;;
slowdown_cdf)      distributions values jobs.csv bounded_slowdown "$@" ;;
fairness)
    distributions values jobs.csv finish_time_fairness "$@"
    awk_run fairness || exit ;;
utilisation)       over_time utilisation queue "$@" ;;
utilisation_class) over_time utilisation class "$@" ;;
utilisation_state) over_time utilisation state "$@" ;;
fragmentation)     over_time utilisation free "$@" ;;
queue_length|quota|energy) over_time "$kind" '' "$@" ;;
ledger)            awk_run ledger format="$format" columns="$columns" || exit ;;
gantt|nodes)
    gpus=$(awk_run gpus) || exit
    if [ "$kind" = gantt ] && [ "$gpus" -le 256 ] && { [ "$format" != term ] || [ "$gpus" -le 40 ]; }; then
        awk_run pieces > "$tmp/unsorted" || exit
        sort -t "$tab" -k1,1n -k2,2n -k3,3n -k4 "$tmp/unsorted" > "$tmp/pieces"
        awk_run gantt_lanes format="$format" columns="$columns" ansi="$ansi" || exit
    else
        [ ! -f "$1/timeseries.csv" ] || edges "$1/timeseries.csv" > "$tmp/first"
        edges "$1/intervals.csv" > "$tmp/last"
        awk_run gantt_heat kind="$kind" format="$format" columns="$columns" || exit
    fi ;;
fit)
    [ "$format" != term ] || usage "fit has no form for a terminal"
    awk_run fit || exit ;;
services)
    awk_run services format="$format" columns="$columns" || exit ;;
sessions)
    over_time utilisation sessions "$@"
    distributions session_starts sessions.csv time_to_start_s "$@"
    awk_run sessions format="$format" columns="$columns" || exit ;;
sweep)
    awk_run sweep metrics="$metrics" x_column="$x_column" || exit ;;
compare)
    awk_run compare metrics="$metrics" format="$format" columns="$columns" ansi="$ansi" || exit ;;
esac

if [ ! -f "$tmp/out" ]; then
    {
        awk -v here="$here" 'BEGIN { gsub(/\047/, "\047\047", here); print "here = \047" here "\047" }'
        echo "format = '$format'; columns = $columns; lines = $lines; ansi = $ansi"
        cat "$tmp/facts.gp"
    } > "$tmp/vars.gp"
    (cd "$tmp" && gnuplot -d "$here/$draw.gp") 2> "$tmp/errors" < /dev/null || {
        echo "plot.sh: gnuplot could not draw $kind:" >&2
        cat "$tmp/errors" >&2
        exit 1
    }
fi
if [ "$format" = pdf ]; then      # cairo writes the date: put another of the same length, so that offsets stay right
    sed 's/(D:[0-9]\{14\}/(D:19700101000000/' "$tmp/out" > "$tmp/dated" && mv "$tmp/dated" "$tmp/out" || exit 1
fi
if [ "$format" = term ]; then     # gnuplot begins each plot with a form feed and ends lines with blanks
    tr -d '\014' < "$tmp/out" | sed 's/ *$//' > "$tmp/text"
    [ ! -f "$tmp/legend" ] || cat "$tmp/legend" >> "$tmp/text"
    mv "$tmp/text" "$tmp/out"
fi

if [ "$outfile" = - ]; then
    cat "$tmp/out"
elif [ -e "$outfile" ] && [ ! -f "$outfile" ]; then
    cat "$tmp/out" > "$outfile"   # a device or a pipe must not be replaced
else
    part=$outfile.part.$$     # renamed when whole
    cat "$tmp/out" > "$part" && mv -f "$part" "$outfile" || exit 1
fi
