# values.awk - prints the times of all finished jobs of the jobs.csv named in `file`; counts go to counts.I.
BEGIN {
    getline jobs < "file"
    csv_open(jobs, "state " column)
    while (csv_next(jobs, f)) {
        state = f[at["state"]]
        value = f[at[column]]
        if ((state == "completed" || state == "failed" || state == "cancelled") && value != "") {
            print value
            n++
            zero += value + 0 == 0
        } else if (state == "running" || state == "pending")
            unfinished++
        rows++
    }
    if (!n && !failed)
        fail(jobs ": " (rows ? "no finished job" : "no jobs"))
    print n + 0, zero + 0, unfinished + 0 > ("counts." i)
}
