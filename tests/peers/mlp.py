#!/usr/bin/env python3
"""What `cargo bench -p learners --bench mlp` measures, done by PyTorch (`pip install torch numpy`).

usage: taskset -c 1 python3 mlp.py [SECONDS]

Prints rows a second in training and in prediction, and microseconds of a decision, on one thread: by the mean time
of many short runs, as that bench does, and by the shortest.
"""

import sys
import time

import torch

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
COLUMNS, BATCH = 35, 1024


def network(hidden, classes, units):
    widths = [COLUMNS, *hidden]
    layers = []
    for before, after in zip(widths, widths[1:]):
        layers += [torch.nn.Linear(before, after), units()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(widths[-1], classes))


def times(run):
    """The mean and the shortest time of a run in seconds."""
    run()
    times = []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return sum(times) / len(times), min(times)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    for name, hidden, classes, units in [
        ("7 x 512", [512] * 7, 4, torch.nn.ReLU),
        ("7 x 512 parametric", [512] * 7, 4, torch.nn.PReLU),
        ("3 x 256", [256] * 3, 9, torch.nn.ReLU),
        ("3 x 128", [128] * 3, 9, torch.nn.ReLU),
    ]:
        model = network(hidden, classes, units)
        adam = torch.optim.Adam(model.parameters())
        rows = torch.rand(BATCH, COLUMNS) * 3 - 1.5
        targets = torch.full((BATCH, classes), 1.0 / classes)

        def train():
            adam.zero_grad()
            torch.nn.functional.cross_entropy(model(rows), targets).backward()
            adam.step()

        def predict(rows):
            with torch.inference_mode():
                torch.softmax(model(rows), dim=1)

        one = rows[:1]
        mean, least = times(train)
        print(f"{name}: trains {BATCH / mean:,.0f} rows/s, at best {BATCH / least:,.0f}")
        mean, least = times(lambda: predict(rows))
        print(f"{name}: predicts {BATCH / mean:,.0f} rows/s, at best {BATCH / least:,.0f}")
        mean, least = times(lambda: predict(one))
        print(f"{name}: one decision {mean * 1e6:.0f} us, at best {least * 1e6:.0f}")


main()
