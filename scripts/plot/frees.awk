# frees.awk - prints when which GPUs are taken (1) and left (-1): time, sign, node, ids, GPUs, thousandths, with tabs between.
BEGIN {
    getline dir < "file"
    csv_open(dir "/intervals.csv", "node gpus gpu_ids gpu_milli start_s end_s")
    while (csv_next(dir "/intervals.csv", f))
        if (f[at["gpus"]] > 0 && f[at["start_s"]] != f[at["end_s"]])
            for (sign = -1; sign <= 1; sign += 2)
                printf "%s\t%d\t%s\t%s\t%s\t%s\n", sign < 0 ? f[at["end_s"]] : f[at["start_s"]], sign, f[at["node"]],
                    f[at["gpu_ids"]], f[at["gpus"]], f[at["gpu_milli"]]
}
