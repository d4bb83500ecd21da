#!/bin/sh
# sessions.sh GPUYARD - interactive sessions from a workload file to results: the same ones under every policy, rows that add up to what
# the summary and the nodes say, and what cannot be done with them.
set -u
gpuyard=$1
top=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # WHAT STATUS
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; fi
}
cd "$work" || exit 1

cat >c.yaml <<'END'
name: lab
nodes: [ { group: dgx, type: dgx-a100, count: 4 } ]
queues: [ { name: a, deserved_gpus: 16 }, { name: b, deserved_gpus: 8 }, { name: notebooks, deserved_gpus: 8 } ]
preemption: { checkpoint: periodic, interval_s: 600, save_s: 10, grace_s: 30, start_s: 10, restart_s: 60 }
END
cat >w.yaml <<'END'
workload: lab
span_s: 172800
load: { target: 1.2, gpus: 32 }
users: { count: 30 }
projects: { names: [a, b] }
gpus: { 1: 5, 2: 2, 8: 1 }
durations: { law: lognormal, mean_s: 9000, median_s: 900 }
sessions:
  - { group: lab, users: 30, queue: notebooks, priority: 5 }
  - { group: class, users: 10, rate_per_h: 2, queue: a, gpus: { 0.5: 1, 2: 1 }, culling: { cull: kill } }
END

# Recorded sessions on free GPUs: as they were, and the same bytes whatever the seed but for patience.
cat >recorded.csv <<'END'
session,user,start_s,end_s,active,gpus,gpu_type
late,ann,100,1000,100-160;200.5-450,1,A100-SXM4-40
early,bob,50,5000,,2,
END
cat >replay.yaml <<'END'
workload: replay
sessions: [ { group: lab, recorded: recorded.csv, queue: notebooks, start_up: { least_s: 0, most_s: 0 } } ]
END
cat >replayed.txt <<'END'
early,lab,bob,notebooks,2,50,50,5000,closed,0,0,9900
late,lab,ann,notebooks,1,100,100,1000,closed,0,309.5,590.5
END
"$gpuyard" run -q -c c.yaml -t replay.yaml -o replay >run.txt 2>&1 &&
    sed 1d replay/sessions.csv | cut -d, -f1-10,17-19 | awk -F, -v OFS=, '{ print $1, $2, $3, $4, $5, $6, $7, $8, $9, $11, $12, $13 }' | cmp -s - replayed.txt
check "recorded sessions are used as they were" $?
grep -q '"sessions_drawn"' replay/manifest.json && grep -q "named_sha256: \[ $(sha256sum recorded.csv | cut -d' ' -f1)" replay/manifest.json
check "the manifest knows the record" $?

# What a policy has no say in: who comes, when, with how much patience.
given() { cut -d, -f1-6,11 "$1/sessions.csv" | sort; }
drawn() { grep -o '"[a-z_]*drawn": "[0-9a-f]*"' "$1/manifest.json"; }
metric() { sed -n "s/^$2,$3,\([^,]*\),.*/\1/p" "$1/summary.csv"; }
for policy in static quota preemptive kube; do
    "$gpuyard" run -q -c c.yaml -t w.yaml -p $policy -o $policy >run.txt 2>&1
    check "$policy runs" $?
    "$top/scripts/check_schedule" $policy >found.txt
    check "$policy: the schedule is possible: $(head -3 found.txt)" $?
    "$top/scripts/check_quotas" $policy >found.txt
    check "$policy: what queues held: $(head -3 found.txt)" $?
    given $policy >given.txt
    drawn $policy >drawn.txt
    [ -f first.txt ] || { cp given.txt first.txt && cp drawn.txt first_drawn.txt; }
    cmp -s given.txt first.txt && cmp -s drawn.txt first_drawn.txt && [ "$(wc -l <drawn.txt)" = 2 ]
    check "$policy meets the same sessions and jobs" $?
    # A row for each, an end for each, and its GPU time in three parts, of which the idle one is an account of the nodes, too.
    awk -F, -v n="$(metric $policy sessions all)" -v held="$(metric $policy session_gpu_h_held all)" -v slo="$(metric $policy session_slo_attainment all)" '
        NR == FNR { if (FNR == 1) for (i = 1; i <= NF; i++) at[$i] = i; else nodes += $at["idle_gpu_s"]; next }
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { rows++; idle += $at["idle_gpu_s"]; all += $at["starting_gpu_s"] + $at["active_gpu_s"] + $at["idle_gpu_s"]; met += $at["slo_met"]
          if ($at["outcome"] !~ /^(closed|abandoned|culled|expired|lost)$/) bad++ }
        function far(x, y) { return x - y > 1e-6 * x || y - x > 1e-6 * x }
        END { exit rows != n || bad || far(all / 3600, held) || far(nodes, idle) || far(met / rows, slo) || idle <= 0 }' $policy/nodes.csv $policy/sessions.csv
    check "$policy: sessions.csv adds up to summary.csv and nodes.csv" $?
    # How many do what, times time, is what they spent; all of them, from submit to end.
    awk -F, 'function far(x, y) { return x - y > 1e-6 * x || y - x > 1e-6 * x }
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        FILENAME ~ /timeseries/ { for (k in n) spent[k] += n[k] * ($1 - time); time = $1; split("queued starting active idle released", names, " ")
                                  for (i in names) n[names[i]] = $at["sessions_" names[i]]; next }
        { all += $at["end_s"] - $at["submit_s"]; starting += $at["starting_gpu_s"] / $at["gpus"]; active += $at["active_gpu_s"] / $at["gpus"]
          idle += $at["idle_gpu_s"] / $at["gpus"] }
        END { for (k in n) { left += n[k]; sum += spent[k] }
              exit left || far(sum, all) || far(spent["starting"], starting) || far(spent["active"], active) || far(spent["idle"], idle) ||
                   spent["released"] <= 0 || spent["queued"] <= 0 }' $policy/timeseries.csv $policy/sessions.csv
    check "$policy: sessions over time add up to sessions.csv" $?
done
"$gpuyard" run -q -c c.yaml -t w.yaml -p quota -o again >/dev/null 2>&1
cmp -s again/sessions.csv quota/sessions.csv && cmp -s again/summary.csv quota/summary.csv
check "twice the same bytes" $?
"$gpuyard" run -q --seed 2 -c c.yaml -t w.yaml -p quota -o other >/dev/null 2>&1
drawn other >drawn.txt
[ "$(sort drawn.txt first_drawn.txt | uniq -u | wc -l)" = 4 ]
check "another seed, other sessions and jobs" $?

# ---- What is told of one, in words and as JSON, is what the files have: of every outcome, of those that lost their GPUs or gave them back
told() { # FILES STORIES: of the files of one directory, in the stories of the other
    python3 - "$gpuyard" "$1" "$2" <<'END'
import csv, json, re, subprocess, sys
gpuyard, files, told = sys.argv[1:]
rows = lambda name: list(csv.DictReader(open(files + "/" + name)))
jobs = {j["job_id"]: j for j in rows("jobs.csv")}
stays = {}
for i in rows("intervals.csv"):
    stays.setdefault(i["job_id"], []).append(i)
own = {"released", "closed", "culled", "expired", "abandoned", "lost"}
seen, chosen = {}, []
for x in rows("sessions.csv"):
    kind = (x["outcome"], x["forgotten"], x["usable_s"] == "", min(2, int(x["preemptions"])), min(2, int(x["releases"])))
    seen[kind] = seen.get(kind, 0) + 1
    if seen[kind] <= 2:
        chosen.append(x)
assert len(seen) > 8, seen
number = lambda text: None if text == "" else float(text)
near = lambda a, b: a == b or (a is not None and b is not None and abs(a - b) < 1e-9 * max(1, abs(b)))
hours = lambda gpu_s: ("%.3g GPU h" if float(gpu_s) < 36000 else "%.1f GPU h") % (float(gpu_s) / 3600)
for x in chosen:
    name, job = x["session"], jobs[x["session"]]
    run = lambda *more: subprocess.run([gpuyard, "explain", told, name, *more], capture_output=True, text=True, check=True).stdout
    story, text = json.loads(run("--format", "json")), re.sub(r"\s+", " ", run())
    s = story["session"]
    for key in ("end_s", "usable_s", "time_to_start_s", "patience_s", "delayed_s", "releases", "preemptions"):
        assert near(s[key], number(x[key])), (name, key, s[key], x[key])
    for key in ("starting", "active", "idle"):
        assert near(s[key + "_gpu_h"] * 3600, float(x[key + "_gpu_s"])), (name, key)
    held = sum(float(x[key + "_gpu_s"]) for key in ("starting", "active", "idle"))
    assert near(story["run_s"], held / float(x["gpus"])), (name, "held", story["run_s"], held)
    assert abs(sum(float(i["end_s"]) - float(i["start_s"]) for i in stays.get(name, []) if i["task"] == "0") - story["run_s"]) < 1e-6, name
    assert s["outcome"] == x["outcome"] and s["slo_met"] == (x["slo_met"] == "1") and s["forgotten"] == (x["forgotten"] == "1"), name
    assert near(story["wait_s"], sum(float(job[c]) for c in job if re.fullmatch("wait_[a-z]+_s", c))), name
    assert f"session {name} of queue {x['queue']}, group {x['group']}" in text, text
    assert ("usable never" in text) == (x["usable_s"] == ""), text
    assert ("in time for its objective" in text) == (x["slo_met"] == "1"), text
    assert ("its user had left" in text) == (x["forgotten"] == "1"), text
    if held:
        words = ", ".join(f"{hours(x[key + '_gpu_s'])} {what}" for key, what in (("active", "active"), ("idle", "idle"), ("starting", "starting up")))
        assert words in text, (words, text)
    for key, words in (("releases", "released its GPUs"), ("preemptions", "taken its GPUs")):
        n = int(x[key])
        assert (f"{words} {n} time{'' if n == 1 else 's'}" in text) if n else words not in text, text
    ends = [i["end_reason"] for i in stays.get(name, []) if i["task"] == "0"]
    causes = re.search(r"taken its GPUs \d+ times?: ((\d+ [a-z]+(, )?)+)", text)
    assert sum(int(n) for n in re.findall(r"\d+", causes[1] if causes else "")) == sum(e not in own for e in ends) == int(x["preemptions"]), text
    start = {"closed": "closed by its user at", "culled": "culled: deleted for being idle at", "abandoned": "abandoned: given up by its user at"}[x["outcome"]]
    assert f"{start} {float(x['end_s']):.6f}".rstrip("0").rstrip(".") + " s," in text, text
END
}
for policy in quota preemptive; do
    told $policy $policy 2>said.txt
    check "$policy: what is told of sessions is what the files have: $(tail -1 said.txt)" $?
done
cp -r quota planted
awk -F, -v OFS=, 'NR > 1 && $19 > 0 { $19 += 36 } { print }' quota/sessions.csv >planted/sessions.csv
! told quota planted 2>said.txt && grep -q 'AssertionError.*idle' said.txt
check "a wrong number in a story is noticed: $(tail -1 said.txt)" $?
rm -r planted

# ---- A judge that notices
sed 's/^\(job_id.*\)$/\1/; 0,/,done,/s//,closed,/' quota/intervals.csv >changed.csv
cp -r quota planted && cp changed.csv planted/intervals.csv
"$top/scripts/check_schedule" planted >found.txt
grep -q 'but its last interval ended as closed' found.txt
check "a job that is closed like a session is noticed" $?

# ---- At a cut-off nothing is taken from a session
"$gpuyard" run -q -c c.yaml -t w.yaml -p quota --until 40000 -o late --outputs all >/dev/null 2>&1 && grep -q ',cutoff,' late/intervals.csv
check "some are there at the cut-off" $?
"$top/scripts/check_summary" late >found.txt
check "their preemptions are stops: $(head -3 found.txt)" $?
awk -F, -v OFS=, 'NR == 2 { $15++ } { print }' late/sessions.csv >changed.csv
cp changed.csv late/sessions.csv
"$top/scripts/check_summary" late >found.txt
grep -q 'preemptions, and [0-9]* stops in events.csv' found.txt
check "a preemption without a stop is noticed" $?

# ---- Files
"$gpuyard" run -q -c c.yaml -t w.yaml -o quota --outputs sessions >/dev/null 2>&1
[ "$(ls quota | tr '\n' ' ')" = "manifest.json sessions.csv " ]
check "--outputs sessions" $?
sed '/^sessions/,$d' w.yaml >jobs.yaml
"$gpuyard" run -q -c c.yaml -t jobs.yaml -o quota >/dev/null 2>&1
[ ! -e quota/sessions.csv ] && ! grep -q session quota/summary.csv && ! grep -q idle quota/nodes.csv && ! grep -q session quota/timeseries.csv
check "no trace of sessions where there are none" $?
said() { # STATUS MESSAGE COMMAND...
    status=$1 message=$2
    shift 2
    "$gpuyard" "$@" >said.txt 2>&1
    [ $? = "$status" ] && grep -Fqx "gpuyard: $message" said.txt
    check "$*: $(cat said.txt)" $?
}
no_trace="a trace has no jobs that the run itself submits, such as sessions: want the workload file itself, with 'gpuyard run -t'"
said 1 "$no_trace" convert w.yaml -o out.csv
said 3 "w.yaml: a stream is of jobs alone, got some that a run submits itself" run -c c.yaml -t w.yaml --stream 130 -o stream
"$gpuyard" synth w.yaml -o out.csv >said.txt 2>&1 && grep -Fqx "gpuyard: lab: a trace cannot hold its sessions: want the workload file for 'gpuyard run -t'" said.txt
check "synth says what is not in the trace" $?
sed '/^load/d; /^gpus/d; /^durations/d' w.yaml >alone.yaml
said 3 "alone.yaml: want jobs, got only services or sessions" check alone.yaml
"$gpuyard" run -q -c c.yaml -t alone.yaml -o alone >/dev/null 2>&1 && [ "$(drawn alone | wc -l)" = 1 ]
check "sessions and nothing else" $?

echo "$passed passed, $failed failed"
[ $failed = 0 ]
