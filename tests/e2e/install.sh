#!/bin/sh
# install.sh GPUYARD - `make install` gives a tree that works by itself: a policy built against the installed headers runs
# in the installed program, which finds its own plots; the man page and the completion are there.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # WHAT STATUS
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; fi
}
make -s MODE="${MODE:-release}" install PREFIX="$work/usr" >"$work/log" 2>&1
check "make install: $(tail -n 1 "$work/log")" $?
flags=$(PKG_CONFIG_PATH=$work/usr/lib/pkgconfig pkg-config --cflags gpuyard)
check "pkg-config knows gpuyard" $?
# shellcheck disable=SC2086
cc -std=c17 -fPIC -shared $flags -o "$work/widest.so" tests/examples/widest_first.c
check "a policy builds against the installed headers" $?
unset GPUYARD_SCRIPTS
"$work/usr/bin/gpuyard" run -q -c traces/samples/four_teams.yaml -t traces/samples/four_teams.csv -p "$work/widest.so" -o "$work/out"
check "the installed program runs it" $?
"$work/usr/bin/gpuyard" plot "$work/out" --kind jct_cdf --format svg -o "$work/jct.svg" && [ -s "$work/jct.svg" ]
check "the installed program finds its plots" $?
"$work/usr/bin/gpuyard" report "$work/out" -o "$work/out.html" && grep -q '</html>' "$work/out.html"
check "the installed program writes a report" $?
grep -q '^\.TH GPUYARD 1' "$work/usr/share/man/man1/gpuyard.1"
check "there is a man page" $?
bash -n "$work/usr/share/bash-completion/completions/gpuyard"
check "the completion is bash" $?
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
