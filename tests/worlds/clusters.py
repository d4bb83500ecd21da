"""clusters.py - the cluster file of a random world: node groups, queues, batch sites, flavors, sections, federations."""
import random

from draw import Draw, flow

# What the law of a step of an LLM knows; and of the types of nodes that are drawn
LLM_GPUS = {"A100-SXM4-80", "A100-SXM4-40", "H100-SXM5-80", "L40S-48", "L4-24"}
MODEL_OF = {"dgx-a100": "A100-SXM4-40", "dgx-a100-80": "A100-SXM4-80", "hgx-h100": "H100-SXM5-80",
            "pcie-4xL4": "L4-24", "pcie-8xL40S": "L40S-48"}


class Clusters(Draw):
    def group(self, i):
        g = {"group": f"g{i}"}
        kind = self.r.random()
        if kind < 0.35:
            g |= {"type": self.pick("dgx-a100", "dgx1-v100", "dgx-a100-80", "hgx-h100", "pcie-4xL4",
                                    "pcie-8xL40S", "gb200-nvl72"), "count": self.pick(1, 2, 3, 4)}
        elif kind < 0.5:
            g |= {"count": self.pick(1, 2), "gpus": self.pick(2, 4, 8), "gpu_model": "A100-SXM4-40",
                  "cpus": 64, "memory_gib": 512}
            if self.chance(0.5):
                g |= {"mig_strategy": "dynamic"}
            else:
                g |= self.pick({"mig": {"3g.20gb": 1, "1g.5gb": 2}}, {"mig": {"1g.5gb": 7}},
                               {"mig": {"2g.10gb": 3}, "mig_strategy": "single"})
            self.mig = True
        else:
            g |= {"count": self.pick(1, 2, 4, 6), "gpus": self.pick(2, 4, 8),
                  "gpu_model": self.pick("A100-SXM4-80", "V100-SXM2-32", "T4-16", "A100")}
            g |= self.some({"cpus": [32, 64, 128], "memory_gib": [256, 1024],
                            "island_gpus": [0, 2, 4], "nodes_per_rack": [1, 2, 3]})
            g |= self.some({"numa_nodes": [1, 2], "nics": [1, 2], "counted": [True]}, 0.06)
            if "nics" in g:
                g["nic_gbps"] = self.pick(12.5, 25)
            g |= self.some({"gpu_memory_gib": [16, 80]}, 0.04)
            if self.chance(0.2):
                g |= {"labels": {"zone": self.pick("a", "b")}}
            if self.chance(0.06):
                g |= {"taints": ['"old=yes:NoSchedule"']}
        if "nodes_per_rack" in g and self.chance(0.5):
            g["racks_per_pod"] = 2
        g |= self.some({"weight": [1, 5, 20]}, 0.3 if self.policy == "slurm" else 0.02)
        if i > 0 and "mig" not in g and "mig_strategy" not in g and self.chance(self.POOLED):
            g["pool"] = {"min": self.pick(0, 0, 1), **self.some(self.POOL)}
            g["pool"]["min"] = min(g["pool"]["min"], g["count"])
            if self.chance(0.4):
                g["pool"]["spot"] = {"reclaims_per_node_day": self.pick(*self.RECLAIMS),
                                     "notice_s": self.pick(30, 120)}
        return g

    def gpus_of(self, g):
        return g.get("gpus") or {"dgx2-v100": 16, "pcie-4xL4": 4, "gb200-nvl72": 4}.get(g.get("type"), 8)

    def quota(self, gpus, share):
        q = {"deserved_gpus": int(gpus * share)} if self.chance(0.8) else {}
        q |= self.some({"weight": [1, 2, 3], "priority": [50, 100, 200],
                        "preempt_min_runtime_s": [0, 300], "reclaim_min_runtime_s": [0, 300],
                        "lending_limit_gpus": [2, 4], "borrowing_limit_gpus": [2, 8],
                        "queueing": ["best-effort-fifo", "strict-fifo"]}, 0.12)
        q |= self.some({"cpu_weight": [0.5, 2], "memory_weight": [2], "limit_cpus": [64, 256],
                        "limit_memory_gib": [256], "deserved_cpus": [16, 64],
                        "deserved_memory_gib": [128],
                        "borrowing_limit_cpus": [8], "lending_limit_cpus": [8],
                        "borrowing_limit_memory_gib": [64], "lending_limit_memory_gib": [64]}, 0.02)
        if self.chance(0.1):
            q["limit_gpus"] = max(q.get("deserved_gpus", 0), int(gpus * 0.7), 8)
        if self.chance(0.03):
            q["budget_gpu_h_per_month"] = self.pick(10, 60)
        return q

    def preemption(self):
        p = self.some({"reclaim_within_cohort": ["any", "lower-priority", "never"],
                       "within_queue": ["never", "lower-priority", "lower-or-newer-equal"],
                       "borrow_within_cohort": ["never", "lower-priority"]}, 0.5)
        if p.get("borrow_within_cohort") == "lower-priority":
            p |= self.some({"borrow_priority_threshold": [0, 2]}, 0.5)
        return p

    def usable(self, g):
        """GPUs of a group that are always there, for jobs that ask for whole ones."""
        cut = "mig" in g or "mig_strategy" in g
        if "pool" in g or (cut and g.get("mig_strategy") != "single"):
            return 0
        return g["count"] * (sum(g["mig"].values()) if cut else self.gpus_of(g))

    def flavors(self, queues, groups):
        """Kinds of nodes, by a label of their groups, and a quota of each for every queue with jobs: no more
        together than its nodes have, for what is admitted beyond that waits for ever."""
        kinds = ["x", "y"][:self.pick(1, 2, 2)]
        for i, g in enumerate(groups):
            g["labels"] = g.get("labels", {}) | {"kind": kinds[i % len(kinds)]}
        flavors = [{"name": k, "node_labels": {"kind": k}} for k in kinds]
        if self.chance(0.2):
            flavors.append({"name": "rest", **self.some({"taints": [['"old=yes:NoSchedule"']],
                                                         "tolerations": [["old"]]}, 0.3)})
        left = {f["name"]: sum(self.usable(g) for g in groups if "node_labels" not in f
                               or g["labels"]["kind"] == f["name"]) for f in flavors}
        cpus = self.chance(0.2)
        for q in (leaf for top in queues for leaf in ([top] if "local_queues" in top else top.get("queues", [top]))):
            of = self.r.sample(flavors, len(flavors))[:self.pick(1, len(flavors), len(flavors))]
            quota = {f["name"]: min(self.pick(0, 2, 4, 8), left[f["name"]]) for f in of}
            for f in of:
                left[f["name"]] -= quota[f["name"]]
            q["flavors"] = [{"flavor": f["name"], "deserved_gpus": quota[f["name"]],
                             **self.some({"borrowing_limit_gpus": [0, 2], "lending_limit_gpus": [0, 2]},
                                         0.15),
                             **({"deserved_cpus": self.pick(8, 64)} if cpus else {})} for f in of]
            if self.chance(0.4):
                q["fungibility"] = self.some({
                    "when_can_borrow": ["may-stop-search", "try-next-flavor"],
                    "when_can_preempt": ["may-stop-search", "try-next-flavor"],
                    "preference": ["borrowing-over-preemption", "preemption-over-borrowing"]}, 0.6)
                if not q["fungibility"]:
                    del q["fungibility"]
        return flavors

    def some_nodes(self, groups):
        """Of a partition: all nodes, or some of some groups."""
        if self.chance(0.5):
            return "all"
        of = self.r.sample(groups, self.r.randint(1, len(groups)))
        return {g["group"]: "all" if self.chance(0.5) else
                self.pick('"0"', f'"0-{g["count"] - 1}"') for g in of}

    def site(self, groups):
        """Partitions, QOS, accounts and time limits; what jobs may name of them in self.partitions, self.qos, self.accounts."""
        s = {}
        if self.chance(0.6):
            names = ["few", "high", "low"][:self.pick(1, 2, 3)]
            s["qos"] = [{"name": q, **self.some({
                "priority": [0, 10, 100], "group_gpus": [8, 16], "group_jobs": [2, 5],
                "max_gpus_per_job": [8, 16], "max_gpus_per_user": [4, 8], "max_gpus_per_account": [8],
                "max_jobs_per_user": [1, 3], "max_jobs_per_account": [3], "max_time_s": [100, 2000],
                "min_gpus": [1, 2], "preempt_mode": ["requeue", "cancel", "suspend", '"off"'], "grace_s": [0, 10],
                "no_reserve": [True, False]}, 0.15)} for q in names]
            if len(names) > 1 and self.chance(0.6):
                s["qos"][1]["preempts"] = [x for x in names if x != names[1]]
            self.qos = names
        if self.chance(0.8):
            self.partitions = ["p0", "p1", "p2"][:self.pick(1, 2, 3)]
            s["partitions"] = [{"name": p, "nodes": "all" if i == 0 and self.chance(0.7)
                                else self.some_nodes(groups), **self.some({
                                    "tier": [1, 5], "factor": [1, 10], "max_time_s": [1000, 5000],
                                    "default_time_s": [60, 2000], "min_nodes": [1],
                                    "max_nodes": [1, 4], "preempt_mode": ["requeue", "cancel", "suspend", '"off"'],
                                    "grace_s": [0, 10], "qos": self.qos or [None]}, 0.2)}
                               for i, p in enumerate(self.partitions)]
            for p in s["partitions"]:
                if p.get("qos", 0) is None:
                    del p["qos"]
                if self.chance(0.02):
                    p["state"] = "down"
            if self.chance(0.3):
                self.r.choice(s["partitions"])["default"] = True
        if self.chance(0.5):
            s["accounts"] = self.account_tree()
        if self.chance(0.5):
            s["time_limits"] = self.some({"over_s": [0, 60], "check_s": [0, 30], "grace_s": [0, 10],
                                          "enforce": [True, False]}, 0.4) or {"over_s": 0}
        return s

    def reservations(self, groups, queues):
        """Once or again and again, of queues, users, partitions, or of none."""
        def one(name):
            begin, lasts = self.r.randint(0, 3000), self.r.randint(1, 2000)
            r = {"name": name, "nodes": self.some_nodes(groups), "from_s": begin,
                 "until_s": begin + lasts, **self.some({"drain_s": [0, 300],
                                                        "running": ["stop", "keep"]}, 0.3)}
            if self.chance(0.5):
                r["every_s"] = lasts + r.get("drain_s", 0) + self.r.randint(1, 4000)
            if self.chance(0.25):
                r["taint"] = self.pick('"old=yes:NoExecute"', '"old=yes:NoSchedule"', '"new:NoExecute"')
                return r
            if queues and self.chance(0.7):
                r["queues"] = self.r.sample(queues, 1)
            if self.chance(0.3):
                r["users"] = ["u0", "u1"]
            if self.partitions and self.chance(0.3):
                r["partitions"] = [self.r.choice(self.partitions)]
            return r
        return [one(name) for name in ["ra", "rb"][:self.pick(1, 1, 2)]]

    def account_tree(self):
        def account(name, below=None):
            a = {"name": name, **self.some({
                "shares": [1, 60], "priority": [0, 10], "group_gpus": [8, 16], "group_jobs": [3],
                "max_gpus_per_job": [8, 16], "max_jobs": [2, 5], "max_time_s": [1000],
                "default_qos": self.qos or [None]}, 0.15)}
            if a.get("default_qos", 0) is None:
                del a["default_qos"]
            if below:
                a["accounts"] = below
            else:
                a["users"] = [{"name": f"u{u}", **self.some({"max_jobs": [1, 4], "shares": [1, 3]}, 0.2)}
                              for u in range(6)]
            return a
        self.accounts = list(self.leaves)
        leaves = [account(q) for q in self.leaves]
        return [account("org", leaves)] if self.chance(0.4) else leaves

    def queues(self, gpus, groups):
        """The leaves in self.leaves."""
        self.leaves = ["a", "b", "c"][:self.pick(1, 2, 3)]
        if self.chance(0.2):
            return None
        share = 1 / len(self.leaves)
        if self.chance(0.3):
            self.leaves = ["a", "b", "c", "d"]
            preemption = self.preemption()
            top = {"name": "top", **({"preemption": preemption} if preemption else {}),
                   "queues": [{"name": q, **self.quota(gpus, 0.25)} for q in "ab"]}
            rest = {"name": "rest", **self.quota(gpus, 0.5),
                    "queues": [{"name": q, **self.quota(gpus, 0.2)} for q in "cd"]}
            if self.chance_for(("cohort",), 0.3, 0.03):
                rest["local_queues"] = self.pick("fifo", "by-use")
                rest["queues"] = [{"name": q, **self.some({"weight": [1, 3]})} for q in "cd"]
            for q in (rest, *rest["queues"], *top["queues"]):
                q.pop("limit_gpus", None)
            return [top, rest]
        queues = [{"name": q, **self.quota(gpus, share)} for q in self.leaves]
        if self.chance_for(("cohort", "quota"), 0.5, 0.1):
            self.has.add("cohort")          # as one queue above them
            for q in queues:
                preemption = self.preemption()
                q |= {"preemption": preemption} if preemption else {}
        if self.chance(0.08) and "mig" not in groups[0] and "mig_strategy" not in groups[
            0] and groups[0]["count"] > 1:
            queues[0]["nodes"] = {"g0": 1}
        return queues

    def windows(self, queues):
        """Quotas of some queues at the bottom change with time."""
        for q in queues:
            if q.get("queues"):
                self.windows(q["queues"])
                continue
            if self.chance(0.3):
                continue
            q["windows"] = []
            for _ in range(self.pick(1, 1, 2)):
                begin, lasts = self.r.randint(0, 3000), self.r.randint(1, 2000)
                w = {"from_s": begin, "until_s": begin + lasts}
                if self.chance(0.6):
                    w["every_s"] = lasts + self.r.randint(0, 4000)
                w["deserved_gpus"] = min(self.pick(0, 2, 8), q.get("limit_gpus", 8))
                if self.chance(0.4):
                    w["limit_gpus"] = w["deserved_gpus"] + self.pick(0, 4, 16)
                q["windows"].append(w)

    def failures(self, groups):
        f = self.some({"rate": ["rsc-1", "llama-3", "infinite-hbd"], "scope": ["node", "gpu"],
                       "detection_s": [0, 60], "gap_shape": [0.7, 1],
                       "lemon_shape": [0, 0.93], "relapse_share": [0, 0.3],
                       "repair": ["weibull", "lognormal"], "remediation": ["auto", "none"],
                       "hang_share": [0, 0.3], "max_retries": [1, 3, "unlimited"],
                       "software_faults_per_day": [0, 0.5, 5],
                       "cordon_faults": [2, 3], "switch_faults_per_year": [0, 20]}, 0.3)
        f |= self.some({"network_faults_per_node_day": [0, 3],
                        "maintenance_faults_per_node_day": [0, 2],
                        "software_saturation_gpus": [1, 8, "unlimited"],
                        "slow": [{}, {"per_node_day": 4, "scope": "node", "then": "none"},
                                 {"per_node_day": 4, "scope": "link", "detect_median_s": 2000},
                                 {"share_at_start": 0.5, "paces": [[0.5, 1], [0.25, 3]]}]}, 0.2)
        if groups[0]["count"] > 1 and "pool" not in groups[0] and self.chance(0.15):
            f["spares"] = {"g0": 1}
            if self.chance(0.3):
                f["in_reserve"] = [0]
        if "slow" in f and self.chance(0.3):
            f["slow_past"] = {"s": 90000, **self.some({"drawn_from_s": [80000]}, 0.3)}
        if self.chance(0.6):
            f.pop("rate", None)
            f["faults_per_node_day"] = self.pick(0.5, 2, 6)
        if self.chance(0.25):
            f["maintenance"] = [{"group": "g0", "first": 0, "count": 1, "from_s": 7200,
                                 "until_s": 14400, **self.some({"drain_s": [1800],
                                                                "running": ["keep", "stop"]})}]
        if self.chance(0.2):
            switch = ["switch"] if "nodes_per_rack" in groups[0] or "levels" in groups[0] else []
            f["faults"] = [{"group": "g0", "node": 0,
                            "cause": self.pick("nic", "unknown", "power", *switch),
                            "at_s": 5000, "repair_s": 3600,
                            **self.some({"detection_s": [0, 100]}, 0.2)}]
            if self.chance(0.2):
                f["faults"].append({"kind": "slow", "group": "g0", "node": 0,
                                    "phi": self.pick(0.3, 1),
                                    "at_s": 1000, "detect_s": self.pick(0, 500, 9000),
                                    **self.some({"gpu": [0], "then": ["drain", "none"],
                                                 "repair_s": [10]}, 0.4)})
        return f | self.laws_of_faults(f)

    def laws_of_faults(self, f):
        """Numbers of the laws that the section has on."""
        laws = self.some({"relapse_mean_s": [60, 20000], "cordon_within_s": [1000],
                          "switch_repair_s": [1, 600], "maintenance_repair_s": [1, 600],
                          "software_faults_per_gpu_year": [0, 1000],
                          "software_hazard_min_gpus": [2]}, 0.08)
        if self.chance(0.1):
            laws["mix"] = {"gpu": 3, "stress": 1, "cable": 1, "task": self.pick(0, 2)}
        if f.get("hang_share"):
            laws |= self.pick({}, {}, {"hang_least_s": 0, "hang_most_s": self.pick(0, 60)})
        if f.get("repair") == "weibull":
            laws |= self.some({"repair_shape": [0.5, 2], "repair_scale_s": [10, 5000]}, 0.3)
        if f.get("repair") == "lognormal":
            laws |= self.some({"repair_mu": [0.1], "repair_sigma": [0.1, 1],
                               "repair_most_s": [7200]}, 0.3)
        if f.get("remediation") == "auto":
            laws |= self.some({"remediation_share": [0, 1], "remediation_median_s": [1, 300],
                               "remediation_sigma": [0.1, 2]}, 0.3)
        return laws

    def sections(self, groups):
        s = {}
        models = all(g.get("gpu_model") != "A100" for g in groups)
        known = models and all("type" in g for g in groups)
        if self.chance(0.3):
            s["progress"] = self.some({"overlap": [1, 2], "unknown": ["factor", "none"],
                                       "parallel": ["none", "3d"], "tp_span": ["any", "island"],
                                       "model": ["analytic", "factor"] if known else ["factor"]})
            if not known:
                s["progress"]["model"] = self.pick("factor", "none")
            elif self.chance(0.3):
                s["models"] = [{"name": "LM", "like": self.pick("ResNet-50", "GPT-2-small"),
                                "input_cpu_s": self.pick(0.01, 0.5, 20)}]
            if self.chance(0.3):
                s["progress"]["factors"] = {"rack": 0.8, "cluster": 0.5}
            if known and self.chance(0.6):
                s["fabric"] = self.some({"leaf_oversubscription": [1, 2, 4],
                                         "spine_oversubscription": [1, 7],
                                         "contention": ["none", "maxmin"],
                                         "transport": ["rdma", "tcp"],
                                         "uplink_share": ["worst", "placement"],
                                         "nic_affinity": ["rail", "shared", "auto"]}, 0.6)
                s["fabric"] |= self.some({"efficiency": [0.5, {"nvlink": 0.9, "network": 0.6}],
                                          "numa_factor": [0.5], "base_us": [0, 20]}, 0.1)
                if self.chance(0.3):
                    s["progress"]["parallel"] = "3d"
                    s["fabric"] |= {"rails": True, "contention": "none"}
                if s["fabric"].get("contention") == "maxmin":
                    s["fabric"] |= self.some({"phases": ["mean", "all"]}, 0.3)
        if self.chance(0.65):
            p = s["preemption"] = self.some({"save_s": [0, 10, 60], "grace_s": [0, 30, 120],
                                             "start_s": [0, 10, "parts"],
                                             "restart_s": [0, 60, "parts"]}, 0.5)
            if "parts" in p.values():
                p |= self.some({"init_s": [0, 1], "init_doubling_s": [0, 7]}, 0.3)
            p["checkpoint"] = self.pick("none", "perfect", "periodic", "periodic")
            if p["checkpoint"] == "periodic":
                p["interval_s"] = self.pick(120, 600, 1800)
                p |= self.some({"checkpoint_s": [5, 30], "checkpoint_gib": [1, 20],
                                "blocking": [0.1, 1]}, 0.3)
                if p.get("checkpoint_s") and self.chance(0.3):
                    p |= {"interval_s": "auto", "node_mtbf_s": 1e6,
                          "interval_law": self.pick("daly", "young")}
        if self.chance(0.25):
            s["storage"] = self.some({"read_gbps": [1, 20], "write_gbps": [1, 20],
                                      "node_read_gbps": [1, 5], "contention": ["none", "maxmin"],
                                      "cache_gib": [0, 100, 1000], "pull_s": [60, 180],
                                      "node_write_gbps": [0.5, 4], "pull_cached_s": [0, 5],
                                      "images_per_node": [1, 2], "image_gib": [10]})
        if self.chance(0.3):
            s["failures"] = self.failures(groups)
            if any("nodes" in q for q in s.get("queues", ())):
                s["failures"].pop("spares", None)
                s["failures"].pop("in_reserve", None)
        if self.chance(0.3):
            s["sharing"] = self.some({"mode": ["exclusive", "timeslice", "mps", "fraction"],
                                      "mig_exponent": [0, 0.9], "mig_reconfigure_s": [0, 30]}, 0.6)
            s["sharing"] |= self.some({"switch_loss": [0, 0.2], "switch_least": [0.5],
                                       "compute_factor": [0, 1], "bandwidth_factor": [0, 1],
                                       "combined_most": [1], "context_gib": [0, 2],
                                       "fraction_exponent": [0.5], "memory_usable": [0.5, 1]}, 0.06)
            if models:
                s["sharing"] |= self.some({"oom": ["reject", "fail"]}, 0.4)
            if self.chance(0.2):
                s["sharing"]["duties"] = {"LM": {"compute": 0.6, "bandwidth": 0.3, "memory_gib": 5}}
        if models and self.chance(0.25):
            s["power"] = self.some({"pue": [1, 1.3], "carbon_g_per_kwh": [100, 400],
                                    "exponent": [0.9, 1], "context_w": [0, 15], "duty": [0.5, 1]})
            if not all("type" in g for g in groups):
                s["power"]["node_idle_w"] = 500
            if self.chance(0.3):
                s["power"]["off_after_s"] = self.pick(300, 1800)
            if self.chance(0.2):
                s["power"]["cap_w"] = self.pick(60000, 120000)
                s["power"] |= self.some({"cap_by": ["clocks"], "clock_least": [0.2, 1]}, 0.5)
            elif self.chance(0.1):
                s["power"] |= {"cap_by": "rows", "row_cap_w": self.pick(20000, 60000, 120000)}
                s["power"] |= self.some({"row_low_at": [0.5, 0.8], "row_all_at": [0.8, 1], "row_release": [0, 0.05, 0.3],
                                         "row_clock": [0.3, 0.9], "row_look_s": [1, 60]}, 0.3)
            s["power"] |= self.some({"clock": [0.5, 1], "clock_exponent": [1, 3]}, 0.1)
            s["power"] |= self.some({"cpu_w": [0, 600], "cpu_duty": [0.3], "most_share": [1],
                                     "off_w": [20], "llm": [True]}, 0.1)
            if self.chance(0.1):
                s["power"].pop("carbon_g_per_kwh", None)
                s["power"]["carbon_file"] = "carbon.csv"
                self.files["carbon.csv"] = "carbon_g_per_kwh\n100\n0\n650.5\n"
            if self.chance(0.1):
                s["power"]["temperature_file"] = "outside.csv"
                s["power"] |= self.some({"free_cooling_c": [10], "pue_per_c": [0, 0.05]}, 0.4)
                self.files["outside.csv"] = "temperature_c\n-3\n25\n18\n"
            if self.chance(0.2):
                own = {} if "clock" in s["power"] else self.some({"gpu_cap_w": [100, 300]})
                own |= self.some({"low_priority": [True]}, 0.5)
                s["power"]["groups"] = {groups[0]["group"]: {"gpu_tdp_w": 350, "gpu_idle_w": 20, **own}}
        if models and self.chance(0.25):
            s["prices"] = self.some({"bill": ["allocated", "capacity"], "gpu_usd_per_h": [1, 2.5],
                                     "energy_usd_per_kwh": [0.1]}, 0.7)
            s["prices"].setdefault("gpu_usd_per_h", 2)
            s["prices"] |= self.some({"idle": ["apart", "by-use", "by-quota"]}, 0.4)
        if self.chance(0.25):
            s["elastic"] = self.some({"scaling": ["goodput", "linear"], "restart_s": [0, 30],
                                      "noise_steps": [5, 20]}, 0.6)
        if self.chance(0.4):
            s["period_s"] = self.pick(0, 1, 30, 60)
        if self.chance(0.08):
            s["passes"] = "event"
        if self.chance(0.1):
            s["placement_order"] = self.pick("id", "numa")
        if self.chance(0.1):
            s["invalid_dependency"] = self.pick("wait", "cancel")
        return s

    def zones(self, groups):
        """Sometimes a level beyond pods; by a stream of its own, so that all else stays as it is."""
        own = random.Random(f"zones {self.seed}")
        of = [g for g in groups if "nodes_per_rack" in g and "racks_per_pod" in g]
        self.has_zones = bool(of) and own.random() < 0.7
        for g in of if self.has_zones else ():
            g["levels"] = {"rack": g.pop("nodes_per_rack"), "pod": g.pop("racks_per_pod"), "zone": own.choice([1, 2, 3])}
            if "joins" in g:
                g["joins"] = own.choice(["rack", "pod", "zone"])

    def cluster(self, name):
        groups = [self.group(i) for i in range(self.pick(1, 1, 2, 2, 3))]
        usual = [g for g in groups if "pool" not in g and "mig" not in g
                 and "mig_strategy" not in g]
        if not usual:
            groups.append({"group": "g9", "count": 2, "gpus": 8, "gpu_model": "A100-SXM4-40"})
        if groups[0].get("taints"):
            del groups[0]["taints"]
        for before, g in zip(groups, groups[1:]):        # one rack, or one pod, of nodes that differ
            alike = "nodes_per_rack" in before and "nodes_per_rack" in g and not ("type" in before or "type" in g)
            if alike and ("racks_per_pod" in before) == ("racks_per_pod" in g) and self.chance(0.3):
                g["joins"] = self.pick("rack", "pod") if "racks_per_pod" in g else "rack"
        self.zones(groups)
        self.node_gpus = [self.gpus_of(g) for g in groups]
        self.first_is_plain = groups[0] in usual
        self.gpus = sum(n * g["count"] for n, g in zip(self.node_gpus, groups))
        self.models = sorted({g["gpu_model"] for g in groups if "gpu_model" in g})
        self.llm_gpus = sorted(LLM_GPUS & {g.get("gpu_model") or MODEL_OF.get(g.get("type")) for g in usual})
        self.most = max(n * g["count"] for n, g in zip(self.node_gpus, groups) if "pool" not in g
                        and "mig" not in g and "mig_strategy" not in g) \
            if usual else 16
        queues = self.queues(self.gpus, groups)
        flavors = self.flavors(queues, groups) \
            if queues and self.chance_for(("cohort",), 0.5, 0.04) else None
        if queues and not flavors and self.chance(0.1):
            self.windows(queues)
        text = [f"name: {name}", "nodes:"] + [f"  - {flow(g)}" for g in groups]
        if flavors:
            text += ["flavors:"] + [f"  - {flow(f)}" for f in flavors]
        if queues:
            text += ["queues:"] + [f"  - {flow(q)}" for q in queues]
        if "cohort" in self.has:
            text += ["cohort: all"]
        sections = self.site(groups) if self.chance_for(
            ("slurm", "fair-tree", "multifactor"), 0.75, 0.12) else {}
        sections |= self.sections(groups)
        if self.chance(0.12):
            sections["reservations"] = self.reservations(groups, self.leaves if queues else ())
        self.has |= set(sections)
        text += [f"{k}: {flow(v)}" for k, v in sections.items()]
        self.files[f"{name}.yaml"] = "\n".join(text) + "\n"
        return f"{name}.yaml"

    def federate(self):
        leaves = self.leaves
        self.partitions = self.qos = self.accounts = ()       # the other member has none
        self.files["two.yaml"] = ("nodes: [ { group: cloud, count: 8, gpus: 8 } ]\n"
                                  + ("queues: [" + ", ".join(f"{{ name: {q} }}" for q in leaves)
                                     + "]\n" if self.chance(0.5) else ""))
        route = self.pick("least-wait", "spill")
        self.files["both.yaml"] = (
            "federation: both\nmembers:\n  - { name: home, cluster: one.yaml }\n  - { name: cloud, cluster: two.yaml }\n"
                                   f"route: {route}\n" + ("limit_s: 300\n" if route == "spill"
                                                          else ""))
        return "both.yaml"
