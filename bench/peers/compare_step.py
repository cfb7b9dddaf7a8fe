#!/usr/bin/env python3
"""Ours against PyTorch, one training step on the CPU: the best setting of the peer, then ours, peer, ours.

    python3 compare_step.py tiny|base PATH/TO/train-step-bench

Called by torch_step.sh. The last line is the result; ratio > 1 when ours is faster.
"""
import json
import os
import pathlib
import subprocess
import sys

TORCH_STEP = pathlib.Path(__file__).with_name("torch_step.py")
OURS_MAY_DRIFT = 0.03  # between the two runs of ours around the peer's
ROUNDS = 3
KEEP_BLOCKS = {"MALLOC_MMAP_THRESHOLD_": str(1 << 32), "MALLOC_TRIM_THRESHOLD_": str(1 << 32)}
HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
BOUND = {"OMP_PROC_BIND": "true", "OMP_WAIT_POLICY": "active"}

# name: environment, torch.compile's mode
VARIANTS = {
    "eager, as installed": ({}, ""),
    "eager, malloc keeps its blocks": (KEEP_BLOCKS, ""),
    "eager, and on huge pages": (KEEP_BLOCKS | HUGE_PAGES, ""),
    "eager, and threads bound": (KEEP_BLOCKS | HUGE_PAGES | BOUND, ""),
    "compiled": (KEEP_BLOCKS | HUGE_PAGES, "default"),
    "compiled, max-autotune": (KEEP_BLOCKS | HUGE_PAGES, "max-autotune"),
}


def run(command, environment):
    done = subprocess.run(command, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    if done.returncode != 0:
        tail = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"{command[0]} exited with {done.returncode}: {tail}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def run_torch(preset, variant, threads, samples):
    environment, mode = VARIANTS[variant]
    command = [sys.executable, str(TORCH_STEP), preset, "--threads", str(threads), "--samples", str(samples)]
    # The thread count is set through the environment too, so that every library of the process sees it at its start.
    return run(command + (["--compile", mode] if mode else []), environment | {"OMP_NUM_THREADS": str(threads)})


def row(name, result):
    busy = f", {result['disturbed']} disturbed by other processes" if result.get("disturbed") else ""
    floor = f", {result['pct_floor']:.0f} % of the floor" if "pct_floor" in result else ""
    print(f"{name:32} median {result['median_s']:.4f} s, p10 {result['p10_s']:.4f}, p90 {result['p90_s']:.4f}, "
          f"n {result['n']}, peak {result['peak_rss_mb']:.0f} MB, {result['tokens_per_s']:.0f} target tokens/s"
          f"{floor}{busy}", flush=True)


def best_variant(preset, threads):
    medians = {}
    for variant in VARIANTS:
        try:
            result = run_torch(preset, variant, threads, samples=7 if preset == "tiny" else 3)
        except RuntimeError as error:
            print(f"torch, {variant}: does not run here ({error})", flush=True)
            continue
        row(f"torch, {variant}", result)
        medians[variant] = result["median_s"]
    if not medians:
        sys.exit("torch_step: no variant of the peer runs; see the messages above")
    return min(medians, key=medians.get)


def main():
    preset, program = sys.argv[1:]
    ours = lambda: run([program, "--preset", preset, "--json"], {})
    samples = 15 if preset == "tiny" else 7
    first = ours()
    threads = first["threads"]
    row("ours", first)
    variant = best_variant(preset, threads)
    for attempt in range(ROUNDS):
        before, torch, after = ours(), run_torch(preset, variant, threads, samples), ours()
        row("ours", before)
        row(f"torch, {variant}", torch)
        row("ours, again", after)
        drift = abs(before["median_s"] / after["median_s"] - 1)
        if drift <= OURS_MAY_DRIFT:
            break
        print(f"round {attempt + 1}: the two medians of ours differ by {100 * drift:.1f} %", flush=True)
    else:
        print(f"note: a busy machine; no round of {ROUNDS} was quiet, the last one counts")
    seconds = (before["median_s"] + after["median_s"]) / 2
    print(f"peak memory: ours {after['peak_rss_mb']:.0f} MB, torch {torch['peak_rss_mb']:.0f} MB; this machine: "
          f"GEMM {after['gemm_gflops']:.0f} GFLOP/s, copy {after['copy_gbs']:.0f} GB/s, "
          f"floor {after['floor_s']:.4f} s, ours {after['pct_floor']:.0f} % of it")
    print(f"ratio: {torch['median_s'] / seconds:.2f} (ours {seconds:.3g} s, torch {torch['median_s']:.3g} s, "
          f"torch {torch['torch']}, {threads} threads)")


if __name__ == "__main__":
    main()
