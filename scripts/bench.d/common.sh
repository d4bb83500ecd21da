# common.sh - what the subjects of scripts/bench share: rows of the table, and commands that are run in turn. Each subject has a
# folder of its own, $work, and in it each command: nothing meets what another left. `finish` ends it; if it ends without, or a
# command fails, it says that it broke off.
# shellcheck disable=SC2154     # $gpuyard and all that scripts/bench exports
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuyard-bench.XXXXXX")
bad=0 whole=''
trap 'ended $?' EXIT
trap 'exit 130' INT TERM
ended() { # STATUS
    rm -rf "$work"
    [ "$whole" ] && exit "$1"
    row "$subject: broke off, status $1" '' '' FAILS
    exit 1
}
finish() { whole=1; exit $bad; }

# ---- Rows ----
row() { # WHAT VALUE BOUND VERDICT
    printf '%-66s %12s  %-10s %s\n' "$1" "$2" "$3" "$4" | sed 's/ *$//'
}
note() { row "$1" "$2" '' ''; } # WHAT VALUE: no bound
judge() { # WHAT VALUE <|<=|>= BOUND: a value that is no number fails whatever is judged
    verdict=$(awk -v x="$2" -v how="$3" -v y="$4" -v judged="$judged" 'BEGIN {
        holds = how == "<" ? x + 0 < y : how == "<=" ? x + 0 <= y : x + 0 >= y
        print x !~ /^-?[0-9]+(\.[0-9]+)?$/ ? "FAILS" : !judged ? "not judged" : holds ? "ok" : "FAILS" }')
    row "$1" "$2" "$3 $4" "$verdict"
    [ "$verdict" != FAILS ] || bad=1
}
skipped() { echo "skipped: $1"; } # WHY

# ---- Commands ----
command_of() { # NAME WORD...: $work/NAME runs these words
    name=$1
    shift
    {
        printf '#!/bin/sh\nexec'
        printf " '%s'" "$@"
        echo
    } >"$work/$name"
    chmod +x "$work/$name"
}
replay() { # NAME CLUSTER TRACE OPTION...: a run that leaves jobs.csv, summary and manifest
    as=$1 cluster=$2 trace=$3
    shift 3
    command_of "$as" "${by:-$gpuyard}" run -q -c "$cluster" -t "$trace" --outputs jobs,summary -o "$work/out-$as" "$@"
}
floor_of() { # NAME CLUSTER TRACE: the trace is read and the rows are written, and that is all
    mkdir "$work/out-$1"
    command_of "$1" "$bench/floor" "$2" "$3" "$work/out-$1"
}
in_turn() { # TIMES NAME...: up to 8 commands, one after the other, TIMES times over. Then took and peak_kib tell
    n=$1
    shift
    echo "$*" | tr ' ' '\n' >"$work/names"
    for name; do
        set -- "$@" -- "$work/$name"
        shift
    done
    shift
    "$bench/measure" "$n" "$@" >"$work/measured"
    paste -d ' ' "$work/names" "$work/measured" >"$work/figures"
    rm -rf "$work"/out-*
}
took() { # NAME: its least seconds
    awk -v name="$1" -v at="$([ "$clock" = cpu ] && echo 4 || echo 2)" '$1 == name { print $at }' "$work/figures"
}
peak_kib() { # NAME: its most memory
    awk -v name="$1" '$1 == name { print $3 }' "$work/figures"
}

# ---- Numbers ----
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.2f", a / b; else print "none" }'; }
rate()  { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.0f", a / b; else print "none" }'; }
part() { # ONE: how often ONE goes into $jobs, at least once
    awk -v n="$jobs" -v one="$1" 'BEGIN { print(n < one ? 1 : int(n / one)) }'
}

# ---- Clusters and traces ----
trace_of() { # JOBS GPUS LOAD [QUEUES]: of jobs of 1 to 64 GPUs
    made="$work/t$(echo "$*" | tr ' ' -).csv"
    [ -f "$made" ] || "$bench/make_trace" "$1" "$2" "$3" 1 ${4:+"$4"} >"$made"
    echo "$made"
}
cluster_of() { # NODES: of 8 GPUs
    printf 'nodes:\n  - { group: node, count: %d, gpus: 8 }\n' "$1" >"$work/c$1.yaml"
    echo "$work/c$1.yaml"
}
teams_of() { # NODES QUEUES: a cluster whose queues deserve an equal part each
    awk -v nodes="$1" -v queues="$2" 'BEGIN {
        printf "nodes:\n  - { group: node, count: %d, gpus: 8 }\nqueues:\n", nodes
        for (q = 0; q < queues; q++)
            printf "  - { name: q%d, deserved_gpus: %d }\n", q, nodes * 8 / queues
        print "preemption: { checkpoint: periodic, interval_s: 1800, restart_s: 30, grace_s: 30 }"
    }' >"$work/teams$2.yaml"
    echo "$work/teams$2.yaml"
}
curie_of() { # of its 80,640 GPUs only the number counts
    printf 'nodes:\n  - { group: pool, count: 1, gpus: 80640, counted: true }\n' >"$work/curie.yaml"
    echo "$work/curie.yaml"
}
