#!/bin/sh
# make.sh - what make and its scripts say: a line for each suite as it ends and which packages are named.
set -u
root=$PWD
unset MAKEFLAGS MFLAGS MAKELEVEL
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuyard-make.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$root/tests/support/checks.sh"

# ---- sum-tests: the lines alone, and all of it ----
printf '[  PASSED  ] 3 test(s).\nexit 0\n' >good.log
printf 'it is wrong\n2 passed, 1 failed\nexit 1\n' >bad.log.failed
expect 0 "" "$root/scripts/sum-tests" --line good.log bad.log none.log
printf 'ok      good: 3 passed\nFAILED  bad: 2 passed, 1 failed, 0 skipped\nFAILED  none: did not run\n' >want
same out want
expect 1 "" "$root/scripts/sum-tests" good.log bad.log
printf 'ok      good: 3 passed\nFAILED  bad: 2 passed, 1 failed, 0 skipped\n    it is wrong\n    2 passed, 1 failed\n    exit 1\n5 passed, 1 failed, 0 skipped\n' >want
same out want

# ---- Packages: dpkg-query that knows none, and no installation ----
mkdir path && printf '#!/bin/sh\nexit 1\n' >path/dpkg-query && chmod +x path/dpkg-query
PATH=$work/path:$PATH "$root/scripts/install-deps.sh" --missing build >build
PATH=$work/path:$PATH "$root/scripts/install-deps.sh" --missing check >check
for word in gcc libgsl-dev libfyaml-dev gnuplot-nox; do holds build $word; done
for word in libcmocka-dev clang slurm-wlm; do
    holds check $word
    if grep -q $word build; then fail "make deps installs $word"; else ok; fi
done
printf '#!/bin/sh\necho install ok installed\n' >path/dpkg-query
[ -z "$(PATH=$work/path:$PATH "$root/scripts/install-deps.sh" --missing build check)" ] && ok || fail "nothing is missing"

# ---- make: what the targets would do ----
cd "$root" || exit 1
make -n deps >"$work/out" && holds "$work/out" 'install-deps.sh build'
make -nB all MODE=release CC=gcc >"$work/out" 2>&1
holds "$work/out" scripts/rehearse && holds "$work/out" -fprofile-use
for without in COUNTS= LTO= MODE=debug CC=clang; do
    make -nB all MODE=release CC=gcc $without >"$work/out" 2>&1
    if grep -q 'rehears\|profile-use' "$work/out"; then fail "make $without rehearses"; else ok; fi
done
make -n check-quick LTO= >"$work/out" 2>&1
holds "$work/out" quick-logs
GPUYARD_SHARED=$work make -n conformance LTO= >"$work/out" 2>&1
holds "$work/out" "$work/conformance"
make -n conformance CASES=mine LTO= >"$work/out" 2>&1
holds "$work/out" 'conformance mine'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
