#!/usr/bin/env python3
"""The budget of a bf16 training step on a GPU, as a table in Markdown.

usage: gpu_budget.py TIMES.txt SECTION STEP.json... [--check PAGE]

TIMES.txt has tables of tests/gpu/kernel_times.py below lines "-- PRESET, SECTION", each of two steps. STEP.json is a
stored `xformer-bench --fn train_step` of each preset, with the parts of its floor. Columns of a preset: launches of
one step, microseconds of all of them one at a time, floor. --check: exit code 1, and the first missing line, where
PAGE has another table.
"""
import json
import re
import sys

# Each part: name, kernels, and its share of parts of the floor. The letters at the end of a product's name say which
# operands are transposed. Forward, gradient of the input and gradient of the weights move the same three matrices.
PARTS = [
    ("bias gradients", r"BgradAB", {}),
    ("products, forward", r"^nvjet.*_TN.$", {"products": 1 / 3, "logits": 1 / 3}),
    ("products, gradients of inputs", r"^nvjet.*_NN.$", {"products": 1 / 3, "logits": 1 / 3}),
    ("products, gradients of weights", r"^nvjet.*_NT.$|^cutlass", {"products": 1 / 3, "logits": 1 / 3}),
    ("sums of partial sums, copies", r"splitKreduce|sum_partials|sum_blocks|sum_losses|Add<|Copy<|Zero<", {}),
    ("norms", r"^normalise", {"norms": 1}),
    ("attention", r"^attention", {"attention": 1}),
    ("cross-entropy", r"^cross_entropy", {"cross-entropy": 1}),
    ("ReLU, backward", r"ReluBackward", {}),
    ("Adam", r"^update_parameters", {"Adam": 1}),
    ("embeddings, gradient norm", r"add_runs|Gather<|^sum_squares", {"rest": 1}),
]


def part_of(kernel):
    for name, pattern, _ in PARTS:
        if re.search(pattern, kernel):
            return name
    sys.exit(f"error: no part for the kernel '{kernel}'; add it to PARTS")


def times_of(path, title):
    """Launches and microseconds of one step, by part."""
    totals, inside = {}, False
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith(("--", "==")):
                inside = line.strip() == "-- " + title
            row = re.match(r"(.+?) +\S+ +(\d+) +[\d.]+ +([\d.]+)$", line)
            if not inside or not row or row[1].strip() == "all":
                continue
            launches, microseconds = totals.get(part_of(row[1]), (0, 0.0))
            totals[part_of(row[1])] = (launches + int(row[2]) / 2, microseconds + float(row[3]) / 2)
    if not totals:
        sys.exit(f"error: {path} has no kernels below a line '-- {title}'")
    return totals


def budget(path, section, step_paths):
    steps = []
    for step_path in step_paths:
        with open(step_path, encoding="utf-8") as file:
            row = json.load(file)["rows"][0]
        preset = row["shape"].split()[0]
        steps.append((preset, times_of(path, f"{preset}, {section}"), row["floor_parts_s"], row["median_s"]))
    lines = ["| Part |" + "".join(f" {preset}: launches | µs | floor |" for preset, *_ in steps)]
    lines.append("|---|" + "--:|--:|--:|" * len(steps))
    for name, _, shares in PARTS:
        line = f"| {name} |"
        for _, times, floor, _ in steps:
            launches, microseconds = times.get(name, (0, 0.0))
            least = f"{1e6 * sum(share * floor[part] for part, share in shares.items()):.0f}" if shares else "–"
            line += f" {launches:.0f} | {microseconds:.0f} | {least} |"
        lines.append(line)
    line = "| all, one kernel at a time |"
    for _, times, floor, _ in steps:
        launches, microseconds = (sum(column) for column in zip(*times.values()))
        line += f" {launches:.0f} | {microseconds:.0f} | {1e6 * sum(floor.values()):.0f} |"
    return lines + [line]


def main():
    arguments, page = sys.argv[1:], None
    if "--check" in arguments[:-1]:
        page = arguments.pop(arguments.index("--check") + 1)
        arguments.remove("--check")
    if len(arguments) < 3:
        sys.exit("usage: gpu_budget.py TIMES.txt SECTION STEP.json... [--check PAGE]")
    try:
        table = "\n".join(budget(arguments[0], arguments[1], arguments[2:])) + "\n"
    except OSError as error:
        sys.exit(f"error: {error.filename}: {error.strerror}")
    if page is None:
        print(table, end="")
        return
    with open(page, encoding="utf-8") as file:
        if table not in file.read():
            sys.exit(f"{page} has another table than\n{table}")


if __name__ == "__main__":
    main()
