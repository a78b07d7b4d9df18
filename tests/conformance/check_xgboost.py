#!/usr/bin/env python3
"""Compare boosted trees with XGBoost itself, both ways.

usage: check_xgboost.py BOOST WORK [--speed ROWS]

BOOST is the example `boost` of the crate `learners`; WORK a folder for files, which are left there. Demanded are:
- models that XGBoost trained, saved as JSON and UBJ, with one and several base scores, give the same shares here
  on 10,000 rows, to 1e-6;
- models trained here, JSON and UBJ, give the same shares in XGBoost;
- trained on the same rows with the same options, the log-loss on held-out rows is XGBoost's within 1 %:
  hard labels, soft labels (XGBoost gets each row once for each class, weighted with the label's share), and
  sampled rows and columns;
- the compact form is within 1e-4.

With --speed: no demands; trains 20 rounds of 4 classes, depth 12, 256 intervals, on ROWS x 35 with one thread, here
and in XGBoost in turn, and prints seconds, losses, and the time of one decision.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
import xgboost

COLUMNS, CLASSES = 35, 4
TRAINING = {"max_depth": 6, "eta": 0.2}
PEER = {
    "objective": "multi:softprob",
    "num_class": CLASSES,
    "tree_method": "hist",
    "max_bin": 256,
    "nthread": 1,
    "seed": 1,
}
ROUNDS = 20
SAME, CLOSE, LOSS = 1e-6, 1e-4, 0.01


def draw(rows, seed):
    """Rows, their classes, and the shares the classes were drawn from; some columns have few values."""
    rule = np.random.default_rng(99)
    slopes = rule.normal(size=(COLUMNS, CLASSES)).astype(np.float32)
    slopes[12:] = 0
    products = rule.normal(size=(8, CLASSES)).astype(np.float32)
    random = np.random.default_rng(seed)
    x = random.random((rows, COLUMNS), dtype=np.float32)
    x[:, 3] = np.floor(x[:, 3] * 4)
    x[:, 5] = np.floor(x[:, 5] * 10) / 10
    z = x - 0.5
    score = 2.2 * z @ slopes + 9 * (z[:, 0:8] * z[:, 1:9]) @ products
    share = np.exp(score - score.max(1, keepdims=True))
    share /= share.sum(1, keepdims=True)
    drawn = random.random((rows, 1), dtype=np.float32)
    y = (share.cumsum(1) < drawn).sum(1).clip(0, CLASSES - 1)
    return x, y.astype(np.int32), share.astype(np.float32)


def one_hot(y):
    return np.eye(CLASSES, dtype=np.float32)[y]


class Ours:
    def __init__(self, program, work):
        self.program, self.work = program, pathlib.Path(work)
        self.work.mkdir(parents=True, exist_ok=True)

    def path(self, name):
        return str(self.work / name)

    def run(self, command, **arguments):
        words = [self.program, command] + [f"{key}={value}" for key, value in arguments.items()]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"failed: {' '.join(words)}")
        return json.loads(done.stdout) if done.stdout else {}

    def train(self, model, x, labels, **options):
        x.tofile(self.path("x.f32"))
        labels.astype(np.float32).tofile(self.path("labels.f32"))
        return self.run(
            "train",
            columns=COLUMNS,
            classes=CLASSES,
            x=self.path("x.f32"),
            labels=self.path("labels.f32"),
            model=self.path(model),
            **options,
        )

    def predict(self, model, x, classes=CLASSES):
        x.tofile(self.path("asked.f32"))
        told = self.run("predict", model=self.path(model), x=self.path("asked.f32"), out=self.path("told.f32"))
        self.told = told
        return np.fromfile(self.path("told.f32"), np.float32).reshape(-1, classes)

    def convert(self, model, out):
        self.run("convert", model=self.path(model), out=self.path(out))


def peer_shares(booster, x):
    return booster.predict(xgboost.DMatrix(x, nthread=1, feature_names=booster.feature_names))


def log_loss(labels, shares):
    return float(-(labels * np.log(np.maximum(shares, 1e-7))).sum(1).mean())


problems = []


def demand(what, value, most):
    print(f"  {'ok ' if value <= most else 'BAD'} {what}: {value:.3g} (at most {most:g})", flush=True)
    if not value <= most:
        problems.append(what)


def farthest(one, other):
    return float(np.abs(one - other).max())


def check_their_models(ours, x, y, asked):
    print("models of XGBoost, read here")
    dart = {"booster": "dart", "rate_drop": 0.5, "one_drop": 1}
    for name, extra in {"several": {}, "one": {"base_score": 0.5}, "dart": dart}.items():
        data = xgboost.DMatrix(x, y, nthread=1)
        booster = xgboost.train({**PEER, **TRAINING, "max_depth": 10, **extra}, data, 10)
        theirs = peer_shares(booster, asked)
        for ending in ("json", "ubj"):
            model = f"theirs-{name}.{ending}"
            booster.save_model(ours.path(model))
            demand(f"{model}, shares", farthest(ours.predict(model, asked), theirs), SAME)
    data = xgboost.DMatrix(x, y > 1, nthread=1)
    booster = xgboost.train({"objective": "binary:logistic", "max_depth": 8, "nthread": 1}, data, 10)
    booster.save_model(ours.path("theirs-binary.ubj"))
    told = ours.predict("theirs-binary.ubj", asked, 2)
    demand("theirs-binary.ubj, shares", farthest(told[:, 1], peer_shares(booster, asked)), SAME)


def check_our_models(ours, x, y, asked):
    print("models trained here, read by XGBoost")
    ours.train("ours.ubj", x, one_hot(y), rounds=10, max_depth=10)
    ours.convert("ours.ubj", "ours.json")
    ours.convert("ours.ubj", "ours.forest")
    told = ours.predict("ours.ubj", asked)
    for model in ("ours.ubj", "ours.json"):
        booster = xgboost.Booster({"nthread": 1}, model_file=ours.path(model))
        demand(f"{model}, shares", farthest(peer_shares(booster, asked), told), SAME)
        booster.save_model(ours.path(f"again-{model}"))
        demand(f"{model} saved again, shares", farthest(ours.predict(f"again-{model}", asked), told), SAME)
    gains = booster.get_score(importance_type="total_gain")
    demand("columns without a gain in ours.json", COLUMNS - len(gains), 0)
    demand("ours.forest, shares", farthest(ours.predict("ours.forest", asked), told), CLOSE)
    sizes = [os.path.getsize(ours.path(f"ours.{ending}")) for ending in ("json", "ubj", "forest")]
    print(f"  bytes a node: {[round(size / ours.told['nodes'], 1) for size in sizes]}")


def check_losses(ours, x, y, share, held):
    print("held-out log-loss, trained on the same rows")
    held_x, held_y, held_share = held
    every = np.repeat(np.arange(len(x)), CLASSES)
    soft = xgboost.DMatrix(x[every], np.tile(np.arange(CLASSES), len(x)), weight=share.ravel(), nthread=1)
    hard = xgboost.DMatrix(x, y, nthread=1)
    sampled = {"subsample": 0.5, "colsample": 0.8}
    cases = [
        ("hard labels", one_hot(y), hard, one_hot(held_y), {}),
        ("hard labels, depth 12", one_hot(y), hard, one_hot(held_y), {"max_depth": 12}),
        ("hard labels, L2 and gamma", one_hot(y), hard, one_hot(held_y), {"lambda": 20, "gamma": 2}),
        ("hard labels, sampled", one_hot(y), hard, one_hot(held_y), sampled),
        ("soft labels", share, soft, held_share, {}),
    ]
    for name, labels, data, held_labels, extra in cases:
        options = {**TRAINING, **extra}
        peer = {key.replace("colsample", "colsample_bytree"): value for key, value in options.items()}
        # What is sampled differs, so the mean of some seeds is compared.
        seeds = range(4 if extra is sampled else 1)
        theirs, mine = 0.0, 0.0
        for seed in seeds:
            booster = xgboost.train({**PEER, **peer, "seed": seed}, data, ROUNDS)
            theirs += log_loss(held_labels, peer_shares(booster, held_x)) / len(seeds)
            ours.train("loss.ubj", x, labels, rounds=ROUNDS, seed=seed, **options)
            mine += log_loss(held_labels, ours.predict("loss.ubj", held_x)) / len(seeds)
        print(f"      {name}: ours {mine:.5f}, theirs {theirs:.5f}")
        demand(f"{name}, loss over theirs", mine / theirs - 1, LOSS)


def speed(ours, rows):
    os.environ["RAYON_NUM_THREADS"] = "1"
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    x, y, _ = draw(rows, 1)
    held_x, held_y, _ = draw(100_000, 2)
    held = one_hot(held_y)
    for turn in range(2):
        cpu = os.times()
        told = ours.train("speed.ubj", x, one_hot(y), rounds=20)
        mine = os.times().children_user - cpu.children_user
        mine_loss = log_loss(held, ours.predict("speed.ubj", held_x))
        print(f"here:    {told['seconds']:.1f} s ({mine:.1f} CPU s with reading), loss {mine_loss:.5f}, {told['nodes']} nodes, "
              f"{ours.told['microseconds']:.1f} us a decision of {told['trees']} trees", flush=True)
        begun, cpu = time.time(), time.process_time()
        data = xgboost.QuantileDMatrix(x, y, nthread=1, max_bin=256)
        booster = xgboost.train({**PEER, "max_depth": 12, "eta": 0.1}, data, 20)
        seconds, cpu = time.time() - begun, time.process_time() - cpu
        theirs = log_loss(held, peer_shares(booster, held_x))
        print(f"XGBoost: {seconds:.1f} s ({cpu:.1f} CPU s), loss {theirs:.5f}", flush=True)


def main():
    if len(sys.argv) not in (3, 5):
        sys.exit(__doc__)
    ours = Ours(sys.argv[1], sys.argv[2])
    if len(sys.argv) == 5:
        return speed(ours, int(sys.argv[4]))
    x, y, share = draw(20_000, 1)
    held = draw(10_000, 2)
    check_their_models(ours, x, y, held[0])
    check_our_models(ours, x, y, held[0])
    check_losses(ours, x, y, share, held)
    if problems:
        sys.exit("not as XGBoost: " + "; ".join(problems))
    print(f"boosted trees are XGBoost's ({xgboost.__version__})")


if __name__ == "__main__":
    main()
