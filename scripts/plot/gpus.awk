# gpus.awk - prints how many GPUs nodes.csv has.
BEGIN {
    getline dir < "dirs"
    csv_open(dir "/nodes.csv", "gpus")
    while (csv_next(dir "/nodes.csv", f))
        gpus += f[at["gpus"]]
    if (!gpus && !failed)
        fail(dir "/nodes.csv: no GPUs")
    print gpus + 0
}
