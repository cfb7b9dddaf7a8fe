#!/usr/bin/env python3
"""The training step in PyTorch at its best: tries allocator, thread and compiler settings, each in a process of its own.

    python3 torch_best.py tiny|base [--threads N] [--device cpu|cuda] [--dtype f32|bf16] [--variant NAME]
                          [--samples N]

Without --variant: times every setting, tells how each did on standard error, and prints the fastest one's result as one
JSON object; with it: times that one. Exit code 1 if none runs. Started by `xformer-bench --fn train_step --baseline torch`.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys

TORCH_STEP = pathlib.Path(__file__).with_name("torch_step.py")
KEEP_BLOCKS = {"MALLOC_MMAP_THRESHOLD_": str(1 << 32), "MALLOC_TRIM_THRESHOLD_": str(1 << 32)}
HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
BOUND = {"OMP_PROC_BIND": "true", "OMP_WAIT_POLICY": "active"}

# name: environment, options of torch_step.py
CPU = {
    "eager as installed": ({}, []),
    "eager, malloc keeps its blocks": (KEEP_BLOCKS, []),
    "eager, huge pages": (KEEP_BLOCKS | HUGE_PAGES, []),
    "eager, huge pages, threads bound": (KEEP_BLOCKS | HUGE_PAGES | BOUND, []),
    "compiled": (KEEP_BLOCKS | HUGE_PAGES, ["--compile", "default"]),
    "compiled, max-autotune": (KEEP_BLOCKS | HUGE_PAGES, ["--compile", "max-autotune"]),
}
CUDA = {
    "eager": ({}, []),
    "eager in a CUDA graph": ({}, ["--graph"]),
    "compiled, reduce-overhead": ({}, ["--compile", "reduce-overhead"]),
    "compiled, max-autotune": ({}, ["--compile", "max-autotune"]),
}


def run(variants, name, arguments, samples, warm_ups):
    environment, options = variants[name]
    # The thread count is set through the environment too, so that every library of the process sees it at its start.
    command = [sys.executable, str(TORCH_STEP), arguments.preset, "--threads", str(arguments.threads), "--device",
               arguments.device, "--dtype", arguments.dtype, "--samples", str(samples), "--warm-ups", str(warm_ups)]
    done = subprocess.run(command + options, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=os.environ | environment | {"OMP_NUM_THREADS": str(arguments.threads)})
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no message"])[-1])
    return json.loads(done.stdout.strip().splitlines()[-1]) | {"variant": name}


def best(variants, arguments, samples):
    results = []
    for name in variants:
        try:
            result = run(variants, name, arguments, samples, warm_ups=1)
        except RuntimeError as error:
            print(f"torch, {name}: does not run here ({error})", file=sys.stderr, flush=True)
            continue
        print(f"torch, {name:34} median {result['median_s']:.4f} s, p10 {result['p10_s']:.4f}, p90 {result['p90_s']:.4f}, "
              f"n {result['n']}, peak {result['peak_rss_mb']:.0f} MB", file=sys.stderr, flush=True)
        results.append(result)
    if not results:
        sys.exit("no setting of torch runs; see the messages above")
    return min(results, key=lambda result: result["median_s"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("preset", choices=("tiny", "base"))
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="f32")
    parser.add_argument("--variant", default="")
    parser.add_argument("--samples", type=int, default=0, help="0: 5 of tiny, 2 of base")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # by way of run(), which then ends the setting it waits for
    samples = arguments.samples or (5 if arguments.preset == "tiny" else 2)
    variants = CPU if arguments.device == "cpu" else CUDA
    if arguments.variant and arguments.variant not in variants:
        sys.exit(f"no variant is called '{arguments.variant}': {', '.join(variants)}")
    result = (run(variants, arguments.variant, arguments, samples, warm_ups=3) if arguments.variant
              else best(variants, arguments, samples))
    print(json.dumps(result | {"version": result["torch"]}))


if __name__ == "__main__":
    main()
