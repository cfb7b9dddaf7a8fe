#!/usr/bin/env python3
"""What a training step should take on a GPU that is not there: an estimate, never a measurement.

    XF_SIM_TRAFFIC=step.tsv build/bin/sim/xformer-bench --count-launches --device cuda --preset tiny --dtype bf16
    bench/estimate_step.py step.tsv [--flops 989e12] [--bandwidth 3.35e12]

step.tsv is what the software GPU counted: a line for each node of the step's graphs, with the bytes that it reads and
writes, each 32 bytes once. A node takes as long as its bytes at the bandwidth or its products at the peak, but no less than
a launch that waits for the one before; the estimate has a range because neither share nor launch is known:

    low   max(2.0 us, bytes / (0.80 bandwidth), flops / (0.60 peak))
    high  max(4.5 us, bytes / (0.50 bandwidth), flops / (0.35 peak)) + 0.5 us

The defaults are an H100's data sheet (SXM: 3.35 TB/s, 989 TFLOP/s of dense bf16; f32: 67e12, TF32: 495e12). Nothing is
taken off for what the last node left in the cache of 50 MB, which holds all of a tiny step's matrices."""
import argparse
import collections
import re
import sys

LOW = {"launch": 2.0e-6, "bandwidth": 0.80, "flops": 0.60, "gap": 0.0}
HIGH = {"launch": 4.5e-6, "bandwidth": 0.50, "flops": 0.35, "gap": 0.5e-6}
PRODUCT = re.compile(r"cublasLtMatmul (?:(\d+) of )?(\d+)x(\d+)x(\d+)")


def flops_of(name):
    found = PRODUCT.match(name)
    if not found:
        return 0
    count, m, n, k = (int(x or 1) for x in found.groups())
    return 2 * count * m * n * k


def seconds(node, machine, assumed):
    work = max(node["bytes"] / (assumed["bandwidth"] * machine.bandwidth), node["flops"] / (assumed["flops"] * machine.flops))
    return max(assumed["launch"], work) + assumed["gap"]


def read_nodes(path):
    nodes = []
    for number, line in enumerate(open(path), 1):
        try:
            name, read, written = line.rstrip("\n").split("\t")
            nodes.append({"name": name, "bytes": int(read) + int(written), "flops": flops_of(name)})
        except ValueError:
            sys.exit(f"error: {path}:{number}: expected a name, bytes read and bytes written; got {line.strip()!r}")
    if not nodes:
        sys.exit(f"error: {path} is empty; XF_SIM_TRAFFIC={path} is for build/bin/sim/xformer-bench")
    return nodes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nodes")
    parser.add_argument("--bandwidth", type=float, default=3.35e12, help="bytes a second")
    parser.add_argument("--flops", type=float, default=989e12, help="of products, a second")
    machine = parser.parse_args()
    kinds = collections.defaultdict(list)
    for node in read_nodes(machine.nodes):
        kinds["products" if node["flops"] else node["name"]].append(node)
    row = "{:52} {:>9} {:>9} {:>9} {:>8} {:>8}"
    print(row.format("estimates, no measurement", "launches", "MB", "floor us", "low us", "high us"))
    total = [0] * 5
    ideal = {"launch": 0.0, "bandwidth": 1.0, "flops": 1.0, "gap": 0.0}
    for name, nodes in sorted(kinds.items(), key=lambda kind: -sum(seconds(n, machine, HIGH) for n in kind[1])):
        cells = [len(nodes), sum(n["bytes"] for n in nodes) / 1e6]
        cells += [1e6 * sum(seconds(n, machine, assumed) for n in nodes) for assumed in (ideal, LOW, HIGH)]
        total = [a + b for a, b in zip(total, cells)]
        print(row.format(name[:52], cells[0], *(f"{x:.1f}" for x in cells[1:])))
    print(row.format("the step", total[0], *(f"{x:.1f}" for x in total[1:])))


if __name__ == "__main__":
    main()
