#!/usr/bin/env python3
"""Times of kernels as ncu wrote them: kernel_times.py FILE.csv. A row for each kernel and grid: launches, each one's time, together.

FILE.csv is what `ncu --csv --metrics gpu__time_duration.sum` printed, of one kernel at a time. xformer-bench --count-launches
runs a step twice, once by itself and once from its graph."""
import collections
import csv
import re
import sys

SCALE = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "nsecond": 1e-3, "usecond": 1.0, "msecond": 1e3}
NOISE = re.compile(r"^void |<unnamed>::|\(anonymous namespace\)::|\b(xf|kernels|cuda|std|attention)::|integral_constant<bool, |>(?=>)")


def name_of(kernel):
    """Without what it returns, its scopes and parameters."""
    depth, end = 0, len(kernel)
    for i, c in enumerate(kernel.replace("(anonymous", "<anonymous")):
        depth += (c == "<") - (c == ">")
        if c == "(" and depth <= 0:
            end = i
            break
    return NOISE.sub("", kernel[:end])[:60]


def rows_of(path):
    """(kernel, grid): microseconds of its launches."""
    times = collections.defaultdict(list)
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("==")]
    for row in csv.DictReader(lines):
        grid = re.sub(r"[() ]", "", row["Grid Size"]).replace(",", "x").removesuffix("x1").removesuffix("x1")
        value = float(row["Metric Value"].replace(",", "")) * SCALE[row["Metric Unit"]]
        times[name_of(row["Kernel Name"]), grid].append(value)
    return times


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: kernel_times.py FILE.csv")
    times = rows_of(sys.argv[1])
    print(f"{'kernel':<60} {'grid':>10} {'launches':>8} {'us each':>8} {'us':>8}")
    for (kernel, grid), each in sorted(times.items(), key=lambda row: -sum(row[1])):
        print(f"{kernel:<60} {grid:>10} {len(each):>8} {sum(each) / len(each):>8.1f} {sum(each):>8.1f}")
    launches = sum(map(len, times.values()))
    print(f"{'all':<60} {'':>10} {launches:>8} {'':>8} {sum(map(sum, times.values())):>8.1f}")


if __name__ == "__main__":
    main()
