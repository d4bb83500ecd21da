#!/bin/sh
# tables.sh GPUYARD - help, man page and completion are made of the same tables: every command and every option of --help is in
# each of them, and offered where it is typed.
set -u
G=$(realpath "$1")
. "$(dirname "$0")/../support/checks.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
COLUMNS=500
export COLUMNS

"$G" help --man >roff
"$G" help --completion bash >completion
sed 's/\\f[A-Z]//g; s/\\-/-/g; s/\\e/\\/g; s/^\\&//' roff >man
# typed WORD... : what completion offers behind these words, one a line
typed() { bash -c '. ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gpuyard; printf "%s\n" "${COMPREPLY[@]}"' - "$@"; }

"$G" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' >commands
[ "$(wc -l <commands)" -ge 10 ] && ok || fail "commands of --help: $(cat commands)"
typed gpuyard '' >offered
options=0
while read -r command; do
    says offered "$command"
    sed -n "/^\.SS gpuyard $command\( \|\$\)/,/^\.S[SH] /p" man | sed '$d' >section
    [ -s section ] && ok || fail "man: no section of $command"
    "$G" "$command" --help >help
    sed -n 's/^  \(-\(.\), \|    \)--\([a-z0-9-]*\).*/\2 \3/p' help >listed
    typed gpuyard "$command" -- >"offered-$command"
    while read -r letter option; do
        [ -z "$option" ] && option=$letter && letter=
        options=$((options + 1))
        grep -q -e "^\(-., \)\?--$option\( \|\$\)" section && ok || fail "man: $command has no --$option"
        [ -z "$letter" ] || { grep -q -e "^-$letter, --$option\( \|\$\)" section && ok || fail "man: $command: --$option has no -$letter"; }
        says "offered-$command" "--$option"
    done <listed
    [ "$(grep -c -e '^\(-., \)\?--[a-z]' section)" = "$(wc -l <listed)" ] && ok || fail "man: $command has options that help does not tell"
done <commands
[ $options -ge 60 ] && ok || fail "only $options options were looked at"
# Each exit status that help tells is in the man page.
"$G" --help | sed -n '/^exit status:/,$s/^  \([0-9]*\) *\(.*\)/\1 \2/p' >statuses
[ "$(wc -l <statuses)" -ge 7 ] && ok || fail "exit statuses: $(cat statuses)"
while read -r status meaning; do
    sed -n '/^\.SH EXIT STATUS/,/^\.SH ENV/p' man | grep -A1 -Fx "$status" | grep -Fqx "$meaning" && ok || fail "man: exit status $status"
done <statuses
# A table that lacks one is seen.
sed -i 's/--seed //' completion
typed gpuyard run -- | grep -qx -e --seed && fail "an option that was taken out is offered" || ok
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
