# Inference services: a day as flows, and requests one by one.
# shellcheck disable=SC1091,SC2154    # common.sh, and what scripts/bench exports
. "$here/common.sh"
services=$(part 10000)
services_of() { # HOW-MANY RATE LAW: a day of services as flows: batches on 4000 GPUs, or LLMs step by step on 40,000
    awk -v llm="$([ "$3" = llm ] && echo 1)" 'BEGIN {
        print "nodes:\n  - { group: node, count: " (llm ? "5000, gpu_model: H100-SXM5-80" : "500") ", gpus: 8 }"
        print "queues: [ { name: serving } ]"
    }' >"$work/$3-cluster.yaml"
    awk -v n="$1" -v rate="$2" -v llm="$([ "$3" = llm ] && echo 1)" 'BEGIN {
        print "workload: w\nspan_s: 86400\nservices:"
        time = llm ? "llm: { model: llama-3.1-8b, gpu: H100-SXM5-80 }" : "batch: {}"
        for (i = 0; i < n; i++) {
            printf "  - name: s%d\n    queue: serving\n    replicas: { min: 1, max: %d, initial: 8 }\n", i, llm ? 400 : 40
            printf "    service_time: { %s }\n    autoscaler: { kind: hpa, metrics: { concurrency: 0.7 } }\n    requests:\n", time
            printf "      rate_per_s: %d\n      arrivals: { daily: [", rate
            for (h = 0; h < 24; h++)
                printf "%s%.1f", h ? ", " : "", 1 + (h + i) % 24 / 24
            print "] }"
            if (llm)
                print "      prompt_tokens: { law: fixed, value_s: 500 }\n      output_tokens: { law: exponential, mean_s: 100 }"
        }
    }' >"$work/$3.yaml"
    command_of "day-$3" "$gpuyard" run -q -c "$work/$3-cluster.yaml" -t "$work/$3.yaml" --outputs services,summary -o "$work/out-$3"
}
services_of "$services" 1000 batch
services_of "$services" 1000 llm
in_turn "$times" day-batch day-llm
judge "a run of a day of $services services at 1000 requests/s: s" "$(took day-batch)" '<' 10
judge "  the same of LLMs, step by step: s" "$(took day-llm)" '<' 10
for what in queue choices; do
    "$bench/requests" $what "$times" >"$work/figures"
    read -r served served_s <"$work/figures"
    judge "service, 16 replicas at .9, $what: requests/s of CPU" "$(rate "$served" "$served_s")" '>=' 1000000
done
"$bench/requests" flow "$times" >"$work/figures"
read -r served served_s <"$work/figures"
judge "a day of 100 services, $served requests as flows: s of CPU" "$served_s" '<' 10
finish
