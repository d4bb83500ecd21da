#!/usr/bin/env python3
"""served_models.py GPUYARD [FIRST:LAST] - several models on one service (docs/models.md 4.13) against a
second implementation: random recorded requests on one replica, each replayed by the program and by
this file. Written from the rules of the document, with the law of 4.8 for dense models on one GPU; it
shares no code with the program. Prints how many values agreed, and fails where one does not."""
import csv
import math
import os
import random
import subprocess
import sys
import tempfile

# docs/models.md 1.1, 4.8: A100-SXM4-80, engine graphs
FLOPS, BANDWIDTH, ETA_W, ETA_C, ETA_KV, ETA_A = 312e12, 2039e9, .75, .73, .85, .45
# L, H, Q, KV heads, parameters read and in all
SHAPES = {"llama-3.1-8b": (32, 4096, 4096, 8, 7.505e9, 8.03e9), "opt-13b": (40, 5120, 5120, 40, 12.85e9, 12.85e9),
          "qwen3-32b": (64, 5120, 8192, 8, 31.98e9, 32.76e9)}
BYTES = {"bf16": 2, "fp8": 1}


class Model:
    def __init__(self, shape, weights):
        self.layers, self.hidden, self.query, heads, self.read, every = SHAPES[shape]
        self.width = BYTES[weights]
        self.bytes = self.width * every
        self.kv = 2 * self.layers * heads * 128 * 2

    def step_ns(self, prompt, decoding, context, pairs, load_s):
        reading = self.width * self.read / (BANDWIDTH * ETA_W)
        computing = 2 * self.read * (prompt + decoding) / (FLOPS * ETA_C)
        gpu = (math.hypot(reading, computing) + self.kv * context / (BANDWIDTH * ETA_KV)
               + 4 * self.query * self.layers * pairs / (FLOPS * ETA_A))
        host = 1.5e-3 + 20e-6 * self.layers + 6e-6 * decoding
        return round((gpu + host + load_s) * 1e9)


class Request:
    def __init__(self, number, at_ns, prompt, output, model):
        self.number, self.at_ns, self.prompt, self.output, self.model = number, at_ns, prompt, output, model
        self.sent = self.done = self.held = 0
        self.first_ns = self.end_ns = None


class Replica:
    """One engine. Blocks of KV cache are pages of equal bytes: those of `block` tokens of the model with
    the most bytes a token, of as many whole tokens of any other as fit."""

    def __init__(self, world, models):
        self.w, self.models = world, models
        widest = max(m.kv for m in models)
        self.tokens = [int(world["block"] * (widest / m.kv)) for m in models]
        self.blocks = world["kv_tokens"] // world["block"]
        self.running, self.again, self.fresh = [], [], []
        self.recent = list(range(world["places"]))      # models, used last first
        self.turns = list(range(len(models)))
        self.loads = self.from_storage = self.preempted = 0
        self.load_s = 0.

    def free(self):
        return self.blocks - sum(r.held for r in self.running)

    def gets(self, r, tokens):
        need = -(-tokens // self.tokens[r.model])
        if need - r.held > self.free():
            return False
        r.held = max(r.held, need)
        return True

    def may_begin(self, model):
        """The first that waits of that model, unless one before it or itself has to wait for a place."""
        taken = {r.model for r in self.running}
        for line in (self.again, self.fresh):
            for r in line:
                taken.add(r.model)
                if len(taken) > self.w["places"]:
                    return None, None
                if r.model == model:
                    return line, r
        return None, None

    def chunks_of(self, model):
        """What a step of that model does: chunks by request."""
        left, chunks, preempted = self.w["budget"], {}, False
        for r in list(self.running):
            if r.model != model or r not in self.running:
                continue
            chunk = min(r.prompt + r.sent - r.done, left)
            while r in self.running and not self.gets(r, r.done + chunk):
                last = self.running.pop()
                last.held = last.done = 0
                chunks.pop(last, None)
                self.again.append(last)
                self.again.sort(key=lambda x: x.number)
                preempted = True
                self.preempted += 1
            if r not in self.running:
                break
            chunks[r] = chunk
            left -= chunk
        while not preempted and left > 0 and len(self.running) < self.w["sequences"]:
            line, r = self.may_begin(model)
            if r is None:
                break
            chunk = min(r.prompt + r.sent, left)
            if not self.gets(r, chunk):
                break
            line.remove(r)
            self.running.append(r)
            chunks[r] = chunk
            left -= chunk
        return chunks

    def load(self):
        """Models of all that run are there from now on; what it takes."""
        seconds, used = 0., {r.model for r in self.running}
        lacking = [m for m in used if m not in self.recent[:self.w["places"]]]
        kept = [m for m in self.recent if m in used and m not in lacking]
        for m in lacking:
            from_storage = m not in self.recent[:self.w["host"]]
            self.loads += 1
            self.from_storage += from_storage
            seconds += self.models[m].bytes / ((self.w["load"] if from_storage else self.w["host_rate"]) * 1e9)
        self.recent = (lacking + kept + [m for m in self.recent if m not in used])[:self.w["host"]]
        self.load_s += seconds
        return seconds

    def step(self, now_ns):
        """Ends of a step that begins now, or None: nothing to do."""
        chunks = {}
        for model in list(self.turns):
            chunks = self.chunks_of(model)
            if chunks:
                self.turns.remove(model)
                self.turns.append(model)
                break
        if not chunks:
            return None
        load_s = self.load()
        prompt = decoding = context = pairs = 0
        for r, chunk in chunks.items():
            if r.prompt + r.sent - r.done > 1 or r.sent == 0:
                prompt += chunk
                pairs += chunk * (r.done + chunk / 2)
            else:
                decoding += 1
                context += r.done + 1
        end_ns = now_ns + self.models[model].step_ns(prompt, decoding, context, pairs, load_s)
        for r, chunk in chunks.items():
            r.done += chunk
            if r.done < r.prompt + r.sent:
                continue
            r.sent += 1
            r.first_ns = r.first_ns or end_ns
            if r.sent == r.output:
                r.end_ns = end_ns
        self.running = [r for r in self.running if r.end_ns is None]
        return end_ns


def replay(world, models, requests):
    replica, now_ns, coming = Replica(world, models), 0, list(requests)
    while coming or replica.running or replica.again or replica.fresh:
        while coming and coming[0].at_ns <= now_ns:
            r = coming.pop(0)
            if r.prompt + r.output - 1 <= replica.blocks * replica.tokens[r.model]:
                replica.fresh.append(r)
        end_ns = replica.step(now_ns)
        if end_ns is None and not coming:
            break
        now_ns = coming[0].at_ns if end_ns is None else end_ns
    return replica


def draw(seed):
    r = random.Random(seed)
    names = r.sample(["llama-3.1-8b", "opt-13b", "qwen3-32b"], r.choice((2, 3)))
    places = r.randint(1, len(names))
    world = {"places": places, "host": r.randint(places, len(names)), "host_rate": r.choice((5, 20)), "load": r.choice((1, 4)),
             "sequences": r.choice((2, 8, 64)), "budget": r.choice((256, 2048)), "block": 16, "kv_tokens": r.choice((400, 1600, 16000))}
    models = [(n, r.choice(("bf16", "fp8"))) for n in names]
    at, rows = 0, []
    for _ in range(r.choice((5, 40, 120))):
        at += r.choice((0, 0, 0.03, 0.2, 5))
        rows.append((round(at * 1e9), r.choice((1, 16, 100, 300, 900)), r.choice((1, 2, 10, 40)), r.randrange(len(names))))
    first = rows[0][0]
    return world, models, [(a - first, *rest) for a, *rest in rows]


def files(folder, world, models, rows):
    with open(folder + "/r.csv", "w") as f:
        f.write("time_s,prompt_tokens,output_tokens,model\n")
        for at, prompt, output, model in rows:
            f.write(f"{at / 1e9:.9f},{prompt},{output},{models[model][0]}\n")
    with open(folder + "/c.yaml", "w") as f:
        f.write("nodes: [ { group: n, count: 1, gpus: 1, gpu_model: A100-SXM4-80 } ]\n")
    entries = ", ".join("{ model: %s, weights: %s }" % m for m in models)
    with open(folder + "/w.yaml", "w") as f:
        f.write("workload: several\nservices:\n  - { name: s, mode: requests, end_s: 1000000, interval_s: 1000000, "
                "requests: { trace: r.csv }, start_up: { load_gb_per_s: %g },\n      service_time: { llm: { models: [ %s ], "
                "gpu: A100-SXM4-80, max_models: %d, max_cpu_models: %d, host_gb_per_s: %g, max_num_seqs: %d, "
                "max_num_batched_tokens: %d, kv_tokens: %d } } }\n"
                % (world["load"], entries, world["places"], world["host"], world["host_rate"], world["sequences"],
                   world["budget"], world["kv_tokens"]))


def told(program, folder):
    subprocess.run([program, "run", "-q", "-c", "c.yaml", "-t", "w.yaml", "-o", "out"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    with open(folder + "/out/summary.csv") as f:
        return {(row["metric"], row["scope"]): float(row["value"] or "nan") for row in csv.DictReader(f)}


def wanted(world, models, rows):
    requests = [Request(i, at, prompt, output, model) for i, (at, prompt, output, model) in enumerate(rows)]
    replica = replay(world, [Model(*m) for m in models], requests)
    out = {("model_loads", "service=s"): replica.loads, ("model_loads_storage", "service=s"): replica.from_storage,
           ("model_load_s", "service=s"): replica.load_s, ("requests_preempted", "service=s"): replica.preempted}
    for k, (name, _) in enumerate(models):
        mine = [r for r in requests if r.model == k]
        served = [r for r in mine if r.end_ns]
        scope = "model=s/" + name
        if mine:
            out["requests_arrived", scope] = len(mine)
            out["requests_served", scope] = len(served)
        if served:
            out["latency_mean_s", scope] = sum(r.end_ns - r.at_ns for r in served) / len(served) / 1e9
            out["first_token_mean_s", scope] = sum(r.first_ns - r.at_ns for r in served) / len(served) / 1e9
    return out


def main():
    program = os.path.abspath(sys.argv[1])
    first, last = (int(x) for x in (sys.argv[2] if len(sys.argv) > 2 else "1:40").split(":"))
    n = wrong = swaps = preempted = 0
    for seed in range(first, last):
        world, models, rows = draw(seed)
        with tempfile.TemporaryDirectory() as folder:
            files(folder, world, models, rows)
            got, want = told(program, folder), wanted(world, models, rows)
        swaps += want["model_loads", "service=s"] > 0
        preempted += want["requests_preempted", "service=s"] > 0
        for key, value in want.items():
            n += 1
            if not abs(got.get(key, float("nan")) - value) <= 1e-8 * max(1, abs(value)):
                wrong += 1
                print(f"situation {seed}: {key[0]} of {key[1]}: want {value:.12g}, got {got.get(key)}")
    print(f"{n} values of {last - first} situations, {swaps} with swaps, {preempted} with preemptions: {wrong} differ")
    return wrong > 0 or swaps == 0 or preempted == 0


sys.exit(main())
