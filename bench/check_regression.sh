#!/bin/sh
# Does --fail-if-regression tell a slowdown from noise, on this machine, now?
#   bench/check_regression.sh [PROGRAM [RUNS [FN]]]     default: build/bin/xformer-bench, 10, 'train_step|layer_norm|softmax'
# Times a program in turn with itself RUNS times: none may count as slower. Then once more, the second of the two
# reporting every time 10 % longer: each row must. Exit code 0: both held.
set -eu
cd "$(dirname "$0")/.."
program=${1:-build/bin/xformer-bench}
runs=${2:-10}
fn=${3:-train_step|layer_norm|softmax}
text=$(mktemp)
trap 'rm -f "$text"' EXIT

compare() {  # options...
  "$program" --preset tiny --fn "$fn" --against "$program" --fail-if-regression 5% "$@" >"$text"
}

failures=0
for i in $(seq "$runs"); do
  if ! compare; then
    echo "run $i of the same program: a false alarm"
    cat "$text"
    failures=$((failures + 1))
  fi
done
echo "$runs runs of the same program: $failures with an alarm"
if compare --plant 0.1 || ! grep -q '^\([0-9]*\) of \1 rows slower' "$text"; then
  echo "a planted slowdown of 10 %: missed"
  cat "$text"
  failures=$((failures + 1))
else
  echo "a planted slowdown of 10 %: caught in every row"
fi
[ "$failures" = 0 ]
