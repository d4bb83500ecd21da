# in_folder.sh - for tests that run in a folder of their own: $G is the program, $root the tree; with what checks.sh has.
G=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
. "$root/tests/support/checks.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset COLUMNS
files="jobs.csv intervals.csv timeseries.csv queues.csv nodes.csv summary.csv summary.json events.csv"
teams() { "$G" run -q -c "$root/traces/samples/four_teams.yaml" -t "$root/traces/samples/four_teams.csv" --outputs all "$@"; }
