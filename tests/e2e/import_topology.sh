#!/bin/sh
# import_topology.sh GPUYARD - gpuyard import slurm: a topology.conf of any number of levels, as keys of
# the groups and as the domains that a run has of them. Trees by hand.
set -u
. "$(dirname "$0")/../support/in_folder.sh"

is() { # WHAT WANT GOT
    [ "$2" = "$3" ] && ok || fail "$1: want '$2', got '$3'"
}
cat >slurm.conf <<'END'
ClusterName=lab
PartitionName=batch Nodes=ALL Default=YES
NodeName=n[01-08] CPUs=8 Gres=gpu:4
END
echo 'Name=gpu Type=a100' >gres.conf
cat >jobs.txt <<'END'
JobID|State|Submit|Start|End|AllocTRES|User
1|COMPLETED|100|100|200|gres/gpu=32,node=8|ann
END
import() { # DIRECTORY: of topology.conf
    "$G" import slurm --conf slurm.conf --gres gres.conf --topology topology.conf --jobs jobs.txt -o "$1" >out 2>err
}
groups() { # DIRECTORY: each with what it says of levels
    sed -n 's/.*group: "\([^"]*\)".*cpus: 8\(.*\) }$/\1\2/p' "$1/cluster.yaml"
}
column() { # DIRECTORY NAME: of nodes.csv, in one line
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR > 1 { printf "%s%s", s, $c; s = " " }' "$1/nodes.csv"
}
runs() { # DIRECTORY
    "$G" run -q -c "$1/cluster.yaml" -t "$1/jobs.csv" -p fifo -o "$1.run" >out 2>err && ok || fail "$1: $(cat err)"
}

# ---- Three levels: core over two spines, each over two leaves of two nodes. Parents may stand before what is below them.
cat >topology.conf <<'END'
SwitchName=core Switches=spine[1-2]
SwitchName=spine1 Switches=leaf[1-2]
SwitchName=spine2 Switches=leaf[3-4]
SwitchName=leaf1 Nodes=n[01-02]
SwitchName=leaf2 Nodes=n[03-04]
SwitchName=leaf3 Nodes=n[05-06]
SwitchName=leaf4 Nodes=n[07-08]
END
import three && ok || fail "import: $(cat err)"
is "three levels" 'n01-n02, levels: { rack: 2, pod: 2, level-3: 2 }
n03-n04, levels: { rack: 2, pod: 2, level-3: 2 }, joins: pod
n05-n06, levels: { rack: 2, pod: 2, level-3: 2 }, joins: level-3
n07-n08, levels: { rack: 2, pod: 2, level-3: 2 }, joins: pod' "$(groups three)"
grep -q 'switches' three/report.txt && fail "something is left out: $(cat three/report.txt)" || ok
runs three
is "leaves" "0 0 1 1 2 2 3 3" "$(column three.run rack)"
is "spines" "0 0 0 0 1 1 1 1" "$(column three.run pod)"
is "core" "0 0 0 0 0 0 0 0" "$(column three.run level_level-3)"
is "the job is in the core" "level-3" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "level") c = i } NR == 2 { print $c }' three.run/jobs.csv)"

# ---- A tree that is not even: leaf3 is right below the core, without a spine; of level 2 it is a domain by itself. Another
# tree, n08, has one level; nodes of one leaf are not neighbours in slurm.conf.
cat >topology.conf <<'END'
SwitchName=leaf1 Nodes=n[01,03]
SwitchName=leaf2 Nodes=n[02,04-05]
SwitchName=leaf3 Nodes=n[06-07]
SwitchName=alone Nodes=n08
SwitchName=spine Switches=leaf[1-2]
SwitchName=core Switches=spine,leaf3
END
import uneven && ok || fail "import: $(cat err)"
is "an uneven tree" 'n06-n07, levels: { rack: 2, pod: 1, level-3: 2 }
n01-n03, levels: { rack: 2, pod: 2, level-3: 2 }, joins: level-3
n02-n05, levels: { rack: 3, pod: 2, level-3: 2 }, joins: pod
n08, nodes_per_rack: 1' "$(groups uneven)"
runs uneven
is "leaves" "0 0 1 1 2 2 2 3" "$(column uneven.run rack)"
is "spines" "0 0 1 1 1 1 1 " "$(column uneven.run pod)"
is "core" "0 0 0 0 0 0 0 " "$(column uneven.run level_level-3)"

# ---- Nine levels, of one switch each but the leaves
{
    echo 'SwitchName=l1a Nodes=n[01-04]'
    echo 'SwitchName=l1b Nodes=n[05-08]'
    echo 'SwitchName=l2 Switches=l1a,l1b'
    for l in 3 4 5 6 7 8 9; do echo "SwitchName=l$l Switches=l$((l - 1))"; done
} >topology.conf
import nine && ok || fail "import: $(cat err)"
is "nine levels" 'n01-n04, levels: { rack: 4, pod: 2, level-3: 1, level-4: 1, level-5: 1, level-6: 1, level-7: 1, level-8: 1 }
n05-n08, levels: { rack: 4, pod: 2, level-3: 1, level-4: 1, level-5: 1, level-6: 1, level-7: 1, level-8: 1 }, joins: pod' "$(groups nine)"
grep -q 'switches of more than 8 levels: the lowest are read' nine/report.txt && ok || fail "nine levels: $(cat nine/report.txt)"
runs nine

# ---- What is no tree of the switches that there are
refused() { # ERROR LINES
    printf '%s\n' "$2" >topology.conf
    import none
    is "status" 3 $?
    is "refused" "gpuyard: topology.conf$1" "$(cat err)"
}
refused ":2:17: Switches: want switches of the file, got 'l2'" 'SwitchName=l1 Nodes=n[01-08]
SwitchName=core Switches=l[1-2]'
refused ": want a tree of switches, got switch 'a' above itself" 'SwitchName=l1 Nodes=n[01-08]
SwitchName=a Switches=l1,b
SwitchName=b Switches=a'
refused ":2:1: SwitchName: want a switch that is not there yet, got 'l1'" 'SwitchName=l1 Nodes=n[01-08]
SwitchName=l1 Switches=l1'

# ---- 40,000 groups of one node below two switches: each switch is counted once
awk 'BEGIN { print "TopologyPlugin=topology/tree"; for (i = 0; i < 40000; i++) print "NodeName=n" i " CPUs=" 32 + i % 2 " Gres=gpu:4"
    print "PartitionName=p Nodes=ALL" }' >many.conf
printf 'SwitchName=a Nodes=n[0-19999]\nSwitchName=b Nodes=n[20000-39999]\nSwitchName=t Switches=a,b\n' >many.topology
(ulimit -t 5; exec "$G" import slurm --conf many.conf --topology many.topology -o many) >out 2>err
is "many groups in 5 s of a CPU" "0 40000" "$? $(grep -c 'nodes_per_rack: 20000, racks_per_pod: 2' many/cluster.yaml)"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
