# session_starts.awk - prints the times to start of all sessions of the sessions.csv named in `file` that did; counts go to counts.I, and
# what came of all of them to ends.I, as "name number".
BEGIN {
    getline file < "file"
    csv_open(file, "outcome slo_met releases preemptions starting_gpu_s active_gpu_s idle_gpu_s " column)
    while (csv_next(file, f)) {
        if (f[at[column]] != "") {
            print f[at[column]]
            n++
            zero += f[at[column]] + 0 == 0
        }
        ends[f[at["outcome"]]]++
        decided += f[at["slo_met"]] != ""
        met += f[at["slo_met"]]
        releases += f[at["releases"]]
        preemptions += f[at["preemptions"]]
        active += f[at["active_gpu_s"]]
        idle += f[at["idle_gpu_s"]]
        held += f[at["starting_gpu_s"]] + f[at["active_gpu_s"]] + f[at["idle_gpu_s"]]
        rows++
    }
    if (!rows && !failed)
        fail(file ": no rows")
    print n + 0, zero + 0, rows - n > ("counts." i)
    printf "sessions %d\ndecided %d\nmet %d\nreleases %d\npreemptions %d\nactive %.9g\nidle %.9g\nheld %.9g\n", rows, decided, met, releases, preemptions, active, idle, held > ("ends." i)
    for (outcome in ends)
        print "ended_" outcome, ends[outcome] > ("ends." i)
}
