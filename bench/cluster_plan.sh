#!/bin/sh
# The table of docs/scaling_cost.md: what the gradients of one update cost W ranks, in milliseconds, by its formulas (S1) to (S3).
#   bench/cluster_plan.sh
export LC_ALL=C.UTF-8  # numbers have a point
awk 'BEGIN {
  split("tiny base big", names); split("2615056 59508496 207087376", parameters)
  split("1-GbE 10-GbE 100-GbE NVLink", nets); split("1.18e8 1.18e9 1.18e10 4.5e11", bytes); split("1e-4 3e-5 1e-5 5e-6", delay)
  split("2 4 8 64 256 1024", ranks)
  printf "| Model | Link |"; for (r = 1; r <= 6; ++r) printf " %d |", ranks[r]
  printf "\n|---|---|"; for (r = 1; r <= 6; ++r) printf "--:|"
  print ""
  for (m = 1; m <= 3; ++m) for (n = 1; n <= 4; ++n) {
    printf "| %s | %s |", names[m], nets[n]
    for (r = 1; r <= 6; ++r) {
      W = ranks[r]; block = 33554432 / W; if (block < 65536) block = 65536
      blocks = int(4 * parameters[m] / W / block) + 1
      exchanges = 2 * blocks + 2
      time = 8 * parameters[m] * (W - 1) / W / bytes[n] + exchanges * (delay[n] + (W - 1) * 2e-6)
      printf " %.3g |", 1000 * time
    }
    print ""
  }
}'
