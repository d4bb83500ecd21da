"""world.py - random worlds: a cluster, a trace or workload file, and the options of a run, all drawn from one seed.

World is of the usual size, for scripts/compare-builds. Wild is small, and full of what is rare and of values at the ends of
their ranges, for tests/worlds/run. Add a new key of a cluster file, a column of a trace or an option of `run` here.
"""
import json
import os
import random
import re
import subprocess

LEVELS = ["island", "node", "rack", "pod", "cluster"]
# parameters of policies that are numbers: what they may be drawn from; those not listed stay as
# they are
REALS = {
    "threshold1": [0, 300, 3250], "threshold2": [0, 1000, 7200], "promote": [0, 2, 8],
    "quantum_s": [60, 300], "learn": [5, 20, 100],
    "grown": [1.1, 1.25], "age_weight": [0, 1, 5], "age_max": [3, 10], "reorder": [0, 1, 3],
    "exempt_s": [0, 120],
    "calc_period_s": [60, 300], "half_life_s": [0, 3600, 604800], "w_age": [0, 1000],
    "w_fairshare": [0, 10000], "w_size": [0, 1000],
    "w_qos": [0, 500], "w_tres_gpu": [0, 500], "max_age_s": [3600, 604800], "top_priority": [1, 3],
    "depth": [1, 2, 5],
    "tests": [3, 10, 1000000000], "cpu": [0, 1, 3], "memory": [0, 1], "gpu": [0, 1, 5],
    "shape_0": [0, 5], "shape_100": [2, 10],
    "taint_weight": [0, 3], "affinity_weight": [0, 2, 7], "fit_weight": [1, 4],
    "balanced_weight": [0, 1], "backoff_s": [0, 1, 5],
    "backoff_most_s": [10, 60], "stale_s": [-1, 0, 60], "consolidation_victims": [-1, 0, 4, 16],
    "victims": [1, 5, 10000],
    "saturation": [1, 2], "k": [0, 1, 3], "half_life_h": [0, 1, 24], "f": [0, 0.5, 0.8],
    "lease_s": [120, 600, 1800],
    "every_s": [0, 60, 300], "interval_s": [30, 60, 300], "power": [-5, -1, 0, 1],
}
# The policy that asks for anything, which `run` builds of chaos.c, and what its parameters are drawn from.
CHAOS = "./chaos.so"
CHAOS_PARAMS = {
    "can": ["releasing", "timeline", "partial", "resize", "suspend", "tasks", "all", "plan"],
    "wrong": [0, 0.05, 0.5, 1], "acts": [1, 4, 40], "refuses": [0, 0.05],
}


def choices_of(binary, what):
    """Policies or placers and their parameters, as the program lists them: {name: {parameter:
    [values]}}."""
    text = subprocess.run([binary, "list", what, "-f", "json"], capture_output=True, text=True,
                          check=True).stdout
    return {x["name"]: {p["name"]: p.get("words") or REALS.get(p["name"], [])
                        for p in x["parameters"]} for x in json.loads(text)}


def flow(value):
    """YAML in flow style."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k}: {flow(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(flow(v) for v in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


class World:
    """One random run: its inputs, and the command line that reads them. All choices come from the
    seed."""
    FEDERATED, FROM_LAWS, POOLED = 0.05, 0.2, 0.12
    POOL = {"provision_s": [60, 180], "idle_s": [120, 600], "usd_per_node_h": [3, 9.5]}
    RECLAIMS = (2, 20)
    COUNTS = (20, 40, 80, 120)
    SPANS = (14400, 43200)
    DRAWN = 80
    AT_S = (3000, 4000, 9000, 12000)        # of a switch, of a snapshot

    def __init__(self, seed, policies, placers):
        self.r = random.Random(f"world {seed}")
        self.files, self.seed = {}, seed
        self.mig = self.shared = self.elastic = self.sessions = self.federation = False
        self.has = set()
        self.federation = self.chance(self.FEDERATED)
        cluster = self.cluster("one")
        if self.federation:
            cluster = self.federate()
        trace = self.workload() if self.chance(self.FROM_LAWS) else self.trace()
        self.command = ["GPUYARD", "run", "-c", cluster, "-t", trace,
                        *self.options(policies, placers), "--outputs", "all", "-o", "out"]

    def chance(self, p):
        return self.r.random() < p

    def pick(self, *of):
        return self.r.choice(of)

    def some(self, choices, p=0.4):
        """Each of `choices` (key: values) with probability p, at one of its values."""
        return {k: self.r.choice(v) for k, v in choices.items() if self.chance(p)}

    # ---- Cluster

    def group(self, i):
        g = {"group": f"g{i}"}
        kind = self.r.random()
        if kind < 0.35:
            g |= {"type": self.pick("dgx-a100", "dgx1-v100", "dgx-a100-80", "hgx-h100", "pcie-4xL4",
                                    "pcie-8xL40S"), "count": self.pick(1, 2, 3, 4)}
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
            if self.chance(0.2):
                g |= {"labels": {"zone": self.pick("a", "b")}}
            if self.chance(0.06):
                g |= {"taints": ['"old=yes:NoSchedule"']}
        if "nodes_per_rack" in g and self.chance(0.5):
            g["racks_per_pod"] = 2
        if i > 0 and "mig" not in g and "mig_strategy" not in g and self.chance(self.POOLED):
            g["pool"] = {"min": self.pick(0, 0, 1), **self.some(self.POOL)}
            g["pool"]["min"] = min(g["pool"]["min"], g["count"])
            if self.chance(0.4):
                g["pool"]["spot"] = {"reclaims_per_node_day": self.pick(*self.RECLAIMS),
                                     "notice_s": self.pick(30, 120)}
        return g

    def quota(self, gpus, share):
        q = {"deserved_gpus": int(gpus * share)} if self.chance(0.8) else {}
        q |= self.some({"weight": [1, 2, 3], "priority": [50, 100, 200],
                        "preempt_min_runtime_s": [0, 300], "reclaim_min_runtime_s": [0, 300],
                        "lending_limit_gpus": [2, 4], "borrowing_limit_gpus": [2, 8],
                        "queueing": ["best-effort-fifo", "strict-fifo"]}, 0.12)
        if self.chance(0.1):
            q["limit_gpus"] = max(q.get("deserved_gpus", 0), int(gpus * 0.7), 8)
        if self.chance(0.03):
            q["budget_gpu_h_per_month"] = self.pick(10, 60)
        return q

    def queues(self, gpus, groups):
        """The leaves in self.leaves."""
        self.leaves = ["a", "b", "c"][:self.pick(1, 2, 3)]
        if self.chance(0.2):
            return None
        share = 1 / len(self.leaves)
        if self.chance(0.3):
            self.leaves = ["a", "b", "c", "d"]
            preemption = self.some({"reclaim_within_cohort": ["any", "lower-priority", "never"],
                                    "within_queue": ["never", "lower-priority"]}, 0.5)
            top = {"name": "top", **({"preemption": preemption} if preemption else {}),
                   "queues": [{"name": q, **self.quota(gpus, 0.25)} for q in "ab"]}
            rest = {"name": "rest", **self.quota(gpus, 0.5),
                    "queues": [{"name": q, **self.quota(gpus, 0.2)} for q in "cd"]}
            for q in (rest, *rest["queues"], *top["queues"]):
                q.pop("limit_gpus", None)
            return [top, rest]
        queues = [{"name": q, **self.quota(gpus, share)} for q in self.leaves]
        if self.chance(0.08) and "mig" not in groups[0] and "mig_strategy" not in groups[
            0] and groups[0]["count"] > 1:
            queues[0]["nodes"] = {"g0": 1}
        return queues

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
        if self.chance(0.6):
            f.pop("rate", None)
            f["faults_per_node_day"] = self.pick(0.5, 2, 6)
        if self.chance(0.25):
            f["maintenance"] = [{"group": "g0", "first": 0, "count": 1, "from_s": 7200,
                                 "until_s": 14400, **self.some({"drain_s": [1800]})}]
        if self.chance(0.2):
            f["faults"] = [{"group": "g0", "node": 0, "cause": self.pick("nic", "unknown", "power"),
                            "at_s": 5000, "repair_s": 3600}]
        return f

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
            if self.chance(0.3):
                s["progress"]["factors"] = {"rack": 0.8, "cluster": 0.5}
            if known and self.chance(0.6):
                s["fabric"] = self.some({"leaf_oversubscription": [1, 2, 4],
                                         "spine_oversubscription": [1, 7],
                                         "contention": ["none", "maxmin"],
                                         "transport": ["rdma", "tcp"],
                                         "uplink_share": ["worst", "placement"],
                                         "nic_affinity": ["rail", "shared", "auto"]}, 0.6)
        if self.chance(0.65):
            p = s["preemption"] = self.some({"save_s": [0, 10, 60], "grace_s": [0, 30, 120],
                                             "start_s": [0, 10, "parts"],
                                             "restart_s": [0, 60, "parts"]}, 0.5)
            p["checkpoint"] = self.pick("none", "perfect", "periodic", "periodic")
            if p["checkpoint"] == "periodic":
                p["interval_s"] = self.pick(120, 600, 1800)
                p |= self.some({"checkpoint_s": [5, 30], "checkpoint_gib": [1, 20],
                                "blocking": [0.1, 1]}, 0.3)
        if self.chance(0.25):
            s["storage"] = self.some({"read_gbps": [1, 20], "write_gbps": [1, 20],
                                      "node_read_gbps": [1, 5], "contention": ["none", "maxmin"],
                                      "cache_gib": [0, 100, 1000], "pull_s": [60, 180],
                                      "images_per_node": [1, 2], "image_gib": [10]})
        if self.chance(0.3):
            s["failures"] = self.failures(groups)
        if self.chance(0.3):
            s["sharing"] = self.some({"mode": ["exclusive", "timeslice", "mps", "fraction"],
                                      "mig_exponent": [0, 0.9], "mig_reconfigure_s": [0, 30]}, 0.6)
            if models:
                s["sharing"] |= self.some({"oom": ["reject", "fail"]}, 0.4)
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
            s["power"] |= self.some({"clock": [0.5, 1], "clock_exponent": [1, 3]}, 0.1)
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
        return s

    def cluster(self, name):
        groups = [self.group(i) for i in range(self.pick(1, 1, 2, 2, 3))]
        usual = [g for g in groups if "pool" not in g and "mig" not in g
                 and "mig_strategy" not in g]
        if not usual:
            groups.append({"group": "g9", "count": 2, "gpus": 8, "gpu_model": "A100-SXM4-40"})
        if groups[0].get("taints"):
            del groups[0]["taints"]
        per_type = {"dgx2-v100": 16, "pcie-4xL4": 4}
        self.node_gpus = [g.get("gpus") or per_type.get(g.get("type"), 8) for g in groups]
        self.gpus = sum(n * g["count"] for n, g in zip(self.node_gpus, groups))
        self.models = sorted({g["gpu_model"] for g in groups if "gpu_model" in g})
        self.most = max(n * g["count"] for n, g in zip(self.node_gpus, groups) if "pool" not in g
                        and "mig" not in g and "mig_strategy" not in g) \
            if usual else 16
        text = [f"name: {name}", "nodes:"] + [f"  - {flow(g)}" for g in groups]
        queues = self.queues(self.gpus, groups)
        if queues:
            text += ["queues:"] + [f"  - {flow(q)}" for q in queues]
        sections = self.sections(groups)
        self.has |= set(sections)
        text += [f"{k}: {flow(v)}" for k, v in sections.items()]
        self.files[f"{name}.yaml"] = "\n".join(text) + "\n"
        return f"{name}.yaml"

    def federate(self):
        leaves = self.leaves
        self.files["two.yaml"] = ("nodes: [ { group: cloud, count: 8, gpus: 8 } ]\n"
                                  + ("queues: [" + ", ".join(f"{{ name: {q} }}" for q in leaves)
                                     + "]\n" if self.chance(0.5) else ""))
        route = self.pick("least-wait", "spill")
        self.files["both.yaml"] = (
            "federation: both\nmembers:\n  - { name: home, cluster: one.yaml }\n  - { name: cloud, cluster: two.yaml }\n"
                                   f"route: {route}\n" + ("limit_s: 300\n" if route == "spill"
                                                          else ""))
        return "both.yaml"

    # ---- Jobs

    def size(self):
        """GPUs of a job, and tasks (0: only a total)."""
        gpus = self.pick(1, 1, 1, 2, 2, 4, 4, 8, 16)
        gpus = min(gpus, self.most)
        if self.chance(0.5):
            return gpus, 0, 0
        per_task = self.pick(1, 2, 4)
        while per_task > gpus or per_task > min(self.node_gpus):
            per_task //= 2
        return gpus // per_task * per_task, per_task, gpus // per_task

    def gap_s(self, mean_s):
        return self.r.expovariate(1 / mean_s) if self.chance(0.85) else 0

    def run_s(self):
        return round(min(self.r.lognormvariate(7, 1.3), 40000),
                     self.pick(0, 0, 3)) if self.chance(0.97) else 0

    def trace(self):
        r = self.r
        n = self.pick(*self.COUNTS)
        optional = {"user": 0.8, "class": 0.5, "model": 0.5, "priority": 0.5, "preemptible": 0.5,
                    "estimate_s": 0.6, "deadline_s": 0.4, "status": 0.4,
                    "checkpoint": 0.1, "save_s": 0.1, "grace_s": 0.1, "restart_s": 0.1, "duty": 0.2,
                    "mem_bw_duty": 0.1,
                    "gpu_mem_used_gib": 0.15, "data_gib": 0.3, "image": 0.3, "topology": 0.25,
                    "depends_on": 0.15, "node_selector": 0.1,
                    "tolerations": 0.3, "max_per_node": 0.1, "gpu_type": 0.15, "min_tasks": 0.3,
                    "elastic": 0.4, "shares": 0.35, "mig": 0.8,
                    "groups": 0.15, "cpus_per_task": 0.3, "mem_gib_per_task": 0.2, "epochs": 0.3}
        on = {k for k, p in optional.items() if self.chance(p)} - ({"depends_on"} if self.federation
                                                                   else set())
        if not self.mig:
            on.discard("mig")
        names = ["ResNet-50", "BERT-base", "GPT-2-small", "LM", "GPT-3-6.7B", "unknown-net"]
        table, at, columns = [], 0.0, []
        pace = 3000.0 * n / 80 * self.pick(0.3, 1, 3) / n * 3
        for j in range(n):
            at += self.gap_s(pace)
            run = self.run_s()
            gpus, per_task, tasks = self.size()
            row = {"job_id": f"j{j}", "submit_s": round(at, 2), "duration_s": run,
                   "queue": r.choice(self.leaves)}
            mig = "mig" in on and self.chance(0.25)
            share = not mig and "shares" in on and self.chance(0.4)
            if mig:
                row |= {"mig": self.pick("1g.5gb", "1g.5gb", "2g.10gb", "3g.20gb"), "gpus": 1,
                        "gpus_per_task": 1, "tasks": 1}
            elif share:
                row |= {"gpus": 1, "gpus_per_task": 1, "tasks": 1,
                        "gpu_milli": self.pick(100, 250, 333, 500, 700)}
                self.shared = True
            else:
                row |= {"gpus": gpus} | ({"gpus_per_task": per_task, "tasks": tasks} if tasks
                                         else {})
            plain = not mig and not share
            if plain and tasks > 1 and "min_tasks" in on and self.chance(0.5):
                row["min_tasks"] = r.randint(1, tasks)
            if plain and "elastic" in on and self.chance(0.4):
                if tasks > 1:
                    row["max_tasks"] = tasks + r.randint(0, 2)
                    row.setdefault("min_tasks", r.randint(1, tasks))
                elif not tasks:
                    row |= {"min_gpus": max(1, gpus // 2), "max_gpus": min(gpus * 2, self.most)}
                if (row.get("max_tasks", 0) > tasks
                    or row.get("max_gpus", 0) > gpus) and self.chance(0.2):
                    row["moldable"] = "yes"
            values = {"user": lambda: f"u{r.randint(0, 5)}",
                      "class": lambda: self.pick("training", "batch", "interactive", "inference"),
                      "model": lambda: r.choice(names), "priority": lambda: r.randint(0, 3),
                      "preemptible": lambda: self.pick("yes", "yes", "no"),
                      "estimate_s": lambda: round(run * self.pick(0.7, 1, 1, 1.5, 3)
                                                  + self.pick(0, 60), 1),
                      "deadline_s": lambda: round(at + run * self.pick(1, 2, 5) + 60, 1),
                      "status": lambda: self.pick("completed", "completed", "completed", "failed",
                                                  "cancelled"),
                      "checkpoint": lambda: self.pick("none", "perfect"),
                      "save_s": lambda: self.pick(0, 20), "grace_s": lambda: self.pick(10, 60),
                      "restart_s": lambda: self.pick(0, 45),
                      "duty": lambda: self.pick(0.2, 0.5, 0.9),
                      "mem_bw_duty": lambda: self.pick(0.1, 0.6),
                      "gpu_mem_used_gib": lambda: self.pick(1, 4, 8),
                      "data_gib": lambda: self.pick(1, 50, 200),
                      "image": lambda: self.pick("i1", "i2", "i3"),
                      "epochs": lambda: self.pick(1, 3)}
            for k, draw in values.items():
                if k in on and self.chance(0.8):
                    row[k] = draw()
            if "epochs" in row and "data_gib" not in row:
                del row["epochs"]
            if row.get("checkpoint") is None and "checkpoint" in row:
                del row["checkpoint"]
            if "topology" in on and plain and self.chance(0.3):
                row["topology"] = self.pick("preferred:", "preferred:",
                                            "required:") + self.pick("rack", "pod", "cluster")
                if gpus > min(self.node_gpus):
                    row["topology"] = row["topology"].replace("required", "preferred")
            if "depends_on" in on and j > 2 and self.chance(0.2):
                row["depends_on"] = ";".join(sorted({f"j{r.randint(max(0, j - 10), j - 1)}"
                                                     for _ in range(self.pick(1, 1, 2))}))
            if "node_selector" in on and self.chance(0.1):
                row["affinity"] = "zone=b;40:zone=a" if self.chance(0.3) else "30:zone=a"
            if "tolerations" in on and self.chance(0.5):
                row["tolerations"] = "old"
            if plain and tasks > 1 and "max_per_node" in on and self.chance(0.1):
                row["max_per_node"] = max(1, tasks // 2)
            if plain and "gpu_type" in on and self.models and self.chance(0.2):
                row["gpu_type"] = "|".join(self.models)
            if "cpus_per_task" in on and ("tasks" in row):
                row["cpus_per_task"] = self.pick(0, 1, 2)
            if "mem_gib_per_task" in on and ("tasks" in row):
                row["mem_gib_per_task"] = self.pick(0, 4, 8)
            rows_of = [row]
            if plain and tasks > 1 and "groups" in on and self.chance(0.4):
                for k in ("min_tasks", "max_tasks", "moldable", "topology", "max_per_node",
                          "min_gpus", "max_gpus"):
                    row.pop(k, None)
                first = r.randint(1, tasks - 1)
                rows_of = [row | {"group": g, "tasks": t, "gpus": t * per_task,
                                  "gpus_per_task": per_task}
                           for g, t in ((self.pick("a", "x/a"), first), ("b", tasks - first))]
            table += rows_of
            columns = list(dict.fromkeys([*columns, *(k for x in rows_of for k in x)]))
        self.files["jobs.csv"] = "\n".join([",".join(columns)] + [
            ",".join(str(x.get(c, "")) for c in columns) for x in table]) + "\n"
        return "jobs.csv:native"

    # ---- Workload files: laws, services, sessions

    def service(self, i):
        llm = self.chance(0.3)
        low = self.pick(0, 1, 1, 2)
        s = {"name": f"s{i}", "queue": self.r.choice(self.leaves), "priority": self.pick(0, 5),
             "preemptible": self.chance(0.6),
             "gpus": 1 if llm else self.pick(0.5, 1, 1, 2), "replicas": {"min": low, "max": 6,
                                                                         "initial": max(1, low)},
             "mode": self.pick("fluid", "fluid", "requests")}
        if llm:
            s["service_time"] = {"llm": {"parameters": 7e9}}
            if self.chance(0.5):          # step by step
                s["service_time"] = {"llm": {
                    "model": "llama-3.1-8b", "max_num_seqs": self.pick(2, 16, 256),
                    "kv_tokens": self.pick(800, 3000, 50000), "prefix_share": self.pick(0, 0.5),
                    "step_law": {"a_s": 0.02, "b_s": 4e-5, "c_s": 1e-5, "d_s": 1e-7}}}
                s["dispatch"] = self.pick("jsq", "random2", "round_robin")
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
        s["start_up"] = {"weights_gb": self.pick(0, 5), "was_there": self.chance(0.5)}
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
                s["autoscaler"]["metrics"] = self.pick({"kv_use": 0.3}, {"first_token_s": 0.5})
        if kind in ("hpa", "forecast") and low == 0:
            s["autoscaler"]["idle_s"] = 600
        return s

    def workload(self):
        services = [self.service(i) for i in range(self.pick(0, 0, 1, 1,
                                                             2))] if not self.federation else []
        sessions = [{"group": f"n{i}", "users": self.pick(2, 4),
                     "per_user_weekday": self.pick(2, 6), "queue": self.r.choice(self.leaves),
                     "gpus": {self.pick(0.5, 1): 3, 2: 1},
                     **self.some({"priority": [0, 5], "preemptible": [True, False],
                                  "forgotten": [0, 0.5], "cap_s": [7200, 86400]}),
                     **({"culling": {"cull": self.pick("release", "kill", "off"), "release_s": 900,
                                     "delete_s": 1800, "period_s": 60}} if self.chance(0.6)
                        else {}),
                     **({"kinds": [{"share": 1}, {"share": 1, "forgotten": 0.5, "think": {
                         "law": "exponential", "mean_s": 300}}]} if self.chance(0.3) else {})}
                    for i in range(self.pick(0, 0, 1, 1, 2))] if not self.federation else []
        self.sessions = bool(sessions)
        w = {"workload": "random", "start": "2026-01-05T08:00:00Z",
             "span_s": self.pick(*self.SPANS), "load": {"target": self.pick(0.3, 0.6, 0.9)}}
        if not services and not sessions:
            w["jobs"] = self.DRAWN
            del w["span_s"]
        w["arrivals"] = {"law": self.pick("poisson", "hyper", "mmpp")}
        if w["arrivals"]["law"] == "hyper":
            w["arrivals"]["c2"] = 4
        if w["arrivals"]["law"] == "mmpp":
            w["arrivals"] |= {"burst_ratio": 5, "burst_s": 600, "calm_s": 1800}
        w["users"] = {"count": 12}
        w["projects"] = {"names": self.leaves}
        if self.chance(0.5):
            w["estimates"] = "uniform:2"
        if self.chance(0.3):
            w["retries"] = {"probability": 0.3, "most": 2, "median_s": 300, "sigma": 1}
        w["gpus"] = {1: 6, 2: 2, 4: 1}
        if self.most >= 8:
            w["gpus"][8] = 1
        w["node_gpus"] = min(self.node_gpus)
        if self.chance(0.3):
            w["split"] = "node"
        w["durations"] = {"law": "lognormal", "mean_s": 1800, "median_s": 600, "most_s": 20000}
        if self.chance(0.4):
            w["fates"] = {"completed": {"share": 0.7}, "cancelled": {"share": 0.1, "multiple": 2},
                          "failed": {"share": 0.2, "early": 0.7, "early_median_s": 60,
                                     "early_sigma": 1}}
        if self.chance(0.4):
            w["models"] = {"ResNet-50": 0.5, "BERT-base": 0.3, "none": 0.2}
        text = [f"{k}: {flow(v)}" for k, v in w.items()]
        for name, items in (("sessions", sessions), ("services", services)):
            if items:
                text += [f"{name}:"] + [f"  - {flow(x)}" for x in items]
        self.files["load.yaml"] = "\n".join(text) + "\n"
        return "load.yaml"

    # ---- Command line

    def described(self, table, name):
        given = {k: self.r.choice(v) for k, v in table[name].items() if v and self.chance(0.35)}
        if name == "quota":
            given.pop("allocate", None)
        return name + (":" + ",".join(f"{k}={v}" for k, v in given.items()) if given else "")

    def options(self, policies, placers):
        names, places = sorted(policies), sorted(placers)
        options = ["-p", self.described(policies, names[self.seed % len(names)]),
                   "--placement", self.described(placers, self.r.choice(places)), "--seed",
                   str(self.seed)]
        if "progress" not in self.has and options[3].startswith("rate"):
            options[3] = "pack"
        if self.chance(0.15):
            options += ["--until", str(self.pick(20000, 60000))]
        if self.chance(0.15):
            options += ["--load", str(self.pick(0.5, 2))]
        if self.chance(0.15):
            options += ["--warmup", str(self.pick(1, 3, 5))]
        if self.chance(0.15):
            options += ["--pods", str(self.pick(2, 4))]
        if self.chance(0.1):
            options += ["--sample-s", str(self.pick(60, 600))]
        if self.chance(0.15):
            options += ["--estimates", self.pick("perfect", "2", "uniform:1", "lognormal:0.5",
                                                 "buckets", "user-last2", "group-quantile")]
        if self.chance(0.05):
            options += ["--check"]
        if not self.federation and self.chance(0.1):
            options += ["--switch-policy",
                        f"{self.pick(*self.AT_S)}:{self.described(policies, self.r.choice(names))}"]
        if not self.federation and not self.sessions and "load.yaml" not in self.files and self.chance(0.1):
            options += ["--snapshot", str(self.pick(*self.AT_S))]
        return options

    def write(self, place):
        for name, text in self.files.items():
            with open(os.path.join(place, name), "w", encoding="utf-8") as f:
                f.write(text)


class Wild(World):
    """A small world: few jobs, short times, and values at the ends of their ranges."""
    FEDERATED, FROM_LAWS, POOLED = 0.08, 0.2, 0.3
    POOL = {"provision_s": [0, 1, 60], "idle_s": [0, 1, 600], "scan_s": [0.5, 10],
            "usd_per_node_h": [0, 9.5]}
    RECLAIMS = (0.1, 20, 1000)
    COUNTS = (1, 3, 6, 12, 20)
    SPANS = (600, 3600)
    DRAWN = 15
    AT_S = (0, 1, 10, 100, 1000)

    def __init__(self, seed, policies, placers):
        self.gaps = None
        super().__init__(seed, policies, placers)

    def gap_s(self, mean_s):
        self.gaps = self.gaps or self.pick((0,), (0, 1), (0, 5, 60), (0, 1e-9), (mean_s / 10,))
        return self.r.choice(self.gaps)

    def run_s(self):
        return self.pick(0, 1, 10, 10, 100, 100, 1000, 5000, 33.333333333)

    def overheads(self):
        p = self.some({"save_s": [0, 1, 100], "grace_s": [0, 1, 30, 1000], "start_s": [0, 1, "parts"],
                       "restart_s": [0, 5, 60, "parts"]}, 0.5)
        p["checkpoint"] = self.pick("none", "perfect", "periodic")
        if p["checkpoint"] == "periodic":
            p["interval_s"] = self.pick(1, 10, 600)
            p |= self.some({"checkpoint_s": [0, 5], "checkpoint_gib": [0, 1, 8],
                            "blocking": [0, 1]}, 0.3)
        return p

    def outages(self):
        """Drains and maintenance, listed faults, and drawn ones that come often."""
        f = self.some({"detection_s": [0, 60], "hang_share": [0, 1], "max_retries": [0, 1, 10],
                       "software_faults_per_day": [0, 1, 1000], "cordon_faults": [1, 3],
                       "switch_faults_per_year": [0, 1000], "scope": ["node", "gpu"]}, 0.3)
        f["rate"] = "none"
        if self.chance(0.3):
            del f["rate"]
            f["faults_per_node_day"] = self.pick(1, 100, 1000)
            f |= {"repair": "fixed", "repair_s": self.pick(0.001, 1, 100)}
        if "cordon_faults" in f:
            f["cordon_s"] = self.pick(1, 1000)
        if self.chance(0.6):
            start = self.pick(0, 10, 100, 1000)
            f["maintenance"] = [{"group": "g0", "from_s": start,
                                 "until_s": start + self.pick(1, 100, 2000),
                                 **self.some({"drain_s": [0, 10, 500], "every_s": [5000],
                                              "first": [0]}, 0.5)}]
            if "first" in f["maintenance"][0]:
                f["maintenance"][0]["count"] = 1
        if self.chance(0.4):
            f["faults"] = [{"group": "g0", "node": 0, "cause": self.pick("nic", "gpu", "unknown"),
                            "at_s": self.pick(0, 1, 100), "repair_s": self.pick(0.001, 1, 300)}
                           for _ in range(self.pick(1, 2, 3))]
        return f

    def sections(self, groups):
        s = super().sections(groups)
        if self.chance(0.4):
            s["preemption"] = self.overheads()
        if self.chance(0.35):
            s["failures"] = self.outages()
        if "progress" in s and self.chance(0.3):
            s["progress"]["factors"] = {self.pick("island", "node", "rack"): self.pick(0.01, 1)}
        if "storage" in s:
            s["storage"] |= self.some({"read_gbps": [0.01, "unlimited"], "gbps": [0.01],
                                       "cache_gib": [0, 1], "pull_s": [0, 5]})
        if "power" in s:
            s["power"] |= self.some({"off_after_s": [0, 1], "wake_s": [0, 1, 300],
                                     "rack_cap_w": [20000], "cap_w": [30000]})
        if self.chance(0.4):
            s["period_s"] = self.pick(0.1, 1, 10, 300)
        return s

    def queues(self, gpus, groups):
        queues = super().queues(gpus, groups)
        for q in queues or ():
            if self.chance(0.2):
                q |= self.some({"deserved_gpus": [0, 0.5, 100], "weight": [0, 0.001]}, 0.5)
        return queues

    def options(self, policies, placers):
        options = super().options(policies, placers)
        if "--until" in options:
            options[options.index("--until") + 1] = str(self.pick(1, 50, 500, 2000))
        else:
            options += ["--until", "200000"]    # a job that is interrupted for ever has an end
        return options
