#!/usr/bin/env python3
"""make_four_teams.py > four_teams.csv - how the sample was made; rerun gives the same bytes.

Four teams of one company on 64 GPUs, 16 each, over one week. Every team works in bursts: a paper deadline, a model
release, an experiment that everyone wants at once. Their bursts rarely meet, which is the point of sharing.
"""
import math
import random

WEEK_S = 7 * 86400
SIZES, SHARES = (1, 2, 4, 8, 16), (0.50, 0.16, 0.16, 0.14, 0.04)
TEAMS = {  # name: (background jobs an hour, bursts as (day, hours, jobs an hour))
    "vision": (5.0, ((0.4, 8, 16), (4.3, 7, 14))),
    "language": (4.5, ((1.4, 8, 16), (5.4, 6, 13))),
    "robotics": (5.0, ((2.4, 9, 16),)),
    "platform": (5.0, ((3.4, 8, 14), (5.9, 6, 12))),
}


def jobs():
    draw = random.Random(20260105)
    for team, (background, bursts) in TEAMS.items():
        t = 0.0
        while True:
            rate = background + sum(r for day, hours, r in bursts if day * 24 <= t / 3600 < day * 24 + hours)
            t += draw.expovariate(rate / 3600)
            if t >= WEEK_S:
                break
            gpus = draw.choices(SIZES, SHARES)[0]
            duration = min(max(draw.lognormvariate(math.log(1150), 1.1), 30), 86400)
            fate = draw.choices(("completed", "failed", "cancelled"), (0.72, 0.14, 0.14))[0]
            if fate == "failed":
                duration = max(duration * 0.3, 20)
            interactive = gpus == 1 and draw.random() < 0.3
            yield (round(t), team, f"{team[0]}{draw.randrange(8)}", gpus, round(duration), fate,
                   "interactive" if interactive else "training", 2 if interactive else 1,
                   round(duration * draw.uniform(1.0, 3.0)))


print("job_id,submit_s,duration_s,gpus,queue,user,class,priority,estimate_s,status")
for number, (submit, team, user, gpus, duration, fate, kind, priority, estimate) in enumerate(sorted(jobs()), 1):
    print(f"{number},{submit},{duration},{gpus},{team},{user},{kind},{priority},{estimate},{fate}")
