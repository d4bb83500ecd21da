# pieces.awk - every hold on GPUs that lasts: start, end, node, ids, GPUs, thousandths, queue, job, with tabs between.
BEGIN {
    getline dir < "dirs"
    csv_open(dir "/jobs.csv", "job_id queue")
    while (csv_next(dir "/jobs.csv", f))
        queue[f[at["job_id"]]] = clean(f[at["queue"]])
    csv_open(dir "/intervals.csv", "job_id node gpus gpu_ids gpu_milli start_s end_s")
    while (csv_next(dir "/intervals.csv", f))
        if (f[at["gpus"]] > 0 && f[at["start_s"]] != f[at["end_s"]])
            printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f[at["start_s"]], f[at["end_s"]], f[at["node"]], f[at["gpu_ids"]],
                f[at["gpus"]], f[at["gpu_milli"]], queue[f[at["job_id"]]], clean(f[at["job_id"]])
}
