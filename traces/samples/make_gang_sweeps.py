#!/usr/bin/env python3
"""make_gang_sweeps.py > gang_sweeps.csv - how the sample was made; rerun gives the same bytes.

Three days of a training cluster of 64 GPUs.
Single-pod jobs come at random; every few hours somebody submits a sweep: gangs of one-GPU pods, all at the same second.
"""
import random

DAY = 86400
draw = random.Random(1)
jobs = []                                     # (submit, name, duration, gpus, tasks)
at = 0.0
while at < 3 * DAY:
    at += draw.expovariate(1 / 420)
    jobs.append((int(at), "single", int(draw.lognormvariate(8.1, 0.9)), draw.choice((1, 1, 1, 2, 4)), 1))
at = 3 * 3600.0
while at < 3 * DAY:
    pods = draw.choice((4, 8, 16, 24))
    for _ in range(draw.choice((2, 3))):
        jobs.append((int(at), "sweep", int(draw.lognormvariate(8.4, 0.4)), pods, pods))
    at += draw.uniform(3, 6) * 3600
jobs.sort(key=lambda job: job[0])
print("job_id,submit_s,duration_s,gpus,tasks,cpus_per_task,mem_gib_per_task")
for k, (submit, name, duration, gpus, tasks) in enumerate(jobs):
    print("%s-%03d,%d,%d,%d,%d,%d,%d" % (name, k, submit, duration, gpus, tasks, 4 * gpus // tasks, 32 * gpus // tasks))
