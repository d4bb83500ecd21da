#!/usr/bin/env python3
"""make.py DIR - writes the small traces of the golden runs; rerun gives the same bytes.

teams.csv    three queues, whole GPUs in tasks or not, priorities, estimates that are now and then
too short, deadlines
kinds.csv    jobs for several kinds of nodes: models of GPUs, CPUs, memory, topologies, groups,
dependencies, labels
shares.csv   shares of GPUs by thousandths and by memory, MIG instances
physics.csv  jobs of known models with data sets, images and several sizes
"""
import os
import random
import sys


def write(name, table):
    columns = list(dict.fromkeys(k for row in table for k in row))
    with open(os.path.join(sys.argv[1], name), "w", encoding="utf-8") as f:
        f.write(",".join(columns) + "\n")
        for row in table:
            f.write(",".join(str(row.get(c, "")) for c in columns) + "\n")


def arrivals(draw, n, gap_s):
    at = 0.0
    for j in range(n):
        at += draw.expovariate(1 / gap_s) if j % 9 else 0       # now and then two at once
        yield j, round(at)


def base(draw, j, at, median_s, sizes, weights):
    run = max(1, round(min(draw.lognormvariate(0, 1.1) * median_s, 30000)))
    return {"job_id": str(j + 1), "submit_s": at, "duration_s": run,
            "gpus": draw.choices(sizes, weights)[0]}


def teams():
    draw = random.Random("teams")
    for j, at in arrivals(draw, 60, 340):
        row = base(draw, j, at, 1500, (1, 2, 4, 8, 16), (8, 3, 3, 3, 1))
        row |= {"queue": draw.choice(("vision", "vision", "language", "robotics")),
                "user": f"u{draw.randrange(5)}",
                "class": draw.choice(("training", "training", "interactive", "batch")),
                "priority": draw.randrange(3),
                "preemptible": "no" if draw.random() < 0.15 else "yes",
                "estimate_s": round(row["duration_s"] * draw.choice((0.6, 1, 1.5, 3))),
                "deadline_s": at + row["duration_s"] * draw.choice((1, 2, 6)),
                "status": draw.choice(("completed",) * 4 + ("failed", "cancelled"))}
        if row["gpus"] >= 4 and draw.random() < 0.5:
            row |= {"tasks": row["gpus"] // 2, "gpus_per_task": 2,
                    "min_tasks": draw.choice(("", row["gpus"] // 4))}
        yield row


def kinds():
    draw = random.Random("kinds")
    for j, at in arrivals(draw, 64, 300):
        row = base(draw, j, at, 1200, (1, 2, 4, 8), (6, 4, 3, 2))
        row |= {"queue": draw.choice(("vision", "audio", "archive", "archive")),
                "user": f"u{draw.randrange(4)}", "priority": draw.randrange(2),
                "gpu_type": draw.choice(("", "", "T4-16", "A100-SXM4-40|T4-16")),
                "status": draw.choice(("completed", "completed", "failed"))}
        if draw.random() < 0.6:
            size = 1 if row["gpus"] < 4 else 2
            row |= {"tasks": row["gpus"] // size, "gpus_per_task": size,
                    "cpus_per_task": draw.choice((2, 4, 8)),
                    "mem_gib_per_task": draw.choice((8, 32))}
            if draw.random() < 0.3:
                row["topology"] = draw.choice(("preferred:rack", "required:rack", "preferred:node"))
            if draw.random() < 0.2 and row["tasks"] > 1:
                row["max_per_node"] = 1
        row["affinity"] = draw.choice(("", "", "", "50:zone=b"))
        if j > 4 and draw.random() < 0.15:
            row["depends_on"] = str(draw.randrange(j - 3, j + 1))
        if draw.random() < 0.1:
            row |= {"gpus": 1, "tasks": 1, "gpus_per_task": 1, "group": "leader", "topology": "",
                    "max_per_node": ""}
            yield row
            row = row | {"gpus": 4, "tasks": 2, "gpus_per_task": 2, "group": "workers",
                         "min_tasks": 1}
        yield row


def shares():
    draw = random.Random("shares")
    for j, at in arrivals(draw, 64, 200):
        row = base(draw, j, at, 1500, (1, 2), (4, 1))
        row |= {"queue": draw.choice(("a", "b")), "model": draw.choice(("ResNet-50", "BERT", "LSTM",
                                                                        "PPO")),
                "priority": draw.randrange(2)}
        kind = draw.random()
        if kind < 0.45:
            row |= {"gpus": 1, "tasks": 1, "gpus_per_task": 1,
                    "gpu_milli": draw.choice((200, 250, 500, 700)),
                    "gpu_mem_used_gib": draw.choice((2, 6, 16, 30))}
        elif kind < 0.65:
            row |= {"gpus": 1, "tasks": 1, "gpus_per_task": 1,
                    "gpu_share_mem_gib": draw.choice((5, 10)), "duty": draw.choice((0.3, 0.9))}
        elif kind < 0.9:
            row |= {"gpus": 1, "tasks": 1, "gpus_per_task": 1,
                    "mig": draw.choice(("1g.5gb", "2g.10gb", "3g.20gb"))}
        yield row


def physics():
    draw = random.Random("physics")
    for j, at in arrivals(draw, 48, 420):
        row = base(draw, j, at, 2400, (1, 2, 4, 8, 12), (4, 4, 4, 3, 1))
        row |= {"queue": draw.choice(("a", "b")), "model": draw.choice(("ResNet-50", "BERT-base",
                                                                        "GPT-2-XL", "DLRM",
                                                                        "unknown")),
                "data_gib": draw.choice(("", 40, 120)),
                "image": draw.choice(("torch", "jax", "old")), "priority": draw.randrange(2),
                "status": draw.choice(("completed", "completed", "failed"))}
        if row["data_gib"]:
            row |= {"data_set": draw.choice(("", "imagenet")), "epochs": draw.choice((1, 3))}
            if row["data_set"]:
                row["data_gib"] = 120
        if draw.random() < 0.5 and row["gpus"] > 1:
            row |= {"min_gpus": row["gpus"] // 2, "max_gpus": min(16, row["gpus"] * 2)}
        yield row


for name, table in (("teams.csv", teams), ("kinds.csv", kinds), ("shares.csv", shares),
                    ("physics.csv", physics)):
    write(name, list(table()))
