#!/usr/bin/env python3
"""Ours against PyTorch, one training step on the CPU, in a few lines.

    python3 compare_step.py tiny|base PATH/TO/xformer-bench

Called by torch_step.sh. xformer-bench does the work: the best setting of the peer, then both in turn. The last line is
the result; ratio > 1 when ours is faster.
"""
import json
import subprocess
import sys


def main():
    preset, program = sys.argv[1:]
    done = subprocess.run([program, "--fn", "train_step", "--preset", preset, "--baseline", "torch", "--format", "json"],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.returncode)
    document = json.loads(done.stdout)
    header, (row,) = document["header"], document["rows"]
    if row["ratio"] is None:
        sys.exit(f"torch_step: {row['note']}")
    print(f"{row['shape']}, {header['cpu']}, {header['threads']} threads: GEMM {header['gemm_gflops']:.0f} GFLOP/s, copy "
          f"{header['copy_gbs']:.0f} GB/s; floor {row['floor_s']:.4f} s")
    print(f"ours: median {row['median_s']:.4f} s, p10 {row['p10_s']:.4f}, p90 {row['p90_s']:.4f}, n {row['n']}, "
          f"{row['disturbed']} of them disturbed, {row['pct_floor']:.0f} % of the floor, peak {row['peak_mb']:.0f} MB, "
          f"{row['tokens_per_s']:.0f} target tokens/s")
    print(f"peer: {row['baseline']}, median {row['baseline_s']:.4f} s")
    if "note" in row:
        print(f"note: {row['note']}")
    name, version = row["baseline"].split(",")[0].split(" ")
    print(f"ratio: {row['ratio']:.2f} (ours {row['median_s']:.3g} s, {name} {row['baseline_s']:.3g} s, {name} {version}, "
          f"{header['threads']} threads)")


if __name__ == "__main__":
    main()
