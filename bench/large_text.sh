#!/bin/bash
# What a text costs before its first update, by its size: preparing it (--cache), opening it again, and the memory of both.
#   bench/large_text.sh [FOLDER] [PAIRS...]      default: a folder that is removed; 10000 100000 1000000
# Made sentences (xformer-vocab demo-corpus --pairs), a vocabulary of 4,000 pieces at most, a small model, one update.
# first start: learns the vocabulary and prepares · lines/s: pairs, both sides of them, with a vocabulary that is there ·
# second start: opens, with that vocabulary · memory: the most that the process held of its own (RssAnon, looked at every 50 ms)
set -euo pipefail
export LC_ALL=C.UTF-8  # where a comma is the decimal point, awk compares no numbers
folder=${1:+$(realpath -m "$1")}
cd "$(dirname "$0")/.."
PATH=$PWD/build/bin:$PATH
if [ -z "$folder" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder"
sizes=("${@:2}")
[ ${#sizes[@]} -gt 0 ] || sizes=(10000 100000 1000000)

# The kB that a process holds; nothing when it has ended. Without other processes, which would take a processor from it.
held_by() {
  local key value
  held=
  while read -r key value _; do
    [ "$key" != RssAnon: ] || held=$value
  done 2>/dev/null <"/proc/$1/status" || true
}
exec {nothing}<> <(:)  # to wait at
pause() { read -rt 0.05 -u "$nothing" || true; }

# start TEXT OPTION...: sets seconds and megabytes, of a run that ends after its first update.
start() {
  local text=$1 begun now most=0
  shift
  rm -rf "$folder/run"
  begun=$(date +%s%3N)
  xformer-train --task demo --vocab-size 4000 --dim-emb 64 --transformer-dim-ffn 128 --enc-depth 1 --dec-depth 1 \
    -t "$text/train.en" "$text/train.de" --cache "$folder/cache" -m "$folder/run" --after 1u --log-format none "$@" \
    >/dev/null 2>"$folder/log" &
  while held_by $! && [ -n "$held" ]; do
    [ "$held" -le "$most" ] || most=$held
    pause
  done
  wait $! || { cat "$folder/log" >&2; exit 1; }
  now=$(date +%s%3N)
  seconds=$(awk -v ms=$((now - begun)) 'BEGIN { printf "%.2f", ms / 1000 }')
  megabytes=$((most / 1024))
}
megabytes_of() { du -cm "$@" | tail -n 1 | cut -f 1; }

printf '%10s %8s %8s %14s %10s %14s %14s %7s %15s %10s\n' pairs 'text MB' 'file MB' 'first start s' 'memory MB' \
  'lines/s at 1' 'lines/s at 2' ratio 'second start s' 'memory MB'
for pairs in "${sizes[@]}"; do
  text=$folder/text
  rm -rf "$text" "$folder/cache"
  xformer-vocab demo-corpus --quiet --pairs "$pairs" -o "$text"
  start "$text" --cpu-threads 2
  first=$seconds first_memory=$megabytes
  cp "$folder/run/vocab.spm" "$folder/vocab.spm"
  file=$(megabytes_of "$folder/cache")
  start "$text" -v "$folder/vocab.spm" --cpu-threads 2
  second=$seconds second_memory=$megabytes
  for threads in 1 2; do
    rm -rf "$folder/cache"
    start "$text" -v "$folder/vocab.spm" --cpu-threads $threads
    rates[threads]=$(awk -v n="$pairs" -v all="$seconds" -v open="$second" 'BEGIN { printf "%.0f", n / (all - open) }')
  done
  printf '%10d %8d %8d %14s %10d %14d %14d %7.2f %15s %10d\n' "$pairs" "$(megabytes_of "$text")" "$file" "$first" \
    "$first_memory" "${rates[1]}" "${rates[2]}" "$(awk -v a="${rates[2]}" -v b="${rates[1]}" 'BEGIN { print a / b }')" \
    "$second" "$second_memory"
done
