# holds.awk - prints what each hold on GPUs changes, and when: time, the class of its job, GPUs more or less, with tabs between.
BEGIN {
    getline dir < "file"
    csv_open(dir "/jobs.csv", "job_id class")
    while (csv_next(dir "/jobs.csv", f))
        class[f[at["job_id"]]] = clean(f[at["class"]])
    csv_open(dir "/intervals.csv", "job_id gpus gpu_milli start_s end_s")
    while (csv_next(dir "/intervals.csv", f)) {
        gpus = f[at["gpus"]] * f[at["gpu_milli"]] / 1000
        if (gpus > 0 && f[at["start_s"]] != f[at["end_s"]])
            printf "%s\t%s\t%.9g\n%s\t%s\t%.9g\n", f[at["start_s"]], class[f[at["job_id"]]], gpus, f[at["end_s"]],
                class[f[at["job_id"]]], -gpus
    }
}
