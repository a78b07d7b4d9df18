#!/usr/bin/env python3
"""Run trained networks in ONNX Runtime and demand the same answers.

usage: check_network.py FOLDER

FOLDER is what the example `mlp` of the crate `learners` has written: networks as safetensors
files, rows, and the answers to them, asked for one by one and all together. Each network is read
with the package `safetensors`, put together again as an ONNX graph, and run. Exits 1 where an
answer differs by more than 1e-5 (of itself, where it is larger than 1), or too few networks came.
"""

import pathlib
import sys

import numpy
import onnx
import onnxruntime
import safetensors
from onnx import TensorProto, helper, numpy_helper

MOST = 1e-5
LEAST_NETWORKS = 5


def read(path):
    """The tensors of a file as f32 by name, and its text."""
    with safetensors.safe_open(path, framework="np") as file:
        tensors = {name: file.get_tensor(name).astype(numpy.float32) for name in file.keys()}
        return tensors, file.metadata()


def graph(tensors, metadata):
    """The network as an ONNX model from `rows`, with roots taken, to `answers`."""
    layers = sum(name.endswith(".weight") for name in tensors)
    nodes = [
        helper.make_node("Sub", ["rows", "input.mean"], ["moved"]),
        helper.make_node("Div", ["moved", "input.scale"], ["units"]),
    ]
    units = "units"
    for layer in range(layers):
        name = f"layers.{layer}"
        sums = f"{name}.sums"
        inputs = [units, f"{name}.weight", f"{name}.bias"]
        nodes.append(helper.make_node("Gemm", inputs, [sums], transB=1))
        units = f"{name}.units"
        if layer == layers - 1:
            kind = {"softmax": "Softmax", "identity": "Identity"}[metadata["cardroom.output"]]
            nodes.append(helper.make_node(kind, [sums], ["answers"]))
        elif f"{name}.slope" in tensors:
            nodes.append(helper.make_node("PRelu", [sums, f"{name}.slope"], [units]))
        else:
            nodes.append(helper.make_node("Relu", [sums], [units]))
    columns = tensors["input.mean"].shape[0]
    width = tensors[f"layers.{layers - 1}.bias"].shape[0]
    numbers = lambda name, size: helper.make_tensor_value_info(
        name, TensorProto.FLOAT, ["count", size]
    )
    weights = [numpy_helper.from_array(tensor, name) for name, tensor in tensors.items()]
    made = helper.make_graph(
        nodes, "network", [numbers("rows", columns)], [numbers("answers", width)], weights
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model, columns, width


def check(folder, path):
    tensors, metadata = read(path)
    model, columns, width = graph(tensors, metadata)
    rows = numpy.fromfile(folder / "rows.f32", "<f4").reshape(-1, columns)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    roots = int(metadata.get("cardroom.roots", 0))
    rooted = rows.copy()
    rooted[:, :roots] = numpy.sqrt(numpy.maximum(rows[:, :roots], 0))
    (wanted,) = session.run(None, {"rows": rooted})
    worst = 0.0
    for kind in ["one", "many"]:
        found = numpy.fromfile(folder / f"{path.stem}.{kind}.f32", "<f4").reshape(-1, width)
        assert found.shape == wanted.shape, f"{path.name}: {found.shape} and {wanted.shape}"
        away = numpy.abs(found - wanted) / numpy.maximum(1.0, numpy.abs(wanted))
        worst = max(worst, float(away.max()))
        if not (away <= MOST).all():
            row = int(away.max(axis=1).argmax())
            sys.exit(
                f"{path.name}, asked {kind}, row {row}: {found[row]}, ONNX Runtime {wanted[row]}"
            )
    # A network that answers the same to every row would prove nothing.
    assert wanted.std(axis=0).max() > 0.01, f"{path.name}: its answers do not vary"
    layers = " x ".join(str(tensor.shape[0]) for name, tensor in sorted(tensors.items())
                        if name.endswith(".weight"))
    print(f"{path.name}: {columns} -> {layers}, {len(rows)} rows, largest difference {worst:.1e}")


def main():
    folder = pathlib.Path(sys.argv[1])
    paths = sorted(folder.glob("*.safetensors"))
    if len(paths) < LEAST_NETWORKS:
        sys.exit(f"{len(paths)} networks in {folder}, at least {LEAST_NETWORKS} wanted")
    for path in paths:
        check(folder, path)


main()
