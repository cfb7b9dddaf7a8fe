#!/bin/sh
# Does --fail-if-regression tell a slowdown from noise, on this machine, now?
#   bench/check_regression.sh [PROGRAM [RUNS [FN]]]     default: build/bin/xformer-bench, 10, 'train_step|layer_norm|softmax'
# Times a program in turn with itself RUNS times: none may count as slower. Then once more, the second of the two
# reporting every time 10 % longer: each row must. Exit code 0: both held.
set -eu
program=$(realpath -m "${1:-$(dirname "$0")/../build/bin/xformer-bench}")
cd "$(dirname "$0")/.."
runs=${2:-10}
fn=${3:-train_step|layer_norm|softmax}
text=$(mktemp)
trap 'rm -f "$text"' EXIT

# Sets code: 0, or 1 where a row is slower. Anything else is no answer, and the program has said why.
compare() {  # options...
  code=0
  "$program" --preset tiny --fn "$fn" --against "$program" --fail-if-regression 5% "$@" >"$text" || code=$?
  [ "$code" -le 1 ] && grep -q ' rows slower by more than ' "$text" || exit "$((code > 0 ? code : 1))"
}

failures=0
for i in $(seq "$runs"); do
  compare
  if [ "$code" = 1 ]; then
    echo "run $i of the same program: a false alarm"
    cat "$text"
    failures=$((failures + 1))
  fi
done
echo "$runs runs of the same program: $failures with an alarm"
compare --inject-slowdown 0.1
if [ "$code" = 0 ] || ! grep -q '^\([0-9]*\) of \1 rows slower' "$text"; then
  echo "an injected slowdown of 10 %: missed"
  cat "$text"
  failures=$((failures + 1))
else
  echo "an injected slowdown of 10 %: caught in every row"
fi
[ "$failures" = 0 ]
