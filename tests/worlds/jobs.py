"""jobs.py - the trace of a random world, in the native format."""
from draw import Draw


class Jobs(Draw):
    def pods(self, tasks):
        """Labels of its pods and which pods they go beside, which not, and how they spread. What is
        required can be met: by the first pod of its label on any node, if it is alone."""
        app, other = self.pick("a", "b"), self.pick("a", "b")
        key = self.pick("node", "rack", "pod", "zone")
        row = {"pod_labels": f"app={app}" + (";tier=1" if self.chance(0.3) else "")}
        if self.chance(0.4):
            row["pod_affinity"] = self.pick(f"50:app={other}@{key}", f"1:tier>0@{key}",
                                            f"7:!tier@{key}")
            if tasks == 1:
                row["pod_affinity"] = self.pick(row["pod_affinity"], f"app={app}@node")
        if self.chance(0.4):
            row["pod_anti_affinity"] = self.pick(f"100:app={other}@{key}", f"3:app=a|b@{key}")
            if tasks == 1 and self.chance(0.3):
                row["pod_anti_affinity"] = self.pick("tier>5@node", "tier=1@node")
        if self.chance(0.4):
            row["pod_spread"] = self.pick(f"soft:{self.pick(1, 3)}@{key}", f"{max(8, tasks)}@node")
        return row

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

    def slices(self, row):
        """Whole slices of a row's tasks, at the level of its topology or below it, and a minimum of whole ones."""
        tasks, topology = row["tasks"], row.get("topology", "")
        levels = ["pod", "rack", "island", "node"]    # below a zone: any of them
        wanted = topology.partition(":")[2]
        levels = levels[levels.index(wanted):] if wanted in levels else ["node"] if wanted == "numa" else levels
        sizes = [n for n in range(1, tasks + 1) if tasks % n == 0]
        self.has.add("slices")
        size, level = self.r.choice(sizes), self.r.choice(levels)
        text = f"{level}:{size}"
        finer = levels[levels.index(level) + 1:]
        if finer and self.chance(0.3):
            text += f";{self.r.choice(finer)}:{self.r.choice([n for n in sizes if size % n == 0])}"
        row["slices"] = text
        if "min_tasks" in row:
            row["min_tasks"] += -row["min_tasks"] % size

    def group_row(self, row, name, tasks, per_task, on_own):
        """One kind of task of a job, with wishes of its own."""
        x = row | {"group": name, "tasks": tasks, "gpus": tasks * per_task, "gpus_per_task": per_task}
        if on_own:
            x |= self.some({"cpus_per_task": [0, 1, 4], "mem_gib_per_task": [0, 8], "tolerations": ["old"],
                            "affinity": ["30:zone=a", "!old;40:zone=b"], "node_selector": ["zone=a", "zone=b"],
                            "topology": ["preferred:rack", "preferred:node", "required:cluster"]}, 0.15)
            if self.models and self.chance(0.2):
                x["gpu_type"] = "|".join(self.r.sample(self.models, self.r.randint(1, len(self.models))))
            if tasks > 1 and self.chance(0.2):
                x["min_tasks"] = self.r.randint(1, tasks)
        return x

    def groups(self, row, tasks, per_task):
        """Rows of a job: groups of one size, components that differ, or a leader and its workers."""
        for k in ("min_tasks", "max_tasks", "moldable", "topology", "max_per_node", "min_gpus", "max_gpus"):
            row.pop(k, None)
        first = self.r.randint(1, tasks - 1)
        kind = self.pick("alike", "alike", "components", "pod sets")
        on_own = self.chance(0.5)
        if kind == "alike":
            names = (self.pick("a", "x/a"), first), ("b", tasks - first)
            return [self.group_row(row, g, n, per_task, on_own) for g, n in names]
        if kind == "components":
            smaller = self.pick(0, 1, per_task)
            return [self.group_row(row, "a", first, per_task, on_own),
                    self.group_row(row, "b", tasks - first, smaller, on_own)] + (
                        [self.group_row(row, "c", 1, 1, on_own)] if self.chance(0.2) else [])
        self.has.add("slices")
        leader = self.group_row(row, "leader", 1, self.pick(0, 1, per_task), on_own)
        workers = self.group_row(row, "workers", tasks - 1, per_task, on_own)
        leader.pop("topology", None)
        leader |= {k: workers[k] for k in ("topology",) if k in workers} | {"podset_group": "x"}
        if workers["tasks"] > 1 and self.chance(0.5):
            self.slices(workers)
        return [leader, workers | {"podset_group": "x"}]

    def promised(self, row, table, gpus):
        """The first such job is leaving when the trace begins, and others are promised what it leaves, or other room."""
        left = [x for x in table if "leaving_s" in x]
        if not left and "running_on" not in row and not any("running_on" in x for x in table):
            row |= {"running_on": f"0:x{gpus}", "submit_s": 0, "started_s": self.pick(0, -1000), "leaving_s": self.pick(1, 10, 100)}
        elif left and "running_on" not in row and self.chance(0.4):
            row |= {"promised_on": f"0:x{gpus}", "submit_s": 0}

    def trace(self):
        r = self.r
        n = self.pick(*self.COUNTS)
        optional = {"user": 0.8, "class": 0.5, "model": 0.5, "priority": 0.5, "preemptible": 0.5,
                    "estimate_s": 0.6, "deadline_s": 0.4, "status": 0.4,
                    "checkpoint": 0.1, "save_s": 0.1, "grace_s": 0.1, "restart_s": 0.1, "duty": 0.2,
                    "mem_bw_duty": 0.1,
                    "gpu_mem_used_gib": 0.15, "data_gib": 0.3, "image": 0.3, "topology": 0.25,
                    "depends_on": 0.15, "node_selector": 0.1, "own_checkpoint": 0.1,
                    "pods": {"kube": 0.6, "quota": 0.3}.get(self.policy, 0.03),
                    "max_unavailable": 0.4 if self.policy == "kube" else 0.02, "running_on": 0.05,
                    "tolerations": 0.3, "max_per_node": 0.1, "gpu_type": 0.15, "min_tasks": 0.3,
                    "elastic": 0.4, "shares": 0.35, "mig": 0.8,
                    "groups": 0.25, "slices": 0.5 if self.policy == "cohort" else 0.1, "cpus_per_task": 0.3, "mem_gib_per_task": 0.2, "epochs": 0.3,
                    "gpu_mem_gib": 0.05, "share_mem": 0.2, "anti_affinity": 0.05, "data_set": 0.3,
                    "partition": 0.8, "qos": 0.8, "account": 0.7, "nice": 0.1,
                    "promised_on": 0.5 if self.policy == "quota" else 0.02,
                    "recorded_wait_s": 0.9 if self.policy == "recorded" else 0.03, "recorded_on": 0.3,
                    "max_requeues": 0.1}
        on = {k for k, p in optional.items() if self.chance(p)} - ({"depends_on"} if self.federation
                                                                   else set())
        if not self.mig:
            on.discard("mig")
        on -= {k for k, of in (("partition", self.partitions), ("qos", self.qos), ("account", self.accounts),
                               ("recorded_on", "recorded_wait_s" in on)) if not of}
        names = ["ResNet-50", "BERT-base", "GPT-2-small", "LM", "GPT-3-6.7B", "unknown-net"]
        self.n_jobs = n
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
                if "share_mem" in on and self.chance(0.3):
                    del row["gpu_milli"]
                    row["gpu_share_mem_gib"] = self.pick(1, 4, 8)
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
                      "epochs": lambda: self.pick(1, 3),
                      "data_set": lambda: self.pick("d1", "d2"),
                      "partition": lambda: ";".join(r.sample(self.partitions, self.pick(
                          1, 1, len(self.partitions)))),
                      "qos": lambda: r.choice(self.qos), "account": lambda: r.choice(self.accounts),
                      "nice": lambda: self.pick(-10, 0, 100),
                      "recorded_wait_s": lambda: self.pick(0, 0, 10, 1000),
                      "max_requeues": lambda: self.pick(0, 1, 3)}
            for k, draw in values.items():
                if k in on and self.chance(0.8):
                    row[k] = draw()
            if "epochs" in row and "data_gib" not in row:
                del row["epochs"]
            if "data_set" in row:
                row["data_gib"] = {"d1": 50, "d2": 200}[row["data_set"]]
            if "recorded_wait_s" in row and "recorded_on" in on and not tasks and self.chance(0.3):
                row["recorded_on"] = self.pick("0", f"0:x{gpus}", "1")
            if "own_checkpoint" in on and self.chance(0.5):
                row |= self.pick({"checkpoint": "periodic", "interval_s": self.pick(5, 600)},
                                 {"checkpoint": "periodic", "interval_s": 60,
                                  "checkpoint_gib": self.pick(1, 20)})
            if "running_on" in on and j == 0 and plain and not tasks and gpus <= self.node_gpus[0]:
                row |= {"running_on": self.pick("0", f"0:x{gpus}"), "submit_s": 0,
                        "started_s": self.pick(0, -5, -1000)}
            if "promised_on" in on and self.first_is_plain and plain and not tasks and gpus <= self.node_gpus[0]:
                self.promised(row, table, gpus)
            if "pods" in on and self.chance(0.7):
                row |= self.pods(row.get("tasks", 0))
            if "max_unavailable" in on and tasks > 1 and self.chance(0.5):
                row["max_unavailable"] = self.pick(0, 1, tasks)
            if "topology" in on and plain and self.chance(0.3):
                row["topology"] = self.pick("preferred:", "preferred:",
                                            "required:") + self.pick("numa", "rack", "pod", "cluster")
                if self.has_zones and j % 2:
                    row["topology"] = row["topology"].replace("pod", "zone").replace("cluster", "zone")
                if gpus > min(self.node_gpus):
                    row["topology"] = row["topology"].replace("required", "preferred")
            if "depends_on" in on and j > 2 and self.chance(0.2):
                kind = self.pick("", "", "", "afterany:", "afterok:", "afternotok:")
                row["depends_on"] = self.pick(";", ";", "?").join(sorted({
                    f"{kind}j{r.randint(max(0, j - 10), j - 1)}" for _ in range(self.pick(1, 1, 2))}))
                if self.chance(0.15):
                    row["depends_on"] = self.pick(f"after:j{j - 1}", "limit:1:x", "limit:3:x")
                if "user" in row and self.chance(0.15):
                    row["depends_on"] = self.pick("singleton", "singleton:one")
            if "node_selector" in on and self.chance(0.1):
                row["affinity"] = "zone=b;40:zone=a" if self.chance(0.3) else "30:zone=a"
                if self.chance(0.2):
                    row["node_selector"] = "zone=a"
            if plain and "gpu_mem_gib" in on and self.chance(0.3):
                row["gpu_mem_gib"] = self.pick(8, 16)
            if plain and tasks > 1 and "anti_affinity" in on and self.chance(0.3):
                row["anti_affinity"] = "node"
            if "tolerations" in on and self.chance(0.5):
                row["tolerations"] = self.pick("old", "old", "old:NoExecute@10", "new:NoExecute@0;old", "new")
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
                rows_of = self.groups(row, tasks, per_task)
            elif plain and tasks > 1 and "slices" in on and self.chance(0.5):
                self.slices(row)
            table += rows_of
            columns = list(dict.fromkeys([*columns, *(k for x in rows_of for k in x)]))
        self.files["jobs.csv"] = "\n".join([",".join(columns)] + [
            ",".join(str(x.get(c, "")) for c in columns) for x in table]) + "\n"
        return "jobs.csv:native"
