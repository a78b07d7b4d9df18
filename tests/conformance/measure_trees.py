#!/usr/bin/env python3
"""Measure trees: what the search costs and gains beside greedy trees, and greedy trees beside scikit-learn.

usage: measure_trees.py PROGRAM WORK WHAT [NAME=VALUE ...]      (PROGRAM is the example `fit` of the crate `learners`)

WHAT is one of
  smooth [rows=N]   500,000 rows whose distributions change smoothly, with products of columns; depth 10
  large             a million such rows at depth 15, the optimal tree alone
  bluff [seeds=N]   200,000 rows with a rule that no single test reveals; depth 15
  splits [sets=DIR] trees of depth 4 on five random splits of small sets, pruned on a quarter of the rows; DIR has more sets,
                    NAME.txt with the label first in each line
  poker rows=DIR [streets=NAME,NAME]
                    rows of `cardroom train dataset --out DIR`, with and without planes, as `cardroom train` does; log-losses
  speed             greedy trees on a million rows beside scikit-learn, one thread each, and two threads of ours
Other NAME=VALUE pairs go to PROGRAM for the optimal trees. WORK is a folder for rows. Seconds are of the processor.
"""
import glob
import json
import os
import resource
import subprocess
import sys
import time
import tomllib

import numpy as np

PROGRAM, WORK, WHAT = sys.argv[1:4]
GIVEN = dict(pair.split("=", 1) for pair in sys.argv[4:])
COLUMNS, CLASSES = 35, 4


def smooth(rows, seed):
    """Rows and the distributions of their classes: six columns and four products of them count."""
    rule = np.random.default_rng(77)
    slopes, products = rule.normal(size=(6, 4)), rule.normal(size=(4, 4))
    random = np.random.default_rng(seed)
    x = random.random((rows, COLUMNS)).astype(np.float32)
    z = x[:, :6].astype(float) - 0.5
    score = 3.8 * z @ slopes
    for product, (a, b) in zip(products, ((0, 1), (2, 3), (0, 4), (1, 5))):
        score += 5 * (z[:, a] * z[:, b])[:, None] * product
    return finish(x, score, random)


def bluff(rows, seed):
    """Rows whose fourth class is likely where the first number is low and three others are an odd number of times high."""
    random = np.random.default_rng(seed)
    x = random.random((rows, COLUMNS)).astype(np.float32)
    win, pot, place, bet = x[:, 0], x[:, 1], x[:, 2], x[:, 4]
    odds = bet / (bet + pot + 0.2)
    odd = (x[:, 5] > 0.5) ^ (x[:, 6] > 0.5) ^ (x[:, 7] > 0.5)
    score = np.stack([
        12 * (odds - win) + 2 * (place < 0.5),
        4 - 14 * np.abs(win - (0.45 + 0.25 * odds)),
        14 * (win - 0.62 - 0.2 * odds) + 1.5 * (place > 0.5),
        10 * (odd * (win < 0.3)) - 4,
    ], 1)
    return finish(x, score, random)


def finish(x, score, random):
    shares = np.exp(score - score.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    drawn = (shares.cumsum(1) < random.random((len(x), 1))).sum(1).clip(0, CLASSES - 1)
    return x, shares.astype(np.float32), drawn.astype(np.uint8)


def seconds(run):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, after.ru_utime - before.ru_utime


def write(name, x, labels):
    for kind in "xypw":
        path = f"{WORK}/{name}.{kind}"
        if os.path.exists(path):
            os.remove(path)
    x.astype("<f4").tofile(f"{WORK}/{name}.x")
    if labels is not None:
        kind, labels = ("p", labels.astype("<f4")) if labels.ndim == 2 else ("y", labels.astype(np.uint8))
        labels.tofile(f"{WORK}/{name}.{kind}")


def fit(learner, columns, classes, **options):
    named = [f"{name.replace('_', '-')}={value}" for name, value in options.items()]
    command = [PROGRAM, learner, WORK, f"columns={columns}", f"classes={classes}", *named]
    out, used = seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    told = json.loads(out)
    told["cpu"] = used
    told["test"] = np.fromfile(f"{WORK}/test.out", "<f4").reshape(-1, classes)
    return told


def told(what, result, test):
    _, shares, drawn = test
    away = result["test"] - shares
    values = (
        result["gini"], 100 * np.mean(result["test"].argmax(1) == drawn), np.mean((away**2).sum(1)),
        np.mean(np.abs(away).sum(1)))
    print(
        f"{what}: objective {values[0]:.5f}, right {values[1]:.2f} %, Brier {values[2]:.5f}, L1 {values[3]:.4f}, "
        f"{result['leaves']} leaves, {result['cpu']:.1f} s", flush=True)
    return np.array(values)


def both(draw, rows, optimal, greedy=True, **options):
    write("train", *draw(rows, 1)[:2])
    test = draw(50_000, 2)
    write("test", test[0], None)
    if greedy:
        one = told("greedy", fit("cart", COLUMNS, CLASSES, **options), test)
    for more in optimal:
        other = told(f"optimal {more}", fit("oct", COLUMNS, CLASSES, **options, **more, **GIVEN), test)
        if greedy:
            objective, _, brier, distance = 100 * (other / one - 1)
            print(f"  objective {objective:+.2f} %, right {other[1] - one[1]:+.2f} points, Brier {brier:+.1f} %, "
                  f"L1 {distance:+.2f} %", flush=True)


def small_sets(folder):
    from sklearn import datasets
    for name in ("iris", "wine", "breast_cancer", "digits"):
        data = getattr(datasets, f"load_{name}")()
        yield name, data.data.astype(np.float32), data.target
    for path in sorted(glob.glob(f"{folder}/*.txt")) if folder else []:
        numbers = np.loadtxt(path)
        yield os.path.basename(path)[:-4], numbers[:, 1:].astype(np.float32), numbers[:, 0].astype(int)


def splits(folder):
    random = np.random.default_rng(1)
    means = []
    for name, x, y in small_sets(folder):
        differences, rights = [], []
        for _ in range(5):
            order = random.permutation(len(x))
            train, held, test = np.split(order, [len(x) // 2, 3 * len(x) // 4])
            write("train", x[train], y[train])
            write("held", x[held], y[held])
            write("test", x[test], None)
            options = {"depth": 4, "bins": 65536}
            right = []
            for learner, more in (("cart", {}), ("oct", {"loss": "errors", "starts": 60, "stage_rows": 100000, **GIVEN})):
                result = fit(learner, x.shape[1], int(y.max()) + 1, **options, **more)
                right.append(100 * np.mean(result["test"].argmax(1) == y[test]))
            differences.append(right[1] - right[0])
            rights.append(right)
        mean = np.mean(differences)
        means.append(mean)
        greedy, optimal = np.mean(rights, 0)
        error = np.std(differences, ddof=1) / np.sqrt(len(differences))
        print(f"{name}: greedy {greedy:.2f} %, optimal {optimal:.2f} %, {mean:+.2f} (s.e. {error:.2f})", flush=True)
    print(f"mean {np.mean(means):+.2f}, least {min(means):+.2f} points")


def poker(folder, streets):
    """Weighted log-losses on the test rows of greedy trees, optimal ones and those with planes."""
    with open(f"{folder}/dataset.toml", "rb") as file:
        card = tomllib.load(file)
    for street in card["streets"]:
        columns, classes = len(street["columns"]), len(street["classes"])
        if streets and street["street"] not in streets:
            continue
        for name, split in (("train", "train"), ("held", "valid"), ("test", "test")):
            values = np.fromfile(f"{folder}/{street[split]['file']}", "<f4").reshape(-1, street[split]["rows"])
            shares, weights = values[columns:-1].T, values[-1]
            write(name, values[:columns].T, shares if name != "test" else None)
            weights.tofile(f"{WORK}/{name}.w")
        options = {"loss": "entropy", "min_weight": 20, "depth": 15}
        for what, learner, more in (("greedy", "cart", {}), ("optimal", "oct", {}), ("planes", "oct", {"planes": 8})):
            result = fit(learner, columns, classes, **options, **more, **({} if learner == "cart" else GIVEN))
            losses = -(shares * np.log(np.maximum(result["test"], 1e-7))).sum(1)
            print(f"{street['street']}, {what}: log-loss {np.average(losses, weights=weights):.4f} on test rows, "
                  f"{result['entropy']:.4f} on those learned from, {result['leaves']} leaves, {result['cpu']:.1f} s", flush=True)


def speed():
    from sklearn.tree import DecisionTreeClassifier
    x, _, y = smooth(1_000_000, 1)
    write("train", x, y)
    write("test", x[:1000], None)
    for threads in (1, 2):
        mine = fit("cart", COLUMNS, CLASSES, threads=threads)
        print(f"ours, {threads} threads: {mine['seconds']:.1f} s by the clock from rows to tree, bins included; "
              f"{mine['cpu']:.1f} s with reading and answering", flush=True)
    clock, used = time.perf_counter(), time.process_time()
    DecisionTreeClassifier(max_depth=15).fit(x, y)
    print(f"scikit-learn: {time.perf_counter() - clock:.1f} s by the clock, {time.process_time() - used:.1f} s", flush=True)


def main():
    os.makedirs(WORK, exist_ok=True)
    for name in ("train", "held", "test"):
        for kind in "xypw":
            if os.path.exists(f"{WORK}/{name}.{kind}"):
                os.remove(f"{WORK}/{name}.{kind}")
    if WHAT == "smooth":
        both(smooth, int(GIVEN.pop("rows", 500_000)), [{}], depth=10)
    elif WHAT == "large":
        both(smooth, 1_000_000, [{}], greedy=False, depth=15)
    elif WHAT == "bluff":
        seeds = int(GIVEN.pop("seeds", 3))
        both(bluff, 200_000, [{"seed": seed + 1} for seed in range(seeds)], min_rows=30, depth=15)
    elif WHAT == "splits":
        splits(GIVEN.pop("sets", None))
    elif WHAT == "poker":
        poker(GIVEN.pop("rows"), [street for street in GIVEN.pop("streets", "").split(",") if street])
    elif WHAT == "speed":
        speed()
    else:
        sys.exit(__doc__)


main()
