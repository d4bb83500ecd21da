#!/bin/sh
# install-deps.sh [--missing] build|check... - installs what is missing, says what it does, and does nothing when all is
# there. Debian 12 and kin. build: what the program and its plots need; check: what the tests need besides, of which some
# are skipped without (clang: fuzzing; slurm-wlm, munge: job arrays; valgrind: faults of memory, what policies cost).
# --missing: names what is missing, installs nothing.
set -eu
build="gcc make pkg-config libc6-dev libgsl-dev libcsv-dev libfyaml-dev libjansson-dev zlib1g-dev libzstd-dev libssl-dev
       gnuplot-nox fonts-dejavu-core"
check="libcmocka-dev python3 zstd gzip clang libclang-rt-dev slurm-wlm munge valgrind"
need='' only_say=
for word; do
    case $word in
    --missing) only_say=1 ;;
    build) need="$need $build" ;;
    check) need="$need $check" ;;
    *) echo "deps: want build or check, got '$word'" >&2; exit 2 ;;
    esac
done
missing=
for package in $need; do
    status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing="$missing $package"
done
if [ "$only_say" ]; then
    echo "${missing# }"
    exit 0
fi
if [ -z "$missing" ]; then
    echo "deps: everything is there"
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "deps: missing:$missing" >&2
    echo "deps: this system has no apt-get: install what corresponds to these Debian packages" >&2
    exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "deps: run as root, or install sudo: apt-get install$missing" >&2; exit 1; }
    as_root=sudo
fi
echo "deps: installing$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing
echo "deps: done"
