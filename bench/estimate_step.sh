#!/bin/sh
# What a training step should take on a GPU that is not there: an estimate, never a measurement.
#   XF_SIM_TRAFFIC=step.tsv build/bin/sim/xformer-bench --count-launches --device cuda --preset tiny --dtype bf16
#   bench/estimate_step.sh step.tsv [BYTES_A_SECOND [FLOPS]]
# step.tsv is what the software GPU counted: a line for each node of the step's graphs, with the bytes that it reads and
# writes, each 32 bytes once. A node takes as long as its bytes at the bandwidth or its products at the peak, but no less
# than a launch that waits for the one before; the estimate has a range because neither share nor launch is known:
#   low   max(2.0 us, bytes / (0.80 bandwidth), flops / (0.60 peak))
#   high  max(4.5 us, bytes / (0.50 bandwidth), flops / (0.35 peak)) + 0.5 us
# The defaults are an H100's data sheet (SXM: 3.35 TB/s, 989 TFLOP/s of dense bf16; f32: 67e12, TF32: 495e12). Nothing is
# taken off for what the last node left in the cache of 50 MB, which holds all of a tiny step's matrices.
set -eu
export LC_ALL=C.UTF-8  # where a comma is the decimal point, awk compares no numbers
nodes=${1:?"estimate_step.sh NODES [BYTES_A_SECOND [FLOPS]]"}

# Rows of: microseconds of the high estimate, to sort by; name, launches, MB, and microseconds of floor, low and high.
estimate='
BEGIN { FS = OFS = "\t" }
function longest(a, b, c) { return a > b ? (a > c ? a : c) : (b > c ? b : c) }
function microseconds(least, share_of_bandwidth, share_of_flops) {
  return 1e6 * longest(least, bytes / (share_of_bandwidth * bandwidth), flops / (share_of_flops * peak))
}
NF != 3 || $2 $3 !~ /^[0-9]+$/ {
  print "error: " FILENAME ":" NR ": expected a name, bytes read and bytes written; got \"" $0 "\"" >"/dev/stderr"
  exit failed = 1
}
{
  kind = $1
  flops = 0
  if (split($1, words, /[ x]/) >= 4 && words[1] == "cublasLtMatmul") {  # "[12 of ]4088x128x384"
    kind = "products"
    first = words[3] == "of" ? 4 : 2
    flops = 2 * (first == 4 ? words[2] : 1) * words[first] * words[first + 1] * words[first + 2]
  }
  bytes = $2 + $3
  ++launches[kind]
  megabytes[kind] += bytes / 1e6
  floor[kind] += microseconds(0, 1, 1)
  low[kind] += microseconds(2e-6, 0.8, 0.6)
  high[kind] += microseconds(4.5e-6, 0.5, 0.35) + 0.5
}
END {
  if (failed) exit 1
  if (NR == 0) {
    print "error: the file is empty; XF_SIM_TRAFFIC=FILE is for build/bin/sim/xformer-bench" >"/dev/stderr"
    exit 1
  }
  for (kind in launches) print high[kind], kind, launches[kind], megabytes[kind], floor[kind], low[kind], high[kind]
}'
table='
BEGIN { FS = "\t"; printf "%-52s %9s %9s %9s %8s %8s\n", "estimates, no measurement", "launches", "MB", "floor us", "low us", "high us" }
function row(name, a, b, c, d, e) { printf "%-52s %9d %9.1f %9.1f %8.1f %8.1f\n", substr(name, 1, 52), a, b, c, d, e }
{ row($2, $3, $4, $5, $6, $7); a += $3; b += $4; c += $5; d += $6; e += $7 }
END { row("the step", a, b, c, d, e) }'
rows=$(awk -v bandwidth="${2:-3.35e12}" -v peak="${3:-989e12}" "$estimate" "$nodes")
echo "$rows" | sort -t "$(printf '\t')" -k 1,1gr | awk "$table"
