#!/bin/sh
# situations.sh CONFORMANCE [OPTION...]: random situations of placing (situations.py), put to the
# program CONFORMANCE, and those of kept_places.json, which the policy once decided otherwise.
# Every one must agree: 50 of each kind, or as the options say:
#   tests/conformance/situations.sh build/release/tests/conformance/conformance --count 1000 --seed 7
set -eu
conformance=$1
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 "$(dirname "$0")/situations.py" "$dir" "$@"
cp "$(dirname "$0")/kept_places.json" "$dir"
status=0
"$conformance" "$dir" >"$dir/answers" || status=$?
grep -E '^(FAILED|skipped) ' "$dir/answers" || true
grep -E '^single_action/.*: [0-9]+ of' "$dir/answers"
tail -n 1 "$dir/answers"
[ "$status" = 0 ] && tail -n 1 "$dir/answers" | grep -q ' 0 failed, 0 skipped$'
