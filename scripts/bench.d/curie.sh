# Backfilling on the log of CEA-Curie, 80,640 counted GPUs.
# shellcheck disable=SC1091,SC2154    # common.sh, and what scripts/bench exports
. "$here/common.sh"
trace=$shared/traces/swf-easy/CEA-curie.swf.zst
if [ ! -f "$trace" ]; then
    skipped "EASY and conservative on CEA-Curie: no $trace"
    finish
fi
curie=$(curie_of) rows=295540
replay easy "$curie" "$trace" -p easy --placement count
floor_of floor "$curie" "$trace"
in_turn "$times" easy floor
judge "CEA-Curie, 80640 counted GPUs, EASY: jobs/s" "$(rate $rows "$(took easy)")" '>=' 250000
note "  time, to the floor" "$(ratio "$(took easy)" "$(took floor)")"
replay conservative "$curie" "$trace" -p conservative --placement count
in_turn 1 conservative
judge "CEA-Curie, 80640 counted GPUs, conservative: jobs/s" "$(rate $rows "$(took conservative)")" '>=' 5000
finish
