# slurm.sh - a Slurm of one node on loopback, for tests: munged, slurmctld and slurmd with their files in a directory of their own, on
# ports that are free. slurm_start DIR returns 1 and says why in $slurm_why where it cannot run; slurm_stop ends what it started.
slurm_dir= slurm_why= slurm_support=$PWD/tests/support
slurm_start() { # DIR, absolute
    PATH=$PATH:/usr/sbin:/sbin
    for program in munged slurmctld slurmd sbatch sinfo; do
        command -v $program >/dev/null || { slurm_why="no $program here (Debian: slurm-wlm, munge)"; return 1; }
    done
    slurm_dir=$1
    mkdir -p "$slurm_dir/state" "$slurm_dir/spool"
    chmod 755 "$slurm_dir"
    dd if=/dev/urandom of="$slurm_dir/key" bs=64 count=1 2>/dev/null
    chmod 400 "$slurm_dir/key"
    ports=$(python3 -c '
import socket
s = [socket.socket() for _ in range(2)]
for x in s: x.bind(("127.0.0.1", 0))
print(*[x.getsockname()[1] for x in s])')
    host=$(hostname -s)
    cat >"$slurm_dir/slurm.conf" <<END
ClusterName=gpuyardtest
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=${ports% *}
SlurmdPort=${ports#* }
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket=$slurm_dir/munge.sock
CredType=cred/munge
StateSaveLocation=$slurm_dir/state
SlurmdSpoolDir=$slurm_dir/spool
SlurmctldPidFile=$slurm_dir/slurmctld.pid
SlurmdPidFile=$slurm_dir/slurmd.pid
SlurmctldLogFile=$slurm_dir/slurmctld.log
SlurmdLogFile=$slurm_dir/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
    SLURM_CONF=$slurm_dir/slurm.conf
    export SLURM_CONF
    munged --force --key-file="$slurm_dir/key" --socket="$slurm_dir/munge.sock" --pid-file="$slurm_dir/munged.pid" \
        --log-file="$slurm_dir/munged.log" --seed-file="$slurm_dir/seed" >"$slurm_dir/start.log" 2>&1 &&
        slurmctld -c >>"$slurm_dir/start.log" 2>&1 && slurmd >>"$slurm_dir/start.log" 2>&1
    for _ in $(seq 60); do
        [ "$(sinfo -h -o %t 2>/dev/null)" = idle ] && return 0
        sleep 0.5
    done
    slurm_why="it does not come up: $(cat "$slurm_dir/start.log" "$slurm_dir"/slurm*.log 2>/dev/null | grep -i -e error -e fatal | tail -n 1)"
    slurm_stop
    return 1
}
slurm_listens() { # "ADDRESS PORT PROGRAM" of all that it has started, jobs among them
    python3 "$slurm_support/listens.py" "$slurm_dir"
}
slurm_stop() {
    [ -n "$slurm_dir" ] || return 0
    for daemon in slurmd slurmctld munged; do
        [ -s "$slurm_dir/$daemon.pid" ] || continue
        pid=$(cat "$slurm_dir/$daemon.pid")
        kill "$pid" 2>/dev/null
        for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
    done
    slurm_dir=
}
