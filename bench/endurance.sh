#!/bin/sh
# Does a long run stay as it began? A small model is trained for 50,000 updates, validated and saved a hundred times; ten
# times on the way, what the process holds and what its files weigh is read from outside.
#   bench/endurance.sh [FOLDER] [UPDATES]      default: a folder that is removed, 50000. Some minutes.
# resident: VmRSS · descriptors: /proc/PID/fd · tokens/s: of the tenth before, validations and saves included
set -eu
export LC_ALL=C.UTF-8  # where a comma is the decimal point, awk compares no numbers
folder=${1:+$(realpath -m "$1")}
cd "$(dirname "$0")/.."
PATH=$PWD/build/bin:$PATH
updates=${2:-50000}
if [ -z "$folder" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
xformer-vocab demo-corpus --quiet -o "$folder/corpus"
run=$folder/run

xformer-train --task demo --vocab-size 300 --dim-emb 32 --transformer-dim-ffn 64 --enc-depth 1 --dec-depth 1 \
  --transformer-dropout 0.2 --mini-batch-words 300 -t "$folder/corpus/train.en" "$folder/corpus/train.de" \
  --valid-sets "$folder/corpus/valid.en" "$folder/corpus/valid.de" -m "$run" --after "${updates}u" \
  --early-stopping 0 --valid-freq "$((updates / 100))u" --save-freq "$((updates / 100))u" --keep-best 3 \
  --exponential-smoothing 1e-4 --log-format none &
trainer=$!
trap 'kill "$trainer" 2>/dev/null || true; wait "$trainer" 2>/dev/null || true' INT TERM

# Lines can be as far apart as a validation lasts.
field() { tail -n 50 "$run/metrics.jsonl" 2>/dev/null | grep '"event":"train"' | tail -n 1 | sed -n "s/.*\"$1\":\\([-+.0-9e]*\\).*/\\1/p"; }
update() {
  now=$(field update)
  echo "${now:-0}"
}
size() { du -b "$1" 2>/dev/null | cut -f 1; }
now_ms() { date +%s%3N; }
# The target tokens of an epoch are always the same: updates tell the tokens.
tokens_of_epoch() { sed -n 's/.*"target_tokens":\([0-9]*\).*/\1/p' "$run/metrics.jsonl" | head -n 1; }

printf '%8s %12s %12s %9s %14s %11s %12s\n' update 'resident MB' descriptors tokens/s metrics.jsonl train.log report.html
tenth=1
last_update=0
last_ms=$(now_ms)
while kill -0 "$trainer" 2>/dev/null && [ "$tenth" -le 10 ]; do
  sleep 0.2
  reached=$(update)
  [ "$reached" -ge $((tenth * updates / 10 - updates / 100)) ] || continue
  ms=$(now_ms)
  resident=$(sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\).*/\1/p' "/proc/$trainer/status" 2>/dev/null) || break
  descriptors=$(find "/proc/$trainer/fd" -mindepth 1 2>/dev/null | wc -l)
  tokens=$(tokens_of_epoch)
  per_epoch=$(sed -n 's/.*"updates_per_epoch":\([.0-9]*\).*/\1/p' "$run/metrics.jsonl" | head -n 1)
  speed=$(awk -v t="$tokens" -v e="$per_epoch" -v u=$((reached - last_update)) -v ms=$((ms - last_ms)) \
    'BEGIN { printf "%d", u / e * t * 1000 / ms }')
  printf '%8s %12s %12s %9s %14s %11s %12s\n' "$reached" $((resident / 1024)) "$descriptors" "$speed" \
    "$(size "$run/metrics.jsonl")" "$(size "$run/train.log")" "$(size "$run/report.html")"
  tenth=$((tenth + 1)) last_update=$reached last_ms=$ms
done
code=0
wait "$trainer" || code=$?
echo "ended with $code; $(du -sm "$run" | cut -f 1) MB in the run folder, $(find "$run" -type f | wc -l) files"
exit "$code"
