# fairness.awk - beside the curves of finish-time fairness (cdf.awk): dots.I (share, row) of what each queue held of its fair share,
# for the twelve queues with most GPU time, and facts.gp. No dots without quotas: then the second panel is left out.

BEGIN {
    while ((getline text < "labels") > 0) {
        label[++runs] = text
        getline dir < "dirs"
        csv_open(dir "/summary.csv", "metric scope value")
        while (csv_next(dir "/summary.csv", f)) {
            if (f[at["scope"]] == "all" && f[at["metric"]] == "jain_index")
                jain[runs] = f[at["value"]]
            if (substr(f[at["scope"]], 1, 6) != "queue=" || f[at["value"]] == "")
                continue
            q = substr(f[at["scope"]], 7)
            if (f[at["metric"]] == "gpu_h_held")
                gpu_h[q] += f[at["value"]]
            if (f[at["metric"]] == "fair_share_held") {
                share[q, runs] = f[at["value"]] + 0
                if (!(q in seen))
                    order[++queues] = q
                seen[q] = 1
            }
        }
    }
    sort_down(order, queues, gpu_h)
    rows = queues > 12 ? 12 : queues
    for (k = 1; k <= rows; k++) {
        text = clean(order[k] == "" ? "(no queue)" : order[k], 24)
        longest_queue = length(text) > longest_queue ? length(text) : longest_queue
        printf "queue%d = %s\n", k, quoted_tic(text) >> "facts.gp"
    }
    for (i = 1; i <= runs; i++) {
        printf "" > ("dots." i)
        for (k = 1; k <= rows; k++)
            if ((order[k], i) in share) {
                printf "%.9g %.3f\n", share[order[k], i], k + (runs == 1 ? 0 : (i - (runs + 1) / 2) * 0.5 / runs) > ("dots." i)
                most = share[order[k], i] > most ? share[order[k], i] : most
            }
        printf "jain%d = %s\n", i, quoted(jain[i] == "" ? "" : sprintf(", Jain's index %.3f", jain[i])) >> "facts.gp"
    }
    printf "rows = %d\nothers = %d\nshare_most = %.9g\nlongest_queue = %d\n", rows, queues - rows, most, longest_queue + 0 >> "facts.gp"
}
