"""world.py - random worlds: a cluster, a trace or workload file, and the options of a run, all drawn from one seed.

World is of the usual size, for scripts/compare-builds. Wild is small, and full of what is rare and of values at the ends of
their ranges, for tests/worlds/run. The policies take turns: seed by seed the next one of their names. A new key of a cluster
file belongs in clusters.py, a column of a trace in jobs.py, a key of a workload file in workloads.py, an option of `run` here.
"""
import json
import os
import random
import subprocess

import instants
from clusters import Clusters
from jobs import Jobs
from workloads import Workloads

# What the parameters of policies and placers that are numbers are drawn from; of those without values the default holds.
REALS = {
    "batch_sched_delay": [0, 3], "sched_interval": [1, 60], "default_queue_depth": [1, 100],
    "partition_job_depth": [0, 100], "sched_max_job_start": [0, 1], "bf_interval": [1, 30],
    "bf_window": [10, 1440], "bf_resolution": [1, 60, 300], "bf_max_job_test": [1, 5, 500],
    "bf_max_job_part": [0, 2], "bf_max_job_user": [0, 1], "bf_max_job_start": [0, 1],
    "bf_node_space_size": [0, 10], "bf_window_linear": [0, 600], "bf_min_age_reserve": [0, 100],
    "bf_min_prio_reserve": [0, 1000], "w_assoc": [0, 100], "w_jobsize": [0, 1000],
    "w_partition": [0, 1000], "preempt_reorder_count": [0, 1, 3], "requeue_delay_s": [0, 121],
    "kill_wait_s": [0, 30], "clock_s": [0, 1767600000],
    "norm_cpus": [0, 128], "norm_gpus": [0, 8],
    "allocate": [],                         # 0 starts nothing
    "threshold1": [0, 300, 3250], "threshold2": [0, 1000, 7200], "promote": [0, 2, 8],
    "sampling_s": [0, 60, 300], "use_gpus": [0, 2], "use_cpus": [0, 1], "use_memory_gib": [0, 0.1],
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
    "balanced_weight": [0, 1], "spread_weight": [0, 2, 5], "pod_affinity_weight": [0, 2],
    "image_weight": [0, 1, 5],
    "backoff_s": [0, 1, 5],
    "backoff_most_s": [10, 60], "stale_s": [-1, 0, 60], "consolidation_victims": [-1, 0, 4, 16],
    "victims": [1, 5, 10000],
    "saturation": [1, 2], "k": [0, 1, 3], "half_life_h": [1, 24], "f": [0, 0.5, 0.8],
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
    return {x["name"]: {p["name"]: p.get("words") or REALS[p["name"]]
                        for p in x["parameters"]} for x in json.loads(text)}


def turn_of(policies, seed):
    return sorted(policies)[seed % len(policies)]


class World(Clusters, Jobs, Workloads):
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
        self.policy = turn_of(policies, seed)
        self.n_jobs = self.DRAWN
        self.partitions = self.qos = self.accounts = ()
        self.mig = self.shared = self.elastic = self.sessions = self.federation = False
        self.has = set()
        self.federation = self.chance(self.FEDERATED)
        cluster = self.cluster("one")
        if self.federation:
            cluster = self.federate()
        trace = self.workload() if self.chance(self.FROM_LAWS) else self.trace()
        self.command = ["GPUYARD", "run", "-c", cluster, "-t", trace,
                        *self.options(policies, placers), "--outputs", "all", "-o", "out"]

    # ---- Command line

    def described(self, table, name):
        given = {k: self.r.choice(v) for k, v in table[name].items() if v and self.chance(0.35)}
        return name + (":" + ",".join(f"{k}={v}" for k, v in given.items()) if given else "")

    def options(self, policies, placers):
        names, places = sorted(policies), sorted(placers)
        placer = "kueue-tas" if "slices" in self.has and self.chance(0.7) else self.r.choice(places)
        options = ["-p", self.described(policies, self.policy),
                   "--placement", self.described(placers, placer), "--seed",
                   str(self.seed)]
        if "progress" not in self.has and options[3].startswith("rate"):
            options[3] = "pack"
        if self.chance(0.15):
            options += ["--until", str(self.pick(20000, 60000))]
        if self.chance(0.15):
            options += ["--load", str(self.pick(0.5, 2))]
        warmup = self.pick(1, 3, 5)
        if self.chance(0.15) and warmup < self.n_jobs:
            options += ["--warmup", str(warmup)]
        if self.chance(0.15):
            options += ["--pods", str(self.pick(2, 4))]
        if self.chance(0.1):
            options += ["--sample-s", str(self.pick(60, 600))]
        if self.chance(0.15):
            options += ["--estimates", self.pick("perfect", "2", "uniform:1", "lognormal:0.5",
                                                 "buckets", "user-last2", "group-quantile")]
        if self.chance(0.05):
            options += ["--check"]
        if self.chance(0.03):
            options += ["--quantiles", "wait_p95_s,jct_p25_s,slowdown_p75"]
        if self.chance(0.03) and "load.yaml" not in self.files:
            options += ["--retime", self.pick("2:100", "5:1000")]
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
    FEDERATED, FROM_LAWS, POOLED = 0.08, 0.25, 0.3
    POOL = {"provision_s": [0, 1, 60], "idle_s": [0, 1, 600], "scan_s": [0.5, 10],
            "usd_per_node_h": [0, 9.5]}
    RECLAIMS = (0.1, 20, 1000)
    COUNTS = (1, 3, 6, 12, 20)
    SPANS = (600, 3600)
    DRAWN = 15
    AT_S = (0, 1, 10, 100, 1000)

    TOGETHER = 0.3

    def __init__(self, seed, policies, placers):
        self.gaps = None
        super().__init__(seed, policies, placers)
        self.together(random.Random(f"instants {seed}"))
        if "--check" not in self.command and random.Random(f"check {seed}").random() < 0.5:
            self.command += ["--check"]

    def together(self, own):
        """Sometimes few times, all together; by a stream of its own, so that all else stays as it is."""
        if own.random() >= self.TOGETHER:
            return
        step = own.choice(instants.STEPS)
        self.files = instants.few(self.files, step)
        if "load.yaml" not in self.files:       # sessions and services are there for longer
            self.command[self.command.index("--until") + 1] = own.choice(
                [str(200000), str(step * own.randint(1, 2 * instants.MOST))])
        if "--snapshot" in self.command:
            self.command[self.command.index("--snapshot") + 1] = str(step * own.randint(0, instants.MOST))

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

    def outages(self, groups):
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
            f["faults"] = [{"group": "g0", "node": self.r.randrange(groups[0]["count"]),
                            "cause": self.pick("nic", "gpu", "unknown"),
                            "at_s": self.pick(0, 1, 10, 100, 500), "repair_s": self.pick(0.001, 1, 10, 300)}
                           for _ in range(self.pick(1, 3, 8))]
        return f

    def sections(self, groups):
        s = super().sections(groups)
        if self.chance(0.4):
            s["preemption"] = self.overheads()
        if self.chance(0.35):
            s["failures"] = self.outages(groups)
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
