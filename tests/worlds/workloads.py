"""workloads.py - the workload file of a random world: laws of jobs, services, sessions."""
from draw import Draw, flow


class Workloads(Draw):
    def adapters(self, s):
        """Low-rank adapters of an LLM, which needs the law of a GPU, on nodes that have it."""
        llm = s["service_time"]["llm"]
        del llm["step_law"]
        llm["gpu"] = self.r.choice(self.llm_gpus)
        places = self.pick(1, 2, 4)
        llm["adapters"] = {"count": self.pick(1, 3, 24), "max_loras": places, **self.some({
            "rank": [8, 64], "max_cpu_loras": [places, places + 3], "zipf": [0, 1.5], "base_share": [0, 0.5],
            "host_gb_per_s": [0.01, 50], "storage_gb_per_s": [0.001, 5]}, 0.4)}
        if self.chance(0.2):
            llm["adapters"].pop("rank", None)
            llm["adapters"]["parameters"] = 1e6
        s["mode"] = "requests"
        s["dispatch"] = self.pick("jsq", "random2", "round_robin", "adapter", "adapter")

    def several_models(self, s):
        """More than one model on a service, swapped in and out."""
        llm = s["service_time"]["llm"]
        for k in ("model", "step_law"):
            llm.pop(k, None)
        count = self.pick(2, 2, 3)
        llm |= {"gpu": self.r.choice(self.llm_gpus), "models": [
            {"model": "llama-3.1-8b", "name": f"m{k}", **self.some({"share": [0.1, 5], "weights": ["fp8"]}, 0.3)}
            for k in range(count)], "max_models": self.pick(1, 1, 2), **self.some({"max_cpu_models": [2], "host_gb_per_s": [1, 100]}, 0.4)}
        s["mode"] = "requests"
        s["dispatch"] = self.pick("model", "model", "jsq", "random2")

    def after_jobs(self, s):
        """It begins when some jobs have ended, perhaps never."""
        kind = self.pick("", "", "afterany:", "afterok:", "afternotok:", "after:")
        s["depends_on"] = self.pick(";", "?").join(
            kind + name for name in sorted(self.r.sample(self.names, min(len(self.names), self.pick(1, 1, 2)))))
        s |= {"start_s": self.pick(0, 50), "end_s": self.pick(100, 2000)}

    def recorded_requests(self, s, i):
        """In place of those from laws: a few, at times, some together, for adapters if there are any."""
        engine = s["service_time"].get("llm", {})
        count = engine.get("adapters", {}).get("count", 0)
        rows, at = ["time_s,prompt_tokens,output_tokens" + (",adapter" if count else "")], 0
        for _ in range(self.pick(1, 20, 200)):
            at += self.pick(0, 0, 0.5, 10)
            rows.append(f"{at},{self.pick(1, 50, 500)},{self.pick(1, 3, 100)}"
                        + (f",{self.r.randint(0, count)}" if count else ""))
        self.files[f"requests{i}.csv"] = "\n".join(rows) + "\n"
        s["requests"] = {"trace": f"requests{i}.csv:plain", **self.some({"time_scale": [0.5, 2]}, 0.2)}
        for k in ("zipf", "base_share"):
            engine.get("adapters", {}).pop(k, None)

    def size_of_replica(self, s):
        """What else a replica asks for, and on which GPUs it is slower."""
        s |= self.some({"cpus": [1, 4], "memory_gib": [4], "user": ["u0", "u1"]}, 0.1)
        if s["gpus"] == 2 and "llm" not in s["service_time"]:
            s |= self.some({"tasks": [2]}, 0.3)
        if self.models and "llm" not in s["service_time"]:
            s |= self.some({"gpu_types": [self.models], "speeds": [{self.r.choice(self.models): self.pick(0.4, 2)}]}, 0.15)

    def service(self, i):
        llm = self.chance(0.5)
        low = self.pick(0, 1, 1, 2)
        s = {"name": f"s{i}", "queue": self.r.choice(self.leaves), "priority": self.pick(0, 5),
             "preemptible": self.chance(0.6),
             "gpus": 1 if llm else self.pick(0.5, 1, 1, 2), "replicas": {"min": low, "max": 6,
                                                                         "initial": max(1, low)},
             "mode": self.pick("fluid", "fluid", "requests")}
        if llm:
            s["service_time"] = {"llm": {"parameters": 7e9}}
            if self.chance(0.65):         # step by step
                s["service_time"] = {"llm": {
                    "model": "llama-3.1-8b", "max_num_seqs": self.pick(2, 16, 256),
                    "kv_tokens": self.pick(800, 3000, 50000), "prefix_share": self.pick(0, 0.5),
                    **self.some({"engine": ["eager", "graphs"], "weights": ["fp8", "bf16"],
                                 "max_num_batched_tokens": [512, 2048], "block": [1, 16]}, 0.2),
                    "step_law": {"a_s": 0.02, "b_s": 4e-5, "c_s": 1e-5, "d_s": 1e-7}}}
                s["dispatch"] = self.pick("jsq", "random2", "round_robin")
                if self.chance(0.2):      # two stages of a GPU each
                    s["gpus"] = 2
                    del s["service_time"]["llm"]["step_law"]
                    s["service_time"]["llm"] |= {"gpu": "A100-SXM4-80", "pipeline_parallel": 2}
                elif self.llm_gpus and self.chance(0.6):
                    (self.several_models if self.chance(0.3) else self.adapters)(s)
                if self.chance(0.15):     # replicas that read and replicas that generate
                    a, b = self.pick((1, 1), (1, 2), (2, 1))
                    s["service_time"]["llm"]["pools"] = {"prefill": a, "decode": b, **self.some(
                        {"kv_gb_per_s": [0.1, 100], "setup_s": [0, 1], "overlap": [0.9]}, 0.3)}
                    s["mode"] = "requests"
            s["requests"] = {"rate_per_s": self.pick(0.2, 1),
                             "prompt_tokens": {"law": "fixed", "value_s": 500},
                             "output_tokens": {"law": "exponential", "mean_s": 100}}
            s["slo"] = {"share": 0.9, "first_token_s": 2, "per_token_s": 0.1}
        else:
            s["service_time"] = {"law": self.pick("exponential", "fixed"), "mean_s": 0.4}
            if s["service_time"]["law"] == "fixed":
                s["service_time"] = {"law": "fixed", "value_s": 0.3}
            if self.chance(0.2):
                s["service_time"] = {"batch": {"t0_s": 0.1, "t1_s": 0.05, "window_s": 0.02,
                                               "most": 8}}
            s["requests"] = {"rate_per_s": self.pick(0.5, 2, 5)}
            s["slo"] = {"share": 0.95, "latency_s": self.pick(1, 3)}
            if s["mode"] == "requests" and self.chance(0.4):
                s["dispatch"] = self.pick("central", "jsq", "random2", "round_robin")
            if self.chance(0.3):
                s["requests"] |= {"arrivals": self.pick({"law": "poisson"}, {"law": "hyper", "c2": 4},
                                                        {"law": "mmpp"})}
        self.size_of_replica(s)
        s |= self.some({"start_s": [0, 100], "interval_s": [10, 300]}, 0.1)
        if self.chance(0.15):
            self.after_jobs(s)
        s["start_up"] = {"weights_gb": self.pick(0, 5), "was_there": self.chance(0.5),
                         **self.some({"load_gb_per_s": [0.1, 10], "warm_up_s": [0, 60],
                                      "pull_cached_s": [0]}, 0.1)}
        if "start_s" in s:
            s["start_up"]["was_there"] = False
        if "start_s" in s and "depends_on" not in s:
            s |= self.some({"end_s": [1000, 3000]}, 0.5)
        if self.chance(0.4):
            s["timeout_s"] = self.pick(5, 30)
        if self.chance(0.3):
            s["lost_requests"] = self.pick("requeue", "drop")
        kind = self.pick("none", "hpa", "hpa", "profile", "forecast")
        s["autoscaler"] = {"kind": kind}
        if kind == "profile":
            s["autoscaler"]["replicas"] = [max(low, self.r.randint(1, 5)) for _ in range(24)]
        if kind == "hpa" and self.chance(0.5):
            s["autoscaler"]["metrics"] = self.pick({"duty": 0.6}, {"duty": 0.5, "concurrency": 0.7})
            if "model" in s["service_time"].get("llm", {}) and self.chance(0.5):
                s["autoscaler"]["metrics"] = self.pick(
                    {"kv_use": 0.3}, {"first_token_s": 0.5}, {"per_token_s": 0.03},
                    {"output_tokens_per_s": 100})
            elif self.chance(0.3):
                s["autoscaler"]["metrics"] = self.pick({"rate_per_s": 1}, {"queue": 2})
            if self.chance(0.3):
                s["autoscaler"] |= {"up": {"policies": [{"pods": 1, "period_s": 30}]},
                                    "tolerance": self.pick(0, 0.1),
                                    "down": {"window_s": self.pick(0, 60), "policies": [{"percent": 50, "period_s": 30}],
                                             "select": self.pick("max", "min", "disabled")}}
            if self.chance(0.1):
                s["autoscaler"]["behaviour"] = False
        if kind == "forecast":
            s["autoscaler"] |= self.some({"headroom": [1, 2], "lead_s": [0, 600], "replica_rate_per_s": [0.5, 5],
                                          "bin_s": [60, 900]}, 0.2)
            s["autoscaler"] |= self.pick({}, {"forecast": "daily-max", "days": 2}, {"level": 0.9, "trend": 0, "season": 1})
        if kind in ("hpa", "forecast") and low == 0:
            s["autoscaler"]["idle_s"] = 600
        if "law" not in s["service_time"] and "batch" not in s["service_time"] and self.chance(0.15):
            self.recorded_requests(s, i)
        return s

    def workload(self):
        recorded = not self.federation and self.chance(0.25)
        if recorded:
            self.trace()
        # drawn jobs have numbers: these may be too few for the last
        self.names = [f"j{k}" for k in range(self.n_jobs)] if recorded else ["1", "2", "3"]
        services = [self.service(i) for i in range(self.pick(0, 0, 1, 1,
                                                             2))] if not self.federation else []
        sessions = [{"group": f"n{i}", "users": self.pick(2, 4),
                     "per_user_weekday": self.pick(2, 6), "queue": self.r.choice(self.leaves),
                     "gpus": {self.pick(0.5, 1): 3, 2: 1},
                     **self.some({"priority": [0, 5], "preemptible": [True, False],
                                  "forgotten": [0, 0.5], "cap_s": [7200, 86400]}),
                     **self.some({"duty": [0.2, 1]}, 0.2),
                     **self.some({"models": [{"none": 1, "LM": 1}]}, 0.2),
                     **({"gpu_types": {"any": 3, self.r.choice(self.models): 1}}
                        if self.models and self.chance(0.2) else {}),
                     **({"culling": {"cull": self.pick("release", "kill", "off"), "release_s": 900,
                                     "delete_s": 1800, "period_s": 60}} if self.chance(0.6)
                        else {}),
                     **({"kinds": [{"share": 1}, {"share": 1, "forgotten": 0.5, "think": {
                         "law": "exponential", "mean_s": 300}}]} if self.chance(0.3) else {})}
                    for i in range(self.pick(0, 0, 1, 1, 2))] if not self.federation else []
        for x in sessions:
            if self.chance(0.2) and "kinds" not in x:
                x["preset"] = "adobe"
                x.pop("forgotten", None)            # this preset's kinds have some
        self.sessions = bool(sessions)
        if recorded:
            w = {"workload": "random", "start": "2026-01-05T08:00:00Z", "span_s": self.pick(*self.SPANS),
                 "trace": "jobs.csv"}
        else:
            w = self.laws(bool(services or sessions))
        text = [f"{k}: {flow(v)}" for k, v in w.items()]
        for name, items in (("sessions", sessions), ("services", services)):
            if items:
                text += [f"{name}:"] + [f"  - {flow(x)}" for x in items]
        self.files["load.yaml"] = "\n".join(text) + "\n"
        return "load.yaml"

    def laws(self, beside):
        """Of drawn jobs, perhaps beside services and sessions."""
        w = {"workload": "random", "start": "2026-01-05T08:00:00Z",
             "span_s": self.pick(*self.SPANS), "load": {"target": self.pick(0.3, 0.6, 0.9)}}
        if not beside:
            w["jobs"] = self.DRAWN
            del w["span_s"]
        w["arrivals"] = {"law": self.pick("poisson", "hyper", "mmpp")}
        if w["arrivals"]["law"] == "hyper":
            w["arrivals"]["c2"] = 4
        if w["arrivals"]["law"] == "mmpp":
            w["arrivals"] |= {"burst_ratio": 5, "burst_s": 600, "calm_s": 1800}
        w["arrivals"] |= self.some({"daily": [[0, 5] * 12], "weekly": [[3, 1, 1, 1, 1, 0, 0]],
                                    "growth_per_day": [0.5]}, 0.1)
        w |= self.some({"cpus_per_gpu": [1, 4], "memory_gib_per_gpu": [8]}, 0.1)
        w["users"] = {"count": 12}
        w["projects"] = {"names": self.leaves}
        if self.chance(0.5):
            w["estimates"] = "uniform:2"
        if self.chance(0.3):
            w["retries"] = {"probability": 0.3, "most": 2, "median_s": 300, "sigma": 1}
        if self.chance(0.2):
            w["classes"] = [{"class": "training", "share": 0.7},
                            {"class": "interactive", "share": 0.3, "gpus": {1: 1}, "priority": 2,
                             "durations": {"law": "exponential", "mean_s": 600}}]
        if self.chance(0.15):
            w["arrivals"]["sweeps"] = {"probability": 0.3, "mean_jobs": 4, "within_s": 5}
        w["gpus"] = {1: 6, 2: 2, 4: 1}
        if self.most >= 8:
            w["gpus"][8] = 1
        w["node_gpus"] = min(self.node_gpus)
        if self.chance(0.3):
            w["split"] = "node"
        w["durations"] = self.pick(*3 * [{"law": "lognormal", "mean_s": 1800, "median_s": 600, "most_s": 20000}],
                                   {"law": "exponential", "mean_s": 900}, {"law": "fixed", "value_s": 300},
                                   {"law": "weibull", "shape": 0.7, "scale_s": 600},
                                   {"law": "log-uniform", "from_s": 10, "to_s": 5000})
        if self.chance(0.4):
            w["fates"] = {"completed": {"share": 0.7}, "cancelled": {"share": 0.1, "multiple": 2},
                          "failed": {"share": 0.2, "early": 0.7, "early_median_s": 60,
                                     "early_sigma": 1}}
        if self.chance(0.4):
            w["models"] = {"ResNet-50": 0.5, "BERT-base": 0.3, "none": 0.2}
        return w
