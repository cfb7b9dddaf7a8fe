#!/bin/sh
# Does --fail-if-regression tell a slowdown from noise, on this machine, now?
#   bench/check_regression.sh [PROGRAM [RUNS [FN]]]     default: build/bin/xformer-bench, 10, 'train_step|layer_norm|softmax'
# Times the same program RUNS + 1 times, each time in three passes that are pooled (--add): no run may count as slower
# than the one before it. Then once more, reporting every time 10 % longer: that one must. Exit code 0: both held.
set -eu
cd "$(dirname "$0")/.."
program=${1:-build/bin/xformer-bench}
runs=${2:-10}
fn=${3:-train_step|layer_norm|softmax}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

measure() {  # name, options...
  name=$1
  shift
  for _ in 1 2 3; do
    "$program" --fn "$fn" --preset tiny --label "$folder/$name.json" --add "$@" >/dev/null
  done
}
slower() {  # before, after
  ! "$program" --compare "$folder/$1.json,$folder/$2.json" --fail-if-regression 5% >"$folder/text"
}

failures=0
measure run-0
for i in $(seq "$runs"); do
  measure "run-$i"
  if slower "run-$((i - 1))" "run-$i"; then
    echo "false alarm: run $i of the same program"
    cat "$folder/text"
    failures=$((failures + 1))
  fi
done
echo "$runs runs of the same program: $failures alarms"
measure planted --plant 0.1
if slower "run-$runs" planted; then
  echo "a planted slowdown of 10 %: caught"
else
  echo "a planted slowdown of 10 %: missed"
  cat "$folder/text"
  failures=$((failures + 1))
fi
[ "$failures" = 0 ]
