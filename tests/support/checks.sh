# checks.sh - what shell tests of the program share: they count in passed and failed, and say what was wanted.
passed=0 failed=0
ok()   { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAILED: $*"; }
# expect STATUS STDERR COMMAND...: exact status and standard error; standard output is kept in ./out.
expect()
{
    want_status=$1 want_err=$2
    shift 2
    "$@" >out 2>err
    status=$?
    got_err=$(cat err)
    if [ "$status" != "$want_status" ]; then
        fail "$*: want status $want_status, got $status: $got_err"
    elif [ "$got_err" != "$want_err" ]; then
        fail "$*: want on stderr '$want_err', got '$got_err'"
    else
        ok
    fi
}
# says FILE TEXT: the file has that line.
says() { if grep -Fqx -e "$2" "$1"; then ok; else fail "$1: no line '$2'"; fi; }
holds() { if grep -Fq -e "$2" "$1"; then ok; else fail "$1: nothing like '$2'"; fi; }
same() { if cmp -s "$1" "$2"; then ok; else fail "$1 and $2 differ"; fi; }
none() { for f do if [ -e "$f" ]; then fail "$f is there"; else ok; fi; done; }
# check NAME STATUS
check() { if [ "$2" -eq 0 ]; then ok; else fail "$1"; fi; }
# got_is NAME: what stands on standard input is the file ./got; else the difference is shown.
got_is() { if diff - got; then ok; else fail "$1"; fi; }
