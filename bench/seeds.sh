#!/bin/bash
# One training with several seeds on Multi30k: minutes and BLEU of each, mean and range over them.
#   bench/seeds.sh FOLDER MULTI30K SEEDS OPTION...
#   bench/seeds.sh build/seeds build/multi30k "1 2 3" --task transformer-tiny     # FOLDER/1, FOLDER/2, FOLDER/3
# MULTI30K: what tools/get_multi30k.sh made. FROM=de TO=en bench/seeds.sh ...: the other direction. PROGRAMS=FOLDER: not those of
# build/bin, but of what tests/gpu.sh packed, for one. A GPU has room for several calls at once, a seed each, under CUDA's MPS.
# What is finished stays; a run that was stopped goes on. minutes: of updates and validations, without reading text
# and without the averaged model. BLEU is lower-cased, 13a: the best validation while training (greedy); the averaged
# model on validation; the averaged, the best and the last model on test2016 (beam and length penalty of the run).
set -euo pipefail
export LC_ALL=C.UTF-8  # numbers have a point
[ $# -ge 3 ] || { sed -n '2,6s/^# *//p' "$0" >&2; exit 2; }
program=$(cd "${PROGRAMS:-$(dirname "$0")/../build/bin}" && pwd)
folder=$1 data=$2 seeds=$3 from=${FROM:-en} to=${TO:-de}
shift 3
mkdir -p "$folder"

# The largest, or the last, value of a key in lines of metrics that match.
values() { { grep "$2" "$1/metrics.jsonl" || true; } | sed -n "s/.*\"$3\":\([0-9.]*\).*/\1/p"; }
last_line() {  # what it is
  tail -n 1 | grep . || { echo "error: bench/seeds.sh: $1" >&2; exit 1; }
}
largest() { values "$@" | sort -g | last_line "no $3 in $1/metrics.jsonl"; }
last() { values "$@" | last_line "no $3 in $1/metrics.jsonl"; }

on_test() {  # averaged, best, latest
  text=$run.$1.$to
  "$program/xformer-translate" -m "$run/$1" -i "$data/test_2016_flickr.$from" -o "$text" --quiet &&
    "$program/xformer-score" bleu "$data/test_2016_flickr.$to" -i "$text" -lc --score-only --width 2
}

for seed in $seeds; do
  run=$folder/$seed
  "$program/xformer-train" -t "$data/train.$from" "$data/train.$to" --valid-sets "$data/val.$from" "$data/val.$to" \
    -m "$run" --seed "$seed" --log-format plain "$@" >"$run.log" 2>&1 || { tail -n 3 "$run.log" >&2; exit 1; }
  seconds=$(last "$run" '"event":"valid"' seconds)
  validation=$(largest "$run" '"event":"valid".*"metric":"bleu"' score)
  averaged=$(last "$run" '"event":"averaged"' score)
  test_averaged=$(on_test averaged)
  test_best=$(on_test best)
  test_last=$(on_test latest)
  echo "$seed $seconds $validation $averaged $test_averaged $test_best $test_last"
done | awk -v seeds="$(wc -w <<<"$seeds")" '
  NR == 1 {
    split("minutes validation averaged test-averaged test-best test-last", names)
    printf "%-6s", "seed"
    for (c = 1; c <= 6; ++c) printf " %13s", names[c]
    print ""
  }
  {
    $2 /= 60
    printf "%-6s", $1
    for (c = 1; c <= 6; ++c) {
      x = $(c + 1)
      sum[c] += x
      if (NR == 1 || x < low[c]) low[c] = x
      if (NR == 1 || x > high[c]) high[c] = x
      printf " %13.2f", x
    }
    print ""
    fflush()
  }
  END {
    if (NR != seeds) exit 1  # no mean over fewer
    printf "%-6s", "mean"
    for (c = 1; c <= 6; ++c) printf " %13.2f", sum[c] / NR
    printf "\n%-6s", "range"
    for (c = 1; c <= 6; ++c) printf " %13.2f", high[c] - low[c]
    print ""
  }'
